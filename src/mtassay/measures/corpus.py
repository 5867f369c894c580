"""Measures a corpus, with earlier results from the cache."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from mtassay import __version__
from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.formats.textfiles import read_bytes
from mtassay.data.language_packs import release_of
from mtassay.data.nouns import Finding, Output, RunContext, Segment, Statistics
from mtassay.data.settings import build, split_specs
from mtassay.measures.check import CheckContext
from mtassay.measures.check_run import choose_checks, run_checks, units_of
from mtassay.measures.given_scores import FunctionMetric, SegmentScore
from mtassay.measures.metric import CHUNK, Metric
from mtassay.runtime.database import pack_statistics, unpack_statistics
from mtassay.runtime.processes import can_fork, computed_beside, map_in_processes, process_count

ENOUGH_FOR_A_FORK = 300_000
"""From this number of output characters, a forked process saves time."""

# The same for a process that must be started and receive the texts.
_ENOUGH_FOR_A_START = 4_000_000

_HOW = {
    "source": "the source of each segment: add `source='FILE'`",
    "references": "references: add `references='FILE'`",
}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Segments and each system's outputs, in parallel and without gaps."""

    segments: Sequence[Segment]
    outputs: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, segments: Sequence[Segment], outputs: Mapping[str, Sequence[Output]]) -> Corpus:
        """Make a corpus of all segments; a missing answer is an empty output."""
        for system, answers in outputs.items():
            failed = [answer for answer in answers if answer.text is None]
            if failed and len(failed) == len(answers):
                kind = UsageError if failed[0].meta.get("skipped") else ServiceError
                raise kind(f"system '{system}' has not translated anything: {failed[0].error}")
        return cls(segments, {name: [answer.text or "" for answer in row] for name, row in outputs.items()})

    def usable(self, name: str, metric: Metric) -> Corpus:
        """Return the segments that meet the metric's needs."""
        if not metric.counts_empty_references and self.without_empty_references is not self:
            return self.without_empty_references.usable(name, metric)
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
    def unanswered(self) -> dict[str, set[str]]:
        """The segments that a system left without an answer: no output, or a blank output for a text."""
        asked = [
            (place, s.id)
            for place, s in enumerate(self.segments)
            if (s.source or next(filter(None, s.references), "")).strip()
        ]
        left = {
            system: {unit for place, unit in asked if not texts[place] or texts[place].isspace()}
            for system, texts in self.outputs.items()
        }
        return {system: units for system, units in left.items() if units}

    @cached_property
    def without_empty_references(self) -> Corpus:
        """Return the corpus with empty references marked as missing if the segment has another reference."""
        kept = [
            s._replace(references=tuple(text or None for text in s.references))
            if "" in s.references and any(s.references)
            else s
            for s in self.segments
        ]
        return self if kept == self.segments else Corpus(kept, self.outputs)

    @property
    def size(self) -> int:
        """The total number of characters of all outputs."""
        return sum(sum(map(len, texts)) for texts in self.outputs.values())

    def parts(self, size: int) -> Iterator[Corpus]:
        """Split the corpus into parts with this number of segments; empty without outputs."""
        for start in range(0, len(self.segments) if self.outputs else 0, max(1, size)):
            rows = slice(start, start + size)
            yield Corpus(self.segments[rows], {system: texts[rows] for system, texts in self.outputs.items()})

    @cached_property
    def digest(self) -> str:
        """A digest of everything that a metric may read, except for the outputs."""
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
        """A digest of each system's outputs."""
        return {system: digest_of(texts) for system, texts in self.outputs.items()}


class MeasuredMetric(NamedTuple):
    """The statistics of each system under a metric, in order, and the measured corpus."""

    name: str
    metric: Metric
    corpus: Corpus
    statistics: list[Statistics]


def measure_all(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    context: RunContext,
    *,
    extra: Mapping[str, object] | None = None,
) -> Iterator[MeasuredMetric]:
    """Measure all systems with each metric, on the segments that meet its needs.

    The keys of `metrics` name the statistics; `extra` goes into the signatures.
    """
    at_once = _measured_at_once(metrics, corpus, context) if context.workers == 1 else {}
    for done, (name, metric) in enumerate(metrics.items()):
        context.progress(metric.label, done, len(metrics))
        if name in at_once:
            usable, measured = at_once[name]
        else:
            usable = corpus.usable(name, metric)
            prepared = metric.prepare(usable.segments, context)
            if prepared is not usable.segments:
                usable = Corpus(prepared, usable.outputs)
            measured = measure(metric, usable, context)
        signature = metric.signature(usable.segments, extra=extra)
        statistics = [replace(entry, metric=name, signature=signature) for entry in measured]
        yield MeasuredMetric(name, metric, usable, statistics)


