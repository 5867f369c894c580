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
from mtassay.data.settings import option
from mtassay.measures.corpus import Corpus, checked, labels_of, measure_all, open_metrics, saved_metric
from mtassay.measures.function_metric import SegmentScore
from mtassay.measures.metric import Metric
from mtassay.methods.basis import BACK_TRANSLATION, compared_basis, compared_note, missing
from mtassay.methods.score.judged import judge_outputs, require_judge
from mtassay.methods.score.score_statistics import Correction, SystemTests, Test, group_statistics
from mtassay.methods.score.score_tables import coverage_notes
from mtassay.methods.score.score_view import ScoreView
from mtassay.stats import resampling

if TYPE_CHECKING:
    from mtassay.measures.guards import Guards
    from mtassay.methods.score.score_statistics import StreamedFiles

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
            "--judged/--no-judged",
            "--judge",
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
            values["metrics"] = _given_metrics(values.get("metrics"), pair)
        if values.get("correction") is None and (run is None or values.get("test") is not None):
            test = values.get("test") or cls.test
            values["correction"] = "max-t" if test == "randomization" else "none"
        if run is None and values.get("seed") is None:
            values["seed"] = resampling.default_seed()
            if values["seed"] is None:  # which is to say that every run draws anew
                return replace(super().resolve(values), seed=None)
        return super().resolve(values, run)

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        saved = super().restore(parameters)
        pair = saved.get("pair")
        described: Mapping[str, str] = saved.get("metrics") or {}
        return saved | {"metrics": {name: saved_metric(name, text, pair) for name, text in described.items()}}

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
        """One for each segment; what a metric or the judge lacks is an error before anybody is asked."""
        segments = list(segments)
        for name, metric in self.metrics.items() if segments else ():
            metric.require(Corpus(segments, {}).usable(name, metric).segments, context)
        if self.judged:
            require_judge(segments, self._judged_pair, back_translation=self.back_translation)
        return [Case(s.id, s.id, (s.source,), {"segment": s}, s.tags) for s in segments]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        corpus = Corpus.of([case.expect["segment"] for case in cases], outputs)
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
        lean = corpus.without_empty_references
        counting = [m.label for m in self.metrics.values() if m.counts_empty_references]
        if counting and lean is not corpus:
            empty = sum(s != t for s, t in zip(corpus.segments, lean.segments, strict=True))
            context.note(
                f"{empty:,} of {len(corpus.segments):,} segments have an empty reference beside a full one: "
                f"{', '.join(counting)} count the empty one, as sacreBLEU does. To leave it out, give "
                "references with ids (TSV, JSON Lines), and only those that are there."
            )
        with self._guarded(lean, context) as guards_found:
            if self.judged:
                evidence += judge_outputs(
                    lean, self._judged_pair, context, back_translation=self.back_translation
                )
            for _, metric, usable, measured in measure_all(
                self.metrics, corpus, context, extra=self._resampling
            ):
                for entry in measured:
                    statistics += [
                        entry,
                        *_parts(entry, metric),
                        *group_statistics(entry, usable.segments, self.by),
                    ]
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
        basis = {}
        if len(corpus.segments) < len(cases):
            lacking = {system: count["skipped"] for system, count in counts.items()}
            basis = compared_basis(len(cases), len(corpus.segments), lacking)
        return Judgement(findings, statistics, counts, basis=basis)

    @contextmanager
    def _guarded(self, corpus: Corpus, context: RunContext) -> Iterator[Callable[[], Guards | None]]:
        """What the guards find, by a call; nothing where they are not asked for."""
        if not self.guards:
            yield lambda: None
            return
        context.progress("guards", 0, None)
        with checked(corpus, self.pair, self.metrics, context) as guards_found:
            yield guards_found

    def score(self, judgement: Judgement, context: RunContext) -> Result:
        context.progress("significance", 0, None)
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
        notes = [compared_note(result)] if judgement.basis else []
        notes += coverage_notes(result)
        if not self.metrics:
            notes.append(
                "There are no references, so there is no score: only what the judge and the guards find."
            )
        return replace(result, notes=notes)

    def stream(self, files: StreamedFiles, context: RunContext) -> Result:
        """The same for files of any length, in bounded memory; `test` is the bootstrap."""
        from mtassay.methods.score.score_statistics import score_stream

        how = SystemTests(self.test, self.correction, self.alpha, self.samples, self.trials, self.seed)
        return score_stream(
            files,
            self.metrics,
            self._labels,
            how,
            context,
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

    @property
    def _judged_pair(self) -> Pair | None:
        return parse_pair("-".join(self.pair)) if self.pair else None

    @cached_property
    def _labels(self) -> dict[str, str]:
        return labels_of(self.metrics)

    @property
    def _resampling(self) -> dict[str, object]:
        """What sacreBLEU says in a signature about resampling; `labels` besides."""
        seed = str(self.seed).lower()
        trials = {} if self.test == "bootstrap" else {"ar": self.trials}
        return {"bs": self.samples, **trials, "seed": seed, **self.labels}


def _given_metrics(
    metrics: Mapping[str, Metric] | Sequence[str | SegmentScore] | SegmentScore | str | None,
    pair: Sequence[str] | None,
) -> Mapping[str, Metric]:
    """The metrics by what was asked for."""
    if isinstance(metrics, Mapping):
        return metrics
    specs = [METRICS] if metrics is None else metrics
    if opened := open_metrics([specs] if isinstance(specs, str) or callable(specs) else specs, pair):
        return opened
    raise UsageError("There is no metric: write `metrics='bleu,chrf'` or leave `metrics` out.")


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
