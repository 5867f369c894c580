"""Data to display, independent of the medium: tables, figures and texts with marks.

Methods return these objects; a terminal, a notebook, a report and the review app render them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from mtassay.data.nouns import Comparison

Span = tuple[int, int]
"""Start and end (exclusive) in a text, as in a slice."""


@dataclass(frozen=True, slots=True)
class Look:
    """Options that change only how a run is displayed, never a number.

    `detail` shows the finest groups too, `pairs` all pairs of systems. `cases` is the number of cases shown
    in full for each system; `None` leaves it to the method. `mark` is written after bold text, for media
    without bold. `is_saved` means that the run comes from the workspace.

    `examples` is the number of examples, in each direction, of differences between two systems: those in
    `between`, or the baseline and the best other one. `metric` is the metric by which they differ.
    """

    detail: bool = False
    pairs: bool = False
    cases: int | None = None
    mark: str = ""
    is_saved: bool = False
    examples: int = 0
    between: Sequence[str] = ()
    metric: str = ""


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `strong` ones are bold where the medium allows it."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header. A table without rows is shown as one sentence.

    >>> table = Table(["System", "BLEU", "why"], [["nmt", Cell("31.2", strong=True), "fluent"]])
    >>> table.cells()[0][0], table.is_text(1), table.is_text(2)
    (Cell(text='nmt', strong=False), False, True)
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    title: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    groups: Sequence[str] = ()
    """The group of cases of each row, if its first cell does not name it."""

    def cells(self) -> list[list[Cell]]:
        """The rows, every cell a `Cell`."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]

    def is_text(self, column: int) -> bool:
        """Whether most cells of a column hold words, not numbers; always true of the first column."""
        texts = [row[column].text.strip() for row in self.cells()]
        filled = [text for text in texts if text not in ("", "–")]
        return column == 0 or 2 * sum(map(_is_number, filled)) < len(filled)

    @property
    def nothing(self) -> str:
        """The sentence shown for a table without rows."""
        return f"{self.title.removesuffix(': 0') or 'Found'}: none."


def _is_number(text: str) -> bool:
    """Whether a text begins like a number, a share or an interval: -1.2, 3/7, [12–77], < 0.001."""
    return text.lstrip("[(+-−±<>≤≥≈ ")[:1].isdecimal()


class Line(NamedTuple):
    """A text with marked parts, after its label; an empty label continues the text above.

    Without a label (`None`) it is a heading for the following lines.
    """

    label: str | None
    text: str
    marks: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One answer or case as shown to a person, with the reasons for its verdict.

    A block with a `title` is complete, with its sources. For one without, the caller prints a heading and the
    source above it. `label` is the width of the labels in columns of a terminal.
    """

    lines: Sequence[Line] = ()
    title: str = ""
    label: int = 11


LIKELY = "probability of an error"
"""Name of the judge's number among the values of an answer."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One system's answer to a case, as shown to a person.

    `verdict` is the run's verdict, empty if nothing was judged, and `status` its printed name. `groups` are
    the groups of this answer alone, such as flags of a detector. Among equal verdicts, answers with a
    lower `order` come first. `severity` is critical, major or minor, and empty if nothing is wrong. `values`
    are numbers, by name, by which answers can be sorted.
    """

    system: str
    lines: Sequence[Line] = ()
    verdict: str = ""
    status: str = ""
    groups: Sequence[str] = ()
    order: float = 0.0
    severity: str = ""
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case with all answers to it and its groups: the detail behind a number."""

    id: str
    lines: Sequence[Line] = ()
    answers: Sequence[AnswerView] = ()
    groups: Sequence[str] = ()
    document: str = ""


