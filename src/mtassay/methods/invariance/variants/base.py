"""What proposes words for a place in a sentence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Candidate", "Place", "Substituter"]


class Place(NamedTuple):
    """One word of a source that may be replaced: the token of this number."""

    sentence: Annotation
    token: int


class Candidate(NamedTuple):
    """A word to put there, written as it should stand; a higher score is better, on the proposer's scale."""

    word: str
    score: float


class Substituter(ABC):
    """Proposes words. What they must agree with is checked afterwards, for all proposers alike."""

    name: str

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures mean equal proposals."""

    @abstractmethod
    def substitutes(self, places: Sequence[Place], *, count: int) -> list[list[Candidate]]:
        """For each place, in order, at most `count` words, best first; `[]` where nothing is known."""
