"""Behavioural cases for readers: both sources with the edit marked, and both outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mtassay.data.display import LIKELY, AnswerView, Block, Cell, Line, Look, Span, Table
from mtassay.data.marks import differing, find_words, marked
from mtassay.data.nouns import Edit, Finding, Run, original_of
from mtassay.methods.behavior.behavior_evidence import CaseEvidence
from mtassay.methods.behavior.capability import edited_places

LABEL = 13
"""The table columns before the texts of a case."""
USUAL = 5
"""Default number of failed cases shown for each system."""
SHORT = {
    "pass": "passed",
    "original is bad": "bad original",
    "edit broke it": "broke",
    "edit ignored": "ignored",
    "edit improved it": "improved",
    "undecided": "undecided",
    "skipped": "skipped",
    "error": "failed",
}
"""Column headings of a table for statuses, and for verdicts that have no status."""
_ORDER = ("edit ignored", "edit broke it", "edit improved it", "original is bad")


def failures_in(run: Run) -> list[Finding]:
    """The failed cases; those broken by the edit first, then by probability of an error or difference."""
    failed = [
        (CaseEvidence.of(finding).status, finding) for finding in run.findings if finding.verdict == "fail"
    ]
    ranked = [(_ORDER.index(status), finding) for status, finding in failed if status in _ORDER]
    return [f for _, f in sorted(ranked, key=lambda pair: (pair[0], -_strength(pair[1])))]


def _strength(finding: Finding) -> float:
    probability = CaseEvidence.of(finding).probability
    return abs(finding.value or 0.0) if probability is None else probability


def worth_a_look(run: Run) -> list[Finding]:
    """The failed cases in the order of `failures_in`, then the undecided cases in the order of the run."""
    return [*failures_in(run), *(f for f in run.findings if f.verdict == "undecided")]


def case_block(finding: Finding, *, show_system: bool = True) -> Block:
    """Show one judged case, with the edit and the differences in the second output marked."""
    evidence = CaseEvidence.of(finding)
    head = [
        finding.case_id,
        finding.system if show_system else "",
        evidence.capability,
        evidence.status,
        evidence.why,
        _where(evidence),
        _measured(evidence),
    ]
    original, edited = _original_lines(evidence), _edited_lines(evidence)
    lines = [*original, *_output_lines(evidence)[:1], *edited, *_output_lines(evidence)[1:]]
    lines += _why_lines(evidence)
    return Block(lines, " · ".join(filter(None, head)), LABEL)


def edit_blocks(run: Run, segment_id: str, system: str) -> list[Block]:
    """Show a case without its verdict: both sources with the edit marked, and the output for the original."""
    segments = {segment.id: segment for segment in run.segments}
    edited = segments.get(segment_id)
    original = segments.get(original_of(edited) or "") if edited else None
    if edited is None or original is None:
        return []
    edits = [Edit(*change) for change in edited.tags.get("behavior", {}).get("changes", ())]
    lines = [Line("original", original.source or "", _before(edits))]
    output, other = run.text(original.id, system), run.text(edited.id, system)
    if output is not None:
        lines.append(Line("its output", output, differing(other or "", output)[1]))
    lines.append(Line("edited", edited.source or "", _after(edits, edited.source or "")))
    return [Block(lines, "The edit", LABEL)]


def case_lines(findings: Iterable[Finding]) -> list[Line]:
    """Both sources and references of a case, with the edit marked; empty if the case was never judged."""
    judged = (CaseEvidence.of(finding) for finding in findings)
    evidence = next((evidence for evidence in judged if evidence.status), None)
    return [] if evidence is None else [*_original_lines(evidence), *_edited_lines(evidence)]


def answer_view(finding: Finding) -> AnswerView:
    """One system's part of a case: both outputs (differences are marked in the second) and the reasons."""
    evidence = CaseEvidence.of(finding)
    verdict = str(finding.verdict or "")
    if not evidence.status:
        return AnswerView(finding.system, [Line("why", evidence.unsettled)], verdict, verdict)
    about = " · ".join(filter(None, (evidence.why, _where(evidence), _measured(evidence))))
    first, second = _output_lines(evidence)
    lines = [first._replace(label="original"), second._replace(label="edited"), *_why_lines(evidence)]
    lines += [Line("judged", about)] if about else []
    groups = [name for name in (_where(evidence), SHORT.get(evidence.status, "")) if name]
    values = {} if evidence.probability is None else {LIKELY: evidence.probability}
    order = -_strength(finding)
    return AnswerView(finding.system, lines, verdict, evidence.status, groups, order, values=values)


