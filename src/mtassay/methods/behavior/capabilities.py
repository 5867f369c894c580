"""The capabilities: a word or phrase is replaced by another of its kind, or a verb gets another form."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from mtassay.data.nouns import Edit
from mtassay.methods.behavior.capability import (
    Capability,
    edited_places,
    head_token,
    heads_at,
    original_places,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.spans import PARTS, PHRASES, is_auxiliary, keep_longest, relation_of
from mtassay.nlp.annotation import Annotation, Token

_FORM = ("VerbForm", "Tense", "Person", "Number")
"""The features that define the form of a verb."""


def is_verb(token: Token) -> bool:
    """Whether a word is a main verb: no auxiliary, and no participle used as an adjective."""
    return token.pos in ("VERB", "AUX") and not is_auxiliary(token) and relation_of(token) != "amod"


def _have_one_form(verb: Token, other: Token) -> bool:
    """Whether no feature contradicts; past tense and participle match, since taggers confuse them."""
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
    """The part of speech in words: `a noun or noun phrase`."""
    anywhere: ClassVar[bool] = False
    """Whether the word may be anywhere in the phrase; in some grammars a preposition heads its phrase."""

    @staticmethod
    @abstractmethod
    def is_one(token: Token) -> bool:
        """Whether a word is of this part of speech."""

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The words and phrases of this kind; if some overlap, only the longest."""
        return keep_longest(span for span in aligned if span.label in self.labels and self._fits(pair, span))

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Ask for another word or phrase of the kind."""
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
    """Nouns except for names, which belong to the capability `ner`."""

    name = "noun"
    about = "a noun or noun phrase becomes another"
    is_of_the_paper = True
    labels = frozenset(("NOUN", "NP"))
    kind = "a noun or noun phrase"

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is a noun, but not a name."""
        return token.pos == "NOUN"


