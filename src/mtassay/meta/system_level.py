"""How well two raters agree on whole systems, with intervals.

Where both have statistics per segment, segments are drawn anew, the same ones for both: the interval says
how far the agreement on these systems hangs on the choice of segments. Elsewhere systems are drawn anew
(for Pearson: Fisher's z): the interval says how far it hangs on the choice of systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay import stats
from mtassay.meta import rowwise
from mtassay.meta.estimation import Drawn, Estimate
from mtassay.meta.rater import Rater, RatingFrame, Units, mean_of_rated

Floats = NDArray[np.float64]

CORRELATIONS = ("pearson", "spearman", "kendall", "pairwise_accuracy", "prediction_error")


def _prediction_error(x: ArrayLike, y: ArrayLike) -> float:
    return 100 * stats.prediction_error(stats.pearson(x, y))


_VALUES: dict[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "pearson": stats.pearson,
    "spearman": stats.spearman,
    "kendall": stats.kendall,
    "pairwise_accuracy": stats.pairwise_accuracy,
    "prediction_error": _prediction_error,
}
_ROWS: dict[str, rowwise.Rowwise] = {
    "pearson": rowwise.pearson_rows,
    "spearman": rowwise.spearman_rows,
    "kendall": rowwise.kendall_rows,
    "pairwise_accuracy": rowwise.pairwise_accuracy_rows,
    "prediction_error": rowwise.prediction_error_rows,
}


@dataclass(frozen=True)
class SystemLevel:
    """Agreement on the systems of a frame; remembers resampled scores, which serve several pairs."""

    frame: RatingFrame
    samples: int = 1000
    trials: int = 1000
    seed: int = 12345
    _resampled: dict[int, tuple[NDArray[Any], Floats]] = field(default_factory=dict, repr=False)

    def agreement(self, metric: Rater, human: Rater, *, soft: bool = True) -> list[Estimate]:
        """All of `CORRELATIONS`, in order; `soft` adds soft pairwise accuracy before the last."""
        rated = np.flatnonzero(~(np.isnan(metric.points) | np.isnan(human.points)))
        reason = metric.undefined or human.undefined or _why_undefined(metric, human, rated)
        names = [*CORRELATIONS[:-1], *(["soft_pairwise_accuracy"] if soft else []), CORRELATIONS[-1]]
        if reason:
            return [Estimate(name, math.nan, len(rated), reason=reason) for name in names]
        units = self._common_units(metric, human)
        estimates = {
            estimate.statistic: estimate for estimate in self._correlations(metric, human, rated, units)
        }
        if soft:
            estimates["soft_pairwise_accuracy"] = self._soft_accuracy(metric, human, rated, units)
        return [estimates[name] for name in names]

    def _correlations(
        self, metric: Rater, human: Rater, rated: NDArray[Any], units: tuple[Units, Units] | None
    ) -> list[Estimate]:
        x, y = metric.sign * metric.points[rated], human.sign * human.points[rated]
        n = len(rated)
        drawn: Drawn
        if units is not None:
            drawn = units[0].kind
            many_x = metric.sign * self._scores(units[0])[:, rated]
            many_y = human.sign * self._scores(units[1])[:, rated]
        else:
            drawn = "systems"
            places = np.random.default_rng(self.seed).integers(0, n, size=(self.samples, n))
            many_x, many_y = x[places], y[places]
        estimates = []
        for name in CORRELATIONS:
            value = _VALUES[name](x, y)
            if drawn == "systems" and name in ("pearson", "prediction_error"):
                low, high = _fisher(name, stats.pearson(x, y), n)
                reason = "Fisher's z needs four systems" if math.isnan(low) else ""
                estimates.append(Estimate(name, value, n, low, high, "fisher", reason))
            else:
                ends = stats.interval(_ROWS[name](many_x, many_y))
                estimates.append(Estimate(name, value, n, float(ends[0]), float(ends[1]), drawn))
        return estimates

    def _soft_accuracy(
        self, metric: Rater, human: Rater, rated: NDArray[Any], units: tuple[Units, Units] | None
    ) -> Estimate:
        """On the units that people rated: more of them would make the metric surer than people can be."""
        name = "soft_pairwise_accuracy"
        if units is None:
            reason = metric.why or human.why or f"not counted in segments or documents: {metric.label}"
            return Estimate(name, math.nan, len(rated), reason=reason)
        rated_units = np.logical_and(*(_is_rated(part, rated) for part in units))
        p = [
            stats.one_sided_permutation(
                part.statistics[rated_units][:, rated], part.aggregate, trials=self.trials, seed=self.seed
            )
            for part in units
        ]
        metric_p, human_p = (
            table if rater.higher_is_better else table.T
            for table, rater in zip(p, (metric, human), strict=True)
        )
        value = stats.soft_pairwise_accuracy(metric_p, human_p)
        low, high = self._over_systems(np.abs(metric_p - human_p))
        return Estimate(name, value, len(rated), low, high, "systems")

    def _over_systems(self, distances: Floats) -> tuple[float, float]:
        """The interval of 1 - mean distance of pairs (systems, systems) when systems are drawn anew."""
        n = len(distances)
        places = np.random.default_rng(self.seed).integers(0, n, size=(self.samples, n))
        values = np.full(self.samples, np.nan)
        for i, drawn in enumerate(places):
            pairs = drawn[:, None] != drawn
            if pairs.any():
                values[i] = 1 - distances[np.ix_(drawn, drawn)][pairs].mean()
        low, high = stats.interval(values)
        return float(low), float(high)

    def _common_units(self, metric: Rater, human: Rater) -> tuple[Units, Units] | None:
        """Both raters' units lined up, or `None` where one has none."""
        first, second = metric.units, human.units
        if first is None or second is None:
            return None
        if (first.kind, first.ids) == (second.kind, second.ids):
            return first, second
        if first.kind != second.kind:
            first, second = self._by_document(first), self._by_document(second)
        shared = set(first.ids) & set(second.ids)
        ids = [unit for unit in first.ids if unit in shared]
        return (_picked(first, ids), _picked(second, ids)) if ids else None

    def _by_document(self, units: Units) -> Units:
        """Segments added up to their documents, since sums are all that a score needs."""
        if units.kind == "documents":
            return units
        rows: dict[str, list[int]] = {}
        for row, unit in enumerate(units.ids):
            rows.setdefault(self.frame.documents.get(unit) or unit, []).append(row)
        sums = np.array([units.statistics[places].sum(axis=0) for places in rows.values()])
        return Units("documents", list(rows), sums, units.aggregate)

    def _scores(self, units: Units) -> Floats:
        """Scores (samples, systems). The statistics are kept beside them so that their id stays theirs."""
        key = id(units.statistics)
        if key not in self._resampled:
            scores = stats.bootstrap_scores(
                units.statistics, units.aggregate, samples=self.samples, seed=self.seed
            )
            self._resampled[key] = (units.statistics, scores)
        return self._resampled[key][1]


