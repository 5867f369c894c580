"""Draws figures inline in a page, without a library: legible in grey, at any width, on light or dark.

Drawings set no colour or size: the style sheet does. Horizontal positions are in percent, so a drawing fills
its space without scaling its letters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from mtassay.data.display import Cell, Figure, Point, Table
from mtassay.data.marks import printable

_MARKERS = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "M-4.5,-4.5h9v9h-9z",
    "M0,-5.5L5.5,4.5H-5.5z",
    "M0,-6L6,0L0,6L-6,0z",
    "M0,5.5L5.5,-4.5H-5.5z",
    "M-1.8,-5.5h3.6v3.7h3.7v3.6h-3.7v3.7h-3.6v-3.7h-3.7v-3.6h3.7z",
    "M-5,-5L0,-1.8L5,-5L1.8,0L5,5L0,1.8L-5,5L-1.8,0z",
)
_STYLES = 6  # that the style sheet defines
_ROW, _LANE = 26, 15  # heights of a row with one series, and of each further one
_PLANE = 280  # height of a plane
_SHADES = 9
_TICKS = 5
_MOST_ROWS, _MOST_SERIES = 200, 30


def drawing(figure: Figure) -> Markup:
    """Draw a figure that is no map, with its legend if it needs one."""
    draw = {"dots": _dots, "bars": _bars}.get(figure.kind, _plane)
    return _legend(figure) + draw(figure)


def shade(figure: Figure, value: float | None) -> int:
    """Return the shade of a value in a map, from 0; the lower the value, the stronger the shade."""
    low, high = _limits(figure, [p.y for series in figure.series for p in series.points])
    if value is None or high <= low:
        return 0
    return round((_SHADES - 1) * (1 - min(max((value - low) / (high - low), 0.0), 1.0)))


def figure_table(figure: Figure) -> Table:
    """Return the numbers of a figure: a row for each place, a column for each series."""
    if figure.rows or figure.kind in ("dots", "bars", "heat"):
        columns = [{figure.place(p): p for p in series.points} for series in figure.series]
        rows = [
            [place, *(_number(column.get(number)) for column in columns)]
            for number, place in enumerate(figure.places)
        ]
        return Table(["", *(series.label for series in figure.series)], rows)
    rows = [
        [series.label, f"{float(p.x):g}", _number(p), p.label]
        for series in figure.series
        for p in series.points[:_MOST_ROWS]
    ]
    return Table(["Series", figure.x_label or "x", figure.y_label or "y", ""], rows)


def _number(point: Point | None) -> str:
    if point is None or point.y is None:
        return "–"
    ends = "" if point.low is None or point.high is None else f" [{point.low:.4g}–{point.high:.4g}]"
    return f"{point.y:.4g}{ends}"


def _limits(figure: Figure, values: Iterable[float | None]) -> tuple[float, float]:
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = figure.limits
    return min(known, default=0.0) if low is None else low, max(known, default=1.0) if high is None else high


def _scale(figure: Figure, limits: tuple[float | None, float | None], values: Sequence[float]) -> _Scale:
    low, high = limits
    least = min(values, default=0.0) if low is None else low
    most = max(values, default=1.0) if high is None else high
    if most <= least:
        least, most = least - 1, most + 1
    room = 0.04 * (most - least)
    return _Scale(least - (room if low is None else 0), most + room)


class _Scale:
    """A scale from values to percent of an axis."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> float:
        return round(100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 2)

    def ticks(self) -> list[float]:
        """Return round values within the scale."""
        rough = (self.high - self.low) / _TICKS
        size = 10 ** math.floor(math.log10(rough))
        step = next((size * factor for factor in (1, 2, 5) if size * factor >= rough), size * 10)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step) + 1)]


def _shown(text: str, most: int = 80) -> str:
    shown = printable(text[:most])
    return f"{shown}…" if len(text) > most else shown


def _styles(figure: Figure) -> dict[str, int]:
    """Return the number of the style of each label."""
    return {label: n for n, label in enumerate(dict.fromkeys(series.label for series in figure.series))}


def _marker(x: float, y: float | str, style: int, title: str, *, hollow: bool = False) -> Markup:
    return Markup(
        '<svg class="m s{s}{hollow}" x="{x}%" y="{y}"><title>{title}</title><path d="{d}"/></svg>'
    ).format(
        s=style % _STYLES,
        hollow=" hollow" if hollow else "",
        x=x,
        y=y,
        title=title,
        d=_MARKERS[style % len(_MARKERS)],
    )


