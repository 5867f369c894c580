"""Tests which metric agrees better with people, by permutation tests, and ranks metrics.

The idea is from Deutsch et al. (2021), "A Statistical Analysis of Summarization Evaluation Metrics using
Resampling Methods": if two metrics are equally good, their scores are interchangeable. So their standardised
scores are swapped at random, many times. p is how often the difference of their agreements is at least as
large as the observed one: (c + 1) / (trials + 1).

The test "randomization" is two-sided, swaps all translations of a segment together, since they are not
independent, and corrects for the number of pairs (Holm). The test "wmt" is that of WMT's metrics task in
mt-metrics-eval: one-sided for the better metric, without correction. It swaps single translations
(`PermutationSigDiff`), or for accuracy with ties the outcomes of single pairs (`PairwisePermutationSigDiff`).
For correlations over systems, both tests swap the scores of whole systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.nouns import Cluster, Comparison
from mtassay.meta.system_level import Grouping
from mtassay.stats.comparisons import holm
from mtassay.stats.correlation_rows import Rowwise, divided, mean_of_defined

Floats = NDArray[np.float64]

_BLOCK = 2**21
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A metric with its agreement and its input to the test."""

    name: str
    value: float
    material: Any


MetricTestName = Literal["randomization", "wmt"]

MetricTest = Callable[[Any, Any], float]
"""Computes the p-value that the first input agrees better with people than the second."""


