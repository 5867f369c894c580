"""How well two raters agree on single translations, with intervals from segments drawn anew."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.meta.estimation import Estimate
from mtassay.meta.rater import Rater
from mtassay.meta.rowwise import divided
from mtassay.meta.weights import MOST_SEGMENTS, weighted_pairs, weighted_pearson, weighted_spearman

Floats = NDArray[np.float64]
Grouping = Literal["none", "item", "system"]

STATISTICS = ("pearson", "spearman", "kendall", "acc_eq", "prediction_error")


def _prediction_error(x: NDArray[Any], y: NDArray[Any]) -> float:
    return 100 * stats.prediction_error(stats.pearson(x, y))


_VALUES: dict[str, Any] = {
    "pearson": stats.pearson,
    "spearman": stats.spearman,
    "kendall": stats.kendall,
    "acc_eq": stats.acc_eq,
    "prediction_error": _prediction_error,
}


@dataclass(frozen=True, slots=True)
class SegmentLevel:
    """Agreement on translations: all together, those of one item (segment), or those of one system.

    With a grouping, every statistic is the mean over the groups in which it is defined.
    """

    grouping: Grouping = "none"
    samples: int = 1000
    seed: int = 12345

    def agreement(self, metric: Rater, human: Rater) -> list[Estimate]:
        """One estimate for each of `STATISTICS`, with the number of translations that both have scored."""
        reason = metric.undefined or human.undefined or _without_segments(metric) or _without_segments(human)
        if reason or metric.segments is None or human.segments is None:
            return [Estimate(name, math.nan, 0, reason=reason) for name in STATISTICS]
        x, y = metric.sign * metric.segments, human.sign * human.segments
        rated = ~(np.isnan(x) | np.isnan(y))
        kept = rated.any(axis=0)  # segments that nobody rated would only make the draws smaller
        x, y = x[:, kept], y[:, kept]
        n = int(rated.sum())
        values, resampled = self._values(x, y)
        estimates = []
        for name in STATISTICS:
            low, high = stats.interval(resampled.get(name, np.empty(0)))
            reason = "" if name in resampled else f"more than {MOST_SEGMENTS:,} segments have too many pairs"
            if math.isnan(values[name]):
                reason = _why_undefined(metric, human, n)
            drawn: Literal["segments", ""] = "segments" if name in resampled else ""
            estimates.append(Estimate(name, values[name], n, float(low), float(high), drawn, reason))
        return estimates

    def groups(self, metric: Rater, human: Rater) -> stats.Grouped:
        """How many groups have a Pearson correlation."""
        if metric.segments is None or human.segments is None:
            return stats.Grouped(math.nan, 0, 0)
        return stats.grouped(stats.pearson, metric.segments, human.segments, by=self.grouping)

    def _values(self, x: Floats, y: Floats) -> tuple[dict[str, float], dict[str, Floats]]:
        """Each statistic, and its values in all resamples."""
        if not x.size:
            return dict.fromkeys(STATISTICS, math.nan), {}
        if self.grouping == "item":
            # The statistic of an item does not change with the draw, only how often it counts.
            items = {name: _by_item(name, x, y) for name in STATISTICS}
            weights = self._weights(x.shape[1]).astype(np.float64)
            resampled = {name: _weighted_means(values, weights) for name, values in items.items()}
            return {name: _mean(values) for name, values in items.items()}, resampled
        grouped = {name: stats.grouped(_VALUES[name], x, y, by=self.grouping) for name in STATISTICS}
        return {name: group.value for name, group in grouped.items()}, self._resampled(x, y)

    def _resampled(self, x: Floats, y: Floats) -> dict[str, Floats]:
        """Each statistic in every resample; without those of pairs where there are too many of them."""
        weights = self._weights(x.shape[1])
        groups = (
            [(x, y)] if self.grouping == "none" else [(x[i : i + 1], y[i : i + 1]) for i in range(len(x))]
        )
        by_statistic: dict[str, list[Floats]] = {}
        for first, second in groups:
            pearson = weighted_pearson(first, second, weights)
            by_statistic.setdefault("pearson", []).append(pearson)
            by_statistic.setdefault("spearman", []).append(weighted_spearman(first, second, weights))
            by_statistic.setdefault("prediction_error", []).append(100 * (1 - pearson**2))
            if x.shape[1] <= MOST_SEGMENTS:
                pairs = weighted_pairs(first, second, weights)
                by_statistic.setdefault("kendall", []).append(pairs.kendall())
                by_statistic.setdefault("acc_eq", []).append(pairs.acc_eq())
        return {name: _mean_of_defined(np.array(rows)) for name, rows in by_statistic.items()}

    def _weights(self, n: int) -> NDArray[np.uint8]:
        """How often each of `n` segments is drawn in each sample."""
        rng = np.random.default_rng(self.seed)
        draws = (np.bincount(rng.integers(0, n, size=n), minlength=n) for _ in range(self.samples))
        return np.array([*draws], dtype=np.uint8)


def _by_item(name: str, x: Floats, y: Floats) -> Floats:
    return np.array([_VALUES[name](a, b) for a, b in zip(x.T, y.T, strict=True)], dtype=np.float64)


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _weighted_means(values: Floats, weights: Floats) -> Floats:
    """The mean over items in each sample, without undefined ones."""
    defined = ~np.isnan(values)
    return divided(weights @ np.where(defined, values, 0.0), weights @ defined)


def _mean_of_defined(rows: Floats) -> Floats:
    """The mean over groups (groups, samples) in each sample, without undefined ones."""
    defined = ~np.isnan(rows)
    count = defined.sum(axis=0)
    total = np.where(defined, rows, 0.0).sum(axis=0)
    return divided(total, count)


def _without_segments(rater: Rater) -> str:
    if rater.segments is not None:
        return ""
    if rater.units is not None:
        return f"counted per document, not per segment: {rater.label}"
    return rater.why or f"no scores per segment: {rater.label}"


def _why_undefined(metric: Rater, human: Rater, n: int) -> str:
    if n < 2:
        count = "no translation has" if not n else "only one translation has"
        return f"{count} scores of both {metric.label} and {human.label}"
    return "no group has two translations that both raters tell apart"