def _legend(figure: Figure) -> Markup:
    styles = _styles(figure)
    alone = len(styles) == 1 and next(iter(styles)) in (figure.x_label, figure.y_label)
    if len(styles) < 2 and (alone or figure.kind != "bars"):
        return Markup("")
    hollow = {series.label: series.hollow for series in figure.series}
    entries = [
        Markup('<li><svg class="key" aria-hidden="true">{mark}</svg>{name}</li>').format(
            mark=Markup('<rect class="b s{s}" x="0" y="3" width="12" height="10"/>').format(s=n % _STYLES)
            if figure.kind == "bars"
            else _marker(50, 8, n, "", hollow=hollow[label]),
            name=_shown(label),
        )
        for label, n in list(styles.items())[:_MOST_SERIES]
    ]
    return Markup('<ul class="legend">{}</ul>').format(Markup("").join(entries))


def _upright(kind: str, x: float) -> Markup:
    return Markup('<line class="{}" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>').format(kind, x=x)


# Rows --------------------------------------------------------------------------------------------------


def _axis(scale: _Scale, label: str) -> Markup:
    marks = Markup("").join(
        Markup('<line x1="{x}%" x2="{x}%" y1="0" y2="5"/><text x="{x}%" y="17">{t}</text>').format(
            x=scale(tick), t=f"{tick:g}"
        )
        for tick in scale.ticks()
    )
    return Markup(
        '<div class="row axis" aria-hidden="true"><span></span><svg height="22">{m}</svg></div>'
        '<div class="row axis"><span></span><span class="axis-name">{label}</span></div>'
    ).format(m=marks, label=label)


def _dots(figure: Figure) -> Markup:
    series, styles = figure.series[:_MOST_SERIES], _styles(figure)
    points = [p for s in series for p in s.points if p.y is not None]
    values = [v for p in points for v in (p.low, p.y, p.high) if v is not None and math.isfinite(v)]
    scale = _scale(figure, figure.limits, values)
    grid = Markup("").join(_upright("grid", scale(t)) for t in scale.ticks())
    height = _ROW + _LANE * (len(series) - 1)
    rows = []
    for number, place in enumerate(figure.places[:_MOST_ROWS]):
        drawn, told = [], []
        for lane, of in enumerate(series):
            point = next((p for p in of.points if p.y is not None and figure.place(p) == number), None)
            if point is None or point.y is None:
                continue
            y, style = _ROW / 2 + lane * _LANE, styles[of.label]
            title = f"{_shown(of.label)}: {_number(point)}"
            if point.low is not None and point.high is not None:
                drawn.append(
                    Markup('<line class="i s{s}" x1="{a}%" x2="{b}%" y1="{y}" y2="{y}"/>').format(
                        s=style % _STYLES, a=scale(point.low), b=scale(point.high), y=y
                    )
                )
            drawn.append(_marker(scale(point.y), y, style, title, hollow=of.hollow))
            told.append(title)
        rows.append(_row(place, height, grid + Markup("").join(drawn), "; ".join(told), figure))
    return Markup('<div class="plot">{}{}</div>').format(
        Markup("").join(rows), _axis(scale, figure.x_label)
    ) + _left(figure)


def _bars(figure: Figure) -> Markup:
    series, styles = figure.series[:_MOST_SERIES], _styles(figure)
    columns = [{figure.place(p): p.y or 0.0 for p in of.points} for of in series]
    sums = [sum(column.get(n, 0.0) for column in columns) for n in range(len(figure.places))]
    scale = _Scale(0.0, (max(sums, default=1.0) or 1.0) * 1.15)
    rows = []
    for number, place in enumerate(figure.places[:_MOST_ROWS]):
        at, drawn, told = 0.0, [], []
        for of, column in zip(series, columns, strict=True):
            value = column.get(number, 0.0)
            title = f"{_shown(of.label)}: {value:.4g} {figure.unit}".strip()
            drawn.append(
                Markup(
                    '<rect class="b s{s}" x="{x}%" width="{w}%" y="4" height="18"><title>{t}</title></rect>'
                ).format(s=styles[of.label] % _STYLES, x=scale(at), w=round(scale(value), 2), t=title)
            )
            at += value
            told.append(title)
        drawn.append(
            Markup('<text class="sum" x="{x}%" y="17" dx="5">{t}</text>').format(
                x=scale(at), t=f"{at:.1f} {figure.unit}".strip()
            )
        )
        rows.append(_row(place, _ROW, Markup("").join(drawn), "; ".join(told), figure))
    return Markup('<div class="plot">{}{}</div>').format(
        Markup("").join(rows), _axis(scale, figure.x_label)
    ) + _left(figure)


def _row(place: str, height: int, drawn: Markup, told: str, figure: Figure) -> Markup:
    head = " head" if place in figure.heads else ""
    return Markup(
        '<div class="row{head}"><span class="name"><bdi>{name}</bdi></span>'
        '<svg height="{h}" role="img" aria-label="{told}">{d}</svg></div>'
    ).format(head=head, name=_shown(place), h=height, told=told, d=drawn)


def _left(figure: Figure) -> Markup:
    rows, series = len(figure.places) - _MOST_ROWS, len(figure.series) - _MOST_SERIES
    told = [f"{n:,} more {what}" for n, what in ((rows, "rows"), (series, "series")) if n > 0]
    return Markup('<p class="note">Not drawn: {}.</p>').format(", ".join(told)) if told else Markup("")


