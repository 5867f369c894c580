"""Draws what a threshold does to issues and their accuracy, and how long each step takes.

These are figures 13 and 12 of He, Meister, Su (2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtassay.methods.invariance.evaluation_tables import SweepPoint
from mtassay.report.plots import drawing

__all__ = ["plot_seconds", "plot_sweep"]

_INK = "#1a1a1a"
_BLUE = "#2b6cb0"
_MUTED = "#666666"
_FAINT = "#dddddd"
_FILLS = [
    ("#1f3b57", ""),
    ("#6f9bc4", ""),
    ("#cfdceb", ""),
    ("#ffffff", "///"),
    ("#e8c9a8", ""),
    ("#ffffff", "..."),
]
_BAR, _AROUND = 0.42, 1.5  # inches


def plot_sweep(
    path: Path,
    points: Sequence[SweepPoint],
    *,
    farthest: float | None = None,
    marks: Sequence[float] = (),
    title: str = "",
    unit: str = "",
) -> None:
    """Above: all issues and the buggy ones by threshold; below: top-1 accuracy with its 95 % interval.

    `marks` are thresholds to point out; `unit` says what the distance counts. Lines are steps, since between
    two thresholds nothing changes. The last one ends at `farthest`, the largest distance, from which on there
    are no issues; without it, a little further on.
    """
    xs = [point.threshold for point in points]
    end = farthest if farthest is not None else max(xs, default=0.0) * 1.05 or 1.0
    with drawing(path, 6.4, 5.0) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True)
        counts = (
            ("issues", [point.issues for point in points], _INK, "-"),
            ("buggy issues", [point.accuracy.wrong for point in points], _BLUE, (0, (5, 2))),
        )
        for label, ys, color, dash in counts:
            upper.step(
                *_until(end, xs, ys), where="post", color=color, linestyle=dash, linewidth=1.5, label=label
            )
        upper.legend(frameon=False, fontsize=8)
        upper.set_ylabel("issues")
        known = [point for point in points if point.accuracy.value is not None]
        open_from = [point.threshold for point in points if known and point.threshold > known[-1].threshold]
        _draw_accuracy(lower, known, min([end, *open_from]))
        lower.set_ylim(0, 100)
        lower.set_ylabel("top-1 accuracy (%)")
        lower.set_xlabel(f"distance threshold{f' ({unit})' if unit else ''}")
        upper.set_ylim(bottom=0)
        for axes in (upper, lower):
            axes.grid(axis="y", color=_FAINT, linewidth=0.6)
            axes.set_axisbelow(True)
            for mark in marks:
                axes.axvline(mark, color=_MUTED, linewidth=0.8, linestyle=(0, (1, 2)))
        upper.set_title(title, loc="left")
        undecided = max((point.accuracy.undecided for point in points), default=0)
        note = "Band: 95 % interval."
        note += f" Up to {undecided:,} issues are undecided and not in the accuracy." if undecided else ""
        figure.supxlabel(note, x=0.01, ha="left", fontsize=7, color=_MUTED)


def plot_seconds(path: Path, steps: Mapping[str, Mapping[str, float]], *, title: str = "") -> None:
    """Seconds of each step as stacked bars, one bar for each key; a step that is not there takes no time."""
    names = list(dict.fromkeys(name for seconds in steps.values() for name in seconds))
    totals = {label: sum(seconds.values()) for label, seconds in steps.items()}
    with drawing(path, 6.4, _AROUND + _BAR * len(steps)) as figure:
        axes = figure.subplots()
        left = dict.fromkeys(steps, 0.0)
        for number, name in enumerate(names):
            color, hatch = _FILLS[number % len(_FILLS)]
            widths = [seconds.get(name, 0.0) for seconds in steps.values()]
            axes.barh(
                *(range(len(steps)), widths),
                **{
                    "left": list(left.values()),
                    "color": color,
                    "hatch": hatch,
                    "height": 0.62,
                    "label": name,
                },
                **{"edgecolor": _INK, "linewidth": 0.6},
            )
            left = {label: left[label] + width for label, width in zip(steps, widths, strict=True)}
        for place, total in enumerate(totals.values()):
            axes.annotate(f"{total:.1f} s", (total, place), (4, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(steps)), list(steps))
        axes.invert_yaxis()
        axes.set_xlim(0, max(totals.values(), default=1.0) * 1.15)
        axes.set_xlabel("seconds")
        axes.set_title(title, loc="left")
        figure.legend(loc="outside lower center", ncols=min(len(names), 4), frameon=False, fontsize=8)


def _until(end: float, xs: Sequence[float], ys: Sequence[float]) -> tuple[list[float], list[float]]:
    """The same with the last level drawn on to `end`."""
    return ([*xs, end], [*ys, ys[-1]]) if xs and end > xs[-1] else (list(xs), list(ys))


def _draw_accuracy(axes: Any, known: Sequence[SweepPoint], end: float) -> None:
    xs = [point.threshold for point in known]
    axes.step(
        *_until(end, xs, [100 * (point.accuracy.value or 0.0) for point in known]),
        **{"where": "post", "color": _INK, "linewidth": 1.5},
    )
    low = [100 * (point.accuracy.low or 0.0) for point in known]
    high = [100 * (point.accuracy.high or 0.0) for point in known]
    (longer, low), (_, high) = _until(end, xs, low), _until(end, xs, high)
    axes.fill_between(longer, low, high, step="post", color=_INK, alpha=0.1, linewidth=0)
