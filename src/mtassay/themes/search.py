"""Finds what failures have in common, one cause after another.

The most telling feature comes first. It takes along what fires on the same failures; then all outputs that
have it are set aside, and what is left is tested again, until nothing stands out any more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay.core import Observation
from mtassay.stats import Deals, Incidence, deviances
from mtassay.themes.features import Feature, FeatureKind, FeatureTable

__all__ = ["ALPHA", "Cause", "enough", "find_causes"]

ALPHA = 0.02
"""The usual level: of fifty systems whose failures are random, one gets a theme."""
_FEWEST_FAMILIES = 3  # what only one or two sentences have is no theme
_ATTAINABLE = 3.1  # a feature that could not be this telling (one in a thousand) is not tested
_MOST = 8  # themes of one system
_TWIN, _NEAR = 0.7, 0.85  # features of one cause: the failures they share, how telling one is beside the best
_INSIDE = 0.6  # so much of a feature's failures within a theme make it a part
_AROUND = 0.8  # and so much of a theme's failures in a feature
_LARGE, _FEW_TRIALS = 400_000, 199
_RANKS = {kind: rank for rank, kind in enumerate(get_args(FeatureKind))}

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Cause(NamedTuple):
    """One cause: the feature that names it, those that fire on the same failures, and its corrected p.

    `units` are all outputs that have it, `fresh` those that no earlier cause has. `twins` say the same as the
    name in other words, most telling first; `parts` are within it, or all around it.
    """

    feature: Feature
    units: Ints
    fresh: Ints
    p: float
    twins: Sequence[Feature]
    parts: Sequence[Feature]


def enough(failed: Sequence[bool]) -> bool:
    """Whether there are enough failures and passes to say anything.

    >>> enough([True] * 5 + [False] * 5), enough([True] * 100)
    (True, False)
    """
    return min(sum(failed), len(failed) - sum(failed)) >= 5


def find_causes(
    observations: Sequence[Observation],
    table: FeatureTable,
    *,
    alpha: float = ALPHA,
    trials: int = 999,
    seed: int | None = 12345,
) -> list[Cause]:
    """The causes in the order of how telling they are; observations have passed or failed.

    Each is claimed at the level `alpha`, corrected for all features looked at. With very many of them there
    are fewer trials.
    """
    failed = np.array([o.verdict == "fail" for o in observations])
    if not enough(failed.tolist()):
        return []
    numbers: dict[str, int] = {}
    families = np.array([numbers.setdefault(o.family or o.source, len(numbers)) for o in observations])
    groups = _alike(table, families)
    alive = np.ones(len(failed), bool)
    causes: list[Cause] = []
    while len(causes) < _MOST and enough(failed[alive].tolist()):
        step = _Step.of(groups, alive, failed)
        found = step.best(Deals(failed[alive], families[alive], trials, seed), alpha)
        if found is None:
            break
        leader, p = found
        named, twins, parts = step.around(leader, table)
        units = step.all_units(named)
        same = [table.features[i] for i in twins]
        causes.append(Cause(same[0], units, units[alive[units]], p, same, parts))
        alive[units] = False
        alive[step.all_units(leader)] = False
    return causes


class _Group(NamedTuple):
    """Features that the same outputs have."""

    members: list[int]
    units: Ints


def _alike(table: FeatureTable, families: Ints) -> list[_Group]:
    """Features by the outputs that have them, those of enough families; most telling kinds first."""
    by_units: dict[bytes, _Group] = {}
    for number, units in enumerate(table.units):
        group = by_units.setdefault(units.tobytes(), _Group([], units))
        group.members.append(number)
    groups = list(by_units.values())
    everything = Incidence.of([group.units for group in groups])
    owners = np.repeat(np.arange(len(groups)), [len(group.units) for group in groups])
    pairs = np.unique(owners * (int(families.max()) + 1) + families[everything.units])
    counts = np.bincount(pairs // (int(families.max()) + 1), minlength=len(groups))
    for group in groups:
        group.members.sort(key=lambda n: _preference(table.features[n]))
    return [group for group, n in zip(groups, counts.tolist(), strict=True) if n >= _FEWEST_FAMILIES]


def _preference(feature: Feature) -> tuple[int, int]:
    """What names a cause best stands first: the kind, then the longer of words that always go together."""
    return _RANKS[feature.kind], -len(feature.name)


@dataclass(frozen=True, eq=False)
class _Step:
    """What is looked at while some outputs are set aside."""

    groups: Sequence[_Group]
    incidence: Incidence
    failed: Bools
    deviance: NDArray[np.float64]
    failing: Ints

    @classmethod
    def of(cls, groups: Sequence[_Group], alive: Bools, failed: Bools) -> _Step:
        """Those features that could be telling among the outputs that are left."""
        places = np.cumsum(alive) - 1
        left = [places[group.units[alive[group.units]]] for group in groups]
        now = failed[alive]
        n, failures = len(now), int(now.sum())
        having = np.array([len(units) for units in left], dtype=np.int64)
        could = deviances(np.minimum(having, failures), having, failures, n) >= _ATTAINABLE
        kept = np.flatnonzero(could & (having >= _FEWEST_FAMILIES) & (having < n))
        incidence = Incidence.of([left[i] for i in kept.tolist()])
        failing = incidence.counts(now)
        return cls(
            [groups[i] for i in kept.tolist()],
            incidence,
            now,
            deviances(failing, having[kept], failures, n),
            failing,
        )

    def best(self, deals: Deals, alpha: float) -> tuple[int, float] | None:
        """The most telling group and its corrected p; `None` where chance explains it."""
        if not len(self.incidence):
            return None
        if len(self.incidence.units) > _LARGE:
            deals = Deals(deals.failed, deals.families, min(deals.trials, _FEW_TRIALS), deals.seed)
        best = int(self.deviance.argmax())
        most = math.floor(alpha * (deals.trials + 1))  # more deals than these are chance
        reached = deals.reaching(self.incidence, float(self.deviance[best]) - 1e-9, most=most)
        p = (reached + 1) / (deals.trials + 1)
        return (best, p) if p <= alpha else None

    def around(self, leader: int, table: FeatureTable) -> tuple[int, list[int], list[Feature]]:
        """The group that names the cause, its features and those that say the same, and what is within it."""
        mine = np.zeros(len(self.failed), bool)
        mine[self.incidence.units_of(leader)] = True
        shared = self.incidence.counts(mine & self.failed)
        size = int(shared[leader])
        jaccard = shared / (size + self.failing - shared)
        same = np.flatnonzero((jaccard >= _TWIN) & (self.deviance >= _NEAR * self.deviance[leader]))
        order = sorted(same.tolist(), key=lambda g: (_RANKS[self._kind(g, table)], -self.deviance[g]))
        named = order[0]
        twins = [member for group in order for member in self.groups[group].members]
        belongs = (shared >= _INSIDE * self.failing) | (shared >= _AROUND * size)
        inside = np.flatnonzero(belongs & (self.deviance >= _ATTAINABLE))
        rest = sorted(set(inside.tolist()) - set(order), key=lambda g: -self.deviance[g])
        return named, twins, [table.features[self.groups[group].members[0]] for group in rest]

    def _kind(self, group: int, table: FeatureTable) -> FeatureKind:
        return table.features[self.groups[group].members[0]].kind

    def all_units(self, group: int) -> Ints:
        """The outputs that have it, those set aside too."""
        return self.groups[group].units
