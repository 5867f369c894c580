"""Runs as the library returns them: they print, plot, judge and save themselves; and how methods are run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from mtassay.app.arguments import known_keywords, refuse_unknown
from mtassay.app.settings_types import JudgeOptions, LookOptions, ReportOptions
from mtassay.data import nouns
from mtassay.data.display import Block, Figure, Headline, Look, Table
from mtassay.data.errors import MtassayError, UsageError, WorkspaceError
from mtassay.data.formats.jsonl import segment_record
from mtassay.data.languages import Pair
from mtassay.data.marks import plural
from mtassay.data.method import Method, method_of, view_of
from mtassay.data.nouns import Finding, Judgement, Output, Result, Segment, System
from mtassay.data.registry import find
from mtassay.data.settings import is_live
from mtassay.methods.engine import EngineContext, Open, execute
from mtassay.report.run_text import Form, Progress, render, render_html
from mtassay.review.pending import answers_about, answers_note
from mtassay.runtime.database import UnavailableError, nearest_workspace
from mtassay.runtime.workspace import TEMPORARY_RUNS, Workspace
from mtassay.systems.client import Budget, CallPlan, Tally
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import AnySystems, named, open_system, open_systems, replays

if TYPE_CHECKING:
    from mtassay.review.case_history import CaseHistory
    from mtassay.runtime.executors import Executor


Read = Callable[[EngineContext], Sequence[Segment]]
"""A function that reads segments and reports notes."""


@dataclass(frozen=True, repr=False)
class Run:
    """The results of a method: scores, findings, tables, figures; prints itself as the command does.

    >>> from mtassay import score
    >>> run = score({"a": ["Olá, mundo!"], "b": ["Oi!"]}, [["Olá, mundo!"]], metrics="chrf", samples=100)
    >>> [(record["system"], round(record["value"])) for record in run.records()]
    [('a', 100), ('b', 8)]
    """

    record: nouns.Run
    made_by: Method | None = field(default=None, compare=False)
    """The method of a fresh run; `None` for a saved run."""
    live: frozenset[str] = field(default=frozenset(), compare=False)
    """The systems of a fresh run that are live engines."""
    trouble: str = field(default="", compare=False)
    """Why the run could not be saved; empty if it was saved, or nobody asked for it."""

    @property
    def id(self) -> str:
        """The run's id in the workspace."""
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
        """Notes that a reader must know besides the numbers."""
        return self.record.result.notes

    @property
    def findings(self) -> Sequence[Finding]:
        """All findings with their evidence."""
        return self.record.findings

    @property
    def segments(self) -> Sequence[Segment]:
        """The texts to translate."""
        return self.record.segments

    @property
    def outputs(self) -> Mapping[str, Sequence[Output]]:
        """The answers, by system."""
        return self.record.outputs

    @property
    def failures(self) -> Mapping[str, Sequence[Output]]:
        """Texts that live engines failed to translate, by system, each with its reason."""
        live = {name: answers for name, answers in self.outputs.items() if name in self.live}
        failed = {name: [o for o in answers if o.error is not None] for name, answers in live.items()}
        return {name: outputs for name, outputs in failed.items() if outputs}

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
            if self.made_by is None and not run.statistics:
                raise self._not_kept()
            judgement = Judgement(run.findings, run.statistics, run.result.counts)
            return (self.made_by or method_of(run).resolve({}, run)).units(judgement)
        if what == "refused":
            if run.refused is None:
                raise self._not_kept()
            return [dict(record) for record in run.refused]
        available = "scores, comparisons, clusters, findings, outputs, segments, units, refused"
        raise UsageError(f"A run has no '{what}'. Available: {available}.")

    def headlines(self) -> list[Headline]:
        """The main results, in sentences: which system is better, what each is worst at, what is open."""
        return view_of(self.record).headlines()

    def tables(self, **look: Unpack[LookOptions]) -> list[Table]:
        """All tables; `look` are the fields of `display.Look`: `detail=True`, `pairs=True`, `cases=3`."""
        return view_of(self.record).tables(Look(**look))

    def figures(self, **look: Unpack[LookOptions]) -> list[Figure]:
        """All figures, as data; `plot` draws them."""
        return view_of(self.record).figures(Look(**look))

    def plot(self, path: str | PathLike[str], **look: Unpack[LookOptions]) -> None:
        """Draw all figures into one file, .svg or .png, below each other; `look` as for `tables`."""
        from mtassay.report.plots import check_plot, draw  # large, and rarely used

        target = Path(path)
        check_plot(target)
        if not (figures := self.figures(**look)):
            raise UsageError(f"There is nothing to draw of a run of {self.method}.")
        draw(figures, target)

    def blocks(self, case: str | None = None, **look: Unpack[LookOptions]) -> list[Block]:
        """The cases that a person should see first, or every system's answer to one case."""
        view = view_of(self.record)
        if case is None:
            return view.blocks(Look(**look))
        return [view.block(case, system) for system in self.systems]

    def differences(self, *systems: str, **look: Unpack[LookOptions]) -> dict[str, Any]:
        """The differences between two systems, segment by segment, as plain data.

        By default, these are the baseline and the best other system. `look` are fields of `display.Look`:
        `examples=5` for how many segments each way, `metric="chrf"`.
        `run.render(examples=5)` shows the same.
        """
        chosen: LookOptions = {"examples": 5, "between": systems, **look}
        record = view_of(self.record).differences_record(Look(**chosen))
        return cast("dict[str, Any]", record.get("differences", {}))

    def render(
        self, form: Form = "text", *, seen_notes: Sequence[str] = (), **look: Unpack[LookOptions]
    ) -> str:
        """The run as text, json, tsv, md or latex, without `seen_notes`, which the reader knows."""
        return render(self.record, form, look=Look(**look), seen_notes=seen_notes)

    def report(self, path: str | PathLike[str] = "report.html", **options: Unpack[ReportOptions]) -> Path:
        """Write a page about this run; `options` are those of `write_report`, as `against`, `title`."""
        from mtassay.app.reports import write_report  # this module imports runs

        return write_report(self, path, **options)

    def judge(
        self,
        method: str | None = None,
        /,
        parameters: Mapping[str, Any] | None = None,
        **changes: Unpack[JudgeOptions],
    ) -> Run:
        """Judge the same outputs again with other parameters: nothing is translated twice.

        `method` is the name of another method, where that can judge them, too. `parameters` are for methods
        of other packages, which have no keywords here.
        """
        cls = method_of(self.record) if method is None else cast("type[Method]", find("method", method))
        refuse_unknown("judge", changes, {*JudgeOptions.__annotations__, *(f.name for f in fields(cls))})
        options, own = RunSettings.split(changes)
        parameters = {**own, **(parameters or {})}
        if (repeat := parameters.get("repeat")) and repeat != self.record.parameters.get("repeat", 1):
            raise UsageError("`repeat` asks systems again, but a saved run asks no system: leave it out.")
        segments = cls.segments_of(self.record)
        judged = execute_method(cls.resolve(parameters, self.record), segments, replays(self.record), options)
        # Without engines, times are not comparable with those of a run.
        return replace(judged, record=replace(judged.record, seconds={}))

    def explain(self, case: str, *, workspace: str | PathLike[str] | None = None) -> CaseHistory:
        """One case of a saved run with all its data: outputs, findings, decisions, earlier runs."""
        from mtassay.review.case_history import tell_case

        return tell_case(open_workspace(workspace), case, run=self.id)

    def save(self, workspace: str | PathLike[str] | None = None) -> Run:
        """Keep the run in the workspace; `load` returns it."""
        Workspace(workspace_path(workspace)).save_run(self.record)
        return self

    def _not_kept(self) -> UsageError:
        return UsageError(f"Run {self.id} comes from the workspace, which does not keep that.")

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<Run {self.id}: {self.method} of {', '.join(self.systems)}>"

    def _repr_html_(self) -> str:
        from mtassay.app.page.contents import decide_costs  # only notebooks need this here
        from mtassay.app.page.decision import DecidedRun

        told = decide_costs([DecidedRun.of(self.method, self.record)], ())
        lines = told.lines() if told.leaders else []
        # Commands are indented; a notebook shows none.
        said = [f"<p>{escape(line)}</p>\n" for line in lines if not line.startswith(" ")]
        return "".join(said) + render_html(self.record)


