"""The display of a scoring run: scores, findings of judge and checks, differences between systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mtassay.data.display import (
    LIKELY,
    PLAIN,
    AnswerView,
    Block,
    CaseView,
    Figure,
    Headline,
    Line,
    Look,
    Table,
)
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.nouns import Finding, Ledger, Observation, Output, Run, Segment
from mtassay.data.registry import find
from mtassay.data.run_view import RunView
from mtassay.measures.corpus import labels_of, open_metrics, saved_metric
from mtassay.measures.given_scores import Scores, are_of_people
from mtassay.measures.metric import Metric
from mtassay.methods.basis import alarm_table, answer_tables, unanswered_note
from mtassay.methods.headlines import Contest, matrix_table
from mtassay.methods.score.judged import (
    JUDGE,
    SegmentEvidence,
    Tails,
    judged_blocks,
    judged_table,
    reasons_table,
    score_tails,
    seen,
    unjudged_observations,
    weak_headlines,
)
from mtassay.methods.score.score_statistics import group_statistics
from mtassay.methods.score.score_tables import (
    comparison_table,
    group_tables,
    main_table,
    score_figures,
    signature_lines,
)

if TYPE_CHECKING:
    from mtassay.methods.score.differences import Differences


class ScoreView(RunView):
    """A run as people see it: a case is a segment, with its score by each metric that scores segments."""

    def ledgers(self, system: str) -> list[Ledger]:
        """Every installed metric, with its parts and the groups of segments."""
        by = self.run.parameters.get("by")
        is_by_document = "unit" in self.run.result.basis
        documents = {s.id: s.document for s in self.run.segments if s.document} if is_by_document else {}
        ledgers = []
        for whole in self.run.statistics:
            if whole.system != system or whole.group != "all" or whole.metric not in self._metrics:
                continue
            metric = self._metrics[whole.metric]
            columns = metric.groups(whole.columns)
            groups: dict[str, list[Sequence[str]]] = {group: [whole.ids] for group in ("all", *columns)}
            groups |= {entry.group: [entry.ids] for entry in group_statistics(whole, self.run.segments, by)}
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
                    clusters=documents,
                    unit_scores=metric.unit_scores,
                    column_names=list(whole.columns),
                )
            )
        return ledgers

    def observations(self) -> list[Observation]:
        """Verdicts by the judge, or else by checks, metrics that flag, and the lowest 10 % of the scores."""
        if self._is_judged:
            return super().observations()
        tails: dict[str, Tails] = {}
        if metric := self._ranking_metric():
            ledgers = {system: self.ledgers(system) for system in self.run.systems}
            of_metric = {s: le for s, own in ledgers.items() for le in own if le.name == metric}
            tails = score_tails(of_metric, {s.id: len(s.source or "") for s in self.run.segments})
        return unjudged_observations(self.run, tails)

    def failures(self) -> str:
        return "low-scoring outputs" if not self._is_judged and self._ranking_metric() else super().failures()

    def failure(self) -> str:
        if self._is_judged:
            return "an output that the judge calls wrong, or a check flags"
        if not (metric := self._ranking_metric()):
            return "an output that a check flags"
        held = "against the mean of the other systems" if len(self.run.systems) > 1 else "of its outputs"
        label = labels_of(self._metrics)[metric]
        return f"an output that a check flags, or in the lowest tenth by {label} {held}"

    @cached_property
    def _is_judged(self) -> bool:
        """Whether the judge was asked about the outputs."""
        return any(finding.detector == JUDGE for finding in self.run.findings)

    def _ranking_metric(self) -> str:
        """The metric that decides which outputs are the worst: the last with scores for all segments."""
        segments, known = {segment.id for segment in self.run.segments}, self._metrics
        ours = [s.metric for s in self.run.statistics if s.metric in known and segments.issuperset(s.ids)]
        partly = {s.name for s in self.run.result.scores if s.group == "all" and s.n < len(segments)}
        return next((m for m in reversed(ours) if m not in partly), ours[-1] if ours else "")

    def finds(self, detector: str) -> str:
        """What a metric's findings are called, if the detector is a metric."""
        with suppress(UsageError):
            return str(find("metric", detector).finds) or super().finds(detector)
        return super().finds(detector)

    def facts(self) -> str:
        streamed = self.run.result.basis.get("streamed", {})
        most = max((len(segment.references) for segment in self.run.segments), default=0)
        references = int(streamed.get("references", most))
        pair = self.run.parameters.get("pair")
        facts = ["-".join(pair)] if pair else []
        n = streamed.get("segments", len(self.run.segments))
        facts.append(f"{n:,} segments")
        if note := unanswered_note(self.run.result):
            facts.append(note.partition(" segments.")[0])
        facts.append(f"{references} reference{'s' * (references != 1)}")
        return " · ".join(facts)

    def headlines(self) -> list[Headline]:
        return list(self._headlines)

    @cached_property
    def _headlines(self) -> list[Headline]:
        run = self._labelled
        ways = {ledger.name: ledger.higher_is_better for ledger in self.ledgers(run.systems[0])}
        alpha = float(run.parameters.get("alpha", 0.05))
        whole = {score.name: score for score in run.result.scores if score.group == "all"}
        # The unit of a score, as far as n shows it.
        given = {name: metric for name, metric in self._metrics.items() if isinstance(metric, Scores)}
        people = {name for name, m in given.items() if are_of_people(whole[name].label, m.file)}
        told: list[Headline] = []
        for name, score in whole.items():
            label = score.label or name
            if name in people:
                label = "people's scores" if len(people) == 1 else f"people's scores ({label})"
            unit = "segment" if score.n == len(run.segments) or name in given else "unit"
            way = ways.get(name, True)
            contest = Contest(run, name, "all", label, unit, alpha, way, is_people=name in people)
            told += contest.headlines()
        from mtassay.methods.choice import choice_headlines  # slow to load

        told += choice_headlines(run, told)
        return [*told, *weak_headlines(run), *self.open_headlines()]

    def case_views(self) -> Iterable[CaseView]:
        """Every segment; its answers have the scores of each metric and are sorted by the first score."""
        scores: dict[tuple[str, str], dict[str, float]] = {}
        for entry in self.run.statistics:
            if entry.group == "all" and entry.metric in self._metrics:
                values = self._metrics[entry.metric].unit_scores(entry.values).tolist()
                for unit, value in zip(entry.ids, values, strict=True):
                    if not math.isnan(value):
                        scores.setdefault((unit, entry.system), {})[entry.metric] = value
        result, labels = self._labelled.result, labels_of(self._metrics)
        for case in super().case_views():
            answers = []
            for answer in case.answers:
                units = scores.get((case.id, answer.system), {})
                lines = [*answer.lines, Line("scores", result.scores_text(units))] if units else answer.lines
                order = answer.order if self._is_judged else next(iter(units.values()), 0.0)
                values = {labels[name]: value for name, value in units.items()} | dict(answer.values)
                answers.append(replace(answer, lines=lines, order=order, values=values))
            yield replace(case, answers=answers)

    def groups_of(self, segment: Segment) -> list[str]:
        by = self.run.parameters.get("by")
        value = segment.document if by == "document" else segment.tags.get(str(by))
        return [] if by is None or value is None else [str(value)]

    def answer_view(self, output: Output | None, system: str, findings: Sequence[Finding]) -> AnswerView:
        """Mark errors; checks, types of missing names, and clues of the judge are groups."""
        answer = super().answer_view(output, system, findings)
        marks = [span for f in findings for span in SegmentEvidence.of(f).marks()]
        lines = [line._replace(marks=marks) if line.label == "output" else line for line in answer.lines]
        likely = [f.value for f in findings if f.detector == JUDGE and f.value is not None]
        values = {LIKELY: likely[0]} if likely else {}
        return replace(answer, lines=lines, values=values, **seen(findings))

    def tables(self, look: Look = PLAIN) -> list[Table]:
        run = self._labelled
        judged = (judged_table(run), reasons_table(run)) if self._is_judged else ()
        more = (
            comparison_table(run, all_pairs=look.pairs),
            alarm_table(run, run.result.counts, detail=look.detail),
            *judged,
            *answer_tables(self),
        )
        main = [main_table(run)] if run.result.scores else []
        boards = [h.board for h in self.headlines() if h.board] if look.pairs or look.detail else []
        matrices = [table for board in boards if (table := matrix_table(board))]
        return [*main, *group_tables(run), *filter(None, more), *matrices]

    def blocks(self, look: Look = PLAIN) -> list[Block]:
        return judged_blocks(self.run, look) if self._is_judged else []

    def figures(self, look: Look = PLAIN) -> list[Figure]:
        from mtassay.methods.choice import choice_figures  # slow to load

        return [*score_figures(self._labelled.result), *choice_figures(self)]

    def differences(self, look: Look = PLAIN) -> list[Table | Block]:
        if not look.examples:
            return []
        from mtassay.methods.score.differences import difference_parts  # large, and rarely needed

        return [*difference_parts(self._differences(look), self._metrics, labels_of(self._metrics))]

    def differences_record(self, look: Look = PLAIN) -> dict[str, Any]:
        from mtassay.methods.score.differences import difference_record

        found = self._differences(look) if look.examples else None
        return {"differences": difference_record(found)} if found else {}

    def finding_blocks(self) -> list[Block]:
        blocks = []
        for finding, block in zip(self.run.findings, super().finding_blocks(), strict=True):
            evidence = SegmentEvidence.of(finding)
            marked = [
                line._replace(marks=evidence.marks(of_source=line.label == "source")) for line in block.lines
            ]
            blocks.append(replace(block, lines=marked))
        return blocks

    def block(self, case_id: str, system: str) -> Block:
        block = super().block(case_id, system)
        if (text := self.run.text(case_id, system)) is None:
            return block
        from mtassay.methods.score.differences import segment_lines

        segment = next((segment for segment in self.run.segments if segment.id == case_id), None)
        lines = segment_lines(segment, text, self.unit_scores(case_id, system), self._labelled.result)
        return replace(block, lines=[*lines, *block.lines[1:]])

    def unit_scores(self, case_id: str, system: str) -> dict[str, float]:
        scores: dict[str, float] = {}
        for entry in self.run.statistics:
            if entry.system == system and entry.metric in self._metrics and case_id in entry.ids:
                place = entry.ids.index(case_id)
                (score,) = self._metrics[entry.metric].unit_scores(entry.values[place : place + 1]).tolist()
                scores |= {} if math.isnan(score) else {entry.metric: score}
        return scores

    def signatures(self) -> list[str]:
        texts = self.run.result.basis.get("texts")
        # The signature of a metric is sacreBLEU's, so the test gets its own line.
        unit = "|unit:document" if "unit" in self.run.result.basis else ""
        return [*signature_lines(self._labelled.result), *([f"texts:{texts[:12]}{unit}"] if texts else [])]

    def why(self, finding: Finding) -> str:
        reason = SegmentEvidence.of(finding).reason
        if finding.detector == "output":
            return reason
        value = "" if finding.value is None else f" {finding.value:.4g}"
        name = finding.detector.removeprefix("check:")
        return f"{name}{value}: {reason}" if reason else f"{name}{value}"

    @cached_property
    def _labelled(self) -> Run:
        """The run with labels that older runs lack, if the metrics are installed."""
        bare = dict.fromkeys(score.name for score in self.run.result.scores if not score.label)
        metrics: dict[str, Metric] = {}
        for name in bare:
            with suppress(MtassayError):
                metrics |= open_metrics([name], None)
        labels = labels_of(metrics)
        scores = [
            replace(s, label=labels[s.name], decimals=metrics[s.name].decimals) if s.name in labels else s
            for s in self.run.result.scores
        ]
        return replace(self.run, result=replace(self.run.result, scores=scores)) if labels else self.run

    @cached_property
    def _metrics(self) -> dict[str, Metric]:
        """The metrics of the run that are installed with the same settings."""
        pair = self.run.parameters.get("pair")
        metrics: dict[str, Metric] = {}
        for name, described in self.run.parameters.get("metrics", {}).items():
            with suppress(MtassayError):
                metric = saved_metric(name, described, pair)
                # A metric given as an object may have any name.
                metrics |= {name: metric} if repr(metric) == described else {}
        return metrics

    def _differences(self, look: Look) -> Differences:
        from mtassay.methods.score.differences import find_differences

        return find_differences(
            self.run, self._metrics, count=look.examples, between=look.between, metric=look.metric
        )
