"""Report doubts about the references of a test set, one note for each, with the evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from mtassay.data.nouns import Segment
from mtassay.measures.chrf import ChrF
from mtassay.measures.given_scores import Scores, are_of_people
from mtassay.measures.metric import Metric

_WORDS = 5  # shorter lines are equal by chance
_LEAST = 10  # equal lines that mean something
_TIMES = 2.0  # the smallest ratio to the next system's count
_SURE = 4.0  # standard errors
_HUMAN = re.compile(r"ref|human", re.IGNORECASE)


def reference_notes(
    segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], metrics: Mapping[str, Metric]
) -> list[str]:
    """Notes on a post-edit of one system, disagreement about the best system, and a reference rated low.

    >>> segments = [Segment(str(n), None, (f"one two three four five {n}",)) for n in range(40)]
    >>> texts = {"a": [s.references[0] for s in segments], "b": ["something else"] * 40}
    >>> reference_notes(segments, texts, {})
    ['The reference may be a post-edit of a: 40 of 40 longer lines are equal; next system: 0. \
Scores favour a.']
    """
    if len(outputs) < 2:
        return []
    count = max((len(segment.references) for segment in segments), default=0)
    notes = [note for place in range(count) if (note := _post_edit(segments, outputs, place, count))]
    if count > 1 and (note := _disagreement(segments, outputs, count)):
        notes.append(note)
    return [*notes, *(note for metric in metrics.values() if (note := _rated_low(metric, list(outputs))))]


def _post_edit(
    segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], place: int, count: int
) -> str:
    lines = [(row, s.references[place]) for row, s in enumerate(segments) if len(s.references) > place]
    long = [(row, text) for row, text in lines if text and len(text.split()) >= _WORDS]
    equal = {system: sum(texts[row] == text for row, text in long) for system, texts in outputs.items()}
    (first, most), (_, second), *_ = sorted(equal.items(), key=lambda entry: -entry[1])
    # Lines that both have are the same sentence, so the two counts are about independent.
    if most < max(_LEAST, _TIMES * second) or most - second < _SURE * math.sqrt(most + second):
        return ""
    name = "The reference" if count == 1 else f"Reference {place + 1}"
    return (
        f"{name} may be a post-edit of {first}: {most:,} of {len(long):,} longer lines are equal; "
        f"next system: {second:,}. Scores favour {first}."
    )


def _disagreement(segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], count: int) -> str:
    """A note if single references disagree about the best system."""
    rows = [row for row, s in enumerate(segments) if len(s.references) == count and all(s.references)]
    texts = {system: [own[row] for row in rows] for system, own in outputs.items()}
    metric, told = ChrF(), []
    for place in range(count if rows else 0):
        single = [segments[row]._replace(references=(segments[row].references[place],)) for row in rows]
        measured = metric.measure(single, texts)
        values = metric.aggregate(
            np.stack([entry.values.sum(axis=0, dtype=np.float64) for entry in measured])
        )
        first, second = np.argsort(-values)[:2].tolist()
        names = list(texts)
        told.append(
            (names[first], f"{names[first]} by reference {place + 1} (+{values[first] - values[second]:.1f})")
        )
    if len({best for best, _ in told}) < 2:
        return ""
    return (
        f"References disagree about the best system ({metric.label}): {', '.join(text for _, text in told)}."
    )


def _rated_low(metric: Metric, systems: Sequence[str]) -> str:
    """A note if people rate a human translation below systems, on the segments that both have."""
    if not isinstance(metric, Scores) or not are_of_people(metric.label, metric.file):
        return ""
    scores = metric.by_system(systems)
    sign = 1 if metric.higher_is_better else -1
    for name, own in metric.by_system([]).items():
        if not _HUMAN.match(name) or name in systems:
            continue
        better = []
        for system, theirs in scores.items():
            both = [unit for unit in own if unit in theirs]
            gaps = np.array([sign * (theirs[unit] - own[unit]) for unit in both])
            if len(both) >= 2 * _LEAST and gaps.mean() > 2 * gaps.std(ddof=1) / math.sqrt(len(both)):
                better.append(f"{system} {sign * gaps.mean():+.1f} (n = {len(both):,})")
        if better:
            more = f" and {len(better) - 3} more" if len(better) > 3 else ""
            return (
                f"People rate the translation '{name}' below systems by {metric.label}: "
                f"{', '.join(better[:3])}{more}. If it is the reference, scores reward being worse."
            )
    return ""
