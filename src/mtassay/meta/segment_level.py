"""How well two raters agree on single translations, with intervals from segments drawn anew."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.meta.estimation import Estimate
from mtassay.meta.raters import Rater
from mtassay.stats import correlation, resampling
from mtassay.stats.correlation_rows import (
    MOST_SEGMENTS,
    Rowwise,
    acc_eq_rows,
    divided,
    mean_of_defined,
    weighted_pairs,
    weighted_pearson,
    weighted_spearman,
)

Floats = NDArray[np.float64]
Grouping = Literal["none", "item", "system"]

STATISTICS = ("pearson", "spearman", "kendall", "acc_eq", "prediction_error")


_COEFFICIENTS = {name: correlation.COEFFICIENTS[name] for name in STATISTICS if name != "acc_eq"}


class _Found(NamedTuple):
    """One statistic: its value, what it rests on, and its values in all resamples (none if too costly)."""

    value: float
    n: int
    groups: int
    resampled: Floats


@dataclass(frozen=True, slots=True)
class SegmentLevel:
    """Agreement on translations: all together, those of one item (segment), or those of one system.

    With a grouping, every statistic is the mean over the groups in which it is defined.
    """

    grouping: Grouping = "none"
    samples: int = 1000
    seed: int = 12345
    _drawn: dict[int, NDArray[np.uint8]] = field(default_factory=dict, repr=False)

    def agreement(self, metric: Rater, human: Rater, *, ties: bool = True) -> list[Estimate]:
        """One estimate for each of `STATISTICS`, with the translations or pairs that it rests on.

        Without `ties`, accuracy with ties is left out: what ties mean, people have to say.
        """
        names = [name for name in STATISTICS if ties or name != "acc_eq"]
        reason = metric.undefined or human.undefined or _without_segments(metric) or _without_segments(human)
        if reason or metric.segments is None or human.segments is None:
            return [Estimate(name, math.nan, 0, reason=reason) for name in names]
        x, y = common_translations(metric, human)
        calibrated = correlation.TieCalibration(math.nan, 0.0, 0, 0)
        if ties:
            calibrated = correlation.calibrate_ties(x, y, by=self.grouping)
        found = self._found(x, y, calibrated)
        estimates = []
        for name in names:
            value, n, groups, resampled = found[name]
            low, high = resampling.interval(resampled)
            reason = "" if len(resampled) else f"more than {MOST_SEGMENTS:,} segments have too many pairs"
            if math.isnan(value):
                reason = _why_undefined(metric, human, int((~np.isnan(x)).sum()))
            drawn: Literal["segments", ""] = "segments" if len(resampled) else ""
            epsilon = calibrated.epsilon if name == "acc_eq" else math.nan
            estimates.append(
                Estimate(name, value, n, float(low), float(high), drawn, reason, groups, epsilon)
            )
        return estimates

    def _found(self, x: Floats, y: Floats, calibrated: correlation.TieCalibration) -> dict[str, _Found]:
        if not x.size:
            return {name: _Found(math.nan, 0, 0, np.empty(0)) for name in STATISTICS}
        if self.grouping == "item":
            return self._by_item(x, y, calibrated)
        resampled = self._resampled(x, y, calibrated.epsilon)
        found = {}
        sizes = _sizes(x, self.grouping)
        for name, coefficient in _COEFFICIENTS.items():
            grouped = correlation.grouped(coefficient.value, x, y, by=self.grouping)
            n = int(sizes[~np.isnan(grouped.values)].sum())
            found[name] = _Found(grouped.value, n, grouped.groups, resampled.get(name, np.empty(0)))
        accuracy = resampled.get("acc_eq", np.empty(0))
        found["acc_eq"] = _Found(calibrated.value, calibrated.pairs, calibrated.groups, accuracy)
        return found

    def _by_item(self, x: Floats, y: Floats, calibrated: correlation.TieCalibration) -> dict[str, _Found]:
        """The statistic of an item does not change with the draw, only how often it counts."""
        weights = self._weights(x.shape[1]).astype(np.float64)
        sizes = _sizes(x, "item")
        found = {}
        for name, coefficient in _COEFFICIENTS.items():
            values = by_item(coefficient.rows, x, y)
            defined = ~np.isnan(values)
            resampled = _weighted_means(values, weights)
            found[name] = _Found(_mean(values), int(sizes[defined].sum()), int(defined.sum()), resampled)
        accuracies = by_item(partial(acc_eq_rows, epsilon=calibrated.epsilon), x, y)
        found["acc_eq"] = _Found(
            calibrated.value, calibrated.pairs, calibrated.groups, _weighted_means(accuracies, weights)
        )
        return found

    def _resampled(self, x: Floats, y: Floats, epsilon: float) -> dict[str, Floats]:
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
                pairs = weighted_pairs(first, second, weights, epsilon)
                by_statistic.setdefault("kendall", []).append(pairs.kendall())
                by_statistic.setdefault("acc_eq", []).append(pairs.acc_eq())
        return {name: mean_of_defined(np.array(rows), axis=0) for name, rows in by_statistic.items()}

    def _weights(self, n: int) -> NDArray[np.uint8]:
        """How often each of `n` segments is drawn in each sample."""
        if n not in self._drawn:
            rng = np.random.default_rng(self.seed)
            draws = (np.bincount(rng.integers(0, n, size=n), minlength=n) for _ in range(self.samples))
            self._drawn[n] = np.array([*draws], dtype=np.uint8)
        return self._drawn[n]


def common_translations(metric: Rater, human: Rater) -> tuple[Floats, Floats]:
    """Scores (systems, segments) of both, higher being better; nan on both sides where one has none.

    Segments that nobody rated are left out: they would only make the draws smaller.
    """
    assert metric.segments is not None
    assert human.segments is not None
    rated = ~(np.isnan(metric.segments) | np.isnan(human.segments))
    kept = rated.any(axis=0)
    sides = (metric.sign * metric.segments, human.sign * human.segments)
    x, y = (np.where(rated, side, np.nan)[:, kept] for side in sides)
    return x, y


def by_item(function: Rowwise, x: Floats, y: Floats) -> Floats:
    """A statistic of each item, over the systems that have a score there; items of one kind together."""
    values = np.full(x.shape[1], np.nan)
    kinds, which = np.unique(~np.isnan(x), axis=1, return_inverse=True)
    for kind, rated in enumerate(kinds.T):
        items = np.flatnonzero(which.ravel() == kind)
        if rated.sum() > 1:
            values[items] = function(x[np.ix_(rated, items)].T, y[np.ix_(rated, items)].T)
    return values


def _sizes(x: Floats, grouping: Grouping) -> NDArray[np.int64]:
    """How many translations each group has."""
    rated = ~np.isnan(x)
    if grouping == "none":
        return np.array([rated.sum()])
    return np.asarray(rated.sum(axis=0 if grouping == "item" else 1), dtype=np.int64)


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _weighted_means(values: Floats, weights: Floats) -> Floats:
    """The mean over items in each sample, without undefined ones."""
    defined = ~np.isnan(values)
    return divided(weights @ np.where(defined, values, 0.0), weights @ defined)


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