@known_keywords()
def load(
    name: str = "last", *, workspace: str | PathLike[str] | None = None, method: str | None = None
) -> Run:
    """Load a saved run by its id, the beginning or the end of it, or `last`.

    Args:
        name: The id of the run, its beginning or its end, or `"last"`.
        workspace: The file of saved runs; by default the nearest one.
        method: Then `"last"` is the newest run of this method, and a run of another one is refused.

    Returns:
        The run; it prints, shows and exports itself.

    Raises:
        UsageError: There is no such run, or several.
    """
    store = open_workspace(workspace)
    if name == "last" and method is not None:
        name = next((run.id for run in store.runs() if run.method == method), name)
    record = settled_run(store, name)
    if method not in (None, record.method):
        raise UsageError(f"Run {record.id} is of '{record.method}', not of '{method}'.")
    return Run(record)


def settled_run(store: Workspace, name: str) -> nouns.Run:
    """A saved run as people see it: with what reviewers answered until now."""
    run = store.run(name)
    context = EngineContext(store, texts=str(run.result.basis.get("texts", "")))
    settled = method_of(run).settled(run, context)
    said = answers_about(run, context)
    notes = dict.fromkeys((*settled.result.notes, *context.notes, *answers_note(settled, said)))
    return replace(settled, said=said, result=replace(settled.result, notes=list(notes)))


