"""The tables and figures of the agreement of metrics and detectors with people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.marks import printable
from mtassay.data.nouns import Result, Score
from mtassay.meta.correlate import CorrelationSettings
from mtassay.meta.rated_material import Rater
from mtassay.meta.system_level import PAIRED

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


def agreement_tables(result: Result, labels: Mapping[str, str], *, unit: str) -> list[Table]:
    """Tables of statistics and raters by human score, a few scores side by side; `unit` is the unit of n.

    The best rater for each statistic and human score is bold. If metrics were tested against each other, the
    table has their ranks.
    """
    humans = list(dict.fromkeys(score.system for score in result.scores))
    most = 2 if result.clusters else 3
    return [_agreement_table(result, humans[i : i + most], labels, unit) for i in range(0, len(humans), most)]


def metrics_table(result: Result, labels: Mapping[str, str], *, unit: str) -> Table:
    """A table of every metric against every other: Pearson and Kendall."""
    shown_here = ("pearson", "kendall")
    cells = {(score.name, score.system, score.group): score for score in result.scores}
    rows: list[list[Cell | str]] = [
        [f"{labels.get(a, a)} – {labels.get(b, b)}", *(shown(cells[a, b, name]) for name in shown_here)]
        for a, b in dict.fromkeys((score.name, score.system) for score in result.scores)
    ]
    sizes = {cells[key].n for key in cells if key[2] in shown_here}
    n = f"{min(sizes):,}" if len(sizes) == 1 else f"{min(sizes):,} to {max(sizes):,}"
    header = ["Metrics", *(LABELS[name] for name in shown_here)]
    return Table(header, rows, title="Metric against metric", notes=[f"n: {n} {unit}."])


def sweep_table(result: Result, orders: Mapping[str, int], title: str) -> Table:
    """A table of n-gram lengths by human score: prediction error with its interval, and Pearson's r."""
    cells = {(score.name, score.system, score.group): score for score in result.scores}
    humans = list(dict.fromkeys(score.system for score in result.scores))
    lowest = {human: _best([cells[n, human, _PERCENT] for n in orders], lowest=True) for human in humans}
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
    """A figure of prediction error over n-gram length: a line per human score, with the lowest error marked.

    Up to two lines have their 95 % intervals. `unit` is the unit of n.
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
    n = max((cell.n for cell in cells.values()), default=0)  # for other scores, n counts pairs
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
    settings: CorrelationSettings,
) -> Figure:
    """Figures of every metric against every human score: named systems, or a cloud of translations."""
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
    result: Result, rater: Rater, human: Rater, systems: Sequence[str], settings: CorrelationSettings
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
    """Format the value with three decimals (percentages with one), or a dash if undefined.

    >>> number(Score("bleu", "mqm", "pearson", -0.91745, 12))
    '−0.917'
    """
    if score.value is None:
        return "–"
    return f"{score.value:.{1 if score.group == _PERCENT else 3}f}".replace("-", "−")


def shown(score: Score) -> str:
    """Format the value with its interval.

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
    ranks = {
        (cluster.group, name, cluster.name): str(cluster.rank)
        for cluster in result.clusters
        for name in cluster.systems
    }
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
                if ranks:
                    row.append(ranks.get((statistic, rater, human), ""))
            rows.append(row)
    header = [text for human in humans for text in ((human, "#") if ranks else (human,))]
    return Table(["", "metric", *header], rows, notes=_sizes(scores, humans, labels, unit))


def _sizes(scores: Sequence[Score], humans: Sequence[str], labels: Mapping[str, str], unit: str) -> list[str]:
    """The number of systems, translations or pairs behind each statistic."""
    phrases: dict[str, list[str]] = {}
    for statistic in dict.fromkeys(score.group for score in scores):
        chosen = [score for score in scores if score.group == statistic and score.value is not None]
        if chosen:
            what = "pairs" if statistic in PAIRED else unit
            phrases.setdefault(_size(chosen, humans, labels, what), []).append(
                LABELS.get(statistic, statistic)
            )
    if len(phrases) == 1:
        return [f"n: {next(iter(phrases))}."]
    parts = [f"{', '.join(names)}: {size}" for size, names in phrases.items()]
    return [f"n. {'; '.join(parts)}."] if parts else []


