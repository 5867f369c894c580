"""Agreement of two raters on whole systems, with intervals.

If all raters have statistics per segment, segments are resampled, the same for both raters. Then the interval
shows how much the agreement on these systems depends on the segments. Otherwise systems are resampled, and
the interval shows how much the agreement depends on the choice of systems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.meta.rated_material import Rater, RatingFrame, Units, mean_of_rated, rated_statistics
from mtassay.stats import correlation, resampling, tails
from mtassay.stats.correlation_rows import Rowwise, acc_eq_rows, divided

Floats = NDArray[np.float64]
Grouping = Literal["none", "item", "system"]

Drawn = Literal["segments", "documents", "systems", ""]
"""What is resampled for the interval: units, systems, or nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A `value` over `n` units with the ends of its 95 % interval; nan if undefined.

    Units are systems or translations, or pairs of these for accuracies. `groups` counts the groups behind a
    mean. `epsilon` is the largest difference of tied metric scores; nan if it does not apply. `reason` says
    why the value or the interval is missing and, after a colon, for which rater.
    """

    statistic: str
    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    drawn: Drawn = ""
    reason: str = ""
    groups: int = 0
    epsilon: float = math.nan


PAIRED = ("pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq")
"""The statistics about pairs."""

_WAYS: dict[Drawn, str] = {
    "segments": "segments drawn again, the same ones for both",
    "documents": "documents drawn again, the same ones for both",
    "systems": "systems drawn again",
}


def describe_intervals(drawn: Drawn, samples: int, *, due_to: str = "") -> str:
    """Describe the origin of a table's intervals; `due_to` names raters that limit what can be resampled."""
    why = f", since system scores of {due_to} do not follow from scores of segments" if due_to else ""
    return f"[ ]: 95 % interval; {_WAYS[drawn]}, {samples:,} times{why}."


STATISTICS = ("pearson", "spearman", "kendall", "acc_eq", "prediction_error")


_COEFFICIENTS = {name: correlation.COEFFICIENTS[name] for name in STATISTICS if name != "acc_eq"}


MOST_RANKED = 20_000
"""With more translations in a group, there are no intervals of rank statistics."""


class _Found(NamedTuple):
    """A statistic with its value, its basis, and its values in all resamples (empty if too expensive)."""

    value: float
    n: int
    groups: int
    resampled: Floats


