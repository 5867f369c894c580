"""The default view of a saved run: its display and the questions to people about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, cast

from mtassay.data.display import PLAIN, AnswerView, Block, CaseView, Cell, Figure, Headline, Line, Look, Table
from mtassay.data.errors import UsageError
from mtassay.data.grouping import gathered
from mtassay.data.nouns import (
    DISPUTED,
    Finding,
    Flags,
    Ledger,
    Observation,
    OpenAnswer,
    Output,
    Question,
    Run,
    Segment,
    Verdict,
    original_of,
)
from mtassay.data.registry import find

SEVERITIES: Sequence[str] = ("critical", "major", "minor")
"""Severities of errors, the worst first."""


class AskedPair(NamedTuple):
    """A source and a target for a question that does not depend on the system.

    `segment_id` is the segment of the run to which the pair belongs, `case_id` names the pair in reviews, and
    `lines` are the parts that may be shown.
    """

    segment_id: str
    case_id: str
    source: str
    target: str
    lines: Sequence[Line] = ()


class RunView:
    """A saved run as people see it: tables, sentences, questions, and the data to compare it with others.

    A method with its own display derives a class from this one and names it as its `view`.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def asks(self) -> Sequence[Question]:
        """Questions for people about the outputs of the run, from its method."""
        with suppress(UsageError):  # the method may no longer be installed
            return cast("Sequence[Question]", find("method", self.run.method).asks)
        return ()

    # Comparing two runs -----------------------------------------------------------------------------------

    def ledgers(self, system: str) -> list[Ledger]:
        """The data of each unit behind a system's scores: by default the pass rate of each detector.

        A detector that never passes an output has none.
        """
        passed: dict[str, dict[str, bool]] = {}
        for finding in self.run.findings:
            if finding.system == system and finding.verdict in ("pass", "fail"):
                passed.setdefault(finding.detector, {})[finding.case_id] = finding.verdict == "pass"
        judges = {name: by_case for name, by_case in passed.items() if any(by_case.values())}
        return [
            Ledger.of_shares(
                "pass rate" if len(judges) == 1 else f"pass rate:{name}", system, by_case, {"all": [by_case]}
            )
            for name, by_case in judges.items()
        ]

    def title(self) -> str:
        """The name that people gave to the test set; empty if it has none."""
        return ""

    def test_set(self) -> str:
        """A short identifier of the test set: runs that share it are points of one history."""
        texts = str(self.run.result.basis.get("texts", ""))
        return f"texts {texts[:12]}" if texts else "unknown texts"

    # Questions to people ---------------------------------------------------------------------------------

    def questions(self) -> list[Question]:
        """Questions to people about this run, each with the outputs to look at."""
        return [replace(question, open_answers=self.open_answers()) for question in self.asks]

    def open_answers(self) -> list[OpenAnswer]:
        """The answers that a person should look at: by default undecided and failed ones."""
        return [
            OpenAnswer(finding.case_id, finding.system, self.status([finding]), finding.evidence)
            for finding in self.run.findings
            if finding.verdict in ("undecided", "fail")
        ]

    def waiting(self) -> list[OpenAnswer]:
        """The open answers that people have not settled since; none if they are asked nothing."""
        own = [question.name for question in self.asks]
        told = {(*place, *text.split(": ", 1)) for place, texts in self.run.said.items() for text in texts}
        settled = {tuple(place) for *place, asked, said in told if asked in own and said != DISPUTED}
        return [answer for answer in self.open_answers() if own and answer[:2] not in settled]

    def decided(self) -> list[OpenAnswer]:
        """The run's own verdicts, to compare with people's; `status` is the verdict.

        It is `correct`, or the answer that names the error.
        """
        return []

    def claims_right(self) -> bool:
        """Whether a pass means that an output is right, not only that no error was found."""
        return any(claim.status == "correct" for claim in self.decided())

    def reviewed(self, case_id: str) -> str:
        """The id of the segment whose outputs people judge; usually the case's own."""
        return case_id

    def pairs(self, question: str) -> list[AskedPair]:
        """The pairs for a question that is not about outputs, in the order of asking."""
        return []

    def related_blocks(self, segment_id: str, system: str) -> list[Block]:
        """The context of an output for its reviewer: related sentences and their outputs.

        It must not reveal the findings of the run.
        """
        return []

    def rules_file(self) -> str:
        """The suite whose rules judged the run, so that people can add to it; empty for none."""
        return ""

    def joint_decision(self, case_id: str, system: str, decisions: Mapping[str, str]) -> str:
        """The joint decision on a case with several outputs, from decisions by subject; else empty."""
        return ""

    def flags(self) -> list[Flags]:
        """The answers that each detector of the run considers wrong."""
        missing = Counter(str(f.verdict) for f in self.run.findings if f.detector == "output")
        judged = (f for f in self.run.findings if f.verdict is not None and f.detector != "output")
        by_detector = gathered((finding.detector, finding) for finding in judged)
        return [self.flags_of(name, findings, missing) for name, findings in by_detector.items()]

    def flags_of(self, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """The same for the findings of one detector: an answer is wrong if it fails."""
        silent = Counter(missing) + Counter(
            str(f.verdict) for f in findings if f.verdict not in ("pass", "fail")
        )
        return Flags(
            detector,
            frozenset((f.case_id, f.system) for f in findings if f.verdict == "fail"),
            {(f.case_id, f.system): f.value for f in findings if f.value is not None},
            silent,
        )

    # What failures have in common ------------------------------------------------------------------------

    def observations(self) -> list[Observation]:
        """All outputs, judged or not, with possible causes.

        By default one for each case and system with findings: it failed if one of them failed. Clues are
        those that a finding names, and detectors that never pass an output.
        """
        segments = {segment.id: segment for segment in self.run.segments}
        texts = {(name, o.id): o.text for name, answers in self.run.outputs.items() for o in answers}
        passing = {finding.detector for finding in self.run.findings if finding.verdict == "pass"}

        def is_flag(finding: Finding) -> bool:
            return finding.verdict == "fail" and finding.detector not in passing

        judged = (finding for finding in self.run.findings if finding.verdict is not None)
        by_output = gathered(((finding.system, finding.case_id), finding) for finding in judged)
        observations = []
        for (system, case_id), findings in by_output.items():
            segment = segments.get(case_id, Segment(case_id))
            observations.append(
                Observation(
                    case_id,
                    system,
                    joint_verdict([str(finding.verdict) for finding in findings]),
                    segment.source or "",
                    texts.get((system, case_id)) or "",
                    tuple(reference for reference in segment.references if reference),
                    segments.get(original_of(segment) or "", segment).source or "",
                    traits_of(segment, self.run.parameters.get("by")),
                    tuple(
                        dict.fromkeys(
                            [
                                *(clue for finding in findings for clue in _clues(finding)),
                                *(finding.detector for finding in findings if is_flag(finding)),
                            ]
                        )
                    ),
                )
            )
        return observations

    def failure(self) -> str:
        """The definition of a failure among the observations of a run, in a few words."""
        return "what a finding says fails"

    def failures(self) -> str:
        """The name for outputs that failed: 'low-scoring outputs' if only a metric judges them."""
        return "failures"

    def finds(self, detector: str) -> str:
        """The name for the findings of a detector."""
        return f"{detector} findings"

    # Display of a saved run ------------------------------------------------------------------------------

    def facts(self) -> str:
        """The size of the test, in a line."""
        return f"{len(self.run.segments):,} segments"

    def headlines(self) -> list[Headline]:
        """The main results in sentences: the better system, each system's weakest point, open questions.

        By default the plain scores, since this class does not know which direction is better.
        """
        return [*_score_headlines(self.run), *_failure_headlines(self.run), *self.open_headlines()]

    def open_headlines(self) -> list[Headline]:
        """The undecided share of each system, highest count first, and the number of outputs for review."""
        open_to = {finding.detector for finding in self.run.findings if finding.verdict == "undecided"}
        judged = [f for f in self.run.findings if f.detector in open_to]
        counts = Counter(f.system for f in judged if f.verdict == "undecided")
        totals = Counter(f.system for f in judged)
        shares = [
            f"{system} {n:,} of {totals[system]:,} ({100 * n / totals[system]:.1f} %)"
            for system, n in counts.most_common(_SOME)
        ]
        more = f" and {len(counts) - _SOME:,} more systems" if len(counts) > _SOME else ""
        told = [Headline(f"Undecided: {', '.join(shares)}{more}.", "open", "", "undecided")] if shares else []
        if waiting := self.waiting():
            many = len({(answer.segment_id, answer.system) for answer in waiting})
            systems = len({answer.system for answer in waiting})
            of = f" of {systems:,} systems" if systems > 1 else ""
            outputs = f"{many:,} output{'s' * (many > 1)}{of} wait{'s' * (many == 1)} for people"
            told.append(Headline(f"{outputs}: mtassay review next {self.run.id}", "open"))
        return told

    def case_views(self) -> Iterable[CaseView]:
        """All cases with their answers and groups: the detail behind the numbers.

        By default a case is a segment, and the answers flagged by a detector are a group.
        """
        findings = gathered(((f.case_id, f.system), f) for f in self.run.findings)
        outputs = {name: {a.id: a for a in answers} for name, answers in self.run.outputs.items()}
        for segment in self.run.segments:
            answers = [
                self.answer_view(outputs.get(system, {}).get(segment.id), system, about)
                for system in self.run.systems
                for about in [findings.get((segment.id, system), [])]
                if about or segment.id in outputs.get(system, {})
            ]
            groups, document = self.groups_of(segment), segment.document or ""
            yield CaseView(segment.id, self.source_lines(segment), answers, groups, document)

    def source_lines(self, segment: Segment) -> list[Line]:
        """The source and its references."""
        lines = [] if segment.source is None else [Line("source", segment.source)]
        return lines + [Line("reference", text) for text in segment.references if text]

    def groups_of(self, segment: Segment) -> list[str]:
        """The groups of a case of this segment, coarse ones first."""
        return []

    def answer_view(self, output: Output | None, system: str, findings: Sequence[Finding]) -> AnswerView:
        """One system's answer and the findings in it, with the gravest verdict."""
        lines = []
        if output is None or output.text is None:
            lines.append(Line("no output", output.error or "" if output else ""))
        else:
            lines += self.output_lines(output.text, findings[0].evidence if findings else {})[:1]
            others = [text for text in output.meta.get("again", ()) if text not in (None, output.text)]
            lines += [Line("asked again", text) for text in dict.fromkeys(others)]
        reasons = [why for f in findings if f.verdict != "pass" for why in self.reasons(f) if why]
        lines += [Line("" if number else "why", why) for number, why in enumerate(reasons)]
        verdicts = [f.verdict for f in findings if f.verdict is not None]
        verdict = min(verdicts, key=_GRAVEST.index, default="")
        flagged = dict.fromkeys(f.detector for f in findings if f.verdict == "fail")
        values = [f.value for f in findings if f.verdict == "fail" and f.value is not None]
        order = -max(values, default=0.0)
        status = self.status(findings) or verdict
        return AnswerView(system, lines, verdict, status, list(flagged), order, self.severity(findings))

    def severity(self, findings: Sequence[Finding]) -> str:
        """The severity of the worst finding about one output: as stated in the evidence, else major.

        >>> from mtassay.data.nouns import Result
        >>> view = RunView(Run("1", "toy", {}, ["nmt"], "", {}, Result()))
        >>> view.severity([Finding("1", "nmt", "tags", "fail", None, {"severity": "minor"})])
        'minor'
        """
        stated = [str(f.evidence.get("severity", "major")) for f in findings if f.verdict == "fail"]
        return min((word for word in stated if word in SEVERITIES), key=SEVERITIES.index, default="")

    def tables(self, look: Look = PLAIN) -> list[Table]:
        """All tables; the first one says what was tested, with the notes of the run below it."""
        return [_score_table(self.run)]

    def figures(self, look: Look = PLAIN) -> list[Figure]:
        """The figures."""
        return []

    def blocks(self, look: Look = PLAIN) -> list[Block]:
        """The cases that a person should see first, in full."""
        return []

    def differences(self, look: Look = PLAIN) -> list[Table | Block]:
        """The differences between two systems, with `look.examples` examples; shown last."""
        return []

    def differences_record(self, look: Look = PLAIN) -> dict[str, Any]:
        """The same for a program; empty if the method does not have it."""
        return {}

    def cases_table(self, look: Look = PLAIN) -> Table | None:
        """The same as a table, for media that cannot show blocks."""
        return None

    def finding_blocks(self) -> list[Block]:
        """All findings worth a look, in full."""
        sources = {segment.id: segment.source for segment in self.run.segments}
        texts = {(name, o.id): o.text for name, answers in self.run.outputs.items() for o in answers}
        blocks = []
        for finding in self.run.findings:
            about = {
                "source": sources.get(finding.case_id),
                "output": texts.get((finding.system, finding.case_id)),
            }
            lines = [Line(label, text) for label, text in about.items() if text]
            blocks.append(Block(lines, " · ".join((finding.case_id, finding.system, self.why(finding)))))
        return blocks

    def findings_table(self, *, everything: bool) -> Table | None:
        """The same as a table; `everything` includes findings not worth a look."""
        return None

    def block(self, case_id: str, system: str) -> Block:
        """One answer to one case, with the reasons for its verdict."""
        findings = [finding for finding in self.findings(case_id) if finding.system == system]
        text = self.run.text(case_id, system)
        lines = [] if text is None else self.output_lines(text, findings[0].evidence if findings else {})[:1]
        for finding in findings:
            for number, reason in enumerate(self.reasons(finding)):
                lines.append(Line("" if number else "why", reason))
        return Block(lines)

    def unit_scores(self, case_id: str, system: str) -> dict[str, float]:
        """The score of one answer by each metric, by name, if the method measures."""
        return {}

    def output_lines(self, text: str, evidence: Mapping[str, Any]) -> list[Line]:
        """An output with the findings marked in it, then help to judge it."""
        return [Line("output", text)]

    def reasons(self, finding: Finding) -> list[str]:
        """The reasons of a finding, in any number of lines."""
        return [self.why(finding)]

    def findings(self, case_id: str) -> list[Finding]:
        """All findings about a case."""
        return [finding for finding in self.run.findings if finding.case_id == case_id]

    def case_of(self, segment: Segment) -> str:
        """The case with which a segment is shown; usually its own."""
        return segment.id

    def status(self, findings: Sequence[Finding]) -> str:
        """The findings about one output in a few words; empty if nothing was judged.

        >>> from mtassay.data.nouns import Result
        >>> view = RunView(Run("1", "toy", {}, ["nmt"], "", {}, Result()))
        >>> view.status([Finding("1", "nmt", "length", "fail"), Finding("1", "nmt", "copied", "fail")])
        'fail: length, copied'
        """
        by_verdict = gathered((f.verdict, f.detector) for f in findings if f.verdict is not None)
        return "; ".join(
            verdict if names == ["output"] else f"{verdict}: {', '.join(dict.fromkeys(names))}"
            for verdict, names in by_verdict.items()
        )

    def why(self, finding: Finding) -> str:
        """The reason of a finding, in a line."""
        evidence = finding.evidence
        reason = str(evidence.get("why") or evidence.get("reason") or "") or "; ".join(
            f"{key.replace('_', ' ')}: {value}" for key, value in evidence.items()
        )
        if finding.detector == "output":
            return reason
        value = "" if finding.value is None else f" {finding.value:.4g}"
        name = finding.detector.removeprefix("check:")
        return f"{name}{value}: {reason}" if reason else f"{name}{value}"

    def record(self) -> dict[str, Any]:
        """The result for a program."""
        return self.run.result.as_dict()

    def signatures(self) -> list[str]:
        """The signatures of the numbers, each once."""
        return list(dict.fromkeys(score.signature for score in self.run.result.scores if score.signature))

    def saved_notes(self) -> list[str]:
        """Notes shown with a saved run, one per line."""
        return []

    def advice(self, *, is_saved: bool) -> list[str]:
        """Possible next steps with a run, one per line."""
        return []


def joint_verdict(verdicts: Iterable[str]) -> Verdict:
    """The joint verdict of findings about one output: fail if one is, else pass if one is.

    >>> joint_verdict(["pass", "fail"]), joint_verdict(["undecided", "pass"]), joint_verdict(["skipped"])
    ('fail', 'pass', 'skipped')
    """
    said = set(verdicts)
    order: tuple[Verdict, ...] = ("fail", "pass", "undecided", "skipped")
    return next((verdict for verdict in order if verdict in said), "error")


_TRAITS = (
    *("category", "phenomenon", "capability", "tags"),
    *("domain", "genre", "origlang", "collection", "testsuite"),
)
"""Tags that describe the text; others say how a segment was made, or concern one segment alone."""


def traits_of(segment: Segment, by: str | None = None) -> tuple[tuple[str, str], ...]:
    """Traits that a segment may share with others: its document, what it tests, its kind of text.

    `by` is another tag, by which a run groups its segments.

    >>> traits_of(Segment("1", document="d1", tags={"category": "Negation", "tags": ["a", "b"], "note": "?"}))
    (('document', 'd1'), ('category', 'Negation'), ('tags', 'a'), ('tags', 'b'))
    """
    tags = {"document": segment.document, **segment.tags}
    return tuple(
        (key, str(value))
        for key, values in tags.items()
        if key in ("document", *_TRAITS, by)
        for value in (values if isinstance(values, list | tuple) else [values])
        if isinstance(value, str | int | bool)
    )


def _clues(finding: Finding) -> list[str]:
    clues = finding.evidence.get("clues", ())
    return [clue for clue in clues if isinstance(clue, str)] if isinstance(clues, list | tuple) else []


_GRAVEST: Sequence[str] = ("fail", "error", "undecided", "skipped", "pass")
_SOME = 6  # systems that a headline names


def _score_headlines(run: Run) -> list[Headline]:
    """The first score of each system, with its interval and n, and its comparisons."""
    name = next((score.name for score in run.result.scores), "")
    scores = [score for score in run.result.scores if score.name == name and score.group == "all"]
    texts = []
    for score in scores[:_SOME]:
        ends = "" if score.low is None or score.high is None else f" [{score.low:.4g}–{score.high:.4g}]"
        value = "–" if score.value is None else f"{score.value:.4g}"
        texts.append(f"{score.system} {value}{ends}, n = {score.n:,}")
    more = f"; and {len(scores) - _SOME:,} more systems" if len(scores) > _SOME else ""
    told = [Headline(f"{scores[0].label or name}: {'; '.join(texts)}{more}.")] if texts else []
    for compared in [c for c in run.result.comparisons if c.name == name and c.group == "all"][:_SOME]:
        if compared.delta is not None and compared.p is not None:
            difference = f"{compared.delta:+.4g} (p = {compared.p:.3f})"
            told.append(Headline(f"{compared.a} minus {compared.b}: {difference}."))
    return told


def _failure_headlines(run: Run) -> list[Headline]:
    """The failures of each system by detector, if there are any."""
    settled = Counter(
        (f.system, f.detector, f.verdict) for f in run.findings if f.verdict in ("pass", "fail")
    )
    told = []
    for (system, detector, verdict), failed in settled.items():
        if verdict == "fail":
            all_of = failed + settled[system, detector, "pass"]
            text = f"{system} fails {failed:,} of {all_of:,} by {detector}."
            told.append(Headline(text, "weak", system, detector))
    return told


def _score_table(run: Run) -> Table:
    """All scores with n and interval, one per row; the counts are below."""
    rows: list[list[Cell | str]] = [
        [
            score.system,
            score.name if score.group == "all" else f"{score.name}, {score.group}",
            "–" if score.value is None else f"{score.value:.4g}",
            "" if score.low is None or score.high is None else f"[{score.low:.4g}–{score.high:.4g}]",
            f"{score.n:,}",
        ]
        for score in run.result.scores
    ]
    counts = [
        f"{system}: {', '.join(f'{name} {n:,}' for name, n in counted.items())}."
        for system, counted in run.result.counts.items()
        if counted
    ]
    return Table(["System", "score", "value", "95 % interval", "n"], rows, notes=counts)
