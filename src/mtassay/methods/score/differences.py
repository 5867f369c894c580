"""Differences between two systems, by segment (Neubig et al. 2019, compare-mt).

The first system is usually the baseline. Units without a defined score are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.display import Block, Line
from mtassay.data.errors import UsageError
from mtassay.data.marks import differing, plural
from mtassay.data.nouns import Result, Run, Segment, Statistics
from mtassay.measures.metric import Floats, Metric
from mtassay.methods.score.score_tables import baseline_of, ordered_systems


class SegmentDifference(NamedTuple):
    """A segment with both outputs and their scores under each metric; `gain` is the second system's lead.

    A gain is above 0 if the second system is better, also for metrics where lower is better.
    """

    segment: Segment
    outputs: tuple[str, str]
    scores: Mapping[str, tuple[float, float]]
    gain: float


class Wins(NamedTuple):
    """Counts of segments: the first system is better, the second is better, or neither."""

    first: int
    second: int
    ties: int


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """The statistics of two systems under one metric, unit by unit."""

    name: str
    metric: Metric
    ids: Sequence[str]
    values: NDArray[np.generic]
    """Axes: units, the two systems, columns."""

    @classmethod
    def of(
        cls, statistics: Sequence[Statistics], metrics: Mapping[str, Metric], systems: Sequence[str]
    ) -> list[PairStatistics]:
        """Statistics of two systems for each metric; metrics that are no longer installed are left out."""
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
        """The score of each unit (units, systems)."""
        return np.stack([self.metric.unit_scores(self.values[:, i]) for i in range(2)], axis=1)


def compare_segments(
    pairs: Sequence[PairStatistics],
    segments: Mapping[str, Segment],
    outputs: Sequence[Mapping[str, str | None]],
    *,
    count: int,
) -> tuple[list[SegmentDifference], list[SegmentDifference], Wins]:
    """Find the largest leads of each system, and count them, by the first metric.

    `segments` and both `outputs` are by id. The largest difference comes first; equal differences keep the
    order of the segments. Other metrics are missing for segments that they do not score.
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