def _measured_at_once(
    metrics: Mapping[str, Metric], corpus: Corpus, context: RunContext
) -> dict[str, tuple[Corpus, list[Statistics]]]:
    """Measure the metrics whose work can be shared: their corpora and statistics."""
    jobs = {
        name: _Job.of(metric, corpus.usable(name, metric), context)
        for name, metric in metrics.items()
        if _is_shared(metric)
    }
    if not jobs:
        return {}
    context.progress(", ".join(job.metric.label for job in jobs.values()), 0, None)
    fresh = measure_at_once([(job.metric, job.missing) for job in jobs.values()])
    return {
        name: (job.corpus, job.finish(measured, context))
        for (name, job), measured in zip(jobs.items(), fresh, strict=True)
    }


def measure_at_once(work: Sequence[tuple[Metric, Corpus]]) -> list[list[Statistics]]:
    """Call `Metric.measure` for each metric; `shared` metrics are measured in parts on all cores."""
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


def measure(metric: Metric, corpus: Corpus, context: RunContext) -> list[Statistics]:
    """Call `metric.measure` for all systems that are not in the cache."""
    if not metric.cacheable:
        return metric.measure_with(corpus.segments, corpus.outputs, context)
    job = _Job.of(metric, corpus, context)
    missing = job.missing
    if not missing.outputs:
        fresh = []
    elif context.workers > 1 and 0 < metric.batch < len(corpus.segments):
        fresh = _joined(list(context.map(partial(_measure_part, metric), missing.parts(metric.batch))))
    elif _is_shared(metric):
        (fresh,) = measure_at_once([(metric, missing)])
    else:
        fresh = metric.measure_with(missing.segments, missing.outputs, context)
    return job.finish(fresh, context)


def _is_shared(metric: Metric) -> bool:
    """Whether parts can be measured in any process; only known classes, since a subclass may differ."""
    kind = type(metric)
    is_plain = kind.prepare is Metric.prepare and kind.measure_with is Metric.measure_with
    return metric.shared and metric.cacheable and is_plain


class _Job(NamedTuple):
    """A metric on a corpus, and its cached statistics: `cached` by system, under the `keys`."""

    metric: Metric
    corpus: Corpus
    keys: Mapping[str, str]
    cached: Mapping[str, bytes]

    @classmethod
    def of(cls, metric: Metric, corpus: Corpus, context: RunContext) -> _Job:
        """Make the job with everything that the cache has."""
        what = [
            __version__,
            code_stamp(type(metric).__module__),
            repr(metric),
            metric.signature(corpus.segments),
            corpus.digest,
        ]
        keys = {system: digest_of([*what, digest]) for system, digest in corpus.output_digests.items()}
        cached = {system: value for system, key in keys.items() if (value := context.recall(key)) is not None}
        return cls(metric, corpus, keys, cached)

    @property
    def missing(self) -> Corpus:
        """The part that is not measured yet."""
        outputs = {name: texts for name, texts in self.corpus.outputs.items() if name not in self.cached}
        return Corpus(self.corpus.segments, outputs)

    def finish(self, measured: Sequence[Statistics], context: RunContext) -> list[Statistics]:
        """Cache the newly measured statistics, and return the statistics of all systems."""
        fresh = {entry.system: entry for entry in measured}
        for system, entry in fresh.items():
            context.remember(self.keys[system], pack_statistics(entry))
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
    """Join the statistics of parts of the segments for each system."""
    return [
        replace(
            of_system[0],
            ids=[key for part in of_system for key in part.ids],
            values=np.concatenate([part.values for part in of_system]),
        )
        for of_system in zip(*parts, strict=True)
    ]


