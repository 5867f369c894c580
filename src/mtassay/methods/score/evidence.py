"""What the findings beside a score rest on: what a guard saw, or which names a metric missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from mtassay.display import Span

__all__ = ["MarkedError", "MissedName", "SegmentEvidence"]


class MissedName(NamedTuple):
    """A named entity of the reference that is not in the output; `near` is what looks like it there."""

    text: str
    type: str
    near: str = ""


class MarkedError(NamedTuple):
    """An error that a judge marked: words `start` to `end` of the output, or of the source they omit."""

    text: str
    start: int
    end: int
    category: str
    severity: str
    of_source: bool = False


@dataclass(frozen=True, slots=True)
class SegmentEvidence:
    """Why a segment is worth a look: in words, by names that were missed, by errors, or by plain facts.

    >>> SegmentEvidence.of({"missed": [{"text": "Lisbon", "type": "LOC", "near": "Lisboa"}]}).reason
    "missed Lisbon (LOC), near 'Lisboa'"
    >>> error = {"text": "gata", "start": 4, "end": 8, "category": "mistranslation", "severity": "major"}
    >>> SegmentEvidence.of({"errors": [error]}).reason
    "major mistranslation 'gata'"
    >>> SegmentEvidence.of({"length_ratio": 0.2}).reason
    'length ratio: 0.2'
    """

    why: str = ""
    missed: Sequence[MissedName] = ()
    facts: Mapping[str, Any] | None = None
    errors: Sequence[MarkedError] = ()

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Reads the evidence of a finding."""
        missed = [MissedName(n["text"], n["type"], n.get("near") or "") for n in record.get("missed", ())]
        errors = [
            MarkedError(
                e["text"], e["start"], e["end"], e["category"], e["severity"], e.get("in") == "source"
            )
            for e in record.get("errors", ())
        ]
        return cls(str(record.get("why") or record.get("reason") or ""), missed, record, errors)

    def marks(self, *, of_source: bool = False) -> list[Span]:
        """Where errors stand in the output, or in the source."""
        return [(e.start, e.end) for e in self.errors if e.of_source == of_source and e.end > e.start]

    @property
    def reason(self) -> str:
        """The same in a line."""
        if self.why:
            return self.why
        if self.missed:
            names = (f"{n.text} ({n.type})" + (f", near {n.near!r}" if n.near else "") for n in self.missed)
            return f"missed {'; '.join(names)}"
        if self.errors:
            return "; ".join(f"{e.severity} {e.category} {e.text!r}" for e in self.errors)
        return "; ".join(f"{key.replace('_', ' ')}: {value}" for key, value in (self.facts or {}).items())
