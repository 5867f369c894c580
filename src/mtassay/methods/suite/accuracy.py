"""Accuracy per phenomenon, per category and on average, with significance (Macketanz et al. 2022).

Outcomes (items, systems) are 1 for correct, 0 for incorrect and -1 for not settled. They come in parts: one
part for a share of correct items, or one per category for the mean of the categories' shares.

The default test is randomization: two-sided, paired by item, and corrected for all comparisons of a table. So
it is valid for any system that turns out best (`stats.family`). The z-test is the one of Macketanz et al.
(2022): one-tailed, uncorrected, with the best system against each other system, and as if the systems had
answered different items.

Accuracies are in percent. The micro average weights all items equally, the macro average all categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Case, Finding, Ledger, Result, Score, Segment
from mtassay.stats import proportions
from mtassay.stats.comparisons import MACRO, MICRO, Compare, defined, joined, ranked
from mtassay.stats.family import Row, compare_rows

__all__ = [
    "MACRO",
    "MICRO",
    "Costliest",
    "Grades",
    "Items",
    "accuracies",
    "accuracy_ledgers",
    "costliest",
    "fair_items",
    "only",
    "phenomenon_groups",
]


Floats = NDArray[np.float64]
Test = Literal["randomization", "z"]


def together(
    values: NDArray[Any],
    rows: Sequence[Row],
    *,
    trials: int = 10000,
    alpha: float = 0.05,
    seed: int | None = 12345,
) -> list[Compare]:
    """Compare systems in all rows of a table as one family, two-sided; see `stats.family.compare_rows`.

    Every pair is compared on the items settled for both; if the second system is better there, p = 1.
    """
    outcomes = np.where(values >= 0, values, np.nan)
    compared = compare_rows(outcomes, rows, trials=trials, seed=seed, alpha=alpha)
    first, second = np.triu_indices(values.shape[1], 1)
    tests = []
    for p, delta in zip(compared.p, compared.delta, strict=True):
        matrix = np.full((values.shape[1],) * 2, np.nan)
        matrix[first, second] = np.where(delta < 0, 1.0, p)
        matrix[second, first] = np.where(delta > 0, 1.0, p)
        tests.append(_looked_up(matrix))
    return tests


def _looked_up(matrix: Floats) -> Compare:
    return lambda a, others: matrix[a, list(others)]


def z_tests(parts: Sequence[NDArray[Any]]) -> Compare:
    """Compare systems by their share of correct items; with several parts, by the mean of the shares."""
    correct, n = counts(parts)
    function = proportions.macro_z_test
    if len(parts) == 1:
        function, correct, n = proportions.z_test, correct[:, 0], n[:, 0]
    return lambda a, others: function(correct[a], n[a], correct[others], n[others])


def counts(parts: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count each system's correct and settled items in each part, as two tables (systems, parts)."""
    correct = np.stack([np.where(part > 0, part, 0).sum(axis=0) for part in parts], axis=-1)
    settled = np.stack([np.count_nonzero(part >= 0, axis=0) for part in parts], axis=-1)
    return correct, settled


NAME = "accuracy"
PHENOMENON = "accuracy:phenomenon"
"""The name of the scores of phenomena, which may be named like a category."""
Items = Literal["fair", "settled"]


@dataclass(frozen=True, slots=True, eq=False)
class Grades:
    """Every system's outcome on every item: 1 is correct, 0 incorrect, -1 not settled.

    If a system was asked several times, the outcome is the share of correct answers. Undecided, conflicting
    and skipped items are not settled. `values` has a row for each item and a column for each system, in
    order. Items have the tags `category` and `phenomenon`.
    """

    items: Sequence[Case]
    systems: Sequence[str]
    values: NDArray[Any]

    def __post_init__(self) -> None:
        shape = (len(self.items), len(self.systems))
        if self.values.shape != shape:
            raise ValueError(
                f"values must have the shape (items, systems) = {shape}, not {self.values.shape}"
            )


@dataclass(frozen=True, slots=True)
class Costliest:
    """The system that leaves the most items open.

    It leaves `unsettled` items open. `fair` items can be compared with it, and `without` items without it.
    """

    system: str
    unsettled: int
    fair: int
    without: int


def fair_items(grades: Grades) -> NDArray[np.bool_]:
    """The items that are settled for all systems, on which all systems can be compared."""
    return np.asarray((grades.values >= 0).all(axis=1))


def only(grades: Grades, kept: NDArray[np.bool_]) -> Grades:
    """Return the grades with all other items marked as not settled."""
    return Grades(grades.items, grades.systems, np.where(kept[:, None], grades.values, np.int8(-1)))


def costliest(grades: Grades) -> Costliest | None:
    """The system without which most items would be fair (the first of equals); `None` if none costs items."""
    unsettled = grades.values < 0
    gains = unsettled[unsettled.sum(axis=1) == 1].sum(axis=0)
    if len(grades.systems) < 2 or not gains.any():
        return None
    worst = int(np.argmax(gains))
    fair = int(fair_items(grades).sum())
    return Costliest(grades.systems[worst], int(unsettled[:, worst].sum()), fair, fair + int(gains[worst]))


def phenomenon_groups(items: Sequence[Case]) -> dict[str, str]:
    """The group name of each phenomenon's scores with its category, in order of appearance.

    The name is the phenomenon, or `Category › Phenomenon` if the phenomenon is in several categories.
    """
    pairs = dict.fromkeys((item.tags["category"], item.tags["phenomenon"]) for item in items)
    times = Counter(phenomenon for _, phenomenon in pairs)
    return {
        phenomenon if times[phenomenon] == 1 else f"{category} › {phenomenon}": category
        for category, phenomenon in pairs
    }


