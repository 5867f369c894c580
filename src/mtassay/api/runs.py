"""Runs as the library gives them: they print, plot, judge and save themselves; and how a method is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from mtassay import core
from mtassay.caller import Budget, CallPlan, Tally
from mtassay.core import Finding, Judgement, Output, Result, Segment, System
from mtassay.database import UnavailableError
from mtassay.display import Block, Figure, Headline, Table, View
from mtassay.engine import EngineTools, Execution, Open, run_with
from mtassay.errors import MtassayError, UsageError, WorkspaceError
from mtassay.executors import Executor, Local, open_executor
from mtassay.formats import segment_record
from mtassay.languages import Pair
from mtassay.method import Method, method_of
from mtassay.options import is_live
from mtassay.registry import find
from mtassay.report.progress import Progress
from mtassay.report.run import Form, render, render_html
from mtassay.store import DEFAULT, Workspace
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import Given, open_systems
from mtassay.systems.stored import replays

if TYPE_CHECKING:
    from mtassay.story import CaseStory

__all__ = [
    "DryRun",
    "Read",
    "Run",
    "RunSettings",
    "Work",
    "execute_method",
    "load",
    "open_workspace",
    "workspace_path",
]


Read = Callable[[EngineTools], Sequence[Segment]]
"""Reads segments, and tells of what it finds."""


@dataclass(frozen=True, repr=False)
class Run:
    """What came out of a method: scores, findings, tables, figures; prints itself as the command does.

    >>> from mtassay import score
    >>> run = score({"a": ["Olá, mundo!"], "b": ["Oi!"]}, [["Olá, mundo!"]], metrics="chrf", samples=100)
    >>> [(record["system"], round(record["value"])) for record in run.records()]
    [('a', 100), ('b', 8)]
    """

    record: core.Run
    execution: Execution | None = field(default=None, compare=False)
    """All that a fresh run was made of; `None` for one out of the workspace."""
    trouble: str = field(default="", compare=False)
    """Why the run could not be saved; empty where it could, or nobody asked for it."""

    @property
    def id(self) -> str:
        """What the run is called in the workspace."""
        return self.record.id

    @property
    def method(self) -> str:
        """The name of its method."""
        return self.record.method

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the method as they were resolved."""
        return self.record.parameters

    @property
    def systems(self) -> Sequence[str]:
        """The names of the systems, in order."""
        return self.record.systems

    @property
    def result(self) -> Result:
        """Scores, comparisons, clusters, counts and notes."""
        return self.record.result

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know besides the numbers."""
        return self.record.result.notes

    @property
    def findings(self) -> Sequence[Finding]:
        """All findings with their evidence."""
        return self.record.findings

    @property
    def segments(self) -> Sequence[Segment]:
        """What was asked."""
        return self.record.segments

    @property
    def outputs(self) -> Mapping[str, Sequence[Output]]:
        """What was answered, by system."""
        return self.record.outputs

    @property
    def is_live(self) -> bool:
        """Whether live engines were asked."""
        return self.execution is not None and self.execution.is_live

    @property
    def failures(self) -> Mapping[str, Sequence[Output]]:
        """What live engines did not translate, by system, each with its reason; empty if all went well."""
        return self.execution.failures if self.execution else {}

    def records(self, what: str = "scores") -> list[dict[str, Any]]:
        """Plain records, for `pandas.DataFrame(run.records())`.

        `what` is scores, comparisons, clusters, findings, outputs, segments, units (a score for each segment,
        of a run that measures) or refused (what was generated and dropped, of a fresh run).
        """
        result, run = self.record.result, self.record
        if what in ("scores", "comparisons", "clusters"):
            return [asdict(entry) for entry in getattr(result, what)]
        if what == "findings":
            return _with_texts(run)
        if what == "outputs":
            sides: dict[str, dict[str, Any]] = {
                s.id: {"source": s.source, "reference": next(iter(s.references), None)} for s in run.segments
            }
            return [
                {"id": o.id, "system": system, **sides.get(o.id, {}), "output": o.text, "error": o.error}
                for system, answers in run.outputs.items()
                for o in answers
            ]
        if what == "segments":
            answered = {name: {o.id: o.text for o in answers} for name, answers in run.outputs.items()}
            return [
                segment_record(
                    segment, outputs={name: by_id.get(segment.id) for name, by_id in answered.items()}
                )
                for segment in run.segments
            ]
        if what == "units":
            if self.execution is None and run.statistics:
                judgement = Judgement(run.findings, run.statistics, run.result.counts)
                return method_of(run).resolve({}, run).units(judgement)
            return self._fresh().method.units(self._fresh().judgement)
        if what == "refused":
            return [dict(record) for record in self._fresh().generated.refused]
        available = "scores, comparisons, clusters, findings, outputs, segments, units, refused"
        raise UsageError(f"A run has no '{what}'. Available: {available}.")

    def headlines(self) -> list[Headline]:
        """What matters first, in sentences: which system is better, what each is worst at, what is open."""
        return method_of(self.record).headlines(self.record)

    def tables(self, **view: Any) -> list[Table]:
        """All tables; `view` is what `display.View` has: `detail=True`, `pairs=True`, `cases=3`."""
        return method_of(self.record).tables(self.record, View(**view))

    def figures(self, **view: Any) -> list[Figure]:
        """What there is to draw, as data; `plot` draws it."""
        return method_of(self.record).figures(self.record, View(**view))

    def plot(self, path: str | PathLike[str], **view: Any) -> None:
        """Draw all figures into one file, .svg or .png, one below the other; `view` as for `tables`."""
        from mtassay.report.figures import check_plot, draw  # large, and seldom used

        target = Path(path)
        check_plot(target)
        if not (figures := self.figures(**view)):
            raise UsageError(f"There is nothing to draw of a run of {self.method}.")
        draw(figures, target)

    def blocks(self, case: str | None = None, **view: Any) -> list[Block]:
        """The cases that a person should see first, or every system's answer to one case."""
        method = method_of(self.record)
        if case is None:
            return method.blocks(self.record, View(**view))
        return [method.block(self.record, case, system) for system in self.systems]

    def differences(self, *systems: str, **view: Any) -> dict[str, Any]:
        """Where two systems differ, as plain data: segments, n-grams, scores by length, words by frequency.

        Without names these are the baseline and the best other system. `view` is what `display.View` has:
        `examples=5` for how many segments and n-grams each way, `metric="chrf"`, `training=[…]` for texts to
        count words in. `run.render(examples=5)` shows the same.
        """
        chosen = View(**{"examples": 5, "between": systems, **view})
        record = method_of(self.record).differences_record(self.record, chosen)
        return cast("dict[str, Any]", record.get("differences", {}))

    def render(self, form: Form = "text", *, said: Sequence[str] = (), **view: Any) -> str:
        """The run as text, json, tsv, md or latex."""
        return render(self.record, form, view=View(**view), seen_notes=said)

    def report(self, path: str | PathLike[str] = "report.html", **options: Any) -> Path:
        """Write a page about this run; `options` are those of `write_report`, as `against`, `title`."""
        from mtassay.api.reports import write_report  # which knows runs

        return write_report(self, path, **options)

    def judge(self, method: str | None = None, /, **changes: Any) -> Run:
        """The same outputs judged again with other parameters: nothing is translated twice.

        `method` is the name of another method, where that can judge them, too.
        """
        options, parameters = RunSettings.split(changes)
        cls = method_of(self.record) if method is None else cast("type[Method]", find("method", method))
        segments = cls.segments_of(self.record)
        judged = execute_method(cls.resolve(parameters, self.record), segments, replays(self.record), options)
        # How long it takes without an engine is not what a reader means by the time of a run.
        return replace(judged, record=replace(judged.record, seconds={}))

    def explain(self, case: str, *, workspace: str | PathLike[str] | None = None) -> CaseStory:
        """One case of a saved run with all there is to know: outputs, findings, decisions, earlier runs."""
        from mtassay.story import tell_case

        return tell_case(open_workspace(workspace), case, run=self.id)

    def save(self, workspace: str | PathLike[str] | None = None) -> Run:
        """Keep the run in the workspace; `load` gives it back."""
        Workspace(workspace_path(workspace)).save_run(self.record)
        return self

    def _fresh(self) -> Execution:
        if self.execution is None:
            raise UsageError(f"Run {self.id} comes out of the workspace, which does not keep that.")
        return self.execution

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.method} of {', '.join(self.systems)}>"

    def _repr_html_(self) -> str:
        return render_html(self.record)


