"""Stand-ins that several test modules share."""

from __future__ import annotations

from dataclasses import dataclass, field

from mtassay.data.nouns import RunContext


@dataclass
class MemoryContext(RunContext):
    """Tools that keep everything in memory and note the progress."""

    kept: dict[str, bytes] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)

    def progress(self, step: str, done: int, total: int | None) -> None:
        self.steps.append(step)

    def recall(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def remember(self, key: str, value: bytes) -> None:
        self.kept[key] = value
