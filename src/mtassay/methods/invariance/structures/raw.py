"""The output as it stands: how many characters differ (He, Meister, Su 2020, section 3.4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.languages import Pair
from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.discount import remainders
from mtassay.methods.invariance.structures.levenshtein import edit_distance
from mtassay.methods.invariance.structures.tokens import changed_words

__all__ = ["Raw"]


@dataclass(frozen=True)
class Raw(Structure):
    """Levenshtein distance in characters; `discount` leaves the place of the edit out."""

    name: ClassVar[str] = "raw"
    about: ClassVar[str] = "characters that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 14, "sure": 29}
    discount: bool = False

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> Raw:
        return cls(discount=discount)

    @property
    def signature(self) -> str:
        """The name, and whether the edit is discounted."""
        return "raw|discount" if self.discount else "raw"

    def distances(self, compared: Sequence[Compared]) -> list[float]:
        """How many characters must be added, dropped or replaced, for each pair, in order."""
        return [self._distance(one) for one in compared]

    def differences(self, compared: Compared) -> list[str]:
        """The stretches of words that differ, longest first."""
        return changed_words(compared, discount=self.discount)

    def _distance(self, compared: Compared) -> float:
        if self.discount:
            original, variant = remainders(compared)
            return edit_distance(original.text, variant.text)
        return edit_distance(compared.original.output.text, compared.variant.output.text)
