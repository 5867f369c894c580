"""Ranks, and the Wilcoxon rank-sum test that WMT takes for human scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["average_ranks", "rank_sum"]


def average_ranks(x: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1 (smallest) up; equal values share the mean of their ranks; nan has the rank nan.

    >>> average_ranks([10, 30, 20, 30]).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    values = np.asarray(x, dtype=np.float64)
    ranks = np.full(values.shape, np.nan)
    rated = ~np.isnan(values)
    _, place, counts = np.unique(values[rated], return_inverse=True, return_counts=True)
    ranks[rated] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def rank_sum(x: ArrayLike, y: ArrayLike) -> float:
    """One-sided p-value that `x` tends to be greater than `y`: Wilcoxon's rank-sum test (Mann-Whitney).

    Normal approximation with correction for ties and continuity, the same number as R's
    `wilcox.test(x, y, alternative="greater", exact=FALSE)`. Unrated values (nan) are left out; nan if
    nothing is left of one side, or if all values are equal.

    >>> round(rank_sum([3, 4, 5], [1, 2, 3]), 6)
    0.060592
    """
    first, second = _rated(x), _rated(y)
    m, n = len(first), len(second)
    if m == 0 or n == 0:
        return math.nan
    both = np.concatenate([first, second])
    u = float(average_ranks(both)[:m].sum()) - m * (m + 1) / 2
    tied = np.unique(both, return_counts=True)[1].astype(np.float64)
    ties = float((tied**3 - tied).sum())
    variance = m * n / 12 * ((m + n + 1) - ties / ((m + n) * (m + n - 1)))
    if variance <= 0 or len(tied) == 1:
        return math.nan
    z = (u - m * n / 2 - 0.5) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))


def _rated(x: ArrayLike) -> NDArray[Any]:
    values = np.asarray(x, dtype=np.float64).ravel()
    return values[~np.isnan(values)]
