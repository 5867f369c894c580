"""What can be shown, no matter who shows it: tables, figures as data, and texts with marks.

A method says with these how it looks; a terminal, a notebook, a report and the review app render them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from mtassay.data.nouns import Comparison

Span = tuple[int, int]
"""Start and end in a text, as in a slice."""


@dataclass(frozen=True, slots=True)
class Look:
    """What only changes the look of a run, never a number.

    `detail` shows the finest groups too, `pairs` all pairs of systems. `cases` is how many cases of each
    system are shown in full, `None` for as many as the method thinks good. `mark` is written behind what is
    bold, for where bold cannot be seen. `is_saved` is for a run that comes out of the workspace.

    `examples` is how many examples there are, each way, of where two systems differ: those of `between`, or
    the baseline and the best other one. `metric` says by which metric.
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
    """One cell; `strong` ones are bold where that can be shown."""

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
    """The group of cases that each row is about, where that is not what its first cell says."""

    def cells(self) -> list[list[Cell]]:
        """The rows, every cell a `Cell`."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]

    def is_text(self, column: int) -> bool:
        """Whether a column holds words, as the first one does, and not numbers: in most of its cells."""
        texts = [row[column].text.strip() for row in self.cells()]
        filled = [text for text in texts if text not in ("", "–")]
        return column == 0 or 2 * sum(map(_is_number, filled)) < len(filled)

    @property
    def nothing(self) -> str:
        """The sentence that means a table without rows."""
        return f"{self.title.removesuffix(': 0') or 'Found'}: none."


def _is_number(text: str) -> bool:
    """Whether a text begins as a number, a share or an interval does: -1.2, 3/7, [12–77], < 0.001."""
    return text.lstrip("[(+-−±<>≤≥≈ ")[:1].isdecimal()


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

    A block with a `title` tells all there is to know, sources too; one without is below a head and the
    source that anyone who shows it writes. `label` is how many columns the labels take in a terminal.
    """

    lines: Sequence[Line] = ()
    title: str = ""
    label: int = 11


LIKELY = "probability of an error"
"""What the judge's number is called among the values of an answer."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What one system answered to a case, as a person reads it.

    `verdict` is that of the run, empty where nothing was judged, and `status` what people call it. `groups`
    are those that this answer alone is in, such as what a detector flags. Of one verdict, answers with a
    lower `order` come first. `severity` is critical, major or minor, and empty where nothing is wrong.
    `values` are the numbers that answers can be sorted by, by what they are called.
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
    """One case with every answer to it, and the groups that it counts in: what comes behind a number."""

    id: str
    lines: Sequence[Line] = ()
    answers: Sequence[AnswerView] = ()
    groups: Sequence[str] = ()
    document: str = ""


class Standing(NamedTuple):
    """Where a system is by one measure: its value as it is shown, on `n` units.

    `is_best` says that it may be the best: no other system is significantly better.
    """

    system: str
    text: str
    n: int
    is_best: bool = False
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All systems by one measure, the best value first; `tested` says whether all were tested against it.

    `pairs` are the comparisons of any two of them, each with the system that is significantly better.
    `is_people` says that people gave the scores.
    """

    label: str
    unit: str
    standings: Sequence[Standing]
    tested: bool = True
    pairs: Sequence[Comparison] = ()
    is_people: bool = False

    def pair(self, a: str, b: str) -> Comparison | None:
        """What was found between two systems; `None` where nothing was tested."""
        return next((pair for pair in self.pairs if {pair.a, pair.b} == {a, b}), None)

    def standing(self, system: str) -> Standing | None:
        """Where a system is; `None` where this measure does not have it."""
        return next((standing for standing in self.standings if standing.system == system), None)

    def is_ahead(self, a: str, b: str) -> bool:
        """Whether the value of a system is better than that of another, significantly or not."""
        one, other = self.standing(a), self.standing(b)
        if one is None or other is None or one.value == other.value:
            return False
        return self.standings.index(one) < self.standings.index(other)


@dataclass(frozen=True, slots=True)
class Headline:
    """What matters of a run, in plain sentences; `system` and `group` name the cases that prove it.

    The kinds: `better` says which system is and how sure that is, `weak` what a system is worst at, `open`
    what is not known yet, `choice` what to choose by quality, price and time together. One that compares
    systems has their `board`; `n` is how many cases its number counts, 0 where it says nothing of that.
    """

    text: str
    kind: Literal["better", "weak", "open", "choice"] = "better"
    system: str = ""
    group: str = ""
    board: Leaderboard | None = None
    n: int = 0


class Point(NamedTuple):
    """One value at a place.

    `x` is the place: a number, or a row by its name or, where names repeat, by its number from 0. `y` is the
    value; `None` is a gap. `low` and `high` are the ends of its interval, `None` where none is to be drawn.
    `strong` points stand out: a bold number in a map, a large filled mark on a line. `framed` ones have a
    frame around them, in a map. `label` is written beside the point, in a scatter.
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
    """Points that belong together, in order of their places, under a name.

    Series of one figure that have the same name look the same, and are in its legend once. `hollow` ones
    have hollow marks, in `dots`: a second kind of series beside the filled first one.
    """

    label: str
    points: Sequence[Point]
    hollow: bool = False
    system: str = ""
    """The system that it is of, where its name is not the label."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What to draw, as data. The kinds:

    - `dots`: a row for each place, and in it a dot with its interval for each series.
    - `heat`: a map of shades, a row for each place and a column for each series; the darker, the lower. With
      one series alone, intervals are behind the values.
    - `lines`: a line for each series; intervals are bars at named places, else a band.
    - `steps`: the same without marks, where each value holds from its place to the next one.
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
    """What is shown; it is above."""
    x_label: str = ""
    """What the horizontal axis counts: values in `dots` and `bars`, elsewhere places."""
    y_label: str = ""
    """The same for the vertical axis."""
    note: str = ""
    """What a reader must know besides; it is below, each of its lines in a line of its own."""
    rows: Sequence[str] = ()
    """The names of the places in order, where they are not numbers; by default as the points have them."""
    heads: Sequence[str] = ()
    """Those of the rows that mean a group or for all: they are bold, and apart from what is above."""
    limits: tuple[float | None, float | None] = (None, None)
    """The least and the greatest value that the axis has room for, in `heat` those of the darkest and the
    lightest shade; `None` where the values decide."""
    x_limits: tuple[float | None, float | None] = (None, None)
    """The same for places that are numbers."""
    level: float | None = None
    """A value to point out with a line across, such as chance."""
    marks: Sequence[float] = ()
    """Places to point out with a line across."""
    unit: str = ""
    """What is written behind the sums of `bars`."""
    panels: Sequence[Figure | None] = ()
    """The parts, row by row; `None` leaves a place empty. Lines below each other share their x axis."""
    groups: Sequence[str] = ()
    """The group of cases that each row is about, in order, where it is not what the row is called."""
    columns: int = 1
    """How many panels are side by side."""

    @property
    def places(self) -> list[str]:
        """The names of the places in order, where they are not numbers."""
        return list(self.rows) or list(
            dict.fromkeys(str(p.x) for series in self.series for p in series.points)
        )

    def place(self, point: Point) -> int:
        """The row that a point is in, from 0."""
        return self.places.index(point.x) if isinstance(point.x, str) else int(point.x)
