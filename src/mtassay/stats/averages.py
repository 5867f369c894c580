"""Macro-averages of shares: their intervals, tests and changes.

A macro average is the plain mean of the accuracies of all categories, so that each counts the same, however
many items it has. Counts have categories on their last axis; a category without items on either side is left
out. p-values are for "a is better than b", with p = 1 and nan as in `shares`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.stats.proportions import ROUNDING, standardized
from mtassay.stats.resampling import block_rows
from mtassay.stats.tails import normal_tail, t_tail

__all__ = [
    "AccuracyChange",
    "change_interval",
    "macro_average",
    "macro_interval",
    "macro_permutation_test",
    "macro_t_test",
    "macro_z_test",
]


Floats = NDArray[np.float64]


def macro_average(correct: ArrayLike, n: ArrayLike) -> Floats:
    """Mean share over the categories (…, categories) that have items; nan if none has.

    >>> float(macro_average([1, 90, 0], [2, 100, 0]))
    0.7
    """
    shares, filled = _shares(correct, n)
    return mean_counted(shares, filled)


def macro_interval(correct: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """The two ends (low, high) of an interval of the macro average, within 0 and 1; nan without items.

    A normal interval after two right and two wrong answers were shared out among the categories (Price &
    Bonett 2004); for one category it is that of Agresti & Coull. It needs no draws, and keeps its width where
    categories are at 100 %, as the plain normal interval and the bootstrap do not. In a simulation of 14
    uneven categories between 85 and 99.5 % it held the truth in 95 % of the cases; Wilson's intervals put
    together by their squared distances (Zou, Huang & Zhang 2009) did so in 92 %.

    >>> low, high = macro_interval([8, 10], [10, 10])
    >>> round(float(low), 4), round(float(high), 4)
    (0.688, 0.9787)
    """
    right, sizes = np.broadcast_arrays(np.asarray(correct, dtype=np.float64), np.asarray(n, dtype=np.float64))
    filled = sizes > 0
    count = np.maximum(filled.sum(axis=-1, keepdims=True), 1)
    shares = (right + 2 / count) / (sizes + 4 / count)
    variance = variance_of_mean(np.where(filled, shares * (1 - shares) / (sizes + 4 / count), 0.0), filled)
    reach = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance)
    middle = mean_counted(shares, filled)
    return np.clip(middle - reach, 0.0, 1.0), np.clip(middle + reach, 0.0, 1.0)


def macro_z_test(correct_a: ArrayLike, n_a: ArrayLike, correct_b: ArrayLike, n_b: ArrayLike) -> Floats:
    """z-test on macro averages: the variances of all categories, each pooled over both systems, add up.

    With one category this is `z_test`.
    """
    size_a, size_b, share_a, share_b, both = _two_sides(correct_a, n_a, correct_b, n_b)
    pooled = (share_a * size_a + share_b * size_b) / (size_a + size_b)
    variances = np.where(both, pooled * (1 - pooled) * (1 / size_a + 1 / size_b), 0.0)
    return normal_tail(standardized(mean_counted(share_a - share_b, both), variance_of_mean(variances, both)))


def macro_t_test(correct_a: ArrayLike, n_a: ArrayLike, correct_b: ArrayLike, n_b: ArrayLike) -> Floats:
    """Welch's t-test on macro averages: the variances of all categories and systems, each with its own n - 1.

    With one category this is Welch's test of two samples. nan where a category has a single item on a side,
    as that has no variance.
    """
    size_a, size_b, share_a, share_b, both = _two_sides(correct_a, n_a, correct_b, n_b)
    sizes = np.concatenate([size_a, size_b], axis=-1)
    shares = np.concatenate([share_a, share_b], axis=-1)
    counted = np.concatenate([both, both], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = np.where(counted, shares * (1 - shares) / (sizes - 1), 0.0)
        total = variances.sum(axis=-1)
        freedom = total**2 / np.where(counted, variances**2 / (sizes - 1), 0.0).sum(axis=-1)
    # Without any variance the tail is 0 or 1 for all degrees of freedom.
    freedom = np.where(total == 0, 1.0, freedom)
    steps = standardized(mean_counted(share_a - share_b, both), variance_of_mean(variances, both))
    return t_tail(steps, freedom)


def macro_permutation_test(
    a: ArrayLike, b: ArrayLike, categories: ArrayLike, *, samples: int = 1000, seed: int | None = 12345
) -> Floats:
    """Paired permutation test on macro averages: outcomes of the two systems are swapped at random, per item.

    `a` (items,) and `b` (items, …) hold 1 for correct, 0 for incorrect and -1 for not settled, `categories`
    (items,) whole numbers from 0 up. An item counts where both systems have it settled. p is
    (c + 1) / (samples + 1), where c counts the draws whose difference is at least the observed one; all
    systems of `b` share the draws. 1 where the systems never differ, nan where no item counts.
    """
    first = np.asarray(a, dtype=np.float64)
    second = np.asarray(b, dtype=np.float64)
    columns = second.reshape(len(second), math.prod(second.shape[1:]))
    codes = np.asarray(categories, dtype=np.int64)
    both = (first[:, None] >= 0) & (columns >= 0)
    sizes = np.zeros((int(codes.max(initial=-1)) + 1, columns.shape[1]))
    np.add.at(sizes, codes, both)
    # Each item's part in the difference of the averages; with its outcomes swapped the part changes its sign.
    weights = 1 / np.maximum(sizes, 1) / np.maximum((sizes > 0).sum(axis=0), 1)
    parts = np.where(both, first[:, None] - columns, 0.0) * weights[codes]
    moving = (parts != 0).any(axis=1)
    parts = parts[moving]
    observed = parts.sum(axis=0)
    beyond = np.zeros(columns.shape[1])
    rng = np.random.default_rng(seed)
    block = block_rows(len(codes))
    for start in range(0, samples, block):
        # All items are drawn, so that the other systems of `b` do not change the draws of a pair.
        kept = rng.integers(2, size=(min(block, samples - start), len(codes)), dtype=bool)[:, moving]
        swapped = 2 * (kept.astype(np.float64) @ parts) - observed
        beyond += (swapped >= observed - ROUNDING).sum(axis=0)
    p = np.where(both.any(axis=0), (beyond + 1) / (samples + 1), np.nan)
    return np.asarray(p.reshape(second.shape[1:]))


def _shares(correct: ArrayLike, n: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Shares, 0 where there are no items, and where there are some."""
    right, sizes = np.broadcast_arrays(np.asarray(correct, dtype=np.float64), np.asarray(n, dtype=np.float64))
    filled = sizes > 0
    return np.where(filled, right / np.where(filled, sizes, 1.0), 0.0), filled


