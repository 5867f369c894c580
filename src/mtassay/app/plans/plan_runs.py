"""Checks or runs all steps of a plan, with its gates and its report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from mtassay.app.arguments import known_keywords
from mtassay.app.history import find_baseline
from mtassay.app.plans.plan import DEFAULT, Plan, PlanStep
from mtassay.app.plans.plan_steps import (
    PlanRun,
    StepRun,
    check_names,
    chosen_steps,
    do_step,
    earlier_run,
    opened_plan,
    placed,
    prepare,
    says_something,
    step_key,
)
from mtassay.app.runs import DryRun, Run, RunSettings, workspace_path
from mtassay.changes.gate_checks import Baseline, check_gates
from mtassay.changes.gate_tables import Gate, GateReport
from mtassay.changes.run_changes import RunChanges, pair_systems
from mtassay.data import nouns
from mtassay.data.display import Table
from mtassay.data.errors import MtassayError
from mtassay.data.marks import json_text
from mtassay.data.method import Method
from mtassay.methods.choice import cost_of
from mtassay.report.run_text import Form, render_tables
from mtassay.runtime.executors import Executor, open_executor
from mtassay.runtime.workspace import Workspace
from mtassay.systems.client import CHARACTERS_A_TOKEN, CallPlan


@known_keywords()
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
    on_step: Callable[[StepRun], None] | None = None,
    report: bool | str | PathLike[str] = True,
    themes: bool = True,
) -> PlanRun:
    """Run the steps of a plan, check its gates, write its report. Every run is kept in the workspace.

    A step is skipped if nothing changed (files, parameters, versions, engines, reviews). If a step fails, the
    others still run.

    Args:
        plan: The file of the plan.
        only: Names of the steps to do; by default all.
        systems: Names of the systems to test; by default all.
        fresh: Do every step again, and ask live engines again.
        workspace: The file of saved runs; by default the plan's.
        quiet: Show no progress.
        executor: Where large work is computed; by default the plan says it.
        ray_address: The cluster of the executor `ray`.
        on_step: Called with each step when it has ended.
        report: A file for the report, or `False` for none; by default the plan says it.
        themes: Say in the report what failures have in common.

    Returns:
        The runs by step, the gates, and the exit code.

    Raises:
        InputError: The plan has a mistake; the message names the line.
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
            executor=workers or "local",
        )
        gates = _parse_gates(read)
        prepared = [(step, prepare(read, step, systems)) for step in chosen]
        ended: list[StepRun] = []
        for step, work in prepared:
            ended.append(do_step(read, step, work, settings))
            if on_step is not None:
                on_step(ended[-1])
        done = _checked(PlanRun(read, ended), gates, place, is_part=bool(only or systems))
        target = elsewhere or (Path(read.report) if report and read.report else None)
        if target is None:
            return done
        return _reported(
            done, target, place, is_elsewhere=elsewhere is not None, themes=themes, quiet=settings.is_quiet
        )


def _checked(done: PlanRun, gates: Sequence[Gate], place: Path | None, *, is_part: bool) -> PlanRun:
    """Add the results of the gates, or the reason why they were not checked."""
    if gates and is_part:
        return replace(done, unchecked="only a part of the plan was run")
    if gates and (left := [step.name for step in done.steps if step.exit_code]):
        return replace(done, unchecked=f"{', '.join(left)} did not end well")
    if not gates:
        return done
    report = _check_gates(done.plan, gates, done.runs, place)
    store, now = Workspace(workspace_path(place)), datetime.now(UTC).isoformat()
    rows = [
        (c.passed, c.gate.text, c.step, c.system, c.measured, done.runs[c.step].id, now)
        for c in report.checks
    ]
    kept = {**json.loads(store.recall(_GATES) or b"{}"), Path(done.plan.path).name: rows}
    store.remember([(_GATES, json.dumps(kept).encode())])
    return replace(done, gates=report)


_GATES = "gates"


def kept_gates(store: Workspace) -> list[list[Any]]:
    """The last result of each gate: passed or not, rule, step, system, measured, the run, and when."""
    return [row for rows in json.loads(store.recall(_GATES) or b"{}").values() for row in rows]


def _reported(
    done: PlanRun, target: Path, place: Path | None, *, is_elsewhere: bool, themes: bool, quiet: bool
) -> PlanRun:
    """Add the report; if it cannot be written, nothing else fails."""
    from mtassay.app.reports import write_runs  # large, and needed only at the end

    runs = {name: run.record for name, run in done.runs.items() if says_something(run)}
    if not runs:
        return done
    shown = target if is_elsewhere else Path(done.plan.path).parent / target
    text = Path(Path(done.plan.path).name).read_text(encoding="utf-8", errors="replace")
    try:
        changes = _changes_since(done.plan, runs, place)
        told = write_runs(
            list(runs.values()),
            target,
            names=list(runs),
            changes=changes,
            gates=[] if done.gates is None else [done.gates.table()],
            themes=themes,
            quiet=quiet,
            plan=text,
            priorities=done.plan.priorities,
            workspace=place,
            keep=True,
        )
    except (MtassayError, OSError) as error:
        return replace(done, unreported=str(error))
    return replace(done, report=shown, advice=told.lines() if told.leaders else ())


def _changes_since(plan: Plan, runs: Mapping[str, nouns.Run], place: Path | None) -> list[RunChanges]:
    """Return the changes since the baseline of the plan."""
    changes = []
    for step, entry in plan.baselines.items():
        if step in runs:
            snapshots = find_baseline(entry.text(), workspace=place, like=runs[step])
            changes += [RunChanges.of(old, new) for old, new in pair_systems(runs[step], snapshots)]
    return changes


