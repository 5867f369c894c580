"""The tests by which systems are compared on a suite; `mtassay.stats.ranking` ranks by them.

Outcomes (items, systems) are 1 for correct, 0 for incorrect and -1 for not settled. They come in parts: one,
for a share of correct items, or the categories, for the mean of their shares. All tests are one-tailed, the
better system against others. The z-test and the t-test are those of Macketanz et al. (2022), which take the
systems' items for different ones; the exact test and the bootstrap are paired by item.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.stats.ranking import Compare, exact, permutation

Floats = NDArray[np.float64]
Test = Literal["exact", "z", "t", "bootstrap"]


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
        return exact(parts[0]) if len(parts) == 1 else permutation(parts, samples=samples, seed=seed)
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
