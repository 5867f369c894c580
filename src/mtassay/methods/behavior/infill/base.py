"""What an infiller is: it gets pairs with aligned spans masked, and gives edited pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair

__all__ = ["MASK", "Filled", "Infiller", "Masked", "Rejected"]

MASK = "<mask>"


@dataclass(frozen=True, slots=True)
class Masked:
    """One edit to make: these spans of this pair, for this capability. `number` tells repetitions apart.

    `instructions` has one entry for each span: what to put there, in words.
    """

    pair: ReadPair
    capability: str
    spans: tuple[AlignedSpan, ...]
    instructions: tuple[str, ...]
    number: int = 0

    @property
    def source(self) -> str:
        """The source with each span masked."""
        return _masked(self.pair.source.text, [(span.start, span.end) for span in self.spans])

    @property
    def reference(self) -> str:
        """The reference with each span masked."""
        return _masked(
            self.pair.reference.text, sorted((s.reference_start, s.reference_end) for s in self.spans)
        )


@dataclass(frozen=True, slots=True)
class Filled:
    """What an infiller made. `changes` are in the source; `reference` is the whole pseudo-reference.

    `reference_changes` has the edit of the reference, where it is known. `facts` go into the provenance.
    """

    masked: Masked
    source: str
    reference: str
    changes: tuple[Change, ...]
    reference_changes: tuple[Change, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why nothing came of a masked pair; `reply` is what a model said, word for word.

    `is_final` says that nothing will ever come of this place, however often it is tried.
    """

    masked: Masked
    reason: str
    reply: str = ""
    is_final: bool = False


class Infiller(ABC):
    """Fills masked pairs."""

    name: str

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures mean equal fillings."""

    @abstractmethod
    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """One answer for each masked pair, in order: never another's."""

    def spans(self, pair: ReadPair, *, start: bool = False) -> list[AlignedSpan] | None:
        """The places of a pair that it can fill; `None` if it takes whatever is aligned.

        `start` allows the first word of the source.
        """
        return None


def _masked(text: str, places: Sequence[tuple[int, int]]) -> str:
    parts, done = [], 0
    for start, end in places:
        parts += [text[done:start], MASK]
        done = end
    return "".join([*parts, text[done:]])
