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
from mtassay.display import PLAIN, Block, Figure, Table, View
from mtassay.errors import MtassayError, UsageError
from mtassay.languages import parse_pair
from mtassay.method import Method
from mtassay.methods.gaps import compared_basis, compared_note, missing
from mtassay.methods.score.difference_tables import difference_parts, difference_record, segment_lines
from mtassay.methods.score.differences import Differences, find_differences
from mtassay.methods.score.evidence import SegmentEvidence
from mtassay.methods.score.tables import (
    WHOLE,
    comparison_table,
    group_tables,
    guard_table,
    main_table,
    score_figures,
    signature_lines,
)
from mtassay.metrics.base import Metric
from mtassay.metrics.measure import Corpus, guard, look_over, measure_all
from mtassay.options import build, option, split_specs

__all__ = ["ScoreMethod"]

METRICS = "bleu,chrf"
Correction = Literal["max-t", "none", "bonferroni", "holm", "bh"]


@dataclass(frozen=True)
class ScoreMethod(Method):
    """Scores outputs against references with any number of metrics, by name.

    All pairs of systems are compared; `baseline` says which comparisons a report shows first: by default
    those with the first system, or with `against_best` those with the best by the first metric. `test` is
    how two systems are compared: by randomization, or as sacreBLEU does, digit for digit. `samples`
    resamples give the intervals, and the p-values of the bootstrap; `trials` those of randomization.
    `correction` adjusts p-values for the number of comparisons in a table: together ("max-t"), so that no
    more than `alpha` of all tables claim a difference where there is none, or pair by pair. `by`
    names a tag of the segments (or "document"): each of its values is scored on its own too. `labels`
    (test set, language pair…) go into the signatures.
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
            "The system to compare with. Default: the first given; of a folder the best.",
            metavar="NAME",
            in_signature=False,
        ),
    )
    pair: tuple[str, str] | None = None
    test: Literal["randomization", "bootstrap", "sacrebleu-randomization"] = field(
        default="randomization",
        metadata=option("How two systems are compared; the last two are sacreBLEU's, which are lenient."),
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
    correction: Correction = field(
        default="max-t",
        metadata=option(
            "Correct p-values for all comparisons of a table. Default: max-t; none for sacreBLEU's tests.",
            kind=Correction | None,
            default=None,
        ),
    )
    by: str | None = field(
        default=None, metadata=option("Also score each domain, document or other tag apart.", metavar="TAG")
    )
    guards: bool = field(
        default=True, metadata=option("Look for broken outputs and mistaken inputs.", in_signature=False)
    )
    evidence: bool = False
    against_best: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Metrics may be given as text, `bleu,chrf++`, or as a list of such texts; the pair too."""
        values = dict(settings)
        pair = values.get("pair")
        if isinstance(pair, str):
            both = parse_pair(pair)
            values["pair"] = pair = (str(both.source), str(both.target))
        if run is None or values.get("metrics") is not None:
            values["metrics"] = _metrics(values.get("metrics"), pair[1] if pair else "")
        if values.get("correction") is None and (run is None or values.get("test") is not None):
            test = values.get("test") or cls.test
            values["correction"] = "max-t" if test == "randomization" else "none"
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

        if self.correction == "max-t" and self.test != "randomization":
            raise UsageError(
                f"--correction max-t needs --test randomization; with {self.test} choose none, holm, "
                "bonferroni or bh."
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
            look_over(corpus, self.pair, self.metrics, tools)
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
        lacking = {system: count["skipped"] for system, count in counts.items()}
        basis = compared_basis(len(cases), len(corpus.segments), lacking)
        return Judgement(findings, statistics, counts, basis=basis)

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        tools.progress("significance", 0, None)
        tables: dict[tuple[str, str], list[Statistics]] = {}
        for entry in judgement.statistics:
            tables.setdefault((entry.metric, entry.group), []).append(entry)
        results = list(self._compare(list(tables.values())))
        result = Result(
            scores=[score for result in results for score in result.scores],
            comparisons=[comparison for result in results for comparison in result.comparisons],
            clusters=[cluster for result in results for cluster in result.clusters],
            counts=judgement.counts,
            basis=judgement.basis,
        )
        note = compared_note(result)
        return replace(result, notes=[note]) if note else result

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
        trials = {} if self.test == "bootstrap" else {"ar": self.trials}
        return {"bs": self.samples, **trials, "seed": seed, **self.labels}

    def _compare(self, tables: Sequence[Sequence[Statistics]]) -> Iterator[Result]:
        """One result per table of statistics. Tables of the same units share their resamples."""
        stacked = [np.stack([entry.values for entry in table], axis=1) for table in tables]
        resampled: dict[int, NDArray[np.float64]] = {}
        for size in {len(values) for values in stacked}:
            same = [i for i, values in enumerate(stacked) if len(values) == size]
            sums = stats.bootstrap_sums([stacked[i] for i in same], samples=self.samples, seed=self.seed)
            resampled.update(zip(same, sums, strict=True))
        columns = [
            _Column.of(table, self.metrics[table[0].metric], values, resampled[i])
            for i, (table, values) in enumerate(zip(tables, stacked, strict=True))
        ]
        tested = self._tested(columns)
        for column, tests in zip(columns, tested, strict=True):
            yield self._result(column, tests)

    def _tested(self, columns: Sequence[_Column]) -> list[_Tests]:
        """The tests of all pairs in each column; with max-t, what is shown in one table is a family."""
        swaps = self._swaps(columns) if self.test == "randomization" else {}
        if self.correction != "max-t":
            return [self._tested_alone(column, swaps.get(i)) for i, column in enumerate(columns)]
        tests: dict[int, _Tests] = {}
        shown_together: dict[tuple[str, str], list[int]] = {}
        for i, column in enumerate(columns):
            # All metrics are in one table; the groups of each metric are in one of their own.
            key = (WHOLE, "") if column.group == WHOLE else ("", column.metric_name)
            shown_together.setdefault(key, []).append(i)
        for places in shown_together.values():
            family = stats.family_of(
                np.concatenate([columns[i].differences for i in places]),
                np.concatenate([swaps[i] for i in places], axis=1),
                alpha=self.alpha,
            )
            parts = np.split(family.p, np.cumsum([len(columns[i].differences) for i in places])[:-1])
            tests |= {i: _Tests(p, family.critical) for i, p in zip(places, parts, strict=True)}
        return [tests[i] for i in range(len(columns))]

    def _tested_alone(self, column: _Column, swaps: NDArray[np.float32] | None) -> _Tests:
        """The tests of the pairs of one column, corrected for their number."""
        pairs = column.pairs
        matrix = np.eye(len(column.systems))
        if swaps is not None:
            matrix[pairs] = matrix.T[pairs] = stats.separate(column.differences, swaps)
        elif self.test == "bootstrap":
            matrix = stats.paired_bootstrap(column.points, column.resampled)
        else:
            matrix = stats.paired_randomization(
                column.values, column.metric.aggregate, trials=self.trials, seed=self.seed
            )
        p = stats.adjust(matrix, method=self.correction)[pairs]
        found = int(np.count_nonzero(p < self.alpha))
        return _Tests(p, stats.critical_value(self.alpha, method=self.correction, tests=len(p), found=found))

    def _swaps(self, columns: Sequence[_Column]) -> dict[int, NDArray[np.float32]]:
        """The differences of all pairs in every trial. Columns of the same units share their draws."""
        swaps: dict[int, NDArray[np.float32]] = {}
        for size in {len(column.values) for column in columns}:
            same = [i for i, column in enumerate(columns) if len(column.values) == size]
            tables = stats.swap_trials(
                [columns[i].values for i in same],
                [columns[i].metric.aggregate for i in same],
                trials=self.trials,
                seed=self.seed,
            )
            swaps.update(zip(same, tables, strict=True))
        return swaps

    def _result(self, column: _Column, tests: _Tests) -> Result:
        """Scores, all pairs and clusters of one column."""
        names = {"name": column.metric_name, "group": column.group}
        metric, points, systems = column.metric, column.points, column.systems
        low, high = stats.interval(column.resampled)
        sums = column.values.sum(axis=0, dtype=np.float64)
        scores = [
            Score(
                **names,
                system=system,
                value=_defined(points[i]),
                n=metric.size(sums[i], len(column.values)),
                low=_defined(low[i]),
                high=_defined(high[i]),
                signature=column.signatures[i],
                label=self._labels[column.metric_name],
                decimals=metric.decimals,
            )
            for i, system in enumerate(systems)
        ]
        if len(systems) == 1:
            return Result(scores)
        p = np.eye(len(systems))
        p[column.pairs] = p.T[column.pairs] = tests.p
        errors = stats.difference_standard_errors(column.resampled)
        comparisons = [
            Comparison(
                **names,
                a=systems[a],
                b=systems[b],
                delta=_defined(points[a] - points[b]),
                p=_defined(p[a, b]),
                detectable=_defined(stats.detectable_difference(errors[a, b], critical=tests.critical)),
                more=0
                if p[a, b] < self.alpha
                # `None` where the tests do not agree.
                else stats.units_to_settle(
                    points[a] - points[b], errors[a, b], len(column.values), critical=tests.critical
                )
                or None,
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

    @classmethod
    def facts(cls, run: Run) -> str:
        references = max((len(segment.references) for segment in run.segments), default=0)
        pair = run.parameters.get("pair")
        facts = ["-".join(pair)] if pair else []
        facts.append(compared_note(run.result) or f"{len(run.segments):,} segments")
        facts.append(f"{references} reference{'s' * (references != 1)}")
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
    def differences(cls, run: Run, view: View = PLAIN) -> list[Table | Block]:
        if not view.examples:
            return []
        metrics = _installed_metrics(run)
        return difference_parts(_differences(run, view, metrics), metrics, _labels_of(metrics))

    @classmethod
    def differences_record(cls, run: Run, view: View = PLAIN) -> dict[str, Any]:
        found = _differences(run, view, _installed_metrics(run)) if view.examples else None
        return {"differences": difference_record(found)} if found else {}

    @classmethod
    def block(cls, run: Run, case_id: str, system: str) -> Block:
        block = super().block(run, case_id, system)
        if (text := run.text(case_id, system)) is None:
            return block
        segment = next((segment for segment in run.segments if segment.id == case_id), None)
        lines = segment_lines(segment, text, cls.unit_scores(run, case_id, system), _labelled(run).result)
        return replace(block, lines=[*lines, *block.lines[1:]])

    @classmethod
    def unit_scores(cls, run: Run, case_id: str, system: str) -> dict[str, float]:
        metrics = _installed_metrics(run)
        scores: dict[str, float] = {}
        for entry in run.statistics:
            if entry.system == system and entry.metric in metrics and case_id in entry.ids:
                place = entry.ids.index(case_id)
                (score,) = metrics[entry.metric].unit_scores(entry.values[place : place + 1]).tolist()
                scores |= {} if math.isnan(score) else {entry.metric: score}
        return scores

    @classmethod
    def signatures(cls, run: Run) -> list[str]:
        texts = run.result.basis.get("texts")
        # The signature of a metric is sacreBLEU's, so what was tested has a line of its own.
        return [*signature_lines(_labelled(run).result), *([f"texts:{texts[:12]}"] if texts else [])]

    @classmethod
    def why(cls, finding: Finding) -> str:
        reason = SegmentEvidence.of(finding.evidence).reason
        if finding.detector == "output":
            return reason
        value = "" if finding.value is None else f" {finding.value:.4g}"
        return f"{finding.detector}{value}: {reason}" if reason else f"{finding.detector}{value}"


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """All systems under one metric in one group: statistics (units, systems, columns) and what follows."""

    metric_name: str
    group: str
    metric: Metric
    systems: Sequence[str]
    signatures: Sequence[str]
    values: NDArray[Any]
    points: NDArray[np.float64]
    resampled: NDArray[np.float64]

    @classmethod
    def of(
        cls, table: Sequence[Statistics], metric: Metric, values: NDArray[Any], resampled_sums: NDArray[Any]
    ) -> _Column:
        return cls(
            table[0].metric,
            table[0].group,
            metric,
            [entry.system for entry in table],
            [entry.signature for entry in table],
            values,
            metric.aggregate(values.sum(axis=0, dtype=np.float64)),
            metric.aggregate(resampled_sums),
        )

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of all pairs of systems, in the order of `combinations`."""
        return np.triu_indices(len(self.systems), 1)

    @property
    def differences(self) -> NDArray[np.float64]:
        """First minus second, for all pairs."""
        first, second = self.pairs
        return self.points[first] - self.points[second]


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """p-values of all pairs, and how many standard errors a further difference would have to reach."""

    p: NDArray[np.float64]
    critical: float


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


def _installed_metrics(run: Run) -> dict[str, Metric]:
    """The metrics of a run, as far as this installation has them with the same settings."""
    pair = run.parameters.get("pair")
    metrics: dict[str, Metric] = {}
    for name, described in run.parameters.get("metrics", {}).items():
        with suppress(MtassayError):
            (metric,) = _metrics([name], pair[1] if pair else "").values()
            # An object that somebody gave may have any name.
            metrics |= {name: metric} if repr(metric) == described else {}
    return metrics


def _differences(run: Run, view: View, metrics: Mapping[str, Metric]) -> Differences:
    return find_differences(
        run,
        metrics,
        count=view.examples,
        between=view.between,
        metric=view.metric,
        training=view.training,
    )


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
