"""Shares of passed items of several systems on the same items: each one, all pairs, and clusters."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.comparison import clusters
from mtassay.stats.shares import exact_test

__all__ = ["PairedShares", "Settled", "compare_shares", "rank_shares"]

Settled = NDArray[np.float64]
"""(systems, items): 1 for passed, 0 for failed, nan for what is not settled."""


class PairedShares(NamedTuple):
    """Systems number `a` and `b` on the `n` items settled for both; the two-sided exact paired test.

    `delta` is a's share minus b's, between -1 and 1; with no item it and `p` are nan.
    """

    a: int
    b: int
    delta: float
    p: float
    n: int


def compare_shares(passed: NDArray[Any]) -> list[PairedShares]:
    """All pairs of systems, in order.

    >>> [pair] = compare_shares(np.array([[1, 1, 1, 0.0], [0, 0, 1, np.nan]]))
    >>> pair.n, round(pair.delta, 3), round(pair.p, 3)
    (3, 0.667, 0.5)
    """
    found = []
    for a, b in combinations(range(len(passed)), 2):
        both = ~np.isnan(passed[a]) & ~np.isnan(passed[b])
        n = int(both.sum())
        if not n:
            found.append(PairedShares(a, b, np.nan, np.nan, 0))
            continue
        only_a = int((both & (passed[a] > passed[b])).sum())
        only_b = int((both & (passed[a] < passed[b])).sum())
        one_sided = float(exact_test(max(only_a, only_b), min(only_a, only_b)))
        found.append(PairedShares(a, b, (only_a - only_b) / n, min(1.0, 2 * one_sided), n))
    return found


def rank_shares(
    passed: NDArray[Any], compared: list[PairedShares], *, alpha: float = 0.05
) -> list[tuple[int, list[int]]]:
    """Clusters as (rank, numbers of the systems), best first; systems without a settled item are in none."""
    counts = (~np.isnan(passed)).sum(axis=1)
    p = np.full((len(passed), len(passed)), np.nan)
    for pair in compared:
        p[pair.a, pair.b] = p[pair.b, pair.a] = pair.p
    shares = [np.nansum(row) / n if n else np.nan for row, n in zip(passed, counts, strict=True)]
    order = sorted((i for i in range(len(passed)) if counts[i]), key=lambda i: -shares[i])
    grouped = clusters(order, p, alpha=alpha)
    return [(1 + sum(map(len, grouped[:i])), members) for i, members in enumerate(grouped)]
