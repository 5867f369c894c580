"""Judges systems without comparing them: years and versions are compared in ways of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtassay.caller import Budget
from mtassay.cli.common import cache_workspace
from mtassay.cli.suite.inputs import Inputs
from mtassay.core import Judgement, Output, Request, Result, System, Tools
from mtassay.engine import Execution, execute
from mtassay.methods.suite.method import SuiteMethod
from mtassay.report.progress import Progress

__all__ = ["judge_systems"]


@dataclass(frozen=True)
class _JudgeOnly(SuiteMethod):
    """Gives findings and counts, and leaves it at that."""

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        return Result(counts=judgement.counts)


@dataclass(frozen=True)
class _Numbered(System):
    """A system under a number, since the same name may stand in several groups."""

    name: str
    system: System

    @property
    def signature(self) -> str:
        return self.system.signature

    def translate(self, requests: Sequence[Request]) -> Sequence[Output]:
        return self.system.translate(requests)


def judge_systems(
    inputs: Inputs,
    systems: Sequence[System],
    *,
    reviews: bool,
    workspace: Path | None,
    quiet: bool,
    numbered: bool = False,
    budget: Budget | None = None,
) -> Execution:
    """Every verdict of every system; `numbered` calls them "0", "1"… in their order."""
    if numbered:
        systems = [_Numbered(str(number), system) for number, system in enumerate(systems)]
    with Progress(quiet=quiet) as progress:
        return execute(
            _JudgeOnly(inputs.suite, reviews=reviews),
            inputs.segments,
            systems,
            workspace=cache_workspace(workspace),
            budget=budget,
            report=progress.report,
        )
