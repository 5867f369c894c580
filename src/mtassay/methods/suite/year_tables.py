"""The tables of development over years: the best system of each, what changed, and single systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mtassay.core import Result
from mtassay.display import Cell, Figure, Point, Series, Table
from mtassay.methods.suite.tables import AVERAGES, TESTS, accuracy_table, kinds_in, number
from mtassay.stats import AccuracyChange
from mtassay.texts.marks import p_text, signed

if TYPE_CHECKING:
    from mtassay.methods.suite.years import Course

__all__ = [
    "ABOUT_CHANGE",
    "CHANGE_HEADER",
    "GroupRow",
    "best_table",
    "change_cells",
    "change_table",
    "course_figure",
    "course_table",
    "group_table",
]

_FEW = 6  # lines whose intervals can be told apart
CHANGE_HEADER = ("change", "95 %", "fixed", "broken", "p")
ABOUT_CHANGE = (
    "Change in points with its 95 % interval (Bonett & Price's); fixed: incorrect before and correct after; "
    "broken: the reverse."
)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of systems: how many, the best one with its verdicts, and those not significantly worse."""

    group: str
    systems: int
    best: str
    counts: Mapping[str, int]
    close: Sequence[str] = ()


def group_table(groups: Sequence[GroupRow], *, chosen: str, title: str = "") -> Table:
    """The best system of each group with its verdicts; `chosen` says how it was chosen."""
    kinds = kinds_in(row.counts for row in groups)
    rows = [
        [row.group, str(row.systems), row.best, *(f"{row.counts.get(kind, 0):,}" for kind in kinds)]
        for row in groups
    ]
    close = [f"{row.group} {', '.join(row.close)}" for row in groups if row.close]
    notes = [chosen]
    notes += [f"Not significantly worse than the best: {'; '.join(close)}."] if close else []
    return Table(["Group", "systems", "best", *kinds], rows, title, notes)


def best_table(
    result: Result,
    groups: Sequence[GroupRow],
    *,
    phenomena: Mapping[str, str] | None = None,
    mark: str = "",
    title: str = "",
) -> Table:
    """Categories by group, in the order of groups; the scores of `result` have groups for systems.

    `phenomena` adds a row for each of them; it says which category each belongs to. `mark` stands behind
    what is bold.
    """
    table = accuracy_table(
        result,
        by="category" if phenomena is None else "phenomenon",
        categories=phenomena,
        systems=[row.group for row in groups],
        mark=mark,
        title=title,
    )
    names = ", ".join(f"{row.group} {row.best}" for row in groups)
    return replace(table, notes=[f"The best system of each group: {names}.", *table.notes])


def change_table(
    changes: Sequence[AccuracyChange],
    *,
    corrected: Sequence[float | None],
    alpha: float,
    test: str,
    title: str = "",
) -> Table:
    """Which categories changed significantly, and the averages; `corrected` are the p of all categories.

    Of the other categories the note gives the number.
    """
    categories = [change for change in changes if change.group not in AVERAGES]
    moved = [change for change in categories if _is_significant(change, alpha)]
    averages = [change for change in changes if change.group in AVERAGES]
    rows = [
        [AVERAGES.get(change.group, change.group), f"{change.n:,}", *change_cells(change, alpha=alpha)]
        for change in (*moved, *averages)
    ]
    return Table(
        ["Category", "n", *CHANGE_HEADER],
        rows,
        title,
        [_about_moved(categories, moved, corrected, alpha, test), ABOUT_CHANGE],
    )


def change_cells(change: AccuracyChange, *, alpha: float) -> list[Cell | str]:
    """The cells under `CHANGE_HEADER`; a significant change is bold."""
    return [
        Cell(signed(change.delta), strong=_is_significant(change, alpha)),
        "" if change.low is None else f"[{signed(change.low)}, {signed(change.high)}]",
        f"{change.fixed:,}",
        f"{change.broken:,}",
        p_text(change.p),
    ]


def course_table(
    courses: Sequence[Course], groups: Sequence[str], *, items: str, total: int, alpha: float, test: str
) -> Table:
    """The macro-average of each system in each group, and how it changed from its first to its last one."""
    rows: list[list[Cell | str]] = []
    for course in courses:
        points = {point.group: point for point in course.points}
        values = [number(points[group].value) if group in points else "–" for group in groups]
        delta, interval, _, _, p = change_cells(course.change, alpha=alpha)
        rows.append([course.system, f"{course.n:,}", *values, delta, interval, p])
    which = (
        f"all on the items settled for every one of them: {courses[0].n:,} of {total:,}"
        if items == "fair"
        else f"each on the items settled in all of its groups (n, of {total:,}): compare along a line only"
    )
    name = "permutation test" if test == "exact" else TESTS.get(test, test)
    corrected = "corrected" if test == "randomization" else "not corrected"
    notes = [
        f"Macro-averages in percent of the systems in two groups or more, {which}.",
        f"Change: from its first group to its last, with its 95 % interval; bold: p < {alpha:g} "
        f"(two-sided {name}, {corrected} for the number of systems).",
    ]
    reach = [
        (p.high - p.low) / 2 for c in courses for p in c.points if p.high is not None and p.low is not None
    ]
    if reach:
        notes.append(f"95 % intervals of the averages reach up to ±{max(reach):.1f} points.")
    return Table(["System", "n", *groups, "change", "95 %", "p"], rows, "Systems over time", notes)


def course_figure(courses: Sequence[Course], groups: Sequence[str], *, note: str = "") -> Figure:
    """The macro-average of each system in each group, one line a system.

    Few lines have the 95 % intervals of their averages; those of many could not be told apart.
    """
    few = len(courses) <= _FEW
    series = [
        Series(
            course.system,
            [Point(p.group, p.value, *((p.low, p.high) if few else (None, None))) for p in course.points],
        )
        for course in courses
    ]
    bars = "Bars: 95 % intervals of the averages. " if few else ""
    return Figure("lines", series, y_label="macro-average of accuracy (%)", note=f"{bars}{note}", rows=groups)


def _about_moved(
    categories: Sequence[AccuracyChange],
    moved: Sequence[AccuracyChange],
    corrected: Sequence[float | None],
    alpha: float,
    test: str,
) -> str:
    tested = sum(change.p is not None for change in categories)
    rest = tested - len(moved)
    joint = test == "randomization"
    about = f"two-sided {TESTS.get(test, test)}{', corrected for all rows' if joint else ''}, p < {alpha:g}"
    if not moved:
        return f"None of the {tested} categories changed significantly ({about})."
    pairs = zip(categories, corrected, strict=True)
    firm = [change.group for change, p in pairs if p is not None and p < alpha]
    kept = f"{'; '.join(firm)} changed" if firm else "none did"
    others = f"The other {rest} of {tested} categories did not change significantly ({about})."
    return others if joint else f"{others} Corrected for {tested} tests (Holm), {kept} significantly."


def _is_significant(change: AccuracyChange, alpha: float) -> bool:
    return change.p is not None and change.p < alpha
