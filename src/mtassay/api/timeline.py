"""Systems over time by the rules of one suite: two versions of a system, or the systems of several years.

Functions take a suite and the fields of `SuiteMethod` as `api.suite` does, and how to run as all functions of
`mtassay.api` do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self

from mtassay.api import RunSettings, workspace_path
from mtassay.core import Output, Request, Run, System
from mtassay.engine import EngineTools, live_outputs, run_with
from mtassay.errors import UsageError
from mtassay.methods.suite.accuracy import movements
from mtassay.methods.suite.item_tables import SystemItems
from mtassay.methods.suite.method import SuiteMethod, case_of, grades_of
from mtassay.methods.suite.system_names import (
    SystemInGroup,
    check_aliases,
    find_system,
    join_names,
    read_aliases,
)
from mtassay.methods.suite.versions import Gate, Versions, steps
from mtassay.methods.suite.versions import gate as pass_gate
from mtassay.methods.suite.years import BestBy, Comparing, Years
from mtassay.options import is_live
from mtassay.store import Workspace
from mtassay.systems.roster import Given, open_systems
from mtassay.systems.stored import Replay, replays

__all__ = ["items_over_years", "versions", "years"]

Groups = Mapping[str, Any] | Sequence[str]
"""Groups by name, or texts `NAME=WHERE`, in order. A group is a folder or file of outputs, the id of a saved
run, or systems by name with their texts."""


def versions(suite: Any, systems: Given, *, gate: Gate | None = None, **options: Any) -> Versions:
    """What a new version of a system fixed and broke, item by item; `systems` are the old one and the new.

    Each is a file of outputs, a live engine, texts, or `RUN:SYSTEM` of a saved run. `gate` says whether the
    new one may pass: not if any item broke, or only if it is significantly worse.

    >>> texts = {"old": ["Os pais."], "new": ["Os parentes."]}
    >>> found = versions("en-pt", texts, item="false-friends-nouns-1", gate="any")
    >>> found.steps[0].kind, found.gate
    ('broken', GateResult(passed=False, why='1 broken'))
    """
    settings, parameters = RunSettings.split(options)
    method = SuiteMethod.resolve({"suite": suite, **parameters})
    texts = systems.items() if isinstance(systems, Mapping) else [(None, text) for text in systems]
    if len(texts) != 2:
        raise UsageError("Give two versions, the old one first: -t old=FILE -t new=FILE.")
    shelf = _Shelf.of(method, settings)
    with settings.tools(systems) as tools:
        opened = [shelf.version(name, what, tools) for name, what in texts]
        names = (opened[0].name, opened[1].name)
        if names[0] == names[1]:
            raise UsageError(f"Both versions are called '{names[0]}': write -t old=… -t new=…")
        run = run_with(tools, method, method.segments, opened, concludes=False).run
    cases = [case_of(item) for item in method.chosen.items]
    item_steps = steps(cases, *([f for f in run.findings if f.system == name] for name in names))
    return Versions(
        names,
        item_steps,
        movements(
            grades_of(run.findings, cases, names),
            test=method.test,
            samples=method.samples,
            trials=method.trials,
            seed=method.seed,
        ),
        run.outputs,
        method.alpha,
        method.test,
        pass_gate(item_steps, gate, alpha=method.alpha) if gate else None,
        live_outputs(opened, run.outputs),
    )


def years(
    suite: Any,
    groups: Groups,
    *,
    alias: Mapping[str, str] | None = None,
    aliases: str | PathLike[str] | None = None,
    fold: bool = True,
    best: BestBy = "pairs",
    systems: Sequence[str] = (),
    **options: Any,
) -> Years:
    """How the best systems, and single systems, develop over groups such as years.

    `alias` has the new name of systems that changed it, `aliases` a table of such names; `fold` takes names
    as one that differ only in their spelling. `best` says on which items the best of a group is chosen.
    `systems` are those to follow, else all in two groups or more.

    >>> old, new = {"nmt": ["Os parentes."]}, {"nmt": ["Os pais."]}
    >>> found = years("en-pt", {"2022": old, "2023": new}, item="false-friends-nouns-1")
    >>> [point.value for point in found.courses[0].points]
    [0.0, 100.0]
    """
    settings, parameters = RunSettings.split(options)
    method = SuiteMethod.resolve({"suite": suite, **parameters})
    judged = _judge_groups(method, groups, settings, _Names(alias or {}, aliases, fold, systems))
    comparing = Comparing(
        method.items,  # type: ignore[arg-type]
        method.test,
        method.alpha,
        method.samples,
        method.trials,
        method.seed,
    )
    cases = [case_of(item) for item in method.chosen.items]
    return Years.of(
        judged.run, cases, judged.entries, comparing, best=best, systems=judged.systems, fold=fold
    )


def items_over_years(
    suite: Any,
    groups: Groups,
    *,
    system: str | None = None,
    alias: Mapping[str, str] | None = None,
    aliases: str | PathLike[str] | None = None,
    fold: bool = True,
    **options: Any,
) -> SystemItems:
    """What one system made of the chosen items in each group; by default a system that is in most groups."""
    settings, parameters = RunSettings.split(options)
    method = SuiteMethod.resolve({"suite": suite, **parameters})
    system_names = (system,) if system else ()
    judged = _judge_groups(method, groups, settings, _Names(alias or {}, aliases, fold, system_names))
    chosen = next(iter(judged.systems), None)
    return SystemItems.of(judged.run, method.chosen.items, judged.entries, chosen)


@dataclass(frozen=True)
class _Names:
    """Which names of systems mean the same one, and which of them are meant."""

    alias: Mapping[str, str]
    table: str | PathLike[str] | None
    fold: bool
    wanted: Sequence[str]

    def join(self, groups: Mapping[str, Sequence[System]]) -> list[SystemInGroup]:
        names = {group: [system.name for system in systems] for group, systems in groups.items()}
        check_aliases(names, self.alias, fold=self.fold)
        aliases = {**(read_aliases(self.table) if self.table is not None else {}), **self.alias}
        return join_names(names, aliases=aliases, fold=self.fold)


@dataclass(frozen=True)
class _Judged:
    """A run of all systems of all groups, which are called by the numbers of their entries there."""

    run: Run
    entries: Sequence[SystemInGroup]
    systems: Sequence[str]


@dataclass(frozen=True)
class _Numbered(System):
    """A system under a number, since the same name may stand in several groups."""

    name: str
    system: System

    @property
    def signature(self) -> str:
        return self.system.signature

    def translate(self, requests: Sequence[Request]) -> Sequence[Output]:
        return self.system.translate(requests)


def _judge_groups(method: SuiteMethod, groups: Groups, settings: RunSettings, names: _Names) -> _Judged:
    shelf = _Shelf.of(method, settings)
    with settings.tools() as tools:
        opened = {name: shelf.group(what, tools) for name, what in _places(groups).items()}
        if len(opened) < 2:
            raise UsageError("Development needs two groups at least: add --group NAME=FOLDER for each year.")
        entries = names.join(opened)
        followed = [find_system(name, entries, fold=names.fold) for name in names.wanted]
        everyone = [system for systems in opened.values() for system in systems]
        numbered = [_Numbered(str(number), system) for number, system in enumerate(everyone)]
        run = run_with(tools, method, method.segments, numbered, concludes=False).run
    return _Judged(run, entries, followed)


def _places(groups: Groups) -> dict[str, Any]:
    """What each group is, by name; a bare place is called by the name of its folder or file."""
    if isinstance(groups, Mapping):
        return dict(groups)
    places: dict[str, Any] = {}
    for text in groups:
        name, where = _split(text)
        if name in places:
            raise UsageError(f"Two groups are called '{name}'. Tell them apart: NAME={where}")
        places[name] = where
    return places


def _split(text: str) -> tuple[str, str]:
    name, equals, where = text.partition("=")
    if not equals or Path(text).exists():
        path = Path(text)
        return (path.name if path.is_dir() else path.name.split(".")[0]) or path.resolve().name, text
    if not name or not where:
        raise UsageError(f"'{text}' must be NAME=WHERE.")
    return name, where


@dataclass(frozen=True)
class _Shelf:
    """Where outputs are found by what people call them: files, folders, and runs of the workspace."""

    method: SuiteMethod
    path: Path
    store: Workspace | None

    @classmethod
    def of(cls, method: SuiteMethod, settings: RunSettings) -> Self:
        path = workspace_path(settings.workspace)
        return cls(method, path, Workspace(path) if path.exists() else None)

    def group(self, what: Any, tools: EngineTools) -> Sequence[System]:
        """The systems of a folder, a file, a saved run, or as they are given by name."""
        if not isinstance(what, str | PathLike):
            return self._open(what, tools)
        where = str(what)
        if is_live(where):
            raise UsageError(f"{where}: only stored outputs are compared over time. Save a run of it first.")
        return self._open([where], tools) if Path(where).exists() else self._saved(where, tools)

    def version(self, name: str | None, what: Any, tools: EngineTools) -> System:
        """The one system behind NAME=WHAT: a file, a live engine, a saved run with one, or RUN:SYSTEM."""
        if name is not None and not isinstance(what, str | PathLike):
            return self._open({name: what}, tools)[0]
        text = str(what) if name is None else f"{name}={what}"
        if is_live(text) or is_live(text.partition("=")[2]):
            return self._open([text], tools)[0]
        called, where = _split(text)
        if Path(where).is_file():
            return self._open([f"{called}={where}"], tools)[0]
        if Path(where).is_dir():
            raise UsageError(f"{where} is a folder: give one file of outputs as -t {called}=FILE.")
        run, _, system = where.partition(":")
        kept = self._saved(run, tools)
        names = [replay.name for replay in kept]
        if not system and len(kept) > 1:
            raise UsageError(f"The run {run} has several systems: write -t {called}={run}:{names[0]}.")
        chosen = next((replay for replay in kept if replay.name == (system or names[0])), None)
        if chosen is None:
            raise UsageError(f"The run {run} has no system '{system}'. Available: {', '.join(names)}.")
        return replace(chosen, name=called) if "=" in text else chosen

    def _open(self, systems: Given, tools: EngineTools) -> list[System]:
        method = self.method
        return open_systems(systems, method.segments, method.pair, read=method.reader(method.segments, tools))

    def _saved(self, run: str, tools: EngineTools) -> list[Replay]:
        """The systems of a saved run, with the outputs they gave."""
        if self.store is None:
            raise UsageError(
                f"There is no file or folder {run}, and no workspace {self.path} with a run of this name."
            )
        if run != "last" and not any(record.id.startswith(run) for record in self.store.runs()):
            raise UsageError(f"There is no file, folder or run '{run}'. Runs: mtassay runs list")
        systems = replays(self.store.run(run))
        item_ids = {item.id for item in self.method.suite.items}
        for system in systems:
            strangers = len(system.outputs.keys() - item_ids)
            if strangers == len(system.outputs):
                raise UsageError(f"The run {run} has none of the items of this suite.")
            if strangers:
                tools.note(f"{system.name}: {strangers:,} outputs left out: their ids are not in the suite")
        return systems
