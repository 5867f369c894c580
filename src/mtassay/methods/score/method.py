"""Corpus scores with intervals, significance and clusters (Papineni et al. 2002; Koehn 2004)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import (
    Case,
    Cluster,
    Comparison,
    Finding,
    Judgement,
    Output,
    Result,
    Run,
    Score,
    Segment,
    Statistics,
    Tools,
)
from mtassay.display import PLAIN, Figure, Table, View
from mtassay.errors import MtassayError, UsageError
from mtassay.languages import parse_pair
from mtassay.method import Method
from mtassay.methods.missing import missing
from mtassay.methods.score.evidence import SegmentEvidence
from mtassay.methods.score.tables import (
    comparison_table,
    group_tables,
    guard_table,
    main_table,
    score_figures,
    signature_lines,
)
from mtassay.metrics.base import Metric
from mtassay.metrics.measure import Corpus, guard, measure_all
from mtassay.options import build, option, split_specs

__all__ = ["ScoreMethod"]

METRICS = "bleu,chrf"


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

    metrics: Mapping[str, Metric] = field(
        metadata=option(
            f"Metrics with options: bleu,chrf++,nee:unit=segment,ter. Default: {METRICS}.",
            "--metric",
            "-m",
            metavar="NAMES",
            kind=list[str] | None,
            default=None,
        )
    )
    baseline: str | None = field(
        default=None,
        metadata=option(
            "The system to compare with. Default: the first.", metavar="NAME", in_signature=False
        ),
    )
    pair: tuple[str, str] | None = None
    test: Literal["bootstrap", "randomization"] = field(
        default="bootstrap", metadata=option("How two systems are compared.")
    )
    samples: int = field(default=1000, metadata=option("Bootstrap resamples.", least=100))
    trials: int = field(default=10000, metadata=option("Trials of the randomization test.", least=100))
    seed: int | None = field(
        default=12345,
        metadata=option(
            "Seed of all draws. Default: $SACREBLEU_SEED or 12345.", kind=int | None, default=None, least=0
        ),
    )
    alpha: float = field(
        default=0.05, metadata=option("Level of significance.", least=0.0001, most=0.5, in_signature=False)
    )
    correction: Literal["none", "bonferroni", "holm", "bh"] = field(
        default="none", metadata=option("Correct p-values for the number of pairs.")
    )
    by: str | None = field(
        default=None, metadata=option("Also score each domain, document or other tag apart.", metavar="TAG")
    )
    guards: bool = field(
        default=True, metadata=option("Look for empty, copied, wrong-language… outputs.", in_signature=False)
    )
    evidence: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def resolve(cls, given: Mapping[str, Any], run: Run | None = None) -> Self:
        """Metrics may be given as text, `bleu,chrf++`, or as a list of such texts; the pair too."""
        values = dict(given)
        pair = values.get("pair")
        if isinstance(pair, str):
            both = parse_pair(pair)
            values["pair"] = pair = (str(both.source), str(both.target))
        if run is None or values.get("metrics") is not None:
            values["metrics"] = _metrics(values.get("metrics"), pair[1] if pair else "")
        if run is None and values.get("seed") is None:
            values["seed"] = stats.default_seed()
            if values["seed"] is None:  # which is to say that every run draws anew
                return replace(super().resolve(values), seed=None)
        return super().resolve(values, run)

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        saved = super().restore(parameters)
        pair = saved.get("pair")
        return saved | {"metrics": _metrics(list(saved.get("metrics") or ()), pair[1] if pair else "")}

    def check(self, systems: Sequence[str]) -> None:
        if self.baseline is not None and self.baseline not in systems:
            raise UsageError(
                f"No system '{self.baseline}' to take as the baseline. Available: {', '.join(systems)}."
            )

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
        corpus = Corpus.of([_segment(case) for case in cases], outputs)
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
        for _, metric, usable, measured in measure_all(self.metrics, corpus, tools, extra=self._resampling):
            for entry in measured:
                statistics += [entry, *_parts(entry, metric), *_groups(entry, usable.segments, self.by)]
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

    def units(self, judgement: Judgement) -> list[dict[str, Any]]:
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for entry in judgement.statistics:
            if entry.group == "all":
                values = self.metrics[entry.metric].unit_scores(entry.values).tolist()
                for unit, value in zip(entry.ids, values, strict=True):
                    row = rows.setdefault((entry.system, unit), {"system": entry.system, "id": unit})
                    row[entry.metric] = value
        columns = ("system", "id", *self.metrics)
        return [{column: row.get(column) for column in columns} for row in rows.values()]

    @cached_property
    def _labels(self) -> dict[str, str]:
        return _labels_of(self.metrics)

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
                label=self._labels[table[0].metric],
                decimals=metric.decimals,
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

    @classmethod
    def facts(cls, run: Run) -> str:
        references = max((len(segment.references) for segment in run.segments), default=0)
        pair = run.parameters.get("pair")
        facts = ["-".join(pair)] if pair else []
        facts += [f"{len(run.segments):,} segments", f"{references} reference{'s' * (references != 1)}"]
        return " · ".join(facts)

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        run = _labelled(run)
        more = (comparison_table(run, all_pairs=view.pairs), guard_table(run.result))
        return [main_table(run), *group_tables(run.result), *filter(None, more)]

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        return score_figures(_labelled(run).result)

    @classmethod
    def signatures(cls, run: Run) -> list[str]:
        return signature_lines(_labelled(run).result)

    @classmethod
    def why(cls, finding: Finding) -> str:
        reason = SegmentEvidence.of(finding.evidence).reason
        if finding.detector == "output":
            return reason
        value = "" if finding.value is None else f" {finding.value:.4g}"
        return f"{finding.detector}{value}: {reason}" if reason else f"{finding.detector}{value}"


def _labels_of(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """What people call each metric; two variants of one metric are told apart by what was asked for."""
    shared = Counter(metric.label for metric in metrics.values())
    return {n: m.label if shared[m.label] == 1 else n for n, m in metrics.items()}


def _labelled(run: Run) -> Run:
    """The run with the labels that older runs lack, as far as this installation knows the metrics."""
    bare = dict.fromkeys(score.name for score in run.result.scores if not score.label)
    metrics: dict[str, Metric] = {}
    for name in bare:
        with suppress(MtassayError):
            metrics |= _metrics([name], "")
    labels = _labels_of(metrics)
    scores = [
        replace(s, label=labels[s.name], decimals=metrics[s.name].decimals) if s.name in labels else s
        for s in run.result.scores
    ]
    return replace(run, result=replace(run.result, scores=scores)) if labels else run


def _metrics(
    metrics: Mapping[str, Metric] | Sequence[str] | str | None, language: str
) -> Mapping[str, Metric]:
    """The metrics by what was asked for."""
    if isinstance(metrics, Mapping):
        return metrics
    specs = [metrics] if isinstance(metrics, str) else [METRICS] if metrics is None else metrics
    single_specs = [part for spec in specs for part in split_specs(spec)]
    if not single_specs:
        raise UsageError("There is no metric: write -m bleu,chrf or leave -m out.")
    return {spec: build("metric", spec, language=language) for spec in single_specs}


def _segment(case: Case) -> Segment:
    """What a case was made of; its document is among its tags too."""
    return Segment(
        case.segment_id, case.sources[0], case.expect["references"], case.tags.get("document"), case.tags
    )


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