@dataclass(frozen=True, slots=True)
class SegmentLevel:
    """Agreement on translations: on all together, or by item (segment) or system.

    With groups, every statistic is the mean over the groups where it is defined.
    """

    grouping: Grouping = "none"
    samples: int = 1000
    seed: int = 12345
    _drawn: dict[int, NDArray[np.uint8]] = field(default_factory=dict, repr=False)

    def agreement(self, metric: Rater, human: Rater, *, ties: bool = True) -> list[Estimate]:
        """Return an estimate for each of `STATISTICS`, with its number of translations or pairs.

        Without `ties`, accuracy with ties is left out, since people must define ties.
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
            reason = "" if len(resampled) else "pairs of so many translations take too long"
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
        resampled = self._resampled(x, y)
        found = {}
        sizes = _sizes(x, self.grouping)
        for name, coefficient in _COEFFICIENTS.items():
            grouped = correlation.grouped(coefficient.value, x, y, by=self.grouping)
            n = int(sizes[~np.isnan(grouped.values)].sum())
            found[name] = _Found(grouped.value, n, grouped.groups, resampled.get(name, np.empty(0)))
        found["acc_eq"] = _Found(calibrated.value, calibrated.pairs, calibrated.groups, np.empty(0))
        return found

    def _by_item(self, x: Floats, y: Floats, calibrated: correlation.TieCalibration) -> dict[str, _Found]:
        """Resample items: the statistic of an item is fixed, and only its count changes."""
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

    def _resampled(self, x: Floats, y: Floats) -> dict[str, Floats]:
        """Each correlation in every resample; with many translations, only the fast ones."""
        names = [n for n in _COEFFICIENTS if n not in ("spearman", "kendall") or x.size <= MOST_RANKED]
        rng, n = np.random.default_rng(self.seed), x.shape[1]
        rows = []
        for _ in range(self.samples):
            places = rng.integers(0, n, size=n)
            sides = x[:, places], y[:, places]
            rows.append(
                [correlation.grouped(_COEFFICIENTS[k].value, *sides, by=self.grouping).value for k in names]
            )
        return dict(zip(names, np.array(rows).T, strict=True))

    def _weights(self, n: int) -> NDArray[np.uint8]:
        """Count how often each sample contains each of `n` segments."""
        if n not in self._drawn:
            rng = np.random.default_rng(self.seed)
            draws = (np.bincount(rng.integers(0, n, size=n), minlength=n) for _ in range(self.samples))
            self._drawn[n] = np.array([*draws], dtype=np.uint8)
        return self._drawn[n]


def common_translations(metric: Rater, human: Rater) -> tuple[Floats, Floats]:
    """Scores (systems, segments) of both raters, higher is better; nan in both if one is missing.

    Segments that are not rated are left out, since they would make the resamples smaller.
    """
    assert metric.segments is not None
    assert human.segments is not None
    rated = ~(np.isnan(metric.segments) | np.isnan(human.segments))
    kept = rated.any(axis=0)
    sides = (metric.sign * metric.segments, human.sign * human.segments)
    x, y = (np.where(rated, side, np.nan)[:, kept] for side in sides)
    return x, y


def by_item(function: Rowwise, x: Floats, y: Floats) -> Floats:
    """A statistic of each item, over the systems with a score; items with the same systems are batched."""
    values = np.full(x.shape[1], np.nan)
    kinds, which = np.unique(~np.isnan(x), axis=1, return_inverse=True)
    for kind, rated in enumerate(kinds.T):
        items = np.flatnonzero(which.ravel() == kind)
        if rated.sum() > 1:
            values[items] = function(x[np.ix_(rated, items)].T, y[np.ix_(rated, items)].T)
    return values


def _sizes(x: Floats, grouping: Grouping) -> NDArray[np.int64]:
    """Count the translations of each group."""
    rated = ~np.isnan(x)
    if grouping == "none":
        return np.array([rated.sum()])
    return np.asarray(rated.sum(axis=0 if grouping == "item" else 1), dtype=np.int64)


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _weighted_means(values: Floats, weights: Floats) -> Floats:
    """The mean over items in each sample, without undefined values."""
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
    return "no group has two translations that both raters distinguish"


# Agreement of two raters on whole systems, with intervals.


CORRELATIONS = tuple(correlation.COEFFICIENTS)


@dataclass(frozen=True)
class SystemLevel:
    """Agreement on the systems of a frame, with intervals from one kind of resampling.

    `drawn` is the resampled unit, the same for every statistic and pair of raters: see `drawable`. Results
    for several pairs are cached.
    """

    frame: RatingFrame
    samples: int = 1000
    trials: int = 1000
    seed: int = 12345
    drawn: Drawn = "systems"
    _memory: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False)

    def agreement(self, metric: Rater, human: Rater, *, soft: bool = True) -> list[Estimate]:
        """Return all of `CORRELATIONS`, in order; `soft` adds soft pairwise accuracy before the last."""
        rated = np.flatnonzero(~(np.isnan(metric.points) | np.isnan(human.points)))
        reason = metric.undefined or human.undefined or _system_level_why_undefined(metric, human, rated)
        names = [*CORRELATIONS[:-1], *(["soft_pairwise_accuracy"] if soft else []), CORRELATIONS[-1]]
        if reason:
            return [Estimate(name, math.nan, 0, reason=reason) for name in names]
        estimates = {estimate.statistic: estimate for estimate in self._correlations(metric, human, rated)}
        if soft:
            estimates["soft_pairwise_accuracy"] = self._soft_accuracy(metric, human, rated)
        return [estimates[name] for name in names]

    def _correlations(self, metric: Rater, human: Rater, rated: NDArray[Any]) -> list[Estimate]:
        x, y = metric.sign * metric.points[rated], human.sign * human.points[rated]
        n = len(rated)
        if self.drawn == "systems":
            places = self._places(n)
            many_x, many_y = x[places], y[places]
        else:
            first, second = self._common_units(metric, human)
            many_x = metric.sign * self._scores(metric, first)[:, rated]
            many_y = human.sign * self._scores(human, second)[:, rated]
        untied = correlation.count_pairs(x, y)
        estimates = []
        for name in CORRELATIONS:
            coefficient = correlation.COEFFICIENTS[name]
            low, high = resampling.interval(coefficient.rows(many_x, many_y))
            is_paired = name == "pairwise_accuracy"
            used = untied.concordant + untied.discordant + untied.tied_x if is_paired else n
            estimates.append(
                Estimate(name, coefficient.value(x, y), used, float(low), float(high), self.drawn)
            )
        return estimates

    def _soft_accuracy(self, metric: Rater, human: Rater, rated: NDArray[Any]) -> Estimate:
        """Use only units that people rated; more would make the metric more certain than people can be."""
        name = "soft_pairwise_accuracy"
        if (units := self.soft_units(metric, human, rated)) is None:
            reason = metric.why or human.why or f"not counted in segments or documents: {metric.label}"
            return Estimate(name, math.nan, 0, reason=reason)
        sides = [self._confidence(rater, part) for rater, part in zip((metric, human), units, strict=True)]
        value = correlation.soft_pairwise_accuracy(sides[0].p, sides[1].p)
        if self.drawn == "systems":
            low, high = self._over_systems(np.abs(sides[0].p - sides[1].p))
        else:
            p = [
                self._resampled_p(rater, part, side.deviation)
                for rater, part, side in zip((metric, human), units, sides, strict=True)
            ]
            distances = np.abs(p[0] - p[1])
            # A resample may have no rating of a system; without any pair it does not count.
            pairs = (~np.isnan(distances)).sum(axis=1)
            ends = resampling.interval(1 - divided(np.nansum(distances, axis=1), pairs))
            low, high = float(ends[0]), float(ends[1])
        return Estimate(name, value, math.comb(len(rated), 2), low, high, self.drawn)

    def soft_units(self, metric: Rater, human: Rater, rated: NDArray[Any]) -> tuple[Units, Units] | None:
        """The common units of both raters: rated systems' scores per segment, else per document."""
        sides = [_units_of_segments(rater, self.frame) or rater.units for rater in (metric, human)]
        if sides[0] is None or sides[1] is None:
            return None
        first, second = self._aligned(sides[0], sides[1])
        if not first.ids:
            return None
        is_rated = np.logical_and(*(_is_rated(part, rated) for part in (first, second)))
        ids = [unit for unit, kept in zip(first.ids, is_rated, strict=True) if kept]
        kept_units = [
            Units(part.kind, ids, part.statistics[is_rated][:, rated], part.aggregate)
            for part in (first, second)
        ]
        return kept_units[0], kept_units[1]

    def _confidence(self, rater: Rater, units: Units) -> _Confidence:
        """One-sided p-values of all pairs of systems, with the better system in the row."""
        key = ("confidence", id(rater), units.kind, tuple(units.ids), units.statistics.shape)
        if key not in self._memory:
            settings = {"trials": self.trials, "seed": self.seed}
            p = resampling.one_sided_permutation(units.statistics, units.aggregate, **settings)
            deviation = resampling.permutation_deviation(units.statistics, units.aggregate, **settings)
            self._memory[key] = _Confidence(p if rater.higher_is_better else p.T, deviation)
        confidence: _Confidence = self._memory[key]
        return confidence

    def _resampled_p(self, rater: Rater, units: Units, deviation: Floats) -> Floats:
        """p-values (samples, pairs of systems) by the normal distribution, since tests would be slow."""
        key = ("resampled p", id(rater), units.kind, tuple(units.ids), units.statistics.shape)
        if key not in self._memory:
            scores = rater.sign * resampling.bootstrap_scores(
                units.statistics, units.aggregate, samples=self.samples, seed=self.seed
            )
            left, right = np.triu_indices(scores.shape[1], 1)
            self._memory[key] = tail_p(scores[:, left] - scores[:, right], deviation[left, right])
        p: Floats = self._memory[key]
        return p

    def _places(self, n: int) -> NDArray[np.int64]:
        """Which of the `n` systems each sample has."""
        return np.random.default_rng(self.seed).integers(0, n, size=(self.samples, n))

    def _over_systems(self, distances: Floats) -> tuple[float, float]:
        """The interval of 1 - mean distance of pairs (systems, systems) when systems are resampled."""
        places = self._places(len(distances))
        pairs = places[:, :, None] != places[:, None, :]
        drawn = distances[places[:, :, None], places[:, None, :]]
        total = np.where(pairs, drawn, 0.0).sum(axis=(1, 2))
        low, high = resampling.interval(1 - divided(total, pairs.sum(axis=(1, 2))))
        return float(low), float(high)

    def _common_units(self, metric: Rater, human: Rater) -> tuple[Units, Units]:
        """Both raters' aligned units, of the kind that is resampled."""
        first, second = metric.units, human.units
        assert first is not None
        assert second is not None
        if self.drawn == "documents":
            first, second = self._by_document(first), self._by_document(second)
        return self._aligned(first, second)

    def _aligned(self, first: Units, second: Units) -> tuple[Units, Units]:
        """The units that both have; segments are summed to documents if the other rater has no segments."""
        if (first.kind, first.ids) == (second.kind, second.ids):
            return first, second
        if first.kind != second.kind:
            first, second = self._by_document(first), self._by_document(second)
        shared = set(first.ids) & set(second.ids)
        ids = [unit for unit in first.ids if unit in shared]
        return _picked(first, ids), _picked(second, ids)

    def _by_document(self, units: Units) -> Units:
        """Sum segments to their documents, since a score needs only sums."""
        if units.kind == "documents":
            return units
        rows: dict[str, list[int]] = {}
        for row, unit in enumerate(units.ids):
            rows.setdefault(self.frame.documents.get(unit) or unit, []).append(row)
        sums = np.array([units.statistics[places].sum(axis=0) for places in rows.values()])
        return Units("documents", list(rows), sums, units.aggregate)

    def _scores(self, rater: Rater, units: Units) -> Floats:
        """Scores (samples, systems) of the resampled units."""
        key = ("scores", id(rater), units.kind, tuple(units.ids))
        if key not in self._memory:
            self._memory[key] = resampling.bootstrap_scores(
                units.statistics, units.aggregate, samples=self.samples, seed=self.seed
            )
        scores: Floats = self._memory[key]
        return scores


