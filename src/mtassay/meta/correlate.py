"""Compares metrics with people: every statistic of agreement for every pair, as a `Result`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Cluster, Comparison, Result, Score
from mtassay.meta.rated_material import Rater, RatingFrame
from mtassay.meta.significance import (
    Contender,
    MetricTest,
    MetricTestName,
    PairOutcomes,
    Swaps,
    TranslationGroups,
    rank_metrics,
    swap_systems,
)
from mtassay.meta.system_level import (
    Drawn,
    Estimate,
    Grouping,
    SegmentLevel,
    SystemLevel,
    common_translations,
    describe_intervals,
    drawable,
)
from mtassay.stats.correlation import COEFFICIENTS

Level = Literal["system", "segment"]
Resample = Literal["segments", "systems"]


@dataclass(frozen=True, slots=True)
class CorrelationSettings:
    """Statistics of agreement and the settings of their tests: see `SystemLevel`, `SegmentLevel` and `Swaps`.

    `resample` names the unit that is resampled for intervals at system level; `None` resamples segments if
    all raters have segment scores.
    """

    level: Level = "system"
    grouping: Grouping = "none"
    samples: int = 1000
    trials: int = 1000
    seed: int = 12345
    test: MetricTestName = "randomization"
    alpha: float = 0.05
    resample: Resample | None = None

    @property
    def swaps(self) -> Swaps:
        """The permutation test between metrics."""
        return Swaps(self.test, self.trials, self.seed, self.alpha)


@dataclass(frozen=True, slots=True)
class Correlations:
    """Scores (the rater is in `name`, people in `system`, the statistic in `group`), and notes.

    Comparisons and clusters are about raters, with people in `name`. `notes` are sentences about the origin
    of intervals, undefined values and omissions.
    """

    result: Result
    notes: list[str]


def correlate(
    raters: Sequence[Rater],
    humans: Sequence[Rater],
    *,
    frame: RatingFrame,
    settings: CorrelationSettings,
    soft: bool = True,
    ranked: bool = True,
) -> Correlations:
    """Correlate every rater with every human score except itself.

    `soft` adds soft pairwise accuracy; `ranked` tests the metrics against each other and ranks them.
    """
    pairs = [(rater, human) for rater in raters for human in humans if rater is not human]
    found = _Agreement.of(pairs, frame, settings, soft=soft)
    comparisons: list[Comparison] = []
    clusters: list[Cluster] = []
    if ranked:
        for human in humans:
            metrics = [rater for rater in raters if not any(rater is one for one in humans)]
            for new_comparisons, new_clusters in found.ranks(metrics, human):
                comparisons += new_comparisons
                clusters += new_clusters
    counts = _counts(humans, frame)
    return Correlations(Result(found.scores(), comparisons, clusters, counts), found.notes())


def correlate_metrics(
    raters: Sequence[Rater], *, frame: RatingFrame, settings: CorrelationSettings
) -> Correlations:
    """Correlate every metric with every other; the first is in `name`, the second in `system`."""
    found = _Agreement.of(list(combinations(raters, 2)), frame, settings, soft=False, ties=False)
    return Correlations(Result(found.scores()), found.notes())


@dataclass(frozen=True, slots=True)
class _Agreement:
    """The estimates of all pairs of raters."""

    settings: CorrelationSettings
    systems: SystemLevel
    estimates: Sequence[tuple[Rater, Rater, Sequence[Estimate]]]
    due_to: str

    @classmethod
    def of(
        cls,
        pairs: Sequence[tuple[Rater, Rater]],
        frame: RatingFrame,
        settings: CorrelationSettings,
        *,
        soft: bool,
        ties: bool = True,
    ) -> _Agreement:
        """`soft` and `ties` say whether to add soft pairwise accuracy and accuracy with ties."""
        drawn, due_to = _drawn([rater for pair in pairs for rater in pair], settings)
        systems = SystemLevel(frame, settings.samples, settings.trials, settings.seed, drawn)
        segments = SegmentLevel(settings.grouping, settings.samples, settings.seed)
        estimates = [
            (
                rater,
                human,
                systems.agreement(rater, human, soft=soft)
                if settings.level == "system"
                else segments.agreement(rater, human, ties=ties),
            )
            for rater, human in pairs
        ]
        return cls(settings, systems, estimates, due_to)

    def scores(self) -> list[Score]:
        return [
            _score(rater, human, estimate, self.settings)
            for rater, human, estimates in self.estimates
            for estimate in estimates
        ]

    def ranks(
        self, metrics: Sequence[Rater], human: Rater
    ) -> Iterable[tuple[list[Comparison], list[Cluster]]]:
        """For each statistic with a test, the metrics that are defined on the most common set of units."""
        found = {
            (rater.name, estimate.statistic): estimate
            for rater, other, estimates in self.estimates
            if other is human
            for estimate in estimates
        }
        for statistic in dict.fromkeys(statistic for _, statistic in found):
            defined = [m for m in metrics if not math.isnan(found[m.name, statistic].value)]
            masks = [self._rated(metric, human).tobytes() for metric in defined]
            usual = max(masks, key=masks.count, default=b"")
            fitting = [metric for metric, mask in zip(defined, masks, strict=True) if mask == usual]
            if len(fitting) < 2 or (prepared := self._test(statistic, fitting, human, found)) is None:
                continue
            test, materials = prepared
            contenders = [
                Contender(metric.name, found[metric.name, statistic].value, material)
                for metric, material in zip(fitting, materials, strict=True)
            ]
            yield rank_metrics(human.name, statistic, contenders, test, self.settings.swaps)

    def _rated(self, metric: Rater, human: Rater) -> Any:
        if self.settings.level == "system" or metric.segments is None or human.segments is None:
            return ~(np.isnan(metric.points) | np.isnan(human.points))
        return ~(np.isnan(metric.segments) | np.isnan(human.segments))

    def _test(
        self,
        statistic: str,
        metrics: Sequence[Rater],
        human: Rater,
        found: Mapping[tuple[str, str], Estimate],
    ) -> tuple[MetricTest, list[Any]] | None:
        """The test of a statistic, and each metric's input to it; `None` without a test."""
        swaps = self.settings.swaps
        if self.settings.level == "system":
            rated = self._rated(metrics[0], human)
            if statistic not in COEFFICIENTS or statistic == "prediction_error":
                return None
            y = human.sign * human.points[rated]
            test = partial(swap_systems, human=y, agreement=COEFFICIENTS[statistic].rows, swaps=swaps)
            return test, [metric.sign * metric.points[rated] for metric in metrics]
        sides = [common_translations(metric, human) for metric in metrics]
        if statistic == "pearson":
            translations = TranslationGroups.of(sides[0][1], self.settings.grouping)
            return partial(translations.swap, swaps=swaps), [x for x, _ in sides]
        if statistic == "acc_eq" and self.settings.grouping == "item":
            outcomes = [
                PairOutcomes.of(x, y, found[metric.name, statistic].epsilon)
                for metric, (x, y) in zip(metrics, sides, strict=True)
            ]
            return partial(PairOutcomes.swap, swaps=swaps), outcomes
        return None

    def notes(self) -> list[str]:
        """Notes on groups, reasons for missing values, ties and intervals."""
        lists = [estimates for _, _, estimates in self.estimates]
        raters = list({id(rater): rater for rater, _, _ in self.estimates}.values())
        notes = [] if self.settings.level == "system" else [*self._groups(), *self._ties()]
        notes += [*_reasons(lists), *_trivial(lists, self.settings.level), *_turned(raters)]
        if any(not math.isnan(estimate.low) for estimates in lists for estimate in estimates):
            drawn = self.systems.drawn if self.settings.level == "system" else "segments"
            notes.append(describe_intervals(drawn, self.settings.samples, due_to=self.due_to))
        return notes

    def _groups(self) -> list[str]:
        """The number of groups behind a mean, by human score."""
        if self.settings.grouping == "none":
            return []
        what = "items" if self.settings.grouping == "item" else "systems"
        groups: dict[str, dict[str, list[int]]] = {}
        for _, human, estimates in self.estimates:
            for estimate in estimates:
                if estimate.groups:
                    sizes = groups.setdefault(human.label, {}).setdefault(estimate.statistic, [])
                    sizes.append(estimate.groups)
        phrases = []
        for human_label, by_statistic in groups.items():
            correlations = [n for name, sizes in by_statistic.items() if name != "acc_eq" for n in sizes]
            accuracies = by_statistic.get("acc_eq", [])
            both = f"{_span(accuracies)}, with a correlation " if accuracies else ""
            phrases.append(f"{human_label} {both}{_span(correlations)}")
        return [f"Means over {what}: {'; '.join(phrases)}."] if phrases else []

    def _ties(self) -> list[str]:
        """The epsilon that makes ties, by human score, unless it only corrects rounding."""
        chosen: dict[str, list[str]] = {}
        for rater, human, estimates in self.estimates:
            for estimate in estimates:
                if rater.segments is not None and estimate.epsilon > 1e-6 * np.nanmax(np.abs(rater.segments)):
                    chosen.setdefault(human.label, []).append(f"{rater.label} {estimate.epsilon:.3g}")
        if all(math.isnan(e.epsilon) for _, _, estimates in self.estimates for e in estimates):
            return []
        about = "; ".join(f"{label}: {', '.join(parts)}" for label, parts in chosen.items())
        which = f"({about}; else 0)" if chosen else "(0 here)"
        return [f"acc_eq: scores that differ by at most ε count as ties; ε {which} gives the highest acc_eq."]


