"""Challenge sets as tables and a figure: what a suite gave, and how metrics do on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mtassay.core import Result, Score
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.stats.ranking import AVERAGES

__all__ = ["area_table", "harvest_table", "pairwise_figure", "pairwise_table"]

_KINDS = {"accuracy:reference-based": "with reference", "accuracy:reference-free": "without reference"}

_SHORT = {"no known output": "none", "no correct output": "no corr.", "no incorrect output": "no inc."}


def harvest_table(rows: Sequence[tuple[str, Sequence[bool], str]]) -> Table:
    """Categories by how many items gave pairs, and why the others gave none.

    Each row is an item: its category, for each pair whether it has a reference, and why it has no pair.
    """
    categories = list(dict.fromkeys(category for category, _, _ in rows))
    reasons = [why for why, _ in Counter(why for _, _, why in rows if why).most_common()]
    body: list[list[Cell | str]] = []
    for name in [*categories, ""]:
        chosen = [row for row in rows if name in ("", row[0])]
        pairs = [has_reference for _, pairs, _ in chosen for has_reference in pairs]
        counts = [len(chosen), sum(bool(p) for _, p, _ in chosen), len(pairs), sum(pairs)]
        counts += [sum(why == reason for _, _, why in chosen) for reason in reasons]
        body.append([name or Cell("all", strong=True), *(f"{count:,}" for count in counts)])
    header = ["Category", "items", "used", "pairs", "ref.", *(_SHORT.get(why, why) for why in reasons)]
    unused = "; ".join(f"{_SHORT[why]}: {why}" for why in reasons if why in _SHORT)
    notes = ["used: items with a known correct and a known incorrect output; ref.: pairs with a reference."]
    notes += [f"Items that are not used: {unused}."] if unused else []
    if any(not has_reference for _, pairs, _ in rows for has_reference in pairs):
        notes.append("Where only one correct output is known, none is left for the reference.")
    return Table(header, body, notes=notes)


def pairwise_table(
    result: Result, name: str, labels: Mapping[str, str], *, by: str, alpha: float, title: str, several: bool
) -> Table:
    """Groups by metric: how often the correct output scores higher, in percent, with 95 % intervals.

    `name` is that of the scores, `several` whether an item may have more than one pair. The last row is the
    share of ties.
    """
    shown = _Shown(result, name, labels)
    rows = [shown.row(group, "{:.1f}", "[{:.0f}–{:.0f}]") for group in shown.groups]
    ties = {s.system: s for s in result.scores if (s.name, s.group) == ("ties", "micro")}
    rows.append(["ties", "", *(f"{ties[metric].value or 0:.1f}{' ' * 9}" for metric in shown.metrics)])
    notes = [
        "Percent of pairs in which the correct output scores strictly higher; ties are not right. Chance: 50."
        " In brackets: 95 % interval."
    ]
    if several:
        notes.append("All pairs of an item count as one: n is items; intervals and tests are by item.")
    test = "permutation test" if several else "exact paired test; macro-average: permutation test"
    return Table([by.capitalize(), "n", *shown.header], rows, title, [*notes, *shown.about_best(test, alpha)])


def area_table(result: Result, name: str, labels: Mapping[str, str], *, by: str, alpha: float) -> Table:
    """Groups by metric: the area under the ROC curve, with 95 % intervals."""
    shown = _Shown(result, name, labels)
    rows = [shown.row(group, "{:.3f}", "[{:.2f}–{:.2f}]") for group in shown.groups]
    notes = [
        "AUC: the probability that a correct output scores above an incorrect one of the same "
        f"{by}, of any item. Chance: 0.5. n is outputs. In brackets: 95 % interval."
    ]
    title = "Quality estimation: correct from incorrect outputs"
    test = "clustered z-test"
    return Table([by.capitalize(), "n", *shown.header], rows, title, [*notes, *shown.about_best(test, alpha)])


def pairwise_figure(result: Result, labels: Mapping[str, str]) -> Figure:
    """Pairwise accuracy by group and metric; metrics that read no references have hollow dots."""
    scores = [score for score in result.scores if score.name in _KINDS]
    rows, heads = {}, []
    for group in dict.fromkeys(score.group for score in scores):
        # Fewer items stand behind the dots of metrics that need a reference.
        sizes = dict.fromkeys(f"{s.n:,}" for s in {s.name: s for s in scores if s.group == group}.values())
        rows[group] = f"{AVERAGES.get(group, group)}  ({' | '.join(sizes)})"
        heads += [rows[group]] if group in AVERAGES else []
    series = [
        Series(
            f"{labels.get(metric, metric)} ({_KINDS[name]})",
            [
                Point(rows[s.group], s.value, s.low, s.high)
                for s in scores
                if (s.name, s.system) == (name, metric)
            ],
            hollow=name == "accuracy:reference-free",
        )
        for name, metric in dict.fromkeys((score.name, score.system) for score in scores)
    ]
    lowest = min((score.low for score in scores if score.low is not None), default=0.0)
    items = "items with a reference | all items" if any("|" in row for row in rows.values()) else "items"
    return Figure(
        "dots",
        series,
        x_label="correct output scored higher (%)",
        note=f"Bars: 95 % intervals. Dashes: chance. In parentheses: {items}.",
        rows=list(rows.values()),
        heads=heads,
        limits=(min(10 * (lowest // 10), 40.0), 100),
        level=50,
    )


class _Shown:
    """Looks up the scores of one name."""

    def __init__(self, result: Result, name: str, labels: Mapping[str, str]) -> None:
        scores = [score for score in result.scores if score.name == name]
        self.scores = {(score.group, score.system): score for score in scores}
        self.groups = list(dict.fromkeys(score.group for score in scores))
        self.best = {
            (cluster.group, metric)
            for cluster in result.clusters
            if cluster.name == name and cluster.rank == 1
            for metric in cluster.systems
        }
        macro = [score for score in scores if score.group == "macro"]
        ordered = sorted(macro, key=lambda s: 1.0 if s.value is None else -s.value)
        self.metrics = [score.system for score in ordered]
        self.header = [f"{labels.get(metric, metric)}{' ' * 9}" for metric in self.metrics]

    def row(self, group: str, number: str, ends: str) -> list[Cell | str]:
        """The group, its size, and a cell per metric, padded so that numbers stand below each other."""
        sizes = sorted({self.scores[group, metric].n for metric in self.metrics})
        size = "–".join(f"{n:,}" for n in dict.fromkeys((sizes[0], sizes[-1])))
        row: list[Cell | str] = [AVERAGES.get(group, group), size]
        for metric in self.metrics:
            score = self.scores[group, metric]
            best = (group, metric) in self.best
            row.append(Cell(_text(score, number, ends, "*" if best else " "), strong=best))
        return row

    def about_best(self, test: str, alpha: float) -> list[str]:
        """What bold means; nothing for a single metric."""
        if len(self.metrics) < 2:
            return []
        return [
            f"Bold (*): the best of the row, and all not significantly worse ({test}, one-tailed, "
            f"p < {alpha:g})."
        ]


def _text(score: Score, number: str, ends: str, mark: str) -> str:
    if score.value is None:
        return f"–{mark}{' ' * 8}"
    interval = "" if score.low is None or score.high is None else ends.format(score.low, score.high)
    return f"{number.format(score.value)}{mark}{interval:<8}"
