"""The known outputs of a suite's items, from saved runs and systems, with their reviews."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Item, Suite
from mtassay.data.nouns import Output, Segment
from mtassay.data.subjects import Decision, decide
from mtassay.methods.suite.suite_method import QUESTION, SuiteMethod, case_of, subject_of
from mtassay.review.campaign_store import counted_reviews
from mtassay.runtime.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ItemMaterial:
    """Outputs by item with the systems that gave them, and the results of their reviews."""

    outputs: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    reviews: dict[str, dict[str, Decision]] = field(default_factory=dict)

    def add(self, outputs: Mapping[str, Sequence[Output]], *, of: Collection[str] | None = None) -> None:
        """Add outputs of systems (with `of`, only of these items). Missing outputs are left out."""
        for system, answers in outputs.items():
            for answer in answers:
                if answer.text is not None and (of is None or answer.id in of):
                    systems = self.outputs.setdefault(answer.id, {}).setdefault(answer.text, [])
                    if system not in systems:
                        systems.append(system)

    def add_run(self, store: Workspace, name: str, suite: Suite) -> None:
        """Add a saved run's outputs of items whose source has not changed."""
        self.add(store.outputs(name), of=same_items(store.segments(name), suite))

    def add_item(self, store: Workspace, item: Item) -> None:
        """Add one item's outputs from all saved runs with the same source, and their reviews."""
        for name in store.runs_with(item.id, item.source):
            self.add(store.outputs(name, some=[item.id]))
        subjects = {
            subject.id: subject
            for subject in store.subjects_of(item.id)
            if subject.sources == case_of(item).sources and len(subject.outputs) == 1
        }
        for (key, _), decision in decide(
            counted_reviews(store, store.reviews_about(subjects, QUESTION))
        ).items():
            self.reviews.setdefault(item.id, {})[subjects[key].outputs[0]] = decision

    def add_reviews(self, store: Workspace, suite: Suite) -> None:
        """Add the reviews of outputs of these items, including disputed ones."""
        sources = {item.id: case_of(item).sources for item in suite.items}
        subjects = store.subjects()
        for (key, _), decision in decide(counted_reviews(store, store.reviews(QUESTION))).items():
            subject = subjects[key]
            if sources.get(subject.case_id) == subject.sources and len(subject.outputs) == 1:
                self.reviews.setdefault(subject.case_id, {})[subject.outputs[0]] = decision

    def texts(self) -> dict[str, list[str]]:
        """The distinct outputs of each item."""
        return {item_id: list(outputs) for item_id, outputs in self.outputs.items()}

    def decisions(self, item_id: str) -> dict[str, bool]:
        """Whether each settled output of an item is correct."""
        return {
            text: decision.answer == "correct"
            for text, decision in self.reviews.get(item_id, {}).items()
            if decision.answer in ("correct", "incorrect")
        }

    def disputes(self, item_id: str) -> dict[str, str]:
        """The outputs of an item on which reviewers disagree, with each reviewer's answer."""
        return {
            text: said(decision)
            for text, decision in self.reviews.get(item_id, {}).items()
            if decision.is_disputed
        }


def said(decision: Decision) -> str:
    """Reviewers with their answers: "ana says correct, ben says incorrect"."""
    return ", ".join(f"{name} says {answer}" for name, answer in decision.ratings.items())


def subject_id(item: Item, output: str) -> str:
    """The subject id of an item's output in reviews."""
    return subject_of(case_of(item), output).id


def suite_runs(store: Workspace) -> list[str]:
    """The ids of all saved runs of suites, newest first."""
    return [run.id for run in store.runs() if run.method == SuiteMethod.name]


def newest_run(store: Workspace, suite: Suite) -> str | None:
    """The id of the newest run with an item of this suite; `None` if there is no such run."""
    return next((run for run in suite_runs(store) if same_items(store.segments(run), suite)), None)


def suite_run(store: Workspace | None, name: str | None, suite: Suite) -> str | None:
    """The id of the named run; without a name or for `last`, of this suite's newest run, if any."""
    if store is None:
        if name:
            raise UsageError(f"No run '{name}': there is no workspace yet. Run: mtassay suite run")
        return None
    if name in (None, "last"):
        return newest_run(store, suite)
    run = store.run(name)
    if run.method != SuiteMethod.name:
        raise UsageError(f"The run {run.id} is of '{run.method}', not of a suite. See: mtassay runs list")
    return run.id


def same_items(segments: Iterable[Segment], suite: Suite) -> set[str]:
    """The ids of items with unchanged sources, since equal ids may belong to different suites."""
    sources = {item.id: item.source for item in suite.items}
    return {segment.id for segment in segments if sources.get(segment.id) == segment.source}
