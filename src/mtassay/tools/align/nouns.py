"""What a word aligner is, and what it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from mtassay.errors import UsageError

__all__ = ["Links", "WordAligner", "Words"]

Words = Sequence[str]
Links = frozenset[tuple[int, int]]
"""Pairs of a source word's and a target word's number, from 0."""


class WordAligner(ABC):
    """Says which words of two sentences belong together.

    `argument` says what is written after the name and a colon: `FILE` where it must be there, `[FILE]` where
    it may, nothing where it must not.
    """

    name: str
    argument: ClassVar[str] = ""

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        """The one for a pair in its normal form, as `en-pt`; `rest` is what is written after the colon.

        `symmetrize` names one of `SYMMETRIZATIONS`; `None` leaves it to the aligner.
        """
        if symmetrize is not None:
            raise UsageError(f"Word aligner '{cls.name}' has no symmetrization; leave '{symmetrize}' out.")
        return cls()

    @classmethod
    def preference(cls, pair: str) -> float:
        """How good it is for a pair on this machine: the highest is taken, 0 only where it is asked for.

        Ours say 5 for a table that was measured to be better than the encoder, 4 for the encoder, 3 for other
        tables, 2 and 1 for what learns from the pairs themselves.
        """
        return 0

    @classmethod
    def advice(cls, pair: str) -> str:
        """What a person types to get it, where no aligner is installed for a pair; empty to say nothing."""
        return ""

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures mean equal links."""

    @abstractmethod
    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each (source, target) pair, in order; an empty side has none."""
