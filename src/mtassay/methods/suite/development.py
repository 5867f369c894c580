"""How the best systems, and single systems, develop over years (Macketanz et al. 2022, section 4.2.5).

A group is a year, or anything else in order: versions, months. Accuracies are in percent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Result, Score
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
    fair_items,
    only,
    together,
)
from mtassay.methods.suite.movement import movements
from mtassay.methods.suite.system_names import SystemInGroup
from mtassay.stats.ranking import Compare, defined

__all__ = ["Best", "BestBy", "Comparing", "Course", "best_of_groups", "compare_best", "courses", "pick"]

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
