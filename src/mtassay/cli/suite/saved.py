"""Outputs by what the command line calls them: a file, a folder of files, or a run kept in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtassay.api import workspace_path
from mtassay.cli.common import say
from mtassay.cli.suite.inputs import Inputs
from mtassay.core import System
from mtassay.errors import UsageError
from mtassay.options import is_live
from mtassay.store import Workspace
from mtassay.systems.stored import Replay, replays

__all__ = ["Group", "read_groups", "read_version"]


@dataclass(frozen=True)
class Group:
    """Systems that belong together, such as those of one year."""

    name: str
    systems: Sequence[System]


def read_groups(texts: Sequence[str], inputs: Inputs, workspace: Path | None) -> list[Group]:
    """The groups behind NAME=WHERE, in order; a bare WHERE is called by the name of its folder or file."""
    places: dict[str, str] = {}
    for text in texts:
        name, where = _split(text)
        if name in places:
            raise UsageError(f"Two groups are called '{name}'. Tell them apart: NAME={where}")
        places[name] = where
    return [Group(name, _systems(where, inputs, workspace)) for name, where in places.items()]


def read_version(text: str, inputs: Inputs, workspace: Path | None) -> System:
    """The one system behind NAME=WHAT: a file, a live engine, a saved run with one system, or RUN:SYSTEM."""
    if is_live(text) or is_live(text.partition("=")[2]):
        return inputs.systems([text])[0]
    name, where = _split(text)
    if Path(where).is_file():
        return inputs.systems([f"{name}={where}"])[0]
    if Path(where).is_dir():
        raise UsageError(f"{where} is a folder: give one file of outputs as -t {name}=FILE.")
    run, _, system = where.partition(":")
    kept = _saved(run, inputs, workspace)
    names = [each.name for each in kept]
    if not system and len(kept) > 1:
        raise UsageError(f"The run {run} has several systems: write -t {name}={run}:{names[0]}.")
    chosen = next((each for each in kept if each.name == (system or names[0])), None)
    if chosen is None:
        raise UsageError(f"The run {run} has no system '{system}'. Available: {', '.join(names)}.")
    return replace(chosen, name=name) if "=" in text else chosen


def _split(text: str) -> tuple[str, str]:
    name, equals, where = text.partition("=")
    if not equals or Path(text).exists():
        path = Path(text)
        return (path.name if path.is_dir() else path.name.split(".")[0]) or path.resolve().name, text
    if not name or not where:
        raise UsageError(f"'{text}' must be NAME=WHERE.")
    return name, where


def _systems(where: str, inputs: Inputs, workspace: Path | None) -> Sequence[System]:
    if is_live(where):
        raise UsageError(f"{where}: only stored outputs are compared over time. Save a run of it first.")
    return inputs.systems([where]) if Path(where).exists() else _saved(where, inputs, workspace)


def _saved(run: str, inputs: Inputs, workspace: Path | None) -> list[Replay]:
    path = workspace_path(workspace)
    if not path.exists():
        raise UsageError(
            f"There is no file or folder {run}, and no workspace {path} with a run of this name."
        )
    store = Workspace(path)
    if run != "last" and not any(each.id.startswith(run) for each in store.runs()):
        raise UsageError(f"There is no file, folder or run '{run}'. Runs: mtassay runs list")
    systems = replays(store.run(run))
    known = {item.id for item in inputs.whole.items}
    for system in systems:
        strangers = len(system.outputs.keys() - known)
        if strangers == len(system.outputs):
            raise UsageError(f"The run {run} has none of the items of this suite.")
        if strangers:
            say(f"mtassay: {system.name}: {strangers:,} outputs left out: their ids are not in the suite")
    return systems
