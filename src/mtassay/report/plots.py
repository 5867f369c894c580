"""Draws figures as SVG or PNG, all in one style; matplotlib is loaded when something is drawn.

Labels are beside the data, and series differ in shade, dash and marker, so that figures can be printed in
black and white.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from mtassay.data.display import Figure, Point, Series
from mtassay.data.errors import InputError, MissingExtraError, UsageError

_INK, _MUTED, _RULE, _FAINT, _SHADED = "#222222", "#666666", "#999999", "#dddddd", "#f5f5f5"
_INKS = ["#1a1a1a", "#2b6cb0", "#c05621", "#4f7a68", "#7c5bc7", "#8a6d1d"]
_MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
_DASHES: list[Any] = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (8, 2))]
_FILLS = [
    ("#1f3b57", ""),
    ("#6f9bc4", ""),
    ("#cfdceb", ""),
    ("#ffffff", "///"),
    ("#e8c9a8", ""),
    ("#ffffff", "..."),
]
_POINT, _FRAME = "#2b5c8a", "#c05621"
_DOTTED: Any = (0, (1, 2))
_LIGHT, _DARK = 0.98, 0.25  # greys of the highest and of the lowest value of a map
_MIDDLE = 0.45  # below this grey, white can be read better than black
_SETTINGS = {
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "text.parse_math": False,
    "axes.axisbelow": True,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": _INK,
    "axes.labelsize": 8,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "grid.color": _FAINT,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.6,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "svg.fonttype": "none",
    "svg.hashsalt": "mtassay",
}
# Inches.
_WIDTH, _NARROWEST = 6.4, 4.6
_TITLE, _NOTE, _ENTRY = 0.2, 0.145, 0.2  # heights: of the title, note, legend
_TITLE_LETTER, _LETTER, _ENTRY_LETTER, _NOTE_LETTER = 0.07, 0.068, 0.05, 0.0525  # widths
_APART = 0.35  # of a row, before a head


def check_plot(path: Path) -> None:
    """Refuse a plot that could not be written, before its data are computed."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise UsageError(f"{path}: plots are written as .svg or .png.")
    if not path.resolve().parent.is_dir():
        raise InputError("cannot write: there is no such folder", path=path)
    _matplotlib()


def draw(figures: Figure | Sequence[Figure], path: Path) -> None:
    """Write a figure, or several below each other, as SVG or PNG; the ending of the path decides."""
    kind = path.suffix.lower().lstrip(".")
    with _drawing([figures] if isinstance(figures, Figure) else figures) as drawing:
        beside = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            _save(drawing, beside, kind)
            beside.replace(path)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror or error}", path=path) from None
        finally:
            beside.unlink(missing_ok=True)


def figure_html(figure: Figure) -> str:
    """Return an `svg` element that a page can contain unchanged."""
    with _drawing([figure]) as drawing:
        written = io.StringIO()
        _save(drawing, written, "svg")
    text = written.getvalue()
    return text[text.index("<svg") :]


def _save(drawing: Any, to: Any, kind: str) -> None:
    drawing.savefig(to, format=kind, facecolor="white", metadata={"Date": None} if kind == "svg" else {})


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("A plot", package="matplotlib", extra="plot") from None
    return matplotlib


# The whole -------------------------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """The layout of a figure in inches: its panels, and the lines written above and below them."""

    panels: Sequence[Figure | None]
    columns: int
    width: float
    height: float
    title: Sequence[str]
    note: Sequence[str]
    is_one: bool


@contextmanager
def _drawing(figures: Sequence[Figure]) -> Iterator[Any]:
    """Yield a drawing in our style. Pyplot is not used, because its state would remain afterwards."""
    with _matplotlib().rc_context(_SETTINGS):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Drawing

        width = max([_NARROWEST, *(_size(figure)[0] for figure in figures)])
        plans = [_plan(figure, width) for figure in figures]
        heights = [plan.height for plan in plans]
        drawing = Drawing(figsize=(width, sum(heights)), dpi=200, layout="constrained")
        FigureCanvasAgg(drawing)
        parts: list[Any] = [drawing]
        if len(plans) > 1:
            parts = [*drawing.subfigures(len(plans), 1, squeeze=False, height_ratios=heights).ravel()]
        for part, plan in zip(parts, plans, strict=True):
            _fill(part, plan)
        yield drawing


