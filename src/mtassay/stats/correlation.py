"""Correlation of metric scores with human scores, over systems or over segments in groups.

In all of these an item with nan on either side (unrated) is left out, and an undefined correlation is nan,
never 0: fewer than two items, or a side whose values are all equal. Two items always correlate at 1 or -1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.errors import UsageError
from mtassay.stats.pairs import complete_pairs, count_pairs
from mtassay.stats.ranks import average_ranks

__all__ = ["Grouped", "grouped", "kendall", "pearson", "prediction_error", "spearman"]

Correlation = Callable[[NDArray[Any], NDArray[Any]], float]


@dataclass(frozen=True, slots=True)
class Grouped:
    """The mean over `groups` groups; `skipped` more had no defined value. nan if all were skipped.

    `values` has one entry for each group, in order, nan where undefined; resampling these gives an interval.
    """

    value: float
    groups: int
    skipped: int
    values: tuple[float, ...] = field(default=(), repr=False, compare=False)


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Linear correlation, from -1 to 1.

    >>> round(pearson([1, 2, 3], [2, 4, 7]), 6)
    0.993399
    """
    first, second = complete_pairs(x, y)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    first, second = first - first.mean(), second - second.mean()
    scale = math.sqrt(float(first @ first)) * math.sqrt(float(second @ second))
    return max(-1.0, min(1.0, float(first @ second) / scale)) if scale > 0 else math.nan


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Correlation of the ranks, from -1 to 1; equal values share their mean rank.

    >>> round(spearman([1, 2, 3, 4], [10, 30, 20, 40]), 6)
    0.8
    """
    first, second = complete_pairs(x, y)
    return pearson(average_ranks(first), average_ranks(second))


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b, from -1 to 1: concordant less discordant pairs, corrected for ties on both sides.

    >>> round(kendall([1, 2, 3, 4], [10, 30, 20, 40]), 6)
    0.666667
    """
    pairs = count_pairs(x, y)
    untied = pairs.concordant + pairs.discordant
    scale = math.sqrt(untied + pairs.tied_x) * math.sqrt(untied + pairs.tied_y)
    if scale == 0:
        return math.nan
    return max(-1.0, min(1.0, (pairs.concordant - pairs.discordant) / scale))


def prediction_error(r: float) -> float:
    """Share of the variance that a linear prediction leaves unexplained: 1 - r².

    >>> round(prediction_error(0.9), 2)
    0.19
    """
    return 1 - r**2


def grouped(
    correlation: Correlation,
    metric: NDArray[Any],
    human: NDArray[Any],
    *,
    by: Literal["none", "item", "system"] = "none",
) -> Grouped:
    """Segment-level correlation of scores (systems, items); `correlation` is any function of two arrays here.

    `by` says what is compared with what: "none" all translations as one group; "item" the translations of
    one segment with each other; "system" those of one system. The value is the plain mean over groups.
    Groups whose value is undefined are left out of the mean and counted in `skipped`.
    """
    if metric.shape != human.shape:
        raise ValueError(f"metric and human need the same shape, got {metric.shape} and {human.shape}")
    if by == "none":
        pairs = [(metric.ravel(), human.ravel())]
    elif by == "item":
        pairs = list(zip(metric.T, human.T, strict=True))
    elif by == "system":
        pairs = list(zip(metric, human, strict=True))
    else:
        raise UsageError(f"No grouping {by!r}. Available: item, none, system.")
    values = np.array([correlation(x, y) for x, y in pairs], dtype=np.float64)
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else math.nan
    return Grouped(mean, len(defined), len(values) - len(defined), tuple(values.tolist()))
