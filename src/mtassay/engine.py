"""Runs a method: generate, ask, judge, conclude. Keeps what was dear to compute, says how far it is."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from mtassay import __version__
from mtassay.caller import Budget, CallPlan, Tally, plan_calls, translate_all
from mtassay.core import (
    DISPUTED,
    Case,
    Generated,
    Judgement,
    Origin,
    Output,
    Request,
    Result,
    Run,
    Segment,
    System,
    Tools,
    texts_digest,
)
from mtassay.errors import WorkspaceError
from mtassay.executors import Executor, Local
from mtassay.method import Method
from mtassay.reviews import decide
from mtassay.store import Workspace, now_exactly
from mtassay.systems.live import LiveSystem
from mtassay.systems.stored import Replay

__all__ = [
    "AskedCases",
    "EngineTools",
    "Execution",
    "ask",
    "execute",
    "live_outputs",
    "run_with",
    "translate",
]

_KEEP_EVERY = 5.0  # seconds between two writes of what was dear to compute

_Batch = TypeVar("_Batch")
_Answer = TypeVar("_Answer")

Report = Callable[[str, int, int | None], None]
"""Called with a step's name, how much of it is done, and how much there is (`None`: unknown)."""
Open = Callable[[Sequence[Segment]], Sequence[System]]
"""Opens the systems once it is known what they will be asked."""


@dataclass(frozen=True, slots=True)
class AskedCases:
    """The cases, and for each system one output per case and source, in order."""

    cases: Sequence[Case]
    outputs: Mapping[str, Sequence[Output]]


@dataclass(frozen=True, slots=True)
class Execution:
    """A run together with all that it was made of."""

    run: Run
    method: Method
    judgement: Judgement
    generated: Generated
    systems: Sequence[System]

    @property
    def segments(self) -> Sequence[Segment]:
        """What was asked."""
        return self.run.segments

    @property
    def outputs(self) -> Mapping[str, Sequence[Output]]:
        """What was answered, by system."""
        return self.run.outputs

    @property
    def is_live(self) -> bool:
        """Whether any of the systems is a live engine."""
        return any(isinstance(system, LiveSystem) for system in self.systems)

    @property
    def failures(self) -> dict[str, list[Output]]:
        """What live engines did not translate, by system; who answered everything is not there."""
        live = live_outputs(self.systems, self.outputs)
        failed = {name: [o for o in answers if o.error is not None] for name, answers in live.items()}
        return {name: outputs for name, outputs in failed.items() if outputs}

    def save(self, workspace: Workspace) -> None:
        """Put all of it into the workspace."""
        workspace.save_run(self.run)


def execute(
    method: Method,
    segments: Sequence[Segment],
    systems: Sequence[System] | Open,
    *,
    workspace: Workspace | None = None,
    budget: Budget | None = None,
    report: Report | None = None,
    listen: Callable[[str], None] | None = None,
    concludes: bool = True,
) -> Execution:
    """Run a method on systems. With a workspace, what is dear to compute is looked up and kept there.

    `budget` is for each live system. `listen` is told every note at once. Without `concludes`, the run has
    findings and counts, and no scores.
    """
    tools = EngineTools(workspace, report or _silent, budget or Budget(), listen or _deaf)
    return run_with(tools, method, segments, systems, concludes=concludes)


def run_with(
    tools: EngineTools,
    method: Method,
    segments: Sequence[Segment],
    systems: Sequence[System] | Open,
    *,
    concludes: bool = True,
    made: Callable[[Generated], None] | None = None,
) -> Execution:
    """The same with tools that have been used, and whose notes and seconds belong to the run.

    `made` is told what was generated, before anything is asked.
    """
    started = datetime.now(UTC)
    generated = method.generate(segments, tools)
    tools.keep()
    if made is not None:
        made(generated)
    for note in generated.notes:
        tools.note(note)
    generated.check()
    tools.texts = texts_digest(generated.segments)
    opened = systems(generated.segments) if callable(systems) else systems
    method.check([system.name for system in opened])
    asked = ask(method, generated.segments, opened, tools)
    tools.note_origins()
    judgement = method.judge(asked.cases, asked.outputs, tools)
    tools.note_origins()  # of models that judged
    tools.keep()
    result = method.score(judgement, tools) if concludes else Result(counts=judgement.counts)
    run = Run(
        id=f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
        method=method.name,
        parameters=method.parameters(),
        systems=[system.name for system in opened],
        started=started.isoformat(timespec="seconds"),
        versions={"mtassay": __version__, "python": platform.python_version()},
        result=replace(
            result,
            notes=list(dict.fromkeys((*tools.notes, *result.notes))),
            basis={**tools.basis, **result.basis},
        ),
        findings=judgement.findings,
        segments=generated.segments,
        outputs=asked.outputs,
        seconds=tools.seconds,
        statistics=[entry for entry in judgement.statistics if entry.group == "all"],
    )
    return Execution(run, method, judgement, generated, opened)


def ask(method: Method, segments: Sequence[Segment], systems: Sequence[System], tools: Tools) -> AskedCases:
    """The cases that a method makes of segments, and what every system answers to them."""
    cases = list(method.cases(segments, tools))
    requests = [request for case in cases for request in case.requests()]
    return AskedCases(cases, {system.name: tools.ask(system, requests) for system in systems})


def translate(
    segments: Sequence[Segment], systems: Sequence[System], tools: Tools
) -> dict[str, list[Output]]:
    """What every system answers to every segment, whatever method asks for it later."""
    requests = [Request(s.id, s.source, s.tags.get("context")) for s in segments]
    return {system.name: tools.ask(system, requests) for system in systems}


