"""Relations between the translations of an original and a variant, or of a sentence and its phrase.

`same-output` comes from Gupta et al. 2020, "Machine Translation Testing via Pathological Invariance": a word
with another meaning must change the translation. `referential` comes from He, Meister, Su 2021, "Testing
Machine Translation via Referential Transparency": the translation of a sentence should contain the words of
the translation of a phrase in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import ClassVar, cast

import numpy as np

from mtassay.data.nouns import Case, Edit, Output, Segment
from mtassay.data.registry import each_named, find
from mtassay.measures.output_language import fold
from mtassay.measures.polarity import AnnotatedAnswer, Suspicion
from mtassay.nlp.annotation import Annotation, Layer, Token, TokenSpan, phrase_spans
from mtassay.nlp.encoder import Encoder, is_installed
from mtassay.nlp.encoder_aligner import WordVectors, open_vectors


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """An original and one of its variants, with their translations."""

    original: AnnotatedAnswer
    variant: AnnotatedAnswer
    edit: Edit

    @property
    def repeats(self) -> int:
        """The number of answers to each, if the system was asked several times; else 0."""
        fewest = min(len(self.original.again), len(self.variant.again))
        return fewest + 1 if fewest else 0

    def repeated(self) -> list[ComparedPair]:
        """Every pair of answers to both, with answers to the original first."""
        k = self.repeats
        answers = [
            replace(side, output=output)
            for side in (self.original, self.variant)
            for output in (side.output, *side.again)[:k]
        ]
        nothing = Edit(0, 0, "", "")
        return [
            replace(self, original=a, variant=b, edit=self.edit if i < k <= j else nothing)
            for (i, a), (j, b) in combinations(enumerate(answers), 2)
        ]


@dataclass(frozen=True, slots=True)
class Unread:
    """A variant that cannot be compared, and the reason."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """One system's outputs for one case.

    `original` is `None` if nothing can be compared. `problem` then says why, and `absent` is the missing
    output if that is the reason. `phrases` are parts of the original that were translated separately.
    """

    case: Case
    original: AnnotatedAnswer | None
    compared: list[ComparedPair] = field(default_factory=list)
    phrases: list[AnnotatedAnswer] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    problem: str = ""
    absent: Output | None = None

    @property
    def answers(self) -> list[AnnotatedAnswer]:
        """The original and all variants that can be compared with it."""
        return [] if self.original is None else [self.original, *(pair.variant for pair in self.compared)]


class Relation(ABC):
    """The base class of both kinds of relations.

    `about` describes its suspicion. `pairs` are the language pairs on which it was measured; it is on by
    default only for these. `needs` and `needs_source` are the annotation layers that it reads.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    pairs: ClassVar[frozenset[str]] = frozenset()
    needs: ClassVar[frozenset[Layer]] = frozenset()
    needs_source: ClassVar[frozenset[Layer]] = frozenset()

    @classmethod
    def is_ready(cls) -> bool:
        """Whether everything that the relation needs besides language tools is installed."""
        return True

    def require(self) -> None:
        """Raise an error that says what to install, if the relation is not ready."""
        return None


class VariantRelation(Relation):
    """A relation between an original and a variant."""

    @abstractmethod
    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """Return suspicions in the given order, at most one for each variant."""


class PhraseRelation(Relation):
    """A relation between a sentence and a phrase of it that was translated separately."""

    @abstractmethod
    def suspects(self, pairs: Sequence[tuple[AnnotatedAnswer, AnnotatedAnswer]]) -> list[Suspicion]:
        """Return the suspicions about each (sentence, phrase), in order, each with the sentence's id."""


def default_relations(pair: str) -> tuple[str, ...]:
    """The default relations whose requirements are installed.

    >>> default_relations("en-pt")
    ()
    """
    return tuple(name for name, kind in each_named("relation") if pair in kind.pairs and kind.is_ready())


def open_relations(names: Sequence[str]) -> list[Relation]:
    """Open the relations with these names, in the given order; `UsageError` for an unknown name."""
    return [cast("Relation", find("relation", name)()) for name in names]