# Planes ------------------------------------------------------------------------------------------------


def _plane(figure: Figure) -> Markup:
    series, styles = figure.series[:_MOST_SERIES], _styles(figure)
    named = bool(figure.rows)

    def at(point: Point) -> float:
        return float(figure.place(point)) if named else float(point.x)

    points = [p for of in series for p in of.points if p.y is not None]
    values = [v for p in points for v in (p.low, p.y, p.high) if v is not None and math.isfinite(v)]
    x = _scale(figure, figure.x_limits, [at(p) for p in points] or [0.0])
    y = _scale(figure, figure.limits, values)
    places = (
        [(float(n), name) for n, name in enumerate(figure.rows)]
        if named
        else [(t, f"{t:g}") for t in x.ticks()]
    )
    flat = Markup('<line class="{}" x1="0" x2="100%" y1="{y}%" y2="{y}%"/>')
    back = [flat.format("grid", y=100 - y(t)) for t in y.ticks()]
    back += [flat.format("level", y=100 - y(figure.level))] if figure.level is not None else []
    back += [_upright("level", x(m)) for m in figure.marks]
    paths, marks, told = [], [], []
    for of in series:
        style = styles[of.label]
        known = [p for p in of.points if p.y is not None]
        if figure.kind != "scatter" and known:
            paths.append(_path(figure, [(x(at(p)), 100 - y(p.y or 0.0)) for p in known], style))
        for p in known:
            title = f"{_shown(of.label)}, {_shown(p.label) or _place(p)}: {_number(p)}"
            if p.low is not None and p.high is not None:
                marks.append(
                    Markup('<line class="i s{s}" x1="{x}%" x2="{x}%" y1="{a}%" y2="{b}%"/>').format(
                        s=style % _STYLES, x=x(at(p)), a=100 - y(p.low), b=100 - y(p.high)
                    )
                )
            if figure.kind != "steps" or p.strong:
                marks.append(_marker(x(at(p)), f"{100 - y(p.y or 0.0)}%", style, title))
            if p.label and len(known) <= _MOST_SERIES:
                marks.append(
                    Markup('<text class="tag" x="{x}%" y="{y}%" dx="8" dy="4">{t}</text>').format(
                        x=x(at(p)), y=100 - y(p.y or 0.0), t=_shown(p.label, 30)
                    )
                )
            told.append(title)
    ticks = Markup("").join(
        Markup('<text x="{x}%" y="17">{t}</text>').format(x=x(t), t=_shown(name, 20)) for t, name in places
    )
    ups = Markup("").join(
        Markup('<text class="up" x="100%" dx="-6" y="{y}%" dy="4">{t}</text>').format(
            y=100 - y(t), t=f"{t:g}"
        )
        for t in y.ticks()
    )
    return Markup(
        '<div class="plane"><svg class="ups" height="{h}" aria-hidden="true">{ups}</svg>'
        '<svg height="{h}" role="img" aria-label="{told}">{back}'
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none">{paths}</svg>{marks}</svg>'
        '<span></span><svg height="22" aria-hidden="true">{ticks}</svg>'
        '<span></span><span class="axis-name">{label}</span></div>'
    ).format(
        h=_PLANE,
        ups=ups,
        told=_shown("; ".join(told), 2000),
        back=Markup("").join(back),
        paths=Markup("").join(paths),
        marks=Markup("").join(marks),
        ticks=ticks,
        label=" · ".join(filter(None, (figure.x_label, figure.y_label and f"upwards: {figure.y_label}"))),
    ) + _left(figure)


def _path(figure: Figure, places: Sequence[tuple[float, float]], style: int) -> Markup:
    turns = [f"M{places[0][0]},{places[0][1]}"]
    for across, up in places[1:]:
        turns.append(f"H{across}V{up}" if figure.kind == "steps" else f"L{across},{up}")
    return Markup('<path class="l s{s}" d="{d}"/>').format(s=style % _STYLES, d="".join(turns))


def _place(point: Point) -> str:
    return point.x if isinstance(point.x, str) else f"{point.x:g}"


def heat_cells(figure: Figure) -> list[list[Cell]]:
    """Return the cells of a map, a row for each place."""
    columns = [{figure.place(p): p for p in series.points} for series in figure.series]
    alone = len(figure.series) == 1
    return [
        [_heat_cell(column.get(number), alone=alone) for column in columns]
        for number in range(len(figure.places))
    ]


def _heat_cell(point: Point | None, *, alone: bool) -> Cell:
    if point is None or point.y is None:
        return Cell("–")
    ends = alone and point.low is not None and point.high is not None
    return Cell(f"{point.y:.1f}" + (f" [{point.low:.0f}–{point.high:.0f}]" if ends else ""), point.strong)
