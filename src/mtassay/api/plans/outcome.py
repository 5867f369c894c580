"""What came out of a plan: its steps, their runs, and what its gates say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mtassay.api import (
    Run,
)
from mtassay.display import Table
from mtassay.gates import GateReport
from mtassay.method import method_of
from mtassay.plans.plan import Plan
from mtassay.report.run import Form, render, render_brief, render_tables
from mtassay.texts.marks import json_text

__all__ = ["PlanRun", "StepRun", "says_something"]

State = Literal["done", "unchanged", "incomplete", "failed"]
"""What became of a step; of an incomplete one, engines did not answer everything, or it was not saved."""


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
        if self.run is not None and says_something(self.run):
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


def says_something(run: Run) -> bool:
    """Whether any system answered anything."""
    return any(answer.text is not None for answers in run.outputs.values() for answer in answers)