def find_suspicions(relation: Relation, material: Sequence[AnsweredCase]) -> list[Suspicion]:
    """Return the suspicions of the relation, at most one for each answer."""
    suspicions: list[Suspicion] = []
    if isinstance(relation, VariantRelation):
        suspicions = relation.suspects([pair for case in material for pair in case.compared])
    elif isinstance(relation, PhraseRelation):
        suspicions = relation.suspects(
            [(case.original, phrase) for case in material if case.original for phrase in case.phrases]
        )
    return list({suspicion.id: suspicion for suspicion in reversed(suspicions)}.values())[::-1]


_FEWEST_WORDS, _MOST_WORDS = 2, 10


def phrase_segments(originals: Sequence[Segment], annotations: Sequence[Annotation]) -> list[Segment]:
    """Return the originals' noun phrases as segments, in order; `annotations` are parsed sources.

    A phrase has two to ten words, at least two of them content words, names or numbers, and is not the whole
    sentence. The tag `original` has the sentence's id, and `phrase` its character offsets.
    """
    phrases = []
    for original, annotation in zip(originals, annotations, strict=True):
        for span in _noun_phrases(annotation):
            start, end = annotation.characters(span)
            phrases.append(
                Segment(
                    f"{original.id}/np{start}-{end}",
                    annotation.text[start:end],
                    document=original.document,
                    tags={"original": original.id, "phrase": {"start": start, "end": end}},
                )
            )
    return phrases


def _noun_phrases(annotation: Annotation) -> Iterator[TokenSpan]:
    whole = sum(token.pos != "PUNCT" for token in annotation.tokens)
    spans = annotation.constituents
    if spans is None:
        spans = phrase_spans(annotation.tokens)
    seen = set()
    for span in spans:
        tokens = annotation.tokens[span.start : span.end]
        words = [token for token in tokens if token.pos != "PUNCT"]
        place = (span.start, span.end)
        is_fit = _FEWEST_WORDS <= len(words) <= _MOST_WORDS and len(words) < whole and _says_enough(words)
        if span.label == "NP" and is_fit and place not in seen:
            seen.add(place)
            yield span


def _says_enough(words: Sequence[Token]) -> bool:
    return sum(token.pos in ("NOUN", "PROPN", "ADJ", "NUM", "VERB") for token in words) >= 2


@dataclass(frozen=True)
class Referential(PhraseRelation):
    """Finds content words in a phrase's translation that are missing in the sentence's translation.

    More than `threshold` missing words cause a suspicion. Another inflection of a word, or a longer word that
    contains it, counts as present. The value is the number of missing words.
    """

    threshold: int = 1
    name: ClassVar[str] = "referential"
    about: ClassVar[str] = (
        "a noun phrase is translated otherwise alone; asks the engine for these phrases, too"
    )
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma", "dependencies"))

    def suspects(self, pairs: Sequence[tuple[AnnotatedAnswer, AnnotatedAnswer]]) -> list[Suspicion]:
        """Return suspicions in the order of the pairs, one per pair; a sentence may have several."""
        suspicions = []
        for sentence, phrase in pairs:
            missing = _missing(phrase.output, sentence.output)
            if len(missing) > self.threshold:
                why = (
                    f"alone, {phrase.source.text!r} is {phrase.output.text!r};"
                    f" not so in the sentence: {', '.join(missing)}"
                )
                evidence = {"phrase": phrase.source.text, "alone": phrase.output.text, "missing": missing}
                suspicions.append(Suspicion(sentence.id, why, float(len(missing)), evidence))
        return suspicions


_PARTS = frozenset(("NOUN", "VERB", "ADJ", "ADV"))
# Verbs and adverbs that many languages omit or express with a particle.
_LIGHT = frozenset(
    (
        "be", "have", "do", "get", "make", "take", "go", "come", "let", "keep", "become", "say", "there",
        "here", "then", "now", "also", "just", "even", "still", "so", "very", "too", "well", "only", "more",
        "most", "much", "many", "such", "all", "not", "as", "when", "where", "how", "why", "while", "again",
        "ever", "really", "quite",
    )
)  # fmt: skip


