"""How good issues are, by what people said of their pairs: tables 2 to 4 and figure 13 of the paper.

A pair is a source and its output, named by the id of its segment. What is not labelled is never taken for
correct: it is counted and shown. All shares are between 0 and 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Case, Output, Run, RunContext
from mtassay.data.registry import names
from mtassay.methods.invariance.invariance_method import InvarianceMethod, names_in
from mtassay.methods.invariance.issues import CORRECT, Issue, VariantRanking, find_issues, labels_of
from mtassay.stats.proportions import wilson

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
    """One system and structure against the labels; no variant is farther than `farthest`."""

    evaluation: Evaluation
    sweep: Sequence[SweepPoint]
    farthest: float


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Structures side by side.

    With several systems each name begins with the system's. `seconds` are those of each step, `reviewers`
    those who labelled.
    """

    structures: Mapping[str, Measurement]
    seconds: Mapping[str, float] = field(default_factory=dict)
    reviewers: Collection[str] = ()

    def single(self) -> tuple[str, Measurement]:
        """The one structure of one system, with its name, for who can draw no more."""
        first, *others = self.structures.items()
        if not others:
            return first
        if len({name.rpartition(", ")[2] for name in self.structures}) > 1:
            raise UsageError("One structure can be drawn at a time: give `structure='NAME'` with `plot`.")
        raise UsageError("One system can be drawn at a time: give one with `systems`.")

    def as_dict(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "structures": {
                name: {
                    **asdict(measurement.evaluation),
                    "sweep": [asdict(point) for point in measurement.sweep],
                }
                for name, measurement in self.structures.items()
            },
            "seconds": dict(self.seconds),
            "reviewers": list(self.reviewers),
        }


Outputs = Mapping[str, Sequence[Output]]


def side_by_side(
    structures: str | None, parameters: Mapping[str, Any], run: Run | None = None
) -> list[InvarianceMethod]:
    """A method for each structure, whose names are separated by commas; `None` is the usual one.

    >>> [m.threshold for m in side_by_side("raw,dependency", {"pair": "en-pt", "checks": "none"})]
    [14, 4]
    """
    chosen = [None] if structures is None else names_in(structures)
    if not chosen:
        raise UsageError(f"Name a structure. Available: {', '.join(names('structure'))}.")
    return [InvarianceMethod.resolve({**parameters, "structure": name}, run) for name in chosen]


def evaluate_methods(
    methods: Sequence[InvarianceMethod],
    cases: Sequence[Case],
    outputs: Outputs,
    decisions: Mapping[str, str],
    context: RunContext,
) -> Evaluations:
    """Methods that differ in their structure against what people decided, by subject."""
    measured: dict[str, Measurement] = {}
    several = len(outputs) > 1
    for method in methods:
        for system, answered in method.compare(cases, outputs, context).items():
            before = f"{system}, " if several else ""
            rankings = method.measure(answered, context).rankings
            labels = labels_of([answer for case in answered for answer in case.answers], decisions)
            measured[f"{before}{method.structure}"] = Measurement(
                evaluate(rankings, labels, threshold=method.threshold, top=method.top),
                sweep(rankings, labels),
                max((far.distance for ranking in rankings for far in ranking.variants), default=0.0),
            )
    return Evaluations(measured)


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
