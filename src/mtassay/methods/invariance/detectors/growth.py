"""Suspects variants whose output grew by far more than the one new word, or began to repeat itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.detectors.base import RelationDetector, Suspicion
from mtassay.methods.invariance.detectors.repeats import repeated_phrase
from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.words import words_of_both

__all__ = ["Growth"]


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
    is_default: ClassVar[bool] = True

    def suspects(self, compared: Sequence[Compared]) -> list[Suspicion]:
        """In the order given."""
        found = []
        for pair in compared:
            original, variant = pair.original, pair.variant
            before, after = words_of_both(original.output, variant.output)
            grown = len(after) - len(before)
            phrase = repeated_phrase(variant.source, variant.output)
            if phrase and not repeated_phrase(original.source, original.output):
                why = f"only with {pair.edit.after!r} the output says twice: {phrase}"
                found.append(Suspicion(variant.id, why, float(grown), {"repeated": phrase}))
            elif before and grown >= max(self.words, self.share * len(before)):
                why = f"one word changed and the output grew from {len(before)} to {len(after)} words"
                found.append(Suspicion(variant.id, why, float(grown), {"original": original.output.text}))
        return found
