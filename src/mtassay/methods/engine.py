"""Runs a method: generate, ask, judge, conclude. It stores slow results and reports the progress."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mtassay import __version__
from mtassay.data.errors import ClosedError, UsageError, WorkspaceError
from mtassay.data.method import Method
from mtassay.data.nouns import (
    DISPUTED,
    Case,
    Origin,
    Output,
    Request,
    Review,
    Run,
    RunContext,
    Segment,
    System,
    original_of,
    texts_digest,
)
from mtassay.data.subjects import decide
from mtassay.runtime.http_calls import without_secrets
from mtassay.runtime.workspace import Workspace
from mtassay.systems.client import Budget, CallPlan, Tally, plan_calls, translate_all
from mtassay.systems.live import ALONE, LiveSystem, ask_documents
from mtassay.systems.roster import Replay

if TYPE_CHECKING:
    from mtassay.runtime.executors import Executor


_KEEP_EVERY = 5.0  # seconds between writes of slow results

_Batch = TypeVar("_Batch")
_Answer = TypeVar("_Answer")

Report = Callable[[str, int, int | None], None]
"""Called with the name of a step, the number of finished parts, and the total (`None`: unknown)."""
Open = Callable[[Sequence[Segment]], Sequence[System]]
"""Opens the systems once their questions are known."""


@dataclass(frozen=True, slots=True)
class AskedCases:
    """The cases, and for each system one output per case and source, in order."""

    cases: Sequence[Case]
    outputs: Mapping[str, Sequence[Output]]


def execute(
    method: Method,
    segments: Sequence[Segment],
    systems: Sequence[System] | Open,
    context: EngineContext | None = None,
) -> Run:
    """Run a method on systems.

    Args:
        method: The method with its parameters.
        segments: The test set.
        systems: The systems, or a function that opens them once their requests are known.
        context: The workspace, the budget and the progress display; its notes and durations go into the run.

    Returns:
        The run, not saved yet.
    """
    context = context or EngineContext()
    started = datetime.now(UTC)
    method.require()
    generated = method.generate(segments, context)
    context.keep()
    for note in generated.notes:
        context.note(note)
    generated.check()
    context.texts = texts_digest(generated.segments)
    opened = systems(generated.segments) if callable(systems) else systems
    method.check([system.name for system in opened])
    asked = ask(method, generated.segments, opened, context)
    context.note_origins()
    judgement = method.judge(asked.cases, asked.outputs, context)
    context.note_origins()  # cost of the models that judged
    context.keep()
    result = method.score(judgement, context)
    return Run(
        id=f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
        method=method.name,
        parameters=without_secrets(method.parameters()),
        systems=[system.name for system in opened],
        started=started.isoformat(timespec="seconds"),
        versions={"mtassay": __version__, "python": platform.python_version()},
        result=replace(
            result,
            notes=list(dict.fromkeys((*context.notes, *result.notes))),
            basis={**context.basis, **result.basis},
        ),
        findings=judgement.findings,
        segments=generated.segments,
        outputs=asked.outputs,
        seconds=context.seconds,
        statistics=[entry for entry in judgement.statistics if entry.group == "all"],
        refused=generated.refused,
    )


def ask(
    method: Method, segments: Sequence[Segment], systems: Sequence[System], context: RunContext
) -> AskedCases:
    """Make a method's cases from segments, and ask every system for its answers to them."""
    cases = list(method.cases(segments, context))
    requests = [request for case in cases for request in case.requests()]
    times = getattr(method, "repeat", 1)
    # A text inside a document cannot be compared with a variant outside of it.
    edited = {original_of(s) for s in segments}
    documents = {
        s.id: s.document for s in segments if s.document and original_of(s) is None and s.id not in edited
    }
    outputs = {}
    for system in systems:
        if not isinstance(system, LiveSystem):
            outputs[system.name] = context.ask(system, requests)
            continue
        from mtassay.methods.repeats import ask_again, ask_in_context

        again = partial(ask_again, system, context=context, times=times)
        if getattr(method, "asks_alone", False):
            outputs[system.name] = ask_in_context(requests, again)
        else:
            outputs[system.name] = ask_documents(system, requests, documents, again)
        if alone := sum(ALONE in output.meta for output in outputs[system.name]):
            context.note(
                f"{system.name}: {alone:,} of {len(requests):,} texts could not be read from an answer to "
                "several texts, so each was sent again alone"
            )
    return AskedCases(cases, outputs)