def _original_lines(evidence: CaseEvidence) -> list[Line]:
    return [
        Line("source", evidence.source, _before(evidence.edits)),
        Line("reference", evidence.reference, _before(evidence.reference_edits)),
    ]


def _edited_lines(evidence: CaseEvidence) -> list[Line]:
    pseudo = evidence.pseudo_reference
    return [
        Line("edited", evidence.edited_source, _after(evidence.edits, evidence.edited_source)),
        Line("pseudo-ref", pseudo, _after(evidence.reference_edits, pseudo)),
    ]


def _output_lines(evidence: CaseEvidence) -> list[Line]:
    """The outputs for the original and the edited source."""
    edited = evidence.edited_output
    return [Line("output", evidence.output), Line("output", edited, differing(evidence.output, edited)[1])]


def _why_lines(evidence: CaseEvidence) -> list[Line]:
    return [Line("" if number else "why", reason) for number, reason in enumerate(evidence.reasons)]


def failure_blocks(run: Run, look: Look) -> list[Block]:
    """The first failed cases of each system, and how many are left out."""
    most = USUAL if look.cases is None else look.cases
    several = len(run.systems) > 1
    where = f"mtassay behavior run {run.id} " if look.is_saved else ""
    blocks = []
    failed = failures_in(run) if most else []
    for system in run.systems if most else ():
        failures = [finding for finding in failed if finding.system == system]
        blocks += [case_block(finding, show_system=several) for finding in failures[:most]]
        if left := len(failures) - most if len(failures) > most else 0:
            more = f"{left:,} more failed case{'s' * (left != 1)}{f' of {system}' if several else ''}"
            blocks.append(Block(title=f"… and {more}: {where}--failures {len(failures)}"))
    return blocks


def failures_table(run: Run, *, most: int | None = None) -> Table:
    """The failed cases as a table, one row per case, with a maximum for each system."""
    failed = failures_in(run)
    places: Counter[str] = Counter()
    shown = []
    for finding in failed:
        places[finding.system] += 1
        if most is None or places[finding.system] <= most:
            shown.append(finding)
    title = f"Failed cases: {len(failed):,}"
    if len(shown) < len(failed):
        title += f", shown: {len(shown):,}"
    return cases_table(shown, title=title)


def cases_table(findings: Iterable[Finding], *, title: str = "") -> Table:
    """A table with one row per finding; a case that was not judged has a reason instead of texts."""
    rows: list[list[Cell | str]] = []
    for finding in findings:
        evidence = CaseEvidence.of(finding)
        output, edited, pseudo = evidence.output, evidence.edited_output, evidence.pseudo_reference
        texts = [
            marked(evidence.source, _before(evidence.edits)),
            marked(output),
            marked(evidence.edited_source, _after(evidence.edits, evidence.edited_source)),
            marked(edited, differing(output, edited)[1]),
            marked(pseudo, _after(evidence.reference_edits, pseudo)),
        ]
        about = [finding.case_id, finding.system, evidence.capability]
        what = [_status(finding, evidence), _where(evidence), _measured(evidence)]
        rows.append([*map(marked, (*about, *what)), *texts])
    header = ["case", "system", "capability", "status", "where", "quality"]
    header += ["source", "output", "edited source", "edited output", "pseudo-reference"]
    return Table(header, rows, title=title)


def _status(finding: Finding, evidence: CaseEvidence) -> str:
    """The result of a case, with the reason if it was not settled."""
    status = evidence.status or str(finding.verdict or "")
    is_settled = finding.verdict in ("pass", "fail")
    return status if is_settled else f"{status}: {evidence.unsettled}"


def _measured(evidence: CaseEvidence) -> str:
    if evidence.probability is not None:
        return f"error {evidence.probability:.0%} likely"
    quality, edited = evidence.quality, evidence.edited_quality
    return "" if quality is None or edited is None else f"quality {quality:.2f} → {edited:.2f}"


def _where(evidence: CaseEvidence) -> str:
    """Where the error is; empty for a bad original, which had the error before the edit."""
    return "" if evidence.status == "original is bad" or evidence.where == "unknown" else evidence.where


def _before(edits: Iterable[Edit]) -> list[Span]:
    return [(edit.start, edit.end) for edit in edits]


def _after(edits: Sequence[Edit], text: str) -> list[Span]:
    """Where the new words are in the edited text; if other words changed too, the new words are searched.

    >>> _after([Edit(2, 7, "small", "young")], "A young dog"), _after([Edit(2, 3, "a", "cat")], "The cat!")
    ([(2, 7)], [(4, 7)])
    """
    spans = edited_places(edits)
    if all(text[a:b] == edit.after for (a, b), edit in zip(spans, edits, strict=True)):
        return spans
    return find_words(text, [edit.after for edit in edits])
