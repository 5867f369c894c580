"""What a word aligner is, and what it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

__all__ = ["Links", "WordAligner", "Words"]

Words = Sequence[str]
Links = frozenset[tuple[int, int]]
"""Pairs of a source word's and a target word's number, from 0."""


class WordAligner(ABC):
    """Says which words of two sentences belong together."""

    name: str

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures mean equal links."""

    @abstractmethod
    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each (source, target) pair, in order; an empty side has none."""