class Standing(NamedTuple):
    """A system's place by one measure: its value as printed, on `n` units.

    `is_best` says that it may be the best: no other system is significantly better.
    """

    system: str
    text: str
    n: int
    is_best: bool = False
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All systems by one measure, best value first; `tested`: whether all were tested against the best.

    `pairs` are the comparisons of two systems each, with the significantly better one. `is_people` means that
    people gave the scores.
    """

    label: str
    unit: str
    standings: Sequence[Standing]
    tested: bool = True
    pairs: Sequence[Comparison] = ()
    is_people: bool = False

    def pair(self, a: str, b: str) -> Comparison | None:
        """The comparison of two systems; `None` if they were not tested."""
        return next((pair for pair in self.pairs if {pair.a, pair.b} == {a, b}), None)

    def standing(self, system: str) -> Standing | None:
        """The place of a system; `None` if this measure does not have it."""
        return next((standing for standing in self.standings if standing.system == system), None)

    def is_ahead(self, a: str, b: str) -> bool:
        """Whether the value of a system is better than that of another, significantly or not."""
        one, other = self.standing(a), self.standing(b)
        if one is None or other is None or one.value == other.value:
            return False
        return self.standings.index(one) < self.standings.index(other)


@dataclass(frozen=True, slots=True)
class Headline:
    """A main result of a run, in plain sentences; `system` and `group` name the cases that prove it.

    The kinds: `better` names the better system and how certain that is, `weak` a system's weakest point,
    `open` an open point, `choice` the best choice by quality, price and time. A headline that compares
    systems has their `board`. `n` is the number of cases behind its number, 0 if not stated.
    """

    text: str
    kind: Literal["better", "weak", "open", "choice"] = "better"
    system: str = ""
    group: str = ""
    board: Leaderboard | None = None
    n: int = 0


class Point(NamedTuple):
    """One value at a place.

    `x` is the place: a number, or a row by its name or, if names repeat, by its number from 0. `y` is the
    value; `None` is a gap. `low` and `high` are the ends of its interval, `None` to draw no interval.
    `strong` points stand out: a bold number in a map, a large filled mark on a line. In a map, `framed`
    points have a frame. In a scatter, `label` is written beside the point.
    """

    x: float | str
    y: float | None
    low: float | None = None
    high: float | None = None
    strong: bool = False
    framed: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Points under one name, in order of their places.

    Series of one figure with the same name look the same and appear once in the legend. In `dots`, `hollow`
    series have hollow marks, to tell a second kind of series from the filled first one.
    """

    label: str
    points: Sequence[Point]
    hollow: bool = False
    system: str = ""
    """The system of this series, if its name is not the label."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as data. The kinds:

    - `dots`: a row for each place, and in it a dot with its interval for each series.
    - `heat`: a map of shades, a row for each place and a column for each series; the darker, the lower. With
      only one series, intervals follow the values.
    - `lines`: a line for each series; intervals are bars at named places, else a band.
    - `steps`: the same without marks; each value extends from its place to the next one.
    - `scatter`: points in a plane with the line of least squares; those with a `label` have it beside them.
    - `bars`: a bar for each place, in which the values of the series are one after another, and their sum.
    - `panels`: several figures as one; see `panels`.

    >>> dots = Figure("dots", [Series("BLEU", [Point("nmt", 31.2, 30.1, 32.4)])], x_label="BLEU")
    >>> dots.places, dots.place(dots.series[0].points[0])
    (['nmt'], 0)
    """

    kind: Literal["dots", "heat", "lines", "steps", "scatter", "bars", "panels"]
    series: Sequence[Series] = ()
    title: str = ""
    """The title, above the figure."""
    x_label: str = ""
    """Label of the horizontal axis: values in `dots` and `bars`, elsewhere places."""
    y_label: str = ""
    """Label of the vertical axis."""
    note: str = ""
    """Notes below the figure, with its line breaks."""
    rows: Sequence[str] = ()
    """The names of the places in order, if they are not numbers; by default in the order of the points."""
    heads: Sequence[str] = ()
    """The rows that sum up a group or everything: they are bold, with a gap above."""
    limits: tuple[float | None, float | None] = (None, None)
    """The least and the greatest value on the axis (in `heat`, of the darkest and the lightest shade);
    `None`: as the values need."""
    x_limits: tuple[float | None, float | None] = (None, None)
    """The same for places that are numbers."""
    level: float | None = None
    """A value to mark with a line across, such as chance."""
    marks: Sequence[float] = ()
    """Places to mark with a line across."""
    unit: str = ""
    """A suffix of the sums of `bars`."""
    panels: Sequence[Figure | None] = ()
    """The parts, row by row; `None` leaves a place empty. Lines below each other share their x axis."""
    groups: Sequence[str] = ()
    """The group of cases of each row, in order, if it differs from the name of the row."""
    columns: int = 1
    """The number of panels side by side."""
    measure: str = ""
    """The measure of answers that is drawn, if its rows or its series are ranges of its values."""
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The least value of each such range, and the first one above, by the name of the row or the series."""

    @property
    def places(self) -> list[str]:
        """The names of the places in order, if they are not numbers."""
        return list(self.rows) or list(dict.fromkeys(str(p.x) for s in self.series for p in s.points))

    def place(self, point: Point) -> int:
        """The row of a point, from 0."""
        return self.places.index(point.x) if isinstance(point.x, str) else int(point.x)
