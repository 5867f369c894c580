"""What a companion detector is: something that suspects one kind of error in a translation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from mtassay.detectors.answers import AnnotatedAnswer, ComparedPair
from mtassay.languages import Pair
from mtassay.tools.annotate.annotation import Layer

__all__ = ["Detector", "PairDetector", "PhraseDetector", "RelationDetector", "Shared", "Suspicion"]

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One suspected error: `id` is the answer's it is in, `why` says it in words, `value` how strongly."""

    id: str
    why: str
    value: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Shared:
    """The language pair, and what several detectors of it need: made once, where one asks for it."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._parts: dict[Callable[[Pair], Any], Any] = {}

    def part(self, make: Callable[[Pair], Part]) -> Part:
        """What `make` makes of the pair; whoever asks with the same function gets the same part."""
        if make not in self._parts:
            self._parts[make] = make(self.pair)
        part: Part = self._parts[make]
        return part


class Detector(ABC):
    """Common to all kinds.

    `about` says what it suspects. `defaults` are the language pairs for which it is used where nobody names
    any, `*` is all: there it flags wrong outputs at least three times as often as right or ordinary ones, as
    measured (`bench/detectors.py`). `needs` and `needs_source` are layers of the annotations it reads.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    defaults: ClassVar[frozenset[str]] = frozenset()
    needs: ClassVar[frozenset[Layer]] = frozenset()
    needs_source: ClassVar[frozenset[Layer]] = frozenset()

    @classmethod
    def open(cls, shared: Shared) -> Detector:
        """The one for a language pair, with the parts that it shares with others."""
        return cls()

    @classmethod
    def is_ready(cls) -> bool:
        """Whether all that it needs besides language tools is installed."""
        return True


class PairDetector(Detector):
    """Looks at one source and its translation, so it needs neither variants nor an engine."""

    @abstractmethod
    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """What is suspected, in the order of the answers; at most one for each answer."""


class RelationDetector(Detector):
    """Looks at an original and a variant together."""

    @abstractmethod
    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """What is suspected, in the order given; at most one for each variant."""


class PhraseDetector(Detector):
    """Looks at a sentence and a phrase of it that was translated alone."""

    @abstractmethod
    def suspects(self, pairs: Sequence[tuple[AnnotatedAnswer, AnnotatedAnswer]]) -> list[Suspicion]:
        """What is suspected of each (sentence, phrase), in order; the suspicion has the sentence's id."""