def translate(
    segments: Sequence[Segment], systems: Sequence[System], context: RunContext
) -> dict[str, list[Output]]:
    """Ask every system to translate every segment, for later use by any method."""
    requests = [Request(s.id, s.source, s.tags.get("context")) for s in segments]
    documents = {segment.id: segment.document for segment in segments if segment.document}
    return {
        system.name: ask_documents(system, requests, documents, partial(context.ask, system))
        for system in systems
    }


@dataclass(slots=True)
class EngineContext(RunContext):
    """Gives a method the workspace's stored results, live engines and the caller's progress display.

    With `fresh`, live engines are asked again even if an answer was stored before this context was made. With
    `dry`, no engine is asked, and `plans` has the requests.
    """

    workspace: Workspace | None = None
    report: Report = lambda step, done, total: None
    budget: Budget = field(default_factory=Budget)
    listen: Callable[[str], None] = lambda note: None
    fresh: bool = False
    dry: bool = False
    caches: bool = True
    """Whether computed results are looked up and stored; answers of engines and runs always are."""
    texts: str = ""
    origins: dict[str, Origin] = field(default_factory=dict)
    """The origin of the answers, by the name of the system."""
    began: int = 0
    """The number of the newest answer in the workspace when this context was made."""
    notes: list[str] = field(default_factory=list)
    pending: dict[str, bytes] = field(default_factory=dict)
    kept: float = field(default_factory=time.monotonic)
    plans: dict[str, CallPlan] = field(default_factory=dict)
    """The requests of a dry run, by the name of the system."""
    spent: dict[str, Tally] = field(default_factory=dict)
    """The cost of each live engine so far, by signature. Contexts that share this share the budget."""
    live: set[str] = field(default_factory=set)
    """Names of the live systems that were asked."""
    about: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Known facts about systems: price, currency, model, prompt."""
    executor: Executor[Any] | None = None
    """The workers for large computations; `None` computes in this process."""
    _told: set[str] = field(default_factory=set)
    _seconds: dict[str, float] = field(default_factory=dict)
    _step: str = ""
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.began = self.workspace.newest_answer if self.workspace else 0

    def progress(self, step: str, done: int, total: int | None) -> None:
        if step != self._step:
            self._count(step)
        self.report(step, done, total)

    @property
    def seconds(self) -> dict[str, float]:
        """The duration of each step, in the order in which they began."""
        self._count(self._step)
        return dict(self._seconds)

    def _count(self, step: str) -> None:
        """Add the time since the last count to the current step, and start the next step."""
        now = time.monotonic()
        name = self._step.partition(" (")[0].partition(" · ")[0]
        if name:
            self._seconds[name] = self._seconds.get(name, 0.0) + now - self._began
        self._step, self._began = step, now

    def recall(self, key: str) -> bytes | None:
        kept = self.workspace if self.caches else None
        return self.pending.get(key) or (kept.recall(key) if kept else None)

    def remember(self, key: str, value: bytes) -> None:
        """Collect results for seconds before writing them, since one transaction for many is fast."""
        self.pending[key] = value
        if time.monotonic() - self.kept > _KEEP_EVERY:
            self.keep()

    def decisions(self, question: str) -> Mapping[str, str]:
        if self.workspace is None:
            return {}
        decided = decide(self._reviews(question))
        answers = {subject: DISPUTED if d.is_disputed else d.answer for (subject, _), d in decided.items()}
        return {subject: answer for subject, answer in answers.items() if answer}

    def reviewers(self, question: str) -> Mapping[str, Collection[str]]:
        return {subject: d.voices for (subject, _), d in decide(self._reviews(question)).items()}

    def _reviews(self, question: str) -> Sequence[Review]:
        """People's answers, without those that would reveal results to reviewers of an open campaign."""
        if self.workspace is None:
            return ()
        from mtassay.review.campaign_store import counted_reviews  # loads slowly

        given = self.workspace.reviews(question)
        counted = counted_reviews(self.workspace, given)
        if held_back := len(given) - len(counted):
            waiting = "an open campaign waits for other reviewers"
            self.note(f"{held_back:,} answers of reviewers to '{question}' do not count yet: {waiting}.")
        return counted

    def check_keys(self, systems: Iterable[System], requests: Sequence[Request] | None = None) -> None:
        """Raise a `UsageError` if an engine has no key and must be asked.

        Without `requests`, an engine must be asked if none of its answers is stored.
        """
        for system in systems:
            if self.dry or not isinstance(system, LiveSystem):
                continue
            try:
                system.check_key()
            except ClosedError as error:
                if requests is not None:
                    is_known = not plan_calls(
                        system, requests, answers=self.workspace, fresh=self.fresh
                    ).calls
                else:
                    kept = self.workspace.answers_of(system.signature) if self.workspace else ()
                    is_known = bool(kept) and not self.fresh
                if not is_known:
                    raise UsageError(str(error)) from None

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        """Look up stored outputs, and ask live engines within the rest of their budget."""
        if isinstance(system, Replay) and system.origin:
            self.origins[system.name] = system.origin
        for note in getattr(system, "notes", ()):
            self.note(note)
        if not isinstance(system, LiveSystem):
            return list(system.translate(requests))
        self.live.add(system.name)
        if self.dry:
            plan = plan_calls(system, requests, answers=self.workspace, fresh=self.fresh)
            self.plans[system.name] = self.plans.get(system.name, CallPlan(0, 0, 0)) + plan
            return list(plan.outputs)
        if self.workspace and self.workspace.read_only:
            raise WorkspaceError(
                f"{self.workspace.path} may not be written: answers of {system.name} would be lost."
            )
        self.check_keys([system], requests)
        before = self.spent.get(system.signature, Tally(0))
        spent = Tally(0)

        def tell(tally: Tally) -> None:
            nonlocal spent
            spent = tally
            self.progress(tally.describe(system.name), tally.done, tally.total)

        outputs = translate_all(
            system,
            requests,
            answers=self.workspace,
            budget=self.budget,
            spent=before,
            report=tell,
            began=self.began,
            fresh=self.fresh,
        )
        self.origins[system.name] = self.origins.get(system.name, Origin(engine=system.engine)) + spent.origin
        if self.workspace and (waiting := self.workspace.waiting):
            self.note(
                f"{self.workspace.path} could not be written: {waiting:,} answers are kept beside it and "
                "added when it is opened next."
            )
        self.spent[system.signature] = Tally(
            0,
            calls=before.calls + spent.calls,
            characters=before.characters + spent.characters,
            stopped=spent.stopped,
        )
        return outputs

    def engine(self, system: str) -> str:
        return self.origins[system].engine if system in self.origins else ""

    @property
    def workers(self) -> int:
        return self.executor.workers if self.executor else 1

    def map(self, function: Callable[[_Batch], _Answer], batches: Iterable[_Batch]) -> Iterator[_Answer]:
        return self.executor.map(function, batches) if self.executor else map(function, batches)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
            self.listen(text)

    def note_origins(self) -> None:
        """Report once for every live system how many of its answers so far were stored earlier."""
        for name, origin in self.origins.items():
            told = origin.describe(name)
            if told and name not in self._told:
                self.note(told)
            self._told.add(name)

    @property
    def basis(self) -> dict[str, Any]:
        """The part of a result's basis that comes from this context."""
        answers = {name: asdict(origin) for name, origin in self.origins.items()}
        about = {"systems": {name: dict(facts) for name, facts in self.about.items()}} if self.about else {}
        return {"texts": self.texts, **({"answers": answers} if answers else {}), **about}

    def keep(self) -> None:
        """Write the remembered results, in one transaction."""
        if self.workspace and self.caches and self.pending:
            self.workspace.remember(self.pending.items())
            self.pending = {}
        self.kept = time.monotonic()
