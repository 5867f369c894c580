"""Systems whose outputs are already there: in a file or in memory, or in a run that was kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.core import Origin, Output, Request, Run, System

__all__ = ["Replay", "Stored", "replays"]


@dataclass(frozen=True)
class Stored(System):
    """Outputs by segment id. `None`, or an id that is not there, means the system gave none."""

    name: str
    outputs: Mapping[str, str | None] = field(repr=False)

    @property
    def signature(self) -> str:
        digest = hashlib.blake2b(digest_size=8)
        for key, text in self.outputs.items():
            digest.update(f"{key}\0{text if text is not None else chr(0)}\0".encode("utf-8", "surrogatepass"))
        return f"stored:{digest.hexdigest()}"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        get = self.outputs.get
        return [
            Output(request.id, text) if (text := get(request.id)) is not None else _absent(request.id)
            for request in requests
        ]


@dataclass(frozen=True)
class Replay(System):
    """A system that gives the outputs it gave before, failures too."""

    name: str
    outputs: Mapping[str, Output] = field(repr=False)
    origin: Origin | None = None
    """Where the outputs came from then, of a live engine."""

    @property
    def signature(self) -> str:
        return f"saved:{self.name}"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        absent = Output("", None, "not in the saved run", {"skipped": True})
        return [self.outputs.get(request.id, absent._replace(id=request.id)) for request in requests]


def replays(run: Run) -> list[Replay]:
    """The systems of a saved run. Whether an output was skipped or failed is known from what was found."""
    skipped = {(f.system, key) for f in run.findings if f.verdict == "skipped" for key in _names(f.evidence)}
    skipped |= {(f.system, f.case_id) for f in run.findings if f.verdict == "skipped"}
    origins = run.result.basis.get("answers", {})
    return [
        Replay(
            name,
            {
                o.id: o._replace(meta={"skipped": True})
                if o.text is None and not skipped.isdisjoint({(name, o.id), (name, o.error)})
                else o
                for o in answers
            },
            Origin(**origins[name]) if name in origins else None,
        )
        for name, answers in run.outputs.items()
    ]


def _names(evidence: Mapping[str, object]) -> list[str]:
    """A finding about a case with several sources names the missing output by its reason alone."""
    return [str(evidence["reason"])] if "reason" in evidence else []


def _absent(request_id: str) -> Output:
    return Output(request_id, None, "no stored output", {"skipped": True})
