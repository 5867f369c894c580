"""Corpus scores with intervals, significance and clusters (Papineni et al. 2002; Koehn 2004)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from mtassay import stats
from mtassay.core import (
    Case,
    Finding,
    Judgement,
    Ledger,
    Observation,
    Output,
    Result,
    Run,
    Score,
    Segment,
    Statistics,
    Tools,
)
from mtassay.display import PLAIN, AnswerView, Block, CaseView, Figure, Headline, Line, Table, View
from mtassay.errors import MtassayError, UsageError
from mtassay.languages import parse_pair
from mtassay.method import Method
from mtassay.methods.gaps import compared_basis, compared_note, missing
from mtassay.methods.headlines import Contest
from mtassay.methods.opinions import BACK_TRANSLATION
from mtassay.methods.score.comparison import Correction, SystemTests, Test
from mtassay.methods.score.evidence import SegmentEvidence
from mtassay.methods.score.judged import (
    JUDGE,
    is_judged,
    judge_outputs,
    judged_blocks,
    judged_table,
    lowest_tenth,
    reasons_table,
    seen,
    unjudged_observations,
    weak_headlines,
)
from mtassay.methods.score.tables import (
    comparison_table,
    group_tables,
    guard_table,
    main_table,
    score_figures,
    signature_lines,
)
from mtassay.metrics.base import Metric
from mtassay.metrics.checks import checked
from mtassay.metrics.measure import Corpus, measure_all
from mtassay.options import build, option, split_specs
from mtassay.registry import find

if TYPE_CHECKING:
    from mtassay.methods.score.differences import Differences
    from mtassay.methods.score.streaming import StreamedFiles
    from mtassay.metrics.guards import Guards

__all__ = ["ScoreMethod"]

METRICS = "bleu,chrf"


@dataclass(frozen=True)
class ScoreMethod(Method):
    """Scores outputs against references with any number of metrics, by name.

    All pairs of systems are compared; `baseline` says which comparisons a report shows first: by default
    those with the first system, or with `against_best` those with the best by the first metric. `test` is
    how two systems are compared: by randomization, or as sacreBLEU does, digit for digit. `samples`
    resamples give the intervals, and the p-values of the bootstrap; `trials` those of randomization.
    `correction` adjusts p-values for the number of comparisons in a table: together ("max-t"), so that no
    more than `alpha` of all tables claim a difference where there is none, or pair by pair. `by`
    names a tag of the segments (or "document"): each of its values is scored on its own too. With `judged`
    the judge looks at every output; `back_translation`, an engine, takes back what no translation model of it
    reads along. `labels` (test set, language pair…) go into the signatures.
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
    test: Test = field(
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
    judged: bool = field(
        default=False,
        metadata=option(
            "Judge every output too, with a reference or without: which look wrong, and why.",
            "--judge/--no-judge",
            in_signature=False,
        ),
    )
    back_translation: str | None = field(default=None, metadata=BACK_TRANSLATION)
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
            values["metrics"] = _metrics(values.get("metrics"), pair)
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
        return saved | {"metrics": _metrics(list(saved.get("metrics") or ()), pair)}

    @property
    def asks_models(self) -> bool:
        return any(metric.asks_models for metric in self.metrics.values())

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
        statistics: list[Statistics] = []
        evidence: list[Finding] = []
        with self._guarded(corpus, tools) as guards_found:
            if self.judged:
                pair = parse_pair("-".join(self.pair)) if self.pair else None
                evidence += judge_outputs(corpus, pair, tools, back_translation=self.back_translation)
            for _, metric, usable, measured in measure_all(
                self.metrics, corpus, tools, extra=self._resampling
            ):
                for entry in measured:
                    statistics += [entry, *_parts(entry, metric), *_groups(entry, usable.segments, self.by)]
                if self.evidence:
                    for system, texts in usable.outputs.items():
                        evidence += metric.findings(usable.segments, system, texts)
            guards = guards_found()
        if guards is not None:
            for system in outputs:
                counts[system] |= guards.counts[system]
                if unchecked := guards.unchecked.get(system):
                    counts[system]["language_unchecked"] = unchecked
                findings += guards.findings[system]
        findings += evidence
        lacking = {system: count["skipped"] for system, count in counts.items()}
        basis = compared_basis(len(cases), len(corpus.segments), lacking)
        return Judgement(findings, statistics, counts, basis=basis)

    @contextmanager
    def _guarded(self, corpus: Corpus, tools: Tools) -> Iterator[Callable[[], Guards | None]]:
        """What the guards find, by a call; nothing where they are not asked for."""
        if not self.guards:
            yield lambda: None
            return
        tools.progress("guards", 0, None)
        with checked(corpus, self.pair, self.metrics, tools) as guards_found:
            yield guards_found

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        tools.progress("significance", 0, None)
        tables: dict[tuple[str, str], list[Statistics]] = {}
        for entry in judgement.statistics:
            tables.setdefault((entry.metric, entry.group), []).append(entry)
        how = SystemTests(self.test, self.correction, self.alpha, self.samples, self.trials, self.seed)
        results = how.compare(list(tables.values()), self.metrics, self._labels)
        result = Result(
            scores=[score for result in results for score in result.scores],
            comparisons=[comparison for result in results for comparison in result.comparisons],
            clusters=[cluster for result in results for cluster in result.clusters],
            counts=judgement.counts,
            basis=judgement.basis,
        )
        note = compared_note(result)
        return replace(result, notes=[note]) if note else result

    def stream(self, files: StreamedFiles, tools: Tools) -> Result:
        """The same for files of any length, in bounded memory; `test` is the bootstrap."""
        from mtassay.methods.score.streaming import score_stream

        how = SystemTests(self.test, self.correction, self.alpha, self.samples, self.trials, self.seed)
        return score_stream(
            files,
            self.metrics,
            self._labels,
            how,
            tools,
            pair=self.pair,
            guards=self.guards,
            extra=self._resampling,
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
        trials = {} if self.test == "bootstrap" else {"ar": self.trials}
        return {"bs": self.samples, **trials, "seed": seed, **self.labels}

    @classmethod
    def ledgers(cls, run: Run, system: str) -> list[Ledger]:
        """Every metric that this installation has, with its parts and the groups of segments."""
        metrics = _installed_metrics(run)
        by = run.parameters.get("by")
        ledgers = []
        for whole in run.statistics:
            if whole.system != system or whole.group != "all" or whole.metric not in metrics:
                continue
            metric = metrics[whole.metric]
            columns = metric.groups(whole.columns)
            groups: dict[str, list[Sequence[str]]] = {group: [whole.ids] for group in ("all", *columns)}
            groups |= {entry.group: [entry.ids] for entry in _groups(whole, run.segments, by)}
            ledgers.append(
                Ledger(
                    whole.metric,
                    system,
                    whole.ids,
                    whole.values,
                    metric.aggregate,
                    groups,
                    columns,
                    part=by or "part",
                    higher_is_better=metric.higher_is_better,
                    unit_scores=metric.unit_scores,
                    column_names=list(whole.columns),
                )
            )
        return ledgers

    @classmethod
    def observations(cls, run: Run) -> list[Observation]:
        """As the judge says, where it was asked; else by guards, metrics that flag, and the lowest tenth."""
        if is_judged(run):
            return super().observations(run)
        lowest: dict[str, set[str]] = {}
        if metric := cls._ranking_metric(run):
            ledgers = {system: cls.ledgers(run, system) for system in run.systems}
            lowest = lowest_tenth({s: le for s, own in ledgers.items() for le in own if le.name == metric})
        return unjudged_observations(run, lowest)

    @classmethod
    def failure(cls, run: Run) -> str:
        if is_judged(run):
            return "an output that the judge calls wrong, or a guard flags"
        if not (metric := cls._ranking_metric(run)):
            return "an output that a guard flags"
        held = "against the mean of the other systems" if len(run.systems) > 1 else "of its outputs"
        label = _labels_of(_installed_metrics(run))[metric]
        return f"an output that a guard flags, or in the lowest tenth by {label} {held}"

    @classmethod
    def _ranking_metric(cls, run: Run) -> str:
        """The metric that says which outputs are the worst: the last of those that are of segments."""
        segments = {segment.id for segment in run.segments}
        known = _installed_metrics(run)
        ours = [s.metric for s in run.statistics if s.metric in known and segments.issuperset(s.ids)]
        return ours[-1] if ours else ""

    @classmethod
    def finds(cls, detector: str) -> str:
        """As the metric calls it, where it is one's."""
        with suppress(UsageError):
            return str(find("metric", detector).finds) or super().finds(detector)
        return super().finds(detector)

    @classmethod
    def means(cls, run: Run) -> str:
        """References, where there are any and all metrics need them; else the metrics say more.

        Of a metric that is not installed nothing is known.
        """
        if not _most_references(run):
            return "without references"
        metrics = _installed_metrics(run)
        labels = _labels_of(metrics)
        needing = [label for name, label in labels.items() if "references" in metrics[name].needs]
        if needing and len(needing) == len(run.parameters["metrics"]):
            return "against references"
        return f"{', '.join(needing)} against references" if needing else ", ".join(labels.values())

    @classmethod
    def facts(cls, run: Run) -> str:
        streamed = run.result.basis.get("streamed", {})
        references = _most_references(run)
        pair = run.parameters.get("pair")
        facts = ["-".join(pair)] if pair else []
        n = streamed.get("segments", len(run.segments))
        facts.append(compared_note(run.result) or f"{n:,} segments")
        facts.append(f"{references} reference{'s' * (references != 1)}")
        return " · ".join(facts)

    @classmethod
    def headlines(cls, run: Run) -> list[Headline]:
        run = _labelled(run)
        ways = {ledger.name: ledger.higher_is_better for ledger in cls.ledgers(run, run.systems[0])}
        alpha = float(run.parameters.get("alpha", 0.05))
        whole = {score.name: score for score in run.result.scores if score.group == "all"}
        told = [
            headline
            for name, score in whole.items()
            for headline in Contest(
                run, name, "all", score.label or name, _unit(run, score), alpha, ways.get(name, True)
            ).headlines()
        ]
        return [*told, *weak_headlines(run), *cls.open_headlines(run)]

    @classmethod
    def case_views(cls, run: Run) -> Iterable[CaseView]:
        """Every segment; answers with the scores of each metric, lowest first by one that scores segments."""
        metrics = _installed_metrics(run)
        scores: dict[tuple[str, str], dict[str, float]] = {}
        for entry in run.statistics:
            if entry.group == "all" and entry.metric in metrics:
                values = metrics[entry.metric].unit_scores(entry.values).tolist()
                for unit, value in zip(entry.ids, values, strict=True):
                    if not math.isnan(value):
                        scores.setdefault((unit, entry.system), {})[entry.metric] = value
        result = _labelled(run).result
        judged = any(finding.detector == JUDGE for finding in run.findings)
        for view in super().case_views(run):
            answers = []
            for answer in view.answers:
                units = scores.get((view.id, answer.system), {})
                lines = [*answer.lines, Line("scores", result.scores_text(units))] if units else answer.lines
                order = answer.order if judged else next(iter(units.values()), 0.0)
                answers.append(replace(answer, lines=lines, order=order))
            yield replace(view, answers=answers)

    @classmethod
    def groups_of(cls, run: Run, segment: Segment) -> list[str]:
        by = run.parameters.get("by")
        value = segment.document if by == "document" else segment.tags.get(str(by))
        return [] if by is None or value is None else [str(value)]

    @classmethod
    def answer_view(
        cls, run: Run, output: Output | None, system: str, findings: Sequence[Finding]
    ) -> AnswerView:
        """Guards, types of names that were missed, and clues of the judge are groups; errors are marked."""
        view = super().answer_view(run, output, system, findings)
        marks = [span for f in findings for span in SegmentEvidence.of(f.evidence).marks()]
        lines = [line._replace(marks=marks) if line.label == "output" else line for line in view.lines]
        return replace(view, lines=lines, **seen(findings))

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        run = _labelled(run)
        more = (
            comparison_table(run, all_pairs=view.pairs),
            guard_table(run.result),
            judged_table(run),
            reasons_table(run),
        )
        return [main_table(run), *group_tables(run.result), *filter(None, more)]

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        return judged_blocks(run, view)

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        return score_figures(_labelled(run).result)

    @classmethod
    def differences(cls, run: Run, view: View = PLAIN) -> list[Table | Block]:
        if not view.examples:
            return []
        from mtassay.methods.score.difference_tables import difference_parts  # large, and seldom asked for

        metrics = _installed_metrics(run)
        return difference_parts(_differences(run, view, metrics), metrics, _labels_of(metrics))

    @classmethod
    def differences_record(cls, run: Run, view: View = PLAIN) -> dict[str, Any]:
        from mtassay.methods.score.difference_tables import difference_record

        found = _differences(run, view, _installed_metrics(run)) if view.examples else None
        return {"differences": difference_record(found)} if found else {}

    @classmethod
    def finding_blocks(cls, run: Run) -> list[Block]:
        blocks = []
        for finding, block in zip(run.findings, super().finding_blocks(run), strict=True):
            evidence = SegmentEvidence.of(finding.evidence)
            marked = [
                line._replace(marks=evidence.marks(of_source=line.label == "source")) for line in block.lines
            ]
            blocks.append(replace(block, lines=marked))
        return blocks

    @classmethod
    def block(cls, run: Run, case_id: str, system: str) -> Block:
        block = super().block(run, case_id, system)
        if (text := run.text(case_id, system)) is None:
            return block
        from mtassay.methods.score.difference_tables import segment_lines

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


def _labels_of(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """What people call each metric; two variants of one metric are told apart by what was asked for."""
    shared = Counter(metric.label for metric in metrics.values())
    return {n: m.label if shared[m.label] == 1 else n for n, m in metrics.items()}


def _unit(run: Run, score: Score) -> str:
    """What a score counts in, as far as its n tells."""
    return "segment" if score.n == len(run.segments) else "unit"


def _labelled(run: Run) -> Run:
    """The run with the labels that older runs lack, as far as this installation knows the metrics."""
    bare = dict.fromkeys(score.name for score in run.result.scores if not score.label)
    metrics: dict[str, Metric] = {}
    for name in bare:
        with suppress(MtassayError):
            metrics |= _metrics([name], None)
    labels = _labels_of(metrics)
    scores = [
        replace(s, label=labels[s.name], decimals=metrics[s.name].decimals) if s.name in labels else s
        for s in run.result.scores
    ]
    return replace(run, result=replace(run.result, scores=scores)) if labels else run


def _most_references(run: Run) -> int:
    """How many references the segments of a run have at most."""
    most = max((len(segment.references) for segment in run.segments), default=0)
    return int(run.result.basis.get("streamed", {}).get("references", most))


def _installed_metrics(run: Run) -> dict[str, Metric]:
    """The metrics of a run, as far as this installation has them with the same settings."""
    pair = run.parameters.get("pair")
    metrics: dict[str, Metric] = {}
    for name, described in run.parameters.get("metrics", {}).items():
        with suppress(MtassayError):
            (metric,) = _metrics([name], pair).values()
            # An object that somebody gave may have any name.
            metrics |= {name: metric} if repr(metric) == described else {}
    return metrics


def _differences(run: Run, view: View, metrics: Mapping[str, Metric]) -> Differences:
    from mtassay.methods.score.differences import find_differences

    return find_differences(
        run,
        metrics,
        count=view.examples,
        between=view.between,
        metric=view.metric,
        training=view.training,
    )


def _metrics(
    metrics: Mapping[str, Metric] | Sequence[str] | str | None, pair: Sequence[str] | None
) -> Mapping[str, Metric]:
    """The metrics by what was asked for."""
    if isinstance(metrics, Mapping):
        return metrics
    specs = [metrics] if isinstance(metrics, str) else [METRICS] if metrics is None else metrics
    single_specs = [part for spec in specs for part in split_specs(spec)]
    if not single_specs:
        raise UsageError("There is no metric: write -m bleu,chrf or leave -m out.")
    known = {"language": pair[1], "langpair": "-".join(pair)} if pair else {"language": ""}
    return {spec: build("metric", spec, **known) for spec in single_specs}


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
