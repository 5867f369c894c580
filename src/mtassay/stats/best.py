"""Systems that may be the best: multiple comparisons with the best (Hsu 1981), and the rank of each system.

A system may be the best unless another one is significantly better, by the p-values that tables show. These
are corrected for all pairs and metrics of a table, so the truly best system is called "may be the best" in
at least `1 - alpha` of all tables. A system's rank is 1 plus the number of systems that are significantly
better: rank 1 and "may be the best" are the same claim.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.comparisons import Settled

Losses = NDArray[np.bool_]
"""(systems, systems): whether the row's system is significantly worse than the column's."""


def losses_by_p(differences: NDArray[Any], p: NDArray[Any], systems: int, *, alpha: float = 0.05) -> Losses:
    """Find the significantly worse systems; differences are positive where the first of a pair is better.

    >>> losses_by_p(np.array([1.0, 5.0, 4.0]), np.array([1.0, 0.01, 0.2]), 3).tolist()
    [[False, False, False], [False, False, False], [True, False, False]]
    """
    lost = np.zeros((systems, systems), dtype=bool)
    for a, b, difference, value in zip(*np.triu_indices(systems, 1), differences, p, strict=True):
        if value < alpha and difference != 0:  # nan is no loss
            lost[(b, a) if difference > 0 else (a, b)] = True
    return lost


def ranks(values: Sequence[float], lost: Losses) -> list[tuple[int, list[int]]]:
    """(rank, systems), best first: 1 plus the number of significantly better systems; nan has no rank.

    >>> lost = np.zeros((3, 3), dtype=bool); lost[2, 0] = True
    >>> ranks([3.0, 2.5, 2.0], lost)
    [(1, [0, 1]), (2, [2])]
    """
    order = sorted((i for i, value in enumerate(values) if not math.isnan(value)), key=lambda i: -values[i])
    grouped: dict[int, list[int]] = {}
    for system in order:
        grouped.setdefault(1 + int(lost[system, order].sum()), []).append(system)
    return sorted(grouped.items())


def rank_shares(
    passed: Settled, differences: NDArray[Any], p: NDArray[Any], *, alpha: float = 0.05
) -> list[tuple[int, list[int]]]:
    """(rank, systems) by shares of passed items; systems without a settled item have no rank.

    `differences` and `p` are those of all pairs, on the items settled for both.
    """
    counts = (~np.isnan(passed)).sum(axis=1)
    shares = [float(np.nansum(row) / n) if n else math.nan for row, n in zip(passed, counts, strict=True)]
    return ranks(shares, losses_by_p(differences, p, len(passed), alpha=alpha))


def least_p(units: int) -> float:
    """The smallest two-sided p-value that swapping so many units can give.

    >>> least_p(3), least_p(6)
    (0.25, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - units))
