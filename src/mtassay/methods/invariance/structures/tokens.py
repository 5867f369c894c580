"""The output as a sequence of words: how many of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.languages import Pair
from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.discount import remainders
from mtassay.methods.invariance.structures.levenshtein import edit_distance
from mtassay.methods.invariance.structures.place import compare_words
from mtassay.methods.invariance.structures.stretches import align
from mtassay.methods.invariance.structures.wording import changed_wording
from mtassay.methods.invariance.structures.words import words_of_both

__all__ = ["Tokens", "changed_words"]


@dataclass(frozen=True)
class Tokens(Structure):
    """Levenshtein distance in words, which are compared as written; `discount` leaves out the edit's place.

    The words are the tokens of the annotations, else plain words; in unspaced scripts, characters.
    """

    name: ClassVar[str] = "tokens"
    about: ClassVar[str] = "words that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 3, "sure": 7}
    discount: bool = False

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> Tokens:
        return cls(discount=discount)

    @property
    def signature(self) -> str:
        """The name, and whether the edit is discounted."""
        return "tokens|discount" if self.discount else "tokens"

    def distances(self, compared: Sequence[Compared]) -> list[float]:
        """How many words must be added, dropped or replaced, for each pair, in order."""
        return [self._distance(one) for one in compared]

    def differences(self, compared: Compared) -> list[str]:
        """The stretches of words that differ, longest first."""
        return changed_words(compared, discount=self.discount)

    def _distance(self, compared: Compared) -> float:
        if self.discount:
            original, variant = remainders(compared)
            return edit_distance(original.words, variant.words)
        words, others = words_of_both(compared.original.output, compared.variant.output)
        return edit_distance([token.text for token in words], [token.text for token in others])


def changed_words(compared: Compared, *, discount: bool) -> list[str]:
    """The stretches of words that differ, longest first; with `discount` without the place of the edit."""
    text, other_text = compared.original.output.text, compared.variant.output.text
    if discount:
        both = compare_words(compared)
        return changed_wording(text, both.original, other_text, both.variant, both.elsewhere)
    words, others = words_of_both(compared.original.output, compared.variant.output)
    _, changed = align([token.text for token in words], [token.text for token in others])
    return changed_wording(text, words, other_text, others, changed)
