"""Development over years: the best system of each, what changed, and systems that stayed.

A group is a year, or anything else in order: versions, months. Accuracies are in percent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Case, Result, Run, Score
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.methods.suite.accuracy import (
    MACRO,
    NAME,
    Grades,
    Items,
    Test,
    accuracies,
    by_category,
    category_places,
    comparison,
    costliest,
    fair_items,
    movements,
    only,
    phenomenon_groups,
    together,
)
from mtassay.methods.suite.method import grades_of
from mtassay.methods.suite.system_names import SystemInGroup, spellings
from mtassay.methods.suite.tables import AVERAGES
from mtassay.methods.suite.year_tables import GroupRow, best_table, change_table, course_table, group_table
from mtassay.stats import AccuracyChange, holm
from mtassay.stats.ranking import Compare, defined

__all__ = [
    "Best",
    "BestBy",
    "Comparing",
    "Course",
    "Years",
    "best_of_groups",
    "compare_best",
    "courses",
    "pick",
]


BestBy = Literal["pairs", "fair", "settled"]


@dataclass(frozen=True, slots=True)
class Comparing:
    """How things are compared: on which items, by which test. The fields are arguments of `accuracies`."""

    items: Items = "fair"
    test: Test = "randomization"
    alpha: float = 0.05
    samples: int = 1000
    trials: int = 10000
    seed: int | None = 12345

    def movements(self, ends: Grades) -> list[stats.AccuracyChange]:
        """What moved from the first column to the second."""
        return movements(ends, test=self.test, samples=self.samples, trials=self.trials, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Best:
    """The best system of a group of `systems`; `close` are the names of those not significantly worse."""

    entry: SystemInGroup
    systems: int
    close: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """One system through the groups that it is in: its macro-average in each, over the same `n` items.

    `names` are the names it had, `points` the scores (system: its name, group: the group) in order. `change`
    is that of the macro-average from its first group to its last.
    """

    system: str
    names: tuple[str, ...]
    n: int
    points: tuple[Score, ...]
    change: stats.AccuracyChange


def pick(grades: Grades, columns: Sequence[int], *, names: Sequence[str] | None = None) -> Grades:
    """These columns of the grades, in this order, called by these names."""
    chosen = [grades.systems[column] for column in columns] if names is None else names
    return Grades(grades.items, chosen, grades.values[:, list(columns)])


def best_of_groups(
    grades: Grades,
    entries: Sequence[SystemInGroup],
    *,
    by: BestBy = "pairs",
    comparing: Comparing | None = None,
) -> dict[str, Best]:
    """The best system of each group, by its macro-average over categories. Columns are in order of `entries`.

    By "pairs", it is the one that wins most pairs, each on the items that both have settled (of equals, the
    one with the larger mean difference); so a system that leaves much open neither shrinks the comparison of
    the others, as with "fair" (the items settled for the whole group), nor gains by it, as with "settled"
    (each system's own). If everything is settled, all three are the same.
    """
    how = comparing or Comparing()
    best_by_group = {}
    for group in dict.fromkeys(entry.group for entry in entries):
        columns = [column for column, entry in enumerate(entries) if entry.group == group]
        part = list(by_category(pick(grades, columns)).values())
        first = _best(part, by)
        others = [other for other in range(len(columns)) if other != first]
        compare = _macro_comparison(pick(grades, columns), how)
        p = compare(first, others).tolist() if others else []
        close = [other for other, value in zip(others, p, strict=True) if not value < how.alpha]
        best_by_group[group] = Best(
            entries[columns[first]], len(columns), tuple(entries[columns[other]].name for other in close)
        )
    return best_by_group


def _macro_comparison(grades: Grades, how: Comparing) -> Compare:
    """Compares systems by their macro-average."""
    if how.test == "randomization":
        row = list(category_places(grades).values())
        return together(grades.values, [row], trials=how.trials, alpha=how.alpha, seed=how.seed)[0]
    parts = list(by_category(grades).values())
    return comparison(parts, how.test, samples=how.samples, seed=how.seed)


def compare_best(
    grades: Grades, best: Mapping[str, Best], entries: Sequence[SystemInGroup], comparing: Comparing
) -> tuple[Result, list[stats.AccuracyChange]]:
    """The accuracies of the best systems, called by their groups, and what changed from first to last."""
    places = {entry: column for column, entry in enumerate(entries)}
    shown = pick(grades, [places[winner.entry] for winner in best.values()], names=list(best))
    result = accuracies(shown, **asdict(comparing))
    if comparing.items == "fair":
        shown = only(shown, fair_items(shown))
    ends = pick(shown, [0, len(best) - 1])
    return result, comparing.movements(ends)


def courses(
    grades: Grades, entries: Sequence[SystemInGroup], comparing: Comparing, *, systems: Sequence[str] = ()
) -> list[Course]:
    """The systems that are in two groups or more, best at the end first; only `systems` if there are any.

    Fair means: on the items settled for all of these in all their groups, so that lines can be compared with
    each other. Otherwise each system has the items that are settled in all of its own groups. By
    randomization, the p-values of their changes are corrected for the number of systems (Holm).
    """
    columns: dict[str, list[int]] = {}
    for column, entry in enumerate(entries):
        if not systems or entry.system in systems:
            columns.setdefault(entry.system, []).append(column)
    several = {system: own for system, own in columns.items() if len(own) > 1}
    if not several:
        return []
    if comparing.items == "fair":
        grades = only(grades, fair_items(pick(grades, [c for own in several.values() for c in own])))
    all_courses = [_course(system, grades, own, entries, comparing) for system, own in several.items()]
    if comparing.test == "randomization":
        p = stats.holm([course.change.p for course in all_courses])
        all_courses = [
            replace(course, change=replace(course.change, p=value))
            for course, value in zip(all_courses, p, strict=True)
        ]
    return sorted(all_courses, key=lambda course: -(course.points[-1].value or 0.0))


def _course(
    system: str,
    grades: Grades,
    columns: Sequence[int],
    entries: Sequence[SystemInGroup],
    comparing: Comparing,
) -> Course:
    own = pick(grades, columns)
    own = only(own, fair_items(own))
    scores = accuracies(own, **asdict(comparing)).scores
    macro = [score for score in scores if (score.name, score.group) == (NAME, MACRO)]
    points = tuple(
        replace(score, system=entries[column].name, group=entries[column].group)
        for column, score in zip(columns, macro, strict=True)
    )
    ends = pick(own, [0, len(columns) - 1])
    moved = comparing.movements(ends)[-1]
    if comparing.test == "randomization":  # of the macro-average alone, which is all that a course shows
        moved = replace(moved, p=defined(float(_macro_comparison(ends, comparing)(*_better_first(moved))[0])))
    names = tuple(dict.fromkeys(entries[column].name for column in columns))
    return Course(system, names, points[0].n, points, moved)


def _better_first(change: stats.AccuracyChange) -> tuple[int, list[int]]:
    return (1, [0]) if (change.delta or 0.0) >= 0 else (0, [1])


def _best(parts: Sequence[NDArray[np.int8]], by: BestBy) -> int:
    """The column with the best macro-average; of equals the first."""
    if by == "fair":
        parts = [part[(part >= 0).all(axis=1)] for part in parts]
    right = [np.asarray(part == 1, dtype=np.float64) for part in parts]
    settled = [np.asarray(part >= 0, dtype=np.float64) for part in parts]
    # For each pair of systems and each category: how many items of both, and how many the first has right.
    correct = np.stack([a.T @ b for a, b in zip(right, settled, strict=True)], axis=-1)
    sizes = np.stack([b.T @ b for b in settled], axis=-1)
    macro = stats.macro_average(correct, sizes)
    if by == "pairs":
        difference = np.round(np.nan_to_num(macro - macro.T), 9)
        keys = np.stack([(difference > 0).sum(axis=1), difference.mean(axis=1)])
        return int(np.lexsort((np.arange(len(macro)), -keys[1], -keys[0]))[0])
    return int(np.argmax(np.round(np.nan_to_num(np.diagonal(macro), nan=-1.0), 9)))


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
