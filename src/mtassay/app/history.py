"""Changes between saved runs, the development of systems over them, and whether a run passes its gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mtassay.app.arguments import known_keywords
from mtassay.app.runs import Run, open_workspace, settled_run, workspace_path
from mtassay.changes.development import Development
from mtassay.changes.gate_checks import check_gates
from mtassay.changes.gate_tables import Gate, GateReport
from mtassay.changes.run_changes import RunChanges
from mtassay.changes.system_names import check_aliases
from mtassay.changes.trends import History
from mtassay.data import nouns
from mtassay.data.errors import InputError, UsageError, WorkspaceError
from mtassay.data.formats.textfiles import check_file
from mtassay.data.registry import named
from mtassay.methods.paired_scores import Snapshot, only_system, read_baseline
from mtassay.runtime.workspace import Workspace

Which = Run | nouns.Run | Snapshot | str | PathLike[str]
"""A run or its stored data, or text: the id of a saved run (also its beginning, its end, `last`),
`RUN:SYSTEM`, the name of a system, or a file of baselines."""


@known_keywords()
def compare(
    old: Which | None = None,
    new: Which = "last",
    *,
    alpha: float = 0.05,
    trials: int = 10000,
    samples: int = 1000,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
) -> RunChanges:
    """Compare two runs, score by score and case by case, with paired tests.

    Args:
        old: The earlier run: as it is, its id, `RUN:SYSTEM`, or the name of a system, which means its
            newest run. By default the newest earlier run of the same method with some of the same cases.
        new: The later one, given in the same ways. Of runs with several systems the one is taken that both
            have.
        alpha: The level of significance.
        trials: Trials of each randomization test.
        samples: Resamples for intervals.
        seed: Seed of all draws.
        workspace: The file of saved runs; by default the nearest one.

    Returns:
        The changes; printed, they are what the command shows.

    Raises:
        UsageError: There is no such run, or the two have no case in common.

    >>> from mtassay import suite
    >>> item = "false-friends-nouns-1"
    >>> runs = [suite("en-pt", {"nmt": [text]}, item=item) for text in ("Os pais.", "Os parentes.")]
    >>> [(case.case_id, case.kind) for case in compare(*runs).cases]
    [('false-friends-nouns-1', 'broken')]
    """
    later = find_snapshots(new, workspace=workspace)
    if old is None:
        old = _run_before(later[0].record, open_workspace(workspace))
    earlier = find_snapshots(old, workspace=workspace, like=later[0].record)
    before, after = _one_of_each(earlier, later)
    return RunChanges.of(before, after, alpha=alpha, trials=trials, samples=samples, seed=seed)


@known_keywords()
def history(
    *systems: str,
    scores: Sequence[str] = (),
    groups: Sequence[str] = (),
    method: str | None = None,
    alpha: float = 0.05,
    trials: int = 10000,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
) -> History:
    """Show how a system develops over its saved runs; several names are its versions. `*` matches anything.

    Args:
        systems: Names of the system.
        scores: Names of scores to show; by default all that are of the whole test set.
        groups: Names of groups to show, as categories of a suite.
        method: Only runs of this method.
        alpha: The level of significance.
        trials: Trials of each randomization test.
        seed: Seed of all draws.
        workspace: The file of saved runs; by default the nearest one.

    Returns:
        Every score run by run, each compared with the one before.

    Raises:
        UsageError: No saved run has such a system or score.
    """
    store = open_workspace(workspace)
    saved = [run for run in store.runs()[::-1] if method in (None, run.method)]
    names = list(dict.fromkeys(system for run in saved for system in run.systems))
    chosen = named(names, systems, "name", lambda name: [name], has="saved system has")
    runs = [settled_run(store, run.id) for run in saved if set(run.systems) & set(chosen)]
    return History.of(runs, chosen, names=scores, groups=groups, alpha=alpha, trials=trials, seed=seed)


@known_keywords()
def development(
    runs: Mapping[str, Which],
    *,
    systems: Sequence[str] = (),
    alias: Mapping[str, str] | None = None,
    score: str | None = None,
    alpha: float = 0.05,
    trials: int = 10000,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
) -> Development:
    """Follow systems over groups of runs, such as years: the best of each, what changed, and who stayed.

    >>> from mtassay import suite
    >>> item = "false-friends-nouns-1"
    >>> runs = [suite("en-pt", {"nmt": [text]}, item=item) for text in ("Os parentes.", "Os pais.")]
    >>> [point.value for point in development({"2025": runs[0], "2026": runs[1]}).trends[0].points]
    [0.0, 100.0]
    """
    loaded = {name: load_run(run, workspace=workspace) for name, run in runs.items()}
    check_aliases([run.systems for run in loaded.values()], alias or {})
    return Development.of(
        loaded,
        aliases=alias,
        systems=systems,
        score=score,
        alpha=alpha,
        trials=trials,
        seed=seed,
    )


@known_keywords()
def gate(
    run: Which,
    *rules: Gate | str | Mapping[str, Any],
    baseline: Which | Sequence[Snapshot] | None = None,
    systems: Sequence[str] = (),
    alpha: float = 0.05,
    trials: int = 10000,
    samples: int = 1000,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
) -> GateReport:
    """Check rules on a run; true if all hold, else it shows the sentences: `assert gate(run, "bleu >= 30")`.

    Args:
        run: The run: as it is, its id, or `RUN:SYSTEM`.
        rules: What must hold, as `"bleu >= 30"` or `"no category significantly worse"`.
        baseline: What comparing rules compare it with: a run, `RUN:SYSTEM`, a system of the same run or
            of an earlier one, or a file of baselines.
        systems: Those to check; by default all but the baseline.
        alpha: The level of significance.
        trials: Trials of each randomization test.
        samples: Resamples for intervals.
        seed: Seed of all draws.
        workspace: The file of saved runs; by default the nearest one.

    Returns:
        Which rules hold and which do not, with the sentences; it is true if all hold.

    Raises:
        UsageError: A rule cannot be read, or needs a baseline.

    >>> from mtassay import suite
    >>> run = suite("en-pt", {"nmt": ["Os parentes."]}, item="false-friends-nouns-1")
    >>> report = gate(run, "accuracy/micro >= 90 %")
    >>> report.passed, report.checks[0].measured
    (False, 'accuracy, micro 0.0 [0.0–79.3], n 1')
    """
    record = load_run(run, workspace=workspace)
    for system in systems:
        only_system(record, system)  # which says what there is
    kept: Sequence[Snapshot] | None = None
    if baseline is not None:
        is_list = isinstance(baseline, Sequence) and not isinstance(baseline, str)
        kept = (
            list(cast("Sequence[Snapshot]", baseline))
            if is_list
            else find_baseline(cast("Which", baseline), workspace=workspace, like=record)
        )
    return check_gates(
        [replace(Gate.parse(rule), system=system) for rule in rules for system in systems or ("",)],
        {record.method: record},
        {} if kept is None else {record.method: kept},
        alpha=alpha,
        trials=trials,
        samples=samples,
        seed=seed,
    )


def load_run(what: Which, *, workspace: str | PathLike[str] | None = None) -> nouns.Run:
    """Return the whole run; for `RUN:SYSTEM` with this system alone."""
    if isinstance(what, Run):
        return what.record
    if isinstance(what, nouns.Run):
        return what
    if not isinstance(what, Snapshot) and not Path(what).is_file():
        store = open_workspace(workspace)
        if len(store.named(str(what))) == 1:
            return settled_run(store, str(what))  # without the digests of all its systems
    snapshots = find_snapshots(what, workspace=workspace)
    record = snapshots[0].record
    if record is None:
        raise UsageError(f"{what} is a file of baselines: give a run, and this file as its baseline.")
    return only_system(record, snapshots[0].system) if len(snapshots) == 1 else record


def read_rules(path: str | PathLike[str]) -> list[str]:
    """Read the rules of a file, one per line, without a leading dash, quotes around it, and lines with #."""
    check_file(path)
    rules = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        rule = line.strip().removeprefix("- ").strip()
        if len(rule) > 1 and rule[0] == rule[-1] and rule[0] in "\"'":
            rule = rule[1:-1]
        if rule and not rule.startswith("#"):
            try:
                Gate.parse(rule)
            except UsageError as error:
                raise InputError(str(error), path=path, line=number) from None
            rules.append(rule)
    return rules


