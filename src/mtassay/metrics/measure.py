"""Measures a corpus, taking from the cache what was found out before."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from mtassay import __version__
from mtassay.core import Output, Segment, Statistics, Tools
from mtassay.errors import MtassayError, ServiceError, UsageError
from mtassay.metrics.base import CHUNK, Metric
from mtassay.processes import can_fork, map_in_processes, process_count
from mtassay.store import pack_statistics, unpack_statistics

ENOUGH_FOR_A_FORK = 300_000
"""Characters of outputs that are worth a process which has them already."""

# The same for a process that has to be started, and told.
_ENOUGH_FOR_A_START = 4_000_000

_HOW = {"source": "the source of each segment: add -s FILE", "references": "references: add -r FILE"}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Segments and, for each system, their outputs, side by side and without gaps."""

    segments: Sequence[Segment]
    outputs: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, segments: Sequence[Segment], outputs: Mapping[str, Sequence[Output]]) -> Corpus:
        """The segments that every system has answered: only these can be compared."""
        texts = {system: [answer.text for answer in answers] for system, answers in outputs.items()}
        kept = [i for i, row in enumerate(zip(*texts.values(), strict=True)) if None not in row]
        if not kept:
            raise _nothing(outputs)
        answered = {system: [column[i] or "" for i in kept] for system, column in texts.items()}
        return cls([segments[i] for i in kept], answered)

    def usable(self, name: str, metric: Metric) -> Corpus:
        """The segments that have what the metric needs."""
        rows = range(len(self.segments))
        for need in sorted(metric.needs):
            rows = [i for i in rows if _has(self.segments[i], need)]  # type: ignore[assignment]
            if not rows:
                raise UsageError(f"metric '{name}' needs {_HOW[need]}")
        if len(rows) == len(self.segments):
            return self
        return Corpus(
            [self.segments[i] for i in rows],
            {system: [texts[i] for i in rows] for system, texts in self.outputs.items()},
        )

    @property
    def size(self) -> int:
        """How many characters all outputs have together."""
        return sum(sum(map(len, texts)) for texts in self.outputs.values())

    def parts(self, size: int) -> Iterator[Corpus]:
        """The same, so many segments at a time; nothing where there are no outputs."""
        for start in range(0, len(self.segments) if self.outputs else 0, max(1, size)):
            rows = slice(start, start + size)
            yield Corpus(self.segments[rows], {system: texts[rows] for system, texts in self.outputs.items()})

    @cached_property
    def digest(self) -> str:
        """Of all that a metric may look at, but the outputs."""
        texts: list[str] = []
        for segment in self.segments:
            texts += (
                segment.id,
                "\1" if segment.source is None else segment.source,
                str(len(segment.references)),
            )
            texts += (reference if reference is not None else "\1" for reference in segment.references)
        return digest_of(texts)

    @cached_property
    def output_digests(self) -> dict[str, str]:
        """Of each system's outputs."""
        return {system: digest_of(texts) for system, texts in self.outputs.items()}


class MeasuredMetric(NamedTuple):
    """The statistics of each system under one metric, in order, and what they were measured on."""

    name: str
    metric: Metric
    corpus: Corpus
    statistics: list[Statistics]


def _nothing(outputs: Mapping[str, Sequence[Output]]) -> MtassayError:
    for system, answers in outputs.items():
        failed = [answer for answer in answers if answer.text is None]
        if failed and len(failed) == len(answers):
            kind = UsageError if failed[0].meta.get("skipped") else ServiceError
            return kind(f"system '{system}' has not translated anything: {failed[0].error}")
    return UsageError("There is no segment that every system has translated: nothing to compare.")


def measure_all(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    tools: Tools,
    *,
    extra: Mapping[str, object] | None = None,
) -> Iterator[MeasuredMetric]:
    """What each metric measures of all systems, on the segments that have what it needs.

    Metrics are by the name that their statistics get; `extra` goes into the signatures.
    """
    at_once = _measured_at_once(metrics, corpus, tools) if tools.workers == 1 else {}
    for done, (name, metric) in enumerate(metrics.items()):
        tools.progress(metric.label, done, len(metrics))
        if name in at_once:
            usable, measured = at_once[name]
        else:
            usable = corpus.usable(name, metric)
            prepared = metric.prepare(usable.segments, tools)
            if prepared is not usable.segments:
                usable = Corpus(prepared, usable.outputs)
            measured = measure(metric, usable, tools)
        signature = metric.signature(usable.segments, extra=extra)
        statistics = [replace(entry, metric=name, signature=signature) for entry in measured]
        yield MeasuredMetric(name, metric, usable, statistics)


def _measured_at_once(
    metrics: Mapping[str, Metric], corpus: Corpus, tools: Tools
) -> dict[str, tuple[Corpus, list[Statistics]]]:
    """Of the metrics whose work is shared: what they are measured on, and their statistics."""
    jobs = {
        name: _Job.of(metric, corpus.usable(name, metric), tools)
        for name, metric in metrics.items()
        if _is_shared(metric)
    }
    if not jobs:
        return {}
    tools.progress(", ".join(job.metric.label for job in jobs.values()), 0, None)
    fresh = measure_at_once([(job.metric, job.missing) for job in jobs.values()])
    return {
        name: (job.corpus, job.finish(measured, tools))
        for (name, job), measured in zip(jobs.items(), fresh, strict=True)
    }


