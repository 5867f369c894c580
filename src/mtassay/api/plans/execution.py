"""All steps of a plan, checked or done, with its gates and its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from mtassay import core
from mtassay.api import (
    Run,
    RunSettings,
)
from mtassay.api.history import find_snapshots
from mtassay.api.plans.outcome import PlanRun, StepRun, says_something
from mtassay.api.plans.steps import check_names, chosen_steps, do_step, opened_plan, placed, prepare
from mtassay.changes import RunChanges, pair_systems
from mtassay.errors import MtassayError
from mtassay.executors import Executor, open_executor
from mtassay.gates import Baseline, Gate, GateReport, check_gates
from mtassay.method import Method
from mtassay.plans.plan import DEFAULT, Plan

__all__ = ["check_plan", "run_plan"]


def run_plan(
    plan: str | PathLike[str] = DEFAULT,
    *,
    only: Sequence[str] = (),
    systems: Sequence[str] = (),
    fresh: bool = False,
    workspace: str | PathLike[str] | None = None,
    quiet: bool | None = None,
    executor: str | None = None,
    ray_address: str | None = None,
    told: Callable[[StepRun], None] | None = None,
    report: bool | str | PathLike[str] = True,
    themes: bool = True,
) -> PlanRun:
    """Do the steps of a plan, check its gates, write its report. Every run is kept in the workspace.

    A step for which nothing changed (files, parameters, versions, engines, reviews) is not done again, unless
    with `fresh`, which asks live engines again too. `only` and `systems` choose steps and systems by name.
    `told` hears of each step when it has ended. A step that fails takes no other with it. `executor` and
    `ray_address` are those of the plan unless given. `report` is a file for the report, or False for none;
    by default the plan says it. Without `themes` it does not say what failures have in common.
    """
    elsewhere = None if isinstance(report, bool) else Path(report).absolute()
    with (
        opened_plan(plan, workspace) as (read, place),
        _open_executor(read, executor, ray_address) as workers,
    ):
        chosen = chosen_steps(read, only)
        check_names(read, systems)
        budget = read.budget
        settings = RunSettings(
            save=True,
            workspace=place,
            max_calls=budget.max_calls,
            max_characters=budget.max_characters,
            max_seconds=budget.max_seconds,
            fresh=fresh,
            quiet=quiet,
            executor=workers,
        )
        gates = _parse_gates(read)
        prepared = [(step, prepare(read, step, systems)) for step in chosen]
        ended: list[StepRun] = []
        for step, work in prepared:
            ended.append(do_step(read, step, work, settings))
            if told is not None:
                told(ended[-1])
        done = _checked(PlanRun(read, ended), gates, place, is_part=bool(only or systems))
        target = elsewhere or (Path(read.report) if report and read.report else None)
        if target is None:
            return done
        return _reported(
            done, target, place, is_elsewhere=elsewhere is not None, themes=themes, quiet=settings.is_quiet
        )


def _checked(done: PlanRun, gates: Sequence[Gate], place: Path | None, *, is_part: bool) -> PlanRun:
    """With what the gates say, or why they were not checked."""
    if gates and is_part:
        return replace(done, unchecked="only a part of the plan was run")
    if gates and (left := [step.name for step in done.steps if step.exit_code]):
        return replace(done, unchecked=f"{', '.join(left)} did not end well")
    return replace(done, gates=_check_gates(done.plan, gates, done.runs, place)) if gates else done


def _reported(
    done: PlanRun, target: Path, place: Path | None, *, is_elsewhere: bool, themes: bool, quiet: bool
) -> PlanRun:
    """With its report written; a report that cannot be written takes nothing else with it."""
    from mtassay.api.reports import write_runs  # large, and for the end alone

    runs = {name: run.record for name, run in done.runs.items() if says_something(run)}
    if not runs:
        return done
    try:
        write_runs(
            list(runs.values()),
            target,
            names=list(runs),
            changes=_changes_since(done.plan, runs, place),
            gates=[] if done.gates is None else [done.gates.table()],
            themes=themes,
            quiet=quiet,
            plan=Path(Path(done.plan.path).name).read_text(encoding="utf-8", errors="replace"),
            workspace=place,
        )
    except (MtassayError, OSError) as error:
        return replace(done, unreported=str(error))
    shown = target if is_elsewhere else Path(done.plan.path).parent / target
    return replace(done, report=shown)


def _changes_since(plan: Plan, runs: Mapping[str, core.Run], place: Path | None) -> list[RunChanges]:
    """What changed since the baseline of the plan."""
    changes = []
    for step, entry in plan.baselines.items():
        if step in runs:
            snapshots = find_snapshots(entry.text(), workspace=place, like=runs[step])
            changes += [RunChanges.of(old, new) for old, new in pair_systems(runs[step], snapshots)]
    return changes


def check_plan(plan: str | PathLike[str] = DEFAULT) -> Plan:
    """The plan, if all of it makes sense: its keys, names, files, languages, parameters, outputs and gates.

    Nothing is asked or kept. The first mistake is an error with its line.
    """
    with opened_plan(plan, None) as (read, _):
        _parse_gates(read)
        for step in read.steps.values():
            work = prepare(read, step)
            if isinstance(work, MtassayError):
                raise work
            if step.method_class.generate is Method.generate:
                with placed(read, step):
                    work.check()
        return read


def _open_executor(plan: Plan, name: str | None, address: str | None) -> Executor:
    """What was asked for, or else what the plan says; its address is of no use to another executor."""
    chosen = name or plan.executor
    return open_executor(chosen, address=address or (plan.ray_address if chosen == "ray" else None))


def _parse_gates(plan: Plan) -> list[Gate]:
    """The rules of the plan, read."""
    gates = []
    for entry in plan.gates:
        try:
            gates.append(Gate.parse(entry.typed()))
        except MtassayError as error:
            raise entry.wrong(error) from None
    return gates


def _check_gates(
    plan: Plan, gates: Sequence[Gate], runs: Mapping[str, Run], place: Path | None
) -> GateReport:
    """What the gates say of these runs, held against the baseline of the plan."""
    baselines: dict[str, Baseline] = {}
    for step, entry in plan.baselines.items():
        try:
            baselines[step] = find_snapshots(entry.text(), workspace=place, like=runs[step].record)
        except MtassayError as error:
            raise entry.wrong(error) from None
    try:
        return check_gates(gates, {step: run.record for step, run in runs.items()}, baselines)
    except MtassayError as error:
        about = [entry for entry in plan.gates if any(f"'{text}'" in str(error) for text in entry.scalars())]
        raise (about or plan.gates)[0].wrong(error) from None