def _size(figure: Figure) -> tuple[float, float]:
    """Return width and height of a figure with its axes, without the space around it."""
    if figure.kind != "panels":
        return _KINDS[figure.kind].size(figure, False)
    sizes = [_KINDS[panel.kind].size(panel, True) for panel in figure.panels if panel is not None]
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / max(columns, 1))
    return (
        columns * max((width for width, _ in sizes), default=_WIDTH),
        rows * max((height for _, height in sizes), default=1.0),
    )


def _plan(figure: Figure, width: float) -> _Plan:
    is_one = figure.kind != "panels"
    panels = [figure] if is_one else list(figure.panels) or [None]
    notes = figure.note.splitlines()
    if shades := _shades(panels):
        notes.append(f"The darker, the lower: white is {shades[1]:g}, the darkest {shades[0]:g}.")
        panels = [p and replace(p, limits=shades if p.kind == "heat" else p.limits) for p in panels]
    title = wrap(figure.title, int(width / _TITLE_LETTER))
    note = [part for line in notes for part in wrap(line, int(width / _NOTE_LETTER))]
    legends = sum(_ENTRY * _legend_rows(panel, width) for panel in panels if panel is not None)
    height = _size(figure)[1] + legends + _NOTE * len(note) + _TITLE * len(title)
    return _Plan(panels, min(figure.columns, len(panels)), width, height, title, note, is_one)


def _fill(part: Any, plan: _Plan) -> None:
    """Draw a figure in its part of the drawing."""
    rows = math.ceil(len(plan.panels) / plan.columns)
    stacked = plan.columns == 1 and all(p is not None and p.kind in ("lines", "steps") for p in plan.panels)
    cells = part.subplots(rows, plan.columns, squeeze=False, sharex=stacked).ravel()
    places = [*plan.panels, *[None] * (len(cells) - len(plan.panels))]
    for axes, panel in zip(cells, places, strict=True):
        if panel is None:
            axes.set_visible(False)
            continue
        _KINDS[panel.kind].draw(axes, panel)
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        if legend := _legend_rows(panel, plan.width):
            columns = math.ceil(len(_labels(panel)) / legend)
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, ncols=columns)
        if panel.title and not plan.is_one:
            axes.set_title(panel.title, pad=6 + 72 * _ENTRY * legend)
    if plan.title:
        part.suptitle("\n".join(plan.title), x=0.01, ha="left", fontsize=9)
    if plan.note:
        part.supxlabel("\n".join(plan.note), x=0.01, ha="left", fontsize=7, color=_MUTED)


def _labels(figure: Figure) -> list[str]:
    return list(dict.fromkeys(series.label for series in figure.series))


def _legend_rows(figure: Figure, width: float) -> int:
    """Count the rows of the legend; 0 where an axis already names the only series."""
    labels = _labels(figure)
    is_said = len(labels) == 1 and labels[0] in (figure.x_label, figure.y_label)
    if not labels or is_said or not _KINDS[figure.kind].has_legend:
        return 0
    is_plane = figure.kind in ("lines", "steps")
    beside = 0.5 if is_plane else _LETTER * max(map(len, figure.places), default=0)
    entry = 0.45 + _ENTRY_LETTER * max(map(len, labels))
    return math.ceil(len(labels) / max(int((width - beside) / entry), 1))


class _Style(NamedTuple):
    """The style of a series; `fill` is the colour and the hatch of bars."""

    color: str
    dash: Any
    marker: str
    fill: tuple[str, str]


def _styled(figure: Figure) -> list[tuple[_Style, str | None, Series]]:
    """Yield each series with its style, and its label if it is the first one of its name."""
    numbers: dict[str, int] = {}
    styled = []
    for series in figure.series:
        label = None if series.label in numbers else series.label
        number = numbers.setdefault(series.label, len(numbers))
        choices: tuple[Sequence[Any], ...] = (_INKS, _DASHES, _MARKERS, _FILLS)
        styled.append((_Style(*(choice[number % len(choice)] for choice in choices)), label, series))
    return styled


