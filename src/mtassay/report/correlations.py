"""The tables that show how well metrics agree with people: by statistic, and by n-gram length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtassay.core import Result, Score
from mtassay.display import Cell, Table

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
