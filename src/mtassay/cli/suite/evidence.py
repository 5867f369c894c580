"""What is stored about the items of a suite: outputs of runs and of systems, and what reviewers said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.caller import Budget
from mtassay.cli.common import cache_workspace
from mtassay.cli.suite.inputs import Inputs
from mtassay.cli.suite.newest import newest_run, same_items
from mtassay.core import Case, Judgement, Output, Result, Segment, System, Tools
from mtassay.engine import execute
from mtassay.errors import UsageError
from mtassay.formats.suite import Item, Suite
from mtassay.methods.suite.method import QUESTION, SuiteMethod, case_of
from mtassay.report.progress import Progress
from mtassay.reviews import Decision, Subject, decide
from mtassay.store import Workspace

__all__ = ["Evidence", "RunOption", "ask", "existing_workspace", "gather", "said", "subject_id", "suite_run"]


RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="The saved run whose outputs count. Default: the newest of this suite."
    ),
]


@dataclass(frozen=True, slots=True)
class Evidence:
    """By item: the outputs with the systems that gave them, and what the reviews of outputs come to."""

    outputs: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    reviews: dict[str, dict[str, Decision]] = field(default_factory=dict)

    def add(self, outputs: Mapping[str, Sequence[Output]], *, of: Collection[str] | None = None) -> None:
        """Outputs of systems; with `of` only those of these items. What is `None` is left out."""
        for system, answers in outputs.items():
            for answer in answers:
                if answer.text is not None and (of is None or answer.id in of):
                    systems = self.outputs.setdefault(answer.id, {}).setdefault(answer.text, [])
                    if system not in systems:
                        systems.append(system)

    def add_run(self, store: Workspace, name: str, suite: Suite) -> None:
        """The outputs of a saved run, for items that still have the source they had then."""
        self.add(store.outputs(name), of=same_items(store.segments(name), suite))

    def add_reviews(self, store: Workspace, suite: Suite) -> None:
        """What reviewers said about outputs of these items; disputed ones too."""
        sources = {item.id: case_of(item).sources for item in suite.items}
        subjects = store.subjects()
        for (key, _), decision in decide(store.reviews(QUESTION)).items():
            subject = subjects[key]
            if sources.get(subject.case_id) == subject.sources and len(subject.outputs) == 1:
                self.reviews.setdefault(subject.case_id, {})[subject.outputs[0]] = decision

    def decisions(self, item_id: str) -> dict[str, bool]:
        """What is settled about an item's outputs: whether each is correct."""
        return {
            text: decision.answer == "correct"
            for text, decision in self.reviews.get(item_id, {}).items()
            if decision.answer in ("correct", "incorrect")
        }

    def disputes(self, item_id: str) -> dict[str, str]:
        """The outputs of an item on which reviewers disagree, with who says what."""
        return {
            text: said(decision)
            for text, decision in self.reviews.get(item_id, {}).items()
            if decision.is_disputed
        }


def said(decision: Decision) -> str:
    """Who says what, as in "ana says correct, ben says incorrect"."""
    return ", ".join(f"{name} says {answer}" for name, answer in decision.ratings.items())


def subject_id(item: Item, output: str) -> str:
    """How a review names an output of an item."""
    return Subject(item.id, case_of(item).sources, (output,)).id


def gather(
    inputs: Inputs, systems: Sequence[str] | None, run: str | None, workspace: Path | None, *, quiet: bool
) -> Evidence:
    """Outputs of `-t`, or of a saved run (the newest of this suite unless one is named), and all reviews."""
    if systems and run:
        raise UsageError("Give outputs with -t or a saved run with --run, not both.")
    evidence = Evidence()
    store = existing_workspace(workspace)
    if systems:
        answers = ask(inputs, inputs.systems(systems), store=store or cache_workspace(workspace), quiet=quiet)
        evidence.add(answers)
    elif (run_id := suite_run(store, run, inputs.suite)) and store:
        evidence.add_run(store, run_id, inputs.suite)
    if store:
        evidence.add_reviews(store, inputs.suite)
    return evidence


def existing_workspace(chosen: Path | None) -> Workspace | None:
    """The workspace if there is one; a file that was asked for must be there."""
    path = workspace_path(chosen)
    if path.exists():
        return Workspace(path)
    if chosen is not None:
        raise UsageError(f"There is no workspace {path}.")
    return None


def suite_run(store: Workspace | None, name: str | None, suite: Suite) -> str | None:
    """The id of the run that was asked for, else of the newest of this suite; `None` if there is none."""
    if store is None:
        if name:
            raise UsageError(
                f"No run '{name}': there is no workspace yet. Add --save to 'mtassay suite run'."
            )
        return None
    if name is None:
        return newest_run(store, suite)
    run = store.run(name)
    if run.method != SuiteMethod.name:
        raise UsageError(f"The run {run.id} is of '{run.method}', not of a suite. See: mtassay runs list")
    return run.id


@dataclass(frozen=True)
class _Asking(SuiteMethod):
    """The first half of a suite run: outputs, and no verdicts on them, so that rules may be wrong."""

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        return [case_of(item) for item in self.suite.items]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        return Judgement()

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        return Result()


def ask(
    inputs: Inputs,
    systems: Sequence[System],
    *,
    store: Workspace | None,
    budget: Budget | None = None,
    quiet: bool = False,
) -> Mapping[str, Sequence[Output]]:
    """The output of every system for every chosen item, in order. Answers of live engines are kept."""
    method = _Asking(inputs.suite)
    with Progress(quiet=quiet) as progress:
        return execute(
            method, inputs.segments, systems, workspace=store, budget=budget, report=progress.report
        ).outputs
