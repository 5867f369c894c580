"""Ranks systems by human scores of their segments, with the rank-sum test and the clusters of WMT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.formats.score_files import ScoreColumn
from mtassay.data.nouns import Cluster, Comparison, Result, Score, Statistics
from mtassay.measures.metric import Metric
from mtassay.stats import comparisons, correlation, proportions
from mtassay.stats.correlation_rows import divided
from mtassay.stats.resampling import Aggregate


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
                p[i, j] = correlation.rank_sum(rated[a], rated[b])
    wins = comparisons.win_counts(p, alpha=alpha)
    grouped = comparisons.clusters(range(len(systems)), p, alpha=alpha)
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
    low, high = proportions.bootstrap_interval(lambda sample: float(sample.mean()), [scores], seed=seed)
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


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What can be drawn anew: statistics (units, systems, columns), whose sums `aggregate` turns into scores.

    `ids` are those of segments, or of documents where the metric counts per document.
    """

    kind: Literal["segments", "documents"]
    ids: Sequence[str]
    statistics: NDArray[Any]
    aggregate: Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class Rater:
    """Scores of one metric, or of people under one name, for systems in a fixed order.

    `points` (systems,) and `segments` (systems, segments) hold nan where nothing was rated. `segments` is
    `None` without scores per segment, and `units` without anything that adds up to the points; `why` then
    says so. `undefined` is a reason to give no agreement at all.
    """

    name: str
    label: str
    points: Floats
    segments: Floats | None = None
    units: Units | None = None
    why: str = ""
    higher_is_better: bool = True
    signature: str = ""
    undefined: str = ""

    @property
    def sign(self) -> int:
        """What to multiply scores with so that higher is better."""
        return 1 if self.higher_is_better else -1


@dataclass(frozen=True, slots=True)
class RatingFrame:
    """What all raters of one analysis are lined up with; `documents` holds the document of each segment."""

    systems: Sequence[str]
    ids: Sequence[str]
    documents: Mapping[str, str | None] = field(default_factory=dict)


def rater_from_column(column: ScoreColumn, frame: RatingFrame) -> Rater:
    """The scores that a file holds. Where it has none for systems, they are means over rated segments."""
    segments = _matrix(column, frame)
    if segments is None:
        points = np.array([_number(column.by_system.get(system)) for system in frame.systems])
        return Rater(column.name, column.name, points, why=f"no scores per segment: {column.name}")
    statistics = rated_statistics(segments)
    means = mean_of_rated(statistics.sum(axis=0))
    points = means
    why = ""
    if column.by_system:
        points = np.array([_number(column.by_system.get(system)) for system in frame.systems])
        if not _same(means, points):
            why = f"system scores are no means of segment scores: {column.name}"
    units = None if why else Units("segments", frame.ids, statistics, mean_of_rated)
    return Rater(column.name, column.name, points, segments, units, why=why)


def rater_from_statistics(
    name: str,
    metric: Metric,
    measured: Sequence[Statistics],
    frame: RatingFrame,
    *,
    with_segments: bool = True,
) -> Rater:
    """What a metric measured: one entry for each system of the frame, in its order.

    Scores per segment take time to compute, so they are left out without `with_segments`.
    """
    ids = measured[0].ids
    statistics = np.stack([entry.values for entry in measured], axis=1)
    points = np.asarray(metric.aggregate(statistics.sum(axis=0, dtype=np.float64)), dtype=np.float64)
    at = {segment_id: i for i, segment_id in enumerate(frame.ids)}
    segments = None
    kind: Literal["segments", "documents"] = "documents"
    # Documents may be called "1", "2"… like segments; a metric of documents has them all.
    if at.keys() >= set(ids) and not (len(ids) < len(at) and set(ids) == set(frame.documents.values())):
        kind = "segments"
    if kind == "segments" and with_segments:
        segments = np.full((len(frame.systems), len(frame.ids)), np.nan)
        segments[:, [at[unit] for unit in ids]] = [metric.unit_scores(entry.values) for entry in measured]
    return Rater(
        name,
        metric.label,
        points,
        segments,
        Units(kind, ids, statistics, metric.aggregate),
        higher_is_better=metric.higher_is_better,
        signature=measured[0].signature,
    )


def told_apart(raters: Sequence[Rater]) -> list[Rater]:
    """The raters with their names for labels where several have the same: `BLEU` of two settings."""
    shared = Counter(rater.label for rater in raters)
    return [replace(rater, label=rater.name) if shared[rater.label] > 1 else rater for rater in raters]


def mean_of_rated(sums: NDArray[Any]) -> Floats:
    """The `aggregate` of people: the last axis holds the sum of ratings and how many; nan for none.

    >>> mean_of_rated(np.array([[6.0, 4.0], [0.0, 0.0]])).tolist()
    [1.5, nan]
    """
    return divided(sums[..., 0], sums[..., 1])


def rated_statistics(segments: Floats) -> Floats:
    """What `mean_of_rated` takes: the statistics (segments, systems, 2) of scores (systems, segments)."""
    rated = ~np.isnan(segments)
    return np.stack((np.where(rated, segments, 0.0), rated), axis=2).transpose(1, 0, 2)


def _matrix(column: ScoreColumn, frame: RatingFrame) -> Floats | None:
    if not column.by_segment:
        return None
    empty: Mapping[str, float | None] = {}
    rows = [column.by_segment.get(system, empty) for system in frame.systems]
    values = np.array([[_number(row.get(segment_id)) for segment_id in frame.ids] for row in rows])
    return None if np.isnan(values).all() else values.reshape(len(rows), len(frame.ids))


def _number(score: float | None) -> float:
    return np.nan if score is None else score


def _same(means: Floats, points: Floats) -> bool:
    """Whether the means are the points but for rounding: off by at most a hundredth of their spread."""
    both = ~(np.isnan(means) | np.isnan(points))
    if not both.any():
        return False
    return bool((np.abs(means - points)[both] <= 0.01 * np.ptp(points[both]) + 1e-9).all())
