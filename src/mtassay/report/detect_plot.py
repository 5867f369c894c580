"""Draws how precision falls as recall rises, a line for each detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mtassay.report.plots import drawing

__all__ = ["Point", "plot_curves"]

_STYLES: list[tuple[str, Any]] = [
    ("#1a1a1a", "-"),
    ("#2b6cb0", (0, (5, 2))),
    ("#c05621", (0, (1, 1.5))),
    ("#6b9080", (0, (4, 1.5, 1, 1.5))),
    ("#9f7aea", (0, (8, 2))),
]
_MUTED, _FAINT = "#666666", "#dddddd"


class Point(Protocol):
    """Precision and recall, between 0 and 1; see `mtassay.meta.detect`."""

    @property
    def precision(self) -> float: ...
    @property
    def recall(self) -> float: ...


def plot_curves(
    path: Path,
    curves: Mapping[str, Sequence[Point]],
    marks: Mapping[str, Point],
    *,
    share: float | None = None,
    title: str = "",
) -> None:
    """A curve for each detector with scores, and a dot for what each one flags (`marks`).

    `share` is that of wrong pairs, which is the precision of who flags all of them: a dotted line.
    """
    names = list(dict.fromkeys((*curves, *marks)))
    with drawing(path, 5.2, 4.4) as figure:
        axes = figure.subplots()
        for number, name in enumerate(names):
            color, dash = _STYLES[number % len(_STYLES)]
            points = curves.get(name, ())
            if points:
                # A step: between two thresholds nothing changes.
                recall = [100 * point.recall for point in points]
                precision = [100 * point.precision for point in points]
                axes.step(
                    *(recall, precision),
                    **{"where": "pre", "color": color, "linestyle": dash, "linewidth": 1.4, "label": name},
                )
            if (mark := marks.get(name)) is not None:
                label = None if points else name
                axes.plot(
                    *([100 * mark.recall], [100 * mark.precision]),
                    **{"color": color, "marker": "o", "markersize": 6, "linestyle": "none", "label": label},
                    **{"markeredgecolor": "white", "zorder": 5},
                )
        if share is not None:
            axes.axhline(100 * share, color=_MUTED, linewidth=0.8, linestyle=(0, (1, 2)))
        axes.set_xlim(0, 102)
        axes.set_ylim(0, 102)
        axes.grid(color=_FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("recall (%)")
        axes.set_ylabel("precision (%)")
        axes.set_title(title, loc="left")
        if names:
            figure.legend(loc="outside lower center", ncols=min(len(names), 3), frameon=False, fontsize=8)
        about = "Dots: what each detector flags." if marks else ""
        about += " Dotted: the share of wrong pairs." if share is not None else ""
        axes.annotate(
            about.strip(),
            (1, 1),
            (0, 4),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            fontsize=7,
            color=_MUTED,
        )
