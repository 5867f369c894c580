"""Prints and draws development over years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any, Self

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables, shows_bold, terminal_width
from mtassay.core import Result
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.methods.suite.accuracy import Grades, costliest, phenomenon_groups
from mtassay.methods.suite.development import (
    Best,
    BestBy,
    Comparing,
    Course,
    best_of_groups,
    compare_best,
    courses,
    pick,
)
from mtassay.methods.suite.system_names import Entry, spellings
from mtassay.methods.suite.year_tables import (
    GroupRow,
    best_table,
    change_table,
    course_figure,
    course_table,
    group_table,
)
from mtassay.report.figures import draw
from mtassay.stats import Change, holm

__all__ = ["Years", "plot_years", "print_years"]

_CHOSEN = {
    "pairs": "in pairs, each on the items that both systems have settled",
    "fair": "on the items settled for all systems of the group",
    "settled": "on the items settled for each system",
}


@dataclass(frozen=True)
class Years:
    """All that is shown: the best systems with their accuracies, what changed, and systems over time."""

    grades: Grades
    entries: Sequence[Entry]
    best: Mapping[str, Best]
    by: BestBy
    result: Result
    changes: Sequence[Change]
    courses: Sequence[Course]
    comparing: Comparing

    @classmethod
    def of(
        cls,
        grades: Grades,
        entries: Sequence[Entry],
        counts: Sequence[Mapping[str, int]],
        comparing: Comparing,
        *,
        best: BestBy,
        systems: Sequence[str],
    ) -> Self:
        """Everything from the grades; `counts` are the verdicts of each entry."""
        found = best_of_groups(grades, entries, by=best, comparing=comparing)
        result, changes = compare_best(grades, found, entries, comparing)
        by_group = {group: counts[entries.index(one.entry)] for group, one in found.items()}
        followed = courses(grades, entries, comparing, systems=systems)
        return cls(
            grades, entries, found, best, replace(result, counts=by_group), changes, followed, comparing
        )

    @property
    def rows(self) -> list[GroupRow]:
        """The groups as a table shows them."""
        return [
            GroupRow(group, one.systems, one.entry.name, self.result.counts[group], one.close)
            for group, one in self.best.items()
        ]

    @property
    def corrected(self) -> list[float | None]:
        """The p-values of the categories' changes, corrected for their number."""
        return holm([change.p for change in self.changes if change.group not in ("micro", "macro")])


def plot_years(path: Path, years: Years) -> None:
    """Draw the systems that are in several groups."""
    if not years.courses:
        raise UsageError("No system is in two groups, so there is nothing to draw: see --alias.")
    same = years.comparing.items == "fair"
    count = f"{years.courses[0].n:,} items settled for all" if same else "the items settled for each system"
    draw(course_figure(years.courses, list(years.best), note=f"Accuracies on {count}."), path)


def print_years(years: Years, form: OutputFormat, *, phenomena: bool, fold: bool) -> None:
    """All tables in this format."""
    if form is OutputFormat.json:
        print_json(_record(years))
        return
    if form is OutputFormat.tsv:
        print_tables([_rows(years)], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    mark = "*" if form is OutputFormat.text and not shows_bold() else ""
    print_tables(_tables(years, phenomena, mark), form)
    for line in _remarks(years, fold=fold):
        echo(f"\n{comment}{line if comment else fill(line, terminal_width(), break_on_hyphens=False)}")
    echo(f"\n{comment}accuracy|{years.result.scores[0].signature}")


def _tables(years: Years, phenomena: bool, mark: str) -> list[Table]:
    comparing = years.comparing
    groups = list(years.best)
    parts = phenomenon_groups(years.grades.items) if phenomena else None
    chosen = f"Best: by its macro-average over categories, {_CHOSEN[years.by]}."
    tables = [
        group_table(years.rows, chosen=chosen),
        best_table(
            years.result, years.rows, phenomena=parts, mark=mark, title="The best system of each group"
        ),
        change_table(
            years.changes,
            corrected=years.corrected,
            alpha=comparing.alpha,
            test=comparing.test,
            title=f"From {_named(years, groups[0])} to {_named(years, groups[-1])}",
        ),
    ]
    if years.courses:
        tables.append(
            course_table(
                years.courses,
                groups,
                items=comparing.items,
                total=len(years.grades.items),
                alpha=comparing.alpha,
                test=comparing.test,
            )
        )
    return tables


def _named(years: Years, group: str) -> str:
    return f"{group} ({years.best[group].entry.name})"


def _remarks(years: Years, *, fold: bool) -> list[str]:
    """What a reader must know besides: names taken as one, and who makes a comparison small."""
    lines = []
    if several := spellings(years.entries):
        joined = ", ".join(" = ".join(names) for names in several.values())
        lines.append(
            f"Taken as one system: {joined}." + (" --no-fold tells spellings apart." if fold else "")
        )
    if not years.courses:
        lines.append("No system is in two groups. If names changed, give --alias OLD=NEW.")
    followed = {course.system for course in years.courses}
    columns = [column for column, entry in enumerate(years.entries) if entry.system in followed]
    names = [f"{years.entries[column].name} ({years.entries[column].group})" for column in columns]
    cost = costliest(pick(years.grades, columns, names=names))
    if cost and cost.without > 1.1 * cost.fair and years.comparing.items == "fair":
        lines.append(
            f"{cost.system} leaves {cost.unsettled:,} items open: without it the systems over time could be "
            f"compared on {cost.without:,} items instead of {cost.fair:,}."
        )
    return lines


def _record(years: Years) -> dict[str, Any]:
    """The JSON shape."""
    p = iter(years.corrected)
    return {
        "groups": [asdict(row) for row in years.rows],
        "best_by": years.by,
        **years.result.as_dict(),
        "changes": [
            {**asdict(change), "p_holm": None if change.group in ("micro", "macro") else next(p)}
            for change in years.changes
        ],
        "systems": [asdict(course) for course in years.courses],
        "same_system": spellings(years.entries),
    }


def _rows(years: Years) -> Table:
    """One number a row: accuracies of the best systems, and macro-averages of those that stayed."""
    header = ["table", "group", "system", "category", "value", "n", "low", "high", "p"]
    rows: list[list[Any]] = [
        ["best", s.system, years.best[s.system].entry.name, s.group, s.value, s.n, s.low, s.high, None]
        for s in years.result.scores
        if s.name == "accuracy"
    ]
    ends = "→".join((*list(years.best)[:1], *list(years.best)[-1:]))
    rows += [["change", ends, None, c.group, c.delta, c.n, c.low, c.high, c.p] for c in years.changes]
    for course in years.courses:
        rows += [
            ["system", p.group, course.system, "macro", p.value, p.n, p.low, p.high, None]
            for p in course.points
        ]
        c, way = course.change, f"{course.points[0].group}→{course.points[-1].group}"
        rows.append(["system change", way, course.system, "macro", c.delta, c.n, c.low, c.high, c.p])
    return Table(header, [["" if value is None else str(value) for value in row] for row in rows])
