"""Puts metrics beside people: every statistic of agreement for every pair, as a result of the product."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mtassay.core import Result, Score
from mtassay.meta.estimation import Estimate, describe_intervals
from mtassay.meta.rater import Rater, RatingFrame
from mtassay.meta.segment_level import Grouping, SegmentLevel
from mtassay.meta.system_level import SystemLevel

Level = Literal["system", "segment"]


@dataclass(frozen=True, slots=True)
class CorrelationSettings:
    """On what raters should agree and how that is tested: see `SystemLevel` and `SegmentLevel`."""

    level: Level = "system"
    grouping: Grouping = "none"
    samples: int = 1000
    trials: int = 1000
    seed: int = 12345


@dataclass(frozen=True, slots=True)
class Correlations:
    """Scores with the rater in `name`, people in `system` and the statistic in `group`, and what to know.

    `notes` are sentences: what intervals come from, why something is undefined, what was left out.
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
) -> Correlations:
    """Every rater against every human score, but none against itself; `soft` adds soft pairwise accuracy."""
    systems = SystemLevel(frame, settings.samples, settings.trials, settings.seed)
    segments = SegmentLevel(settings.grouping, settings.samples, settings.seed)
    scores: list[Score] = []
    drawn: dict[tuple[str, str], list[Estimate]] = {}
    for rater, human in _pairs(raters, humans):
        if settings.level == "system":
            estimates = systems.agreement(rater, human, soft=soft)
        else:
            estimates = segments.agreement(rater, human)
        scores += [_score(rater, human, estimate, settings) for estimate in estimates]
        drawn[rater.label, human.label] = estimates
    notes = _groups(segments, list(_pairs(raters, humans))) if settings.level == "segment" else []
    notes += [*_reasons(drawn.values()), *_trivial(drawn.values(), settings.level), *_turned(raters)]
    notes += describe_intervals(drawn, settings.samples)
    return Correlations(Result(scores, counts=_counts(humans, frame, settings)), notes)


def _pairs(raters: Sequence[Rater], humans: Sequence[Rater]) -> Iterator[tuple[Rater, Rater]]:
    return ((rater, human) for rater in raters for human in humans if rater is not human)


def _score(rater: Rater, human: Rater, estimate: Estimate, settings: CorrelationSettings) -> Score:
    signature = [rater.signature] if rater.signature else [f"bs:{settings.samples}", f"seed:{settings.seed}"]
    if estimate.statistic == "soft_pairwise_accuracy":
        signature.append(f"permutations:{settings.trials}")
    if settings.level == "segment":
        signature.append(f"grouping:{settings.grouping}")
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


def _counts(
    humans: Sequence[Rater], frame: RatingFrame, settings: CorrelationSettings
) -> Mapping[str, Mapping[str, int]]:
    """For each human score, how many systems and translations were rated and how many were not."""
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


def _groups(segments: SegmentLevel, pairs: Sequence[tuple[Rater, Rater]]) -> list[str]:
    """How many groups a mean is over, human score by human score."""
    if segments.grouping == "none":
        return []
    what = "items" if segments.grouping == "item" else "systems"
    phrases: dict[str, str] = {}
    for rater, human in pairs:
        groups = segments.groups(rater, human)
        skipped = f" ({groups.skipped} more have no Pearson)" if groups.skipped else ""
        phrases.setdefault(human.name, f"{human.label} over {groups.groups} {what}{skipped}")
    return [f"Means: {'; '.join(phrases.values())}."] if phrases else []


def _reasons(estimate_lists: Iterable[Sequence[Estimate]]) -> list[str]:
    """Each reason once, with all that is missing for it and all that it is true of."""
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
    two = level == "system" and any(estimate.n == 2 for estimates in estimate_lists for estimate in estimates)
    return ["Two systems always correlate at 1 or −1: this says no more than their order."] if two else []


def _turned(raters: Sequence[Rater]) -> list[str]:
    lower = [rater.label for rater in raters if not rater.higher_is_better]
    return [f"Lower is better in {', '.join(lower)}: the sign was turned."] if lower else []


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
