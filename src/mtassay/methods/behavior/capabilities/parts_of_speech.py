"""Capabilities by part of speech: a word or phrase is replaced by another one of its kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from mtassay.core import Edit
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import (
    edited_places,
    head_token,
    heads_at,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.spans import is_auxiliary, keep_longest, relation_of
from mtassay.tools.annotate.annotation import Annotation, Token

__all__ = ["Adjective", "Adverb", "Noun", "PartOfSpeech", "Preposition", "Verb", "is_verb"]

_FORM = ("VerbForm", "Tense", "Person", "Number")
"""The features that make the form of a verb."""


def is_verb(token: Token) -> bool:
    """A verb that says something itself: no auxiliary, and no participle in an adjective's place."""
    return token.pos in ("VERB", "AUX") and not is_auxiliary(token) and relation_of(token) != "amod"


def _have_one_form(verb: Token, other: Token) -> bool:
    """Whether no feature says otherwise; taggers take a past tense for a participle, and back."""
    are_past = verb.features.get("Tense") == other.features.get("Tense") == "Past"
    shared_features = [name for name in _FORM if name in verb.features and name in other.features]
    return all(
        verb.features[name] == other.features[name] or (are_past and name == "VerbForm")
        for name in shared_features
    )


class PartOfSpeech(Capability):
    """A word of one part of speech, or a phrase that it heads."""

    labels: ClassVar[frozenset[str]]
    kind: ClassVar[str]
    """What it is in words: `a noun or noun phrase`."""
    anywhere: ClassVar[bool] = False
    """Whether the word may stand anywhere in the phrase: a preposition heads its phrase in some grammars."""

    @staticmethod
    @abstractmethod
    def is_one(token: Token) -> bool:
        """Whether a word is of this part of speech."""

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The words and phrases of this kind; of those that overlap, the longest."""
        return keep_longest(span for span in aligned if span.label in self.labels and self._fits(pair, span))

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Another one of the kind."""
        return f'{self.kind} other than "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must have a word of this part of speech as its head."""
        for change, place in zip(changes, edited_places(changes), strict=True):
            words = (
                [edited.tokens[i] for i in tokens_at(edited, place)]
                if self.anywhere
                else heads_at(edited, place)
            )
            if not any(map(self.is_one, words)):
                return f'"{change.after}" is not {self.kind}'
        return None

    def _fits(self, pair: ReadPair, span: AlignedSpan) -> bool:
        head = head_token(pair, span)
        return self.anywhere or (head is not None and self.is_one(head))


class Noun(PartOfSpeech):
    """Nouns, without names: these are for the capability `ner`."""

    name = "noun"
    about = "a noun or noun phrase becomes another"
    is_of_the_paper = True
    labels = frozenset(("NOUN", "NP"))
    kind = "a noun or noun phrase"

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is a noun, and no name."""
        return token.pos == "NOUN"


class Verb(PartOfSpeech):
    """Verbs."""

    name = "verb"
    about = "a verb or verb phrase becomes another"
    is_of_the_paper = True
    labels = frozenset(("VERB", "AUX", "VP"))
    kind = "a verb or verb phrase"

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is a verb, and not only a helping one."""
        return is_verb(token)

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The new verb must have the form of the old one, where both are known: else it hardly fits in."""
        wrong = super().objection(edited, changes, original=original)
        if wrong is not None or original is None:
            return wrong
        for change, place in zip(changes, edited_places(changes), strict=True):
            old = [token for token in heads_at(original, (change.start, change.end)) if is_verb(token)]
            new = [token for token in heads_at(edited, place) if is_verb(token)]
            if old and new and not _have_one_form(old[0], new[0]):
                return f'"{change.after}" does not have the form of "{change.before}"'
        return None


class Adjective(PartOfSpeech):
    """Adjectives, and participles in their place."""

    name = "adjective"
    about = "an adjective or adjective phrase becomes another"
    aliases = ("adj",)
    is_of_the_paper = True
    labels = frozenset(("ADJ", "VERB", "AP"))
    kind = "an adjective or adjective phrase"

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is an adjective or stands for one."""
        return token.pos == "ADJ" or (token.pos == "VERB" and relation_of(token) == "amod")


class Adverb(PartOfSpeech):
    """Adverbs."""

    name = "adverb"
    about = "an adverb or adverb phrase becomes another"
    aliases = ("adv",)
    is_of_the_paper = True
    labels = frozenset(("ADV", "ADVP"))
    kind = "an adverb or adverb phrase"

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is an adverb, or a noun in an adverb's place: `tomorrow`, `last week`."""
        return token.pos == "ADV" or relation_of(token) == "npadvmod"


class Preposition(PartOfSpeech):
    """Prepositions, without particles of verbs, as `back` in `hit back`."""

    name = "preposition"
    about = "a preposition or prepositional phrase becomes another"
    aliases = ("prep", "adposition", "adp")
    is_of_the_paper = True
    labels = frozenset(("ADP", "PP"))
    kind = "a preposition or prepositional phrase"
    anywhere = True

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is a preposition."""
        return token.pos == "ADP" and relation_of(token) not in ("prt", "compound")

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """Prepositional phrases, and prepositions that are in none of these; of two, the longer."""
        return [
            span
            for span in super().spans(pair, aligned)
            if span.label == "PP" or ((head := head_token(pair, span)) is not None and self.is_one(head))
        ]
