"""Parts of judging metrics on a challenge set: items, groups, and the best metric of a group."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from mtassay.core import Cluster, Comparison, Result, Score
from mtassay.formats.challenge import ChallengePair
from mtassay.methods.suite.significance import Compare, rank

__all__ = ["MACRO", "MICRO", "defined", "grouped", "item_codes", "joined", "ranked"]

MICRO, MACRO = "micro", "macro"


def item_codes(pairs: Sequence[ChallengePair]) -> tuple[NDArray[np.int64], list[ChallengePair]]:
    """A whole number from 0 up for the item of each pair, and the first pair of each item."""
    first: dict[str, ChallengePair] = {}
    for pair in pairs:
        first.setdefault(pair.item, pair)
    places = {item: place for place, item in enumerate(first)}
    return np.array([places[pair.item] for pair in pairs], dtype=np.int64), list(first.values())


def grouped(keys: Sequence[Hashable]) -> dict[str, list[list[int]]]:
    """The rows of each group in order of appearance, as one part; then all rows, and all groups as parts."""
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(str(key), []).append(row)
    return {
        **{key: [part] for key, part in rows.items()},
        MICRO: [list(range(len(keys)))],
        MACRO: [*rows.values()],
    }


def ranked(scores: Sequence[Score], compare: Compare, *, alpha: float) -> Result:
    """The best metric against each other one, and clusters, from the scores of all metrics in one group."""
    name, group = scores[0].name, scores[0].group
    values = [math.nan if score.value is None else score.value for score in scores]
    if len(scores) < 2 or all(map(math.isnan, values)):
        return Result()
    ranking = rank(values, compare, alpha=alpha)
    best = ranking.best
    comparisons = [
        Comparison(name, group, scores[best].system, scores[i].system, values[best] - values[i], defined(p))
        for i, p in ranking.others
    ]
    clusters: list[Cluster] = []
    for members in ranking.clusters:
        above = sum(len(cluster.systems) for cluster in clusters)
        clusters.append(Cluster(name, group, 1 + above, tuple(scores[i].system for i in members)))
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