def measure_at_once(work: Sequence[tuple[Metric, Corpus]]) -> list[list[Statistics]]:
    """`Metric.measure` for each of these; of the `shared` ones in parts, for all cores at once."""
    size = sum(corpus.size for _, corpus in work)
    processes = min(
        process_count(), max(1, size // (ENOUGH_FOR_A_FORK if can_fork() else _ENOUGH_FOR_A_START))
    )
    tasks = [
        (number, metric, part)
        for number, (metric, corpus) in enumerate(work)
        if _is_shared(metric)
        for part in corpus.parts(min(CHUNK, -(-len(corpus.segments) // processes)))
    ]
    parts: list[list[list[Statistics]]] = [[] for _ in work]
    for number, measured in map_in_processes(_measure_task, tasks, processes=processes):
        parts[number].append(measured)
    return [
        _joined(own) if _is_shared(metric) else metric.measure(corpus.segments, corpus.outputs)
        for (metric, corpus), own in zip(work, parts, strict=True)
    ]


def measure(metric: Metric, corpus: Corpus, tools: Tools) -> list[Statistics]:
    """`metric.measure` for all systems, but only for those that the cache does not know."""
    if not metric.cacheable:
        return metric.measure_with(corpus.segments, corpus.outputs, tools)
    job = _Job.of(metric, corpus, tools)
    missing = job.missing
    if not missing.outputs:
        fresh = []
    elif tools.workers > 1 and 0 < metric.batch < len(corpus.segments):
        fresh = _joined(list(tools.map(partial(_measure_part, metric), missing.parts(metric.batch))))
    elif _is_shared(metric):
        (fresh,) = measure_at_once([(metric, missing)])
    else:
        fresh = metric.measure_with(missing.segments, missing.outputs, tools)
    return job.finish(fresh, tools)


def _is_shared(metric: Metric) -> bool:
    """Whether its parts can be measured anywhere; who inherits from such a metric may have added to it."""
    kind = type(metric)
    is_plain = kind.prepare is Metric.prepare and kind.measure_with is Metric.measure_with
    return metric.shared and metric.cacheable and is_plain


class _Job(NamedTuple):
    """A metric on a corpus, and what the cache knows of it: `cached` by system, under the `keys`."""

    metric: Metric
    corpus: Corpus
    keys: Mapping[str, str]
    cached: Mapping[str, bytes]

    @classmethod
    def of(cls, metric: Metric, corpus: Corpus, tools: Tools) -> _Job:
        """What the cache knows."""
        what = [
            __version__,
            code_stamp(type(metric).__module__),
            repr(metric),
            metric.signature(corpus.segments),
            corpus.digest,
        ]
        keys = {system: digest_of([*what, digest]) for system, digest in corpus.output_digests.items()}
        cached = {system: value for system, key in keys.items() if (value := tools.recall(key)) is not None}
        return cls(metric, corpus, keys, cached)

    @property
    def missing(self) -> Corpus:
        """What is still to be measured."""
        outputs = {name: texts for name, texts in self.corpus.outputs.items() if name not in self.cached}
        return Corpus(self.corpus.segments, outputs)

    def finish(self, measured: Sequence[Statistics], tools: Tools) -> list[Statistics]:
        """The statistics of all systems, once the missing ones are measured; these are kept."""
        fresh = {entry.system: entry for entry in measured}
        for system, entry in fresh.items():
            tools.remember(self.keys[system], pack_statistics(entry))
        return [
            fresh[system]
            if system in fresh
            else unpack_statistics(self.cached[system], self.metric.name, system)
            for system in self.corpus.outputs
        ]


def _measure_task(task: tuple[int, Metric, Corpus]) -> tuple[int, list[Statistics]]:
    number, metric, part = task
    return number, _measure_part(metric, part)


def _measure_part(metric: Metric, part: Corpus) -> list[Statistics]:
    return metric.measure(part.segments, part.outputs)


def _joined(parts: Sequence[Sequence[Statistics]]) -> list[Statistics]:
    """The statistics of each system, from those of parts of the segments."""
    return [
        replace(
            of_system[0],
            ids=[key for part in of_system for key in part.ids],
            values=np.concatenate([part.values for part in of_system]),
        )
        for of_system in zip(*parts, strict=True)
    ]


def code_stamp(module: str) -> str:
    """When a module was written, and how long it is: who changes a metric wants to see the difference."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not os.path.exists(path):  # noqa: PTH110
        return ""
    status = os.stat(path)  # noqa: PTH116
    return f"{status.st_mtime_ns}:{status.st_size}"


def _has(segment: Segment, need: str) -> bool:
    if need == "source":
        return segment.source is not None
    return segment.references.count(None) < len(segment.references)


def digest_of(texts: Sequence[str]) -> str:
    """Another one for any other row of texts."""
    # The lengths keep ["ab", "c"] apart from ["a", "bc"].
    digest = hashlib.blake2b(np.fromiter(map(len, texts), np.int64, len(texts)).tobytes(), digest_size=20)
    digest.update("".join(texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
