"""Draws lines and scatter panels as SVG or PNG; matplotlib is imported when something is drawn.

Everything is labelled where it stands, and lines differ in shade, dash and marker, so that a print in
black and white says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.errors import InputError, MissingExtraError, UsageError
from mtassay.report.labels import place_labels, spread

_INK = "#222222"
_FAINT = "#dddddd"
_POINT = "#2b5c8a"
_STYLES = [
    ("#1a1a1a", "-", "o"),
    ("#2b6cb0", (0, (5, 2)), "s"),
    ("#c05621", (0, (1, 1.5)), "^"),
    ("#6b9080", (0, (4, 1.5, 1, 1.5)), "D"),
    ("#9f7aea", (0, (8, 2)), "v"),
]
_SETTINGS = {
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": _INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "mtassay",
}


_IN_AXES = {"xycoords": "axes fraction", "textcoords": "offset points"}


class LinePoint(NamedTuple):
    """One value with its interval; a `None` value leaves a gap."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points in order of x, with its name."""

    label: str
    points: Sequence[LinePoint]


class Dot(NamedTuple):
    """One named point."""

    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Panel:
    """Points in a plane. `named` writes their names beside them, which only few points can bear."""

    x_label: str
    y_label: str
    title: str
    dots: Sequence[Dot]
    named: bool = True


def check_plot(path: Path) -> None:
    """Refuse a plot that could not be written, before the work for it begins."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise UsageError(f"{path}: plots are written as .svg or .png.")
    if not path.resolve().parent.is_dir():
        raise InputError("cannot write: there is no such folder", path=path)
    _matplotlib()


@contextmanager
def drawing(path: Path, width: float, height: float) -> Iterator[Any]:
    """A figure of this many inches in the style of all our plots, written to the path after the block."""
    with _matplotlib().rc_context(_SETTINGS):
        figure = _figure(width, height)
        yield figure
        _save(figure, path)


def plot_lines(
    path: Path, lines: Sequence[Line], *, x_label: str, y_label: str, title: str = "", note: str = ""
) -> None:
    """Lines over whole numbers, from 0 up, each with its name at its end and its lowest point filled.

    Up to two lines have a band for their intervals.
    """
    matplotlib = _matplotlib()
    with matplotlib.rc_context(_SETTINGS):
        figure = _figure(6.4, 3.9)
        axes = figure.subplots()
        for line, (color, dash, marker) in zip(lines, _styles(len(lines)), strict=True):
            _draw_line(axes, line, color, dash, marker, band=len(lines) <= 2)
        xs = sorted({point.x for line in lines for point in line.points})
        axes.set_xticks(xs if len(xs) <= 20 else xs[:: len(xs) // 12])
        axes.set_xlim(xs[0] - 0.4, xs[-1] + 0.4)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color=_FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_title(title, loc="left", pad=20 if note else 8)
        axes.annotate(note, (0, 1), (0, 7), **_IN_AXES, fontsize=8, color="#666666")
        _name_lines(axes, lines)
        _save(figure, path)


def plot_panels(path: Path, rows: Sequence[Sequence[Panel]]) -> None:
    """A grid of scatter panels, each with the line of least squares."""
    matplotlib = _matplotlib()
    columns = max(len(row) for row in rows)
    with matplotlib.rc_context(_SETTINGS):
        figure = _figure(3.6 * columns + 0.3, 3.2 * len(rows) + 0.2)
        figure.get_layout_engine().set(wspace=0.06, hspace=0.06)
        cells = figure.subplots(len(rows), columns, squeeze=False).ravel()
        panels = [panel for row in rows for panel in (*row, *[None] * (columns - len(row)))]
        for axes, panel in zip(cells, panels, strict=True):
            if panel is None:
                axes.set_visible(False)
            else:
                _draw_panel(axes, panel)
        figure.draw_without_rendering()  # the layout must stand before names are fitted in
        for axes, panel in zip(cells, panels, strict=True):
            if panel is not None and panel.named:
                place_labels(axes, panel.dots)
        _save(figure, path)


def _draw_line(axes: Any, line: Line, color: str, dash: Any, marker: str, *, band: bool) -> None:
    xs = [point.x for point in line.points]
    ys = [float("nan") if point.y is None else point.y for point in line.points]
    if band:
        low = [y if point.low is None else point.low for point, y in zip(line.points, ys, strict=True)]
        high = [y if point.high is None else point.high for point, y in zip(line.points, ys, strict=True)]
        axes.fill_between(xs, low, high, color=color, alpha=0.1, linewidth=0)
    axes.plot(
        *(xs, ys),
        **{"color": color, "linestyle": dash, "linewidth": 1.5, "marker": marker, "markersize": 4.5},
        **{"markerfacecolor": "white", "markeredgewidth": 1.1},
    )
    known = [point for point in line.points if point.y is not None]
    if known:
        lowest = min(known, key=lambda point: point.y or 0.0)
        axes.plot([lowest.x], [lowest.y], color=color, marker=marker, markersize=6.5)


def _name_lines(axes: Any, lines: Sequence[Line]) -> None:
    """Names to the right of the last points, moved apart where they would touch."""
    ends = [next((p for p in reversed(line.points) if p.y is not None), None) for line in lines]
    known = [(line, end) for line, end in zip(lines, ends, strict=True) if end is not None]
    bottom, top = axes.get_ylim()
    heights = spread([end.y or 0.0 for _, end in known], gap=(top - bottom) * 0.06)
    styles = dict(zip([line.label for line in lines], _styles(len(lines)), strict=True))
    right = axes.get_xlim()[1]
    for (line, _), height in zip(known, heights, strict=True):
        color = styles[line.label][0]
        axes.annotate(
            line.label, (right, height), (4, 0), textcoords="offset points", va="center", color=color
        )


def _draw_panel(axes: Any, panel: Panel) -> None:
    xs, ys = [dot.x for dot in panel.dots], [dot.y for dot in panel.dots]
    if len(set(xs)) > 1:
        color, order = ("#cccccc", 1) if panel.named else (_INK, 4)  # many points would hide the line
        _draw_fit(axes, xs, ys, color=color, zorder=order)
    if panel.named:
        axes.scatter(xs, ys, s=20, color=_POINT, zorder=3, linewidth=0)
    else:
        axes.scatter(xs, ys, s=5, color=_POINT, alpha=0.15, linewidth=0, rasterized=True)
    axes.margins(0.16 if panel.named else 0.04)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_title(panel.title, loc="left")
    axes.locator_params(nbins=5)


def _draw_fit(axes: Any, xs: Sequence[float], ys: Sequence[float], **style: Any) -> None:
    import numpy as np

    slope, intercept = np.polyfit(xs, ys, 1)
    ends = (min(xs), max(xs))
    axes.plot(ends, [intercept + slope * x for x in ends], linewidth=1, **style)


def _styles(count: int) -> list[tuple[str, Any, str]]:
    return [_STYLES[i % len(_STYLES)] for i in range(count)]


def _figure(width: float, height: float) -> Any:
    """A figure of this many inches, without pyplot, whose state would outlive it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=200, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix.lower().lstrip(".")
    metadata = {"Date": None} if kind == "svg" else {}
    try:
        figure.savefig(path, format=kind, facecolor="white", metadata=metadata)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", path=path) from None


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("A plot", package="matplotlib", extra="plot") from None
    return matplotlib