class _Confidence(NamedTuple):
    """One-sided p-values (systems, systems), and the spread of differences under the null hypothesis."""

    p: Floats
    deviation: Floats


def tail_p(differences: NDArray[Any], deviation: NDArray[Any]) -> Floats:
    """One-sided p-values of differences by the normal distribution; 1 without any variation."""
    never = np.full(np.shape(differences), _STEPS[0])
    steps = np.divide(differences, deviation, out=never, where=deviation > 0)
    return np.asarray(np.interp(steps, _STEPS, _TAILS), dtype=np.float64)


_STEPS = np.linspace(-9, 9, 8192)
_TAILS = tails.normal_tail(_STEPS)
"""Between these values, the error of the tail is below one in a million."""


def drawable(raters: Sequence[Rater]) -> tuple[Drawn, str]:
    """The unit that can be resampled for all raters, and which raters are the reason if it is systems.

    It is segments if the segment scores of all raters add up to their system scores, documents if a rater
    counts in documents, or else systems.
    """
    if unfit := [rater.label for rater in raters if rater.units is None]:
        return "systems", ", ".join(dict.fromkeys(unfit))
    kinds = {rater.units.kind for rater in raters if rater.units is not None}
    return ("documents" if "documents" in kinds else "segments"), ""


def _units_of_segments(rater: Rater, frame: RatingFrame) -> Units | None:
    """Segments whose mean is the score, as in WMT's soft pairwise accuracy; `None` without scores."""
    if rater.segments is None:
        return None
    return Units("segments", frame.ids, rated_statistics(rater.segments), mean_of_rated)


def _is_rated(units: Units, systems: NDArray[Any]) -> NDArray[np.bool_]:
    """Which units have a rating for any system; a metric scores all units."""
    if units.aggregate is not mean_of_rated:
        return np.ones(len(units.ids), dtype=bool)
    return np.asarray(units.statistics[:, systems, 1].any(axis=1), dtype=bool)


def _picked(units: Units, ids: Sequence[str]) -> Units:
    at = {unit: row for row, unit in enumerate(units.ids)}
    return Units(units.kind, ids, units.statistics[[at[unit] for unit in ids]], units.aggregate)


def _system_level_why_undefined(metric: Rater, human: Rater, rated: NDArray[Any]) -> str:
    if len(rated) < 2:
        count = "no system has" if not len(rated) else "only one system has"
        return f"{count} scores of both {metric.label} and {human.label}"
    for rater in (metric, human):
        if np.ptp(rater.points[rated]) == 0:
            return f"all {len(rated)} systems have the same score: {rater.label}"
    return ""
