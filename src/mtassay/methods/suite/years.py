"""Development over years as it is shown: the best system of each, what changed, and systems that stayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from mtassay.core import Case, Result, Run
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
from mtassay.methods.suite.method import grades_of
from mtassay.methods.suite.system_names import SystemInGroup, spellings
from mtassay.methods.suite.tables import AVERAGES
from mtassay.methods.suite.year_tables import GroupRow, best_table, change_table, course_table, group_table
from mtassay.stats import AccuracyChange, holm

__all__ = ["Years"]

_CHOSEN = {
    "pairs": "in pairs, each on the items that both systems have settled",
    "fair": "on the items settled for all systems of the group",
    "settled": "on the items settled for each system",
}


@dataclass(frozen=True)
class Years:
    """All that is shown: the best systems with their accuracies, what changed, and systems over time.

    `fold` says whether names that differ only in their spelling were taken as one.
    """

    grades: Grades
    entries: Sequence[SystemInGroup]
    best: Mapping[str, Best]
    by: BestBy
    result: Result
    changes: Sequence[AccuracyChange]
    courses: Sequence[Course]
    comparing: Comparing
    fold: bool = True

    @classmethod
    def of(
        cls,
        run: Run,
        cases: Sequence[Case],
        entries: Sequence[SystemInGroup],
        comparing: Comparing,
        *,
        best: BestBy = "pairs",
        systems: Sequence[str] = (),
        fold: bool = True,
    ) -> Self:
        """From a run whose systems are the numbers of the entries; only `systems` are followed, if any."""
        numbers = [str(number) for number in range(len(entries))]
        grades = grades_of(run.findings, cases, numbers)
        winners = best_of_groups(grades, entries, by=best, comparing=comparing)
        result, changes = compare_best(grades, winners, entries, comparing)
        counts = {
            group: run.result.counts[str(entries.index(winner.entry))] for group, winner in winners.items()
        }
        followed = courses(grades, entries, comparing, systems=systems)
        result = replace(result, counts=counts)
        return cls(grades, entries, winners, best, result, changes, followed, comparing, fold)

    @property
    def rows(self) -> list[GroupRow]:
        """The groups as a table shows them."""
        return [
            GroupRow(group, one.systems, one.entry.name, self.result.counts[group], one.close)
            for group, one in self.best.items()
        ]

    @property
    def corrected(self) -> list[float | None]:
        """The p-values of the categories' changes, corrected for their number: by randomization they are."""
        p = [change.p for change in self.changes if change.group not in AVERAGES]
        return p if self.comparing.test == "randomization" else holm(p)

    @property
    def signature(self) -> str:
        """What the accuracies depend on."""
        return f"accuracy|{self.result.scores[0].signature}"

    def check_drawing(self) -> None:
        """Refuse to draw nothing."""
        if not self.courses:
            raise UsageError("No system is in two groups, so there is nothing to draw: see --alias.")

    @property
    def drawing_note(self) -> str:
        """Which items the accuracies of systems over time are on."""
        if self.comparing.items != "fair":
            return "Accuracies on the items settled for each system."
        return f"Accuracies on {self.courses[0].n:,} items settled for all."

    def tables(self, *, phenomena: bool = False, mark: str = "") -> list[Table]:
        """All tables; `phenomena` shows each of them, and `mark` stands behind what is bold."""
        comparing = self.comparing
        groups = list(self.best)
        parts = phenomenon_groups(self.grades.items) if phenomena else None
        tables = [
            group_table(self.rows, chosen=f"Best: by its macro-average over categories, {_CHOSEN[self.by]}."),
            best_table(
                self.result, self.rows, phenomena=parts, mark=mark, title="The best system of each group"
            ),
            change_table(
                self.changes,
                corrected=self.corrected,
                alpha=comparing.alpha,
                test=comparing.test,
                title=f"From {self._named(groups[0])} to {self._named(groups[-1])}",
            ),
        ]
        if self.courses:
            tables.append(
                course_table(
                    self.courses,
                    groups,
                    items=comparing.items,
                    total=len(self.grades.items),
                    alpha=comparing.alpha,
                    test=comparing.test,
                )
            )
        return tables

    def _named(self, group: str) -> str:
        return f"{group} ({self.best[group].entry.name})"

    def remarks(self) -> list[str]:
        """What a reader must know besides: names taken as one, and who makes a comparison small."""
        lines = []
        if several := spellings(self.entries):
            joined = ", ".join(" = ".join(names) for names in several.values())
            apart = " --no-fold tells spellings apart." if self.fold else ""
            lines.append(f"Taken as one system: {joined}.{apart}")
        if not self.courses:
            lines.append("No system is in two groups. If names changed, give --alias OLD=NEW.")
        followed = {course.system for course in self.courses}
        columns = [column for column, entry in enumerate(self.entries) if entry.system in followed]
        names = [f"{self.entries[column].name} ({self.entries[column].group})" for column in columns]
        cost = costliest(pick(self.grades, columns, names=names))
        if cost and cost.without > 1.1 * cost.fair and self.comparing.items == "fair":
            lines.append(
                f"{cost.system} leaves {cost.unsettled:,} items open: without it the systems over time "
                f"could be compared on {cost.without:,} items instead of {cost.fair:,}."
            )
        return lines

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        p = iter(self.corrected)
        return {
            "groups": [asdict(row) for row in self.rows],
            "best_by": self.by,
            **self.result.as_dict(),
            "changes": [
                {**asdict(change), "p_corrected": None if change.group in AVERAGES else next(p)}
                for change in self.changes
            ],
            "systems": [asdict(course) for course in self.courses],
            "same_system": spellings(self.entries),
        }

    def numbers(self) -> Table:
        """One number a row: accuracies of the best systems, and macro-averages of those that stayed."""
        header = ["table", "group", "system", "category", "value", "n", "low", "high", "p"]
        rows: list[list[Any]] = [
            ["best", s.system, self.best[s.system].entry.name, s.group, s.value, s.n, s.low, s.high, None]
            for s in self.result.scores
            if s.name == "accuracy"
        ]
        ends = "→".join((*list(self.best)[:1], *list(self.best)[-1:]))
        rows += [["change", ends, None, c.group, c.delta, c.n, c.low, c.high, c.p] for c in self.changes]
        for course in self.courses:
            rows += [
                ["system", p.group, course.system, "macro", p.value, p.n, p.low, p.high, None]
                for p in course.points
            ]
            c, way = course.change, f"{course.points[0].group}→{course.points[-1].group}"
            rows.append(["system change", way, course.system, "macro", c.delta, c.n, c.low, c.high, c.p])
        return Table(header, [["" if value is None else str(value) for value in row] for row in rows])
