"""Comparisons of all pairs of systems: corrections, clusters, ranks, detectable differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Cluster, Comparison, Result, Score

Floats = NDArray[np.float64]
Z95 = NormalDist().inv_cdf(0.975)


def adjust(p: NDArray[Any], *, method: str) -> Floats:
    """Correct p-values (systems, systems) for the number of compared pairs.

    Methods: "none"; "bonferroni" and "holm" (1979), which limit the probability of any false difference; "bh"
    (Benjamini & Hochberg 1995), which limits the share of false differences. The matrix must be symmetric.
    nan stays nan and does not count as a comparison; the diagonal is unchanged.

    >>> p = np.array([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    >>> adjust(p, method="holm")[np.triu_indices(3, 1)].tolist()
    [0.03, 0.06, 0.06]
    """
    corrections: Mapping[str, Callable[[Floats], Floats]] = {
        "none": lambda ascending: ascending,
        "bonferroni": lambda ascending: ascending * len(ascending),
        "holm": _holm,
        "bh": _benjamini_hochberg,
    }
    if method not in corrections:
        raise UsageError(f"No correction {method!r}. Available: {', '.join(sorted(corrections))}.")
    adjusted = np.array(p, dtype=np.float64)
    rows, columns = np.triu_indices(len(adjusted), 1)
    tested = ~np.isnan(adjusted[rows, columns])
    rows, columns = rows[tested], columns[tested]
    values = adjusted[rows, columns]
    order = np.argsort(values, kind="stable")
    values[order] = np.minimum(corrections[method](values[order]), 1.0)
    adjusted[rows, columns] = adjusted[columns, rows] = values
    return adjusted


def clusters(order: Sequence[int], p: NDArray[Any], *, alpha: float = 0.05) -> list[list[int]]:
    """Split systems in `order` (best first) where all above differ from all below, as at WMT.

    `p[a, b]` is the p-value of a against b, two-sided or one-sided with the better system in the row; nan is
    not significant. The result has the numbers of `order`.

    >>> p = np.ones((3, 3)); p[0, 1:] = 0.01
    >>> clusters([0, 1, 2], p)
    [[0], [1, 2]]
    """
    ranked = list(order)
    if not ranked:
        return []
    significant = np.asarray(p)[np.ix_(ranked, ranked)] < alpha
    cuts = [cut for cut in range(1, len(ranked)) if significant[:cut, cut:].all()]
    return [ranked[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(ranked)], strict=True)]


def win_counts(p: NDArray[Any], *, alpha: float = 0.05) -> NDArray[np.int64]:
    """Count how many systems each system beats, from one-sided p-values (row better than column)."""
    wins = np.asarray(p) < alpha
    np.fill_diagonal(wins, False)
    return np.asarray(wins.sum(axis=1), dtype=np.int64)


def critical_value(alpha: float, *, method: str = "none", tests: int = 1, found: int = 0) -> float:
    """Standard errors that the next difference needs after `tests` tests with `found` significant ones.

    >>> round(critical_value(0.05), 2), round(critical_value(0.05, method="holm", tests=36), 2)
    (1.96, 3.2)
    """
    left = max(1, tests - found)
    level = {
        "none": alpha,
        "bonferroni": alpha / max(1, tests),
        "holm": alpha / left,
        "bh": alpha * min(tests, found + 1) / max(1, tests),
    }[method]
    return NormalDist().inv_cdf(1 - level / 2)


def detectable_difference(standard_error: float, *, critical: float = Z95, power: float = 0.8) -> float:
    """The smallest true difference that a test finds with this power.

    It is (critical + z(power)) times the standard error of the difference: 2.80 standard errors by default.
    `critical` (in standard errors) comes from `critical_value` or the family of the comparisons.

    >>> round(detectable_difference(0.5), 3)
    1.401
    """
    return (critical + NormalDist().inv_cdf(power)) * standard_error


def units_to_settle(
    delta: float, standard_error: float, n: int, *, critical: float = Z95, power: float = 0.8
) -> int | None:
    """How many more units are needed to show a difference `delta` that was measured on `n` units.

    0 if the difference already is significant, |delta| >= critical · standard error. Otherwise, assume that
    `delta` is the true difference and that the standard error shrinks with the square root of the number of
    units. Then a total of n · ((critical + z(power)) · standard error / delta)² units gives a significant
    result with this power. Return the missing ones, rounded up; `None` if delta is 0 or undefined.

    >>> units_to_settle(1.0, 1.0, 1000)
    6849
    """
    if not (math.isfinite(delta) and math.isfinite(standard_error)) or delta == 0:
        return None
    if abs(delta) >= critical * standard_error:
        return 0
    needed = n * (detectable_difference(standard_error, critical=critical, power=power) / delta) ** 2
    return max(0, math.ceil(needed) - n) if math.isfinite(needed) else None


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Correct p-values for their number (Holm 1979), in order; `None` means not tested.

    >>> holm([0.04, None, 0.01, 0.03])
    [0.06, None, 0.03, 0.06]
    """
    ranked = sorted((value, place) for place, value in enumerate(p) if value is not None)
    corrected: list[float | None] = [None] * len(p)
    values = np.minimum(_holm(np.array([value for value, _ in ranked])), 1.0)
    for (_, place), value in zip(ranked, values.tolist(), strict=True):
        corrected[place] = value
    return corrected


def _holm(ascending: Floats) -> Floats:
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


def _benjamini_hochberg(ascending: Floats) -> Floats:
    scaled = ascending * len(ascending) / np.arange(1, len(ascending) + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]


Settled = NDArray[np.float64]
"""(systems, items): 1 for passed, 0 for failed, nan for unsettled."""


Compare = Callable[[int, Sequence[int]], Floats]
"""p-values of one system (a column of the outcomes) against other systems, in order."""
MICRO, MACRO = "micro", "macro"
"""Groups of the averages over all items and over the categories."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Clusters of systems, best first, and the p-values of the best system against each other system."""

    clusters: Sequence[Sequence[int]]
    others: Sequence[tuple[int, float]]

    @property
    def best(self) -> int:
        """The index of the best system."""
        return self.clusters[0][0]


def rank(values: Sequence[float], compare: Compare, *, alpha: float) -> Ranking:
    """Put the best system and all that do not differ from it into a cluster; repeat with the rest.

    `values` has an entry for each system; systems with nan are in no cluster. The first of equals is best.
    """
    # Means of the same numbers in another order can differ in the last digit, so treat them as equal.
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


def ranked(scores: Sequence[Score], compare: Compare, *, alpha: float) -> Result:
    """Comparisons and clusters of the systems of one group that have a score.

    `compare` gets the indices of systems in the scores.
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
    """Return all systems in one cluster."""
    return Result(
        [score for result in results for score in result.scores],
        [comparison for result in results for comparison in result.comparisons],
        [cluster for result in results for cluster in result.clusters],
    )


def defined(value: float) -> float | None:
    """Return a number that JSON can hold."""
    return float(value) if math.isfinite(value) else None


# Systems that may be the best -------------------------------------------------------------------------------

# Multiple comparisons with the best (Hsu 1981), and the rank of each system. A system may be the best unless
# another one is significantly better, by the p-values in the tables. The p-values are corrected for all pairs
# and metrics of a table, so the truly best system is called "may be the best" in at least `1 - alpha` of all
# tables. A rank is 1 plus the number of significantly better systems, so rank 1 means "may be the best".

Losses = NDArray[np.bool_]
"""(systems, systems): whether the row's system is significantly worse than the column's."""


def losses_by_p(differences: NDArray[Any], p: NDArray[Any], systems: int, *, alpha: float = 0.05) -> Losses:
    """Find the significantly worse systems; a difference is positive if the first of a pair is better.

    >>> losses_by_p(np.array([1.0, 5.0, 4.0]), np.array([1.0, 0.01, 0.2]), 3).tolist()
    [[False, False, False], [False, False, False], [True, False, False]]
    """
    lost = np.zeros((systems, systems), dtype=bool)
    for a, b, difference, value in zip(*np.triu_indices(systems, 1), differences, p, strict=True):
        if value < alpha and difference != 0:  # nan is not a loss
            lost[(b, a) if difference > 0 else (a, b)] = True
    return lost


def ranks(values: Sequence[float], lost: Losses) -> list[tuple[int, list[int]]]:
    """(rank, systems), best first; a rank is 1 plus the number of significantly better systems, nan has none.

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
    """Return (rank, systems) by shares of passed items; systems without settled items have no rank.

    `differences` and `p` are for all pairs, on the items settled for both.
    """
    counts = (~np.isnan(passed)).sum(axis=1)
    shares = [float(np.nansum(row) / n) if n else math.nan for row, n in zip(passed, counts, strict=True)]
    return ranks(shares, losses_by_p(differences, p, len(passed), alpha=alpha))


def least_p(units: int) -> float:
    """The smallest two-sided p-value that swapping `n` units can give.

    >>> least_p(3), least_p(6)
    (0.25, 0.03125)
    """
    return min(1.0, 2.0 ** (1 - units))
