"""What can be shown, whoever shows it: tables, figures as data, and texts with marks.

A method says with these how it looks; a terminal, a notebook, a report and the review app render them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

__all__ = ["PLAIN", "Block", "Cell", "Figure", "Line", "Point", "Series", "Span", "Table", "View"]

Span = tuple[int, int]
"""Start and end in a text, as in a slice."""


@dataclass(frozen=True, slots=True)
class View:
    """What only changes the look of a run, never a number.

    `detail` shows the finest groups too, `pairs` all pairs of systems. `cases` is how many cases of each
    system are shown in full, `None` for as many as the method thinks good. `mark` is written behind what is
    bold, for where bold cannot be seen. `is_saved` is for a run that comes out of the workspace.
    """

    detail: bool = False
    pairs: bool = False
    cases: int | None = None
    mark: str = ""
    is_saved: bool = False


PLAIN = View()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `strong` ones are bold where that can be shown."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header. The first column is aligned left, all others right.

    >>> Table(["System", "BLEU"], [["nmt", Cell("31.2", strong=True)]]).cells()[0][0]
    Cell(text='nmt', strong=False)
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    title: str = ""
    notes: Sequence[str] = field(default_factory=tuple)

    def cells(self) -> list[list[Cell]]:
        """The rows, every cell a `Cell`."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]


class Line(NamedTuple):
    """A text with parts of it marked, behind its label; an empty one goes on with the text above.

    Without a label (`None`) it heads the lines that follow it.
    """

    label: str | None
    text: str
    marks: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One answer, or one case, as a person reads it, and why it was judged so.

    A block with a `title` tells all there is to know, sources too; one without stands below a head and the
    source that whoever shows it writes. `label` is how many columns the labels take in a terminal.
    """

    lines: Sequence[Line] = ()
    title: str = ""
    label: int = 11


class Point(NamedTuple):
    """One value with its interval, at a place or in a row; `None` is a gap. `strong` ones stand out."""

    x: float | str
    y: float | None
    low: float | None = None
    high: float | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together, under a name."""

    label: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Figure:
    """What to draw, as data.

    `dots` has a row for each `x`, and in it a dot with its interval for each series. `heat` has the same as a
    map of shades, a column for each series. `lines` has a line for each series, over numbers. `rows` are the
    names of the places in order, where they are not numbers; `heads` those of them that stand for a group.
    """

    kind: Literal["dots", "heat", "lines"]
    series: Sequence[Series]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    note: str = ""
    rows: Sequence[str] = ()
    heads: Sequence[str] = ()
