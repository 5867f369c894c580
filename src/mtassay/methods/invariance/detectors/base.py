"""What a companion detector is: something that suspects one kind of error in a translation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mtassay.methods.invariance.nouns import Answer, Compared
from mtassay.tools.annotate.nouns import Layer

__all__ = ["Detector", "PairDetector", "PhraseDetector", "RelationDetector", "Suspicion"]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One suspected error: `id` is the answer's it is in, `why` says it in words, `value` how strongly."""

    id: str
    why: str
    value: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Detector(ABC):
    """Common to all kinds. `needs` and `needs_source` are layers of the annotations it reads."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[Layer]] = frozenset()
    needs_source: ClassVar[frozenset[Layer]] = frozenset()


class PairDetector(Detector):
    """Looks at one source and its translation, so it needs neither variants nor an engine."""

    @abstractmethod
    def suspects(self, answers: Sequence[Answer]) -> list[Suspicion]:
        """What is suspected, in the order of the answers; at most one for each answer."""


class RelationDetector(Detector):
    """Looks at an original and a variant together."""

    @abstractmethod
    def suspects(self, compared: Sequence[Compared]) -> list[Suspicion]:
        """What is suspected, in the order given; at most one for each variant."""


class PhraseDetector(Detector):
    """Looks at a sentence and a phrase of it that was translated alone."""

    @abstractmethod
    def suspects(self, pairs: Sequence[tuple[Answer, Answer]]) -> list[Suspicion]:
        """What is suspected of each (sentence, phrase), in order; the suspicion has the sentence's id."""