def load(
    name: str = "last", *, workspace: str | PathLike[str] | None = None, method: str | None = None
) -> Run:
    """A saved run by its id, the beginning or the end of it, or `last`.

    With `method`, `last` is the newest run of it, and a run of another one is refused.
    """
    store = open_workspace(workspace)
    if name == "last" and method is not None:
        name = next((run.id for run in store.runs() if run.method == method), name)
    record = store.run(name)
    if method not in (None, record.method):
        raise UsageError(f"Run {record.id} is of '{record.method}', not of '{method}'.")
    return Run(record)


def workspace_path(chosen: str | PathLike[str] | None = None) -> Path:
    """The chosen file, the one of the environment, or the default in this folder."""
    return Path(chosen) if chosen else Path(os.environ.get("MTASSAY_WORKSPACE", DEFAULT))


def open_workspace(chosen: Any = None) -> Workspace:
    """The workspace, which must be there already; one that is open is taken as it is."""
    if isinstance(chosen, Workspace):
        return chosen
    path = workspace_path(chosen)
    if not path.exists():
        raise UsageError(f"There is no workspace {path} yet: add --save to a command, or give --workspace.")
    return Workspace(path)


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How a method is run: what all functions of the library share; see the top of this module.

    `creates` makes a workspace for the cache alone, where there is none yet. `made` is told what the method
    generated, before anything is asked. With `dry_run` nobody is asked, nothing is kept, and `DryRun` is
    raised. Runs that share `spent` share their budget. `executor` says where large work is computed: local,
    processes or ray, on the cluster at `ray_address` or on this machine; an executor that is open stays so.
    """

    save: bool = False
    workspace: str | PathLike[str] | None = None
    max_calls: int | None = None
    max_characters: int | None = None
    max_seconds: float | None = None
    cache: bool = True
    fresh: bool = False
    quiet: bool | None = None
    listen: Callable[[str], None] | None = None
    creates: bool = False
    made: Callable[[core.Generated], None] | None = None
    dry_run: bool = False
    spent: dict[str, Tally] = field(default_factory=dict)
    executor: str | Executor = "local"
    ray_address: str | None = None

    @classmethod
    def split(cls, options: Mapping[str, Any]) -> tuple[Self, dict[str, Any]]:
        """How to run, and what is left: the parameters of the method."""
        how = {f.name for f in fields(cls)}
        settings = cls(**{key: value for key, value in options.items() if key in how})
        return settings, {key: value for key, value in options.items() if key not in how}

    @property
    def is_quiet(self) -> bool:
        """Whether nobody wants to look on; where nobody can, nothing is shown anyway."""
        return bool(self.quiet)

    @property
    def budget(self) -> Budget:
        """What each live engine may cost."""
        return Budget(calls=self.max_calls, characters=self.max_characters, seconds=self.max_seconds)

    def memory(self, *, is_live: bool = False) -> Workspace | None:
        """The workspace to look things up in; `None` where there is none and none is needed."""
        path = workspace_path(self.workspace)
        if self.dry_run:
            return Workspace(path) if path.exists() else None
        if self.save:
            return Workspace(path)
        if not self.cache or str(path) == ":memory:":
            return None
        if not (path.exists() or is_live or self.creates or self.workspace is not None):
            return None
        try:
            return Workspace(path)
        except WorkspaceError:
            if self.workspace is not None or path.exists():
                raise
            return None  # a folder that may not be written: a score does not need it

    @contextmanager
    def tools(
        self, systems: Given | Sequence[System] = (), *, is_live: bool = False
    ) -> Iterator[EngineTools]:
        """What a method is lent while it asks these systems and judges, with progress shown.

        What is dear to compute is kept at the end.
        """
        with (
            self._open_executor() as executor,
            Progress(quiet=self.is_quiet) as progress,
        ):
            store = self.memory(is_live=is_live or _is_live(systems))
            listen = self.listen if self.listen and not self.dry_run else _deaf
            tools = EngineTools(
                *(store, progress.report, self.budget, listen, self.fresh, self.dry_run),
                spent=self.spent,
                executor=executor,
            )
            try:
                yield tools
            finally:
                tools.keep()  # after Ctrl-C too

    def _open_executor(self) -> AbstractContextManager[Executor]:
        if self.dry_run:
            return Local()
        if isinstance(self.executor, Executor):
            return nullcontext(self.executor)
        return open_executor(self.executor, address=self.ray_address)


class DryRun(MtassayError):  # noqa: N818
    """What a run would ask of whom, raised in place of the run; `plans` have it by the name of the system.

    `is_open` is true where more may be asked, by what the answers are.
    """

    exit_code = 0

    def __init__(self, plans: Mapping[str, CallPlan], *, is_open: bool = False) -> None:
        self.plans = plans
        self.is_open = is_open
        super().__init__("; ".join(self.lines))

    @property
    def lines(self) -> list[str]:
        """The same for a reader."""
        if not self.plans:
            return ["No live engine or model would be asked."]
        told = [plan.describe(name) for name, plan in self.plans.items()]
        return [*told, "More may be asked, by what the answers are."] if self.is_open else told


@dataclass(frozen=True)
class Work:
    """A method with all that it is to be run on; segments may be read when it is."""

    method: Method
    segments: Sequence[Segment] | Read
    systems: Given | Sequence[System]
    pair: Pair | None = None

    def run(self, settings: RunSettings) -> Run:
        """Do it."""
        return execute_method(self.method, self.segments, self.systems, settings, self.pair)

    def check(self) -> None:
        """Refuse systems whose outputs are not those of the segments; nothing is asked."""
        with RunSettings(dry_run=True, quiet=True).tools() as tools:
            read = self.segments(tools) if callable(self.segments) else self.segments
            opened = _opener(self.method, self.systems, self.pair, tools)(read)
            self.method.check([system.name for system in opened])


def execute_method(
    method: Method,
    segments: Sequence[Segment] | Read,
    systems: Given | Sequence[System],
    settings: RunSettings,
    pair: Pair | None = None,
) -> Run:
    """Run the method, show how far it is, and keep the run where that is wanted."""
    with settings.tools(systems, is_live=method.asks_models) as tools:
        read = segments(tools) if callable(segments) else segments
        opened = _opener(method, systems, pair, tools)
        if settings.dry_run:
            try:
                run_with(tools, method, read, opened)
            except MtassayError:  # a method may give up where an engine answered nothing
                if not tools.plans:
                    raise
            is_open = method.asks_models and any(plan.calls for plan in tools.plans.values())
            raise DryRun(tools.plans, is_open=is_open)
        execution = run_with(tools, method, read, opened, made=settings.made)
        method.check_run(execution.run)
        trouble = _saved(execution, tools.workspace) if settings.save and tools.workspace else ""
    return Run(execution.run, execution, trouble)


def _saved(execution: Execution, workspace: Workspace) -> str:
    """Keep the run; why that failed, where it did: what is computed is not lost for it."""
    try:
        execution.save(workspace)
    except UnavailableError as error:
        return str(error)
    return ""


def _opener(method: Method, systems: Given | Sequence[System], pair: Pair | None, tools: EngineTools) -> Open:
    """Opens the systems when it is known what they will be asked."""
    if not isinstance(systems, Mapping) and all(isinstance(system, System) for system in systems):
        ready = cast("Sequence[System]", systems)
        return lambda segments: ready
    unopened = cast("Given", systems)
    return lambda segments: open_systems(unopened, segments, pair, read=method.reader(segments, tools))


def _is_live(systems: Given | Sequence[System]) -> bool:
    values = systems.values() if isinstance(systems, Mapping) else systems
    return any(
        isinstance(what, LiveSystem) or (isinstance(what, str) and is_live(what.partition("=")[2] or what))
        for what in values
    )


def _with_texts(run: core.Run) -> list[dict[str, Any]]:
    """Findings as records, each with the texts it is about where its case is a segment."""
    by_id = {segment.id: segment for segment in run.segments}
    texts = {name: {o.id: o.text for o in answers} for name, answers in run.outputs.items()}
    records = []
    for finding in run.findings:
        record: dict[str, Any] = asdict(finding)
        if segment := by_id.get(finding.case_id):
            record["source"] = segment.source
            record["references"] = list(segment.references)
            record["output"] = texts[finding.system].get(segment.id)
        records.append(record)
    return records


def _deaf(note: str) -> None:
    pass