def _drawn(raters: Sequence[Rater], settings: CorrelationSettings) -> tuple[Drawn, str]:
    if settings.level == "segment" or settings.resample == "systems":
        return "systems", ""
    drawn, due_to = drawable(raters)
    if settings.resample == "segments" and drawn == "systems":
        raise UsageError(f"Segments cannot be resampled for {due_to}: leave it out, or resample systems.")
    return drawn, due_to


def _score(rater: Rater, human: Rater, estimate: Estimate, settings: CorrelationSettings) -> Score:
    signature = [rater.signature] if rater.signature else [f"bs:{settings.samples}", f"seed:{settings.seed}"]
    if estimate.statistic == "soft_pairwise_accuracy":
        signature.append(f"permutations:{settings.trials}")
    if settings.level == "segment":
        signature.append(f"grouping:{settings.grouping}")
    if not math.isnan(estimate.epsilon):
        signature.append(f"epsilon:{estimate.epsilon:g}")
    signature.append(f"interval:{estimate.drawn or 'none'}")
    return Score(
        rater.name,
        human.name,
        estimate.statistic,
        _defined(estimate.value),
        estimate.n,
        _defined(estimate.low),
        _defined(estimate.high),
        "|".join(signature),
    )


def _counts(humans: Sequence[Rater], frame: RatingFrame) -> Mapping[str, Mapping[str, int]]:
    """Count rated and unrated systems and translations for each human score."""
    counts = {}
    for human in humans:
        rated = int((~np.isnan(human.points)).sum())
        counts[human.name] = {"systems": rated, "unrated_systems": len(frame.systems) - rated}
        if human.segments is not None:
            unrated = int(np.isnan(human.segments).sum())
            counts[human.name] |= {
                "translations": human.segments.size - unrated,
                "unrated_translations": unrated,
            }
    return counts


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _reasons(estimate_lists: Iterable[Sequence[Estimate]]) -> list[str]:
    """Each reason for missing values once, with all its values and raters."""
    statistics: dict[tuple[str, str], list[str]] = {}
    subjects: dict[tuple[str, str], list[str]] = {}
    for estimate in (estimate for estimates in estimate_lists for estimate in estimates):
        if estimate.reason:
            reason, _, subject = estimate.reason.partition(": ")
            key = ("undefined" if math.isnan(estimate.value) else "without interval", reason)
            statistics.setdefault(key, []).append(estimate.statistic.replace("_", " "))
            subjects.setdefault(key, []).append(subject)
    notes = []
    for (what, reason), names in statistics.items():
        about = ", ".join(filter(None, dict.fromkeys(subjects[what, reason])))
        notes.append(f"{_listed(names)} {what}: {reason}{f' ({about})' * bool(about)}.")
    return notes


def _listed(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    shown = ", ".join(unique) if len(unique) <= 2 else "agreement"
    return shown[:1].upper() + shown[1:]


def _trivial(estimate_lists: Iterable[Sequence[Estimate]], level: Level) -> list[str]:
    two = level == "system" and any(
        estimate.n == 2 and estimate.statistic == "pearson"
        for estimates in estimate_lists
        for estimate in estimates
    )
    return ["Two systems always correlate at 1 or −1: this says no more than their order."] if two else []


def _turned(raters: Sequence[Rater]) -> list[str]:
    lower = [rater.label for rater in raters if not rater.higher_is_better]
    return [f"Lower is better in {', '.join(lower)}: the sign was turned."] if lower else []


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
