"""Issues against labels as tables: top-k accuracy, new errors, error types and thresholds.

The first three have the form of tables 2 to 4 of He, Meister, Su (2020), the figure that of figure 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.marks import printable
from mtassay.data.subjects import caution_of_models
from mtassay.methods.invariance.evaluation import Evaluation, Evaluations, Rate, SweepPoint
from mtassay.methods.invariance.invariance_tables import seconds_table

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
    name, measurement = evaluations.single()
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
        f"undecided for want of labels: {counts} issues at top-{ks}; lowest and highest possible accuracy: "
        f"{', '.join(bounds)}."
    )
