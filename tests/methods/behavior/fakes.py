"""A metric and tools for tests of the behavioural judge: no model, no workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import ServiceError
from mtassay.data.nouns import Output, Request, RunContext, Segment, Statistics, System
from mtassay.measures.metric import Metric


@dataclass(frozen=True, kw_only=True)
class Shared(Metric):
    """The share of the output's words that are in the reference; undefined for an empty output."""

    name: ClassVar[str] = "shared"
    against: str = "references"
    calls: list[int] = field(default_factory=list, compare=False, repr=False)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({self.against})

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        return f"against:{self.against}"

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        self.calls.append(len(segments))
        ids = [segment.id for segment in segments]
        return [
            Statistics(
                self.name,
                system,
                ids,
                ("score",),
                np.array([[self._share(s, text)] for s, text in zip(segments, texts, strict=True)]),
            )
            for system, texts in outputs.items()
        ]

    def aggregate(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(sums[..., 0], np.float64)

    def _share(self, segment: Segment, text: str) -> float:
        other = segment.references[0] if self.against == "references" else segment.source
        words = text.split()
        return sum(word in (other or "").split() for word in words) / len(words) if words else np.nan


@dataclass
class Memory(RunContext):
    """Tools that keep what they are given, and count how often they could give it back."""

    kept: dict[str, bytes] = field(default_factory=dict)
    recalled: int = 0
    notes: list[str] = field(default_factory=list)

    def progress(self, step: str, done: int, total: int | None) -> None:
        pass

    def recall(self, key: str) -> bytes | None:
        self.recalled += key in self.kept
        return self.kept.get(key)

    def remember(self, key: str, value: bytes) -> None:
        self.kept[key] = value

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        """One after the other, and nothing twice; what fails has the reason as its error."""
        outputs: list[Output] = []
        for request in requests:
            try:
                outputs += system.translate([request])
            except ServiceError as error:
                outputs.append(Output(request.id, None, str(error)))
        return outputs

    def note(self, text: str) -> None:
        self.notes.append(text)
