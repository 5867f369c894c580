"""From scores in one group to a result: the best system against each other one, and clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mtassay.core import Cluster, Comparison, Result, Score
from mtassay.methods.suite.significance import Compare, rank

__all__ = ["defined", "joined", "ranked"]


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