def _run_before(run: nouns.Run | None, store: Workspace) -> str:
    """Return the id of the newest earlier run that this one can be compared with."""
    if run is None:
        raise UsageError("A file of baselines is no run: say what to compare it with.")
    cases = {(segment.id, segment.source) for segment in run.segments}
    runs = store.runs()
    later = next((place + 1 for place, other in enumerate(runs) if other.id == run.id), 0)
    for other in runs[later:]:
        if other.method == run.method and cases & {(s.id, s.source) for s in store.segments(other.id)}:
            return other.id
    raise UsageError(
        f"No earlier run of {run.method} has cases of run {run.id}. Name what to compare, as "
        f"{run.id}:{run.systems[0]}."
    )


def _one_of_each(old: Sequence[Snapshot], new: Sequence[Snapshot]) -> tuple[Snapshot, Snapshot]:
    """Return the two systems to compare: the only ones, or those of the one name that both have."""
    if len(old) == len(new) == 1:
        return old[0], new[0]
    names = [s.system for s in new]
    common = [s.system for s in old if s.system in names]
    chosen = common[0] if len(common) == 1 else None
    before = old[0] if len(old) == 1 else next((s for s in old if s.system == chosen), None)
    after = new[0] if len(new) == 1 else next((s for s in new if s.system == chosen), None)
    if before is None or after is None:
        many = old if len(old) > 1 else new
        raise UsageError(
            f"Run {many[0].run} has several systems: {', '.join(s.system for s in many)}. "
            f"Name one: {many[0].run}:{many[0].system}."
        )
    return before, after


