"""Scores with intervals for any number of lines in bounded memory: files are read block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mtassay import stats
from mtassay.core import Result, Segment, Tools
from mtassay.errors import InputError, UsageError
from mtassay.formats.text import check_text, text_blocks
from mtassay.methods.score.comparison import MetricColumn, SystemTests
from mtassay.methods.score.tables import WHOLE
from mtassay.metrics.base import Metric
from mtassay.metrics.guards import find_guard_hits
from mtassay.metrics.measure import Corpus, measure_at_once

__all__ = ["BLOCK", "StreamedFiles", "score_stream"]

BLOCK = 65536
"""Lines that are in memory at a time."""


class StreamedFiles:
    """Files of lines that belong together: source, references, and the outputs of each system."""

    def __init__(self, source: str | None, references: Sequence[str], outputs: Mapping[str, str]) -> None:
        self._source, self._references, self.outputs = source, references, outputs

    @property
    def references(self) -> int:
        """How many references there are."""
        return len(self._references)

    def count(self) -> int:
        """How many lines each file has; `InputError` where one has more than another, or is no text."""
        for path in self._paths:
            if path.endswith(".gz"):
                raise InputError("--stream reads plain text: decompress it first", path=path)
        counts = {path: check_text(path) for path in self._paths}
        short, long = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        if counts[short] != counts[long]:
            raise InputError(f"{counts[short]:,} lines, and {long} has {counts[long]:,}", path=short)
        return counts[short]

    def blocks(self) -> Iterator[Corpus]:
        """The texts, `BLOCK` lines at a time, of files that were counted."""
        done = 0
        for parts in zip(*(text_blocks(path, BLOCK) for path in self._paths), strict=True):
            first = 0 if self._source is None else 1
            source: Sequence[str | None] = parts[0] if first else [None] * len(parts[0])
            references = list(zip(*parts[first : first + len(self._references)], strict=True))
            segments = [
                Segment(str(number), text, texts)
                for number, (text, texts) in enumerate(zip(source, references, strict=True), done + 1)
            ]
            outputs = parts[first + len(self._references) :]
            yield Corpus(segments, dict(zip(self.outputs, outputs, strict=True)))
            done += len(segments)

    @property
    def _paths(self) -> list[str]:
        source = [] if self._source is None else [self._source]
        return [*source, *self._references, *self.outputs.values()]


def score_stream(
    files: StreamedFiles,
    metrics: Mapping[str, Metric],
    labels: Mapping[str, str],
    how: SystemTests,
    tools: Tools,
    *,
    pair: tuple[str, str] | None,
    guards: bool,
    extra: Mapping[str, object],
) -> Result:
    """What `ScoreMethod` finds, but for findings and scores of segments: those are not kept.

    Outputs are compared by the paired bootstrap, since its resamples are there.
    """
    for name, metric in metrics.items():
        if not metric.cacheable or metric.reads_ids or metric.asks_models:
            raise UsageError(
                f"--stream: metric '{name}' needs all segments at once. Leave out --stream or it."
            )
    total = files.count()
    sums = stats.StreamedSums(total, samples=how.samples, seed=how.seed)
    counts = {system: Counter[str](segments=0) for system in files.outputs}
    signatures: dict[str, str] = {}
    for corpus in files.blocks():
        tools.progress("lines", sums.units, total)
        for name, metric in metrics.items():
            if corpus.usable(name, metric) is not corpus:
                raise UsageError(f"--stream: metric '{name}' lacks something in some lines.")
            signatures[name] = metric.signature(corpus.segments, extra=extra)
        measured = measure_at_once([(metric, corpus) for metric in metrics.values()])
        sums.add([np.stack([entry.values for entry in own], axis=1) for own in measured])
        if guards:
            for system, found in find_guard_hits(corpus.segments, corpus.outputs, pair=pair).counts.items():
                counts[system].update(found)
    columns = [
        MetricColumn(
            name,
            WHOLE,
            metric,
            list(files.outputs),
            [signatures[name]] * len(files.outputs),
            sums.units,
            totals,
            metric.aggregate(totals),
            metric.aggregate(resampled),
            np.empty((0, 0, 0)),
        )
        for (name, metric), totals, resampled in zip(
            metrics.items(), sums.totals, sums.resampled, strict=True
        )
    ]
    results = how.conclude(columns, labels)
    shown_counts: dict[str, dict[str, Any]] = {
        system: {**found, "segments": sums.units, "skipped": 0} for system, found in counts.items()
    }
    return Result(
        scores=[score for result in results for score in result.scores],
        comparisons=[comparison for result in results for comparison in result.comparisons],
        clusters=[cluster for result in results for cluster in result.clusters],
        counts=shown_counts,
        basis={"streamed": {"segments": sums.units, "references": files.references}},
    )
