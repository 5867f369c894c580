"""Finds room for the names of points and lines in a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class _Box(NamedTuple):
    """A rectangle, in points of 1/72 inch."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: _Box) -> float:
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.top - self.bottom)

    def moved(self, x: float, y: float) -> _Box:
        return _Box(self.left + x, self.bottom + y, self.right + x, self.top + y)


_ROUNDS = 4
_DISTANCES = (3.5, 9.0, 16.0, 24.0)
_DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
_NEAR = 5.0


def place_labels(axes: Any, dots: Sequence[tuple[str, float, float]], *, size: float = 6.5) -> None:
    """Write each name beside its point where it covers least; a thin line leads to one farther off.

    `dots` are names with the places of their points.
    """
    figure = axes.figure
    renderer = figure.canvas.get_renderer()
    unit = figure.dpi / 72
    places = [(x / unit, y / unit) for x, y in axes.transData.transform([(x, y) for _, x, y in dots])]
    style = {"textcoords": "offset points", "fontsize": size, "color": "#444444", "va": "bottom"}
    texts = [axes.annotate(label, (x, y), (0, 0), **style) for label, x, y in dots]
    extents = [text.get_window_extent(renderer) for text in texts]
    sizes = [(extent.width / unit, extent.height / unit) for extent in extents]
    window = axes.get_window_extent(renderer)
    frame = _Box(window.x0 / unit, window.y0 / unit, window.x1 / unit, window.y1 / unit)
    for text, (_, x, y), offset in zip(texts, dots, _choose(places, sizes, frame), strict=True):
        text.set_position(offset.corner)
        if offset.distance > _NEAR:
            line = {"color": "#aaaaaa", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
            axes.annotate(
                *("", (x, y), offset.touch),
                textcoords="offset points",
                arrowprops={"arrowstyle": "-", **line},
            )


class _Offset(NamedTuple):
    """Where a name is from its point: its lower left corner, and where it is nearest to the point."""

    corner: tuple[float, float]
    touch: tuple[float, float]
    distance: float


def _choose(
    places: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: _Box
) -> list[_Offset]:
    """One place for each name. All are placed in turn, several times, as each one changes it for others."""
    points = [_Box(x - 3, y - 3, x + 3, y + 3) for x, y in places]
    chosen: list[_Offset | None] = [None] * len(places)
    for _ in range(_ROUNDS):
        for i, ((x, y), (width, height)) in enumerate(zip(places, sizes, strict=True)):
            others = [
                _Box(*other.corner, other.corner[0] + w, other.corner[1] + h).moved(*place)
                for j, (other, (w, h), place) in enumerate(zip(chosen, sizes, places, strict=True))
                if other is not None and j != i
            ]

            def cost(offset: _Offset) -> float:
                left, bottom = offset.corner
                box = _Box(left, bottom, left + width, bottom + height).moved(x, y)  # noqa: B023
                covered = 2 * sum(map(box.overlap, others)) + sum(map(box.overlap, points))  # noqa: B023
                return covered + 5 * (box.area - box.overlap(frame)) + 0.6 * offset.distance

            chosen[i] = min(_offsets(width, height), key=cost)
    return [offset for offset in chosen if offset is not None]


def _offsets(width: float, height: float) -> list[_Offset]:
    """All around the point, the nearest first."""
    offsets = []
    for distance in _DISTANCES:
        for right, up in _DIRECTIONS:
            scale = distance * (0.75 if right and up else 1)
            x, y = right * scale, up * scale
            corner = (x + width * (right - 1) / 2, y + height * (up - 1) / 2)
            offsets.append(_Offset(corner, (x, y), distance))
    return offsets


def spread(heights: Sequence[float], *, gap: float) -> list[float]:
    """The heights in their order, moved apart so that neighbours are at least `gap` from each other.

    >>> spread([1.0, 5.0, 1.0], gap=1.0)
    [0.5, 5.0, 1.5]
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    blocks: list[list[float]] = []  # centre, size
    for i in order:
        block = [heights[i], 1.0]
        while blocks and block[0] - blocks[-1][0] < gap * (block[1] + blocks[-1][1]) / 2:
            centre, count = blocks.pop()
            total = count + block[1]
            block = [(centre * count + block[0] * block[1]) / total, total]
        blocks.append(block)
    moved = [centre + gap * (k - (count - 1) / 2) for centre, count in blocks for k in range(int(count))]
    by_index = dict(zip(order, moved, strict=True))
    return [by_index[i] for i in range(len(heights))]
