"""How good issues are, by labels: tables 2 to 4 and figure 13 of He, Meister, Su (2020).

A pair is a source and its output, named by the id of its segment. What is not labelled is never taken for
correct: it is counted. All shares are between 0 and 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mtassay.app.runs import Run, RunSettings
from mtassay.data.display import Figure, Point, Series
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.subjects import decide
from mtassay.methods.engine import ask
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.invariance.issues import (
    CORRECT,
    QUESTION,
    Issue,
    VariantRanking,
    find_issues,
    labels_of,
)
from mtassay.stats.proportions import wilson
from mtassay.systems.roster import replays

SEVERAL = "several"
ERROR_TYPES = ("under", "over", "modification", "mistranslation", "logic", SEVERAL)
"""The labels that say what is wrong: the paper's five types, and several of them in one pair."""

Labels = Mapping[str, str]
"""What holds, by pair. A pair that is not there, or is disputed, is unlabelled."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`wrong` of the `n` that are decided, with Wilson's 95 % interval; `None` where n is 0.

    `undecided` are those that labels say too little about; they are not in `n`.
    """

    wrong: int
    n: int
    undecided: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class TopK:
    """What the original and the `k` farthest variants of each issue show.

    `accuracy` is of issues: wrong is one with an error in any of these pairs. `new_errors` are the errors
    that only variants have (table 3), `unclear` those that the original may have, too. `types` are pairs by
    what is wrong with them, originals included (table 4), `unlabelled` those that nobody settled.
    """

    k: int
    accuracy: Rate
    new_errors: int
    unclear: int
    types: Mapping[str, int]
    unlabelled: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One ranking of variants against labels, at one threshold.

    `originals` are the pairs of the originals with an issue; `reported` are the variants shown with issues,
    `unreported` all the other compared ones.
    """

    threshold: float
    issues: int
    tops: tuple[TopK, ...]
    originals: Rate
    reported: Rate
    unreported: Rate


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The issues at one threshold, and how many of them are right by their farthest variant (top-1)."""

    threshold: float
    issues: int
    accuracy: Rate


@dataclass(frozen=True, slots=True)
class Measurement:
    """One structure against the labels; no variant is farther than `farthest`."""

    evaluation: Evaluation
    sweep: Sequence[SweepPoint]
    farthest: float

    def as_dict(self) -> dict[str, Any]:
        """The same for the page."""
        return {**asdict(self.evaluation), "sweep": [asdict(point) for point in self.sweep]}


def evaluate_issues(run: Run, structures: Sequence[str], *, labels: Path) -> dict[str, Measurement]:
    """How good the issues of structures are in a run of one system, by a file of labels."""
    reviews = (row.review for row in read_reviews(labels, reviewer="unnamed").rows)
    decided = decide(review for review in reviews if review.question == QUESTION)
    answers = {subject: d.answer for (subject, _), d in decided.items() if d.answer is not None}
    measured = {}
    with RunSettings(quiet=True).context() as context:
        for structure in structures:
            method = InvarianceMethod.resolve({"structure": structure}, run.record)
            asked = ask(method, run.record.segments, replays(run.record), context)
            [answered] = method.compare(asked.cases, asked.outputs, context).values()
            rankings = method.measure(answered, context).rankings
            known = labels_of([answer for case in answered for answer in case.answers], answers)
            measured[structure] = Measurement(
                evaluate(rankings, known, threshold=method.threshold, top=method.top),
                sweep(rankings, known),
                max((far.distance for ranking in rankings for far in ranking.variants), default=0.0),
            )
    return measured


def evaluate(
    rankings: Sequence[VariantRanking], labels: Labels, *, threshold: float, top: int = 3
) -> Evaluation:
    """What labels say of the issues at this threshold, for 1 to `top` variants shown with each.

    `rankings` has all compared variants of all originals, so that those without an issue count, too.
    """
    issues = find_issues(rankings, threshold)
    originals = [issue.original for issue in issues]
    reported = [far.variant for issue in issues for far in issue.variants[:top]]
    shown = set(reported)
    others = [far.variant for r in rankings for far in r.variants if far.variant not in shown]
    return Evaluation(
        threshold,
        len(issues),
        tuple(_top(issues, labels, k) for k in range(1, top + 1)),
        precision_of(originals, labels),
        precision_of(reported, labels),
        precision_of(others, labels),
    )


def precision_of(pairs: Iterable[str], labels: Labels) -> Rate:
    """The share of wrong ones among these pairs, each counted once: the precision of who flagged them.

    >>> rate = precision_of(["1", "2", "3"], {"1": "under", "2": "correct"})
    >>> rate.value, rate.n, rate.undecided
    (0.5, 2, 1)
    """
    return _rate(Counter(_is_wrong(labels.get(pair)) for pair in dict.fromkeys(pairs)))


