"""The display of a run of behavioural testing, and the questions it asks people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

from mtassay.data.display import PLAIN, Block, CaseView, Figure, Headline, Line, Look, Table
from mtassay.data.nouns import Finding, Flags, Ledger, Observation, OpenAnswer, Result, Segment, original_of
from mtassay.data.run_view import AskedPair, RunView
from mtassay.methods.basis import alarm_table, answer_tables
from mtassay.methods.behavior.behavior_blocks import (
    answer_view,
    case_block,
    case_lines,
    cases_table,
    edit_blocks,
    failure_blocks,
    failures_table,
    worth_a_look,
)
from mtassay.methods.behavior.behavior_evidence import CaseEvidence, observed
from mtassay.methods.behavior.behavior_tables import (
    broken_table,
    pass_rate_table,
    position_table,
    rate_figure,
    status_table,
)
from mtassay.methods.behavior.pair_quality import PAIR_QUESTIONS, pairs_in
from mtassay.methods.behavior.pass_rates import (
    ALL,
    PASS_RATE,
    SURVIVED,
    edit_survival,
    error_positions,
    pass_rate_ledgers,
)
from mtassay.methods.behavior.verdict_thresholds import MOVED, PAPER, caution, compared, thresholds_of
from mtassay.methods.choice import choice_figures, choice_headlines
from mtassay.methods.headlines import Contest, weakest


class BehaviorView(RunView):
    """A run as people see it: a case is an original and its edit, with both outputs."""

    def observations(self) -> list[Observation]:
        """The translations of the edited sources; cases made from one sentence are a family."""
        return [observed(finding) for finding in self.run.findings]

    def failure(self) -> str:
        return "a translation of an edited source that the judge calls wrong"

    def facts(self) -> str:
        return ""

    def headlines(self) -> list[Headline]:
        level = float(self.run.parameters.get("level", 0.05))
        survival = self._survival
        if survival is None:
            told = Contest(self.run, PASS_RATE, ALL, "pass rate", "case", level, suffix=" %").headlines()
            return [*told, *choice_headlines(self.run, told), *self.open_headlines()]
        label = "translations that survive the edit"
        told = Contest(
            replace(self.run, result=survival), SURVIVED, ALL, label, "case", level, suffix=" %"
        ).headlines()
        told += choice_headlines(self.run, told)
        told += weakest(
            [score for score in survival.scores if score.group != ALL and score.value is not None],
            lambda s, value, how: f"{s.system} is worst at {s.group}: {value} % survive the edit {how}.",
        )
        return [*told, *self.open_headlines()]

    def case_views(self) -> Iterable[CaseView]:
        """Every case: both sources with the edit marked, and both outputs of each system."""
        findings: dict[str, list[Finding]] = {}
        for finding in self.run.findings:
            findings.setdefault(finding.case_id, []).append(finding)
        for segment in self.run.segments:
            if about := findings.get(segment.id):
                lines = case_lines(about) or [Line("source", segment.source or "")]
                order = [f for system in self.run.systems for f in about if f.system == system]
                capability = CaseEvidence.of(about[0]).capability
                answers = [answer_view(f) for f in order]
                yield CaseView(segment.id, lines, answers, [capability], segment.document or "")

    def tables(self, look: Look = PLAIN) -> list[Table]:
        parameters = self.run.parameters
        by_evidence = parameters.get("judge_by") != PAPER
        warning = (
            ""
            if by_evidence
            else caution(
                "+".join(parameters.get("quality") or ()),
                str(parameters.get("pair", "")),
                alpha=parameters.get("min_quality"),
                beta=parameters.get("max_change"),
                direct=bool(parameters.get("direct", True)),
            )
        )
        known = (parameters.get("calibrated") or {}).get("known", "")
        warning = " ".join(filter(None, (known, warning)))
        rates = pass_rate_table(
            self.run.result,
            alpha=float(parameters.get("level", 0.05)),
            mark=look.mark,
            caution=warning,
            has_ranks=self._survival is None,
        )
        positions = position_table(error_positions(self.run.findings), self.run.findings)
        broken = self._survival and broken_table(self._survival)
        flagged = alarm_table(self.run, self.run.result.basis.get("checks", {}), detail=look.detail)
        tables = [table for table in (rates, broken, status_table(self.run), positions, flagged) if table]
        return [*tables, *answer_tables(self)]

    def figures(self, look: Look = PLAIN) -> list[Figure]:
        title = str(self.run.parameters.get("pair", ""))
        if self._survival is None:
            rates = rate_figure(self.run.result, title=title)
        else:
            rates = rate_figure(self._survival, name=SURVIVED, title=title)
        return [rates, *choice_figures(self)]

    @cached_property
    def _survival(self) -> Result | None:
        """Tables of errors caused by the edits; empty if no case has a good original for all systems."""
        level = float(self.run.parameters.get("level", 0.05))
        survival = edit_survival(self.run.findings, self.run.systems, level=level)
        return survival if any(score.n for score in survival.scores) else None

    def blocks(self, look: Look = PLAIN) -> list[Block]:
        return failure_blocks(self.run, look)

    def cases_table(self, look: Look = PLAIN) -> Table | None:
        return failures_table(self.run, most=look.cases)

    def finding_blocks(self) -> list[Block]:
        several = len(self.run.systems) > 1
        return [case_block(finding, show_system=several) for finding in worth_a_look(self.run)]

    def findings_table(self, *, everything: bool) -> Table | None:
        shown = self.run.findings if everything else worth_a_look(self.run)
        return cases_table(shown, title=f"Findings: {len(shown):,}")

    def record(self) -> dict[str, Any]:
        findings = [asdict(finding) for finding in self.run.findings if finding.verdict != "pass"]
        where = [asdict(score) for score in error_positions(self.run.findings)]
        return {**self.run.result.as_dict(), "positions": where, "findings": findings}

    def ledgers(self, system: str) -> list[Ledger]:
        """Pass rates of all cases and of each capability; cases from one sentence are one cluster."""
        return pass_rate_ledgers([f for f in self.run.findings if f.system == system], system)

    def open_answers(self) -> list[OpenAnswer]:
        """The translations to judge: those of the edited sources in failed or undecided cases."""
        statuses = {"fail": "suspicious", "undecided": "undecided"}
        return [
            OpenAnswer(
                self._edits.get(finding.case_id, ""),
                finding.system,
                statuses[finding.verdict],
                probability=CaseEvidence.of(finding).probability,
            )
            for finding in self.run.findings
            if finding.verdict in statuses
        ]

    def decided(self) -> list[OpenAnswer]:
        """The cases that passed or failed, keyed by the translation of the edited source."""
        answers = {"pass": "correct", "fail": "wrong"}
        return [
            OpenAnswer(self._edits[f.case_id], f.system, answers[f.verdict])
            for f in self.run.findings
            if f.verdict in answers and f.case_id in self._edits
        ]

    def claims_right(self) -> bool:
        """Only passes by our judge claim a right translation, since the paper's judge misses most errors."""
        return self.run.parameters.get("judge_by") != PAPER and super().claims_right()

    def reviewed(self, case_id: str) -> str:
        return self._edits.get(case_id, case_id)

    @cached_property
    def _edits(self) -> dict[str, str]:
        """The segment with the edited source of each case."""
        return {original: s.id for s in self.run.segments if (original := original_of(s)) is not None}

    def pairs(self, question: str) -> list[AskedPair]:
        """Edited and original pairs, mixed so that raters do not know which kind they see."""
        return pairs_in(self.run.segments, question) if question in PAIR_QUESTIONS else []

    def related_blocks(self, segment_id: str, system: str) -> list[Block]:
        """Both sources with the edit marked, and the output for the original."""
        return edit_blocks(self.run, segment_id, system)

    def case_of(self, segment: Segment) -> str:
        return original_of(segment) or segment.id

    def status(self, findings: Sequence[Finding]) -> str:
        judged = [status for finding in findings if (status := CaseEvidence.of(finding).status)]
        return judged[0] if judged else super().status(findings)

    def why(self, finding: Finding) -> str:
        return CaseEvidence.of(finding).unsettled

    def reasons(self, finding: Finding) -> list[str]:
        """The verdict of the case and its evidence; for a case without a verdict, the reason."""
        evidence = CaseEvidence.of(finding)
        if not evidence.status:
            return [self.why(finding)]
        if evidence.probability is not None:
            return [f"{evidence.status}: {100 * evidence.probability:.0f} % likely wrong", *evidence.reasons]
        if evidence.quality is None or evidence.edited_quality is None:
            return [evidence.status]
        return [f"{evidence.status}: quality {evidence.quality:.2f}, edited {evidence.edited_quality:.2f}"]

    def block(self, case_id: str, system: str) -> Block:
        """The whole case with its qualities and thresholds; for a case without a verdict, the reason."""
        finding = next(f for f in self.findings(case_id) if f.system == system)
        evidence = CaseEvidence.of(finding)
        if not evidence.status:
            return super().block(case_id, system)
        block = case_block(finding)
        if evidence.probability is not None or evidence.quality is None or evidence.edited_quality is None:
            return block
        signed = bool(self.run.parameters.get("signed"))
        so = compared(evidence.quality, evidence.edited_quality, thresholds_of(self.run), signed=signed)
        if evidence.edit_found is False:
            so += "; the edit was not found in the translation"
        return replace(block, lines=[*block.lines, Line("why", so)])

    def flags_of(self, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """Scores are our judge's probabilities of an error, or for the paper's judge how bad the original is.

        For the paper's judge, the score is 1 if the edit changed the quality too much. So the curve of a run
        shows the effect of other alphas at its beta.
        """
        flags = super().flags_of(detector, findings, missing)
        with_evidence = [(finding, CaseEvidence.of(finding)) for finding in findings]
        if any(evidence.probability is not None for _, evidence in with_evidence):
            likely = {
                (finding.case_id, finding.system): 1.0
                if evidence.status == "edit ignored"
                else evidence.probability
                for finding, evidence in with_evidence
                if evidence.probability is not None
            }
            return replace(flags, scores={**flags.scores, **likely})
        scores = {
            (finding.case_id, finding.system): 1.0 if evidence.status in MOVED else 1.0 - evidence.quality
            for finding, evidence in with_evidence
            if evidence.quality is not None
        }
        return replace(flags, scores={**flags.scores, **scores}, complement="alpha")
