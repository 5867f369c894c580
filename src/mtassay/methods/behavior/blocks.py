"""Behavioural cases as a person reads them: both sources with the edit marked, and both outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mtassay.core import Finding, Run
from mtassay.display import Block, Cell, Line, Span, Table, View
from mtassay.methods.behavior.tables import reason_of
from mtassay.texts.marks import differing, find_words, marked

__all__ = [
    "LABEL",
    "case_block",
    "cases_table",
    "failure_blocks",
    "failures_in",
    "failures_table",
    "worth_a_look",
]

LABEL = 13
"""The columns before the texts of a case."""
USUAL = 5
"""So many failed cases of each system are shown, unless somebody wants more or fewer."""
_ORDER = ("edit ignored", "edit broke it", "edit improved it", "original is bad")

Change = Sequence[Any]
"""Start, end, before and after; places are in the text before the edit."""


def failures_in(run: Run) -> list[Finding]:
    """The failed cases: those that the edit broke first, within each kind the largest difference first."""
    failed = [f for f in run.findings if f.verdict == "fail" and f.evidence.get("status") in _ORDER]
    return sorted(failed, key=lambda f: (_ORDER.index(f.evidence["status"]), -abs(f.value or 0.0)))


def worth_a_look(run: Run) -> list[Finding]:
    """The failed cases as `failures_in` has them, then the undecided ones in the order of the run."""
    return [*failures_in(run), *(f for f in run.findings if f.verdict == "undecided")]


def case_block(finding: Finding, *, show_system: bool = True) -> Block:
    """One judged case. The edit is marked, and in the second output what differs."""
    evidence = finding.evidence
    before, after = _source_spans(evidence)
    output, edited = str(evidence.get("output") or ""), str(evidence.get("edited_output") or "")
    head = [
        finding.case_id,
        finding.system if show_system else "",
        str(evidence.get("capability", "")),
        str(evidence.get("status", "")),
        str(evidence.get("why", "")),
        _where(evidence),
        _qualities(evidence),
    ]
    references = _reference_spans(evidence)
    lines = [
        Line("source", str(evidence.get("source") or ""), before),
        Line("reference", str(evidence.get("reference") or ""), references[0]),
        Line("output", output),
        Line("edited", str(evidence.get("edited_source") or ""), after),
        Line("pseudo-ref", str(evidence.get("pseudo_reference") or ""), references[1]),
        Line("output", edited, differing(output, edited)[1]),
    ]
    return Block(lines, " · ".join(filter(None, head)), LABEL)


def failure_blocks(run: Run, view: View) -> list[Block]:
    """The first failed cases of each system, and how many more there are."""
    most = USUAL if view.cases is None else view.cases
    several = len(run.systems) > 1
    where = f"mtassay behavior judge {run.id} " if view.is_saved else ""
    blocks = []
    for system in run.systems if most else ():
        found = [finding for finding in failures_in(run) if finding.system == system]
        blocks += [case_block(finding, show_system=several) for finding in found[:most]]
        if left := len(found) - most if len(found) > most else 0:
            more = f"{left:,} more failed case{'s' * (left != 1)}{f' of {system}' if several else ''}"
            blocks.append(Block(title=f"… and {more}: {where}--failures {len(found)}"))
    return blocks


def failures_table(run: Run, *, most: int | None = None) -> Table:
    """The same as a table, one row a failed case; at most so many of each system."""
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
    """Any cases, one row for each finding; what was not judged has its reason and no texts."""
    rows: list[list[Cell | str]] = []
    for finding in findings:
        evidence = finding.evidence
        output, edited = str(evidence.get("output") or ""), str(evidence.get("edited_output") or "")
        texts = [
            marked(str(evidence.get("source") or ""), _source_spans(evidence)[0]),
            marked(output),
            marked(str(evidence.get("edited_source") or ""), _source_spans(evidence)[1]),
            marked(edited, differing(output, edited)[1]),
            marked(str(evidence.get("pseudo_reference") or ""), _reference_spans(evidence)[1]),
        ]
        about = [finding.case_id, finding.system, str(evidence.get("capability", ""))]
        what = [_status(finding), _where(evidence), _qualities(evidence)]
        rows.append([*map(marked, (*about, *what)), *texts])
    header = ["case", "system", "capability", "status", "where", "quality"]
    header += ["source", "output", "edited source", "edited output", "pseudo-reference"]
    return Table(header, rows, title=title)


def _status(finding: Finding) -> str:
    """What a case came to, with the reason where it was not settled."""
    status = str(finding.evidence.get("status") or finding.verdict or "")
    is_settled = finding.verdict in ("pass", "fail")
    return status if is_settled else f"{status}: {reason_of(finding.evidence)}"


def _qualities(evidence: Mapping[str, Any]) -> str:
    quality, edited = evidence.get("quality"), evidence.get("edited_quality")
    return "" if quality is None or edited is None else f"quality {quality:.2f} → {edited:.2f}"


def _where(evidence: Mapping[str, Any]) -> str:
    """Where the error is. A bad original had it before the edit, so nothing is said of it."""
    where = str(evidence.get("where", ""))
    return "" if evidence.get("status") == "original is bad" or where == "unknown" else where


def _source_spans(evidence: Mapping[str, Any]) -> tuple[list[Span], list[Span]]:
    changes = _changes(evidence, "source")
    return _before(changes), _after(changes, str(evidence.get("edited_source") or ""))


def _reference_spans(evidence: Mapping[str, Any]) -> tuple[list[Span], list[Span]]:
    changes = _changes(evidence, "reference")
    return _before(changes), _after(changes, str(evidence.get("pseudo_reference") or ""))


def _changes(evidence: Mapping[str, Any], side: str) -> list[Change]:
    return list((evidence.get("edit") or {}).get(side) or ())


def _before(changes: Iterable[Change]) -> list[Span]:
    return [(int(start), int(end)) for start, end, _, _ in changes]


def _after(changes: Sequence[Change], text: str) -> list[Span]:
    """Where the new words stand in the edited text; looked for where the rest of it was adapted too.

    >>> _after([(2, 7, "small", "young")], "A young dog"), _after([(2, 3, "a", "cat")], "The cat!")
    ([(2, 7)], [(4, 7)])
    """
    spans, moved = [], 0
    for start, end, _, after in changes:
        spans.append((start + moved, start + moved + len(after)))
        moved += len(after) - (end - start)
    if all(text[a:b] == change[3] for (a, b), change in zip(spans, changes, strict=True)):
        return spans
    return find_words(text, [str(change[3]) for change in changes])