def find_snapshots(
    what: Which, *, workspace: str | PathLike[str] | None = None, like: nouns.Run | None = None
) -> list[Snapshot]:
    """Return all systems of a given run. The name of a system means its newest run.

    With `like`, a name may mean a system of this run if it has several, or else the newest earlier run of the
    same method.
    """
    if isinstance(what, Snapshot):
        return [what]
    if isinstance(what, Run | nouns.Run):
        record = what.record if isinstance(what, Run) else what
        return [Snapshot.of(record, system) for system in record.systems]
    text = str(what)
    if Path(text).is_file():
        return read_baseline(Path(text))
    if like is not None and text in like.systems and len(like.systems) > 1:
        return [Snapshot.of(like, text)]
    path = workspace_path(workspace)
    if like is not None and not path.exists():
        raise UsageError(
            f"There is no file or system '{text}', and no workspace {path} with a run of this name."
        )
    return _saved(open_workspace(workspace), text, like)


def find_baseline(
    what: Which, *, workspace: str | PathLike[str] | None = None, like: nouns.Run | None = None
) -> list[Snapshot]:
    """Find a baseline in the same way; its run is protected from automatic deletion."""
    snapshots = find_snapshots(what, workspace=workspace, like=like)
    path = workspace_path(workspace)
    if path.exists():
        with suppress(WorkspaceError):  # a workspace that may not be written loses nothing either
            Workspace(path).keep_run(snapshots[0].run)
    return snapshots


def _saved(store: Workspace, text: str, like: nouns.Run | None) -> list[Snapshot]:
    """Systems of a saved run by its name, by `RUN:SYSTEM`, or by the name of a system."""
    if len(store.named(text)) == 1:
        run = settled_run(store, text)
        return [Snapshot.of(run, system) for system in run.systems]
    name, colon, system = text.partition(":")
    if colon and len(store.named(name)) == 1:
        return [Snapshot.of(settled_run(store, name), system)]
    runs = store.runs()
    if like is not None:
        later = next((place + 1 for place, run in enumerate(runs) if run.id == like.id), 0)
        runs = [run for run in runs[later:] if run.method == like.method]
    for run in runs:
        if text in run.systems:
            return [Snapshot.of(settled_run(store, run.id), text)]
    if store.named(text) or store.named(name):
        store.run(text if store.named(text) else name)  # which says that several are meant
    systems = dict.fromkeys(system for run in store.runs() for system in run.systems)
    ids = ", ".join(run.id for run in store.runs()[:3]) or "none"
    raise UsageError(
        f"There is no run, system or file '{text}'. Newest runs: {ids}. "
        f"Systems: {', '.join(list(systems)[:6]) or 'none'}."
    )