def _ends(point: Point) -> tuple[float, float]:
    """The ends of the interval of a point that has a value; both are the value if there is no interval."""
    value = point.y or 0.0
    return value if point.low is None else point.low, value if point.high is None else point.high


def _with_room(limits: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    """Return limits of an axis with room for a line or a dot at the upper end."""
    low, high = limits
    return low, high if high is None or low is None else high + 0.015 * (high - low)


# Rows of dots, and bars ------------------------------------------------------------------------------------


def _heights(figure: Figure) -> list[float]:
    """Return the position of each row: 1 apart, with some room before heads."""
    apart = accumulate(_APART * _is_apart(figure, place) for place in range(len(figure.places)))
    return [place + room for place, room in enumerate(apart)]


def _is_apart(figure: Figure, place: int) -> bool:
    """Whether a row is a head, or the first of several."""
    above, row = figure.places[max(place - 1, 0)], figure.places[place]
    return row in figure.heads and above not in figure.heads


def _name_rows(axes: Any, figure: Figure, heights: Sequence[float]) -> None:
    axes.set_yticks(heights, figure.places)
    for tick, row in zip(axes.get_yticklabels(), figure.places, strict=True):
        tick.set_weight("bold" if row in figure.heads else "normal")
    axes.tick_params(axis="y", length=0)


def _dots_size(figure: Figure, is_panel: bool) -> tuple[float, float]:
    rows = max(_heights(figure), default=0.0) + 1.2
    return _WIDTH, 0.6 + rows * max(0.28, 0.1 * (len(figure.series) + 1))


def _draw_dots(axes: Any, figure: Figure) -> None:
    heights = _heights(figure)
    step = min(0.25, 0.75 / max(len(figure.series), 1))  # between the dots of a row
    for height in heights[::2]:
        axes.axhspan(height - 0.5, height + 0.5, color=_SHADED, zorder=0, linewidth=0)
    if figure.level is not None:
        axes.axvline(figure.level, color=_RULE, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for place, (style, label, series) in enumerate(_styled(figure)):
        measured = [point for point in series.points if point.y is not None]
        shift = (place - (len(figure.series) - 1) / 2) * step
        ys = [heights[figure.place(point)] + shift for point in measured]
        color, ends = style.color, [_ends(point) for point in measured]
        axes.hlines(ys, [low for low, _ in ends], [high for _, high in ends], color=color, linewidth=1)
        axes.plot(
            *([point.y for point in measured], ys),
            **{"linestyle": "none", "marker": style.marker, "color": color, "zorder": 3},
            **{"markerfacecolor": "white" if series.hollow else color, "clip_on": False, "label": label},
        )
    _name_rows(axes, figure, heights)
    axes.set_ylim(max(heights, default=0.0) + 0.6, -0.6)
    axes.set_xlim(*_with_room(figure.limits))
    axes.grid(axis="x")


def _draw_bars(axes: Any, figure: Figure) -> None:
    ends = [0.0] * len(figure.places)
    for style, label, series in _styled(figure):
        values = {figure.place(point): point.y or 0.0 for point in series.points}
        widths = [values.get(place, 0.0) for place in range(len(ends))]
        color, hatch = style.fill
        axes.barh(
            *(range(len(ends)), widths),
            **{"left": ends, "color": color, "hatch": hatch, "height": 0.62},
            **{"edgecolor": _INK, "linewidth": 0.6, "label": label},
        )
        ends = [end + width for end, width in zip(ends, widths, strict=True)]
    for place, end in enumerate(ends):
        text = f"{end:.1f} {figure.unit}".strip()
        axes.annotate(text, (end, place), (4, 0), textcoords="offset points", va="center")
    _name_rows(axes, figure, range(len(ends)))
    axes.invert_yaxis()
    axes.set_xlim(0, max(ends, default=1.0) * 1.15)


# Maps of shades --------------------------------------------------------------------------------------------


def _heat_size(figure: Figure, is_panel: bool) -> tuple[float, float]:
    names = [series.label for series in figure.series]
    rows = _LETTER * max(map(len, figure.places), default=0)
    wide = _column_width(figure, is_panel)
    above = 0.35 if _is_across(names, wide) else 0.075 * max(map(len, names))
    labels = 0.45 if is_panel else 0.0
    return rows + 0.55 + wide * len(names), 0.2 * len(figure.places) + above + labels + 0.3


def _column_width(figure: Figure, is_panel: bool = False) -> float:
    count = max(len(figure.series), 1)
    return max(0.36, min(1.1 if count == 1 else 0.42 if is_panel else 0.6, 4.2 / count))


def _is_across(names: Sequence[str], wide: float) -> bool:
    """Whether the column names fit side by side."""
    return len(names) == 1 or max(map(len, names), default=0) * 0.08 <= wide


def _shades(panels: Sequence[Figure | None]) -> tuple[float, float] | None:
    """Return the values of the darkest and the lightest shade; `None` for a panel that is no map."""
    maps = [panel for panel in panels if panel is not None and panel.kind == "heat"]
    if not maps:
        return None
    ys = [p.y for panel in maps for series in panel.series for p in series.points if p.y is not None]
    low, high = maps[0].limits
    return min(ys, default=0.0) if low is None else low, max(ys, default=1.0) if high is None else high


def _draw_heat(axes: Any, figure: Figure) -> None:
    from matplotlib.patches import Rectangle

    low, high = _shades([figure]) or (0.0, 1.0)
    points = [{figure.place(point): point for point in series.points} for series in figure.series]
    cells = [[column.get(y, Point(y, None)) for column in points] for y in range(len(figure.places))]
    greys = [[_grey(point.y, low, high) for point in row] for row in cells]
    axes.imshow(greys, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for y, row in enumerate(cells):
        for x, point in enumerate(row):
            color = "white" if greys[y][x] < _MIDDLE else "black"
            weight = "bold" if point.strong else "normal"
            text = _cell(point, alone=len(row) == 1)
            axes.text(x, y, text, ha="center", va="center", fontsize=6.5, color=color, weight=weight)
            if point.framed:
                place, size = (x - 0.48, y - 0.46), (0.96, 0.92)
                axes.add_patch(Rectangle(place, *size, fill=False, edgecolor=_FRAME, linewidth=1.4))
    _name_rows(axes, figure, range(len(cells)))
    for y in range(len(cells)):
        if _is_apart(figure, y):
            axes.axhline(y - 0.5, color="white", linewidth=3)
    names = [series.label for series in figure.series]
    axes.set_xticks(range(len(names)), names, rotation=0 if _is_across(names, _column_width(figure)) else 90)
    if not figure.x_label:
        axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=7)
    axes.yaxis.label.set_rotation(0)
    axes.spines[:].set_visible(False)


def _cell(point: Point, *, alone: bool) -> str:
    if point.y is None:
        return "–"
    ends = alone and point.low is not None and point.high is not None
    return f"{point.y:.1f}" + (f" [{point.low:.0f}–{point.high:.0f}]" if ends else "")


def _grey(value: float | None, low: float, high: float) -> float:
    """Return a grey between 0, black, and 1, white; white for a missing value."""
    if value is None:
        return 1.0
    return _DARK + (_LIGHT - _DARK) * ((value - low) / (high - low) if high > low else 1.0)


# Lines, steps and points -----------------------------------------------------------------------------------


def _lines_size(figure: Figure, is_panel: bool) -> tuple[float, float]:
    return max(_WIDTH, 2.6 + 0.9 * len(figure.rows)), 2.3 if is_panel else 3.6


def _xs(figure: Figure, number: int) -> Callable[[Point], float]:
    """Return the positions of a series' points; bars are side by side, so that none hides another."""
    if not figure.rows:
        return lambda point: float(point.x)
    barred = any(point.low is not None for series in figure.series for point in series.points)
    shift = (number - (len(figure.series) - 1) / 2) * 0.03 * barred
    return lambda point: figure.place(point) + shift


def _draw_lines(axes: Any, figure: Figure) -> None:
    for place, (style, label, series) in enumerate(_styled(figure)):
        color, at = style.color, _xs(figure, place)
        measured = [point for point in series.points if point.y is not None]
        _draw_intervals(axes, figure, [(at(point), point) for point in measured], color)
        points = measured if figure.rows else series.points
        line: dict[str, Any] = {"color": color, "linestyle": style.dash}
        dot: dict[str, Any] = {"color": color, "linestyle": "none", "clip_on": False, "zorder": 5}
        if figure.kind == "steps":
            line |= {"drawstyle": "steps-post"}
            dot |= {"marker": "o", "markersize": 6.5, "markeredgecolor": "white"}
        else:
            line |= {"marker": style.marker, "markerfacecolor": "white", "markeredgewidth": 1.1}
            dot |= {"marker": style.marker, "markersize": 6.5}
        ys = [math.nan if point.y is None else point.y for point in points]
        strong = [point for point in measured if point.strong]
        if len(strong) < len(points) or not points:
            axes.plot([at(point) for point in points], ys, **line, label=label)
            label = None
        if strong:
            axes.plot([at(point) for point in strong], [point.y for point in strong], **dot, label=label)
    if figure.level is not None:
        axes.axhline(figure.level, color=_MUTED, linewidth=0.8, linestyle=_DOTTED)
    for mark in figure.marks:
        axes.axvline(mark, color=_MUTED, linewidth=0.8, linestyle=_DOTTED)
    axes.grid(axis="y" if figure.kind == "lines" else "both")
    axes.set_ylim(*_with_room(figure.limits))
    if figure.rows:
        axes.set_xticks(range(len(figure.rows)), figure.rows)
        axes.set_xlim(-0.25, len(figure.rows) - 1 + 0.15)
    else:
        axes.margins(x=0.03)
        axes.set_xlim(*_with_room(figure.x_limits))
        places = sorted({float(point.x) for series in figure.series for point in series.points})
        if figure.kind == "lines" and places:
            axes.set_xticks(places if len(places) <= 20 else places[:: len(places) // 12])


def _draw_intervals(axes: Any, figure: Figure, placed: Sequence[tuple[float, Point]], color: str) -> None:
    """Draw intervals: bars at named places, a band along numbers; nothing if no point has an interval."""
    if all(point.low is None for _, point in placed):
        return
    xs, ends = [x for x, _ in placed], [_ends(point) for _, point in placed]
    low, high = [low for low, _ in ends], [high for _, high in ends]
    if figure.rows:
        axes.vlines(xs, low, high, color=color, linewidth=0.7, alpha=0.45)
    else:
        step = "post" if figure.kind == "steps" else None
        axes.fill_between(xs, low, high, step=step, color=color, alpha=0.1, linewidth=0)


def _draw_scatter(axes: Any, figure: Figure) -> None:
    import numpy as np

    points = [p for series in figure.series for p in series.points if p.y is not None]
    xs, ys = [float(point.x) for point in points], [point.y or 0.0 for point in points]
    named = all(point.label for point in points)
    if len(set(xs)) > 1:
        slope, intercept = np.polyfit(xs, ys, 1)
        ends = (min(xs), max(xs))
        color, order = ("#cccccc", 1) if named else (_INK, 4)  # many points would hide the line
        axes.plot(ends, [intercept + slope * x for x in ends], linewidth=1, color=color, zorder=order)
    few: dict[str, Any] = {"s": 20, "zorder": 3}
    many: dict[str, Any] = {"s": 5, "alpha": 0.15, "rasterized": True}
    axes.scatter(xs, ys, color=_POINT, linewidth=0, **(few if named else many))
    for point in points:
        if point.label:
            axes.annotate(point.label, (point.x, point.y), (4, 3), textcoords="offset points", fontsize=6.5)
    axes.margins(0.16 if named else 0.04)
    axes.locator_params(nbins=5)


class _Kind(NamedTuple):
    """How to draw one kind of figure; `size` is its width and height in inches, alone or as panels."""

    size: Callable[[Figure, bool], tuple[float, float]]
    draw: Callable[[Any, Figure], None]
    has_legend: bool = False


_KINDS = {
    "dots": _Kind(_dots_size, _draw_dots, has_legend=True),
    "heat": _Kind(_heat_size, _draw_heat),
    "lines": _Kind(_lines_size, _draw_lines, has_legend=True),
    "steps": _Kind(_lines_size, _draw_lines, has_legend=True),
    "scatter": _Kind(lambda *_: (3.7, 3.2), _draw_scatter),
    "bars": _Kind(lambda figure, _: (_WIDTH, 0.7 + 0.42 * len(figure.places)), _draw_bars, has_legend=True),
}
