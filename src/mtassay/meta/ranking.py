"""Ranks systems by human scores of their segments, with the rank-sum test and the clusters of WMT."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Cluster, Comparison, Result, Score
from mtassay.errors import UsageError
from mtassay.formats.scores import ScoreColumn


def rank_systems(column: ScoreColumn, *, alpha: float = 0.05, seed: int | None) -> Result:
    """Mean scores, best first, with one-sided Wilcoxon rank-sum p-values for every pair (a better than b).

    A segment without a score counts for nothing. `counts[system]["wins"]` is how many systems it beats.
    """
    rated = {
        system: np.array([score for score in scores.values() if score is not None], np.float64)
        for system, scores in column.by_segment.items()
    }
    rated = {system: scores for system, scores in rated.items() if len(scores)}
    if len(rated) < 2:
        raise UsageError(
            f"{column.name} rates the segments of {len(rated)} systems; ranking needs two or more."
        )
    systems = sorted(rated, key=lambda system: -float(rated[system].mean()))
    p = np.ones((len(systems), len(systems)))
    for i, a in enumerate(systems):
        for j, b in enumerate(systems):
            if i != j:
                p[i, j] = stats.rank_sum(rated[a], rated[b])
    wins = stats.win_counts(p, alpha=alpha)
    grouped = stats.clusters(range(len(systems)), p, alpha=alpha)
    return Result(
        scores=[_score(column.name, system, rated[system], seed) for system in systems],
        comparisons=[
            Comparison(
                name=column.name,
                group="all",
                a=a,
                b=b,
                delta=float(rated[a].mean() - rated[b].mean()),
                p=float(p[i, j]),
            )
            for i, a in enumerate(systems)
            for j, b in enumerate(systems)
            if i < j
        ],
        clusters=[
            Cluster(column.name, "all", 1 + sum(map(len, grouped[:k])), tuple(systems[i] for i in members))
            for k, members in enumerate(grouped)
        ],
        counts={
            system: {"rated": len(rated[system]), "wins": int(wins[i])} for i, system in enumerate(systems)
        },
    )


def _score(name: str, system: str, scores: NDArray[np.float64], seed: int | None) -> Score:
    low, high = stats.bootstrap_interval(lambda sample: float(sample.mean()), [scores], seed=seed)
    return Score(
        name=name,
        system=system,
        group="all",
        value=float(scores.mean()),
        n=len(scores),
        low=low,
        high=high,
        signature=f"test:rank-sum|bs:1000|seed:{str(seed).lower()}",
    )