def live_outputs(
    systems: Sequence[System], outputs: Mapping[str, Sequence[Output]]
) -> dict[str, Sequence[Output]]:
    """The outputs of the live engines among the systems: what has an error there was not translated."""
    return {system.name: outputs[system.name] for system in systems if isinstance(system, LiveSystem)}


@dataclass(slots=True)
class EngineTools(Tools):
    """Lends the workspace's memory, live engines and the caller's progress display to a method.

    With `fresh`, live engines are asked again for what they answered before these tools were made. When
    `dry`, nobody is asked: `plans` then have what would be.
    """

    workspace: Workspace | None
    report: Report
    budget: Budget = field(default_factory=Budget)
    listen: Callable[[str], None] = lambda note: None
    fresh: bool = False
    dry: bool = False
    texts: str = ""
    origins: dict[str, Origin] = field(default_factory=dict)
    """Where the answers come from, by the name of the system."""
    started: str = field(default_factory=now_exactly)
    notes: list[str] = field(default_factory=list)
    pending: dict[str, bytes] = field(default_factory=dict)
    kept: float = field(default_factory=time.monotonic)
    plans: dict[str, CallPlan] = field(default_factory=dict)
    """What a dry run would ask, by the name of the system."""
    spent: dict[str, Tally] = field(default_factory=dict)
    """What each live engine has cost so far, by its signature; whoever shares it shares the budget."""
    executor: Executor = field(default_factory=Local)
    _told: set[str] = field(default_factory=set)
    _seconds: dict[str, float] = field(default_factory=dict)
    _step: str = ""
    _began: float = field(default_factory=time.monotonic)

    def progress(self, step: str, done: int, total: int | None) -> None:
        if step != self._step:
            self._count(step)
        self.report(step, done, total)

    @property
    def seconds(self) -> dict[str, float]:
        """How long each step has taken, in the order in which they began."""
        self._count(self._step)
        return dict(self._seconds)

    def _count(self, step: str) -> None:
        """Add the time since it was last counted to the step that is under way, and go on with another."""
        now = time.monotonic()
        name = self._step.partition(" (")[0].partition(" · ")[0]
        if name:
            self._seconds[name] = self._seconds.get(name, 0.0) + now - self._began
        self._step, self._began = step, now

    def recall(self, key: str) -> bytes | None:
        return self.pending.get(key) or (self.workspace.recall(key) if self.workspace else None)

    def remember(self, key: str, value: bytes) -> None:
        """Kept a moment before it is written: one transaction for many is fast, and a kill loses seconds."""
        self.pending[key] = value
        if time.monotonic() - self.kept > _KEEP_EVERY:
            self.keep()

    def decisions(self, question: str) -> Mapping[str, str]:
        if self.workspace is None:
            return {}
        decided = decide(self.workspace.reviews(question))
        answers = {subject: DISPUTED if d.is_disputed else d.answer for (subject, _), d in decided.items()}
        return {subject: answer for subject, answer in answers.items() if answer}

    def reviewers(self, question: str) -> Mapping[str, Collection[str]]:
        reviews = self.workspace.reviews(question) if self.workspace else ()
        return {subject: d.voices for (subject, _), d in decide(reviews).items()}

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        """Stored outputs are looked up. A live engine is asked within what is left of its budget."""
        if isinstance(system, Replay) and system.origin:
            self.origins[system.name] = system.origin
        if not isinstance(system, LiveSystem):
            return list(system.translate(requests))
        if self.dry:
            plan = plan_calls(system, requests, answers=self.workspace, fresh=self.fresh)
            self.plans[system.name] = self.plans.get(system.name, CallPlan(0, 0, 0)) + plan
            return list(plan.outputs)
        if self.workspace and self.workspace.read_only:
            raise WorkspaceError(
                f"{self.workspace.path} may not be written: answers of {system.name} would be lost."
            )
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
            began=self.started,
            fresh=self.fresh,
        )
        self.origins[system.name] = self.origins.get(system.name, Origin()) + spent.origin
        if self.workspace and (waiting := self.workspace.waiting):
            self.note(
                f"{self.workspace.path} could not be written: {waiting:,} answers wait beside it, and go in "
                "when it is opened next."
            )
        self.spent[system.signature] = Tally(
            0,
            calls=before.calls + spent.calls,
            characters=before.characters + spent.characters,
            stopped=spent.stopped,
        )
        return outputs

    @property
    def workers(self) -> int:
        return self.executor.workers

    def map(self, function: Callable[[_Batch], _Answer], batches: Iterable[_Batch]) -> Iterator[_Answer]:
        return self.executor.map(function, batches)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
            self.listen(text)

    def note_origins(self) -> None:
        """Say of every live system, once, how many of its answers so far are from earlier."""
        for name, origin in self.origins.items():
            told = origin.describe(name)
            if told and name not in self._told:
                self.note(told)
            self._told.add(name)

    @property
    def basis(self) -> dict[str, Any]:
        """What numbers rest on that come from these tools."""
        answers = {name: asdict(origin) for name, origin in self.origins.items()}
        return {"texts": self.texts, **({"answers": answers} if answers else {})}

    def keep(self) -> None:
        """Write what was remembered, in one transaction."""
        if self.workspace and self.pending:
            self.workspace.remember(self.pending.items())
            self.pending = {}
        self.kept = time.monotonic()


def _silent(step: str, done: int, total: int | None) -> None:
    pass


def _deaf(note: str) -> None:
    pass
