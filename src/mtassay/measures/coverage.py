"""Which content words of a source and its output have nothing on the other side that could translate them.

A word has a counterpart where a translation table links it to a word of the other side, where both are
written alike, or where the sentence encoder puts them near. Free translation leaves words over on both sides;
only what is left over on one side more than on the other speaks for something lost or added.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, log
from statistics import median
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import Pair
from mtassay.measures.detector import (
    AnnotatedAnswer,
    ComparedPair,
    PairDetector,
    RelationDetector,
    Shared,
    Suspicion,
)
from mtassay.nlp.aligners import lower_words
from mtassay.nlp.annotation import Annotation, Layer, Token, words_of, words_of_both
from mtassay.nlp.encoder import Encoder
from mtassay.nlp.encoder_aligner import WordVectors, open_vectors
from mtassay.nlp.normalisation import plain_marks
from mtassay.nlp.table_aligner import AlignmentLexicon, lexicon_pairs, likeness, read_lexicon

__all__ = [
    "Counterparts",
    "Growth",
    "LeftOver",
    "OverTranslation",
    "Repetition",
    "UnderTranslation",
    "content_words",
    "is_content",
    "lexicon_of",
    "relative_lengths",
    "repeated_phrase",
]

_PARTS = frozenset(("NOUN", "VERB", "ADJ", "ADV"))
# Verbs and adverbs that many languages leave unsaid, or say with a particle.
_LIGHT = frozenset(
    (
        "be", "have", "do", "get", "make", "take", "go", "come", "let", "keep", "become", "say", "there",
        "here", "then", "now", "also", "just", "even", "still", "so", "very", "too", "well", "only", "more",
        "most", "much", "many", "such", "all", "not", "as", "when", "where", "how", "why", "while", "again",
        "ever", "really", "quite",
    )
)  # fmt: skip


def is_content(token: Token) -> bool:
    """Whether a word carries meaning of its own; names and numbers have detectors of their own.

    >>> is_content(Token("house", 0, 5, "house", "NOUN")), is_content(Token("Rio", 0, 3, "Rio", "PROPN"))
    (True, False)
    """
    return (
        token.pos in _PARTS
        and token.text[0].isalpha()
        and token.text.lower() not in _LIGHT
        and token.lemma.lower() not in _LIGHT
    )


def content_words(annotation: Annotation) -> list[Token]:
    """The content words of a text, in order; none where nobody tagged parts of speech."""
    return [token for token in annotation.tokens if is_content(token)]


_LINKED = 0.02  # a probability from which the table's word counts
_ALIKE = 0.7
_ASKED = frozenset(("NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM"))

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LeftOver:
    """Content words without a counterpart, in order, and how many words, names and numbers each side has."""

    source: tuple[Token, ...]
    output: tuple[Token, ...]
    source_size: int
    output_size: int

    @property
    def lost(self) -> float:
        """By how much more the source has left over, as a share of its words; at most 1."""
        return (len(self.source) - len(self.output)) / max(self.source_size, _FEW)

    @property
    def added(self) -> float:
        """By how much more the output has left over, as a share of its words; at most 1."""
        return (len(self.output) - len(self.source)) / max(self.output_size, _FEW)


_FEW = 4  # of fewer words, one is no large share


class Counterparts:
    """Looks for counterparts in one pair of languages; `least` is the cosine from which words are near."""

    def __init__(self, pair: Pair, *, least: float = 0.6, encoder: Encoder | None = None) -> None:
        self._least = least
        self._lexicon, self._reverse = lexicon_of(pair)
        self._encoder = encoder

    @cached_property
    def _vectors(self) -> WordVectors:
        """Opened when first used: a detector that finds nothing to compare needs no encoder."""
        return WordVectors(self._encoder) if self._encoder else open_vectors()

    def require(self) -> None:
        """An error where the encoder is not installed."""
        _ = self._vectors

    def left_over(self, answers: Sequence[AnnotatedAnswer]) -> list[LeftOver]:
        """One for each answer, in order. The words of all are encoded in one go."""
        sides = [(_words(answer.source.tokens), _words(answer.output.tokens)) for answer in answers]
        self._vectors.learn([word for both in sides for side in both for word in _texts(side)])
        return [self._compare(source, output) for source, output in sides]

    def strengths(self, source: Sequence[Token], output: Sequence[Token]) -> Floats:
        """How well each source word goes with each output word, one row per source word; 1 is for sure."""
        left, right = _texts(source), _texts(output)
        self._vectors.learn([*left, *right])
        matrix = self._vectors.similarity(left, right)
        matrix[self._linked(source, output)] = 1
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                if likeness(one, other) >= _ALIKE:
                    matrix[i, j] = 1
        return matrix

    def _compare(self, source: Sequence[Token], output: Sequence[Token]) -> LeftOver:
        if not source or not output:
            return LeftOver((), (), len(source), len(output))
        matrix = self.strengths(source, output)
        left = zip(source, matrix.max(axis=1), strict=True)
        right = zip(output, matrix.max(axis=0), strict=True)
        return LeftOver(
            tuple(token for token, best in left if best < self._least and is_content(token)),
            tuple(token for token, best in right if best < self._least and is_content(token)),
            len(source),
            len(output),
        )

    def _linked(self, source: Sequence[Token], output: Sequence[Token]) -> NDArray[np.bool_]:
        linked = np.zeros((len(source), len(output)), np.bool_)
        if self._lexicon is None:
            return linked
        for forms in (_texts, _lemmas):
            for other_forms in (_texts, _lemmas):
                if self._reverse:
                    linked |= (
                        self._lexicon.look_up(other_forms(output), forms(source)).max(axis=0).T >= _LINKED
                    )
                else:
                    linked |= self._lexicon.look_up(forms(source), other_forms(output)).max(axis=0) >= _LINKED
        return linked


def lexicon_of(pair: Pair) -> tuple[AlignmentLexicon | None, bool]:
    """The table for a pair, if there is one, and whether it is written the other way round."""
    forward, backward = str(pair), f"{pair.target}-{pair.source}"
    pairs = lexicon_pairs()
    if forward in pairs:
        return read_lexicon(forward), False
    return (read_lexicon(backward), True) if backward in pairs else (None, False)


def _words(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.pos in _ASKED]


def _texts(tokens: Sequence[Token]) -> list[str]:
    return lower_words([token.text for token in tokens])


def _lemmas(tokens: Sequence[Token]) -> list[str]:
    return lower_words([token.lemma or token.text for token in tokens])


# Fewer outputs do not show what is usual.
_FEWEST = 20
_SHORT = 25


def relative_lengths(answers: Sequence[AnnotatedAnswer]) -> list[float | None]:
    """Characters of the output per character of the source, with the median of all answers as 1.

    `None` for a source of fewer than 25 characters, whose length says little, and for all answers where
    there are fewer than 20 to compare with.
    """
    ratios = {
        number: log(max(len(answer.output.text), 1) / len(answer.source.text))
        for number, answer in enumerate(answers)
        if len(answer.source.text) >= _SHORT
    }
    if len(ratios) < _FEWEST:
        return [None] * len(answers)
    usual = median(ratios.values())
    return [exp(ratios[n] - usual) if n in ratios else None for n in range(len(answers))]


# So many words in a row are no accident wherever they come again.
_LONG = 5
_MOST_WORDS = 400


def repeated_phrase(source: Annotation, output: Annotation) -> str | None:
    """The longest phrase that the output repeats; `None` if there is none, or if the source repeats, too.

    A phrase is repeated if it comes twice in a row, where a single word needs two letters, or if it has five
    words or more and comes again anywhere.

    >>> once, twice = Annotation("a very big old house"), Annotation("uma casa muito velha muito velha")
    >>> repeated_phrase(once, twice), repeated_phrase(Annotation("an old old house"), twice)
    ('muito velha', None)
    """
    span = _repeated(output)
    if span is None or _repeated(source) is not None or _says_twice(source):
        return None
    start, end = span
    return output.text[start:end]


def _repeated(text: Annotation) -> tuple[int, int] | None:
    """Where, in characters, the longest repeated phrase stands first."""
    words = words_of(text)[:_MOST_WORDS]
    keys = [plain_marks(word.text).casefold() for word in words]
    for size in range(len(keys) // 2, 0, -1):
        first: dict[tuple[str, ...], int] = {}
        for start in range(len(keys) - size + 1):
            phrase = tuple(keys[start : start + size])
            before = first.setdefault(phrase, start)
            gap = start - before - size
            if gap < 0 or not _speaks(phrase):
                continue
            if gap == 0 or size >= _LONG:
                return words[before].start, words[before + size - 1].end
    return None


def _speaks(phrase: Sequence[str]) -> bool:
    """Numbers and marks come twice for many reasons, and a single character is doubled for emphasis."""
    letters = [word for word in phrase if word[0].isalpha()]
    return len("".join(letters)) > 1 and len(set(phrase)) * 2 >= len(phrase)


def _says_twice(source: Annotation) -> bool:
    """Whether two words in a row come again: then the translation may repeat itself."""
    keys = [plain_marks(word.text).casefold() for word in words_of(source)]
    pairs = [pair for pair in pairwise(keys) if len("".join(pair)) > 5]
    return len(set(pairs)) < len(pairs)


@dataclass(frozen=True)
class _Coverage(PairDetector):
    """Looks at what is left over on either side, and at how long an output is beside others."""

    counterparts: Counterparts
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))

    @classmethod
    def open(cls, shared: Shared) -> Self:
        return cls(shared.part(Counterparts))

    def require(self) -> None:
        self.counterparts.require()

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        lengths = relative_lengths(answers)
        left_over = self.counterparts.left_over(answers)
        judged = map(self._suspicion, answers, lengths, left_over)
        return [suspicion for suspicion in judged if suspicion]

    @abstractmethod
    def _suspicion(self, answer: AnnotatedAnswer, length: float | None, left: LeftOver) -> Suspicion | None:
        """What is suspected of one answer, given its relative length and the words without a counterpart."""


@dataclass(frozen=True)
class UnderTranslation(_Coverage):
    """Content words without a counterpart, or an output far shorter than is usual.

    `lost` is the share of the source's words that must be left over, beyond those that the output has left
    over, in an output that is at most `shorter` long, with the usual length as 1; `lost_alone` is the same
    for any length. An output of less than `short` is suspected for that alone. The value is the share, or 1
    minus the length.
    """

    lost: float = 0.1
    shorter: float = 0.85
    lost_alone: float = 0.3
    short: float = 0.5
    name: ClassVar[str] = "under-translation"
    about: ClassVar[str] = "a part of the source is missing in the output"

    def _suspicion(self, answer: AnnotatedAnswer, length: float | None, left: LeftOver) -> Suspicion | None:
        if answer.source.text.strip() and not answer.output.text.strip():
            return Suspicion(answer.id, "the output is empty", 1.0)
        if left.lost >= (self.lost if _at_most(length, self.shorter) else self.lost_alone):
            words = [token.text for token in left.source]
            why = f"look for what translates: {', '.join(words)}"
            return Suspicion(answer.id, why, left.lost, {"missing": words})
        if length is not None and length < self.short:
            why = f"the output has {length:.0%} of the usual length: look for what was left out"
            return Suspicion(answer.id, why, 1 - length, {"length": round(length, 2)})
        return None


def _at_most(length: float | None, limit: float) -> bool:
    return length is not None and length <= limit


@dataclass(frozen=True)
class OverTranslation(_Coverage):
    """A repeated phrase, content words without a counterpart, or an output far longer than is usual.

    `added` is the share of the output's words that must be left over, beyond those that the source has left
    over, in an output that is at least `longer`, with the usual length as 1. An output of more than `long` is
    suspected for that alone. The value is 1 for a repetition, else the share, or the length minus 1.
    """

    added: float = 0.3
    longer: float = 1.2
    long: float = 2.0
    name: ClassVar[str] = "over-translation"
    about: ClassVar[str] = "the output says something twice, or something that the source does not say"

    def _suspicion(self, answer: AnnotatedAnswer, length: float | None, left: LeftOver) -> Suspicion | None:
        if suspicion := _says_again(answer):
            return suspicion
        if left.added >= self.added and length is not None and length >= self.longer:
            words = [token.text for token in left.output]
            why = f"look for what in the source says: {', '.join(words)}"
            return Suspicion(answer.id, why, left.added, {"added": words})
        if length is not None and length > self.long:
            why = f"the output has {length:.1f} times the usual length: look for what was added"
            return Suspicion(answer.id, why, length - 1, {"length": round(length, 2)})
        return None


class Repetition(PairDetector):
    """A word or phrase said twice that the source says once: what `repeated_phrase` finds. The value is 1."""

    name: ClassVar[str] = "repetition"
    about: ClassVar[str] = "the output says something twice"

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        return [suspicion for answer in answers if (suspicion := _says_again(answer))]


def _says_again(answer: AnnotatedAnswer) -> Suspicion | None:
    if phrase := repeated_phrase(answer.source, answer.output):
        return Suspicion(answer.id, f"the output says twice: {phrase}", 1.0, {"repeated": phrase})
    return None


@dataclass(frozen=True)
class Growth(RelationDetector):
    """Over-translation seen by comparison.

    `words` is by how many words, and `share` by what share of the original's output, the variant's must be
    longer, both. The value is how many words longer it is.
    """

    words: int = 4
    share: float = 0.3
    name: ClassVar[str] = "growth"
    about: ClassVar[str] = "one word changed and the output grew, or began to repeat itself"

    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """In the order given."""
        suspicions = []
        for pair in compared:
            original, variant = pair.original, pair.variant
            before, after = words_of_both(original.output, variant.output)
            grown = len(after) - len(before)
            phrase = repeated_phrase(variant.source, variant.output)
            if phrase and not repeated_phrase(original.source, original.output):
                why = f"only with {pair.edit.after!r} the output says twice: {phrase}"
                suspicions.append(Suspicion(variant.id, why, float(grown), {"repeated": phrase}))
            elif before and grown >= max(self.words, self.share * len(before)):
                why = f"one word changed and the output grew from {len(before)} to {len(after)} words"
                suspicions.append(
                    Suspicion(variant.id, why, float(grown), {"original": original.output.text})
                )
        return suspicions