def workspace_path(chosen: str | PathLike[str] | None = None) -> Path:
    """The chosen file, the one of $MTASSAY_WORKSPACE, or that of this folder or the nearest above it."""
    named_file = chosen or os.environ.get("MTASSAY_WORKSPACE")
    return Path(named_file) if named_file else nearest_workspace()


def open_workspace(chosen: Any = None) -> Workspace:
    """Return the workspace, which must exist; an open one is returned unchanged."""
    if isinstance(chosen, Workspace):
        return chosen
    path = workspace_path(chosen)
    if not path.exists():
        raise UsageError(f"There is no workspace {path} yet: run a method, or give another `workspace`.")
    return Workspace(path)


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How to run a method: the settings that all functions of the library share; see `app.library`.

    `temporary` is how the command line saves: if the workspace cannot be made, the result is still returned,
    and a temporary run is deleted once there are many newer runs. `creates` makes a missing workspace for the
    cache alone. With `dry_run` no engine is asked, nothing is kept, and `DryRun` is raised. Runs with the
    same `spent` share their budget. `executor` says where large work is computed: local, processes or ray, on
    the cluster at `ray_address` or on this machine; an open executor stays open. `about` has known facts
    about systems, by name: `price` (of a million characters, or of a million tokens read and of a million
    written), `currency`, and the `model` and `prompt` of a system.
    """

    save: bool = False
    temporary: bool = False
    workspace: str | PathLike[str] | None = None
    max_calls: int | None = None
    max_characters: int | None = None
    max_seconds: float | None = None
    cache: bool = True
    fresh: bool = False
    quiet: bool | None = None
    listen: Callable[[str], None] | None = None
    creates: bool = False
    dry_run: bool = False
    spent: dict[str, Tally] = field(default_factory=dict)
    executor: str | Executor[Any] = "local"
    ray_address: str | None = None
    about: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def split(cls, options: Mapping[str, Any]) -> tuple[Self, dict[str, Any]]:
        """Split settings of the run from the rest: the parameters of the method."""
        how = {f.name for f in fields(cls)}
        settings = cls(**{key: value for key, value in options.items() if key in how})
        return settings, {key: value for key, value in options.items() if key not in how}

    @property
    def is_quiet(self) -> bool:
        """Whether progress is hidden; without a terminal or notebook, nothing is shown anyway."""
        return bool(self.quiet)

    @property
    def budget(self) -> Budget:
        """Return the limits of each live engine."""
        return Budget(calls=self.max_calls, characters=self.max_characters, seconds=self.max_seconds)

    def memory(self, *, is_live: bool = False) -> Workspace | None:
        """Return the workspace to read from; `None` if there is none and none is needed."""
        path = workspace_path(self.workspace)
        if self.dry_run:
            return Workspace(path) if path.exists() else None
        if not self.save and (not self.cache or str(path) == ":memory:"):
            return None
        if not (self.save or path.exists() or is_live or self.creates or self.workspace is not None):
            return None
        try:
            return Workspace(path)
        except WorkspaceError:
            is_wanted = self.save and not self.temporary
            if is_wanted or self.workspace is not None or path.exists():
                raise
            return None  # a folder that may not be written: a score does not need it

    @contextmanager
    def context(
        self, systems: AnySystems | Sequence[System] = (), *, is_live: bool = False
    ) -> Iterator[EngineContext]:
        """Yield the resources of a method while it asks these systems and judges, with progress shown.

        Results that are slow to compute are kept at the end.
        """
        with self._open_executor() as executor, Progress(quiet=self.is_quiet) as progress:
            store = self.memory(is_live=is_live or _is_live(systems))
            listen = self.listen if self.listen and not self.dry_run else lambda note: None
            context = EngineContext(
                *(store, progress.report, self.budget, listen, self.fresh, self.dry_run, self.cache),
                spent=self.spent,
                executor=executor,
                about=self.about,
            )
            try:
                yield context
            finally:
                context.keep()  # after Ctrl-C too

    def _open_executor(self) -> AbstractContextManager[Executor[Any] | None]:
        """Yield the workers, closed at the end unless the caller opened them; `None` for this process."""
        if self.dry_run or (self.executor == "local" and self.ray_address is None):
            return nullcontext()
        if not isinstance(self.executor, str):
            return nullcontext(self.executor)
        from mtassay.runtime.executors import open_executor

        return open_executor(self.executor, address=self.ray_address) or nullcontext()


class DryRun(MtassayError):  # noqa: N818
    """The requests a run would send, raised in place of the run; `plans` have them by the name of the system.

    `is_open` is true if answers may lead to further requests.
    """

    exit_code = 0

    def __init__(self, plans: Mapping[str, CallPlan], *, is_open: bool = False) -> None:
        self.plans = plans
        self.is_open = is_open
        super().__init__("; ".join(self.lines))

    @property
    def lines(self) -> list[str]:
        """Yield the same for a reader."""
        if not self.plans:
            return ["No live engine or model would be asked."]
        told = [plan.describe(name) for name, plan in self.plans.items()]
        return [*told, "Depending on the answers, more may be asked."] if self.is_open else told


@dataclass(frozen=True)
class Work:
    """A method with its segments and systems; segments may be read only when the method runs."""

    method: Method
    segments: Sequence[Segment] | Read
    systems: AnySystems | Sequence[System]
    pair: Pair | None = None

    def run(self, settings: RunSettings) -> Run:
        """Run it."""
        return execute_method(self.method, self.segments, self.systems, settings, self.pair)

    def check(self) -> None:
        """Refuse systems whose outputs do not match the segments; nothing is asked."""
        with RunSettings(dry_run=True, quiet=True).context() as context:
            read = self.segments(context) if callable(self.segments) else self.segments
            opened = _opener(self.method, self.systems, self.pair, context)(read)
            self.method.check([system.name for system in opened])


def execute_method(
    method: Method,
    segments: Sequence[Segment] | Read,
    systems: AnySystems | Sequence[System],
    settings: RunSettings,
    pair: Pair | None = None,
) -> Run:
    """Run the method, show its progress, and keep the run if wanted."""
    with settings.context(systems, is_live=method.asks_models) as context:
        if not settings.dry_run:
            context.check_keys(_live_among(systems, pair))
        read = segments(context) if callable(segments) else segments
        opened = _opener(method, systems, pair, context)
        if settings.dry_run:
            try:
                execute(method, read, opened, context)
            except MtassayError:  # a method may give up if an engine answered nothing
                if not context.plans:
                    raise
            is_open = method.asks_models and any(plan.calls for plan in context.plans.values())
            raise DryRun(context.plans, is_open=is_open)
        record = execute(method, read, opened, context)
        method.check_run(record)
        trouble = keep_run(record, context, settings) if settings.save else ""
    return Run(record, method, frozenset(context.live), trouble)


def keep_run(record: nouns.Run, context: EngineContext, settings: RunSettings) -> str:
    """Store the run; if this fails, return the reason instead of losing the results."""
    store = context.workspace
    if store is None:
        return f"{workspace_path(settings.workspace)} cannot be written."
    try:
        store.save_run(record, is_temporary=settings.temporary)
        if settings.temporary and (old := store.tidy()):
            context.listen(
                f"deleted {plural(len(old), 'old run')}: of runs that nobody reviewed, the newest "
                f"{TEMPORARY_RUNS} are kept."
            )
    except UnavailableError as error:
        return str(error)
    return ""


def _opener(
    method: Method, systems: AnySystems | Sequence[System], pair: Pair | None, context: EngineContext
) -> Open:
    """Open the systems once their requests are known."""
    if not isinstance(systems, Mapping) and all(isinstance(system, System) for system in systems):
        ready = cast("Sequence[System]", systems)
        return lambda segments: ready
    unopened = cast("AnySystems", systems)
    return lambda segments: open_systems(unopened, segments, pair, read=method.reader(segments, context))


def _live_among(systems: AnySystems | Sequence[System], pair: Pair | None) -> list[System]:
    """Return the live engines before their requests are known."""
    if not isinstance(systems, Mapping) and all(isinstance(system, System) for system in systems):
        return list(cast("Sequence[System]", systems))
    return [
        open_system(name, what, pair) if isinstance(what, str) else what
        for name, what in named(cast("AnySystems", systems)).items()
        if isinstance(what, System) or (isinstance(what, str) and is_live(what))
    ]


def _is_live(systems: AnySystems | Sequence[System]) -> bool:
    values = systems.values() if isinstance(systems, Mapping) else systems
    return any(
        isinstance(what, LiveSystem) or (isinstance(what, str) and is_live(what.partition("=")[2] or what))
        for what in values
    )


def _with_texts(run: nouns.Run) -> list[dict[str, Any]]:
    """Return findings as records, with the texts of each if its case is a segment."""
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
