"""Corpus scores with intervals, significance and clusters (Papineni et al. 2002; Koehn 2004)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.method import Method
from mtassay.data.nouns import Case, Finding, Judgement, Output, Result, Run, RunContext, Segment, Statistics
from mtassay.data.settings import option, setting
from mtassay.measures.check_run import check_names, count_checks
from mtassay.measures.corpus import Corpus, checked, labels_of, measure_all, open_metrics, saved_metric
from mtassay.measures.given_scores import SegmentScore
from mtassay.measures.metric import Metric
from mtassay.methods.basis import (
    CHECKS_BESIDE,
    CRITICAL,
    JUDGE_OPTION,
    RepeatSettings,
    missing,
    unanswered_counts,
    unanswered_note,
)
from mtassay.methods.score.judged import judge_outputs, require_judge
from mtassay.methods.score.score_statistics import (
    LEAST_DOCUMENTS,
    Correction,
    Ranks,
    SystemTests,
    Test,
    Unit,
    group_statistics,
    segment_spread,
)
from mtassay.methods.score.score_tables import coverage_notes, few_note, people_notes, unit_note
from mtassay.methods.score.score_view import ScoreView
from mtassay.stats import resampling

if TYPE_CHECKING:
    from mtassay.methods.score.score_statistics import StreamedFiles


METRICS = "bleu,chrf"


@dataclass(frozen=True)
class ScoreMethod(RepeatSettings, Method):
    """Scores outputs against references with any number of metrics, by name.

    All pairs of systems are compared. A report shows the comparisons with `baseline` first (default: the
    first system; with `against_best`, the best system by the first metric). `test` is the paired test:
    randomization, or one of sacreBLEU's tests with exactly its numbers. `samples` is the number of resamples
    for intervals and the bootstrap, and `trials` the number for randomization. `correction` adjusts p-values
    for the number of comparisons: for a whole table ("max-t"), so that at most `alpha` of all tables claim a
    false difference, or pair by pair. `unit` is the unit that intervals and tests draw: whole documents if
    they are known, since sentences of one document are not independent. `ranks` compares each system with all
    others, so that rank 1 means "may be the best", or forms clusters as at WMT. A system that left texts
    without an answer, or is not rated where others are, has no rank unless `rank_incomplete`. `by` names a
    tag of the segments (or "document"), whose values are also scored separately. `judge_by` names a judge for
    every output. `terms` are glossaries for the metric `terms` and the checks of terms. `labels` (test set,
    language pair…) go into the signatures.
    """

    name: ClassVar[str] = "score"
    view: ClassVar[type[ScoreView]] = ScoreView

    metrics: Mapping[str, Metric] = field(
        metadata=option(
            f"Metrics with options: bleu,chrf++,nee:unit=segment,ter. Default: {METRICS}.",
            "--metrics",
            "-m",
            metavar="NAMES",
            kind=list[str] | None,
            default=None,
        )
    )
    baseline: str | None = setting(
        None,
        "The system to compare with. Default: the first system; for a folder, the best.",
        metavar="NAME",
        in_signature=False,
    )
    pair: tuple[str, str] | None = None
    test: Test = setting(
        "randomization",
        "The test that compares two systems. The last two are sacreBLEU's and find more differences.",
    )
    samples: int = setting(1000, "Bootstrap resamples.", least=100)
    trials: int = setting(10000, "Trials of the randomization test.", least=100)
    seed: int | None = setting(
        12345, "Seed of all draws. Default: $SACREBLEU_SEED or 12345.", kind=int | None, least=0
    )
    alpha: float = setting(0.05, "Level of significance.", least=0.0001, most=0.5, in_signature=False)
    correction: Correction = setting(
        "max-t",
        "Correct p-values for all comparisons of a table. Default: max-t; none for sacreBLEU's tests.",
        kind=Correction | None,
    )
    unit: Unit | None = setting(
        None,
        "Units that intervals and tests resample. Default: documents, if they are known.",
        in_signature=False,
    )
    ranks: Ranks = setting(
        "best", "Ranks: 1 for every system that may be the best, or clusters as at WMT.", in_signature=False
    )
    rank_incomplete: bool = setting(
        False, "Also rank systems with missing answers or ratings.", in_signature=False
    )
    by: str | None = setting(None, "Also score each domain, document or other tag separately.", metavar="TAG")
    checks: tuple[str, ...] = field(default=CRITICAL, metadata=CHECKS_BESIDE)
    judge_by: str | None = setting(
        None,
        "Also judge every output: which ones look wrong, and why. " + JUDGE_OPTION,
        "--judge-by",
        "--judge",
        metavar="NAME",
        in_signature=False,
    )
    terms: tuple[str, ...] = setting(
        (),
        "A glossary (TBX, CSV, TSV, JSON) for the metric terms and the checks of terms. Repeat.",
        metavar="FILE",
        kind=list[str] | None,
        in_signature=False,
    )
    evidence: bool = False
    against_best: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Return the parameters. Metrics may be text, as `bleu,chrf++`, or a list; the pair may be text."""
        values = dict(settings)
        pair = values.get("pair")
        if isinstance(pair, str):
            both = parse_pair(pair)
            values["pair"] = pair = (str(both.source), str(both.target))
        if terms := values.get("terms"):
            values["terms"] = (terms,) if isinstance(terms, str) else tuple(map(str, terms))
        if run is None or values.get("metrics") is not None:
            values["metrics"] = _given_metrics(values.get("metrics"), pair, values.get("terms") or ())
        if values.get("checks") is not None:
            values["checks"] = check_names(values["checks"])
        if values.get("correction") is None and (run is None or values.get("test") is not None):
            test = values.get("test") or cls.test
            values["correction"] = "max-t" if test == "randomization" else "none"
        if run is None and values.get("seed") is None:
            values["seed"] = resampling.default_seed()
            if values["seed"] is None:  # `None` means that every run draws again
                return replace(super().resolve(values), seed=None)
        return super().resolve(values, run)

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        saved = super().restore(parameters)
        pair = saved.get("pair")
        described: Mapping[str, str] = saved.get("metrics") or {}
        terms = tuple(saved.get("terms") or ())
        metrics = {name: saved_metric(name, text, pair, terms=terms) for name, text in described.items()}
        return saved | {"metrics": metrics, "terms": terms}

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
                f"`correction='max-t'` needs `test='randomization'`; with {self.test} choose none, holm, "
                "bonferroni or bh."
            )

    def cases(self, segments: Iterable[Segment], context: RunContext) -> list[Case]:
        """Return one case per segment; a missing tool of a metric or judge is an error before any request."""
        segments = list(segments)
        for name, metric in self.metrics.items() if segments else ():
            metric.require(Corpus(segments, {}).usable(name, metric).segments, context)
        if self.judge_by:
            require_judge(segments, self._judged_pair, self.judge_by)
        return [Case(s.id, s.id, (s.source,), {"segment": s}, s.tags) for s in segments]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        corpus = Corpus.of([case.expect["segment"] for case in cases], outputs)
        counts = {system: {"segments": len(cases)} for system in outputs}
        unanswered = corpus.unanswered
        findings = [
            missing(output, system)
            for system, answers in outputs.items()
            for output in answers
            if output.text is None or output.id in unanswered.get(system, ())
        ]
        for system, answers in outputs.items():
            counts[system] |= unanswered_counts(answers, len(unanswered.get(system, ())))
        documents = self._documents(corpus.segments, context)
        statistics: list[Statistics] = []
        evidence: list[Finding] = []
        lean = corpus.without_empty_references
        if self.checks != ("none",):
            from mtassay.measures.plausibility import reference_notes  # slow to load

            for note in reference_notes(lean.segments, lean.outputs, self.metrics):
                context.note(note)
        counting = [m.label for m in self.metrics.values() if m.counts_empty_references]
        if counting and lean is not corpus:
            empty = sum(s != t for s, t in zip(corpus.segments, lean.segments, strict=True))
            context.note(
                f"{empty:,} of {len(corpus.segments):,} segments have one empty and one full reference: "
                f"{', '.join(counting)} use the empty one too, as sacreBLEU does. To leave it out, give "
                "references with ids (TSV, JSON Lines), without the empty ones."
            )
        with self._checked(lean, context) as alarms:
            if self.judge_by:
                evidence += judge_outputs(lean, self._judged_pair, context, self.judge_by)
            times, everything = 1, corpus
            each_time: dict[str, dict[str, list[float]]] = {}
            if any(answer.meta for answers in outputs.values() for answer in answers):
                from mtassay.methods.repeats import pool, set_apart, times_asked  # slow to load

                times = times_asked(outputs)
                everything = Corpus.of(corpus.segments, set_apart(outputs)) if times > 1 else corpus
            for name, metric, usable, measured in measure_all(
                self.metrics, everything, context, extra=self._resampling
            ):
                pooled: Sequence[Statistics] = measured
                if times > 1:
                    pooled, each_time[name] = pool(measured, metric, times)
                for entry in pooled:
                    statistics += [
                        entry,
                        *_parts(entry, metric),
                        *group_statistics(entry, usable.segments, self.by),
                    ]
                if self.evidence:
                    for system, texts in usable.outputs.items():
                        if system in outputs:
                            evidence += metric.findings(usable.segments, system, texts)
            by_system = alarms()
        for system in outputs:
            counts[system] |= count_checks(by_system.get(system, ()))
            findings += by_system.get(system, ())
        findings += evidence
        basis: dict[str, Any] = {"repeats": {"times": times, "scores": each_time}} if times > 1 else {}
        if unanswered:
            lacking = {system: len(units) for system, units in unanswered.items()}
            basis["unanswered"] = {"of": len(cases), "systems": lacking, "ranked": self.rank_incomplete}
        if documents:
            basis["unit"] = {"unit": "document", "n": len(set(documents.values())), "segments": len(cases)}
        return Judgement(
            findings, statistics, counts, basis=basis, documents=documents, unanswered=unanswered
        )

    def _documents(self, segments: Sequence[Segment], context: RunContext) -> dict[str, str]:
        """The document of each unit if whole documents are drawn; a unit may itself be a document."""
        if self.unit == "segment":
            return {}
        documents = {s.id: s.document for s in segments if s.document is not None}
        count = len(set(documents.values()))
        if len(documents) < len(segments) or count == len(segments):
            if self.unit == "document" and count < len(segments):
                raise UsageError("`unit='document'` needs the document of every segment: add `documents`.")
            return {}
        if count < LEAST_DOCUMENTS and self.unit is None:
            context.note(
                f"{count:,} documents are too few to resample whole documents, so intervals and tests "
                "resample segments. "
                "They are too narrow if the segments of one document are alike."
            )
            return {}
        return documents | {document: document for document in set(documents.values())}

    @contextmanager
    def _checked(
        self, corpus: Corpus, context: RunContext
    ) -> Iterator[Callable[[], Mapping[str, Sequence[Finding]]]]:
        """Return a function for the findings of checks, which are empty without checks."""
        if self.checks == ("none",):
            yield dict
            return
        context.progress("checks", 0, None)
        with checked(corpus, self.pair, self.checks, self.metrics, context, terms=self.terms) as alarms:
            yield alarms

    def score(self, judgement: Judgement, context: RunContext) -> Result:
        context.progress("significance", 0, None)
        tables: dict[tuple[str, str], list[Statistics]] = {}
        for entry in judgement.statistics:
            tables.setdefault((entry.metric, entry.group), []).append(entry)
        how = replace(self._tests, documents=judgement.documents, unanswered=judgement.unanswered)
        results = how.compare(list(tables.values()), self.metrics, self._labels)
        result = Result(
            scores=[score for result in results for score in result.scores],
            comparisons=[comparison for result in results for comparison in result.comparisons],
            clusters=[cluster for result in results for cluster in result.clusters],
            counts=judgement.counts,
            basis=judgement.basis,
        )
        notes = [unanswered_note(result)] if "unanswered" in judgement.basis else []
        notes += coverage_notes(result)
        notes += people_notes(result, [name for name, metric in self.metrics.items() if metric.is_given])
        if judgement.documents and tables:
            first = next(iter(tables.values()))
            spread = segment_spread(first, self.metrics[first[0].metric], self.samples, self.seed)
            notes.append(unit_note(result, spread))
        if tables and (few := few_note(result, self.alpha)):
            notes.append(few)
        if not self.metrics:
            notes.append(
                "There are no references, so there is no score: only what the judge and the checks find."
            )
        return replace(result, notes=notes)

    def stream(self, files: StreamedFiles, context: RunContext) -> Result:
        """Score files of any length in bounded memory; `test` is the bootstrap."""
        from mtassay.methods.score.score_statistics import score_stream

        return score_stream(
            files,
            self.metrics,
            self._labels,
            self._tests,
            context,
            pair=self.pair,
            checks=self.checks,
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

    @property
    def _judged_pair(self) -> Pair | None:
        return parse_pair("-".join(self.pair)) if self.pair else None

    @cached_property
    def _labels(self) -> dict[str, str]:
        return labels_of(self.metrics)

    @property
    def _tests(self) -> SystemTests:
        settings = (self.test, self.correction, self.alpha, self.samples, self.trials, self.seed)
        return SystemTests(*settings, ranks=self.ranks, rank_incomplete=self.rank_incomplete)

    @property
    def _resampling(self) -> dict[str, object]:
        """The resampling part of a sacreBLEU signature, and the `labels`."""
        seed = str(self.seed).lower()
        trials = {} if self.test == "bootstrap" else {"ar": self.trials}
        return {"bs": self.samples, **trials, "seed": seed, **self.labels}


def _given_metrics(
    metrics: Mapping[str, Metric] | Sequence[str | SegmentScore] | SegmentScore | str | None,
    pair: Sequence[str] | None,
    terms: Sequence[str] = (),
) -> Mapping[str, Metric]:
    """The requested metrics."""
    if isinstance(metrics, Mapping):
        return metrics
    specs = [METRICS] if metrics is None else metrics
    listed = [specs] if isinstance(specs, str) or callable(specs) else specs
    if opened := open_metrics(listed, pair, terms=terms):
        return opened
    raise UsageError("There is no metric: write `metrics='bleu,chrf'` or leave `metrics` out.")


def _parts(measured: Statistics, metric: Metric) -> list[Statistics]:
    """The named parts of a metric, such as entity types, as separate statistics."""
    return [
        replace(
            measured,
            columns=[measured.columns[i] for i in chosen],
            values=measured.values[:, chosen],
            group=part,
        )
        for part, chosen in metric.groups(measured.columns).items()
    ]
