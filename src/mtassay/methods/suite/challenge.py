"""Makes a challenge set for metrics from what is known about outputs (Macketanz et al. 2022, section 4.3).

Known outputs are tokens, outputs that the rules settle, and outputs that people reviewed. One correct output
of an item becomes the reference; the others are put into pairs of one correct and one incorrect output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from random import Random
from typing import Any

from mtassay.core import Output
from mtassay.errors import UsageError
from mtassay.formats.challenge import ChallengePair
from mtassay.formats.suite import Item, Suite
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.method import QUESTION
from mtassay.reviews import Subject, decide
from mtassay.store import Workspace

__all__ = [
    "NOTHING",
    "NO_CORRECT",
    "NO_INCORRECT",
    "Harvest",
    "KnownOutputs",
    "Sides",
    "check_harvest",
    "harvest_record",
    "harvest_rows",
    "make_pairs",
    "sort_outputs",
]

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
        decisions = decide(store.reviews(QUESTION))
        answers = {subject: d.answer for (subject, _), d in decisions.items() if d.answer}
        subjects = store.subjects() if answers else {}
        return cls({}, answers, [subjects[key] for key in answers if key in subjects])

    def add(self, outputs: Mapping[str, Sequence[Output]], *, without: Collection[str] = ()) -> None:
        """Outputs by system. Two systems of one name from different places are told apart by a number."""
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
        raise UsageError(f"No item gives a pair: {why}. Add tokens, or outputs with -t or --run.")


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