@dataclass(frozen=True, slots=True)
class Swaps:
    """Settings for swapping the scores of two metrics and for the test."""

    test: MetricTestName = "randomization"
    trials: int = 1000
    seed: int = 12345
    alpha: float = 0.05

    @property
    def is_wmt(self) -> bool:
        return self.test == "wmt"

    def masks(self, segments: NDArray[np.int64], *, size: int) -> Iterator[NDArray[np.bool_]]:
        """Yield which scores stay, in blocks (trials, scores) of `size` numbers; `segments` groups scores."""
        rng = np.random.default_rng(self.seed)
        rows = max(1, size // max(1, segments.size))
        for start in range(0, self.trials, rows):
            count = min(rows, self.trials - start)
            if self.is_wmt:
                yield rng.integers(2, size=(count, *segments.shape), dtype=bool)
            else:
                whole = rng.integers(2, size=(count, int(segments.max(initial=-1)) + 1), dtype=bool)
                yield whole[:, segments]

    def p(self, differences: NDArray[Any], observed: float) -> float:
        """The share of differences (including the observed one) that are at least the observed one."""
        if not self.is_wmt:
            differences, observed = np.abs(differences), abs(observed)
        beyond = int((differences >= observed - _ROUNDING).sum())
        return (beyond + 1) / (len(differences) + 1)


def rank_metrics(
    human: str, statistic: str, contenders: Sequence[Contender], test: MetricTest, swaps: Swaps
) -> tuple[list[Comparison], list[Cluster]]:
    """Test all pairs of metrics and rank them, best first; equally good metrics are sorted by name."""
    order = sorted(contenders, key=lambda one: (-one.value, one.name))
    pairs = list(combinations(range(len(order)), 2))
    found: list[float | None] = [test(order[i].material, order[j].material) for i, j in pairs]
    p = np.ones((len(order), len(order)))
    comparisons = []
    for (i, j), value in zip(pairs, found if swaps.is_wmt else holm(found), strict=True):
        a, b = order[i], order[j]
        comparisons.append(Comparison(human, statistic, a.name, b.name, a.value - b.value, value))
        p[i, j] = value
    ranks = assign_ranks(p, alpha=swaps.alpha)
    clusters = [
        Cluster(
            human,
            statistic,
            rank,
            tuple(one.name for one, its in zip(order, ranks, strict=True) if its == rank),
        )
        for rank in dict.fromkeys(ranks)
    ]
    return comparisons, clusters


def assign_ranks(p: NDArray[Any], *, alpha: float = 0.05) -> list[int]:
    """Assign ranks to metrics in order, best first, as in WMT's metrics task.

    A new rank begins at a metric that is significantly worse than any metric of the current rank: p[i, j] (i
    is better than j) is at most alpha. (For ranks of systems, all above must differ from all below.)

    >>> assign_ranks(np.array([[1, 0.3, 0.01], [1, 1, 0.2], [1, 1, 1]]))
    [1, 1, 2]
    """
    ranks: list[int] = []
    start = 0
    for i in range(len(p)):
        if i and (p[start:i, i] <= alpha).any():
            start = i
            ranks.append(ranks[-1] + 1)
        else:
            ranks.append(ranks[-1] if ranks else 1)
    return ranks


def swap_systems(better: Floats, worse: Floats, human: Floats, agreement: Rowwise, swaps: Swaps) -> float:
    """Swap scores of systems; `agreement` gives one value for each row of two arrays."""
    first, second = standardized(better), standardized(worse)
    masks = np.random.default_rng(swaps.seed).integers(2, size=(swaps.trials, len(human)), dtype=bool)
    people = np.broadcast_to(human, masks.shape)

    def difference(a: Floats, b: Floats, y: Floats) -> Floats:
        # An undefined value counts as no agreement.
        return np.nan_to_num(agreement(a, y)) - np.nan_to_num(agreement(b, y))

    observed = float(difference(first[None], second[None], human[None])[0])
    found = difference(np.where(masks, first, second), np.where(masks, second, first), people)
    return swaps.p(found, observed)


def standardized(scores: Floats) -> Floats:
    """Scale scores to mean 0 and deviation 1, so that different metrics can be swapped; nan stays nan."""
    deviation = float(np.nanstd(scores))
    return (scores - np.nanmean(scores)) / (deviation if deviation > 0 else 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class TranslationGroups:
    """Rated translations by group: their indices in a table, segments, and where groups begin."""

    places: NDArray[np.int64]
    segments: NDArray[np.int64]
    starts: NDArray[np.int64]
    human: Floats

    @classmethod
    def of(cls, human: Floats, grouping: Grouping) -> TranslationGroups:
        """Collect the scores (systems, segments) that are not nan."""
        systems, segments = human.shape
        system, segment = np.repeat(np.arange(systems), segments), np.tile(np.arange(segments), systems)
        group = {"none": np.zeros_like(system), "item": segment, "system": system}[grouping]
        rated = np.flatnonzero(~np.isnan(human).ravel())
        places = rated[np.argsort(group[rated], kind="stable")]
        starts = np.flatnonzero(np.diff(group[places], prepend=-1))
        sizes = np.diff(np.append(starts, len(places)))
        scores = human.ravel()[places]
        centred = scores - np.repeat(np.add.reduceat(scores, starts) / sizes, sizes)
        return cls(places, segment[places], starts, centred)

    def swap(self, better: Floats, worse: Floats, swaps: Swaps) -> float:
        """The p-value for Pearson's correlation; scores are (systems, segments)."""
        first, second = (standardized(side.ravel()[self.places]) for side in (better, worse))
        sides = [np.stack((side, side**2, side * self.human)) for side in (first, second)]
        own = [self._sums(side)[:, None] for side in sides]
        values = [self._pearson(sums) for sums in own]
        found = []
        if not swaps.is_wmt and self.is_by_segment:
            # A group is swapped as a whole, so its correlations are swapped too.
            for masks in swaps.masks(np.arange(len(self.starts)), size=_BLOCK):
                chosen = np.where(masks, *values), np.where(masks, *values[::-1])
                found.append(_mean_of_defined(chosen[0]) - _mean_of_defined(chosen[1]))
        else:
            for masks in swaps.masks(self.segments, size=_BLOCK):
                # What one metric gains by a swap, the other loses.
                gained = self._drawn_sums(masks, sides[0] - sides[1])
                pearson = self._pearson(own[1] + gained), self._pearson(own[0] - gained)
                found.append(_mean_of_defined(pearson[0]) - _mean_of_defined(pearson[1]))
        observed = _mean_of_defined(values[0]) - _mean_of_defined(values[1])
        return swaps.p(np.concatenate(found), float(observed[0]))

    @property
    def is_by_segment(self) -> bool:
        """Whether every group has the translations of one segment."""
        ends = np.append(self.starts, len(self.places))[1:] - 1
        return bool((self.segments[self.starts] == self.segments[ends]).all()) and len(self.starts) > 1

    def _pearson(self, sums: Floats) -> Floats:
        """Correlations (trials, groups) from sums (3, trials, groups); nan if undefined."""
        sizes = np.diff(np.append(self.starts, len(self.places)))
        spread = sums[1] - sums[0] ** 2 / sizes
        scale = np.sqrt(np.maximum(spread, 0) * self._sums(self.human**2))
        return divided(sums[2], np.where(scale > _ROUNDING, scale, 0))

    def _sums(self, values: Floats) -> Floats:
        """Sum over groups."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1), dtype=np.float64)

    def _drawn_sums(self, masks: NDArray[np.bool_], values: Floats) -> Floats:
        """Sums (values, trials, groups) of the values selected by a mask."""
        if len(self.starts) == 1:
            return (masks.astype(np.float64) @ values.T).T[..., None]
        return np.stack([self._sums(masks * row) for row in values])


def _mean_of_defined(values: Floats) -> Floats:
    """The mean over groups in each trial; 0 where no group has a value."""
    return np.nan_to_num(mean_of_defined(values, axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class PairOutcomes:
    """How many pairs of each item a metric orders right; `sizes` has the number of pairs."""

    right: NDArray[np.bool_]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, metric: Floats, human: Floats, epsilon: float) -> PairOutcomes:
        """Compare scores (systems, items), nan on both sides if unrated; pairs with nan do not count."""
        left, right = np.triu_indices(len(metric), 1)
        differences = metric[left] - metric[right]
        people = np.sign(human[left] - human[right])
        is_pair = ~np.isnan(people)
        outcome = np.where(np.abs(differences) <= epsilon, 0, np.sign(differences)) == people
        return cls((outcome & is_pair).T, is_pair.sum(axis=0))

    def swap(self, other: PairOutcomes, swaps: Swaps) -> float:
        """The p-value that these outcomes are right more often than the other metric's, by item.

        With WMT's test, each pair on which the two metrics differ is swapped at random; otherwise, all pairs
        of an item are swapped together.
        """
        items = self.sizes > 0
        weights = 1 / (self.sizes[items] * items.sum())
        gained = (self.right & ~other.right).sum(axis=1)[items]
        lost = (other.right & ~self.right).sum(axis=1)[items]
        rng = np.random.default_rng(swaps.seed)
        shape = (swaps.trials, len(gained))
        if swaps.is_wmt:
            differences = 2 * rng.binomial(gained + lost, 0.5, size=shape) - (gained + lost)
        else:
            differences = np.where(rng.integers(2, size=shape, dtype=bool), gained - lost, lost - gained)
        return swaps.p(differences @ weights, float((gained - lost) @ weights))
