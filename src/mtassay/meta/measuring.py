"""Runs metrics over outputs and gives them as raters, through the cache like any score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.core import Judgement, Result, Segment, Tools
from mtassay.engine import Report, execute
from mtassay.meta.correlate import Settings
from mtassay.meta.rater import Frame, Rater, rater_from_statistics
from mtassay.meta.sweep import Sweep
from mtassay.methods.score.method import ScoreMethod
from mtassay.metrics.base import Metric
from mtassay.store import Workspace
from mtassay.systems.stored import Stored


@dataclass(frozen=True)
class Measuring(ScoreMethod):
    """The first half of scoring: statistics, and no conclusions from them."""

    name: ClassVar[str] = "measure"

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        return Result()


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
    method = Measuring(
        metrics=wanted, samples=settings.samples, seed=settings.seed, guards=False, labels=labels
    )
    systems = [
        Stored(name, {segment.id: text for segment, text in zip(segments, outputs[name], strict=True)})
        for name in frame.systems
    ]
    judgement = execute(method, segments, systems, workspace=workspace, report=report).judgement
    tables = {
        name: [entry for entry in judgement.statistics if entry.metric == name and entry.group == "all"]
        for name in wanted
    }
    with_segments = settings.level == "segment"
    return Measured(
        [
            rater_from_statistics(name, metric, tables[name], frame, with_segments=with_segments)
            for name, metric in metrics.items()
        ],
        sweep.raters(tables[sweep.widest], frame, with_segments=with_segments) if sweep else [],
    )
