"""What a capability is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.tools.annotate.nouns import Annotation, Layer

__all__ = ["Capability"]


class Capability(ABC):
    """One thing that a system should be able to do. To add one, write a class and a line in `choose.py`."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[Layer]] = frozenset({"pos"})
    """What the annotation of the source must have."""
    most_of_source: ClassVar[float] = 1.0
    """At most this share of the source's words may be edited."""
    spans_at_once: ClassVar[int] = 1
    """How many spans of a sentence are edited together, at most."""

    @abstractmethod
    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """Those of the editable spans that belong to this capability, in order."""

    @abstractmethod
    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """What to put in the place of the span, for a language model: `a noun other than "shop"`."""

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """Why an edited source does not test this capability; `None` if it does.

        `edited` is the annotation of the edited source; a change's place in it is the change's start, moved
        by what the changes before it added. `original` is that of the source before, which some need to tell
        whether the edit is of the same kind; without it they ask less.
        """
        return None