def code_stamp(module: str) -> str:
    """The time and size of a module's file, so that changes of a metric's code invalidate the cache."""
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
    """A digest that identifies the sequence of texts."""
    # The lengths distinguish ["ab", "c"] from ["a", "bc"].
    digest = hashlib.blake2b(np.fromiter(map(len, texts), np.int64, len(texts)).tobytes(), digest_size=20)
    digest.update("".join(texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def open_metrics(
    specs: Iterable[str | SegmentScore], pair: Sequence[str] | None, *, terms: Sequence[str] = ()
) -> dict[str, Metric]:
    """Build metrics from specifications (`bleu,chrf++` or a function), for the languages if known.

    `terms` are glossaries for metrics that read them.
    """
    known: dict[str, Any] = {"language": pair[1], "langpair": "-".join(pair)} if pair else {"language": ""}
    if terms:
        known["glossaries"] = tuple(terms)
    metrics: dict[str, Metric] = {}
    for spec in specs:
        if isinstance(spec, str):
            metrics |= {part: build("metric", part, **known) for part in split_specs(spec)}
            continue
        metric = FunctionMetric.of(spec)
        if metric.function in metrics:
            raise UsageError(f"Two metrics are called '{metric.function}'. Give the function another name.")
        metrics[metric.function] = metric
    return metrics


def saved_metric(
    name: str, described: str, pair: Sequence[str] | None, *, terms: Sequence[str] = ()
) -> Metric:
    """Rebuild a metric of a saved run; of a function, only the description is saved."""
    if described.startswith(FunctionMetric.__name__):
        return FunctionMetric.described(described)
    (metric,) = open_metrics([name], pair, terms=terms).values()
    return metric


def labels_of(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """The label of each metric; variants of the same metric keep their specifications."""
    shared = Counter(metric.label for metric in metrics.values())
    return {n: m.label if shared[m.label] == 1 else n for n, m in metrics.items()}


@contextmanager
def checked(
    corpus: Corpus,
    pair: tuple[str, str] | None,
    checks: Sequence[str],
    metrics: Mapping[str, Metric],
    context: RunContext,
    *,
    terms: Sequence[str] = (),
) -> Iterator[Callable[[], dict[str, list[Finding]]]]:
    """Start checks, and yield a function that returns findings by system and adds `notes_on_inputs`.

    Cached results are not computed again. If the run has workers, they compute the rest at this call.
    """
    for name, metric in metrics.items():
        corpus.usable(name, metric)  # missing references come first
    glossary = None
    if terms:
        from mtassay.data.formats.glossaries import read_glossaries  # loads slowly, and rarely needed

        glossary = read_glossaries(terms)
    check_context = CheckContext(*(pair or (None, None)), terms=glossary)
    chosen = choose_checks(checks, (), check_context).checks
    stamps = [text for check in chosen for text in (check.id, code_stamp(type(check).__module__))]
    what = [__version__, release_of("py3langid"), str(pair), corpus.digest]
    what += [text for item in corpus.output_digests.items() for text in item]
    glossaries = [digest_of([path, read_bytes(path).hex()]) for path in terms]
    settings = [text for name, metric in metrics.items() for text in (name, repr(metric))]
    findings_key = digest_of(["checks", *what, *glossaries, *stamps])
    notes_key = digest_of(["inputs", *what, *settings])
    known_findings, known_notes = context.recall(findings_key), context.recall(notes_key)

    def compute() -> tuple[dict[str, list[Finding]] | None, list[str] | None]:
        findings, notes = None, None
        if known_findings is None:
            units = {name: units_of(corpus.segments, texts) for name, texts in corpus.outputs.items()}
            findings = run_checks(chosen, units, check_context, run=context, processes=1)
        if known_notes is None:
            from mtassay.measures.plausibility import notes_on_inputs

            notes = notes_on_inputs(corpus.segments, corpus.outputs, pair=pair, metrics=metrics)
        return findings, notes

    def finish(found: tuple[dict[str, list[Finding]] | None, list[str] | None]) -> dict[str, list[Finding]]:
        findings, notes = found
        if findings is not None:
            stored = {name: [asdict(finding) for finding in own] for name, own in findings.items()}
            context.remember(findings_key, json.dumps(stored).encode())
        if notes is not None:
            context.remember(notes_key, json.dumps(notes).encode())
        for note in notes if notes is not None else json.loads(known_notes or b"[]"):
            context.note(note)
        if findings is not None:
            return findings
        kept = json.loads(known_findings or b"{}")
        return {name: [Finding(**finding) for finding in own] for name, own in kept.items()}

    is_known = known_findings is not None and known_notes is not None
    if is_known or corpus.size < ENOUGH_FOR_A_FORK or context.workers > 1:
        yield lambda: finish(compute())
        return
    with computed_beside(compute) as answer:
        yield lambda: finish(answer())