class Verb(PartOfSpeech):
    """Verbs."""

    name = "verb"
    about = "a verb or verb phrase becomes another"
    is_of_the_paper = True
    labels = frozenset(("VERB", "AUX", "VP"))
    kind = "a verb or verb phrase"

    is_one = staticmethod(is_verb)

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The new verb must have the form of the old verb, if both are known; other forms rarely fit."""
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
    """Adjectives, and participles used as adjectives."""

    name = "adjective"
    about = "an adjective or adjective phrase becomes another"
    aliases = ("adj",)
    is_of_the_paper = True
    labels = frozenset(("ADJ", "VERB", "AP"))
    kind = "an adjective or adjective phrase"

    @staticmethod
    def is_one(token: Token) -> bool:
        """Whether a word is an adjective or is used as one."""
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
        """Whether a word is an adverb or a noun used as an adverb: `tomorrow`, `last week`."""
        return token.pos == "ADV" or relation_of(token) == "npadvmod"


class Preposition(PartOfSpeech):
    """Prepositions, but not particles of verbs such as `back` in `hit back`."""

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
        """Prepositional phrases, and prepositions outside such phrases; if two overlap, the longer."""
        return [
            span
            for span in super().spans(pair, aligned)
            if span.label == "PP" or ((head := head_token(pair, span)) is not None and self.is_one(head))
        ]


# OntoNotes 5 has 18 kinds; PER and MISC are from smaller sets.
_ENTITIES = {
    "PERSON": "a person's name", "NORP": "a nationality, or a religious or political group",
    "FAC": "a building, airport, road or bridge", "ORG": "an organization",
    "GPE": "a country, city or state", "LOC": "a location", "PRODUCT": "a product", "EVENT": "a named event",
    "WORK_OF_ART": "the title of a work", "LAW": "a named law or treaty", "LANGUAGE": "a language",
    "DATE": "a date", "TIME": "a time", "PERCENT": "a percentage", "MONEY": "an amount of money",
    "QUANTITY": "a measured quantity", "ORDINAL": "an ordinal number", "CARDINAL": "a number",
    "PER": "a person's name", "MISC": "a name of the same kind",
}  # fmt: skip
# Models with few kinds have one kind for all of these; its name differs between spaCy and LAC.
_SAME = {"PERSON": "PER"}


class _OfOneKind(Capability):
    """Words of several kinds; each word is replaced by another of its own kind."""

    any_kind: ClassVar[str]
    """A description of any of the kinds."""

    @staticmethod
    @abstractmethod
    def kinds_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
        """The kinds of the words in this span, wholly or in part."""

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must have the kind of the original words; if the original is unknown, any of the kinds."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            old_kinds = self.kinds_at(original, before) if original else set()
            new_kinds = self.kinds_at(edited, place)
            if not new_kinds or (old_kinds and not new_kinds & old_kinds):
                return f'"{change.after}" is not {" or ".join(sorted(old_kinds)) or self.any_kind}'
        return None


def _entities_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    """The kinds of the entities in this span, wholly or in part."""
    kinds = set()
    for entity in annotation.entities:
        start, end = annotation.characters(entity)
        if start < place[1] and end > place[0]:
            kinds.add(_SAME.get(entity.label, entity.label))
    return kinds


class NamedEntity(_OfOneKind):
    """Named entities of the kinds that the annotator knows."""

    name = "ner"
    about = "a named entity becomes another of the same kind"
    aliases = ("ne", "entity", "entities")
    is_of_the_paper = True
    needs = frozenset({"pos", "entities"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The entities; if some overlap, only the longest."""
        return keep_longest(span for span in aligned if span.label not in PARTS | PHRASES)

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Ask for another entity of the same kind."""
        kind = _ENTITIES.get(span.label, f"a named entity of the kind {span.label}")
        return f'{kind} other than "{span_text(pair, span)}"'

    kinds_at = staticmethod(_entities_at)
    any_kind = "a named entity"


_SMALL_WORDS = {
    "NUM": "a number", "PRON": "a pronoun", "DET": "a determiner",
    "AUX": "an auxiliary verb", "CCONJ": "a conjunction", "SCONJ": "a conjunction", "PART": "a particle",
    "INTJ": "an interjection",
}  # fmt: skip
_LABELS = PARTS | {"QP"}


def _span_kind(pair: ReadPair, span: AlignedSpan) -> str | None:
    head = head_token(pair, span)
    return _kind(head) if head else None


def _kind(token: Token) -> str | None:
    """The kind of a word; `19th`, `100%` and `5G` are numbers even if a tagger disagrees."""
    return _SMALL_WORDS["NUM"] if token.text[:1].isdigit() else _SMALL_WORDS.get(token.pos)


def _kinds_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    kinds = (_kind(annotation.tokens[i]) for i in tokens_at(annotation, place))
    return {kind for kind in kinds if kind}


class Others(_OfOneKind):
    """Words that are not nouns, verbs, adjectives, adverbs or prepositions."""

    name = "others"
    about = "a number, pronoun, determiner or other small word becomes another"
    is_of_the_paper = True

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The other words, and numbers of several words; if some overlap, only the longest."""
        return keep_longest(span for span in aligned if span.label in _LABELS and _span_kind(pair, span))

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Ask for another word of the same kind."""
        return f'{_span_kind(pair, span) or "a word"} other than "{span_text(pair, span)}"'

    kinds_at = staticmethod(_kinds_at)
    any_kind = "a number, a pronoun or another small word"


SHARE = 0.2
"""The edited share of a sentence's words is below this (Wu, Liu, Yeung 2023, table 1)."""


class General(Capability):
    """Any words and phrases, several at once."""

    name = "general"
    about = "random words and phrases become others, less than 20 % of the source"
    is_of_the_paper = True
    most_of_source = math.nextafter(SHARE, 0)  # makes "at most" mean "less than"
    spans_at_once = 3

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """All spans that are short enough; if some overlap, only the longest."""
        most = self.most_of_source * _words(pair.source)
        return keep_longest(
            span
            for span in aligned
            if span.label in PARTS | PHRASES and _words(pair.source, [(span.start, span.end)]) <= most
        )

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Ask for any replacement that fits."""
        return f'a word or phrase other than "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The edited words must be a small share of the source (else of the edited source)."""
        text, places = (original, original_places(changes)) if original else (edited, edited_places(changes))
        words, share = _words(text), _words(text, places)
        if words and share / words < SHARE:
            return None
        return f"{share} of {words} words are edited, which is not less than {SHARE:.0%}"