def _two_sides(
    correct_a: ArrayLike, n_a: ArrayLike, correct_b: ArrayLike, n_b: ArrayLike
) -> tuple[Floats, Floats, Floats, Floats, NDArray[np.bool_]]:
    """Sizes (1 for 0), shares, and which categories count: those with items on both sides."""
    share_a, filled_a = _shares(correct_a, n_a)
    share_b, filled_b = _shares(correct_b, n_b)
    share_a, share_b, both = np.broadcast_arrays(share_a, share_b, filled_a & filled_b)
    size_a = np.where(both, np.asarray(n_a, dtype=np.float64), 1.0)
    size_b = np.where(both, np.asarray(n_b, dtype=np.float64), 1.0)
    return size_a, size_b, share_a, share_b, both


def mean_counted(values: Floats, counted: NDArray[np.bool_]) -> Floats:
    """Mean over the last axis of the values that count; nan if none does."""
    count = counted.sum(axis=-1)
    total = np.where(counted, values, 0.0).sum(axis=-1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def variance_of_mean(variances: Floats, counted: NDArray[np.bool_]) -> Floats:
    """Variance of a mean of independent values, from their variances: 0 for those that do not count."""
    return np.asarray(variances.sum(axis=-1) / np.maximum(counted.sum(axis=-1), 1) ** 2)


@dataclass(frozen=True, slots=True)
class AccuracyChange:
    """How the accuracy of one group of items moved, in percent, over the `n` items settled both times.

    `fixed` items were incorrect before and are correct now, `broken` ones the other way round; `wrong` are
    so both times. `delta` is after minus before, with its 95 % interval; p is two-sided. `None` stands where
    there are no items.
    """

    group: str
    n: int
    before: float | None
    after: float | None
    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    fixed: int
    broken: int
    wrong: int


def change_interval(
    gained: ArrayLike, lost: ArrayLike, n: ArrayLike, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """The two ends (low, high) of an interval of a change of a share, between -1 and 1; nan without items.

    `gained` of `n` items were wrong before and are right after, `lost` the other way round. Counts have
    categories on their last axis: the change is that of the mean of their shares, and a category without
    items is left out. A normal interval after one gained and one lost item were shared out among the
    categories; for one category it is that of Bonett & Price (2012) for paired shares. It keeps its width
    where nothing moved. In a simulation of 14 uneven categories it held the truth in 96 to 99 % of the cases.

    >>> low, high = change_interval([6], [2], [40])
    >>> round(float(low), 4), round(float(high), 4)
    (-0.0495, 0.24)
    """
    plus, minus, sizes = np.broadcast_arrays(
        *(np.asarray(counts, dtype=np.float64) for counts in (gained, lost, n))
    )
    filled = sizes > 0
    count = np.maximum(filled.sum(axis=-1, keepdims=True), 1)
    up, down = ((counts + 1 / count) / (sizes + 2 / count) for counts in (plus, minus))
    variances = np.where(filled, (up + down - (up - down) ** 2) / (sizes + 2 / count), 0.0)
    reach = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance_of_mean(variances, filled))
    middle = mean_counted(up - down, filled)
    return np.clip(middle - reach, -1.0, 1.0), np.clip(middle + reach, -1.0, 1.0)
