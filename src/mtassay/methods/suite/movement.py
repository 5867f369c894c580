"""How accuracies moved between two answers to the same items, by category and on average.

The two may be two versions of a system, or the best systems of two years. Numbers are in percentage points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.methods.suite.accuracy import (
    MACRO,
    MICRO,
    Grades,
    Test,
    category_places,
    comparison,
    counts,
    fair_items,
    only,
)

__all__ = ["movements"]


def movements(
    grades: Grades,
    *,
    test: Test = "randomization",
    samples: int = 1000,
    trials: int = 10000,
    seed: int | None = 12345,
) -> list[stats.AccuracyChange]:
    """What moved from the first column to the second: each category in order of appearance, micro, macro.

    Only items that both have settled count. p is two-sided: by randomization corrected for all of these
    together, by the other tests twice the one-tailed one of whichever is better.
    """
    grades = only(grades, fair_items(grades))
    categories = category_places(grades)
    everything = np.arange(len(grades.items))
    rows: dict[str, stats.Row] = {
        **{name: [places] for name, places in categories.items()},
        MICRO: [everything],
        MACRO: list(categories.values()) or [everything],
    }
    parts = {name: [grades.values[places] for places in row] for name, row in rows.items()}
    if test == "randomization":
        outcomes = np.where(grades.values >= 0, grades.values, np.nan)
        p = stats.compare_rows(outcomes, list(rows.values()), trials=trials, seed=seed).p[:, 0].tolist()
    else:
        p = [_two_sided(part, test, samples, seed) for part in parts.values()]
    return [_change(name, part, value) for (name, part), value in zip(parts.items(), p, strict=True)]


def _two_sided(parts: Sequence[NDArray[np.int8]], test: Test, samples: int, seed: int | None) -> float:
    """Twice the p-value of whichever is better; nan where there is nothing to test."""
    before, after = stats.macro_average(*counts(parts)).tolist()
    better, worse = (1, 0) if after >= before else (0, 1)
    return min(1.0, 2 * float(comparison(parts, test, samples=samples, seed=seed)(better, [worse])[0]))


def _change(name: str, parts: Sequence[NDArray[np.int8]], p: float) -> stats.AccuracyChange:
    before, after = (np.array([np.count_nonzero(part[:, side] == 1) for part in parts]) for side in (0, 1))
    sizes = np.array([np.count_nonzero(part[:, 0] >= 0) for part in parts])
    fixed, broken, wrong = (
        np.array([np.count_nonzero((part == pair).all(axis=1)) for part in parts])
        for pair in ((0, 1), (1, 0), (0, 0))
    )
    n = int(sizes.sum())
    if n == 0:
        return stats.AccuracyChange(name, 0, None, None, None, None, None, None, 0, 0, 0)
    old, new = (100 * float(stats.macro_average(right, sizes)) for right in (before, after))
    low, high = stats.change_interval(fixed, broken, sizes)
    return stats.AccuracyChange(
        name,
        n,
        before=old,
        after=new,
        delta=new - old,
        low=100 * float(low),
        high=100 * float(high),
        p=None if np.isnan(p) else p,
        fixed=int(fixed.sum()),
        broken=int(broken.sum()),
        wrong=int(wrong.sum()),
    )
