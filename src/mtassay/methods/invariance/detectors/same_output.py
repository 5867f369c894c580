"""Suspects equal outputs for inputs of different meaning.

Gupta, He, Meister, Su 2020, "Machine Translation Testing via Pathological Invariance".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.detectors.base import RelationDetector, Shared, Suspicion
from mtassay.methods.invariance.detectors.meanings import WordMeanings
from mtassay.methods.invariance.nouns import Compared
from mtassay.metrics.guards.copied import fold
from mtassay.tools.encoder import is_installed

__all__ = ["SameOutput"]


@dataclass(frozen=True)
class SameOutput(RelationDetector):
    """Both outputs are the same, but for case and marks, though the new word means something else.

    Words whose cosine is `synonyms` or more count as the same in meaning. The value is 1 minus the cosine.
    """

    meanings: WordMeanings
    synonyms: float = 0.75
    name: ClassVar[str] = "same-output"
    about: ClassVar[str] = "the same output for a word of another meaning"
    is_default: ClassVar[bool] = True

    @classmethod
    def open(cls, shared: Shared) -> SameOutput:
        return cls(WordMeanings())

    @classmethod
    def is_ready(cls) -> bool:
        return is_installed()

    def suspects(self, compared: Sequence[Compared]) -> list[Suspicion]:
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


def _suspicion(pair: Compared, similarity: float) -> Suspicion:
    before, after = pair.edit.before, pair.edit.after
    return Suspicion(
        pair.variant.id,
        f"the output is the same for {before!r} and {after!r}: look for the word in it",
        1 - similarity,
        {"before": before, "after": after, "original": pair.original.source.text},
    )
