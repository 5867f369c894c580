"""What the findings beside a score rest on: what a guard saw, or which names a metric missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

__all__ = ["MissedName", "SegmentEvidence"]


class MissedName(NamedTuple):
    """A named entity of the reference that is not in the output; `near` is what looks like it there."""

    text: str
    type: str
    near: str = ""


@dataclass(frozen=True, slots=True)
class SegmentEvidence:
    """Why a segment is worth a look: in words, by the names that were missed, or by plain facts.

    >>> SegmentEvidence.of({"missed": [{"text": "Lisbon", "type": "LOC", "near": "Lisboa"}]}).reason
    "missed Lisbon (LOC), near 'Lisboa'"
    >>> SegmentEvidence.of({"length_ratio": 0.2}).reason
    'length ratio: 0.2'
    """

    why: str = ""
    missed: Sequence[MissedName] = ()
    facts: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Reads the evidence of a finding."""
        missed = [MissedName(n["text"], n["type"], n.get("near") or "") for n in record.get("missed", ())]
        return cls(str(record.get("why") or record.get("reason") or ""), missed, record)

    @property
    def reason(self) -> str:
        """The same in a line."""
        if self.why:
            return self.why
        if self.missed:
            names = (f"{n.text} ({n.type})" + (f", near {n.near!r}" if n.near else "") for n in self.missed)
            return f"missed {'; '.join(names)}"
        return "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in (self.facts or {}).items())
