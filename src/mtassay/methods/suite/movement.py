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
    by_category,
    comparison,
    fair_items,
    only,
)

__all__ = ["movements"]


def movements(
    grades: Grades, *, test: Test = "exact", samples: int = 1000, seed: int | None = 12345
) -> list[stats.AccuracyChange]:
    """What moved from the first column to the second: each category in order of appearance, micro, macro.

    Only items that both have settled count. p is twice the one-tailed one of whichever is better.
    """
    grades = only(grades, fair_items(grades))
    categories = by_category(grades)
    groups = [
        *((name, [part]) for name, part in categories.items()),
        (MICRO, [grades.values]),
        (MACRO, list(categories.values()) or [grades.values]),
    ]
    return [_change(name, parts, test=test, samples=samples, seed=seed) for name, parts in groups]


def _change(
    name: str, parts: Sequence[NDArray[np.int8]], *, test: Test, samples: int, seed: int | None
) -> stats.AccuracyChange:
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
    better, worse = (1, 0) if new >= old else (0, 1)
    p = float(comparison(parts, test, samples=samples, seed=seed)(better, [worse])[0])
    return stats.AccuracyChange(
        name,
        n,
        before=old,
        after=new,
        delta=new - old,
        low=100 * float(low),
        high=100 * float(high),
        p=None if np.isnan(p) else min(1.0, 2 * p),
        fixed=int(fixed.sum()),
        broken=int(broken.sum()),
        wrong=int(wrong.sum()),
    )
