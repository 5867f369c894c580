"""Is system a's share of correct answers greater than system b's? One-tailed tests, all on arrays.

Every p-value is for "a is better than b": small where it is, near 1 where b is better. Two shares that
cannot differ by chance (everything right, or everything wrong, on both sides) give p = 1, and where there
is nothing to test (no items) it is nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.stats.tails import coin_tail, normal_tail, t_tail

__all__ = ["bootstrap_test", "exact_test", "t_test", "z_test"]

Floats = NDArray[np.float64]


def z_test(correct_a: ArrayLike, n_a: ArrayLike, correct_b: ArrayLike, n_b: ArrayLike) -> Floats:
    """Two-proportion z-test with pooled variance, as in Macketanz et al. (2022), section 3.2.

    It treats the two systems as if they had answered different items, and needs large ones: some 5 right and
    5 wrong answers on either side. nan where a side has no items.

    >>> round(float(z_test(45, 50, 35, 50)), 6)
    0.00621
    """
    right_a, size_a, right_b, size_b = _floats(correct_a, n_a, correct_b, n_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = right_a / size_a - right_b / size_b
        pooled = (right_a + right_b) / (size_a + size_b)
        variance = pooled * (1 - pooled) * (1 / size_a + 1 / size_b)
        return normal_tail(standardized(difference, variance))


def t_test(correct_a: ArrayLike, n_a: ArrayLike, correct_b: ArrayLike, n_b: ArrayLike) -> Floats:
    """Student's two-sample t-test with pooled variance on outcomes 0 and 1, as in section 3.1 of that paper.

    Unpaired like the z-test. If a has everything right and b everything wrong no variance is left and p is
    0, even for few items. nan for fewer than three items in all, or none on a side.

    >>> round(float(t_test(45, 50, 35, 50)), 6)
    0.006062
    """
    right_a, size_a, right_b, size_b = _floats(correct_a, n_a, correct_b, n_b)
    freedom = size_a + size_b - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = right_a / size_a - right_b / size_b
        squares = right_a * (1 - right_a / size_a) + right_b * (1 - right_b / size_b)
        variance = np.where(freedom > 0, squares / freedom * (1 / size_a + 1 / size_b), np.nan)
        return t_tail(standardized(difference, variance), freedom)


def exact_test(only_a: ArrayLike, only_b: ArrayLike) -> Floats:
    """Exact paired test (McNemar; a sign test) from the items that only one of two systems got right.

    The probability of at least `only_a` heads in `only_a + only_b` tosses of a coin: right for any number of
    items, and the sharper for systems that mostly fail on the same ones. 1 where the systems never differ.

    >>> round(float(exact_test(8, 2)), 12)
    0.0546875
    """
    wins, losses = _floats(only_a, only_b)
    return coin_tail(wins, wins + losses)


def bootstrap_test(difference: ArrayLike, resampled: NDArray[Any]) -> Floats:
    """Paired bootstrap test from score differences a - b of the whole set (…) and of resamples (samples, …).

    p is (c + 1) / (samples + 1), where c counts the resamples that exceed the observed difference by at least
    as much as that exceeds 0. Undefined resamples (nan) are left out; nan if none is left, or if the
    difference is nan. 1 where no resample moves the difference from 0.
    """
    observed = np.asarray(difference, dtype=np.float64)
    defined = ~np.isnan(resampled)
    beyond = (resampled - observed >= observed - ROUNDING).sum(axis=0)
    count = np.where(np.isnan(observed), 0, defined.sum(axis=0))
    return np.where(count > 0, (beyond + 1) / (count + 1), np.nan)


ROUNDING = 1e-12
"""How far rounding may move a difference of shares that equals another one."""


def standardized(difference: Floats, variance: Floats) -> Floats:
    """Differences in standard errors; without variance infinite with their sign, and -inf for none at all.

    -inf has a tail of 1: two systems that have everything right do not differ.
    """
    flat = np.where(difference > ROUNDING, np.inf, -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = difference / np.sqrt(variance)
    # A sum of zeros and rounding is no variance.
    scaled = np.where(variance > ROUNDING**2, scaled, flat)
    return np.where(np.isnan(difference) | np.isnan(variance), np.nan, scaled)


def _floats(*values: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.asarray(value, dtype=np.float64) for value in values)
