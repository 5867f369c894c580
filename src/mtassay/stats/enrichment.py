"""Tests which features failures have more often than passes: max-T over permuted failures.

Among thousands of words, some are always frequent in failures by chance. So the failures are permuted many
times, and every feature is compared with the largest deviance of any feature in each permutation (Westfall &
Young 1993). If failures are random, at most a share `alpha` of such tests reports anything. Related units,
such as variants of one sentence, are permuted together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.proportions import Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_BITS = 62
_PRIOR, _LEAST = 10.0, 0.5


@dataclass(frozen=True, eq=False)
class Incidence:
    """The units that have each feature: `units` are those of feature 0, then of feature 1, and so on.

    The units of feature *i* begin at `starts[i]`; every feature has at least one unit.
    """

    units: Ints
    starts: Ints

    @classmethod
    def of(cls, units_by_feature: Sequence[Ints]) -> Incidence:
        """Build the incidence from the units of each feature.

        >>> Incidence.of([np.array([0, 2]), np.array([1])]).counts(np.array([True, True, False])).tolist()
        [1, 1]
        """
        sizes = np.array([len(units) for units in units_by_feature], dtype=np.int64)
        units = np.concatenate([np.empty(0, np.int64), *units_by_feature])
        return cls(units.astype(np.int64), np.cumsum(sizes) - sizes)

    def __len__(self) -> int:
        return len(self.starts)

    def counts(self, among: NDArray[np.bool_] | Ints) -> Ints:
        """Count the chosen units that have each feature."""
        if not len(self):
            return np.empty(0, np.int64)
        return np.asarray(np.add.reduceat(among.astype(np.int64)[self.units], self.starts))

    def sizes(self) -> Ints:
        """Count the units that have each feature."""
        return np.diff(self.starts, append=len(self.units))

    def units_of(self, feature: int) -> Ints:
        """The units that have a feature."""
        return self.units[self.starts[feature] : self.starts[feature] + self.sizes()[feature]]

    def chosen(self, features: Ints) -> Incidence:
        """Keep only these features, in order."""
        sizes = self.sizes()
        is_chosen = np.zeros(len(self), bool)
        is_chosen[features] = True
        kept = sizes[is_chosen]
        return Incidence(self.units[np.repeat(is_chosen, sizes)], np.cumsum(kept) - kept)


def deviances(failing: Ints, having: Ints, failures: int, units: int) -> Floats:
    """How much more often failures have each feature than by chance: the signed root of the deviance.

    Of the `having` units with a feature, `failing` are among the `failures` of all `units`. A continuity
    correction of half a unit keeps small numbers close to a normal quantile. The result is 0 if failures do
    not have the feature more often than other units.

    >>> deviances(np.array([8, 3]), np.array([8, 10]), 30, 100).round(2).tolist()
    [4.01, 0.0]
    """
    k = failing - 0.5
    c = having.astype(np.float64)
    expected = c * failures / units
    total = np.zeros(len(c))
    passes = units - failures - c
    cells = [(k, expected), (c - k, c - expected), (failures - k, failures - expected)]
    cells.append((passes + k, passes + expected))
    with np.errstate(divide="ignore", invalid="ignore"):
        for observed, mean in cells:
            seen = np.maximum(observed, 0.0)
            total += np.where(seen > 0, seen * np.log(seen / mean), 0.0)
    return np.where(k > expected, np.sqrt(np.maximum(2 * total, 0.0)), 0.0)


def least_failing(having: Ints, failures: int, units: int, deviance: float) -> Ints:
    """How many units with each feature must fail to reach this deviance.

    If no number is enough, the result is one more than can fail. The deviance grows with the failures, so a
    binary search finds the number, once for each number of units.

    >>> least_failing(np.array([8, 10, 2]), 30, 100, 3.0).tolist()
    [7, 8, 3]
    """
    sizes, places = np.unique(having, return_inverse=True)
    low, high = np.zeros(len(sizes), np.int64), np.minimum(sizes, failures) + 1
    while (low < high).any():
        middle = np.minimum((low + high) // 2, np.minimum(sizes, failures))
        enough = deviances(middle, sizes, failures, units) >= deviance
        is_open = low < high
        high = np.where(is_open & enough, middle, high)
        low = np.where(is_open & ~enough, middle + 1, low)
    return np.asarray(high[places])


@dataclass(frozen=True, eq=False)
class Deals:
    """Permutes failures at random by family: families of equal size swap places.

    `families` has a number for each unit; units with the same number stay together.
    """

    failed: Bools
    families: Ints
    trials: int
    seed: int | None

    def reaching(self, incidence: Incidence, deviance: float, *, most: int | None = None) -> int:
        """Count the permutations in which any feature reaches this deviance; stop beyond `most`.

        Features that can never reach it are left out. For the others, the needed number of failures is
        computed first, so that a permutation only needs to count failures.
        """
        n, failures = len(self.failed), int(self.failed.sum())
        having = incidence.sizes()
        least = least_failing(having, failures, n, deviance)
        could = np.flatnonzero(least <= np.minimum(having, failures))
        if not len(could):
            return 0
        incidence, least = incidence.chosen(could), least[could]
        bits = int(having[could].max()).bit_length()
        fields = max(_BITS // bits, 1)  # permutations counted in one integer
        rng = np.random.default_rng(self.seed)
        groups = self._groups()
        failed = self.failed.astype(np.int64)
        reached = 0
        for start in range(0, self.trials, fields):
            here = min(fields, self.trials - start)
            packed = np.zeros(n, np.int64)
            for field in range(here):
                for group in groups:
                    packed[group] += failed[group[rng.permutation(len(group))]] << (bits * field)
            sums = incidence.counts(packed)
            for field in range(here):
                reached += bool((((sums >> (bits * field)) & ((1 << bits) - 1)) >= least).any())
            if most is not None and reached > most:
                break
        return reached

    def _groups(self) -> list[Ints]:
        """The units of all families of one size, one row per family."""
        order = np.argsort(self.families, kind="stable")
        _, starts, sizes = np.unique(self.families[order], return_index=True, return_counts=True)
        return [order[starts[sizes == size][:, None] + np.arange(size)[None, :]] for size in np.unique(sizes)]


def odds_ratio(
    failing: int, failures: int, passing: int, passes: int, *, level: float = 0.95
) -> tuple[float, Interval]:
    """The odds ratio of a feature among failures, with its interval.

    It uses log-odds with an informative Dirichlet prior (Monroe, Colaresi & Quinn 2008): failures and passes
    get ten more units that have the feature as often as all units do (at least half a unit). So the ratio is
    finite for a feature that no pass has.

    >>> ratio, (low, high) = odds_ratio(33, 121, 0, 189)
    >>> round(ratio, 1), round(low, 1), round(high, 1)
    (65.3, 9.3, 456.7)
    """
    share = (failing + passing) / (failures + passes)
    more, rest = max(_PRIOR * share, _LEAST), max(_PRIOR * (1 - share), _LEAST)
    yes, no = failing + more, failures - failing + rest
    other_yes, other_no = passing + more, passes - passing + rest
    log_ratio = math.log(yes / no) - math.log(other_yes / other_no)
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(1 / yes + 1 / no + 1 / other_yes + 1 / other_no)
    return math.exp(log_ratio), Interval(math.exp(log_ratio - reach), math.exp(log_ratio + reach))
