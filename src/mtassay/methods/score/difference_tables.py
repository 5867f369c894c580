"""Two systems side by side, as a person reads it: a table of lengths, then segments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mtassay.data.display import Block, Cell, Line, Table
from mtassay.data.marks import differing, plural
from mtassay.data.nouns import Result, Segment
from mtassay.measures.metric import Metric
from mtassay.methods.score.differences import (
    BucketScores,
    Differences,
    ResampledScore,
    SegmentDifference,
)
from mtassay.methods.score.score_tables import FEW


def difference_parts(
    found: Differences, metrics: Mapping[str, Metric], labels: Mapping[str, str]
) -> list[Table | Block]:
    """Tables, and below them the segments where one is better and where the other is, most first."""
    first, second = found.systems
    parts: list[Table | Block] = []
    if found.metric is not None:
        parts.append(_length_table(found, metrics[found.metric].decimals, labels[found.metric]))
    if found.metric is None:
        return [*parts, Block(title="No metric of this run scores segments; chrf does, with -m.")]
    wins, label = found.wins, labels[found.metric]
    equal = f"; {wins.ties:,} score the same" if wins.ties else ""
    said = f"{second} is better in {plural(wins.second, 'segment')}, {first} in {wins.first:,}{equal}"
    parts.append(Block(title=f"{label}, segment by segment: {said}."))
    for better, count, segments in (
        (second, wins.second, found.segments[1]),
        (first, wins.first, found.segments[0]),
    ):
        if segments:
            shown = f"{len(segments):,} of {count:,}; scores: {first} → {second}"
            parts.append(Block(title=f"Where {better} is better: {shown}"))
            parts += [_segment_block(segment, found, metrics, labels) for segment in segments]
    return parts


def segment_lines(
    segment: Segment | None, output: str, scores: Mapping[str, float], result: Result
) -> list[Line]:
    """One output compared with the reference that is nearest to it, and its scores, by metric.

    What the reference does not have is marked in the output; what the output does not have is below.
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


def _length_table(found: Differences, decimals: int, label: str) -> Table:
    few = any(bucket.n < FEW for bucket in found.lengths)
    notes = [f"n: segments. {_SPREAD}"]
    notes += [f"Fewer than {FEW}: intervals say little."] * few
    title = f"{label} by the length of the {found.measured}, in words"
    return _bucket_table("Words", found.lengths, found.systems, decimals=decimals, title=title, notes=notes)


_SPREAD = "±: half of the 95 % bootstrap interval."


def _bucket_table(
    what: str,
    buckets: Sequence[BucketScores],
    systems: tuple[str, str],
    *,
    decimals: int,
    title: str,
    notes: Sequence[str],
) -> Table:
    rows: list[list[Cell | str]] = []
    for bucket in buckets:
        row: list[Cell | str] = [bucket.label, f"{bucket.n:,}"]
        for estimate in (bucket.first, bucket.second):
            row += [_number(estimate.value, decimals), _spread(estimate, decimals)]
        delta = bucket.difference
        row += [_signed(delta.value, decimals), _spread(delta, decimals)]
        rows.append(row)
    first, second = systems
    return Table([what, "n", first, "±", second, "±", "Δ", "±"], rows, title=title, notes=notes)


def _segment_block(
    difference: SegmentDifference,
    found: Differences,
    metrics: Mapping[str, Metric],
    labels: Mapping[str, str],
) -> Block:
    """One segment: what the two outputs do not have in common is marked."""
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


_WIDEST = 20  # columns of a label that texts are indented by


def _number(value: float, decimals: int) -> str:
    if math.isnan(value):
        return "–"
    shown = f"{value:.{decimals}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", "−")


def _signed(value: float, decimals: int) -> str:
    shown = _number(value, decimals)
    return f"+{shown}" if value > 0 and float(f"{value:.{decimals}f}") > 0 else shown


def _spread(estimate: ResampledScore, decimals: int) -> str:
    return _number((estimate.high - estimate.low) / 2, decimals)


def difference_record(found: Differences) -> dict[str, Any]:
    """The same for a program; differences are the second system's minus the first's."""
    first, second = found.systems
    return {
        "systems": list(found.systems),
        "metric": found.metric,
        "tokenizer": found.tokenizer,
        "wins": {first: found.wins.first, second: found.wins.second},
        "ties": found.wins.ties,
        "segments": [
            {
                "id": d.segment.id,
                "source": d.segment.source,
                "references": list(d.segment.references),
                "outputs": dict(zip(found.systems, d.outputs, strict=True)),
                "scores": {
                    name: dict(zip(found.systems, both, strict=True)) for name, both in d.scores.items()
                },
                "better": better,
            }
            for better, segments in zip(found.systems, found.segments, strict=True)
            for d in segments
        ],
        "lengths": [_bucket_record(bucket, found) for bucket in found.lengths],
        "lengths_of": found.measured,
    }


def _bucket_record(bucket: BucketScores, found: Differences) -> dict[str, Any]:
    return {
        "from": bucket.start,
        "below": bucket.end,
        "n": bucket.n,
        "scores": {
            system: _estimate_record(estimate)
            for system, estimate in zip(found.systems, (bucket.first, bucket.second), strict=True)
        },
        "difference": _estimate_record(bucket.difference),
    }


def _estimate_record(estimate: ResampledScore) -> dict[str, float | None]:
    return {key: None if math.isnan(value) else value for key, value in estimate._asdict().items()}
