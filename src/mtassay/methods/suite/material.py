"""What a suite can learn from: outputs of saved runs and of systems, and what reviewers said about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from random import Random
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.formats.evaluation_files import ChallengePair
from mtassay.data.formats.suite_items import Item, Suite
from mtassay.data.nouns import Output, Segment
from mtassay.data.subjects import Decision, Subject, decide
from mtassay.methods.suite.rule_judge import Judge
from mtassay.methods.suite.suite_method import QUESTION, SuiteMethod, case_of, subject_of
from mtassay.review.campaign_store import counted_reviews
from mtassay.runtime.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ItemMaterial:
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

    def add_item(self, store: Workspace, item: Item) -> None:
        """The outputs of one item in all saved runs that asked its source, and the reviews of any of them."""
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
        """What reviewers said about outputs of these items; disputed ones too."""
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
    return subject_of(case_of(item), output).id


def suite_runs(store: Workspace) -> list[str]:
    """The ids of all saved runs of suites, newest first."""
    return [run.id for run in store.runs() if run.method == SuiteMethod.name]


def newest_run(store: Workspace, suite: Suite) -> str | None:
    """The id of the newest run that asked for an item of this suite; `None` if no run did."""
    return next((run for run in suite_runs(store) if same_items(store.segments(run), suite)), None)


def suite_run(store: Workspace | None, name: str | None, suite: Suite) -> str | None:
    """The id of the run that was asked for, else (and for `last`) of the newest of this suite, if any."""
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
    """The ids of the items that asked then what they ask now: the id alone may be that of another suite."""
    sources = {item.id: item.source for item in suite.items}
    return {segment.id for segment in segments if sources.get(segment.id) == segment.source}


TOKEN, REVIEW, REFERENCE = "token", "review", "reference"
NOTHING, NO_CORRECT, NO_INCORRECT = "no known output", "no correct output", "no incorrect output"


@dataclass(slots=True)
class Sides:
    """The known outputs of one item, with all origins of each text, in the order in which they were met."""

    correct: dict[str, list[str]] = field(default_factory=dict)
    incorrect: dict[str, list[str]] = field(default_factory=dict)

    @property
    def why_no_pair(self) -> str:
        """What is missing to make a pair; empty if nothing is."""
        if self.correct and self.incorrect:
            return ""
        return NO_INCORRECT if self.correct else NO_CORRECT if self.incorrect else NOTHING


@dataclass(frozen=True, slots=True)
class Harvest:
    """What one item gave: its pairs, or why there are none."""

    item: Item
    pairs: Sequence[ChallengePair]
    why_none: str = ""


@dataclass
class KnownOutputs:
    """Outputs by system and item, and what people decided about them."""

    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    decisions: Mapping[str, str] = field(default_factory=dict)
    subjects: Sequence[Subject] = ()

    @classmethod
    def reviewed(cls, store: Workspace | None) -> KnownOutputs:
        """No outputs yet, and all decisions of the workspace."""
        if store is None:
            return cls()
        decisions = decide(counted_reviews(store, store.reviews(QUESTION)))
        answers = {subject: d.answer for (subject, _), d in decisions.items() if d.answer}
        subjects = store.subjects() if answers else {}
        return cls({}, answers, [subjects[key] for key in answers if key in subjects])

    def add(self, outputs: Mapping[str, Sequence[Output]], *, without: Collection[str] = ()) -> None:
        """Outputs by system. Two systems of one name from different places are distinguished by a number."""
        for system, answers in outputs.items():
            name, number = system, 2
            while name in self.outputs:
                name, number = f"{system}#{number}", number + 1
            self.outputs[name] = {o.id: o.text for o in answers if o.text is not None and o.id not in without}

    def sorted_by(
        self, suite: Suite, *, report: Callable[[int, int], None] | None = None
    ) -> dict[str, Sides]:
        """What is known about each item of the suite; see `sort_outputs`."""
        return sort_outputs(
            suite, self.outputs, decisions=self.decisions, subjects=self.subjects, report=report
        )


def sort_outputs(
    suite: Suite,
    outputs: Mapping[str, Mapping[str, str]],
    *,
    decisions: Mapping[str, str] | None = None,
    subjects: Iterable[Subject] = (),
    report: Callable[[int, int], None] | None = None,
) -> dict[str, Sides]:
    """What is known about each item, by its id, in the order of the suite.

    `outputs` has the texts of each system by item. `decisions` are people's answers by subject and win
    over the rules; `subjects` are the outputs that they looked at. What is undecided, disputed, in conflict
    or blank is not known, nor is what differs from its opposite in spaces alone. Runs of whitespace become
    one space. `report` hears how many of the items are done.
    """
    judge = Judge(suite)
    decided = decisions or {}
    reviewed: dict[str, list[str]] = {}
    for subject in subjects:
        item = judge.items.get(subject.case_id)
        if item and subject.sources == (item.source,) and len(subject.outputs) == 1 and subject.id in decided:
            reviewed.setdefault(item.id, []).append(subject.outputs[0])
    sides_by_item = {}
    for place, item in enumerate(suite.items):
        if report and place % 100 == 0:
            report(place, len(suite.items))
        sides = sides_by_item[item.id] = Sides()
        status: dict[str, str] = {}
        for text, origin in _candidates(item, reviewed.get(item.id, ()), outputs):
            if text not in status:
                answer = decided.get(Subject(item.id, (item.source,), (text,)).id)
                status[text] = answer or judge.judge(item, text).status
            side = {"correct": sides.correct, "incorrect": sides.incorrect}.get(status[text])
            if side is not None and (plain := " ".join(text.split())):
                side.setdefault(plain, []).append(origin)
        # A rule may hang on a space; no metric could be asked to see it.
        for text in sides.correct.keys() & sides.incorrect.keys():
            del sides.correct[text], sides.incorrect[text]
    return sides_by_item


def _candidates(
    item: Item, reviewed: Sequence[str], outputs: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """Texts with their origins."""
    for token in (*item.positive_tokens, *item.negative_tokens):
        yield token.text, TOKEN
    for text in reviewed:
        yield text, REVIEW
    for system, texts in outputs.items():
        if item.id in texts:
            yield texts[item.id], f"output:{system}"


def make_pairs(item: Item, sides: Sides, *, per_item: int = 1, seed: int = 12345) -> Harvest:
    """Up to `per_item` pairs of one item, that share their reference and as few other texts as possible.

    The reference is one of the correct outputs, and in no pair. Where only one is known, a reference of the
    item takes this place, and without one the pairs have none. The draw depends on the seed and the id of
    the item alone, so that other items do not change it.
    """
    if why := sides.why_no_pair:
        return Harvest(item, (), why)
    draw = Random(f"{seed} {item.id}")
    correct = draw.sample(sorted(sides.correct), len(sides.correct))
    incorrect = draw.sample(sorted(sides.incorrect), len(sides.incorrect))
    reference, origin = None, []
    if len(correct) > 1:
        reference = correct.pop(0)
        origin = sides.correct[reference]
    elif others := [text for text in item.references if text not in sides.correct | sides.incorrect]:
        reference, origin = others[0], [REFERENCE]
    pairs = []
    for number, (right, wrong) in enumerate(_combinations(correct, incorrect, per_item), 1):
        origins = {"correct": sides.correct[right], "incorrect": sides.incorrect[wrong]}
        pairs.append(
            ChallengePair(
                id=f"{item.id}:{number}",
                item=item.id,
                category=item.category,
                phenomenon=item.phenomenon,
                source=item.source,
                reference=reference,
                correct=right,
                incorrect=wrong,
                langpair=item.langpair,
                origin={"reference": origin, **origins} if reference is not None else origins,
            )
        )
    return Harvest(item, pairs)


def _combinations(first: Sequence[str], second: Sequence[str], most: int) -> Iterator[tuple[str, str]]:
    """Different pairs that go through both lists side by side, so that texts repeat as late as they can.

    >>> list(_combinations("AB", "xyz", 4))
    [('A', 'x'), ('B', 'y'), ('A', 'z'), ('B', 'x')]
    """
    together = lcm(len(first), len(second))
    for number in range(min(most, len(first) * len(second))):
        # After one common round all pairs would repeat, so the second list moves on by one.
        yield first[number % len(first)], second[(number + number // together) % len(second)]


def check_harvest(harvests: Sequence[Harvest]) -> None:
    """A `UsageError` where no item gives a pair, with the reasons."""
    if not any(harvest.pairs for harvest in harvests):
        reasons = Counter(harvest.why_none for harvest in harvests)
        why = ", ".join(f"{count:,} have {reason}" for reason, count in reasons.most_common())
        raise UsageError(f"No item gives a pair: {why}. Add tokens, or outputs with `systems` or `run`.")


def harvest_rows(harvests: Sequence[Harvest]) -> list[tuple[str, list[bool], str]]:
    """For each item its category, for each of its pairs whether it has a reference, and why there is none."""
    return [(h.item.category, [pair.reference is not None for pair in h.pairs], h.why_none) for h in harvests]


def harvest_record(harvests: Sequence[Harvest]) -> dict[str, Any]:
    """The JSON shape: how many items gave pairs, and why the others gave none."""
    pairs = [pair for harvest in harvests for pair in harvest.pairs]
    return {
        "items": len(harvests),
        "items_with_pairs": sum(bool(harvest.pairs) for harvest in harvests),
        "pairs": len(pairs),
        "pairs_with_reference": sum(pair.reference is not None for pair in pairs),
        "items_without_pairs": dict(Counter(h.why_none for h in harvests if h.why_none)),
    }