def is_content(token: Token) -> bool:
    """Whether a word is a content word, without names and numbers, which have checks of their own.

    >>> is_content(Token("house", 0, 5, "house", "NOUN")), is_content(Token("Rio", 0, 3, "Rio", "PROPN"))
    (True, False)
    """
    return (
        token.pos in _PARTS
        and token.text[0].isalpha()
        and token.text.lower() not in _LIGHT
        and token.lemma.lower() not in _LIGHT
    )


def _missing(phrase: Annotation, sentence: Annotation) -> list[str]:
    left = Counter(_key(token) for token in sentence.tokens)
    text = sentence.text.casefold()
    missing = []
    for token in filter(is_content, phrase.tokens):
        if left[_key(token)] > 0:
            left[_key(token)] -= 1
        elif token.text.casefold() not in text:
            missing.append(token.text)
    return missing


def _key(token: Token) -> str:
    return (token.lemma or token.text).casefold()


# prefixes in English, and in Romance and Germanic languages
_NOT = ("un", "in", "im", "il", "ir", "dis", "non", "des", "a", "mis")


class WordMeanings:
    """Compares single words by the sentence encoder, which also puts opposites near each other."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder

    @cached_property
    def _vectors(self) -> WordVectors:
        """Opened when first used, since without equal outputs no encoder is needed."""
        return WordVectors(self._encoder) if self._encoder else open_vectors()

    def require(self) -> None:
        """Raise an error if the encoder is not installed."""
        _ = self._vectors

    def similarities(self, edits: Sequence[Edit]) -> list[float]:
        """The cosine of the old and new word of each edit, in order; 0 for opposites made by a prefix."""
        if not edits:
            return []
        self._vectors.learn([word for edit in edits for word in _words(edit)])
        return [self._similarity(*_words(edit)) for edit in edits]

    def _similarity(self, before: str, after: str) -> float:
        if is_opposite(before, after):
            return 0.0
        return float(np.clip(self._vectors.similarity([before], [after])[0, 0], -1, 1))


def is_opposite(one: str, other: str) -> bool:
    """Whether one word is the other with a negative prefix.

    >>> is_opposite("legal", "illegal"), is_opposite("likely", "unlikely"), is_opposite("able", "table")
    (True, True, False)
    """
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in _NOT)


def _words(edit: Edit) -> tuple[str, str]:
    return edit.before.lower(), edit.after.lower()


@dataclass(frozen=True)
class SameOutput(VariantRelation):
    """Finds equal outputs (except for case and punctuation) although the new word has another meaning.

    Words with a cosine of at least `synonyms` count as synonyms. The value is 1 minus the cosine.
    """

    meanings: WordMeanings = field(default_factory=WordMeanings)
    synonyms: float = 0.75
    name: ClassVar[str] = "same-output"
    about: ClassVar[str] = "the same output for a word of another meaning"
    # It flags 153 of 159 pairs of the PatInv list, and 6 of 300 ordinary pairs.
    pairs: ClassVar[frozenset[str]] = frozenset(("en-zh",))

    @classmethod
    def is_ready(cls) -> bool:
        return is_installed()

    def require(self) -> None:
        self.meanings.require()

    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """In the order given."""
        same = [
            pair
            for pair in compared
            if fold(pair.original.output.text)
            and fold(pair.original.output.text) == fold(pair.variant.output.text)
            and fold(pair.edit.before) != fold(pair.edit.after)
        ]
        similarities = self.meanings.similarities([pair.edit for pair in same])
        return [
            _suspicion(pair, similarity)
            for pair, similarity in zip(same, similarities, strict=True)
            if similarity < self.synonyms
        ]


def _suspicion(pair: ComparedPair, similarity: float) -> Suspicion:
    before, after = pair.edit.before, pair.edit.after
    return Suspicion(
        pair.variant.id,
        f"the output is the same for {before!r} and {after!r}: look for the word in it",
        1 - similarity,
        {"before": before, "after": after, "original": pair.original.source.text},
    )
