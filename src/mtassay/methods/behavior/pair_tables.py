"""The table of generated pairs: what people think of them, and a reference-free measure."""

from __future__ import annotations

from mtassay.core import Result, Score
from mtassay.display import Cell, Table
from mtassay.texts.marks import printable

__all__ = ["pair_quality_table"]

_RATINGS = {"ssf": "SSF", "tsf": "TSF", "ta": "TA"}
_ALPHA = "alpha"


def pair_quality_table(result: Result, *, title: str = "") -> Table:
    """Sets of pairs by mean rating and by measure, with 95 % intervals and n; the agreement stands last.

    The form is that of table 2 of Wu, Liu, Yeung (2023). A rating that nobody gave is a dash.
    """
    scores = {(score.name, score.system): score for score in result.scores if score.name != _ALPHA}
    measures = [n for n in dict.fromkeys(name for name, _ in scores) if n not in _RATINGS]
    rows: list[list[Cell | str]] = []
    for name, counts in result.counts.items():
        row: list[Cell | str] = [printable(name), f"{counts['pairs']:,}"]
        row += [_cell(scores.get((rating, name)), 2) for rating in _RATINGS]
        row += [_cell(scores.get((measure, name)), 3, whole=counts["pairs"]) for measure in measures]
        rows.append(row)
    alphas = {score.group: score for score in result.scores if score.name == _ALPHA}
    if any(score.value is not None for score in alphas.values()):
        rows.append(
            ["alpha", "", *(_cell(alphas.get(rating), 2) for rating in _RATINGS), *("" for _ in measures)]
        )
    header = ["Pairs", "pairs", *_RATINGS.values(), *measures]
    return Table(header, rows, title, _notes(result, alphas, measures))


def _notes(result: Result, alphas: dict[str, Score], measures: list[str]) -> list[str]:
    notes = [
        "SSF, TSF: fluency of source and target; TA: adequacy. Means over pairs of what people said, from 1 "
        "(unsatisfied) to 3 (satisfied); in brackets the 95 % interval, in parentheses the pairs rated."
    ]
    if not any(score.n for score in result.scores if score.name in _RATINGS):
        notes.append("Nobody has rated any of these pairs yet: see 'mtassay behavior rate'.")
    if any(score.value is not None for score in alphas.values()):
        notes.append(
            "alpha: how far raters agree (Krippendorff's, ordinal; 1 fully, 0 as by chance), on the pairs of "
            "all sets that two or more rated."
        )
    undefined = [_RATINGS[name] for name, score in alphas.items() if score.n and score.value is None]
    if undefined:
        notes.append(f"alpha of {', '.join(undefined)} is undefined: all ratings are the same.")
    if measures:
        notes.append(
            f"{', '.join(measures)}: adequacy by a measure that reads no reference, the mean over all pairs."
        )
    return notes


def _cell(score: Score | None, decimals: int, *, whole: int | None = None) -> str:
    """A mean, its interval and its n, which is left out where it is all pairs."""
    if score is None or score.value is None:
        return "–"
    text = f"{score.value:.{decimals}f}"
    if score.low is not None and score.high is not None:
        text += f" [{score.low:.{decimals}f}–{score.high:.{decimals}f}]"
    return text if score.n == whole else f"{text} ({score.n:,})"
