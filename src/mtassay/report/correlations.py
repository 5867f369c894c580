"""How well metrics agree with people, as tables and figures: by statistic, and by n-gram length."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mtassay.core import Result, Score
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.meta.correlate import Settings
from mtassay.meta.rater import Rater

LABELS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "pairwise_accuracy": "pair acc.",
    "soft_pairwise_accuracy": "soft acc.",
    "acc_eq": "acc_eq",
    "prediction_error": "error %",
}
_PERCENT = "prediction_error"
_MOST_COLUMNS = 3


def agreement_tables(result: Result, labels: Mapping[str, str], *, unit: str) -> list[Table]:
    """Statistics and raters by human score, at most three of them side by side; `unit` is what n counts.

    The best rater of each statistic and human score is strong.
    """
    humans = list(dict.fromkeys(score.system for score in result.scores))
    return [
        _agreement_table(result, humans[i : i + _MOST_COLUMNS], labels, unit)
        for i in range(0, len(humans), _MOST_COLUMNS)
    ]


def sweep_table(result: Result, orders: Mapping[str, int], title: str) -> Table:
    """N-gram lengths by human score: prediction error with its interval, and Pearson's r."""
    cells = {(score.name, score.system, score.group): score for score in result.scores}
    humans = list(dict.fromkeys(score.system for score in result.scores))
    lowest = {
        human: _best([cells[name, human, _PERCENT] for name in orders], lowest=True) for human in humans
    }
    rows: list[list[Cell | str]] = []
    for name, order in orders.items():
        row: list[Cell | str] = [str(order)]
        for human in humans:
            error = cells[name, human, _PERCENT]
            row += [Cell(shown(error), strong=error is lowest[human]), number(cells[name, human, "pearson"])]
        rows.append(row)
    header = ["n", *(text for human in humans for text in (human, "r"))]
    return Table(header, rows, title=title)


def sweep_figure(
    result: Result, orders: Mapping[str, int], labels: Mapping[str, str], *, unit: str
) -> Figure:
    """Prediction error over n-gram length, a line for each human score; the lowest is marked.

    Up to two lines have their 95 % intervals. `unit` is what n counts.
    """
    humans = list(dict.fromkeys(score.system for score in result.scores))
    cells = {(s.system, s.name): s for s in result.scores if s.group == _PERCENT}
    few = len(humans) <= 2
    series = []
    for human in humans:
        errors = [(order, cells[human, name]) for name, order in orders.items()]
        lowest = min((e.value for _, e in errors if e.value is not None), default=None)
        points = [
            Point(
                order,
                e.value,
                *((e.low, e.high) if few else (None, None)),
                strong=e.value == lowest is not None,
            )
            for order, e in errors
        ]
        series.append(Series(labels.get(human, human), points))
    n = max((score.n for score in result.scores), default=0)
    return Figure(
        "lines",
        series,
        f"What BLEU leaves unexplained of human scores ({n:,} {unit})",
        x_label="n-gram length",
        y_label="prediction error (%)",
        note="Filled: the lowest." + (" Band: 95 % interval." if few else ""),
        limits=(0, None),
    )


def agreement_figure(
    result: Result,
    raters: Sequence[Rater],
    humans: Sequence[Rater],
    systems: Sequence[str],
    settings: Settings,
) -> Figure:
    """Every metric against every human score: named systems, or a cloud of translations."""
    rows = [[rater for rater in raters if rater is not human] for human in humans]
    columns = max(map(len, rows), default=1)
    panels = [
        None if rater is None else _scatter(result, rater, human, systems, settings)
        for human, row in zip(humans, rows, strict=True)
        if row
        for rater in (*row, *[None] * (columns - len(row)))
    ]
    return Figure("panels", panels=panels, columns=columns)


