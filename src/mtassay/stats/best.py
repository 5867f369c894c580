"""Which systems may be the best: multiple comparisons with the best (Hsu 1981), and the ranks of all.

Each system is compared with all others at once. It may be the best unless one of them is significantly
better.
Its differences are compared with the largest one of each trial (max-T), in all metrics of a table, so the
truly best system is called "may be the best" in at least `1 - alpha` of all tables. A system's rank is 1 plus
the number of systems that are significantly better: rank 1 and "may be the best" are the same claim.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.comparisons import Settled
from mtassay.stats.family import spreads

Losses = NDArray[np.bool_]
"""(systems, systems): whether the system of the row is significantly worse than that of the column."""
_SLACK = 1e-6  # how far rounding may move a difference that equals the observed one, relative to it


@dataclass(frozen=True, slots=True, eq=False)
class Contested:
    """All pairs of systems under one metric: first minus second, in the order of `combinations`.

    `trials` (trials, pairs) are the same differences where there is none, and `p` the p-values of the pairs.
    """

    differences: NDArray[Any]
    trials: NDArray[Any]
    p: NDArray[Any]
    higher_is_better: bool = True


def significant_losses(table: Sequence[Contested], systems: int, *, alpha: float = 0.05) -> list[Losses]:
    """Who is significantly worse than whom, for each metric of a table.

    A system loses against each one that beats it by more than chance makes of the largest of its own
    differences, in any metric of the table. A pair with p < alpha is a loss too, so that no text contradicts
    the p-values.

    >>> trials = np.array([[1.0, 1, 0], [-1, -1, 0], [1, -1, 2], [-1, 1, -2]] * 25)
    >>> pairs = Contested(np.array([1.0, 5.0, 4.0]), trials, np.array([1.0, 0.01, 0.2]))
    >>> significant_losses([pairs], 3)[0].tolist()
    [[False, False, False], [False, False, False], [True, True, False]]
    """
    first, second = np.triu_indices(systems, 1)
    sizes = [_sizes(metric) for metric in table]
    found = [losses_by_p(_signed(metric), metric.p, systems, alpha=alpha) for metric in table]
    for system in range(systems):
        own = np.flatnonzero((first == system) | (second == system))
        largest: NDArray[Any] = np.zeros(len(table[0].trials), dtype=np.float32)
        for _, trials in sizes:
            for pair in own:
                largest = np.fmax(largest, trials[:, pair])
        critical = _critical(largest, alpha)
        for (observed, _), metric, lost in zip(sizes, table, found, strict=True):
            better = _signed(metric)
            for pair in own:
                other = second[pair] if first[pair] == system else first[pair]
                is_behind = better[pair] < 0 if first[pair] == system else better[pair] > 0
                lost[system, other] |= is_behind and observed[pair] > critical
    return found


def losses_by_p(differences: NDArray[Any], p: NDArray[Any], systems: int, *, alpha: float = 0.05) -> Losses:
    """The same from the p-values of all pairs; differences are positive where the first is better."""
    lost = np.zeros((systems, systems), dtype=bool)
    for a, b, difference, value in zip(*np.triu_indices(systems, 1), differences, p, strict=True):
        if value < alpha and difference != 0:  # nan is no loss
            lost[(b, a) if difference > 0 else (a, b)] = True
    return lost


def ranks(values: Sequence[float], lost: Losses) -> list[tuple[int, list[int]]]:
    """(rank, systems), best first: 1 plus how many are significantly better. Undefined (nan) ones have none.

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


def _signed(metric: Contested) -> NDArray[Any]:
    """The differences, positive where the first system is better."""
    return metric.differences if metric.higher_is_better else -metric.differences


def _sizes(metric: Contested) -> tuple[NDArray[Any], NDArray[Any]]:
    """How large differences are, in units of their spread: those observed and those of the trials."""
    spread = spreads(metric.trials)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.where(spread > 0, np.abs(metric.differences) / spread, 0.0)
        trials = np.where(spread > 0, np.abs(metric.trials) / spread, 0.0)
    return np.nan_to_num(observed), trials.astype(np.float32)


def _critical(largest: NDArray[Any], alpha: float) -> float:
    """What a difference must exceed, so that at most `alpha` of the trials reach it."""
    allowed = math.ceil(alpha * (len(largest) + 1)) - 2  # trials that may reach it, besides the observed one
    if allowed < 0:
        return math.inf
    return float(np.sort(largest)[::-1][allowed]) * (1 + _SLACK)
