"""Suspects outputs that leave out a part of the source (He, Meister, Su 2020, section 4.4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.detectors.base import PairDetector, Shared, Suspicion
from mtassay.methods.invariance.detectors.counterparts import Counterparts
from mtassay.methods.invariance.detectors.lengths import relative_lengths
from mtassay.methods.invariance.nouns import Answer
from mtassay.tools.annotate.nouns import Layer

__all__ = ["UnderTranslation"]


@dataclass(frozen=True)
class UnderTranslation(PairDetector):
    """Content words without a counterpart, or an output far shorter than is usual.

    `lost` is the share of the source's words that must be left over, beyond those that the output has left
    over, in an output that is at most `shorter` long, with the usual length as 1; `lost_alone` is the same
    for any length. An output of less than `short` is suspected for that alone. The value is the share, or 1
    minus the length.
    """

    counterparts: Counterparts
    lost: float = 0.1
    shorter: float = 0.85
    lost_alone: float = 0.3
    short: float = 0.5
    name: ClassVar[str] = "under-translation"
    about: ClassVar[str] = "a part of the source is missing in the output"
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))

    @classmethod
    def open(cls, shared: Shared) -> UnderTranslation:
        return cls(shared.part(Counterparts))

    def suspects(self, answers: Sequence[Answer]) -> list[Suspicion]:
        """In the order of the answers."""
        found = []
        lengths = relative_lengths(answers)
        left_over = self.counterparts.left_over(answers)
        for answer, length, left in zip(answers, lengths, left_over, strict=True):
            words = [token.text for token in left.source]
            if answer.source.text.strip() and not answer.output.text.strip():
                found.append(Suspicion(answer.id, "the output is empty", 1.0))
            elif left.lost >= (self.lost if _at_most(length, self.shorter) else self.lost_alone):
                why = f"look for what translates: {', '.join(words)}"
                found.append(Suspicion(answer.id, why, left.lost, {"missing": words}))
            elif length is not None and length < self.short:
                why = f"the output has {length:.0%} of the usual length: look for what was left out"
                found.append(Suspicion(answer.id, why, 1 - length, {"length": round(length, 2)}))
        return found


def _at_most(length: float | None, limit: float) -> bool:
    return length is not None and length <= limit
