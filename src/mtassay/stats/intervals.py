"""Intervals around a score, a share or a correlation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "bootstrap_interval", "fisher_interval", "interval", "wilson"]

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
