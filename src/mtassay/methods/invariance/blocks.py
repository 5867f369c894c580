"""How a run of invariance testing shows itself, and what people are asked about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from mtassay.core import Doubt, Finding, Flags, Observation, Question, Run, Segment, original_of
from mtassay.display import PLAIN, AnswerView, Block, CaseView, Headline, Line, Table, View
from mtassay.method import Method
from mtassay.methods.headlines import Contest, weakest
from mtassay.methods.invariance.evidence import (
    METHOD,
    IssueEvidence,
    is_about_original,
    observations_of,
    reported,
)
from mtassay.methods.invariance.issues import QUESTION, standing
from mtassay.methods.invariance.tables import (
    companion_table,
    corpus_table,
    issue_block,
    issue_blocks,
    issues_table,
    seconds_table,
    summary_table,
    variant_lines,
)
from mtassay.reviews import Subject
from mtassay.texts.marks import differing

__all__ = ["InvarianceRun"]


class InvarianceRun(Method):
    """What the method knows of a saved run: an issue is an original with its farthest variants."""

    name: ClassVar[str] = METHOD
    asks: ClassVar[Sequence[Question]] = (
        Question(
            QUESTION,
            "Is the translation right? If not, what is wrong: words are dropped (under) or added (over), "
            "something modifies the wrong word (modification), a word or phrase is wrong (mistranslation), "
            "the words are right but not how they go together (logic), or several of these?",
            {
                "c": "correct",
                "d": "under",
                "o": "over",
                "m": "modification",
                "w": "mistranslation",
                "l": "logic",
                "x": "several",
            },
            is_blind=True,
        ),
    )

    @classmethod
    def observations(cls, run: Run) -> list[Observation]:
        return observations_of(run)

    @classmethod
    def failure(cls, run: Run) -> str:
        return "an output of an issue, or one that a companion detector suspects"

    @classmethod
    def means(cls, run: Run) -> str:
        return "one word changed"

    @classmethod
    def facts(cls, run: Run) -> str:
        return ""

    @classmethod
    def headlines(cls, run: Run) -> list[Headline]:
        """By stable originals; a weakness is the detector that flags most."""
        alpha = float(run.parameters.get("alpha", 0.05))
        stable = "share of sentences whose translation stays stable"
        told = Contest(run, "stable", "all", stable, "original", alpha, suffix=" %").headlines()
        for system, counts in run.result.counts.items():
            if issues := counts.get("issues"):
                compared = counts.get("pass", 0) + counts.get("fail", 0)
                text = (
                    f"{system} has issues with {issues:,} of {compared:,} sentences: a word is changed, and"
                )
                told.append(Headline(f"{text} more than that word moves.", "weak", system, "issues"))
        flagged = [score for score in run.result.scores if score.name == "flagged"]
        told += weakest(
            flagged,
            lambda s, value, how: f"{s.system}: {s.group} flags {value} % of its translations {how}.",
            higher_is_better=False,
        )
        return [*told, *cls.open_headlines(run)]

    @classmethod
    def case_views(cls, run: Run) -> Iterable[CaseView]:
        """Every original; an answer has the variants that are shown with an issue, and what was flagged."""
        originals = {s.id: original_of(s) or s.id for s in run.segments}
        findings: dict[tuple[str, str], list[Finding]] = {}
        for finding in run.findings:
            key = originals.get(finding.case_id, finding.case_id), finding.system
            findings.setdefault(key, []).append(finding)
        sources = {segment.id: segment.source or "" for segment in run.segments}
        outputs = {name: {o.id: o.text or "" for o in answers} for name, answers in run.outputs.items()}
        for segment in run.segments:
            if original_of(segment) is None:
                answers = [
                    _answer(system, found, sources, outputs.get(system, {}))
                    for system in run.systems
                    if (found := findings.get((segment.id, system)))
                ]
                yield CaseView(segment.id, cls.source_lines(segment), answers)

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        times = seconds_table(run.seconds) if run.seconds else None
        tables = (summary_table(run), companion_table(run), corpus_table(run.segments), times)
        return [table for table in tables if table]

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        return issue_blocks(run, view)

    @classmethod
    def cases_table(cls, run: Run, view: View = PLAIN) -> Table | None:
        return issues_table(run)

    @classmethod
    def record(cls, run: Run) -> dict[str, Any]:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        times = {"seconds": dict(run.seconds)} if run.seconds else {}
        return {**run.result.as_dict(), **times, "findings": findings}

    @classmethod
    def later(cls, run: Run) -> list[str]:
        return [f"as judged then; with later reviews: mtassay invariance judge {run.id}"]

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        if not is_saved:
            return ["not kept; add --save to review issues and to try other structures without asking again"]
        lines = [f"other structures: mtassay invariance judge {run.id} --structure raw"]
        if any(counts["issues"] for counts in run.result.counts.values()):
            lines.append(f"which issues are errors? mtassay review next {run.id}")
        return lines

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """All outputs that are shown with an issue, the original's and the variants'."""
        return [
            Doubt(case_id, finding.system, "suspicious", finding.evidence)
            for finding in run.findings
            if (evidence := IssueEvidence.of(finding)).is_issue
            for case_id in (finding.case_id, *(variant.id for variant in evidence.shown))
        ]

    @classmethod
    def findings(cls, run: Run, case_id: str) -> list[Finding]:
        """A variant that is shown with an issue has a finding of its own, first."""
        own = super().findings(run, case_id)
        segment = next((segment for segment in run.segments if segment.id == case_id), None)
        original = None if segment is None else original_of(segment)
        if original is None:
            return own
        shown = (reported(issue, case_id) for issue in super().findings(run, original))
        return [*filter(None, shown), *own]

    @classmethod
    def kin(cls, run: Run, segment_id: str, system: str) -> list[Block]:
        """The original, and the variants that an issue shows, with the changed words and what differs."""
        this = next((segment for segment in run.segments if segment.id == segment_id), None)
        original = (original_of(this) or this.id) if this else segment_id
        issues = (IssueEvidence.of(f) for f in super().findings(run, original) if f.system == system)
        shown = {variant.id for issue in issues if issue.is_issue for variant in issue.shown}
        text = run.text(segment_id, system) or ""
        return [
            _kin_block(segment, run.text(segment.id, system), text, is_this=segment.id == segment_id)
            for segment in run.segments
            if segment.id in {original, segment_id, *shown}
        ]

    @classmethod
    def holds(cls, run: Run, case_id: str, system: str, decisions: Mapping[str, str]) -> str:
        """What labels make of an issue by now: one error in a pair that it shows confirms it."""
        candidates = (IssueEvidence.of(f) for f in cls.findings(run, case_id) if f.system == system)
        issue = next((evidence for evidence in candidates if evidence.shown), None)
        if issue is None:
            return ""
        sources = {segment.id: segment.source for segment in run.segments}
        shown = [
            Subject(case_id, (sources.get(case_id),), (run.text(case_id, system) or "",)),
            *(Subject(variant.id, (variant.source,), (variant.output,)) for variant in issue.shown),
        ]
        labels = {s.case_id: decisions[s.id] for s in shown if s.id in decisions}
        return standing([subject.case_id for subject in shown], labels)

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        judged = (IssueEvidence.of(finding).status for finding in findings)
        return next(filter(None, judged), "") or super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        evidence = IssueEvidence.of(finding)
        return evidence.explained() if evidence.status else super().why(finding)

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        """The variants that were reported with an original follow."""
        return [cls.why(finding), *variant_lines(finding)]

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """A structure flags the variants that it shows; a companion detector the pairs that it suspects."""
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
            # What people cleared must not be held against their own words.
            if finding.verdict == "fail" or evidence.status == "cleared":
                flagged |= {(variant, finding.system) for variant in shown}
            elif finding.verdict != "pass":
                silent[str(finding.verdict)] += 1
        return Flags(detector, frozenset(flagged), scores, silent)


def _kin_block(segment: Segment, output: str | None, other: str, *, is_this: bool) -> Block:
    """A sentence of a family and its output; marked are the changed word, and what another output has not."""
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
    """What was found about an original and its variants, in the answers of one system."""
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
    groups = {"issues": None} if verdict == "fail" else {}
    for finding in findings:
        if finding is not own:
            groups[finding.detector] = None
            lines.append(Line(None, f"{finding.detector}: {IssueEvidence.of(finding).why}"))
            if finding.case_id != (own.case_id if own else ""):
                lines.append(Line("source", sources.get(finding.case_id, "")))
                lines.append(Line("output", outputs.get(finding.case_id, "")))
    return AnswerView(system, lines, verdict, status, list(groups), order)
