"""Draws how metrics do on a challenge set: a row for each category, a dot with its interval per metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtassay.core import Result, Score
from mtassay.report.plots import drawing
from mtassay.stats.ranking import AVERAGES

__all__ = ["plot_pairwise"]

_KINDS = {
    "accuracy:reference-based": "with reference",
    "accuracy:reference-free": "without reference",
}
_INKS = ["#1a1a1a", "#2b6cb0", "#c05621", "#4f7a68", "#7c5bc7", "#8a6d1d"]
_MARKERS = ["o", "s", "^", "D", "v", "P"]
_STEP = 0.21  # between the dots of one row, which are 1 apart from the next row's


def plot_pairwise(path: Path, result: Result, labels: Mapping[str, str]) -> None:
    """Pairwise accuracy by group and metric, as SVG or PNG by the ending of the path.

    Metrics that read references have filled dots, the others hollow ones. Averages stand last.
    """
    scores = [score for score in result.scores if score.name in _KINDS]
    groups = list(dict.fromkeys(score.group for score in scores))
    metrics = list(dict.fromkeys((score.name, score.system) for score in scores))
    step = min(_STEP, 0.72 / len(metrics))
    height = max(0.26, 0.075 * len(metrics) + 0.1)  # inches for a row
    with drawing(path, 6.8, 1.0 + height * len(groups) + 0.2 * ((len(metrics) + 2) // 3)) as figure:
        axes = figure.subplots()
        places = {group: _place(number, group) for number, group in enumerate(groups)}
        axes.axvline(50, color="#999999", linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        for place in list(places.values())[::2]:
            axes.axhspan(place - 0.5, place + 0.5, color="#f5f5f5", zorder=0, linewidth=0)
        for number, (name, metric) in enumerate(metrics):
            shift = (number - (len(metrics) - 1) / 2) * step
            chosen = [score for score in scores if (score.name, score.system) == (name, metric)]
            label = f"{labels.get(metric, metric)} ({_KINDS[name]})"
            _draw(axes, chosen, places, shift, number, label=label, filled=name == "accuracy:reference-based")
        axes.set_yticks(
            list(places.values()),
            [f"{AVERAGES.get(group, group)}  ({_sizes(scores, group)})" for group in groups],
        )
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(max(places.values()) + 0.6, -0.6)
        axes.set_xlim(*_limits(scores))
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        both = any("|" in _sizes(scores, group) for group in groups)
        sizes = "items with a reference | all items" if both else "items"
        axes.set_xlabel(
            f"correct output scored higher (%), 95 % interval; dashes: chance\nin brackets: {sizes}"
        )
        columns = 3 if max(len(labels.get(m, m)) for _, m in metrics) < 12 and len(metrics) > 2 else 2
        figure.legend(loc="outside upper left", ncols=min(columns, len(metrics)), frameon=False, fontsize=8)


def _draw(
    axes: Any,
    scores: Sequence[Score],
    places: Mapping[str, float],
    shift: float,
    number: int,
    *,
    label: str,
    filled: bool,
) -> None:
    known = [(score, score.value) for score in scores if score.value is not None]
    ink = _INKS[number % len(_INKS)]
    heights = [places[score.group] + shift for score, _ in known]
    ends = [(v if s.low is None else s.low, v if s.high is None else s.high) for s, v in known]
    axes.hlines(heights, [low for low, _ in ends], [high for _, high in ends], color=ink, linewidth=1)
    axes.plot(
        [value for _, value in known],
        heights,
        linestyle="none",
        marker=_MARKERS[number % len(_MARKERS)],
        markersize=4.6,
        color=ink,
        markerfacecolor=ink if filled else "white",
        markeredgewidth=1,
        label=label,
        zorder=3,
        clip_on=False,
    )


def _sizes(scores: Sequence[Score], group: str) -> str:
    """How many items stand behind the dots of a row; fewer for metrics that need a reference."""
    sizes = {score.name: f"{score.n:,}" for score in scores if score.group == group}
    return " | ".join(dict.fromkeys(sizes.values()))


def _place(number: int, group: str) -> float:
    """Rows are 1 apart, with some room before the averages."""
    return number + (0.35 if group in AVERAGES else 0.0)


def _limits(scores: Sequence[Score]) -> tuple[float, float]:
    """From a round number below everything, and chance, to 100."""
    lowest = min((score.low for score in scores if score.low is not None), default=0.0)
    return min(10 * (lowest // 10), 40.0), 100.5