def check_plan(plan: str | PathLike[str] = DEFAULT) -> Plan:
    """Read the plan and check all of it: its keys, names, files, languages, parameters, outputs and gates.

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


def _open_executor(
    plan: Plan, name: str | None, address: str | None
) -> AbstractContextManager[Executor[Any] | None]:
    """Return the caller's executor, or else the plan's; its address is not used for another executor."""
    chosen = name or plan.executor
    chosen_address = address or (plan.ray_address if chosen == "ray" else None)
    return open_executor(chosen, address=chosen_address) or nullcontext()


def _parse_gates(plan: Plan) -> list[Gate]:
    """Read the rules of the plan."""
    gates = []
    for entry in plan.gates:
        try:
            gate = Gate.parse(entry.typed())
            steps = plan.repeated.get(gate.step, [gate.step])
            gates += [replace(gate, step=step) for step in steps]
        except MtassayError as error:
            raise entry.wrong(error) from None
    return gates


def _check_gates(
    plan: Plan, gates: Sequence[Gate], runs: Mapping[str, Run], place: Path | None
) -> GateReport:
    """Check the gates on these runs, compared with the baseline of the plan."""
    baselines: dict[str, Baseline] = {}
    for step, entry in plan.baselines.items():
        try:
            baselines[step] = find_baseline(entry.text(), workspace=place, like=runs[step].record)
        except MtassayError as error:
            raise entry.wrong(error) from None
    try:
        return check_gates(gates, {step: run.record for step, run in runs.items()}, baselines)
    except MtassayError as error:
        about = [entry for entry in plan.gates if any(f"'{text}'" in str(error) for text in entry.scalars())]
        raise (about or plan.gates)[0].wrong(error) from None


@dataclass(frozen=True)
class StepCost:
    """One live engine's requests in one step; `price` is `None` if the plan does not name it."""

    step: str
    system: str
    answered: int
    calls: int
    characters: int
    price: float | None = None


@dataclass(frozen=True, repr=False)
class PlanCosts:
    """The requests of a plan to live engines; prints itself as a table."""

    plan: Plan
    costs: Sequence[StepCost]
    unchanged: Sequence[str] = ()
    is_open: bool = False
    """Whether the answers may lead to more requests."""

    def table(self) -> Table:
        """Return a row for each step and engine, and their sums; prices only if there are any."""
        currency = self.plan.budget.currency
        priced = any(cost.price is not None for cost in self.costs)
        header = ["Step", "system", "answered before", "calls", "characters"]
        rows = [
            [
                *(cost.step, cost.system, f"{cost.answered:,}"),
                *(f"{cost.calls:,}", f"{cost.characters:,}"),
                *([_money(cost.price)] if priced else []),
            ]
            for cost in self.costs
        ]
        if len(self.costs) > 1:
            sums = [sum(getattr(cost, key) for cost in self.costs) for key in _COUNTED]
            known = [cost.price for cost in self.costs if cost.price is not None]
            rows.append(["all", "", *(f"{n:,}" for n in sums), *([_money(sum(known))] if priced else [])])
        notes = [f"{', '.join(self.unchanged)}: unchanged, nothing would be done."] if self.unchanged else []
        notes += ["Depending on the answers, more may be asked."] if self.is_open else []
        title = "What live engines would be asked" if rows else "Live engines that would be asked"
        return Table([*header, *([currency or "price"] if priced else [])], rows, title=title, notes=notes)

    def render(self, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
        """Return the table as text, json, tsv, md or latex."""
        if form == "json":
            return json_text(
                {
                    "costs": [vars(cost) for cost in self.costs],
                    "unchanged": list(self.unchanged),
                    "is_open": self.is_open,
                },
                indent=2,
            )
        return render_tables([self.table()], form, width=width, color=color)

    def __str__(self) -> str:
        return self.render()


_COUNTED = ("answered", "calls", "characters")


def plan_costs(
    plan: str | PathLike[str] = DEFAULT,
    *,
    only: Sequence[str] = (),
    systems: Sequence[str] = (),
    fresh: bool = False,
    workspace: str | PathLike[str] | None = None,
    quiet: bool | None = None,
) -> PlanCosts:
    """Count the requests of `run_plan` to live engines: calls, characters, and the price if it is known.

    Nothing is asked. Methods that generate sentences do so here, too, but without engines.
    """
    costs: list[StepCost] = []
    unchanged = []
    is_open = False
    with opened_plan(plan, workspace) as (read, place):
        check_names(read, systems)
        store = Workspace(workspace_path(place)) if workspace_path(place).exists() else None
        for step in chosen_steps(read, only):
            work = prepare(read, step, systems)
            if isinstance(work, MtassayError):
                raise work
            with placed(read, step):
                if not fresh and store and earlier_run(store, step_key(read, step, work, store)):
                    unchanged.append(step.name)
                    continue
                try:
                    work.run(RunSettings(workspace=place, fresh=fresh, quiet=quiet, dry_run=True))
                except DryRun as dry:
                    costs += [_cost(read, step, name, calls) for name, calls in dry.plans.items()]
                    is_open = is_open or dry.is_open
        return PlanCosts(read, costs, unchanged, is_open)


def _cost(plan: Plan, step: PlanStep, system: str, asked: CallPlan) -> StepCost:
    price = plan.about(step).get(system, {}).get("price")
    characters = asked.characters  # as many are written, more or less
    read, written = (count / CHARACTERS_A_TOKEN for count in (asked.read, characters))
    cost = asked.cost if price is None else cost_of(price, characters=characters, read=read, written=written)
    return StepCost(step.name, system, asked.known, asked.calls, asked.characters, cost)


def _money(price: float | None) -> str:
    return "?" if price is None else f"{price:,.2f}"
