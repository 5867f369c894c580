"""Runs a method: asks the systems, keeps what was dear to compute, says how far it is."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from typing import Any

from mtassay import __version__
from mtassay.caller import Budget, Tally, translate_all
from mtassay.core import DISPUTED, Judgement, Method, Output, Run, Segment, System, Tools
from mtassay.errors import WorkspaceError
from mtassay.reviews import decide
from mtassay.store import Workspace
from mtassay.systems.live import LiveSystem

__all__ = ["EngineTools", "Execution", "execute"]

_KEEP_EVERY = 5.0  # seconds between two writes of what was dear to compute

Report = Callable[[str, int, int | None], None]
"""Called with a step's name, how much of it is done, and how much there is (`None`: unknown)."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A run together with what went into it."""

    run: Run
    segments: Sequence[Segment]
    outputs: Mapping[str, Sequence[Output]]
    judgement: Judgement

    def save(self, workspace: Workspace) -> None:
        """Put all of it into the workspace."""
        workspace.save_run(self.run, self.segments, self.outputs)


def execute(
    method: Method,
    segments: Sequence[Segment],
    systems: Sequence[System],
    *,
    workspace: Workspace | None = None,
    budget: Budget | None = None,
    report: Report | None = None,
) -> Execution:
    """Run a method on systems. With a workspace, what is dear to compute is looked up and kept there.

    `budget` is for each live system.
    """
    started = datetime.now(UTC)
    tools = EngineTools(workspace, report or _silent)
    cases = list(method.cases(segments, tools))
    requests = [request for case in cases for request in case.requests()]
    outputs = {}
    for system in systems:
        if isinstance(system, LiveSystem):
            if workspace and workspace.read_only:
                raise WorkspaceError(
                    f"{workspace.path} may not be written: answers of {system.name} would be lost."
                )
            outputs[system.name] = translate_all(
                system, requests, answers=workspace, budget=budget, report=partial(_tell, tools, system.name)
            )
        else:
            outputs[system.name] = list(system.translate(requests))
    judgement = method.judge(cases, outputs, tools)
    tools.keep()
    result = method.score(judgement, tools)
    run = Run(
        id=f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
        method=method.name,
        parameters={f.name: _describe(getattr(method, f.name)) for f in fields(method)},
        systems=[system.name for system in systems],
        started=started.isoformat(timespec="seconds"),
        versions={"mtassay": __version__, "python": platform.python_version()},
        result=result,
        findings=judgement.findings,
    )
    return Execution(run, segments, outputs, judgement)


@dataclass(slots=True)
class EngineTools(Tools):
    """Lends the workspace's cache and the caller's progress display to a method."""

    workspace: Workspace | None
    report: Report
    pending: dict[str, bytes] = field(default_factory=dict)
    kept: float = field(default_factory=time.monotonic)

    def progress(self, step: str, done: int, total: int | None) -> None:
        self.report(step, done, total)

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

    def keep(self) -> None:
        """Write what was remembered, in one transaction."""
        if self.workspace and self.pending:
            self.workspace.remember(self.pending.items())
            self.pending = {}
        self.kept = time.monotonic()


def _tell(tools: Tools, name: str, tally: Tally) -> None:
    tools.progress(tally.describe(name), tally.done, tally.total)


def _silent(step: str, done: int, total: int | None) -> None:
    pass


def _describe(value: Any) -> Any:
    """Parameters as JSON can hold them; nested objects by their own description."""
    if isinstance(value, tuple | list):
        return [_describe(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _describe(item) for key, item in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