def sweep(rankings: Sequence[VariantRanking], labels: Labels) -> list[SweepPoint]:
    """The issues at every threshold that makes a difference, from 0 to the last one with an issue.

    At thresholds between two of these the issues are those at the lower one.
    """
    farthest = [
        (ranking.variants[0].distance, _any_wrong((ranking.original, ranking.variants[0].variant), labels))
        for ranking in rankings
        if ranking.variants
    ]
    at: dict[float, Counter[bool | None]] = {0.0: Counter()}
    for distance, verdict in farthest:
        at.setdefault(float(distance), Counter())[verdict] += 1
    points = []
    above: Counter[bool | None] = Counter()
    for threshold in sorted(at, reverse=True):
        if above:
            points.append(SweepPoint(threshold, above.total(), _rate(above)))
        above += at[threshold]
    return points[::-1]


def _top(issues: Sequence[Issue], labels: Labels, k: int) -> TopK:
    pairs = [pair for issue in issues for pair in issue.pairs(k)]
    counts = Counter(labels.get(pair) for pair in pairs)
    new = [_new_errors(issue, labels, k) for issue in issues]
    return TopK(
        k,
        _rate(Counter(_any_wrong(issue.pairs(k), labels) for issue in issues)),
        sum(surely for surely, _ in new),
        sum(perhaps for _, perhaps in new),
        {kind: counts[kind] for kind in ERROR_TYPES},
        sum(_is_wrong(labels.get(pair)) is None for pair in pairs),
    )


def _new_errors(issue: Issue, labels: Labels, k: int) -> tuple[int, int]:
    """How many kinds of errors the variants of an issue have and the original has not, and how many perhaps.

    The same kind in two variants is one error. If the original is unlabelled or has several errors, nobody
    can tell.
    """
    own = labels.get(issue.original)
    kinds = {labels.get(far.variant) for far in issue.variants[:k]} & set(ERROR_TYPES)
    if own == SEVERAL or _is_wrong(own) is None:
        return 0, len(kinds)
    return len(kinds - {own}), 0


def _is_wrong(label: str | None) -> bool | None:
    """`None` where nothing is settled."""
    return False if label == CORRECT else True if label in ERROR_TYPES else None


def _any_wrong(pairs: Iterable[str], labels: Labels) -> bool | None:
    """Whether one of these pairs is wrong; `None` where none is known to be and one is not settled."""
    verdicts = [_is_wrong(labels.get(pair)) for pair in pairs]
    return True if True in verdicts else None if None in verdicts else False


def _rate(verdicts: Counter[bool | None]) -> Rate:
    wrong, n = verdicts[True], verdicts[True] + verdicts[False]
    if n == 0:
        return Rate(0, 0, verdicts[None], None, None, None)
    low, high = wilson(wrong, n)
    return Rate(wrong, n, verdicts[None], wrong / n, low, high)


def sweep_figure(
    points: Sequence[SweepPoint],
    *,
    farthest: float | None = None,
    marks: Sequence[float] = (),
    title: str = "",
    unit: str = "",
) -> Figure:
    """Above: all issues and the buggy ones by threshold; below: top-1 accuracy with its 95 % interval.

    `marks` are thresholds to point out; `unit` says what the distance counts. The last level ends at
    `farthest`, the largest distance, from which on there are no issues; without it, a little further on.
    """
    last = max((point.threshold for point in points), default=0.0)
    end = farthest if farthest is not None else last * 1.05 or 1.0
    issues = [Point(point.threshold, point.issues) for point in points]
    buggy = [Point(point.threshold, point.accuracy.wrong) for point in points]
    decided = [point for point in points if point.accuracy.value is not None]
    open_from = [p.threshold for p in points if decided and p.threshold > decided[-1].threshold]
    rates = [(point.threshold, point.accuracy) for point in decided]
    accuracy = [
        Point(x, 100 * (rate.value or 0.0), 100 * (rate.low or 0.0), 100 * (rate.high or 0.0))
        for x, rate in rates
    ]
    upper = Figure(
        "steps",
        [Series("issues", _until(end, issues)), Series("buggy issues", _until(end, buggy))],
        y_label="issues",
        limits=(0, None),
        marks=marks,
    )
    lower = Figure(
        "steps",
        [Series("top-1 accuracy", _until(min([end, *open_from]), accuracy))],
        x_label=f"distance threshold{f' ({unit})' if unit else ''}",
        y_label="top-1 accuracy (%)",
        limits=(0, 100),
        marks=marks,
    )
    undecided = max((point.accuracy.undecided for point in points), default=0)
    note = "Band: 95 % interval."
    note += f" Up to {undecided:,} issues are undecided and not in the accuracy." if undecided else ""
    return Figure("panels", title=title, note=note, panels=[upper, lower])


def _until(end: float, points: Sequence[Point]) -> list[Point]:
    """The same with the last level going on to `end`."""
    return [*points, *(point._replace(x=end) for point in points[-1:] if float(point.x) < end)]
