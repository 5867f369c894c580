"""Detectors against labels: precision, recall, F1 and the area under the ROC curve, and both as a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtassay.core import Result, Score
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.meta.detect import CurvePoint
from mtassay.texts.marks import printable

__all__ = ["curve_figure", "detection_table"]

_SILENT = "silent: "


def detection_table(result: Result, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """Detectors by precision, recall and F1 in percent with 95 % intervals, and by area where there is one.

    In parentheses is what a share is of. What is flagged and not labelled stands beside it, and below, what
    it could make of the precision.
    """
    scores = {(score.name, score.system): score for score in result.scores}
    areas = any(score.name == "auc" for score in result.scores)
    rows: list[list[Cell | str]] = []
    below = [*notes]
    for name, counts in result.counts.items():
        precision, recall, f1 = (scores[key, name] for key in ("precision", "recall", "f1"))
        row: list[Cell | str] = [
            printable(name),
            f"{counts['flagged']:,}",
            f"{counts['unlabelled']:,}",
            f"{_percent(precision)} {_of(precision)}",
            f"{_percent(recall)} {_of(recall)}",
            _percent(f1),
        ]
        if areas:
            row.append(_area(scores.get(("auc", name))))
        rows.append(row)
        below += _about(printable(name), counts, precision)
    header = ["Detector", "flagged", "unlab.", "precision", "recall", "F1", *(["AUC"] if areas else [])]
    about = [
        "Precision: percent of the flagged and labelled pairs that are wrong; recall: of the wrong pairs, "
        "those that are flagged; in parentheses: how many of how many. unlab.: flagged, but not labelled. In "
        "brackets: 95 % intervals, Wilson's; of F1, by drawing the labelled pairs anew. They take pairs for "
        "independent."
    ]
    if areas:
        about.append("AUC: the probability that a wrong pair scores above a right one. Chance: 0.5.")
    return Table(header, rows, title, [*about, *below])


def curve_figure(
    curves: Mapping[str, Sequence[CurvePoint]],
    flagged: Mapping[str, CurvePoint],
    *,
    share: float | None = None,
    title: str = "",
) -> Figure:
    """How precision falls as recall rises: a line for each detector with scores, a dot for what each flags.

    `share` is that of wrong pairs, which is the precision of who flags all of them.
    """
    series = []
    for name in dict.fromkeys((*curves, *flagged)):
        if points := curves.get(name, ()):
            # Between two recalls the precision is that of the higher one.
            places = [*points[:1], *points]
            levels = zip(places, [*points, *points[-1:]], strict=True)
            series.append(Series(name, [_percents(at.recall, level.precision) for at, level in levels]))
        if (mark := flagged.get(name)) is not None:
            series.append(Series(name, [_percents(mark.recall, mark.precision)._replace(strong=True)]))
    about = ["Dots: what each detector flags."] if flagged else []
    about += ["Dotted: the share of wrong pairs."] if share is not None else []
    return Figure(
        "steps",
        series,
        title,
        x_label="recall (%)",
        y_label="precision (%)",
        note=" ".join(about),
        limits=(0, 100),
        x_limits=(0, 100),
        level=None if share is None else 100 * share,
    )


def _percents(recall: float, precision: float) -> Point:
    return Point(100 * recall, 100 * precision)


def _about(name: str, counts: Mapping[str, int], precision: Score) -> list[str]:
    """What the numbers of one detector leave out."""
    lines = []
    if (unlabelled := counts["unlabelled"]) and counts["flagged"]:
        hits = _hits(precision)
        low, high = (100 * (hits + more) / counts["flagged"] for more in (0, unlabelled))
        lines.append(
            f"{name}: {unlabelled:,} of {counts['flagged']:,} flagged pairs are not labelled; with "
            f"them its precision is between {low:.1f} and {high:.1f}."
        )
    silent = {key.removeprefix(_SILENT): n for key, n in counts.items() if key.startswith(_SILENT)}
    if silent:
        said = ", ".join(f"{n:,} {why}" for why, n in silent.items())
        lines.append(f"{name}: {said} count as not flagged.")
    return lines


def _hits(score: Score) -> int:
    return 0 if score.value is None else round(score.value * score.n / 100)


def _percent(score: Score) -> str:
    if score.value is None or score.low is None or score.high is None:
        return "–"
    return f"{score.value:.1f} [{score.low:.0f}–{score.high:.0f}]"


def _of(score: Score) -> str:
    return f"({_hits(score):,}/{score.n:,})"


def _area(score: Score | None) -> str:
    if score is None or score.value is None or score.low is None or score.high is None:
        return "–"
    return f"{score.value:.3f} [{score.low:.2f}–{score.high:.2f}]"
