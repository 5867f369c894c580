"""How a run of behavioural testing shows itself, and what people are asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

from mtassay.core import (
    Doubt,
    Finding,
    Flags,
    Ledger,
    Observation,
    Question,
    Run,
    Segment,
    original_of,
)
from mtassay.display import PLAIN, Block, CaseView, Figure, Headline, Line, Table, View
from mtassay.errors import UsageError
from mtassay.method import AskedPair, Method
from mtassay.methods.behavior.blocks import (
    answer_view,
    case_block,
    case_lines,
    cases_table,
    edit_blocks,
    failure_blocks,
    failures_table,
    worth_a_look,
)
from mtassay.methods.behavior.evidence import (
    CaseEvidence,
    observed,
)
from mtassay.methods.behavior.pair_quality import PAIR_QUESTIONS, pairs_in
from mtassay.methods.behavior.rates import (
    ALL,
    PASS_RATE,
    error_positions,
    pass_rate_ledgers,
    sweep_run,
)
from mtassay.methods.behavior.tables import (
    pass_rate_figure,
    pass_rate_table,
    position_table,
    status_table,
    sweep_figure,
    sweep_table,
)
from mtassay.methods.behavior.thresholds import (
    MOVED,
    caution,
    compared,
    thresholds_of,
)
from mtassay.methods.headlines import Contest, weakest
from mtassay.metrics.blindspots import blindspots_note

__all__ = ["BehaviorRun"]


class BehaviorRun(Method):
    """What the method knows of a saved run: a case is an original and its edit, with both outputs."""

    name: ClassVar[str] = "behavior"
    asks: ClassVar[Sequence[Question]] = (
        Question(
            "behavior",
            "Is the translation right? Wrong: it says something else, leaves something out or adds it, or "
            "cannot be understood.",
            {"c": "correct", "w": "wrong"},
            is_blind=True,
            about="the output to the edited source",
        ),
        Question(
            "place",
            "Where is the error: in what became of the edited words (edit), in another place (elsewhere), or "
            "in both? Correct: there is none.",
            {"c": "correct", "e": "edit", "w": "elsewhere", "x": "both"},
            is_blind=True,
            about="the output to the edited source",
        ),
        *PAIR_QUESTIONS.values(),
    )

    @classmethod
    def check_run(cls, run: Run) -> None:
        """An error if not one case could be judged, with what was in the way of the first."""
        if run.findings and all(finding.verdict == "skipped" for finding in run.findings):
            first = run.findings[0]
            why = CaseEvidence.of(first).lacks(first)
            raise UsageError(f"All cases were skipped, nothing is judged. The first: {why}.")

    @classmethod
    def observations(cls, run: Run) -> list[Observation]:
        """What was made of the edited sources; the cases of one sentence are a family."""
        return [observed(finding) for finding in run.findings]

    @classmethod
    def failure(cls, run: Run) -> str:
        return "a translation of an edited source that the judge calls wrong"

    @classmethod
    def means(cls, run: Run) -> str:
        return "edited sentences"

    @classmethod
    def facts(cls, run: Run) -> str:
        return ""

    @classmethod
    def headlines(cls, run: Run) -> list[Headline]:
        level = float(run.parameters.get("level", 0.05))
        told = Contest(run, PASS_RATE, ALL, "pass rate", "case", level, suffix=" %").headlines()
        rates = [s for s in run.result.scores if s.name == PASS_RATE and s.group != ALL]
        told += weakest(
            rates, lambda s, value, how: f"{s.system} is worst at {s.group}: {value} % pass {how}."
        )
        return [*told, *cls.open_headlines(run)]

    @classmethod
    def case_views(cls, run: Run) -> Iterable[CaseView]:
        """Every case: both sources with the edit marked, and both outputs of each system."""
        findings: dict[str, list[Finding]] = {}
        for finding in run.findings:
            findings.setdefault(finding.case_id, []).append(finding)
        for segment in run.segments:
            if about := findings.get(segment.id):
                lines = case_lines(about) or [Line("source", segment.source or "")]
                order = [f for system in run.systems for f in about if f.system == system]
                capability = CaseEvidence.of(about[0]).capability
                yield CaseView(segment.id, lines, [answer_view(f) for f in order], [capability])

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        parameters = run.parameters
        by_evidence = parameters.get("judge_by") == "evidence"
        warning = (
            ""
            if by_evidence
            else caution(
                "+".join(parameters.get("quality") or ()),
                str(parameters.get("pair", "")),
                alpha=parameters.get("alpha"),
                beta=parameters.get("beta"),
                direct=bool(parameters.get("direct", True)),
            )
        )
        known = (parameters.get("calibrated") or {}).get("known", "")
        blind = (
            "" if by_evidence else blindspots_note((name, name) for name in parameters.get("quality") or ())
        )
        warning = " ".join(filter(None, (known, warning, blind)))
        rates = pass_rate_table(
            run.result, alpha=float(parameters.get("level", 0.05)), mark=view.mark, caution=warning
        )
        positions = position_table(error_positions(run.findings), run.findings)
        tables = [table for table in (rates, status_table(run), positions) if table]
        if view.detail and not by_evidence:
            swept = sweep_run(run)
            tables.append(sweep_table(swept.scores, chosen=swept.chosen, title=swept.title))
        return tables

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        figures = [pass_rate_figure(run.result, title=str(run.parameters.get("pair", "")))]
        if view.detail and run.parameters.get("judge_by") != "evidence":
            swept = sweep_run(run)
            figures.append(sweep_figure(swept.scores, chosen=swept.chosen, title=swept.title))
        return figures

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        return failure_blocks(run, view)

    @classmethod
    def cases_table(cls, run: Run, view: View = PLAIN) -> Table | None:
        return failures_table(run, most=view.cases)

    @classmethod
    def finding_blocks(cls, run: Run) -> list[Block]:
        several = len(run.systems) > 1
        return [case_block(finding, show_system=several) for finding in worth_a_look(run)]

    @classmethod
    def findings_table(cls, run: Run, *, everything: bool) -> Table | None:
        shown = run.findings if everything else worth_a_look(run)
        return cases_table(shown, title=f"Findings: {len(shown):,}")

    @classmethod
    def record(cls, run: Run) -> dict[str, Any]:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        where = [asdict(score) for score in error_positions(run.findings)]
        return {**run.result.as_dict(), "positions": where, "findings": findings}

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        is_swept = is_saved and run.parameters.get("judge_by") != "evidence"
        return [f"other thresholds: mtassay behavior sweep {run.id}"] if is_swept else []

    @classmethod
    def ledgers(cls, run: Run, system: str) -> list[Ledger]:
        """Pass rates of all cases and of each capability; cases made from one sentence hang together."""
        return pass_rate_ledgers([finding for finding in run.findings if finding.system == system], system)

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """What is judged is the translation of the edited source: of all cases that fail or are undecided."""
        edits = {original: s.id for s in run.segments if (original := original_of(s)) is not None}
        statuses = {"fail": "suspicious", "undecided": "undecided"}
        return [
            Doubt(edits.get(finding.case_id, ""), finding.system, statuses[finding.verdict])
            for finding in run.findings
            if finding.verdict in statuses
        ]

    @classmethod
    def decided(cls, run: Run) -> list[Doubt]:
        """The cases that passed or failed, by the translation of the edited source."""
        edits = {original: s.id for s in run.segments if (original := original_of(s)) is not None}
        answers = {"pass": "correct", "fail": "wrong"}
        return [
            Doubt(edits[f.case_id], f.system, answers[f.verdict])
            for f in run.findings
            if f.verdict in answers and f.case_id in edits
        ]

    @classmethod
    def claims_right(cls, run: Run) -> bool:
        """Only by evidence: the paper's judge does not see most errors."""
        return run.parameters.get("judge_by") == "evidence" and super().claims_right(run)

    @classmethod
    def reviewed(cls, run: Run, case_id: str) -> str:
        edits = (s.id for s in run.segments if original_of(s) == case_id)
        return next(edits, case_id)

    @classmethod
    def pairs(cls, run: Run, question: str) -> list[AskedPair]:
        """Edited and original pairs, mixed: who rates one does not know which it is."""
        return pairs_in(run.segments, question) if question in PAIR_QUESTIONS else []

    @classmethod
    def kin(cls, run: Run, segment_id: str, system: str) -> list[Block]:
        """Both sources with the edit marked, and the output to the original."""
        return edit_blocks(run, segment_id, system)

    @classmethod
    def case_of(cls, segment: Segment) -> str:
        return original_of(segment) or segment.id

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        judged = [status for finding in findings if (status := CaseEvidence.of(finding).status)]
        return judged[0] if judged else super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        return CaseEvidence.of(finding).unsettled

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        """What the case was judged to be and what speaks for it; without a verdict, why not."""
        evidence = CaseEvidence.of(finding)
        if not evidence.status:
            return [cls.why(finding)]
        if evidence.probability is not None:
            return [f"{evidence.status}: {100 * evidence.probability:.0f} % likely wrong", *evidence.reasons]
        if evidence.quality is None or evidence.edited_quality is None:
            return [evidence.status]
        return [f"{evidence.status}: quality {evidence.quality:.2f}, edited {evidence.edited_quality:.2f}"]

    @classmethod
    def block(cls, run: Run, case_id: str, system: str) -> Block:
        """The case whole, and how its qualities stand to the thresholds; without a verdict, why not."""
        finding = next(f for f in cls.findings(run, case_id) if f.system == system)
        evidence = CaseEvidence.of(finding)
        if not evidence.status:
            return super().block(run, case_id, system)
        block = case_block(finding)
        if evidence.probability is not None or evidence.quality is None or evidence.edited_quality is None:
            return block
        signed = bool(run.parameters.get("signed"))
        so = compared(evidence.quality, evidence.edited_quality, thresholds_of(run), signed=signed)
        if evidence.edit_found is False:
            so += "; the edit was not found in the translation"
        return replace(block, lines=[*block.lines, Line("why", so)])

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """Scores are how likely the judge finds an error; by the paper's, how bad the original is.

        There they are 1 where the edit moved it, so the curve of a run shows what other alphas would do with
        its beta.
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
        return replace(flags, scores={**flags.scores, **scores}, one_less="alpha")
