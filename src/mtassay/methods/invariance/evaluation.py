"""How good issues are, by what people said of their pairs: tables 2 to 4 and figure 13 of the paper.

A pair is a source and its output, named by the id of its segment. What is not labelled is never taken for
correct: it is counted and shown. All shares are between 0 and 1. The tables have the form of tables 2 to 4 of
He, Meister, Su (2020), the figure that of figure 13.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import printable
from mtassay.data.nouns import Case, Output, Run, RunContext
from mtassay.data.registry import names
from mtassay.data.subjects import caution_of_models
from mtassay.methods.invariance.invariance_method import InvarianceMethod, names_in
from mtassay.methods.invariance.invariance_tables import seconds_table
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


def check_drawable(methods: Sequence[InvarianceMethod], systems: Sequence[str]) -> None:
    """An error where there is more than one structure or system: a figure shows one."""
    if len(methods) > 1:
        raise UsageError("One structure can be drawn at a time: give `structure='NAME'` with `plot`.")
    if len(systems) > 1:
        raise UsageError("One system can be drawn at a time: give one with `systems`.")


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


_TYPES = {"modification": "modif.", "mistranslation": "mistr."}
_ROWS = 30  # thresholds that a table shows
_INTERVAL = "In brackets: Wilson's 95 % interval."


def evaluation_tables(evaluations: Evaluations) -> list[Table]:
    """All tables; accuracy by threshold where there is one structure of one system."""
    structures = {name: measurement.evaluation for name, measurement in evaluations.structures.items()}
    accuracy = accuracy_table(structures)
    if caution := caution_of_models(evaluations.reviewers):
        accuracy = replace(accuracy, notes=[*accuracy.notes, caution])
    tables = [
        accuracy,
        new_errors_table(structures),
        types_table(structures),
        unreported_table(structures),
    ]
    if len(structures) == 1:
        tables += [
            sweep_table(measurement.sweep, title="By threshold")
            for measurement in evaluations.structures.values()
        ]
    return [*tables, seconds_table(evaluations.seconds)]


def evaluation_figure(evaluations: Evaluations) -> Figure:
    """Issues and accuracy by threshold (figure 13), of the one structure of one system that there is."""
    [(name, measurement)] = evaluations.structures.items()
    marks = [measurement.evaluation.threshold]
    return sweep_figure(measurement.sweep, marks=marks, title=name, farthest=measurement.farthest)


def accuracy_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """Table 2: the share of issues with an error, in percent, and the buggy ones of those decided.

    The keys say what was evaluated: a system, a structure, a threshold.
    """
    ks = _ks(evaluations)
    rows: list[list[Cell | str]] = [
        [
            name,
            f"{evaluation.threshold:g}",
            f"{evaluation.issues:,}",
            *(f"{_percent(top.accuracy)} {_count(top.accuracy)}" for top in evaluation.tops),
        ]
        for name, evaluation in evaluations.items()
    ]
    notes = [
        "Percent of issues with an error in the original or one of the k farthest variants. "
        f"{_INTERVAL} In parentheses: buggy issues of the n that are decided."
    ]
    for name, evaluation in evaluations.items():
        if any(top.accuracy.undecided for top in evaluation.tops):
            notes.append(f"{printable(name)}: {_about_undecided(evaluation)}")
    return Table(["", "threshold", "issues", *(f"top-{k}" for k in ks)], rows, "Top-k accuracy", notes)


def new_errors_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """Table 3: errors in originals with an issue, and errors that only the k farthest variants have."""
    ks = _ks(evaluations)
    rows: list[list[Cell | str]] = [
        [name, f"{evaluation.originals.wrong:,}", *(f"{top.new_errors:,}" for top in evaluation.tops)]
        for name, evaluation in evaluations.items()
    ]
    notes = [
        "Original: wrong originals of issues. New: errors in variants of a kind that the original has not; "
        "the same kind in two variants of an original counts once."
    ]
    for name, evaluation in evaluations.items():
        if unclear := max((top.unclear for top in evaluation.tops), default=0):
            last = f"top-{evaluation.tops[-1].k}"
            notes.append(
                f"{printable(name)}: not counted are {unclear:,} errors (at {last}) that the original may "
                "have, too: it has several, or is not labelled."
            )
    return Table(["", "original", *(f"new, top-{k}" for k in ks)], rows, "Unique errors", notes)


def types_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """Table 4: how many pairs of an issue have which kind of error, originals included."""
    tops = [(name, top) for name, evaluation in evaluations.items() for top in evaluation.tops]
    kinds = list(dict.fromkeys(kind for _, top in tops for kind in top.types))
    rows: list[list[Cell | str]] = [
        [
            f"{name}, top-{top.k}",
            *(f"{top.types.get(kind, 0):,}" for kind in kinds),
            f"{sum(top.types.values()):,}",
            f"{top.unlabelled:,}",
        ]
        for name, top in tops
    ]
    notes = [
        "Pairs of source and output by what is wrong: originals with an issue and their k farthest variants. "
        "Several: more than one kind in a pair, which then counts only here. Open: not labelled."
    ]
    header = ["", *(_TYPES.get(kind, kind) for kind in kinds), "wrong", "open"]
    return Table(header, rows, "Pairs by kind of error", notes)


def unreported_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """How often variants are wrong that were reported, and those that were not."""
    rows: list[list[Cell | str]] = []
    for name, evaluation in evaluations.items():
        row: list[Cell | str] = [name]
        for rate in (evaluation.reported, evaluation.unreported):
            row += [f"{_percent(rate)} {_count(rate)}", f"{rate.undecided:,}"]
        rows.append(row)
    notes = [
        f"Percent of the labelled variants that are wrong. {_INTERVAL} It takes variants for independent; "
        "those of one original are alike, so the truth may lie outside more often. Open: not labelled."
    ]
    header = ["", "reported", "open", "unreported", "open"]
    return Table(header, rows, "Wrong variants", notes)


def sweep_table(points: Sequence[SweepPoint], *, most: int = _ROWS, title: str = "") -> Table:
    """Issues, buggy issues and top-1 accuracy by threshold; at most `most` thresholds, evenly chosen."""
    shown = points
    if len(points) > most:
        places = {round(number * (len(points) - 1) / (most - 1)) for number in range(most)}
        shown = [points[place] for place in sorted(places)]
    rows: list[list[Cell | str]] = [
        [
            f"{point.threshold:g}",
            f"{point.issues:,}",
            f"{point.accuracy.wrong:,}",
            f"{point.accuracy.n:,}",
            _percent(point.accuracy),
            f"{point.accuracy.undecided:,}",
        ]
        for point in shown
    ]
    notes = [f"Top-1: percent of the n decided issues that are buggy. {_INTERVAL}"]
    if len(shown) < len(points):
        notes.append(f"Shown are {len(shown)} of {len(points):,} thresholds that make a difference.")
    header = ["Threshold", "issues", "buggy", "n", "top-1", "undecided"]
    return Table(header, rows, title or "Thresholds", notes)


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


def _ks(evaluations: Mapping[str, Evaluation]) -> list[int]:
    return next(([top.k for top in evaluation.tops] for evaluation in evaluations.values()), [])


def _percent(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "–"
    return f"{100 * rate.value:.1f} [{100 * rate.low:.0f}–{100 * rate.high:.0f}]"


def _count(rate: Rate) -> str:
    return f"({rate.wrong:,}/{rate.n:,})"


def _about_undecided(evaluation: Evaluation) -> str:
    """How many issues are not in the accuracy, and what they could make of it.

    One wrong pair decides an issue, but only all right ones clear it, so the accuracy leans upwards.
    """
    counts = ", ".join(f"{top.accuracy.undecided:,}" for top in evaluation.tops)
    ks = ", ".join(str(top.k) for top in evaluation.tops)
    bounds = [
        f"{100 * top.accuracy.wrong / evaluation.issues:.1f} to "
        f"{100 * (top.accuracy.wrong + top.accuracy.undecided) / evaluation.issues:.1f} (top-{top.k})"
        for top in evaluation.tops
        if top.accuracy.undecided
    ]
    return (
        f"undecided, too few labels: {counts} issues at top-{ks}; lowest and highest possible accuracy: "
        f"{', '.join(bounds)}."
    )
