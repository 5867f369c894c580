"""Corpus scores with intervals, significance and clusters (Papineni et al. 2002; Koehn 2004)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import (
    Case,
    Cluster,
    Comparison,
    Judgement,
    Method,
    Output,
    Result,
    Score,
    Segment,
    Statistics,
    Tools,
)
from mtassay.errors import UsageError
from mtassay.methods.missing import missing
from mtassay.metrics.base import Metric
from mtassay.metrics.measure import Corpus, guard, measure


@dataclass(frozen=True)
class ScoreMethod(Method):
    """Scores outputs against references with any number of metrics, by name.

    All pairs of systems are compared; `baseline` says which comparisons a report shows first. `test` is
    how two systems are compared; `samples` resamples give the intervals, and the p-values of the
    bootstrap test; `trials` those of the randomization test; `correction` adjusts p-values for the number
    of pairs. `by` names a tag of the segments (or "document"): each of its values is scored on its own
    too. `labels` (test set, language pair…) go into the signatures.
    """

    name: ClassVar[str] = "score"

    metrics: Mapping[str, Metric]
    baseline: str | None = None
    pair: tuple[str, str] | None = None
    test: Literal["bootstrap", "randomization"] = "bootstrap"
    samples: int = 1000
    trials: int = 10000
    seed: int | None = 12345
    alpha: float = 0.05
    correction: Literal["none", "bonferroni", "holm", "bh"] = "none"
    by: str | None = None
    guards: bool = True
    evidence: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        return [
            Case(
                s.id,
                s.id,
                (s.source,),
                {"references": s.references},
                s.tags if s.document is None else {**s.tags, "document": s.document},
            )
            for s in segments
        ]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        corpus = Corpus.of(cases, outputs)
        counts = {
            system: {"segments": len(cases), "skipped": sum(output.text is None for output in answers)}
            for system, answers in outputs.items()
        }
        findings = [
            missing(output, system)
            for system, answers in outputs.items()
            for output in answers
            if output.text is None
        ]
        if self.guards:
            tools.progress("guards", 0, None)
            guards = guard(corpus, self.pair, tools)
            for system in outputs:
                counts[system] |= guards.counts[system]
                if unchecked := guards.unchecked.get(system):
                    counts[system]["language_unchecked"] = unchecked
                findings += guards.findings[system]
        statistics: list[Statistics] = []
        for done, (name, metric) in enumerate(self.metrics.items()):
            tools.progress(metric.label, done, len(self.metrics))
            usable = corpus.usable(name, metric)
            signature = metric.signature(usable.segments, extra=self._resampling)
            for measured in measure(metric, usable, tools):
                named = replace(measured, metric=name, signature=signature)
                statistics += [named, *_parts(named, metric), *_groups(named, usable.segments, self.by)]
            if self.evidence:
                for system, texts in usable.outputs.items():
                    findings += metric.findings(usable.segments, system, texts)
        return Judgement(findings, statistics, counts)

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        tools.progress("significance", 0, None)
        tables: dict[tuple[str, str], list[Statistics]] = {}
        for entry in judgement.statistics:
            tables.setdefault((entry.metric, entry.group), []).append(entry)
        results = list(self._compare(list(tables.values())))
        return Result(
            scores=[score for result in results for score in result.scores],
            comparisons=[comparison for result in results for comparison in result.comparisons],
            clusters=[cluster for result in results for cluster in result.clusters],
            counts=judgement.counts,
        )

    @property
    def _resampling(self) -> dict[str, object]:
        """What sacreBLEU says in a signature about resampling; `labels` besides."""
        seed = str(self.seed).lower()
        trials = {"ar": self.trials} if self.test == "randomization" else {}
        return {"bs": self.samples, **trials, "seed": seed, **self.labels}

    def _compare(self, tables: Sequence[Sequence[Statistics]]) -> Iterator[Result]:
        """One result per table of statistics. Tables of the same units share their resamples."""
        resampled: dict[int, NDArray[np.float64]] = {}
        stacked = [np.stack([entry.values for entry in table], axis=1) for table in tables]
        for size in {len(values) for values in stacked}:
            same = [i for i, values in enumerate(stacked) if len(values) == size]
            sums = stats.bootstrap_sums([stacked[i] for i in same], samples=self.samples, seed=self.seed)
            resampled.update(zip(same, sums, strict=True))
        for i, table in enumerate(tables):
            yield self._compare_systems(table, stacked[i], resampled[i])

    def _compare_systems(
        self, table: Sequence[Statistics], values: NDArray[Any], resampled_sums: NDArray[np.float64]
    ) -> Result:
        """Scores, all pairs and clusters for `values` (units, systems, columns)."""
        metric, group = self.metrics[table[0].metric], table[0].group
        names = {"name": table[0].metric, "group": group}
        systems = [entry.system for entry in table]
        sums = values.sum(axis=0, dtype=np.float64)
        points = metric.aggregate(sums)
        resampled = metric.aggregate(resampled_sums)
        low, high = stats.interval(resampled)
        scores = [
            Score(
                **names,
                system=system,
                value=_defined(points[i]),
                n=metric.size(sums[i], len(values)),
                low=_defined(low[i]),
                high=_defined(high[i]),
                signature=table[i].signature,
            )
            for i, system in enumerate(systems)
        ]
        if len(systems) == 1:
            return Result(scores)
        p = stats.adjust(self._p_values(metric, values, points, resampled), method=self.correction)
        errors = stats.difference_standard_errors(resampled)
        comparisons = [
            Comparison(
                **names,
                a=systems[a],
                b=systems[b],
                delta=_defined(points[a] - points[b]),
                p=_defined(p[a, b]),
                detectable=_defined(stats.detectable_difference(errors[a, b], alpha=self.alpha)),
                more=self._more(points[a] - points[b], p[a, b], errors[a, b], len(values)),
            )
            for a, b in combinations(range(len(systems)), 2)
        ]
        ranked = np.argsort(-points if metric.higher_is_better else points, kind="stable")
        grouped = stats.clusters(ranked.tolist(), p, alpha=self.alpha)
        clusters = [
            Cluster(**names, rank=1 + sum(map(len, grouped[:i])), systems=tuple(systems[j] for j in members))
            for i, members in enumerate(grouped)
        ]
        return Result(scores, comparisons, clusters)

    def _more(self, delta: float, p: float, error: float, n: int) -> int | None:
        """How many more units would settle a difference; `None` where the tests do not agree."""
        if p < self.alpha:
            return 0
        return stats.units_to_settle(delta, error, n, alpha=self.alpha) or None

    def _p_values(
        self, metric: Metric, values: NDArray[Any], points: NDArray[Any], resampled: NDArray[Any]
    ) -> NDArray[np.float64]:
        if self.test == "randomization":
            return stats.paired_randomization(values, metric.aggregate, trials=self.trials, seed=self.seed)
        return stats.paired_bootstrap(points, resampled)


def _parts(measured: Statistics, metric: Metric) -> list[Statistics]:
    """The named parts of a metric, such as entity types, as statistics of their own."""
    return [
        replace(
            measured,
            columns=[measured.columns[i] for i in chosen],
            values=measured.values[:, chosen],
            group=part,
        )
        for part, chosen in metric.groups(measured.columns).items()
    ]


def _groups(measured: Statistics, segments: Sequence[Segment], by: str | None) -> list[Statistics]:
    """The statistics of each group of segments; units without this tag are in no group."""
    if by is None:
        return []
    tags = {s.id: s.document if by == "document" else s.tags.get(by) for s in segments}
    # A unit of a metric that counts per document is named after its document.
    tags |= {s.document: tags[s.id] for s in segments if s.document is not None}
    rows: dict[str, list[int]] = {}
    for row, unit in enumerate(measured.ids):
        if tags.get(unit) is not None:
            rows.setdefault(str(tags[unit]), []).append(row)
    if not rows:
        raise UsageError(f"No segment has a '{by}'. Give the segments documents with --documents.")
    return [
        replace(measured, ids=[measured.ids[i] for i in chosen], values=measured.values[chosen], group=group)
        for group, chosen in rows.items()
    ]


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
