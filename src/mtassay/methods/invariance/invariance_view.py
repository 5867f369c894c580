"""The display of a run of invariance testing, and the questions it asks people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

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
from mtassay.data.marks import differing
from mtassay.data.nouns import Finding, Flags, Ledger, Observation, OpenAnswer, Segment, original_of
from mtassay.data.run_view import RunView
from mtassay.data.subjects import Subject
from mtassay.methods.basis import answer_tables
from mtassay.methods.choice import choice_figures, choice_headlines
from mtassay.methods.headlines import Contest, weakest
from mtassay.methods.invariance.invariance_evidence import (
    IssueEvidence,
    is_about_original,
    observations_of,
    reported,
)
from mtassay.methods.invariance.invariance_tables import (
    companion_table,
    corpus_table,
    issue_block,
    issue_blocks,
    issues_table,
    seconds_table,
    summary_table,
    variant_lines,
)
from mtassay.methods.invariance.issues import companions_of, stability_ledgers, standing


class InvarianceView(RunView):
    """A run as people see it: an issue is an original with its farthest variants."""

    def observations(self) -> list[Observation]:
        return observations_of(self.run)

    def failure(self) -> str:
        return "an output of an issue, or one that a check or relation flags"

    def facts(self) -> str:
        return ""

    def headlines(self) -> list[Headline]:
        """Compare systems by stable originals; the weakness of a system is the check with the most flags."""
        alpha = float(self.run.parameters.get("alpha", 0.05))
        stable = "share of sentences whose translation stays stable"
        told = Contest(self.run, "stable", "all", stable, "original", alpha, suffix=" %").headlines()
        told += choice_headlines(self.run, told)
        for system, counts in self.run.result.counts.items():
            if issues := counts.get("issues"):
                compared = counts.get("pass", 0) + counts.get("fail", 0)
                text = (
                    f"{system}: in {issues:,} of {compared:,} sentences, changing one word of the source "
                    "changed other parts of the translation."
                )
                told.append(Headline(text, "weak", system, "issues"))
        flagged = [score for score in self.run.result.scores if score.name == "flagged"]
        told += weakest(
            flagged,
            lambda s, value, how: f"{s.system}: {s.group} flags {value} % of its translations {how}.",
            higher_is_better=False,
        )
        return [*told, *self.open_headlines()]

    def case_views(self) -> Iterable[CaseView]:
        """Every original; its answers have the variants shown with an issue and the flagged pairs."""
        originals = {s.id: original_of(s) or s.id for s in self.run.segments}
        findings: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.run.findings:
            key = originals.get(finding.case_id, finding.case_id), finding.system
            findings.setdefault(key, []).append(finding)
        sources = {segment.id: segment.source or "" for segment in self.run.segments}
        outputs = {name: {o.id: o.text or "" for o in answers} for name, answers in self.run.outputs.items()}
        for segment in self.run.segments:
            if original_of(segment) is None:
                answers = [
                    _answer(system, found, sources, outputs.get(system, {}))
                    for system in self.run.systems
                    if (found := findings.get((segment.id, system)))
                ]
                lines = self.source_lines(segment)
                yield CaseView(segment.id, lines, answers, document=segment.document or "")

    def tables(self, look: Look = PLAIN) -> list[Table]:
        times = seconds_table(self.run.seconds) if self.run.seconds else None
        tables = (summary_table(self.run), companion_table(self.run), corpus_table(self.run.segments))
        return [table for table in (*tables, *answer_tables(self), times) if table]

    def figures(self, look: Look = PLAIN) -> list[Figure]:
        return choice_figures(self)

    def blocks(self, look: Look = PLAIN) -> list[Block]:
        return issue_blocks(self.run, look)

    def cases_table(self, look: Look = PLAIN) -> Table | None:
        return issues_table(self.run)

    def record(self) -> dict[str, Any]:
        findings = [asdict(finding) for finding in self.run.findings if finding.verdict != "pass"]
        times = {"seconds": dict(self.run.seconds)} if self.run.seconds else {}
        return {**self.run.result.as_dict(), **times, "findings": findings}

    def saved_notes(self) -> list[str]:
        return [f"as judged then; with later reviews: mtassay invariance run {self.run.id}"]

    def advice(self, *, is_saved: bool) -> list[str]:
        if not is_saved:
            return ["not kept: leave out --no-save to review issues and to try other structures"]
        lines = [f"other structures: mtassay invariance run {self.run.id} --structure raw"]
        if any(counts["issues"] for counts in self.run.result.counts.values()):
            lines.append(f"which issues are errors? mtassay review next {self.run.id}")
        return lines

    def ledgers(self, system: str) -> list[Ledger]:
        """Counts of stable originals, and of pairs that checks and relations flag."""
        own = [finding for finding in self.run.findings if finding.system == system]
        return stability_ledgers(own, system, companions_of(self.run))

    def open_answers(self) -> list[OpenAnswer]:
        """All outputs shown with an issue: those of the original and of the variants."""
        return [
            OpenAnswer(case_id, finding.system, "suspicious", finding.evidence, evidence.probability)
            for finding in self.run.findings
            if (evidence := IssueEvidence.of(finding)).is_issue
            for case_id in (finding.case_id, *(variant.id for variant in evidence.shown))
        ]

    def findings(self, case_id: str) -> list[Finding]:
        """The findings of a segment; the own finding of a variant shown with an issue comes first."""
        own = super().findings(case_id)
        segment = next((segment for segment in self.run.segments if segment.id == case_id), None)
        original = None if segment is None else original_of(segment)
        if original is None:
            return own
        shown = (reported(issue, case_id) for issue in super().findings(original))
        return [*filter(None, shown), *own]

    def related_blocks(self, segment_id: str, system: str) -> list[Block]:
        """The original and the variants shown with an issue, with changed words and differences marked."""
        this = next((segment for segment in self.run.segments if segment.id == segment_id), None)
        original = (original_of(this) or this.id) if this else segment_id
        issues = (IssueEvidence.of(f) for f in super().findings(original) if f.system == system)
        shown = {variant.id for issue in issues if issue.is_issue for variant in issue.shown}
        text = self.run.text(segment_id, system) or ""
        return [
            _related_block(segment, self.run.text(segment.id, system), text, is_this=segment.id == segment_id)
            for segment in self.run.segments
            if segment.id in {original, segment_id, *shown}
        ]

    def joint_decision(self, case_id: str, system: str, decisions: Mapping[str, str]) -> str:
        """The current status of an issue by its labels; one error in a shown pair confirms the issue."""
        candidates = (IssueEvidence.of(f) for f in self.findings(case_id) if f.system == system)
        issue = next((evidence for evidence in candidates if evidence.shown), None)
        if issue is None:
            return ""
        sources = {segment.id: segment.source for segment in self.run.segments}
        shown = [
            Subject(case_id, (sources.get(case_id),), (self.run.text(case_id, system) or "",)),
            *(Subject(variant.id, (variant.source,), (variant.output,)) for variant in issue.shown),
        ]
        labels = {s.case_id: decisions[s.id] for s in shown if s.id in decisions}
        return standing([subject.case_id for subject in shown], labels)

    def status(self, findings: Sequence[Finding]) -> str:
        judged = (IssueEvidence.of(finding).status for finding in findings)
        return next(filter(None, judged), "") or super().status(findings)

    def why(self, finding: Finding) -> str:
        evidence = IssueEvidence.of(finding)
        return evidence.explained() if evidence.status else super().why(finding)

    def reasons(self, finding: Finding) -> list[str]:
        """The explanation of a finding, then the variants reported with the original."""
        return [self.why(finding), *variant_lines(finding)]

    def flags_of(self, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """The structure flags the variants shown with issues, and a check flags its own pairs."""
        with_evidence = [(finding, IssueEvidence.of(finding)) for finding in findings]
        if not any(evidence.distances is not None or evidence.shown for _, evidence in with_evidence):
            return super().flags_of(detector, findings, missing)
        flagged: set[tuple[str, str]] = set()
        scores: dict[tuple[str, str], float] = {}
        silent = Counter(missing)
        for finding, evidence in with_evidence:
            shown = {variant.id: variant.distance for variant in evidence.shown}
            for variant, distance in {**shown, **(evidence.distances or {})}.items():
                scores[variant, finding.system] = float(distance)
            # Cleared issues count as flagged; else people's decisions would be compared with themselves.
            if finding.verdict == "fail" or evidence.status == "cleared":
                flagged |= {(variant, finding.system) for variant in shown}
            elif finding.verdict != "pass":
                silent[str(finding.verdict)] += 1
        return Flags(detector, frozenset(flagged), scores, silent)


def _related_block(segment: Segment, output: str | None, other: str, *, is_this: bool) -> Block:
    """A sentence of a family and its output, with the changed word and output differences marked."""
    edit = segment.tags.get("edit") or {}
    start, after = int(edit.get("start", 0)), str(edit.get("after", ""))
    what = f"{edit['before']} → {after}" if edit else "original"
    lines = [Line("source", segment.source or "", [(start, start + len(after))] if after else [])]
    if output is not None:
        lines.append(Line("output", output, [] if is_this else differing(other, output)[1]))
    return Block(lines, f"{what} (this one)" if is_this else what)


def _answer(
    system: str, findings: Sequence[Finding], sources: Mapping[str, str], outputs: Mapping[str, str]
) -> AnswerView:
    """The facts about one system's answers to an original and its variants."""
    own = next((f for f in findings if is_about_original(f)), None)
    lines: list[Line] = []
    verdict, status, order = "", "", 0.0
    if own is not None:
        evidence = IssueEvidence.of(own)
        verdict, status = str(own.verdict or ""), evidence.status or str(own.verdict or "")
        order = -(evidence.probability or 0.0) - (own.value or 0.0) / 1000
        if evidence.status:
            lines += issue_block(own, show_system=False).lines[1:]
            lines.append(Line("compared", evidence.explained()))
        else:
            lines.append(Line("why", evidence.reason or evidence.why))
    likely = evidence.probability if own is not None else None
    values = {} if likely is None else {LIKELY: likely}
    groups = {"issues": None} if verdict == "fail" else {}
    for finding in findings:
        if finding is not own:
            groups[finding.detector] = None
            lines.append(Line(None, f"{finding.detector}: {IssueEvidence.of(finding).why}"))
            if finding.case_id != (own.case_id if own else ""):
                lines.append(Line("source", sources.get(finding.case_id, "")))
                lines.append(Line("output", outputs.get(finding.case_id, "")))
    return AnswerView(system, lines, verdict, status, list(groups), order, values=values)