def _size(scores: Sequence[Score], humans: Sequence[str], labels: Mapping[str, str], what: str) -> str:
    """One number if all are equal, else numbers by human score that name the most different ones."""
    numbers = {score.n for score in scores}
    if len(numbers) == 1:
        n = numbers.pop()
        return f"{n:,} {what if n != 1 else what.removesuffix('s')}"
    parts = []
    for human in humans:
        sizes = {score.name: score.n for score in scores if score.system == human}
        if not sizes:
            continue
        usual = Counter(sizes.values()).most_common(1)[0][0]
        others = [f"{labels.get(name, name)} {n:,}" for name, n in sizes.items() if n != usual]
        if len(others) > 2:
            parts.append(f"{human} {min(sizes.values()):,} to {max(sizes.values()):,}")
        else:
            parts.append(f"{human} {usual:,}" + (f" ({', '.join(others)})" if others else ""))
    return f"{what} {', '.join(parts)}"


def _best(scores: Sequence[Score], *, lowest: bool) -> Score | None:
    """The best of several scores; `None` if there are fewer than two."""
    defined = [score for score in scores if score.value is not None]
    if len(defined) < 2:
        return None
    return (min if lowest else max)(defined, key=lambda score: score.value or 0.0)


def _short(value: float, statistic: str) -> str:
    if statistic == _PERCENT:
        return f"{value:.0f}"
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−").replace("0.", ".")


_SILENT = "silent: "


def detection_table(
    result: Result, labels: Mapping[str, str] | None = None, *, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """Judges with precision, recall and F1 (percent, 95 % intervals), and the area if there is one.

    `labels` has display names, if different. Numbers in parentheses are the totals of shares. A column has
    the flagged outputs without a label, and a note their possible effect on the precision.
    """
    scores = {(score.name, score.system): score for score in result.scores}
    areas = any(score.name == "auc" for score in result.scores)
    rows: list[list[Cell | str]] = []
    below = [*notes]
    for name, counts in result.counts.items():
        precision, recall, f1 = (scores[key, name] for key in ("precision", "recall", "f1"))
        label = printable((labels or {}).get(name, name))
        row: list[Cell | str] = [
            label,
            f"{counts['flagged']:,}",
            f"{counts['unlabelled']:,}",
            f"{_percent(precision)} {_of(precision)}",
            f"{_percent(recall)} {_of(recall)}",
            _percent(f1),
        ]
        if areas:
            row.append(_area(scores.get(("auc", name))))
        rows.append(row)
        below += _about(label, counts, precision)
    header = ["Judge", "flagged", "unlab.", "precision", "recall", "F1", *(["AUC"] if areas else [])]
    about = [
        "Precision: percent of the flagged and labelled pairs that are wrong. Recall: percent of the wrong "
        "pairs that are flagged. In parentheses: the numbers of pairs. unlab.: flagged, but not labelled. In "
        "brackets: 95 % intervals, which treat pairs as independent (Wilson's; for F1, from resampled pairs)."
    ]
    if areas:
        about.append("AUC: the probability that a wrong pair scores higher than a right pair. Chance: 0.5.")
    return Table(header, rows, title, [*about, *below])


def _about(name: str, counts: Mapping[str, int], precision: Score) -> list[str]:
    """Describe the outputs that the numbers of a detector do not cover."""
    lines = []
    if (unlabelled := counts["unlabelled"]) and counts["flagged"]:
        hits = _hits(precision)
        low, high = (100 * (hits + more) / counts["flagged"] for more in (0, unlabelled))
        lines.append(
            f"{name}: {unlabelled:,} of {counts['flagged']:,} flagged pairs have no label. Their "
            f"labels would make the precision {low:.1f} to {high:.1f}."
        )
    silent = {key.removeprefix(_SILENT): n for key, n in counts.items() if key.startswith(_SILENT)}
    if silent:
        reasons = ", ".join(f"{n:,} {why}" for why, n in silent.items())
        lines.append(f"{name}: {reasons} count as not flagged.")
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
