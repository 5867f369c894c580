"""From scores in one group to a result: the best system against each other one, and the clusters.

Outcomes (items, systems) are 1 for correct, 0 for incorrect and -1 for not settled. They come in parts: one,
for a share of correct items, or the categories, for the mean of their shares. All tests are one-tailed, the
better system against others, and paired by item.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.core import Cluster, Comparison, Result, Score
from mtassay.stats.averages import macro_permutation_test
from mtassay.stats.proportions import exact_test

__all__ = [
    "AVERAGES",
    "MACRO",
    "MICRO",
    "Compare",
    "Ranking",
    "defined",
    "exact",
    "joined",
    "permutation",
    "rank",
    "ranked",
]

Floats = NDArray[np.float64]
Compare = Callable[[int, Sequence[int]], Floats]
"""p-values of one system (a column of the outcomes) against others, in their order."""
MICRO, MACRO = "micro", "macro"
"""The groups of the averages over all items, and over the categories."""
AVERAGES = {MICRO: "micro-average", MACRO: "macro-average"}


@dataclass(frozen=True, slots=True)
class Ranking:
    """Clusters of systems, the best first, and the p-value of the best system against each other one."""

    clusters: Sequence[Sequence[int]]
    others: Sequence[tuple[int, float]]

    @property
    def best(self) -> int:
        """The place of the best system."""
        return self.clusters[0][0]


def rank(values: Sequence[float], compare: Compare, *, alpha: float) -> Ranking:
    """The first cluster is the best system and all that do not differ from it; so on with the rest.

    `values` has one entry for each system; those with nan are in no cluster. Of equals the first is best.
    """
    # Means of the same numbers in another order can differ in the last digit, and are equals.
    numbers = np.round(np.asarray(values, dtype=np.float64), 9)
    left = [int(i) for i in np.argsort(-numbers, kind="stable") if not np.isnan(numbers[i])]
    clusters: list[list[int]] = []
    against_best: list[tuple[int, float]] = []
    while left:
        best, *others = left
        p = compare(best, others).tolist() if others else []
        if not clusters:
            against_best = list(zip(others, p, strict=True))
        left = [other for other, value in zip(others, p, strict=True) if value < alpha]
        clusters.append([best, *(other for other in others if other not in left)])
    return Ranking(clusters, against_best)


def exact(outcomes: NDArray[Any]) -> Compare:
    """Compares systems by the exact paired test; outcomes are those of one part."""
    right, wrong = (np.asarray(outcomes == value, dtype=np.float64) for value in (1, 0))
    return lambda a, others: exact_test(right[:, a] @ wrong[:, others], wrong[:, a] @ right[:, others])


def permutation(parts: Sequence[NDArray[Any]], *, samples: int, seed: int | None) -> Compare:
    """Compares systems by a paired permutation test; outcomes may also be shares, -1 for not settled."""
    outcomes = np.concatenate(parts)
    categories = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return lambda a, others: macro_permutation_test(
        outcomes[:, a], outcomes[:, others], categories, samples=samples, seed=seed
    )


def ranked(scores: Sequence[Score], compare: Compare, *, alpha: float) -> Result:
    """Comparisons and clusters from the scores of all systems in one group, without those that have no value.

    `compare` knows the systems by their places among the scores.
    """
    values = [math.nan if score.value is None else score.value for score in scores]
    ranking = rank(values, compare, alpha=alpha)
    comparisons = [
        Comparison(
            scores[i].name,
            scores[i].group,
            a=scores[ranking.best].system,
            b=scores[i].system,
            delta=values[ranking.best] - values[i],
            p=defined(p),
        )
        for i, p in ranking.others
    ]
    clusters: list[Cluster] = []
    above = 0
    for members in ranking.clusters:
        first = scores[members[0]]
        clusters.append(Cluster(first.name, first.group, 1 + above, tuple(scores[i].system for i in members)))
        above += len(members)
    return Result((), comparisons, clusters)


def joined(results: Sequence[Result]) -> Result:
    """All of them in one."""
    return Result(
        [score for result in results for score in result.scores],
        [comparison for result in results for comparison in result.comparisons],
        [cluster for result in results for cluster in result.clusters],
    )


def defined(value: float) -> float | None:
    """A number that JSON can hold."""
    return float(value) if math.isfinite(value) else None
