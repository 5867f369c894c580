"""What changed between saved runs, how systems develop over them, and whether a run passes its gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mtassay import core
from mtassay.api.runs import Run, open_workspace, workspace_path
from mtassay.changes import RunChanges
from mtassay.courses import History
from mtassay.errors import InputError, UsageError
from mtassay.gates import Gate, GateReport, check_gates
from mtassay.snapshots import Snapshot, only_system, read_baseline
from mtassay.store import Workspace
from mtassay.texts.names import named

__all__ = ["compare", "find_snapshots", "gate", "history", "load_run", "read_rules"]

Which = Run | core.Run | Snapshot | str | PathLike[str]
"""A run, what was kept of one, or text: the id of a saved run (its beginning, its end, `last`), `RUN:SYSTEM`,
the name of a system, or a file of baselines."""


def compare(
    old: Which,
    new: Which = "last",
    *,
    alpha: float = 0.05,
    trials: int = 10000,
    samples: int = 1000,
    seed: int | None = 12345,
    workspace: str | PathLike[str] | None = None,
) -> RunChanges:
    """What changed from one run to another, score by score and case by case, with paired tests.

    Runs are given as they are, by id, as `RUN:SYSTEM`, or by the name of a system, which stands for its
    newest run. Of runs with several systems the one is taken that both have.

    >>> from mtassay import suite
    >>> item = "false-friends-nouns-1"
    >>> runs = [suite("en-pt", {"nmt": [text]}, item=item) for text in ("Os pais.", "Os parentes.")]
    >>> [(case.case_id, case.kind) for case in compare(*runs).cases]
    [('false-friends-nouns-1', 'broken')]
    """
    later = find_snapshots(new, workspace=workspace)
    earlier = find_snapshots(old, workspace=workspace, like=later[0].record)
    before, after = _one_of_each(earlier, later)
    return RunChanges.of(before, after, alpha=alpha, trials=trials, samples=samples, seed=seed)


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
    """How a system develops over its saved runs; several names are versions of one. `*` stands for anything.

    `scores` and `groups` choose what is shown, by default what is widest; `method` chooses runs.
    """
    store = open_workspace(workspace)
    saved = [run for run in store.runs()[::-1] if method in (None, run.method)]
    names = list(dict.fromkeys(system for run in saved for system in run.systems))
    chosen = named(names, systems, "name", lambda name: [name], has="saved system has")
    runs = [store.run(run.id) for run in saved if set(run.systems) & set(chosen)]
    return History.of(runs, chosen, names=scores, groups=groups, alpha=alpha, trials=trials, seed=seed)


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
    """Whether a run keeps rules; true if so, else it shows the sentences: `assert gate(run, "bleu >= 30")`.

    `baseline` is what rules that compare hold it against: a run, `RUN:SYSTEM`, a system of the same run or of
    an earlier one, or a file of baselines. `systems` are those to check, else all but the baseline.

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
            else find_snapshots(cast("Which", baseline), workspace=workspace, like=record)
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


def load_run(what: Which, *, workspace: str | PathLike[str] | None = None) -> core.Run:
    """The whole run that is meant; of `RUN:SYSTEM` with this system alone."""
    if isinstance(what, Run):
        return what.record
    if isinstance(what, core.Run):
        return what
    snapshots = find_snapshots(what, workspace=workspace)
    record = snapshots[0].record
    if record is None:
        raise UsageError(f"{what} is a file of baselines: give a run, and this file as its baseline.")
    return only_system(record, snapshots[0].system) if len(snapshots) == 1 else record


def read_rules(path: str | PathLike[str]) -> list[str]:
    """The rules of a file, one a line; a dash before one, quotes around it and lines with # are left out."""
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


def _one_of_each(old: Sequence[Snapshot], new: Sequence[Snapshot]) -> tuple[Snapshot, Snapshot]:
    """The two that are meant: the only ones, or those of the one name that both have."""
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
    what: Which, *, workspace: str | PathLike[str] | None = None, like: core.Run | None = None
) -> list[Snapshot]:
    """All systems of what is given. The name of a system stands for its newest run.

    With `like`, a system of this run may be meant where it has several, or else the newest run of the same
    method before it.
    """
    if isinstance(what, Snapshot):
        return [what]
    if isinstance(what, Run | core.Run):
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


def _saved(store: Workspace, text: str, like: core.Run | None) -> list[Snapshot]:
    """Systems of a saved run by its name, by `RUN:SYSTEM`, or by the name of a system."""
    if len(store.named(text)) == 1:
        run = store.run(text)
        return [Snapshot.of(run, system) for system in run.systems]
    name, colon, system = text.partition(":")
    if colon and len(store.named(name)) == 1:
        return [Snapshot.of(store.run(name), system)]
    for run in store.runs():
        if text in run.systems and (like is None or _is_before(run, like, text)):
            return [Snapshot.of(store.run(run.id), text)]
    if store.named(text) or store.named(name):
        store.run(text if store.named(text) else name)  # which says that several are meant
    systems = dict.fromkeys(system for run in store.runs() for system in run.systems)
    ids = ", ".join(run.id for run in store.runs()[:3]) or "none"
    raise UsageError(
        f"There is no run, system or file '{text}'. Newest runs: {ids}. "
        f"Systems: {', '.join(list(systems)[:6]) or 'none'}."
    )


def _is_before(run: core.Run, like: core.Run, system: str) -> bool:
    """Whether a run can be meant by the name of a system, where a later one is held against it."""
    if run.method != like.method or run.started > like.started:
        return False
    return run.id != like.id or system not in like.systems
