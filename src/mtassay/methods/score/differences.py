"""Where two systems differ: in which segments and lengths (Neubig et al. 2019, compare-mt).

Everything is about a first system, usually the baseline, and a second one. Differences are the second minus
the first; intervals are of 95 %, from resampled segments. Units without a defined score are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.nouns import Run, Segment, Statistics
from mtassay.measures.bleu import BLEU
from mtassay.measures.metric import Floats, Metric
from mtassay.measures.tokenizers import split_words
from mtassay.methods.score.score_tables import baseline_of, ordered_systems
from mtassay.stats import resampling

LENGTHS = (10, 20, 30, 40, 50, 60)
"""Where a new bucket of segments begins, in words."""


class SegmentDifference(NamedTuple):
    """A segment with both outputs and both scores under each metric; `gain` is how much better the second is.

    A gain is above 0 where the second system is better, whether high scores are good or low ones.
    """

    segment: Segment
    outputs: tuple[str, str]
    scores: Mapping[str, tuple[float, float]]
    gain: float


class Wins(NamedTuple):
    """In how many segments the first system is better, the second one, and neither."""

    first: int
    second: int
    ties: int


class ResampledScore(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


class BucketScores(NamedTuple):
    """Both scores of one part of the test set, and their difference; `n` is how much is in it.

    `start` and `end` say which: from so many words, or occurrences, up to but not with `end`.
    """

    start: int
    end: int | None
    n: int
    first: ResampledScore
    second: ResampledScore
    difference: ResampledScore

    @property
    def label(self) -> str:
        """The part as a person writes it.

        >>> nothing = ResampledScore(0.0, 0.0, 0.0)
        >>> ends = ((1, 2), (5, 10), (60, None))
        >>> [BucketScores(*pair, 1, nothing, nothing, nothing).label for pair in ends]
        ['1', '5–9', '60+']
        """
        if self.end is None:
            return f"{self.start:,}+"
        return f"{self.start:,}" if self.end == self.start + 1 else f"{self.start:,}–{self.end - 1:,}"


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """Both systems under one metric, unit by unit: the name of the metric, itself, ids, statistics."""

    name: str
    metric: Metric
    ids: Sequence[str]
    values: NDArray[np.generic]
    """Units, the two systems, columns."""

    @classmethod
    def of(
        cls, statistics: Sequence[Statistics], metrics: Mapping[str, Metric], systems: Sequence[str]
    ) -> list[PairStatistics]:
        """Those of two systems, metric by metric; metrics that are not installed any more are left out."""
        entries = {(entry.metric, entry.system): entry for entry in statistics}
        pairs = []
        for name, metric in metrics.items():
            chosen = [entries[name, system] for system in systems if (name, system) in entries]
            if len(chosen) == len(systems):
                values = np.stack([entry.values for entry in chosen], axis=1)
                pairs.append(cls(name, metric, chosen[0].ids, values))
        return pairs

    @property
    def unit_scores(self) -> Floats:
        """Units by systems."""
        return np.stack([self.metric.unit_scores(self.values[:, i]) for i in range(2)], axis=1)


def compare_segments(
    pairs: Sequence[PairStatistics],
    segments: Mapping[str, Segment],
    outputs: Sequence[Mapping[str, str | None]],
    *,
    count: int,
) -> tuple[list[SegmentDifference], list[SegmentDifference], Wins]:
    """Where the first system is better by most, where the second is, and how often, by the first metric.

    `segments` and the two `outputs` are by id. The largest difference comes first; of equal ones the segment
    that is earlier. Other metrics say nothing of a segment that they do not score.
    """
    chosen = pairs[0]
    scores = {pair.name: dict(zip(pair.ids, pair.unit_scores.tolist(), strict=True)) for pair in pairs}
    first, second = chosen.unit_scores.T
    gains = second - first if chosen.metric.higher_is_better else first - second

    def told(place: int) -> SegmentDifference:
        unit = chosen.ids[place]
        both = {name: tuple(by_id[unit]) for name, by_id in scores.items() if unit in by_id}
        defined = {name: (a, b) for name, (a, b) in both.items() if not math.isnan(a + b)}
        texts = outputs[0].get(unit) or "", outputs[1].get(unit) or ""
        return SegmentDifference(segments[unit], texts, defined, float(gains[place]))

    known = np.array([unit in segments for unit in chosen.ids], bool) & ~np.isnan(gains)
    gains = np.where(known, gains, 0.0)
    worse, better = np.argsort(gains, kind="stable"), np.argsort(-gains, kind="stable")
    wins = Wins(int((gains < 0).sum()), int((gains > 0).sum()), int(((gains == 0) & known).sum()))
    return (
        [told(place) for place in worse[: min(count, wins.first)].tolist()],
        [told(place) for place in better[: min(count, wins.second)].tolist()],
        wins,
    )


def scores_by_length(
    pair: PairStatistics, lengths: Mapping[str, int], *, samples: int, seed: int | None
) -> list[BucketScores]:
    """The corpus scores of the segments of each length, by the `LENGTHS`; `n` counts segments."""
    known = np.array([unit in lengths for unit in pair.ids], bool)
    known &= resampling.counted_units(pair.values, pair.metric.aggregate).all(axis=1)
    sizes = np.array([lengths.get(unit, 0) for unit in pair.ids])
    buckets = np.where(known, np.searchsorted(LENGTHS, sizes, side="right"), -1)
    found = []
    for number, (start, end) in enumerate(_ends((0, *LENGTHS))):
        values = pair.values[buckets == number]
        if len(values):
            scores = pair.metric.aggregate(values.sum(axis=0, dtype=np.float64))
            resampled = resampling.bootstrap_scores(values, pair.metric.aggregate, samples=samples, seed=seed)
            found.append(BucketScores(start, end, len(values), *_estimates(scores, resampled)))
    return found


def _ends(starts: Sequence[int]) -> list[tuple[int, int | None]]:
    return [*pairwise(starts), (starts[-1], None)]


def _estimates(scores: Floats, resampled: Floats) -> list[ResampledScore]:
    """Of the first system, of the second, and of their difference."""
    values = (*scores.tolist(), float(scores[1] - scores[0]))
    low, high = resampling.interval(np.column_stack((resampled, resampled[:, 1] - resampled[:, 0])))
    return [ResampledScore(*entry) for entry in zip(values, low.tolist(), high.tolist(), strict=True)]


_NO_WINS = Wins(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Differences:
    """All that tells two systems apart; of segments no more than were asked for, each way.

    `metric` is what segments and lengths are scored by, `None` where none scores segments: then there is
    nothing of both. `measured` says what lengths are those of, and `tokenizer` how words were found.
    """

    systems: tuple[str, str]
    metric: str | None
    tokenizer: str
    wins: Wins = _NO_WINS
    segments: tuple[Sequence[SegmentDifference], Sequence[SegmentDifference]] = ((), ())
    lengths: Sequence[BucketScores] = ()
    measured: str = "reference"


def find_differences(
    run: Run,
    metrics: Mapping[str, Metric],
    *,
    count: int,
    between: Sequence[str] = (),
    metric: str = "",
) -> Differences:
    """Shows two systems of a run side by side: those named, or the baseline and the best other one.

    `metric` is the name of one of the run's, the first that scores segments by default; `count` is how many
    segments each way.
    """
    segments = {segment.id: segment for segment in run.segments}
    scoring = _scoring(run, metrics, segments, metric)
    systems = _compared(run, {**scoring, **metrics}, between)
    pairs = PairStatistics.of(run.statistics, scoring, systems)
    split = _splitter(metrics, run.parameters.get("pair"))
    if not pairs:
        return Differences(systems, None, split.tokenizer)
    outputs = [{output.id: output.text for output in run.outputs[system]} for system in systems]
    compared = [segments[unit] for unit in pairs[0].ids if unit in segments]
    samples, seed = int(run.parameters.get("samples", 1000)), run.parameters.get("seed")
    with_reference = [s for s in compared if any(text is not None for text in s.references)]
    if with_reference:
        # The first reference that a segment has.
        references = split([next(filter(None, s.references), "") for s in with_reference])
        lengths = {s.id: len(reference) for s, reference in zip(with_reference, references, strict=True)}
    else:
        sources = split([s.source or "" for s in compared])
        lengths = {s.id: len(source) for s, source in zip(compared, sources, strict=True)}
    worse, better, wins = compare_segments(pairs, segments, outputs, count=count)
    return Differences(
        systems,
        pairs[0].name,
        split.tokenizer,
        wins,
        (worse, better),
        scores_by_length(pairs[0], lengths, samples=samples, seed=seed),
        "reference" if with_reference else "source",
    )


def _scoring(
    run: Run, metrics: Mapping[str, Metric], segments: Mapping[str, Segment], chosen: str
) -> dict[str, Metric]:
    """The metrics that score segments, the chosen one first."""
    by_segment = {entry.metric for entry in run.statistics if any(unit in segments for unit in entry.ids)}
    scoring = {name: metric for name, metric in metrics.items() if name in by_segment}
    if chosen and chosen not in scoring:
        known = ", ".join(scoring) or "none"
        raise UsageError(f"No metric '{chosen}' scores the segments of run {run.id}. Available: {known}.")
    return {chosen: scoring[chosen], **scoring} if chosen else scoring


def _compared(run: Run, metrics: Mapping[str, Metric], between: Sequence[str]) -> tuple[str, str]:
    """The two systems: the given ones, or the baseline and the best other one by the first metric."""
    available = f"Available: {', '.join(run.systems)}."
    if between:
        if len(set(between)) != 2 or len(between) != 2:
            raise UsageError(f"Give two systems to hold side by side, as A,B. {available}")
        if strange := [name for name in between if name not in run.systems]:
            raise UsageError(f"No system '{strange[0]}' to hold beside another. {available}")
        return between[0], between[1]
    if len(run.systems) < 2:
        raise UsageError(
            f"Differences are between two systems, and there is one: {run.systems[0]}. Add `systems`."
        )
    baseline = baseline_of(run)
    others = [system for system in run.systems if system != baseline]
    name = next(iter(metrics), "")
    ordered = [system for system in ordered_systems(run.result, name) if system in others]
    return baseline, ordered[0] if ordered else others[0]


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Splits texts into words as BLEU does."""

    tokenizer: str
    lowercase: bool = False

    def __call__(self, texts: Sequence[str]) -> list[list[str]]:
        return split_words(texts, self.tokenizer, lowercase=self.lowercase)


def _splitter(metrics: Mapping[str, Metric], pair: Sequence[str] | None) -> _Splitter:
    """As the run's BLEU, or else as the one for its language; by characters where that is not installed."""
    bleu = next((m for m in metrics.values() if isinstance(m, BLEU)), None)
    bleu = bleu or BLEU(language=pair[1] if pair else "")
    split = _Splitter(bleu.tokenizer, bleu.lowercase)
    try:
        split([""])
    except MtassayError:
        return replace(split, tokenizer="char")
    return split
