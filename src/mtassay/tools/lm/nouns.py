"""What a language model is to us: something that reads texts as pieces and says how probable pieces are.

It takes rows in batches that the caller makes, who knows all texts and so can sort them by length.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["CausalModel", "Gap", "LanguageModel", "MaskedModel", "Prediction", "Row"]


class Gap(NamedTuple):
    """A text with one word left out: what stands before it and after it, with all spaces."""

    before: str
    after: str


class Row(NamedTuple):
    """A text as numbers of pieces; `at` is the position that a prediction is made from."""

    tokens: tuple[int, ...]
    at: int


class Prediction(NamedTuple):
    """A piece by its number in the vocabulary, with its natural log-probability among all pieces."""

    piece: int
    score: float


class LanguageModel(ABC):
    """What both kinds share.

    `pieces` is the vocabulary in the model's own spelling, by number; an empty string stands for special
    pieces. `budget` is how many pieces a batch may have, padding included.
    """

    pieces: Sequence[str]
    budget: int

    @abstractmethod
    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        """For each row, in order, at most `count` of the pieces numbered in `among`, most probable first."""


class MaskedModel(LanguageModel):
    """Says which piece stands in a gap, from what is on both sides."""

    @abstractmethod
    def read(self, gaps: Sequence[Gap]) -> list[Row | None]:
        """One row per gap, in order; `None` where the model cannot take the text: too long, say."""


class CausalModel(LanguageModel):
    """Says which piece comes next, and so how probable a whole text is."""

    @abstractmethod
    def read(self, texts: Sequence[str]) -> list[Row | None]:
        """One row per text, in order, with the piece that begins a text; `None` as for a `MaskedModel`."""

    @abstractmethod
    def score(self, rows: Sequence[Row]) -> list[float]:
        """The natural log-probability of each row, in order: the sum over all pieces but the first."""
