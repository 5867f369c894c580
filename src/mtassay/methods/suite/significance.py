"""Which systems are significantly worse than the best one, and the clusters that follow from it.

Outcomes (items, systems) are 1 for correct, 0 for incorrect and -1 for not settled. They come in parts: one,
for a share of correct items, or the categories, for the mean of their shares. All tests are one-tailed, the
better system against others. The z-test and the t-test are those of Macketanz et al. (2022), which take the
systems' items for different ones; the exact test and the bootstrap are paired by item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay import stats

Floats = NDArray[np.float64]
Test = Literal["exact", "z", "t", "bootstrap"]
Compare = Callable[[int, Sequence[int]], Floats]
"""p-values of one system (a column of the outcomes) against others, in their order."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Clusters of systems, the best first, and the p-value of the best system against each other one."""

    clusters: Sequence[Sequence[int]]
    others: Sequence[tuple[int, float]]

    @property
    def best(self) -> int:
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


def comparison(
    parts: Sequence[NDArray[Any]], test: Test, *, samples: int = 1000, seed: int | None = 12345
) -> Compare:
    """Compares systems by their share of correct items; of several parts, by the mean of the shares.

    Several parts have no exact test; a paired permutation test with `samples` draws takes its place. It and
    the exact test take the items that both systems have settled, the others each system's own.
    """
    if test == "bootstrap":
        return _bootstrap(parts, samples, seed)
    if test == "exact":
        return _exact(parts[0]) if len(parts) == 1 else permutation(parts, samples=samples, seed=seed)
    correct, n = counts(parts)
    if len(parts) == 1:
        function = {"z": stats.z_test, "t": stats.t_test}[test]
        correct, n = correct[:, 0], n[:, 0]
    else:
        function = {"z": stats.macro_z_test, "t": stats.macro_t_test}[test]
    return lambda a, others: function(correct[a], n[a], correct[others], n[others])


def counts(parts: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many items each system has correct, and settled, in each part: two tables (systems, parts)."""
    correct = np.stack([np.count_nonzero(part == 1, axis=0) for part in parts], axis=-1)
    settled = np.stack([np.count_nonzero(part >= 0, axis=0) for part in parts], axis=-1)
    return correct, settled


def _exact(outcomes: NDArray[Any]) -> Compare:
    right, wrong = (np.asarray(outcomes == value, dtype=np.float64) for value in (1, 0))
    return lambda a, others: stats.exact_test(right[:, a] @ wrong[:, others], wrong[:, a] @ right[:, others])


def permutation(parts: Sequence[NDArray[Any]], *, samples: int, seed: int | None) -> Compare:
    """Compares systems by a paired permutation test; outcomes may also be shares, -1 for not settled."""
    outcomes = np.concatenate(parts)
    categories = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return lambda a, others: stats.macro_permutation_test(
        outcomes[:, a], outcomes[:, others], categories, samples=samples, seed=seed
    )


def _bootstrap(parts: Sequence[NDArray[Any]], samples: int, seed: int | None) -> Compare:
    """Items are drawn anew within each part; the draws are made at the first comparison, and once."""

    @cache
    def resampled() -> Floats:
        sums = []
        for number, part in enumerate(parts):
            some = part[(part >= 0).any(axis=1)]
            # Seeds of their own: parts of the same size must not share their draws.
            own = None if seed is None else seed + number
            sums += stats.bootstrap_sums([np.stack([some == 1, some >= 0], -1)], samples=samples, seed=own)
        correct, settled = (np.stack([table[..., column] for table in sums], -1) for column in (0, 1))
        return stats.macro_average(correct, settled)

    values = stats.macro_average(*counts(parts))
    return lambda a, others: stats.bootstrap_test(
        values[a] - values[others], resampled()[:, [a]] - resampled()[:, others]
    )
