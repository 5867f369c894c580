"""Where two systems differ: in which segments, n-grams, lengths and words (Neubig et al. 2019, compare-mt).

Everything is about a first system, usually the baseline, and a second one. Differences are the second minus
the first; intervals are of 95 %, from resampled segments. Units without a defined score are left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.nouns import Run, Segment, Statistics
from mtassay.measures.bleu import BLEU
from mtassay.measures.metric import Floats, Metric
from mtassay.measures.ngrams import Ints, Symbols, WordNumbers
from mtassay.measures.tokenizers import SplitTexts, reference_streams, split_words
from mtassay.methods.score.score_tables import baseline_of, ordered_systems
from mtassay.stats import resampling

ORDER = 4
LENGTHS = (10, 20, 30, 40, 50, 60)
"""Where a new bucket of segments begins, in words."""
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)
"""Where a new bucket of words begins, in occurrences."""

Words = Sequence[Sequence[str]]
"""The words of each segment."""


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


class NgramDifference(NamedTuple):
    """An n-gram: how often each system has it right, and how often it is in the references.

    A segment's occurrences count as often as in the one of its references that has most of them.
    """

    words: tuple[str, ...]
    first: int
    second: int
    references: int

    @property
    def ratio(self) -> float:
        """Which share of the right ones is the second system's, each count one higher: 0 to 1.

        >>> NgramDifference(("a", "b"), 0, 3, 4).ratio
        0.8
        """
        return (self.second + 1) / (self.first + self.second + 2)

    @property
    def reversed(self) -> NgramDifference:
        """The same with the systems in the other order."""
        return self._replace(first=self.second, second=self.first)


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


def compare_ngrams(
    references: Sequence[Words], first: Words, second: Words, *, order: int = ORDER
) -> list[NgramDifference]:
    """All n-grams, of one word to `order` words, that either system has right, the shorter first.

    `references` has one entry for each reference stream; where a segment lacks one, no words. A system has
    an n-gram right as often as it is in the output, but not more often than in the reference that has most.
    """
    split = [SplitTexts.of(words) for words in (first, second, *references)]
    numbers = WordNumbers(part.words for part in split[2:])
    vocabulary = ["", *numbers]
    windows = _Windows.of([numbers.encode(*part) for part in split])
    symbols, segments = windows.symbols.tolist(), len(first)
    found: list[NgramDifference] = []
    for n in range(1, order + 1):
        grams, starts = windows.grams()
        cells, cell = np.unique(grams * segments + windows.segment, return_inverse=True)
        counts = [
            np.bincount(cell[windows.stream == stream], minlength=len(cells))
            for stream in range(2 + len(references))
        ]
        allowed = np.maximum.reduce(counts[2:])
        parts = (np.minimum(counts[0], allowed), np.minimum(counts[1], allowed), allowed)
        totals = np.array([np.bincount(cells // segments, part, len(starts)) for part in parts], np.int64)
        is_right = totals[0] + totals[1] > 0
        for start, *numbers_right in np.vstack((starts, totals)).T[is_right].tolist():
            words = tuple(map(vocabulary.__getitem__, symbols[start : start + n]))
            found.append(NgramDifference(words, *numbers_right))
        # What nobody has right is not right with another word behind it.
        windows = windows.longer(grams, is_right[grams])
    return found


def most_telling(ngrams: Sequence[NgramDifference], *, count: int) -> list[NgramDifference]:
    """Those that the second system has right more often, by `ratio`; of equal ones the longer first.

    Left out is what is only a part of one before it, right in the same places as far as counts can tell.

    >>> whole, part = NgramDifference(("a", "b"), 0, 3, 3), NgramDifference(("a",), 0, 3, 5)
    >>> most_telling([part, whole, NgramDifference(("c",), 2, 2, 2)], count=5) == [whole]
    True
    """
    telling = [ngram for ngram in ngrams if ngram.second > ngram.first]
    ranked = sorted(telling, key=lambda ngram: (-ngram.ratio, -ngram.second, -len(ngram.words), ngram.words))
    chosen: list[NgramDifference] = []
    for ngram in ranked:
        if len(chosen) == count:
            break
        if not any(_is_part(ngram, other) for other in chosen):
            chosen.append(ngram)
    return chosen


def _is_part(ngram: NgramDifference, other: NgramDifference) -> bool:
    size = len(ngram.words)
    places = range(len(other.words) - size + 1)
    return (ngram.first, ngram.second) == (other.first, other.second) and any(
        other.words[place : place + size] == ngram.words for place in places
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Windows:
    """Places in a row of symbols, each the beginning of an n-gram: which streams and segments they are of."""

    symbols: Ints
    place: Ints
    """Where each n-gram begins among the symbols."""
    left: Ints
    """How many more symbols follow it in its segment."""
    segment: Ints
    stream: Ints
    key: Ints
    """The same for equal n-grams, and for no others."""
    size: int = 1

    @classmethod
    def of(cls, streams: Sequence[Symbols]) -> _Windows:
        symbols = np.concatenate([stream.values for stream in streams]).astype(np.int64)
        lengths = np.concatenate([stream.lengths for stream in streams])
        segment = np.repeat(np.concatenate([np.arange(len(s.lengths)) for s in streams]), lengths)
        stream = np.repeat(np.arange(len(streams)), [len(s.values) for s in streams])
        place = np.arange(len(symbols))
        left = np.repeat(np.cumsum(lengths), lengths) - place - 1
        whole = cls(symbols, place, left, segment, stream, symbols)
        return whole._where(symbols > 0)  # 0 is a word that no reference has

    def grams(self) -> tuple[Ints, Ints]:
        """The number of the n-gram at each place, and for each number a beginning of it."""
        _, at, numbers = np.unique(self.key, return_index=True, return_inverse=True)
        return numbers, self.place[at]

    def longer(self, grams: Ints, kept: NDArray[np.bool_]) -> _Windows:
        """Those of the kept n-grams that go on, by one symbol longer."""
        goes_on = kept & (self.left > 0)
        going = self._where(goes_on)
        last = self.symbols[going.place + self.size]
        key = grams[goes_on] * (int(self.symbols.max(initial=0)) + 1) + last
        return replace(going, left=going.left - 1, key=key, size=self.size + 1)._where(last > 0)

    def _where(self, kept: NDArray[np.bool_]) -> _Windows:
        names = ("place", "left", "segment", "stream", "key")
        return replace(self, **{name: getattr(self, name)[kept] for name in names})


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


def words_by_frequency(
    references: Words,
    first: Words,
    second: Words,
    *,
    frequencies: Mapping[str, int],
    samples: int,
    seed: int | None,
) -> list[BucketScores]:
    """F1 in percent of the words of each frequency, by the `FREQUENCIES`; `n` counts words of the reference.

    A word of an output is right as often as it is in the reference of its segment, wherever it is.
    """
    split = [SplitTexts.of(words) for words in (references, first, second)]
    numbers = WordNumbers(part.words for part in split)
    known = np.fromiter((frequencies.get(word, 0) for word in numbers), np.int64, len(numbers))
    buckets = np.searchsorted(FREQUENCIES, known, side="right")
    size = len(FREQUENCIES) + 1
    segments = len(references)
    encoded = [numbers.encode(*part) for part in split]
    segment = np.concatenate([np.repeat(np.arange(segments), symbols.lengths) for symbols in encoded])
    word = np.concatenate([symbols.values for symbols in encoded]).astype(np.int64) - 1
    stream = np.repeat(np.arange(3), [len(symbols.values) for symbols in encoded])
    cells, cell = np.unique(segment * max(len(numbers), 1) + word, return_inverse=True)
    counts = [np.bincount(cell[stream == i], minlength=len(cells)) for i in range(3)]
    rows, words = np.divmod(cells, max(len(numbers), 1))
    at = rows * size + buckets[words]

    def by_bucket(part: Ints) -> Ints:
        return np.bincount(at, part, segments * size).astype(np.int64).reshape(segments, size)

    in_reference = by_bucket(counts[0])
    # Segments, systems, buckets; then what is right, and what is in output and reference together.
    values = np.stack(
        [
            np.stack((by_bucket(np.minimum(part, counts[0])), by_bucket(part) + in_reference), axis=-1)
            for part in counts[1:]
        ],
        axis=1,
    )
    sums = values.sum(axis=0, dtype=np.float64)
    resampled = _f1(resampling.bootstrap_sums([values], samples=samples, seed=seed)[0])
    return [
        BucketScores(
            start, end, int(in_reference[:, i].sum()), *_estimates(_f1(sums)[:, i], resampled[:, :, i])
        )
        for i, (start, end) in enumerate(_ends((0, *FREQUENCIES)))
        if in_reference[:, i].any()
    ]


def _f1(sums: Floats) -> Floats:
    right, both = sums[..., 0], sums[..., 1]
    return np.divide(200 * right, both, out=np.full_like(right, np.nan), where=both > 0)


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
    """All that tells two systems apart; of segments and n-grams no more than were asked for, each way.

    `metric` is what segments and lengths are scored by, `None` where none scores segments: then there is
    nothing of both. `measured` says what lengths are those of, and `tokenizer` how words were found. There is
    nothing of n-grams and words without references. `is_trained` says that a training text was counted.
    """

    systems: tuple[str, str]
    metric: str | None
    tokenizer: str
    wins: Wins = _NO_WINS
    segments: tuple[Sequence[SegmentDifference], Sequence[SegmentDifference]] = ((), ())
    ngrams: tuple[Sequence[NgramDifference], Sequence[NgramDifference]] = ((), ())
    lengths: Sequence[BucketScores] = ()
    words: Sequence[BucketScores] = ()
    measured: str = "reference"
    is_trained: bool = False


def find_differences(
    run: Run,
    metrics: Mapping[str, Metric],
    *,
    count: int,
    between: Sequence[str] = (),
    metric: str = "",
    training: Sequence[str] = (),
) -> Differences:
    """Shows two systems of a run side by side: those named, or the baseline and the best other one.

    `metric` is the name of one of the run's, the first that scores segments by default; `count` is how many
    segments and n-grams each way. Words are counted in the texts of `training`, or else in the references.
    """
    segments = {segment.id: segment for segment in run.segments}
    scoring = _scoring(run, metrics, segments, metric)
    systems = _compared(run, {**scoring, **metrics}, between)
    pairs = PairStatistics.of(run.statistics, scoring, systems)
    outputs = [{output.id: output.text for output in run.outputs[system]} for system in systems]
    answered = [unit for unit in segments if all(texts.get(unit) is not None for texts in outputs)]
    ids = pairs[0].ids if pairs else answered
    compared = [segments[unit] for unit in ids if unit in segments]
    split = _splitter(metrics, run.parameters.get("pair"))
    samples, seed = int(run.parameters.get("samples", 1000)), run.parameters.get("seed")
    found = Differences(systems, pairs[0].name if pairs else None, split.tokenizer)
    with_reference = [s for s in compared if any(text is not None for text in s.references)]
    if with_reference:
        streams = reference_streams(with_reference)
        words = [split([text or "" for text in stream]) for stream in streams]
        # The first reference that a segment has; an empty one only where there is no other.
        references = [
            next((words[i][place] for i, text in enumerate(texts) if text), [])
            for place, texts in enumerate(zip(*streams, strict=True))
        ]
        first, second = (split([texts.get(s.id) or "" for s in with_reference]) for texts in outputs)
        counts = Counter(chain.from_iterable(split(training) if training else references))
        ngrams = compare_ngrams(words, first, second)
        found = replace(
            found,
            ngrams=(
                most_telling([n.reversed for n in ngrams if n.first > n.second], count=count),
                most_telling(ngrams, count=count),
            ),
            words=words_by_frequency(
                references, first, second, frequencies=counts, samples=samples, seed=seed
            ),
            is_trained=bool(training),
        )
        lengths = {s.id: len(reference) for s, reference in zip(with_reference, references, strict=True)}
    else:
        sources = split([s.source or "" for s in compared])
        lengths = {s.id: len(source) for s, source in zip(compared, sources, strict=True)}
    if not pairs:
        return found
    worse, better, wins = compare_segments(pairs, segments, outputs, count=count)
    return replace(
        found,
        wins=wins,
        segments=(worse, better),
        lengths=scores_by_length(pairs[0], lengths, samples=samples, seed=seed),
        measured="reference" if with_reference else "source",
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
