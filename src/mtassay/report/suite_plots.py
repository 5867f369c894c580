"""Draws what a suite shows: accuracies as a heat map, and systems over years as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtassay.display import Cell, Table
from mtassay.methods.suite.year_tables import Course
from mtassay.report.labels import spread
from mtassay.report.plots import drawing

__all__ = ["plot_courses", "plot_heat_map"]

_INKS = ["#1a1a1a", "#2b6cb0", "#c05621", "#4f7a68", "#7c5bc7"]
_MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
_DASHES: list[Any] = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5))]
_FAINT = "#dddddd"
_MUTED = "#666666"
_FEW = 6  # lines whose intervals can be told apart
_LIGHT, _DARK = 0.98, 0.25  # greys of the best and of the worst accuracy
_MIDDLE = 0.45  # below this grey, white can be read better than black
_ROW, _LINE = 0.2, 0.17  # inches
_TO_END = {"arrowstyle": "-", "linewidth": 0.5, "alpha": 0.5, "shrinkB": 4, "relpos": (0, 0.5)}


def plot_heat_map(path: Path, table: Table, *, title: str = "") -> None:
    """An accuracy table as a heat map: the darker a cell, the lower the accuracy; the best ones are bold.

    The table is as `accuracy_table` makes it: rows by name and n, then a column for each system. Its first
    note is written below.
    """
    alone = table.header[-1] == "95 % interval"
    columns = ["accuracy [95 %]"] if alone else list(table.header[2:])
    rows = table.cells()
    numbers = [[_value(cell) for cell in row[2 : 2 + len(columns)]] for row in rows]
    known = [value for row in numbers for value in row if value is not None]
    low = min(int(min(known, default=0.0) // 10 * 10), 90)
    longest = max(map(len, columns))
    wide = max(0.36, min(1.1 if alone else 0.6, 4.2 / len(columns)))
    across = alone or longest * 0.08 <= wide
    width = max(0.068 * max(len(row[0].text) for row in rows) + 1.0 + wide * len(columns), 4.4)
    height = _ROW * len(rows) + (0.1 if across else 0.075 * longest) + 1.0
    with drawing(path, width, height) as figure:
        axes = figure.subplots()
        shades = [[1.0 if value is None else _shade(value, low) for value in row] for row in numbers]
        axes.imshow(shades, cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        for y, row in enumerate(rows):
            for x in range(len(columns)):
                text = " ".join(cell.text.strip() for cell in row[2:]) if alone else row[2 + x].text.strip()
                style = {"color": "white" if shades[y][x] < _MIDDLE else "black"}
                style["weight"] = "bold" if row[2 + x].strong else "normal"
                axes.text(x, y, text, ha="center", va="center", fontsize=6.5, **style)
        axes.set_yticks(range(len(rows)), [f"{row[0].text}  ({row[1].text})" for row in rows])
        for tick, row in zip(axes.get_yticklabels(), rows, strict=True):
            tick.set_weight("bold" if row[0].strong else "normal")
        axes.set_xticks(range(len(columns)), columns, rotation=0 if across else 90)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, labelsize=7)
        axes.spines[:].set_visible(False)
        averages = sum(row[0].text.endswith("-average") for row in rows)
        axes.axhline(len(rows) - averages - 0.5, color="white", linewidth=4)
        figure.suptitle("\n".join(textwrap.wrap(title, int(width * 13))), x=0.01, ha="left", fontsize=9)
        legend = f"The darker, the lower: white is 100, the darkest {low}. In brackets: items."
        legend += "" if alone else " Bold: the best of the row, and all not significantly worse."
        lines = textwrap.wrap(f"{table.notes[0]} {legend}", max(int(width * 19), 60))
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7, color=_MUTED)


def plot_courses(path: Path, courses: Sequence[Course], groups: Sequence[str], *, note: str = "") -> None:
    """The macro-average of each system in each of the groups, one line a system, named at its end.

    Few lines have bars for the 95 % intervals of their averages.
    """
    few = len(courses) <= _FEW
    with drawing(path, max(6.4, 2.6 + 0.9 * len(groups)), max(3.9, 1.4 + _LINE * len(courses))) as figure:
        axes = figure.subplots()
        # Side by side, or the bars would hide each other.
        shifts = [(number - (len(courses) - 1) / 2) * 0.03 * few for number in range(len(courses))]
        for number, course in enumerate(courses):
            _draw_course(axes, course, groups, number, shift=shifts[number], bars=few)
        axes.set_xticks(range(len(groups)), groups)
        axes.set_xlim(-0.25, len(groups) - 1 + 0.15)
        axes.grid(axis="y", color=_FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_ylabel("macro-average of accuracy (%)")
        bars = "Bars: 95 % intervals of the averages. " if few else ""
        axes.set_xlabel(f"{bars}{note}", fontsize=7, color=_MUTED, wrap=True)
        _name_ends(figure, axes, courses, groups, shifts)


def _draw_course(
    axes: Any, course: Course, groups: Sequence[str], number: int, *, shift: float, bars: bool
) -> None:
    known = [(groups.index(p.group) + shift, p) for p in course.points if p.value is not None]
    color = _INKS[number % len(_INKS)]
    xs, ys = [x for x, _ in known], [point.value for _, point in known]
    if bars:
        ends = [(y - (p.low or y), (p.high or y) - y) for (_, p), y in zip(known, ys, strict=True) if y]
        error = [[below for below, _ in ends], [above for _, above in ends]]
        axes.errorbar(xs, ys, yerr=error, fmt="none", ecolor=color, elinewidth=0.7, alpha=0.45)
    axes.plot(
        xs,
        ys,
        color=color,
        linestyle=_DASHES[number % len(_DASHES)],
        linewidth=1.4,
        marker=_MARKERS[number % len(_MARKERS)],
        markersize=4.5,
        markerfacecolor="white",
        markeredgewidth=1.1,
    )


def _name_ends(
    figure: Any, axes: Any, courses: Sequence[Course], groups: Sequence[str], shifts: Sequence[float]
) -> None:
    """Names to the right of the plot, moved apart where they would touch, each with a line to its end."""
    known = [(n, c, [p for p in c.points if p.value is not None]) for n, c in enumerate(courses)]
    ends = [(number, course, points[-1]) for number, course, points in known if points]
    bottom, top = axes.get_ylim()
    inches = axes.get_position().height * figure.get_figheight()
    heights = spread([end.value or 0.0 for _, _, end in ends], gap=(top - bottom) * _LINE / inches)
    right = axes.get_xlim()[1]
    for (number, course, end), height in zip(ends, heights, strict=True):
        color = _INKS[number % len(_INKS)]
        axes.annotate(
            course.system,
            xy=(groups.index(end.group) + shifts[number], end.value),
            xytext=(right, height),
            textcoords="data",
            va="center",
            color=color,
            fontsize=8,
            annotation_clip=False,
            arrowprops={**_TO_END, "color": color},
        )


def _value(cell: Cell) -> float | None:
    try:
        return float(cell.text)
    except ValueError:
        return None


def _shade(value: float, low: int) -> float:
    """A grey between 0, black, and 1, white."""
    return _DARK + (_LIGHT - _DARK) * (value - low) / (100 - low)