def _scatter(
    result: Result, rater: Rater, human: Rater, systems: Sequence[str], settings: Settings
) -> Figure:
    named = settings.level == "system"
    key = (rater.name, human.name, "pearson")
    pearson = next(score for score in result.scores if (score.name, score.system, score.group) == key)
    by = "" if named or settings.grouping == "none" else f" by {settings.grouping}"
    if named:
        pairs = zip(systems, rater.points.tolist(), human.points.tolist(), strict=True)
    elif rater.segments is None or human.segments is None:
        pairs = zip((), (), (), strict=True)
    else:
        values = rater.segments.ravel().tolist(), human.segments.ravel().tolist()
        pairs = zip([""] * len(values[0]), *values, strict=True)
    points = [Point(x, y, label=name) for name, x, y in pairs if not (math.isnan(x) or math.isnan(y))]
    return Figure(
        "scatter",
        [Series("", points)],
        f"Pearson{by} {shown(pearson)}",
        x_label=rater.label,
        y_label=human.label,
    )


def number(score: Score) -> str:
    """The value as people print it: three decimals, or one of a percentage; a dash where undefined.

    >>> number(Score("bleu", "mqm", "pearson", -0.91745, 12))
    '−0.917'
    """
    if score.value is None:
        return "–"
    return f"{score.value:.{1 if score.group == _PERCENT else 3}f}".replace("-", "−")


def shown(score: Score) -> str:
    """The value with its interval.

    >>> shown(Score("bleu", "mqm", "pearson", 0.91745, 12, -0.05, 0.96))
    '0.917 [−.05, .96]'
    """
    if score.low is None or score.high is None or score.value is None:
        return number(score)
    return f"{number(score)} [{_short(score.low, score.group)}, {_short(score.high, score.group)}]"


def _agreement_table(result: Result, humans: Sequence[str], labels: Mapping[str, str], unit: str) -> Table:
    scores = [score for score in result.scores if score.system in humans]
    cells = {(score.group, score.name, score.system): score for score in scores}
    raters = list(dict.fromkeys(score.name for score in scores))
    rows: list[list[Cell | str]] = []
    for statistic in dict.fromkeys(score.group for score in scores):
        best = {
            human: _best(
                [score for score in scores if (score.group, score.system) == (statistic, human)],
                lowest=statistic == _PERCENT,
            )
            for human in humans
        }
        for i, rater in enumerate(raters):
            row: list[Cell | str] = ["" if i else LABELS.get(statistic, statistic), labels.get(rater, rater)]
            for human in humans:
                score = cells.get((statistic, rater, human))
                row.append(Cell(shown(score), strong=score is best[human]) if score else "")
            rows.append(row)
    return Table(["", "metric", *humans], rows, notes=_sizes(scores, humans, labels, unit))


def _sizes(scores: Sequence[Score], humans: Sequence[str], labels: Mapping[str, str], unit: str) -> list[str]:
    """How many systems or translations stand behind the numbers; raters apart where they differ."""
    parts = []
    for human in humans:
        sizes = {score.name: score.n for score in scores if score.system == human}
        common = max(sizes.values(), default=0)
        others = [f"{labels.get(name, name)} {n:,}" for name, n in sizes.items() if n != common]
        parts.append(f"{human} {common:,}" + (f" ({', '.join(others)})" if others else ""))
    sizes_seen = {score.n for score in scores}
    if len(sizes_seen) == 1:
        n = sizes_seen.pop()
        return [f"n: {n:,} {unit if n != 1 else unit.removesuffix('s')}."]
    return [f"n, {unit}: {'; '.join(parts)}."]


def _best(scores: Sequence[Score], *, lowest: bool) -> Score | None:
    """The best of several; `None` where there is no choice."""
    defined = [score for score in scores if score.value is not None]
    if len(defined) < 2:
        return None
    return (min if lowest else max)(defined, key=lambda score: score.value or 0.0)


def _short(value: float, statistic: str) -> str:
    if statistic == _PERCENT:
        return f"{value:.0f}"
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−").replace("0.", ".")
