"""How far a share, or the mean of several shares, has moved between two answers to the same items."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.stats.macro import mean_counted, variance_of_mean

__all__ = ["Change", "change_interval"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
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
