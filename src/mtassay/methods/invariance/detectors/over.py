"""Suspects outputs that say something twice, or something that the source does not say.

He, Meister, Su 2020, section 4.4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.detectors.base import PairDetector, Shared, Suspicion
from mtassay.methods.invariance.detectors.counterparts import Counterparts
from mtassay.methods.invariance.detectors.lengths import relative_lengths
from mtassay.methods.invariance.detectors.repeats import repeated_phrase
from mtassay.methods.invariance.nouns import Answer
from mtassay.tools.annotate.nouns import Layer

__all__ = ["OverTranslation"]


@dataclass(frozen=True)
class OverTranslation(PairDetector):
    """A repeated phrase, content words without a counterpart, or an output far longer than is usual.

    `added` is the share of the output's words that must be left over, beyond those that the source has left
    over, in an output that is at least `longer`, with the usual length as 1. An output of more than `long` is
    suspected for that alone. The value is 1 for a repetition, else the share, or the length minus 1.
    """

    counterparts: Counterparts
    added: float = 0.3
    longer: float = 1.2
    long: float = 2.0
    name: ClassVar[str] = "over-translation"
    about: ClassVar[str] = "the output says something twice, or something that the source does not say"
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))

    @classmethod
    def open(cls, shared: Shared) -> OverTranslation:
        return cls(shared.part(Counterparts))

    def suspects(self, answers: Sequence[Answer]) -> list[Suspicion]:
        """In the order of the answers."""
        found = []
        lengths = relative_lengths(answers)
        left_over = self.counterparts.left_over(answers)
        for answer, length, left in zip(answers, lengths, left_over, strict=True):
            words = [token.text for token in left.output]
            if phrase := repeated_phrase(answer.source, answer.output):
                why = f"the output says twice: {phrase}"
                found.append(Suspicion(answer.id, why, 1.0, {"repeated": phrase}))
            elif left.added >= self.added and length is not None and length >= self.longer:
                why = f"look for what in the source says: {', '.join(words)}"
                found.append(Suspicion(answer.id, why, left.added, {"added": words}))
            elif length is not None and length > self.long:
                why = f"the output has {length:.1f} times the usual length: look for what was added"
                found.append(Suspicion(answer.id, why, length - 1, {"length": round(length, 2)}))
        return found
