"""Shares of correct items: Wilson's and other intervals, and tests of two shares.

Every p-value is for "a is better than b": small where it is, near 1 where b is better. Two shares that
cannot differ by chance (everything right, or everything wrong, on both sides) give p = 1, and where there
is nothing to test (no items) it is nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.stats.tails import coin_tail, normal_tail, t_tail

__all__ = [
    "Interval",
    "bootstrap_interval",
    "bootstrap_test",
    "effective_trials",
    "exact_test",
    "fisher_interval",
    "interval",
    "small_sample_factor",
    "t_test",
    "wilson",
    "z_test",
]


Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """The two ends; both nan where no interval can be given."""

    low: float
    high: float


_UNDEFINED = Interval(math.nan, math.nan)


def interval(resampled: NDArray[Any], *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Percentile bounds (low, high) of resampled scores (samples, …), one pair for each column.

    The bounds are order statistics, the same that sacreBLEU takes: at 95 %, of 1000 sorted scores the
    one at place 25 from either end, counted from 0. Undefined scores (nan) are left out; where none is
    defined both bounds are nan.

    >>> low, high = interval(np.arange(1000.0)[::-1])
    >>> float(low), float(high)
    (25.0, 974.0)
    """
    ordered = np.sort(np.asarray(resampled, dtype=np.float64), axis=0)  # nan goes last
    if not len(ordered):
        return np.full(ordered.shape[1:], np.nan), np.full(ordered.shape[1:], np.nan)
    defined = len(ordered) - np.isnan(ordered).sum(axis=0, keepdims=True)
    # The small term undoes the rounding of 1 - level: 1000 scores at 90 % mean place 50, not 49.
    low = np.floor(defined * (1 - level) / 2 + 1e-9).astype(np.int64)
    high = np.maximum(defined - low - 1, 0)
    low = np.minimum(low, high)
    bounds = (np.take_along_axis(ordered, place, axis=0)[0] for place in (low, high))
    return next(bounds), next(bounds)


def bootstrap_interval(
    function: Callable[..., float],
    arrays: Sequence[NDArray[Any]],
    *,
    seed: int | None,
    samples: int = 1000,
    level: float = 0.95,
    axis: int = -1,
) -> Interval:
    """Percentile interval of `function(*arrays)` when the units along `axis` are drawn anew, the same in all.

    With scores (systems, segments) the default axis resamples segments. Draws for which the function is
    undefined (nan) are left out; without units, or if all are undefined, the interval is nan.
    """
    lengths = {array.shape[axis] for array in arrays}
    if len(lengths) != 1:
        raise ValueError(f"arrays must have the same units along axis {axis}, got lengths {sorted(lengths)}")
    n = lengths.pop()
    if n == 0:
        return _UNDEFINED
    rng = np.random.default_rng(seed)
    values = np.empty(samples)
    for sample in range(samples):
        drawn = rng.integers(0, n, size=n)
        values[sample] = function(*(np.take(array, drawn, axis=axis) for array in arrays))
    low, high = interval(values, level=level)
    return Interval(float(low), float(high))


def fisher_interval(r: float, n: int, *, level: float = 0.95) -> Interval:
    """Interval of a Pearson correlation of `n` pairs by Fisher's z; nan for n < 4 or an undefined `r`.

    >>> low, high = fisher_interval(0.9, 12)
    >>> round(low, 3), round(high, 3)
    (0.674, 0.972)
    """
    if n < 4 or math.isnan(r):
        return _UNDEFINED
    if abs(r) >= 1:
        return Interval(r, r)
    reach = NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(n - 3)
    return Interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))


def wilson(successes: float, n: float, *, level: float = 0.95) -> Interval:
    """Wilson's score interval (1927) of a share, which it holds, within 0 and 1; nan for n = 0.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    if n == 0:
        return _UNDEFINED
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and at 1 the ends would miss the share by a rounding error.
    low, high = min(centre - reach, share), max(centre + reach, share)
    return Interval(max(0.0, low), min(1.0, high))


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


def effective_trials(
    share: float, variance: float, *, least: float, most: float = math.inf, otherwise: float | None = None
) -> float:
    """The number of independent trials that would give a share the variance it has, within two bounds.

    With it, intervals for plain shares (Wilson's, or those of a macro average) serve clustered ones too.
    `otherwise` (default: `least`) is taken where the variance says nothing: it is nan or 0, or the share is
    0 or 1.

    >>> effective_trials(0.8, 0.016, least=1)
    10.0
    >>> effective_trials(1.0, 0.0, least=7)
    7
    """
    spread = share * (1 - share)
    if not (variance > 0 and spread > 0):
        return least if otherwise is None else otherwise
    return round(min(max(spread / variance, least), most), 9)


@cache
def small_sample_factor(clusters: int, *, level: float = 0.95) -> float:
    """What to multiply effective trials by where their variance was estimated from so few clusters.

    It widens an interval as Student's t with `clusters` - 1 degrees of freedom does a normal one: the square
    of the normal over Student's quantile. 1 in the limit; for fewer than two clusters there is no factor: 1.

    >>> round(small_sample_factor(5), 3), round(small_sample_factor(1000), 3)
    (0.498, 0.998)
    """
    if clusters < 2:
        return 1.0
    low, high = 0.0, 1e4
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if float(t_tail(middle, clusters - 1)) > (1 - level) / 2:
            low = middle
        else:
            high = middle
    return (NormalDist().inv_cdf((1 + level) / 2) / high) ** 2
