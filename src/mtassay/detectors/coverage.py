"""Suspects outputs that say less or more than the source, or the same twice.

He, Meister, Su 2020, sections 4.4.1 and 4.4.2.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from statistics import median
from typing import ClassVar, Self

from mtassay.detectors.answers import AnnotatedAnswer, ComparedPair
from mtassay.detectors.base import PairDetector, RelationDetector, Shared, Suspicion
from mtassay.detectors.counterparts import Counterparts, LeftOver
from mtassay.tools.annotate.annotation import Annotation, Layer
from mtassay.tools.annotate.words import words_of, words_of_both

__all__ = [
    "Growth",
    "OverTranslation",
    "Repetition",
    "UnderTranslation",
    "relative_lengths",
    "repeated_phrase",
]


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
    keys = [word.text.casefold() for word in words]
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
    keys = [word.text.casefold() for word in words_of(source)]
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
    defaults: ClassVar[frozenset[str]] = frozenset({"en-zh"})

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
