"""The output as characters or words: how many of them differ (He, Meister, Su 2020, section 3.4.1).

A discount leaves the place of the edit out: its words, at most three on each side, with the blank before
them. A word elsewhere that differs from its counterpart in gender or number alone has agreed with the new
word, and stands in both as the original has it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

from mtassay.detectors.answers import ComparedPair
from mtassay.languages import Pair
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.place import SideBySide, agree, compare_words
from mtassay.methods.invariance.structures.words import align, changed_wording
from mtassay.texts.distance import edit_distance
from mtassay.tools.annotate.words import Words, words_of_both

__all__ = ["Raw", "Remainder", "Tokens", "changed_words", "remainders"]


class Remainder(NamedTuple):
    """What is left of one output: its words as they are compared, and its text with these words."""

    words: Sequence[str]
    text: str


def remainders(compared: ComparedPair) -> tuple[Remainder, Remainder]:
    """What is left of the original's output and of the variant's."""
    both = compare_words(compared)
    place = both.place
    forms = {number: token.text for number, token in enumerate(both.original)}
    others = {number: token.text for number, token in enumerate(both.variant)} | _agreed(both)
    return (
        _remainder(compared.original.output.text, both.original, place.original, forms),
        _remainder(compared.variant.output.text, both.variant, place.variant, others),
    )


def _agreed(both: SideBySide) -> dict[int, str]:
    return {
        other: both.original[one].text
        for one, other in both.pairs
        if agree(both.original[one], both.variant[other])
    }


def _remainder(text: str, words: Words, place: range, forms: dict[int, str]) -> Remainder:
    pieces, kept, end = [], [], 0
    for number, token in enumerate(words):
        if number not in place:
            kept.append(forms[number])
            pieces.append(text[end : token.start] + forms[number])
        end = token.end
    return Remainder(kept, "".join((*pieces, text[end:])).strip())


@dataclass(frozen=True)
class _Sequence(Structure):
    """Edit distance of two sequences; `discount` leaves the place of the edit out."""

    discount: bool = False

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> Self:
        return cls(discount=discount)

    @property
    def signature(self) -> str:
        """The name, and whether the edit is discounted."""
        return f"{self.name}|discount" if self.discount else self.name

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """How much must be added, dropped or replaced, for each pair, in order."""
        return [self._distance(pair) for pair in compared]

    def differences(self, compared: ComparedPair) -> list[str]:
        """The stretches of words that differ, longest first."""
        return changed_words(compared, discount=self.discount)

    @abstractmethod
    def _distance(self, compared: ComparedPair) -> float: ...


@dataclass(frozen=True)
class Tokens(_Sequence):
    """Levenshtein distance in words, which are compared as written; `discount` leaves out the edit's place.

    The words are the tokens of the annotations, else plain words; in unspaced scripts, characters.
    """

    name: ClassVar[str] = "tokens"
    about: ClassVar[str] = "words that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 3, "sure": 7}

    def _distance(self, compared: ComparedPair) -> float:
        if self.discount:
            original, variant = remainders(compared)
            return edit_distance(original.words, variant.words)
        words, others = words_of_both(compared.original.output, compared.variant.output)
        return edit_distance([token.text for token in words], [token.text for token in others])


def changed_words(compared: ComparedPair, *, discount: bool) -> list[str]:
    """The stretches of words that differ, longest first; with `discount` without the place of the edit."""
    text, other_text = compared.original.output.text, compared.variant.output.text
    if discount:
        both = compare_words(compared)
        return changed_wording(text, both.original, other_text, both.variant, both.elsewhere)
    words, others = words_of_both(compared.original.output, compared.variant.output)
    _, changed = align([token.text for token in words], [token.text for token in others])
    return changed_wording(text, words, other_text, others, changed)


@dataclass(frozen=True)
class Raw(_Sequence):
    """Levenshtein distance in characters; `discount` leaves the place of the edit out."""

    name: ClassVar[str] = "raw"
    about: ClassVar[str] = "characters that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 14, "sure": 29}

    def _distance(self, compared: ComparedPair) -> float:
        if self.discount:
            original, variant = remainders(compared)
            return edit_distance(original.text, variant.text)
        return edit_distance(compared.original.output.text, compared.variant.output.text)