def _words(annotation: Annotation, places: Sequence[tuple[int, int]] | None = None) -> int:
    """Count the words of the text, or only the words in these places, without punctuation marks."""
    tokens = annotation.tokens
    numbers = range(len(tokens)) if places is None else {i for p in places for i in tokens_at(annotation, p)}
    return sum(any(map(str.isalnum, tokens[i].text)) for i in numbers)


# The auxiliaries of the perfect, by lemma: English, Portuguese, Spanish, French, Italian, German, Dutch.
_PERFECT = frozenset(
    ("have", "ter", "haver", "haber", "avoir", "être", "avere", "essere", "haben", "sein", "hebben", "zijn")
)
_PASTS = frozenset(("Past", "Imp", "Pqp"))


def finite_verbs(pair: ReadPair, aligned: Iterable[AlignedSpan]) -> list[AlignedSpan]:
    """For each finite verb, in order, the shortest span with the verb, its auxiliaries and its negation.

    An infinitive, a participle or an imperative without a finite form has no span.
    """
    tokens = pair.source.tokens
    by_head: dict[int, AlignedSpan] = {}
    for span in aligned:
        head = head_token(pair, span)
        if head is None or span.label not in ("VERB", "AUX", "VP") or not is_verb(head):
            continue
        group = [span.head, *helpers_of(tokens, span.head)]
        inside = tokens_at(pair.source, (span.start, span.end))
        if not set(group) <= set(inside) or not any(_is_finite(tokens[i]) for i in group):
            continue
        shortest = by_head.get(span.head)
        if shortest is None or span.end - span.start < shortest.end - shortest.start:
            by_head[span.head] = span
    return sorted(by_head.values())


def helpers_of(tokens: Sequence[Token], verb: int) -> list[int]:
    """The token numbers of a verb's auxiliaries and negation."""
    return [i for i, token in enumerate(tokens) if token.head == verb and _helps(token)]


def is_past_perfect(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a verb is in the past perfect: `had gone`, `tinha ido`, `fora`, `war gegangen`."""
    if tokens[verb].features.get("Tense") == "Pqp":
        return True
    helpers = [tokens[i] for i in helpers_of(tokens, verb)]
    perfect = any(
        _PERFECT & set(token.lemma.split())
        and token.features.get("Tense") in _PASTS
        and token.features.get("VerbForm") != "Part"
        for token in helpers
    )
    return perfect and tokens[verb].features.get("VerbForm") == "Part"


def _helps(token: Token) -> bool:
    return is_auxiliary(token) or relation_of(token) == "neg" or token.features.get("Polarity") == "Neg"


def _is_finite(token: Token) -> bool:
    return token.features.get("VerbForm") == "Fin"


class Tense(Capability):
    """Finite verbs that are not in the past perfect, with their auxiliaries."""

    name = "tense"
    about = "a verb is put into the past perfect"
    is_of_the_paper = True
    changes_form = True
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The finite verbs in another tense, each in the shortest span that has all its auxiliaries."""
        return [s for s in finite_verbs(pair, aligned) if not is_past_perfect(pair.source.tokens, s.head)]

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Ask for a verb in the past perfect."""
        return f'a verb or verb phrase in the past perfect tense, instead of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must have a verb in the past perfect."""
        tokens = edited.tokens
        past = [i for i in range(len(tokens)) if is_past_perfect(tokens, i)]
        groups = [{i, *helpers_of(tokens, i)} for i in past]
        for change, place in zip(changes, edited_places(changes), strict=True):
            # The change may be only in the auxiliaries.
            if not any(group & set(tokens_at(edited, place)) for group in groups):
                return f'"{change.after}" is not in the past perfect tense'
        return None
