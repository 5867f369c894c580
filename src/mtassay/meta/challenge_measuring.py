"""Scores both outputs of every pair of a challenge set: by metrics of ours, or from files of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mtassay.core import Segment
from mtassay.engine import Report, execute
from mtassay.errors import UsageError
from mtassay.formats.challenge import SIDES, ChallengePair
from mtassay.formats.challenge_scores import read_challenge_scores
from mtassay.formats.text import FilePath
from mtassay.meta.challenge import Kind, MetricScores
from mtassay.meta.measuring import Measuring
from mtassay.metrics.base import Metric
from mtassay.store import Workspace
from mtassay.systems.stored import Stored

__all__ = ["measure_pairs", "read_pairs_scores"]


def measure_pairs(
    metrics: Mapping[str, Metric],
    pairs: Sequence[ChallengePair],
    *,
    workspace: Workspace | None = None,
    report: Report | None = None,
) -> list[MetricScores]:
    """Segment scores of all metrics, in order. A metric that reads references sees only pairs with one.

    A metric whose unit is the document takes each pair for one.
    """
    return [_measured(name, metric, pairs, workspace, report) for name, metric in metrics.items()]


def _measured(
    name: str,
    metric: Metric,
    pairs: Sequence[ChallengePair],
    workspace: Workspace | None,
    report: Report | None,
) -> MetricScores:
    if report:
        report(metric.label, 0, None)
    with_reference = metric.reads_references
    places = [i for i, pair in enumerate(pairs) if not with_reference or pair.reference is not None]
    if not places:
        raise UsageError(f"metric '{name}' reads references, and no pair has one. Take a reference-free one.")
    segments = [_segment(pairs[i], with_reference) for i in places]
    systems = [
        Stored(side, {pairs[i].id: getattr(pairs[i], side) for i in places})  # ids are those of the segments
        for side in SIDES
    ]
    method = Measuring(metrics={name: metric}, guards=False)
    judgement = execute(method, segments, systems, workspace=workspace, report=report).judgement
    row = {pairs[i].id: i for i in places}
    scores = {side: np.full(len(pairs), np.nan) for side in SIDES}
    signature = ""
    for entry in judgement.statistics:
        if entry.group == "all":
            values = metric.unit_scores(entry.values) * (1 if metric.higher_is_better else -1)
            scores[entry.system][[row[unit] for unit in entry.ids]] = values
            signature = metric.signature(segments)
    kind: Kind = "reference-based" if with_reference else "reference-free"
    return MetricScores(name, metric.label, kind, scores["correct"], scores["incorrect"], signature)


def _segment(pair: ChallengePair, with_reference: bool) -> Segment:
    references = (pair.reference,) if with_reference else ()
    return Segment(pair.id, pair.source, references, document=pair.id)


def read_pairs_scores(
    name: str,
    path: FilePath,
    pairs: Sequence[ChallengePair],
    *,
    kind: Kind,
    higher_is_better: bool = True,
) -> MetricScores:
    """The scores of a metric that was run elsewhere; see `read_challenge_scores` for the file.

    What a reference-based metric said about pairs without a reference is not taken.
    """
    found = read_challenge_scores(path, pairs)
    sign = 1.0 if higher_is_better else -1.0
    taken = np.array([kind == "reference-free" or pair.reference is not None for pair in pairs])
    correct, incorrect = (np.where(taken, sign * np.array(scores), np.nan) for scores in found)
    return MetricScores(name, name, kind, correct, incorrect)
