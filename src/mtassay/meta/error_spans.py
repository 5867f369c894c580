"""Agreement of the errors that a judge marks with errors that people marked, by character.

As in "The Devil is in the Errors" (Fernandes et al. 2023), precision is the share of the judge's marked
characters that people also marked. Recall is the share of people's marked characters that the judge also
marked. Omissions do not count, since they are marked in the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mtassay.data.display import Table
from mtassay.data.formats.score_files import ScoreColumn
from mtassay.data.nouns import Score, Segment
from mtassay.measures.metric import Metric
from mtassay.stats.proportions import bootstrap_interval

NAMES = ("span precision", "span recall", "span F1")
Places = set[int]


def compare_spans(
    metric: Metric,
    column: ScoreColumn,
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str | None]],
    *,
    seed: int | None,
) -> list[Score]:
    """Precision, recall and F1 (percent) of the marked characters in all outputs that both rated."""
    rows = []
    for system, texts in outputs.items():
        people = column.spans.get(system, {})
        rated = [
            (segment, text, people[segment.id])
            for segment, text in zip(segments, texts, strict=True)
            if text and people.get(segment.id) is not None
        ]
        found = {
            finding.case_id: finding
            for finding in metric.findings([s for s, _, _ in rated], system, [t for _, t, _ in rated])
        }
        for segment, text, errors in rated:
            finding = found.get(segment.id)
            if finding is not None and finding.verdict == "undecided":
                continue
            marked = finding.evidence.get("errors", ()) if finding else ()
            ours = _places(text, [(e["start"], e["end"]) for e in marked if e["in"] == "output"])
            theirs = _places(text, [(e.start, e.end) for e in errors or () if not e.is_source_error])
            rows.append((len(ours & theirs), len(ours), len(theirs)))
    if not rows:
        return []
    counts = np.array(rows, float)
    scores = []
    for place, name in enumerate(NAMES):
        low, high = bootstrap_interval(
            lambda drawn, place=place: _shares(drawn)[place], [counts], seed=seed, axis=0
        )
        value = _shares(counts)[place]
        known = not np.isnan(value)
        scores.append(
            Score(name, column.name, metric.label, value, len(rows), low, high)
            if known
            else Score(name, column.name, metric.label, None, len(rows))
        )
    return scores


def _places(text: str, spans: Sequence[tuple[int, int]]) -> Places:
    return {i for start, end in spans for i in range(start, min(end, len(text))) if not text[i].isspace()}


def _shares(counts: NDArray[np.float64]) -> tuple[float, float, float]:
    """Precision, recall and F1 in percent; nan if nothing is marked."""
    both, ours, theirs = map(float, counts.sum(axis=0))
    precision = 100 * both / ours if ours else float("nan")
    recall = 100 * both / theirs if theirs else float("nan")
    return precision, recall, 200 * both / (ours + theirs) if ours + theirs else float("nan")


def spans_table(scores: Sequence[Score]) -> Table | None:
    """A table with a row for each judge and rater."""
    rows: dict[tuple[str, str], list[str]] = {}
    for score in scores:
        told = "–" if score.value is None else f"{score.value:.1f} [{score.low:.1f}–{score.high:.1f}]"
        rows.setdefault((score.group, score.system), []).append(told)
    sizes = {(score.group, score.system): f"{score.n:,}" for score in scores}
    header = ["Judge", "people", "outputs", "precision", "recall", "F1"]
    notes = ["Shares of the characters marked as errors in outputs, in %, with 95 % intervals."]
    body = [[*key, sizes[key], *told] for key, told in rows.items()]
    return Table(header, body, "Error spans", notes) if rows else None