def _is_rated(units: Units, systems: NDArray[Any]) -> NDArray[np.bool_]:
    """Which units have a rating of any of the systems; a metric has scored all."""
    if units.aggregate is not mean_of_rated:
        return np.ones(len(units.ids), dtype=bool)
    return np.asarray(units.statistics[:, systems, 1].any(axis=1), dtype=bool)


def _picked(units: Units, ids: Sequence[str]) -> Units:
    at = {unit: row for row, unit in enumerate(units.ids)}
    return Units(units.kind, ids, units.statistics[[at[unit] for unit in ids]], units.aggregate)


def _fisher(name: str, r: float, n: int) -> stats.Interval:
    low, high = stats.fisher_interval(r, n)
    if name == "pearson" or math.isnan(low):
        return stats.Interval(low, high)
    errors = [100 * stats.prediction_error(end) for end in (low, high)]
    return stats.Interval(min(errors), 100.0 if low < 0 < high else max(errors))


def _why_undefined(metric: Rater, human: Rater, rated: NDArray[Any]) -> str:
    if len(rated) < 2:
        count = "no system has" if not len(rated) else "only one system has"
        return f"{count} scores of both {metric.label} and {human.label}"
    for rater in (metric, human):
        if np.ptp(rater.points[rated]) == 0:
            return f"all {len(rated)} systems have the same score: {rater.label}"
    return ""
