"""The display of a run of checks by severity, check and file, with the places of findings marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from mtassay.data.display import PLAIN, AnswerView, Block, Cell, Headline, Line, Look, Table
from mtassay.data.marks import plural
from mtassay.data.nouns import Finding, Ledger, OpenAnswer, Output, Segment, percent
from mtassay.data.run_view import RunView
from mtassay.measures.check import SEVERITIES, Severity
from mtassay.measures.check_run import CheckEvidence, id_of
from mtassay.stats.proportions import wilson

QUESTION = "check"
"""The review question about an output with alarms."""
ALARMS = "check.alarms"
"""The score: the share of texts with a finding."""
RATE = "check.rate"
"""The score of single checks; each check is a group."""
_SHOWN = 10  # findings shown in full
_FILES = 30  # files in a table


def score_name(severity: str) -> str:
    """The name of the share of texts with findings of a severity, used in scores and gate rules.

    >>> score_name("critical")
    'check.critical'
    """
    return f"check.{severity}"


class CheckView(RunView):
    """A run of checks as people see it, the worst findings first."""

    def facts(self) -> str:
        ran = len(self.run.result.basis.get("checks", {}).get("run", ()))
        return f"{plural(len(self.run.segments), 'text')} · {plural(ran, 'check')}"

    def failure(self) -> str:
        return "an output that a check flags"

    def finds(self, detector: str) -> str:
        return f"{detector.removeprefix('check:')} findings"

    def headlines(self) -> list[Headline]:
        """Each system's number of findings by severity, and the checks with the most flags."""
        told = []
        for system, counts in self.run.result.counts.items():
            found = [f"{counts[severity]:,} {severity}" for severity in SEVERITIES if counts.get(severity)]
            n = counts.get("texts", 0)
            what = f"{', '.join(found)} findings" if found else "no findings"
            told.append(Headline(f"{system}: {what} in {n:,} texts.", n=n))
            by_check = Counter(id_of(f) for f in self._failing(system))
            for name, count in by_check.most_common(1):
                text = f"{system}: most of its findings are of {name}, in {_rate(count, n)} texts."
                told.append(Headline(text, "weak", system, f"check:{name}", n=count))
        return [*told, *self.open_headlines()]

    def tables(self, look: Look = PLAIN) -> list[Table]:
        tables = [self._summary(), self._by_check(), self._by_file()]
        return [table for table in tables if table]

    def _summary(self) -> Table:
        rows: list[list[Cell | str]] = []
        for system, counts in self.run.result.counts.items():
            flagged = len({finding.case_id for finding in self._failing(system)})
            rows.append(
                [
                    system,
                    f"{counts.get('texts', 0):,}",
                    *(f"{counts.get(severity, 0):,}" for severity in SEVERITIES),
                    f"{counts.get('ignored', 0):,}",
                    _rate(flagged, counts.get("texts", 0)),
                ]
            )
        not_run = self.run.result.basis.get("checks", {}).get("not_run", {})
        reasons: dict[str, list[str]] = {}
        for name, why in not_run.items():
            reasons.setdefault(why, []).append(name)
        told = "; ".join(f"{', '.join(own)} ({why})" for why, own in reasons.items())
        notes = [f"Not run: {told}."] if told else []
        header = ["System", "texts", *SEVERITIES, "ignored", "texts with findings"]
        return Table(header, rows, "Findings by severity", notes)

    def _by_check(self) -> Table | None:
        """A table of the checks with findings: the severity, and the number of texts for each system."""
        counts = Counter((id_of(f), f.system) for f in self.run.findings if id_of(f) and f.verdict == "fail")
        worst: dict[str, Severity] = {}
        for finding in self.run.findings:
            if (name := id_of(finding)) and finding.verdict == "fail":
                severity = CheckEvidence.of(finding).severity
                worst[name] = min(worst.get(name, severity), severity, key=SEVERITIES.index)
        if not worst:
            return None
        reviewed = self.run.result.basis.get("alarms_reviewed", {})
        totals = Counter(name for name, _ in counts.elements())
        order = sorted(worst, key=lambda name: (SEVERITIES.index(worst[name]), -totals[name]))
        rows: list[list[Cell | str]] = []
        for name in order:
            cells = [
                _rate(counts[name, system], self.run.result.counts[system].get("texts", 0))
                for system in self.run.systems
            ]
            said = ", ".join(f"{n:,} {answer}" for answer, n in reviewed.get(name, {}).items())
            rows.append([name, worst[name], *cells, *([said] if reviewed else [])])
        header = ["Check", "severity", *self.run.systems, *(["reviewers"] if reviewed else [])]
        return Table(header, rows, "Findings by check", groups=[f"check:{name}" for name in order])

    def _by_file(self) -> Table | None:
        """A table of the files with findings; `None` if the texts come from no file or only one."""
        files = dict.fromkeys(str(segment.tags.get("file", "")) for segment in self.run.segments)
        if len(files) < 2:
            return None
        counts: Counter[tuple[str, str]] = Counter()
        for finding in self.run.findings:
            if id_of(finding) and finding.verdict == "fail":
                evidence = CheckEvidence.of(finding)
                counts[evidence.file, evidence.severity] += 1
        found = [file for file in files if any(counts[file, severity] for severity in SEVERITIES)]
        found.sort(key=lambda file: tuple(-counts[file, severity] for severity in SEVERITIES))
        rows = [[file, *(f"{counts[file, s]:,}" for s in SEVERITIES)] for file in found[:_FILES]]
        left = f"and {len(found) - _FILES:,} more files" if len(found) > _FILES else ""
        return Table(["File", *SEVERITIES], rows, "Findings by file", [left] if left else [])

    def cases_table(self, look: Look = PLAIN) -> Table | None:
        return self.findings_table(everything=False)

    def findings_table(self, *, everything: bool) -> Table | None:
        """A table of findings and their places, the worst first; `everything` adds ignored findings."""
        several = len(self.run.systems) > 1
        rows: list[list[Cell | str]] = []
        for finding in self._worst_first(everything=everything):
            evidence = CheckEvidence.of(finding)
            why = f"{evidence.why} (ignored: {evidence.ignored})" if evidence.ignored else evidence.why
            where = [finding.system] if several else []
            rows.append([_place(finding, evidence), *where, evidence.severity, id_of(finding), why])
        header = ["Place", *(["system"] if several else []), "severity", "check", "why"]
        return Table(header, rows, "Findings") if rows else None

    def blocks(self, look: Look = PLAIN) -> list[Block]:
        """The worst findings of each system, with their places marked."""
        most = _SHOWN if look.cases is None else look.cases
        shown: Counter[str] = Counter()
        blocks = []
        for finding in self._worst_first(everything=False):
            if shown[finding.system] < most:
                shown[finding.system] += 1
                blocks.append(self._block(finding))
        return blocks

    def finding_blocks(self) -> list[Block]:
        return [self._block(finding) for finding in self.run.findings if id_of(finding)]

    def _block(self, finding: Finding) -> Block:
        evidence = CheckEvidence.of(finding)
        segment = self._segments.get(finding.case_id, Segment(finding.case_id))
        output = self._texts.get((finding.system, finding.case_id), "")
        lines = [Line("source", segment.source, evidence.spans("source"))] if segment.source else []
        lines.append(Line("output", output, evidence.spans("output")))
        lines += self._elsewhere(finding.system, evidence)
        lines.append(Line("why", evidence.why))
        lines += [Line("fix", evidence.fix)] if evidence.fix is not None else []
        lines += [Line("ignored", evidence.ignored)] if evidence.ignored else []
        of = f" · {finding.system}" if len(self.run.systems) > 1 else ""
        return Block(lines, f"{evidence.severity} · {id_of(finding)} · {_place(finding, evidence)}{of}")

    def _elsewhere(self, system: str, evidence: CheckEvidence) -> list[Line]:
        """The outputs of other texts that the finding concerns, with their places."""
        told = [(self._texts.get((system, key), ""), spans) for key, spans in evidence.elsewhere().items()]
        return [Line("compare", text, spans) for text, spans in told]

    def output_lines(self, text: str, evidence: Any) -> list[Line]:
        said = CheckEvidence.read(evidence)
        return [Line("output", text, said.spans("output")), *([Line("why", said.why)] if said.why else [])]

    def answer_view(self, output: Output | None, system: str, findings: Sequence[Finding]) -> AnswerView:
        answer = super().answer_view(output, system, findings)
        spans = [span for f in findings if id_of(f) for span in CheckEvidence.of(f).spans("output")]
        lines = [line._replace(marks=spans) if line.label == "output" else line for line in answer.lines]
        other = [line for f in findings if id_of(f) for line in self._elsewhere(system, CheckEvidence.of(f))]
        return replace(answer, lines=[*lines, *other])

    def status(self, findings: Sequence[Finding]) -> str:
        """The worst severity, and the checks."""
        failing = [f for f in findings if id_of(f) and f.verdict == "fail"]
        if not failing:
            return super().status([f for f in findings if not id_of(f)])
        worst = min((CheckEvidence.of(f).severity for f in failing), key=SEVERITIES.index)
        return f"{worst}: {', '.join(map(id_of, failing))}"

    def why(self, finding: Finding) -> str:
        if not id_of(finding):
            return super().why(finding)
        evidence = CheckEvidence.of(finding)
        ignored = f" (ignored: {evidence.ignored})" if evidence.ignored else ""
        return f"{evidence.severity}, {id_of(finding)}: {evidence.why}{ignored}"

    def open_answers(self) -> list[OpenAnswer]:
        """Every output that has findings, once."""
        by_output: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.run.findings:
            if id_of(finding) and finding.verdict == "fail":
                by_output.setdefault((finding.case_id, finding.system), []).append(finding)
        return [
            OpenAnswer(case_id, system, self.status(findings), _together(findings))
            for (case_id, system), findings in by_output.items()
        ]

    def ledgers(self, system: str) -> list[Ledger]:
        """Texts with findings, counted by severity, in total and by check."""
        texts = [answer.id for answer in self.run.outputs.get(system, ()) if answer.text is not None]
        rows = {text: row for row, text in enumerate(texts)}
        checks = list(self.run.result.basis.get("checks", {}).get("run", ()))
        names = [*map(score_name, SEVERITIES), ALARMS, *checks]
        flags = {name: np.zeros(len(texts), np.int64) for name in names}
        for finding in self._failing(system):
            severity = CheckEvidence.of(finding).severity
            for name in (score_name(severity), ALARMS, id_of(finding)):
                if name in flags and finding.case_id in rows:
                    flags[name][rows[finding.case_id]] = 1
        shares = {name: np.stack([own, np.ones_like(own)], axis=1) for name, own in flags.items()}
        how: dict[str, Any] = {"is_share": True, "higher_is_better": False}
        whole = [
            Ledger(name, system, texts, values, percent, {"all": [texts]}, **how)
            for name, values in shares.items()
            if name not in checks
        ]
        if not checks:
            return whole
        columns = {name: (2 * place, 2 * place + 1) for place, name in enumerate(checks)}
        values = np.concatenate([shares[name] for name in checks], axis=1)
        groups = {name: [texts] for name in checks}
        return [*whole, Ledger(RATE, system, texts, values, percent, groups, columns, part="check", **how)]

    def record(self) -> dict[str, Any]:
        return {**self.run.result.as_dict(), "findings": self.finding_records()}

    def finding_records(self) -> list[dict[str, Any]]:
        """Every finding, including ignored ones, as a flat record with its place and texts."""
        records = []
        for finding in self.run.findings:
            evidence = dict(finding.evidence)
            message = evidence.pop("why", None) or evidence.pop("reason", None) or ""
            segment = self._segments.get(finding.case_id, Segment(finding.case_id))
            records.append(
                {
                    "case_id": finding.case_id,
                    "system": finding.system,
                    "detector": finding.detector,
                    "verdict": finding.verdict,
                    "message": message,
                    **evidence,
                    "marks": evidence.get("marks", []),
                    "source": segment.source,
                    "output": self._texts.get((finding.system, finding.case_id)),
                }
            )
        return records

    def advice(self, *, is_saved: bool) -> list[str]:
        if not is_saved or not self.open_answers():
            return []
        return [f"which alarms are right? mtassay review next {self.run.id}"]

    @cached_property
    def _segments(self) -> dict[str, Segment]:
        return {segment.id: segment for segment in self.run.segments}

    @cached_property
    def _texts(self) -> dict[tuple[str, str], str]:
        return {(name, o.id): o.text or "" for name, own in self.run.outputs.items() for o in own}

    def _failing(self, system: str) -> list[Finding]:
        return [f for f in self.run.findings if f.system == system and id_of(f) and f.verdict == "fail"]

    def _worst_first(self, *, everything: bool) -> list[Finding]:
        wanted = ("fail", "skipped") if everything else ("fail",)
        found = [f for f in self.run.findings if id_of(f) and f.verdict in wanted]
        return sorted(found, key=lambda f: SEVERITIES.index(CheckEvidence.of(f).severity))


def _together(findings: Sequence[Finding]) -> dict[str, Any]:
    """Join the evidence of several findings about one output, to show them together."""
    evidence = [CheckEvidence.of(finding) for finding in findings]
    both = replace(
        evidence[0],
        why="; ".join(f"{id_of(f)}: {e.why}" for f, e in zip(findings, evidence, strict=True)),
        marks=[mark for one in evidence for mark in one.marks],
    )
    return both.as_json()


def _place(finding: Finding, evidence: CheckEvidence) -> str:
    """The location of a text: file, line and key, or else its id."""
    if not evidence.file:
        return finding.case_id
    line = f":{evidence.line}" if evidence.line is not None else ""
    return f"{evidence.file}{line} {evidence.key}".strip()


def _rate(count: int, n: int) -> str:
    """A count with its share and 95 % interval."""
    if not n:
        return f"{count:,}"
    low, high = wilson(count, n)
    return f"{count:,} ({100 * count / n:.1f} % [{100 * low:.1f}–{100 * high:.1f}])"
