"""Runs metrics over outputs, through the cache: as raters of systems, and on the pairs of a challenge set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from mtassay.core import Segment, Statistics
from mtassay.engine import EngineTools, Report, translate
from mtassay.errors import InputError, UsageError
from mtassay.formats.challenge import SIDES, ChallengePair, read_challenge_scores
from mtassay.formats.text import FilePath
from mtassay.meta.challenge import Kind, MetricScores
from mtassay.meta.correlate import Settings
from mtassay.meta.rater import Frame, Rater, rater_from_statistics
from mtassay.meta.sweep import Sweep
from mtassay.metrics.base import Metric
from mtassay.metrics.measure import Corpus, measure_all
from mtassay.store import Workspace
from mtassay.systems.stored import Stored

__all__ = ["Measured", "measure_pairs", "measure_raters", "read_pairs_scores"]


@dataclass(frozen=True, slots=True)
class Measured:
    """The metrics in their order, and the n-gram lengths of the sweep in theirs."""

    metrics: list[Rater]
    sweep: list[Rater]


def measure_raters(
    metrics: Mapping[str, Metric],
    sweep: Sweep | None,
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str | None]],
    frame: Frame,
    *,
    settings: Settings,
    labels: Mapping[str, str],
    workspace: Workspace | None = None,
    report: Report | None = None,
) -> Measured:
    """Raters for all metrics and all orders of the sweep; `labels` go into the signatures."""
    wanted = {**metrics, **({sweep.widest: sweep.metric} if sweep else {})}
    if not wanted:
        return Measured([], [])
    systems = [
        Stored(name, {segment.id: text for segment, text in zip(segments, outputs[name], strict=True)})
        for name in frame.systems
    ]
    extra = {"bs": settings.samples, "seed": str(settings.seed).lower(), **labels}
    tables = _statistics(wanted, segments, systems, workspace, report, extra)
    with_segments = settings.level == "segment"
    return Measured(
        [
            rater_from_statistics(name, metric, tables[name], frame, with_segments=with_segments)
            for name, metric in metrics.items()
        ],
        sweep.raters(tables[sweep.widest], frame, with_segments=with_segments) if sweep else [],
    )


def _statistics(
    metrics: Mapping[str, Metric],
    segments: Sequence[Segment],
    systems: Sequence[Stored],
    workspace: Workspace | None,
    report: Report | None,
    extra: Mapping[str, object] | None = None,
) -> dict[str, list[Statistics]]:
    """What each metric measures of all systems, by the name of the metric."""
    tools = EngineTools(workspace, report or (lambda step, done, total: None))
    corpus = Corpus.of(segments, translate(segments, systems, tools))
    tables = {entry.name: entry.statistics for entry in measure_all(metrics, corpus, tools, extra=extra)}
    tools.keep()
    return tables


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
    row = {pairs[i].id: i for i in places}
    scores = {side: np.full(len(pairs), np.nan) for side in SIDES}
    for entry in _statistics({name: metric}, segments, systems, workspace, report)[name]:
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
    given: FilePath | Sequence[tuple[float, float]],
    pairs: Sequence[ChallengePair],
    *,
    kind: Kind,
    higher_is_better: bool = True,
) -> MetricScores:
    """The scores of a metric that was run elsewhere; see `read_challenge_scores` for a file of them.

    Those in memory are the scores of the correct and the incorrect output of each pair, nan for none. What
    a reference-based metric said about pairs without a reference is not taken.
    """
    found: Iterable[Sequence[float]]
    if isinstance(given, str | PathLike):
        found = read_challenge_scores(given, pairs)
    elif len(given) != len(pairs):
        raise InputError(f"'{name}' has {len(given):,} pairs of scores for {len(pairs):,} pairs of outputs")
    else:
        found = zip(*given, strict=True)
    sign = 1.0 if higher_is_better else -1.0
    taken = np.array([kind == "reference-free" or pair.reference is not None for pair in pairs])
    correct, incorrect = (np.where(taken, sign * np.array(scores), np.nan) for scores in found)
    return MetricScores(name, name, kind, correct, incorrect)
