"""Systems that give the outputs they gave before, from a run kept in the workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.core import Output, Request, System
from mtassay.store import Workspace

__all__ = ["Replay", "newest_of", "saved_systems"]


@dataclass(frozen=True)
class Replay(System):
    """A system that gives the outputs it gave before, failures too."""

    name: str
    outputs: Mapping[str, Output] = field(repr=False)

    @property
    def signature(self) -> str:
        return f"saved:{self.name}"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        absent = Output("", None, "not in the saved run", {"skipped": True})
        return [self.outputs.get(request.id, absent._replace(id=request.id)) for request in requests]


def newest_of(store: Workspace, name: str, *methods: str) -> str:
    """The name of a run; `last` is the newest of these methods, where there is one."""
    if name != "last":
        return name
    return next((run.id for run in store.runs() if run.method in methods), name)


def saved_systems(store: Workspace, run: str) -> list[Replay]:
    """The systems of a saved run. Whether an output was skipped or failed is known from its finding."""
    skipped = {(f.system, f.case_id) for f in store.run(run).findings if f.verdict == "skipped"}
    return [
        Replay(
            name,
            {o.id: o._replace(meta={"skipped": True}) if (name, o.id) in skipped else o for o in answers},
        )
        for name, answers in store.outputs(run).items()
    ]