def accuracies(
    grades: Grades,
    *,
    items: Items = "fair",
    test: Test = "randomization",
    alpha: float = 0.05,
    trials: int = 10000,
    seed: int | None = 12345,
) -> Result:
    """Accuracy of every system, in percent, for each phenomenon, each category, and on average.

    Scores of phenomena are named "accuracy:phenomenon", all others "accuracy". Groups are in order of
    appearance, "micro" and "macro" last. The 95 % intervals are Wilson's, and Price & Bonett's for the macro
    average. A group without items has the value `None`. The best system of a group is compared with each
    other system. With randomization, p is two-sided and corrected for all pairs of systems in all categories
    and averages (phenomena are a separate family). With the z-test, p is one-tailed and not corrected. A
    cluster has its best system and all systems that do not differ significantly from it; rank 1 is the best
    performance cluster.

    `items` is "fair" for the items that are settled for all systems, or "settled" for each system's own; then
    randomization uses the items that are settled for both systems. `trials` is its number of draws.
    """
    for what, value, choices in (("test", test, get_args(Test)), ("choice of items", items, get_args(Items))):
        if value not in choices:
            raise UsageError(f"No {what} {value!r}. Available: {', '.join(sorted(choices))}.")
    if items == "fair":
        grades = only(grades, fair_items(grades))
    settings: dict[str, object] = {"items": items, "test": test, "alpha": f"{alpha:g}"}
    if test == "randomization":
        settings |= {"correction": "max-t", "trials": trials, "seed": str(seed).lower()}
    signature = _signature(settings)
    groups = _groups(grades)
    compare: dict[int, Compare] = {}
    if test == "randomization":
        for name in (PHENOMENON, NAME):
            family = [place for place, group in enumerate(groups) if group.name == name]
            rows = [groups[place].rows for place in family]
            tests = together(grades.values, rows, trials=trials, alpha=alpha, seed=seed)
            compare |= dict(zip(family, tests, strict=True))
    results = []
    for place, group in enumerate(groups):
        parts = [grades.values[row] for row in group.rows]
        scores = _scores(group, parts, grades.systems, signature)
        test_of = compare.get(place) or z_tests(parts)
        results += [Result(scores), ranked(scores, test_of, alpha=alpha)]
    return joined(results)


def accuracy_ledgers(findings: Sequence[Finding], segments: Sequence[Segment], system: str) -> list[Ledger]:
    """The counts behind a system's accuracies: categories and their averages, and phenomena."""
    passed = {
        finding.case_id: finding.verdict == "pass"
        for finding in findings
        if finding.system == system and finding.verdict in ("pass", "fail")
    }
    items = [Case(s.id, s.id, (s.source,), tags=s.tags) for s in segments if "category" in s.tags]
    shown: dict[str, dict[str, list[list[str]]]] = {NAME: {}, PHENOMENON: {}}
    for group in _groups(Grades(items, (), np.empty((len(items), 0), dtype=np.int8))):
        shown[group.name][group.label] = [[items[place].id for place in part] for part in group.rows]
    return [
        Ledger.of_shares(NAME, system, passed, shown[NAME], part="category"),
        Ledger.of_shares(PHENOMENON, system, passed, shown[PHENOMENON], part="phenomenon", is_detail=True),
    ]


_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Group:
    """The items of one accuracy, which is the mean over parts; a part has the row numbers of its items.

    The macro average has one part per category; all others have one part.
    """

    name: str
    label: str
    rows: Row


def _groups(grades: Grades) -> list[_Group]:
    """Phenomena and categories in order of appearance, then the averages."""
    items = grades.items
    phenomena = _places([(item.tags["category"], item.tags["phenomenon"]) for item in items])
    categories = _places([item.tags["category"] for item in items])
    everything = np.arange(len(items))
    labels = zip(phenomenon_groups(items), phenomena.values(), strict=True)
    return [
        *(_Group(PHENOMENON, label, [part]) for label, part in labels),
        *(_Group(NAME, label, [part]) for label, part in categories.items()),
        _Group(NAME, MICRO, [everything]),
        _Group(NAME, MACRO, list(categories.values()) or [everything]),
    ]


def _places(keys: Sequence[_Key]) -> dict[_Key, NDArray[np.int64]]:
    """The row numbers of each key, in order of appearance."""
    rows: dict[_Key, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return {key: np.array(places, dtype=np.int64) for key, places in rows.items()}


def _scores(
    group: _Group, parts: Sequence[NDArray[np.int8]], systems: Sequence[str], signature: str
) -> list[Score]:
    """Return one score for each system."""
    correct, n = counts(parts)
    values = 100 * proportions.macro_average(correct, n)
    if len(parts) == 1:
        pairs = zip(correct[:, 0].tolist(), n[:, 0].tolist(), strict=True)
        low, high = np.array([proportions.wilson(*pair) for pair in pairs]).reshape(-1, 2).T
    else:
        low, high = proportions.macro_interval(correct, n)
    return [
        Score(
            group.name,
            system,
            group.label,
            value=defined(values[i]),
            n=int(n[i].sum()),
            low=defined(100 * low[i]),
            high=defined(100 * high[i]),
            signature=signature,
        )
        for i, system in enumerate(systems)
    ]


def _signature(settings: Mapping[str, object]) -> str:
    from mtassay import __version__

    return "|".join([*(f"{key}:{v}" for key, v in settings.items()), f"version:mtassay-{__version__}"])
