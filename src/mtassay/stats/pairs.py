"""Agreement on pairs: how often a metric orders two systems, or two translations, as people do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["PairCounts", "acc_eq", "count_pairs", "pairwise_accuracy", "soft_pairwise_accuracy"]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs of items x and y order alike, order oppositely, or tie in x only, in y only, in both."""

    concordant: int
    discordant: int
    tied_x: int
    tied_y: int
    tied_both: int

    @property
    def total(self) -> int:
        return self.concordant + self.discordant + self.tied_x + self.tied_y + self.tied_both


def count_pairs(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """Counts over all pairs of items, in O(n log² n) time; items with a nan on either side are left out.

    >>> count_pairs([1, 2, 3, 3], [1, 3, 2, 2])
    PairCounts(concordant=3, discordant=2, tied_x=0, tied_y=0, tied_both=1)
    """
    first, second = complete_pairs(x, y)
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    total = len(first) * (len(first) - 1) // 2
    in_x, in_y = _tied(first), _tied(np.sort(second))
    same = np.flatnonzero((np.diff(first) != 0) | (np.diff(second) != 0)) + 1
    in_both = _pairs_within(np.diff(np.concatenate([[0], same, [len(first)]])))
    # Sorted by x, then y: a pair that ties in x is never an inversion of y.
    discordant = _inversions(np.unique(second, return_inverse=True)[1])
    concordant = total - in_x - in_y + in_both - discordant
    return PairCounts(concordant, discordant, in_x - in_both, in_y - in_both, in_both)


def pairwise_accuracy(metric: ArrayLike, human: ArrayLike) -> float:
    """Share of pairs that the metric orders as people do (Kocmi et al. 2021); 0.5 is chance, 1 perfect.

    Pairs that tie in the human scores have no right order and are left out; a tie of the metric where
    people see a difference is wrong. nan in either score leaves an item out; the result is nan if no
    pair remains.

    >>> pairwise_accuracy([30, 31, 29], [0.1, 0.2, 0.3])
    0.3333333333333333
    """
    pairs = count_pairs(metric, human)
    judged = pairs.concordant + pairs.discordant + pairs.tied_x
    return pairs.concordant / judged if judged else math.nan


def acc_eq(metric: ArrayLike, human: ArrayLike) -> float:
    """Share of pairs that the metric orders, or ties, as people do (Deutsch et al. 2023, no tie calibration).

    Meant for segments, where human ties are frequent and worth predicting; all pairs count. nan in either
    score leaves an item out; the result is nan for fewer than two items.

    >>> acc_eq([1, 1, 2], [0, 0, 5])
    1.0
    """
    pairs = count_pairs(metric, human)
    return (pairs.concordant + pairs.tied_both) / pairs.total if pairs.total else math.nan


def soft_pairwise_accuracy(metric_p: NDArray[Any], human_p: NDArray[Any]) -> float:
    """1 - mean |p of the metric - p of people| over pairs of systems (Thompson et al. 2024); 1 is perfect.

    Both are one-sided p-values (systems, systems), as `one_sided_permutation` gives them. Both orders of
    each pair count, so that the order of systems does not matter. Pairs with a nan are left out; the
    result is nan if none remains.
    """
    distances = np.abs(np.asarray(metric_p, dtype=np.float64) - np.asarray(human_p, dtype=np.float64))
    distances = distances[~np.eye(len(distances), dtype=bool)]
    distances = distances[~np.isnan(distances)]
    return float(1 - distances.mean()) if len(distances) else math.nan


def complete_pairs(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sides as flat arrays, without the items that are nan on either."""
    first = np.asarray(x, dtype=np.float64).ravel()
    second = np.asarray(y, dtype=np.float64).ravel()
    if len(first) != len(second):
        raise ValueError(f"both sides need the same items, got {len(first)} and {len(second)}")
    known = ~(np.isnan(first) | np.isnan(second))
    return first[known], second[known]


def _tied(ascending: NDArray[Any]) -> int:
    return _pairs_within(np.unique(ascending, return_counts=True)[1])


def _pairs_within(sizes: NDArray[Any]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(values: NDArray[Any]) -> int:
    """How many pairs of whole numbers from 0 up stand in descending order.

    Of such a pair the highest differing bit is 1, then 0. Going down bit by bit, with numbers of equal
    higher bits kept together in their first order, counts each pair once.
    """
    inversions = 0
    for bit in range(int(values.max(initial=0)).bit_length() - 1, -1, -1):
        prefix = values >> (bit + 1)
        one = (values >> bit) & 1
        ones = np.cumsum(one)
        starts = np.flatnonzero(np.diff(prefix, prepend=-1))
        before_group = (ones - one)[starts]
        sizes = np.diff(np.append(starts, len(values)))
        inversions += int((ones - np.repeat(before_group, sizes))[one == 0].sum())
        values = values[np.argsort(values >> bit, kind="stable")]
    return inversions
