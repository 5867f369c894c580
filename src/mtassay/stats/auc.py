"""The area under the ROC curve when outputs come in clusters, such as several outputs of one item.

Obuchowski (1997), "Nonparametric analysis of clustered ROC curve data": the method of DeLong et al. (1988)
with the placements of a cluster added up. It needs no draws, and compares curves of the same outputs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.stats.clustered import effective_trials, small_sample_factor
from mtassay.stats.intervals import Interval, wilson
from mtassay.stats.ranks import average_ranks

__all__ = ["AUC", "auc", "auc_covariance"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AUC:
    """The probability that a positive scores above a negative, ties counting half; nan without both kinds.

    `positive` and `negative` hold for each cluster how far the placements of its outputs are from what was
    to be expected, and `clusters` how many there are, with positives, and with negatives.
    """

    value: float
    positives: int
    negatives: int
    positive: Floats
    negative: Floats
    clusters: tuple[int, int, int]

    @property
    def variance(self) -> float:
        return auc_covariance(self, self)

    @property
    def trials(self) -> float:
        """How many independent trials the area is worth.

        Where all positives are above all negatives, or all below, no variance is left to say so, and the
        clusters of the rarer kind are the trials.
        """
        rarer = min(self.clusters[1:])
        trials = effective_trials(self.value, self.variance, least=min(1, rarer), otherwise=rarer)
        return trials if trials == rarer else trials * small_sample_factor(rarer)

    def interval(self) -> Interval:
        """95 % interval, which holds the area: Wilson's, with as many trials as give the same variance.

        Both ends are nan without both kinds.
        """
        if math.isnan(self.value):
            return Interval(math.nan, math.nan)
        low, high = wilson(self.value * self.trials, self.trials)
        return Interval(min(low, self.value), max(high, self.value))


def auc(scores: ArrayLike, is_positive: ArrayLike, clusters: ArrayLike) -> AUC:
    """From one score, kind and cluster (whole numbers from 0 up) per output; none may be nan.

    >>> auc([3, 2, 2, 1], [True, True, False, False], [0, 1, 0, 1]).value
    0.875
    """
    values = np.asarray(scores, dtype=np.float64)
    positive = np.asarray(is_positive, dtype=bool)
    codes = np.asarray(clusters, dtype=np.int64)
    m, n = int(positive.sum()), int((~positive).sum())
    size = int(codes.max(initial=-1)) + 1
    some, others = (np.bincount(codes[kind], minlength=size) > 0 for kind in (positive, ~positive))
    counts = (int((some | others).sum()), int(some.sum()), int(others.sum()))
    if not m or not n:
        return AUC(math.nan, m, n, np.zeros(size), np.zeros(size), counts)
    overall = average_ranks(values)
    # How many of the other kind stand below a positive, and above a negative: ranks without one's own kind.
    above = (overall[positive] - average_ranks(values[positive])) / n
    below = 1 - (overall[~positive] - average_ranks(values[~positive])) / m
    value = float(above.mean())
    sums = np.zeros((2, size))
    np.add.at(sums[0], codes[positive], above - value)
    np.add.at(sums[1], codes[~positive], below - value)
    return AUC(value, m, n, sums[0], sums[1], counts)


def auc_covariance(a: AUC, b: AUC) -> float:
    """Covariance of two areas over the same outputs; nan with fewer than two clusters of either kind."""
    both, positive, negative = a.clusters
    if positive < 2 or negative < 2:
        return math.nan
    m, n = a.positives, a.negatives
    first = positive / (positive - 1) * float(a.positive @ b.positive) / m**2
    second = negative / (negative - 1) * float(a.negative @ b.negative) / n**2
    cross = both / (both - 1) * float(a.positive @ b.negative + a.negative @ b.positive) / (m * n)
    return max(first + second + cross, 0.0) if a is b else first + second + cross
