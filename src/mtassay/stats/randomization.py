"""Approximate randomization (Riezler & Maxwell 2005): paired permutation tests on summed statistics.

Each trial swaps the outputs of two systems on a random half of the units; the random numbers are those of
sacreBLEU, shared by all pairs of systems. Statistics have the shape (units, systems, columns) and must be
finite; `aggregate` turns sums (…, columns) into scores (…).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.resampling import Aggregate, block_rows, weighted_sums

__all__ = ["one_sided_permutation", "paired_randomization"]

Floats = NDArray[np.float64]


def paired_randomization(
    statistics: NDArray[Any],
    aggregate: Aggregate,
    *,
    trials: int = 10000,
    seed: int | None,
    count_ties: bool = False,
) -> Floats:
    """Two-sided p-values (systems, systems) of approximate randomization, as sacreBLEU defines it.

    p is (c + 1) / (trials + 1), where c counts trials with a difference beyond the observed one. With
    `count_ties` trials that equal it count too, as the theory of permutation tests asks: leaving them out,
    as sacreBLEU does, finds two systems that differ on a single unit significantly different.

    Trials without a defined score (nan) are left out of their pairs; a pair without any, or without a
    defined score on the whole set, has p = nan. The diagonal is 1, and so are two systems that never differ.
    """
    systems = statistics.shape[1]
    scores = np.asarray(aggregate(statistics.sum(axis=0, dtype=np.float64)), dtype=np.float64)
    beyond = np.zeros((systems, systems))
    defined = np.zeros((systems, systems))
    moved = np.zeros((systems, systems), dtype=bool)
    for a, differences in _swapped_differences(statistics, aggregate, trials, seed):
        size = np.abs(differences)
        observed = np.abs(scores[a] - scores[a + 1 :])
        hits = size >= observed - _slack(observed) if count_ties else size > observed
        beyond[a, a + 1 :] += hits.sum(axis=0)
        defined[a, a + 1 :] += (~np.isnan(size)).sum(axis=0)
        moved[a, a + 1 :] |= (size != 0).any(axis=0)
    p = _share(beyond, defined)
    p[~moved & (scores[:, None] == scores) & (defined > 0)] = 1.0
    p[np.isnan(scores[:, None] - scores)] = np.nan
    upper = np.triu(p, 1)
    return upper + upper.T + np.eye(systems)


def one_sided_permutation(
    statistics: NDArray[Any], aggregate: Aggregate, *, trials: int = 1000, seed: int | None
) -> Floats:
    """One-sided p-values (systems, systems): small where the row's score is greater than the column's.

    The paired permutation test of `paired_randomization` with its draws, counting trials whose difference
    is at least the observed one: (c + 1) / (trials + 1). The diagonal is 1; nan as in `paired_randomization`.
    A unit that nobody rated can be a row of zeros if one column counts the rated units.
    """
    systems = statistics.shape[1]
    scores = np.asarray(aggregate(statistics.sum(axis=0, dtype=np.float64)), dtype=np.float64)
    beyond = np.zeros((systems, systems))
    defined = np.zeros((systems, systems))
    for a, differences in _swapped_differences(statistics, aggregate, trials, seed):
        observed = scores[a] - scores[a + 1 :]
        slack = _slack(observed)
        beyond[a, a + 1 :] += (differences >= observed - slack).sum(axis=0)
        beyond[a + 1 :, a] += (differences <= observed + slack).sum(axis=0)
        valid = (~np.isnan(differences)).sum(axis=0)
        defined[a, a + 1 :] += valid
        defined[a + 1 :, a] += valid
    p = _share(beyond, defined)
    p[np.isnan(scores[:, None] - scores)] = np.nan
    np.fill_diagonal(p, 1.0)
    return p


def _swapped_differences(
    statistics: NDArray[Any], aggregate: Aggregate, trials: int, seed: int | None
) -> Iterator[tuple[int, Floats]]:
    """For each block of trials and system a, scores of a minus those of each later system (trials, later)."""
    n, systems, width = statistics.shape
    columns = statistics.reshape(n, systems * width)
    total = statistics.sum(axis=0, dtype=np.float64)
    for masks in _mask_blocks(n, trials, seed, row_bytes=systems * width * 8):
        (product,) = weighted_sums(masks, [columns])
        kept = product.reshape(len(masks), systems, width)
        given = total - kept
        for a in range(systems - 1):
            first = np.asarray(aggregate(kept[:, a, None] + given[:, a + 1 :]), dtype=np.float64)
            second = np.asarray(aggregate(given[:, a, None] + kept[:, a + 1 :]), dtype=np.float64)
            yield a, first - second


def _mask_blocks(n: int, trials: int, seed: int | None, *, row_bytes: int) -> Iterator[NDArray[np.bool_]]:
    """Which units keep their system: blocks (some trials, n) that together hold all trials."""
    rng = np.random.default_rng(seed)
    # The generator makes 32 bits at a time, so blocks of 32 rows continue the stream of one large draw.
    rows = 32 * max(1, block_rows(n, row_bytes=row_bytes) // 32)
    for start in range(0, trials, rows):
        yield rng.integers(2, size=(min(rows, trials - start), n), dtype=bool)


def _share(beyond: Floats, defined: Floats) -> Floats:
    return np.where(defined > 0, (beyond + 1) / (defined + 1), np.nan)


def _slack(observed: Floats) -> Floats:
    """How far rounding may move a difference that equals the observed one."""
    return 1e-9 * np.maximum(1.0, np.abs(observed))