_NO_WINS = Wins(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences between two systems, with a limited number of segments in each direction.

    `metric` is the metric that scores segments. If no metric does, it is `None` and there are no segments.
    """

    systems: tuple[str, str]
    metric: str | None
    wins: Wins = _NO_WINS
    segments: tuple[Sequence[SegmentDifference], Sequence[SegmentDifference]] = ((), ())


def find_differences(
    run: Run, metrics: Mapping[str, Metric], *, count: int, between: Sequence[str] = (), metric: str = ""
) -> Differences:
    """Compare two systems of a run: the named systems, or the baseline and the best other system.

    `metric` names a metric of the run, by default the first that scores segments. `count` is the number of
    segments in each direction.
    """
    segments = {segment.id: segment for segment in run.segments}
    scoring = _scoring(run, metrics, segments, metric)
    systems = _compared(run, {**scoring, **metrics}, between)
    pairs = PairStatistics.of(run.statistics, scoring, systems)
    if not pairs:
        return Differences(systems, None)
    outputs = [{output.id: output.text for output in run.outputs[system]} for system in systems]
    worse, better, wins = compare_segments(pairs, segments, outputs, count=count)
    return Differences(systems, pairs[0].name, wins, (worse, better))


def _scoring(
    run: Run, metrics: Mapping[str, Metric], segments: Mapping[str, Segment], chosen: str
) -> dict[str, Metric]:
    """The metrics that score segments, the chosen metric first."""
    by_segment = {entry.metric for entry in run.statistics if any(unit in segments for unit in entry.ids)}
    scoring = {name: metric for name, metric in metrics.items() if name in by_segment}
    if chosen and chosen not in scoring:
        known = ", ".join(scoring) or "none"
        raise UsageError(f"No metric '{chosen}' scores the segments of run {run.id}. Available: {known}.")
    return {chosen: scoring[chosen], **scoring} if chosen else scoring


def _compared(run: Run, metrics: Mapping[str, Metric], between: Sequence[str]) -> tuple[str, str]:
    """The given two systems, or the baseline and the best other system by the first metric."""
    available = f"Available: {', '.join(run.systems)}."
    if between:
        if len(set(between)) != 2 or len(between) != 2:
            raise UsageError(f"Give two systems to compare side by side, as A,B. {available}")
        if strange := [name for name in between if name not in run.systems]:
            raise UsageError(f"No system '{strange[0]}' to compare with another. {available}")
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


def difference_parts(
    found: Differences, metrics: Mapping[str, Metric], labels: Mapping[str, str]
) -> list[Block]:
    """The segments where each system is better, the largest difference first."""
    first, second = found.systems
    if found.metric is None:
        return [Block(title="No metric of this run scores segments; chrf does, with -m.")]
    wins, label = found.wins, labels[found.metric]
    equal = f"; {wins.ties:,} score the same" if wins.ties else ""
    said = f"{second} is better in {plural(wins.second, 'segment')}, {first} in {wins.first:,}{equal}"
    parts = [Block(title=f"{label}, segment by segment: {said}.")]
    for better, count, segments in (
        (second, wins.second, found.segments[1]),
        (first, wins.first, found.segments[0]),
    ):
        if segments:
            shown = f"{len(segments):,} of {count:,} shown; scores of {first} → {second}"
            parts.append(Block(title=f"Segments where {better} is better: {shown}"))
            parts += [_segment_block(segment, found, metrics, labels) for segment in segments]
    return parts


def segment_lines(
    segment: Segment | None, output: str, scores: Mapping[str, float], result: Result
) -> list[Line]:
    """Compare one output with the most similar reference, and show its scores by metric.

    Words that are not in the reference are marked in the output; a line below has the missing words.
    """
    references = [text for text in segment.references if text] if segment else []
    compared = [(text, *differing(text, output)) for text in references]
    reference, missing, marks = min(
        compared, key=lambda entry: _size(entry[1]) + _size(entry[2]), default=("", [], [])
    )
    lines = [Line("output", output, marks)]
    if missing:
        lines.append(Line("missing", " … ".join(reference[start:end] for start, end in missing)))
    return [*lines, Line("scores", result.scores_text(scores))] if scores else lines


def _size(spans: Sequence[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)


def _segment_block(
    difference: SegmentDifference,
    found: Differences,
    metrics: Mapping[str, Metric],
    labels: Mapping[str, str],
) -> Block:
    """Show one segment with the differences between both outputs marked."""
    segment = difference.segment
    scores = [
        f"{labels[name]} {_number(a, metrics[name].decimals)} → {_number(b, metrics[name].decimals)}"
        for name, (a, b) in difference.scores.items()
    ]
    lines = [Line("source", segment.source)] if segment.source is not None else []
    lines += [Line("reference", text) for text in segment.references if text]
    marks = differing(*difference.outputs)
    lines += [
        Line(system, text, spans)
        for system, text, spans in zip(found.systems, difference.outputs, marks, strict=True)
    ]
    width = max(len(line.label or "") for line in lines)
    return Block(lines, " · ".join((segment.id, *scores)), label=min(width, _WIDEST) + 4)


_WIDEST = 20  # widest label (columns), which indents texts


def _number(value: float, decimals: int) -> str:
    if math.isnan(value):
        return "–"
    shown = f"{value:.{decimals}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", "−")


def difference_record(found: Differences) -> dict[str, Any]:
    """The differences as JSON data."""
    first, second = found.systems
    return {
        "systems": list(found.systems),
        "metric": found.metric,
        "wins": {first: found.wins.first, second: found.wins.second},
        "ties": found.wins.ties,
        "segments": [
            {
                "id": d.segment.id,
                "source": d.segment.source,
                "references": list(d.segment.references),
                "outputs": dict(zip(found.systems, d.outputs, strict=True)),
                "scores": {n: dict(zip(found.systems, both, strict=True)) for n, both in d.scores.items()},
                "better": better,
            }
            for better, segments in zip(found.systems, found.segments, strict=True)
            for d in segments
        ],
    }
