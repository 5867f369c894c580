"""What a method is: a way of testing that does and shows everything that is particular to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Self, Union, cast, get_args, get_origin, get_type_hints

from mtassay.core import (
    Case,
    Doubt,
    Finding,
    Flags,
    Generated,
    Judgement,
    Ledger,
    Observation,
    Output,
    Question,
    Result,
    Run,
    Segment,
    Tools,
    Verdict,
    original_of,
)
from mtassay.display import (
    PLAIN,
    AnswerView,
    Block,
    CaseView,
    Cell,
    Figure,
    Headline,
    Line,
    Table,
    View,
)
from mtassay.errors import UsageError
from mtassay.registry import find

__all__ = ["AskedPair", "Method", "Read", "joint_verdict", "method_of", "traits_of"]

Read = Callable[[str, str], Mapping[str, str | None]]
"""Reads outputs from a file, for a system of this name: by segment id."""


class AskedPair(NamedTuple):
    """A source and a target that people are asked about as they stand, whoever made them.

    `segment_id` is a segment of the run that the pair belongs to, `case_id` names the pair in reviews, and
    `lines` are what may be shown of it.
    """

    segment_id: str
    case_id: str
    source: str
    target: str
    lines: Sequence[Line] = ()


@dataclass(frozen=True)
class Method(ABC):
    """A way of testing: its fields are its parameters, and it does and shows all that is particular to it.

    What a field needs to be an option of a command stands in its metadata (`mtassay.options.option`). Only
    `cases`, `judge` and `score` must be written; everything else has a default that serves.
    """

    name: ClassVar[str]
    asks: ClassVar[Sequence[Question]] = ()
    """What people can be asked about the outputs of a run; the first question is the usual one."""

    @property
    def asks_models(self) -> bool:
        """Whether live models are asked besides the systems: then a workspace keeps what they say."""
        return False

    # Parameters ------------------------------------------------------------------------------------------

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """The method with these parameters; what was not given, or is `None`, is as in a saved run.

        Parameters that the run does not have, or that say nothing there, have their defaults.
        """
        names = [f.name for f in fields(cls) if f.init]
        if strange := [key for key in settings if key not in names]:
            raise UsageError(f"{cls.name} has no parameter '{strange[0]}'. Available: {', '.join(names)}.")
        _check_values(cls, settings)
        saved = cls.restore(run.parameters) if run is not None else {}
        values = {f.name: saved[f.name] for f in fields(cls) if saved.get(f.name) is not None}
        return cls(**values | {key: value for key, value in settings.items() if value is not None})

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that saved parameters describe; JSON has no tuples."""
        return {key: tuple(v) if isinstance(v, list) else v for key, v in parameters.items()}

    def parameters(self) -> dict[str, Any]:
        """The fields as resolved, as JSON can hold them; `restore` reads them again."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def check_run(cls, run: Run) -> None:
        """Refuse a run that says nothing, before it is kept and shown."""
        return None

    def check(self, systems: Sequence[str]) -> None:
        """Refuse what cannot be with these systems, before anything is asked."""
        return None

    @classmethod
    def segments_of(cls, run: Run) -> Sequence[Segment]:
        """The segments of a run that this method can judge: one of its own, unless it knows better."""
        if run.method != cls.name:
            raise UsageError(f"Run {run.id} is of '{run.method}', not of '{cls.name}'.")
        return run.segments

    # The flow --------------------------------------------------------------------------------------------

    def generate(self, segments: Sequence[Segment], tools: Tools) -> Generated:
        """New sentences, where the method invents any; otherwise the segments as they are."""
        return Generated(segments)

    def reader(self, segments: Sequence[Segment], tools: Tools) -> Read | None:
        """What reads files of outputs, where those of this method are not read as all others are."""
        return None

    @abstractmethod
    def cases(self, segments: Iterable[Segment], tools: Tools) -> Iterable[Case]:
        """What to ask. A case that cannot run is given with `skip`, never left out."""

    @abstractmethod
    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        """What the answers show. `outputs` has, for each system, one output per case and source, in order."""

    @abstractmethod
    def score(self, judgement: Judgement, tools: Tools) -> Result:
        """What it adds up to."""

    def units(self, judgement: Judgement) -> list[dict[str, Any]]:
        """A record for each unit and system with the score of each metric, where the method measures."""
        return []

    # What two runs are compared by ------------------------------------------------------------------------

    @classmethod
    def ledgers(cls, run: Run, system: str) -> list[Ledger]:
        """What the scores of a system add up from, unit by unit: by default the pass rate of each detector.

        A detector that only ever flags has none.
        """
        passed: dict[str, dict[str, bool]] = {}
        for finding in run.findings:
            if finding.system == system and finding.verdict in ("pass", "fail"):
                passed.setdefault(finding.detector, {})[finding.case_id] = finding.verdict == "pass"
        judges = {name: by_case for name, by_case in passed.items() if any(by_case.values())}
        return [
            Ledger.of_shares(
                "pass rate" if len(judges) == 1 else f"pass rate:{name}", system, by_case, {"all": [by_case]}
            )
            for name, by_case in judges.items()
        ]

    @classmethod
    def title(cls, run: Run) -> str:
        """What was tested, by the name that people gave it; empty where it has none."""
        return ""

    @classmethod
    def test_set(cls, run: Run) -> str:
        """What was tested, in a word: runs that share it are points of one history."""
        texts = str(run.result.basis.get("texts", ""))
        return f"texts {texts[:12]}" if texts else "unknown texts"

    # What people can be asked ----------------------------------------------------------------------------

    @classmethod
    def questions(cls, run: Run) -> list[Question]:
        """What people can be asked about this run, each question with what they should look at."""
        return [replace(question, doubts=cls.doubts(run)) for question in cls.asks]

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """The answers that a person should look at: by default what is undecided or fails."""
        return [
            Doubt(finding.case_id, finding.system, cls.status([finding]), finding.evidence)
            for finding in run.findings
            if finding.verdict in ("undecided", "fail")
        ]

    @classmethod
    def decided(cls, run: Run) -> list[Doubt]:
        """What the run settled without people, where that can be held against them: `status` is what it says.

        It is `correct`, or another answer for what is wrong.
        """
        return []

    @classmethod
    def claims_right(cls, run: Run) -> bool:
        """Whether a pass says that an output is right, and not only that nothing speaks against it."""
        return any(claim.status == "correct" for claim in cls.decided(run))

    @classmethod
    def reviewed(cls, run: Run, case_id: str) -> str:
        """The id of the segment whose outputs people are asked about; usually the case's own."""
        return case_id

    @classmethod
    def pairs(cls, run: Run, question: str) -> list[AskedPair]:
        """What a question is about that is not asked of outputs, in the order of asking."""
        return []

    @classmethod
    def kin(cls, run: Run, segment_id: str, system: str) -> list[Block]:
        """What a reviewer of an output should see beside it: sentences that belong to it, and their outputs.

        Nothing of it may tell what the run found.
        """
        return []

    @classmethod
    def rules_file(cls, run: Run) -> str:
        """The suite whose rules judged the run, so that people can add to it; empty for none."""
        return ""

    @classmethod
    def holds(cls, run: Run, case_id: str, system: str, decisions: Mapping[str, str]) -> str:
        """What decisions, by subject, make of a case that stands for more than one output; else empty."""
        return ""

    @classmethod
    def flags(cls, run: Run) -> list[Flags]:
        """What each detector of the run takes for wrong."""
        missing = Counter(str(f.verdict) for f in run.findings if f.detector == "output")
        by_detector: dict[str, list[Finding]] = {}
        for finding in run.findings:
            if finding.verdict is not None and finding.detector != "output":
                by_detector.setdefault(finding.detector, []).append(finding)
        return [cls.flags_of(name, findings, missing) for name, findings in by_detector.items()]

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """The same for the findings of one detector: what it finds to fail is wrong."""
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

    @classmethod
    def observations(cls, run: Run) -> list[Observation]:
        """Every output that was judged, or could not be, with what may have to do with it.

        By default one for each case and system with findings: it failed if one of them says so. Clues are
        those that a finding names, and detectors that only ever flag.
        """
        segments = {segment.id: segment for segment in run.segments}
        texts = {(name, o.id): o.text for name, answers in run.outputs.items() for o in answers}
        passing = {finding.detector for finding in run.findings if finding.verdict == "pass"}

        def is_flag(finding: Finding) -> bool:
            return finding.verdict == "fail" and finding.detector not in passing

        by_output: dict[tuple[str, str], list[Finding]] = {}
        for finding in run.findings:
            if finding.verdict is not None:
                by_output.setdefault((finding.system, finding.case_id), []).append(finding)
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
                    traits_of(segment, run.parameters.get("by")),
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

    @classmethod
    def failure(cls, run: Run) -> str:
        """What counts as a failure among the observations of a run, in a few words."""
        return "what a finding says fails"

    @classmethod
    def finds(cls, detector: str) -> str:
        """What people call what a detector finds."""
        return f"{detector} findings"

    # How a saved run shows itself ------------------------------------------------------------------------

    @classmethod
    def means(cls, run: Run) -> str:
        """What it tests with, in two or three words, for whoever does not know its name."""
        return ""

    @classmethod
    def facts(cls, run: Run) -> str:
        """What was tested, in a line."""
        return f"{len(run.segments):,} segments"

    @classmethod
    def headlines(cls, run: Run) -> list[Headline]:
        """What matters first, in sentences: which system is better, what each is worst at, what is open.

        By default the scores as they are, since nobody knows here which way is better.
        """
        return [*_score_headlines(run), *_failure_headlines(run), *cls.open_headlines(run)]

    @classmethod
    def open_headlines(cls, run: Run) -> list[Headline]:
        """How much is undecided of each system, the most first, and how many outputs wait for people."""
        open_to = {finding.detector for finding in run.findings if finding.verdict == "undecided"}
        judged = [f for f in run.findings if f.detector in open_to]
        counts = Counter(f.system for f in judged if f.verdict == "undecided")
        totals = Counter(f.system for f in judged)
        shares = [
            f"{system} {n:,} of {totals[system]:,} ({100 * n / totals[system]:.1f} %)"
            for system, n in counts.most_common(_SOME)
        ]
        more = f" and {len(counts) - _SOME:,} more systems" if len(counts) > _SOME else ""
        told = [Headline(f"Undecided: {', '.join(shares)}{more}.", "open", "", "undecided")] if shares else []
        if cls.asks and (doubts := cls.doubts(run)):
            many = len({(doubt.segment_id, doubt.system) for doubt in doubts})
            systems = len({doubt.system for doubt in doubts})
            of = f" of {systems:,} systems" if systems > 1 else ""
            outputs = f"{many:,} output{'s' * (many > 1)}{of} wait{'s' * (many == 1)} for people"
            told.append(Headline(f"{outputs}: mtassay review next {run.id}", "open"))
        return told

    @classmethod
    def case_views(cls, run: Run) -> Iterable[CaseView]:
        """Every case with all answers to it, and the groups it is in: what stands behind the numbers.

        By default a case is a segment, and what detectors flag is a group of answers.
        """
        findings: dict[tuple[str, str], list[Finding]] = {}
        for finding in run.findings:
            findings.setdefault((finding.case_id, finding.system), []).append(finding)
        outputs = {name: {answer.id: answer for answer in answers} for name, answers in run.outputs.items()}
        for segment in run.segments:
            answers = [
                cls.answer_view(run, outputs.get(system, {}).get(segment.id), system, about)
                for system in run.systems
                for about in [findings.get((segment.id, system), [])]
                if about or segment.id in outputs.get(system, {})
            ]
            yield CaseView(segment.id, cls.source_lines(segment), answers, cls.groups_of(run, segment))

    @classmethod
    def source_lines(cls, segment: Segment) -> list[Line]:
        """What was asked, and what good translations of it are."""
        lines = [] if segment.source is None else [Line("source", segment.source)]
        return lines + [Line("reference", text) for text in segment.references if text is not None]

    @classmethod
    def groups_of(cls, run: Run, segment: Segment) -> list[str]:
        """The groups that a case of this segment counts in, coarse ones first."""
        return []

    @classmethod
    def answer_view(
        cls, run: Run, output: Output | None, system: str, findings: Sequence[Finding]
    ) -> AnswerView:
        """What one system answered, and what was found in it; the gravest verdict stands for all."""
        lines = []
        if output is None or output.text is None:
            lines.append(Line("no output", output.error or "" if output else ""))
        else:
            lines += cls.output_lines(output.text, findings[0].evidence if findings else {})[:1]
        reasons = [why for f in findings if f.verdict != "pass" for why in cls.reasons(f) if why]
        lines += [Line("" if number else "why", why) for number, why in enumerate(reasons)]
        verdicts = [f.verdict for f in findings if f.verdict is not None]
        verdict = min(verdicts, key=_GRAVEST.index, default="")
        flagged = dict.fromkeys(f.detector for f in findings if f.verdict == "fail")
        values = [f.value for f in findings if f.verdict == "fail" and f.value is not None]
        return AnswerView(
            system, lines, verdict, cls.status(findings) or verdict, list(flagged), -max(values, default=0.0)
        )

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        """All tables; the first one tells what was tested, and the notes of the run stand below it."""
        return [_score_table(run)]

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        """What there is to draw."""
        return []

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        """The cases that a person should see first, told whole."""
        return []

    @classmethod
    def differences(cls, run: Run, view: View = PLAIN) -> list[Table | Block]:
        """Where two systems differ, with as many examples as the view wants; it stands last."""
        return []

    @classmethod
    def differences_record(cls, run: Run, view: View = PLAIN) -> dict[str, Any]:
        """The same for a program; empty where the method has nothing of the kind."""
        return {}

    @classmethod
    def cases_table(cls, run: Run, view: View = PLAIN) -> Table | None:
        """The same as a table, for where blocks cannot be shown."""
        return None

    @classmethod
    def finding_blocks(cls, run: Run) -> list[Block]:
        """Every finding that is worth a look, in full."""
        sources = {segment.id: segment.source for segment in run.segments}
        texts = {(name, o.id): o.text for name, answers in run.outputs.items() for o in answers}
        blocks = []
        for finding in run.findings:
            about = {
                "source": sources.get(finding.case_id),
                "output": texts.get((finding.system, finding.case_id)),
            }
            lines = [Line(label, text) for label, text in about.items() if text]
            blocks.append(Block(lines, " · ".join((finding.case_id, finding.system, cls.why(finding)))))
        return blocks

    @classmethod
    def findings_table(cls, run: Run, *, everything: bool) -> Table | None:
        """The same as a table; `everything` has those too that are not worth a look."""
        return None

    @classmethod
    def block(cls, run: Run, case_id: str, system: str) -> Block:
        """One answer to one case, and why it was judged so."""
        findings = [finding for finding in cls.findings(run, case_id) if finding.system == system]
        text = run.text(case_id, system)
        lines = [] if text is None else cls.output_lines(text, findings[0].evidence if findings else {})[:1]
        for finding in findings:
            for number, reason in enumerate(cls.reasons(finding)):
                lines.append(Line("" if number else "why", reason))
        return Block(lines)

    @classmethod
    def unit_scores(cls, run: Run, case_id: str, system: str) -> dict[str, float]:
        """What each metric says of one answer, by its name, where the method measures."""
        return {}

    @classmethod
    def output_lines(cls, text: str, evidence: Mapping[str, Any]) -> list[Line]:
        """An output with what was found in it marked, then what helps a person to judge it."""
        return [Line("output", text)]

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        """What a finding says, in as many lines as it takes."""
        return [cls.why(finding)]

    @classmethod
    def findings(cls, run: Run, case_id: str) -> list[Finding]:
        """All that was found about a case."""
        return [finding for finding in run.findings if finding.case_id == case_id]

    @classmethod
    def case_of(cls, segment: Segment) -> str:
        """The case that a segment is told with; usually its own."""
        return segment.id

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        """The findings about one output in a word or a few; empty where nothing was judged.

        >>> Method.status([Finding("1", "nmt", "length", "fail"), Finding("1", "nmt", "copied", "fail")])
        'fail: length, copied'
        """
        by_verdict: dict[str, list[str]] = {}
        for finding in findings:
            if finding.verdict is not None:
                by_verdict.setdefault(finding.verdict, []).append(finding.detector)
        return "; ".join(
            verdict if names == ["output"] else f"{verdict}: {', '.join(dict.fromkeys(names))}"
            for verdict, names in by_verdict.items()
        )

    @classmethod
    def why(cls, finding: Finding) -> str:
        """What a finding says, in a line."""
        evidence = finding.evidence
        reason = str(evidence.get("why") or evidence.get("reason") or "") or "; ".join(
            f"{key.replace('_', ' ')}: {value}" for key, value in evidence.items()
        )
        if finding.detector == "output":
            return reason
        value = "" if finding.value is None else f" {finding.value:.4g}"
        return f"{finding.detector}{value}: {reason}" if reason else f"{finding.detector}{value}"

    @classmethod
    def record(cls, run: Run) -> dict[str, Any]:
        """The result for a program."""
        return run.result.as_dict()

    @classmethod
    def signatures(cls, run: Run) -> list[str]:
        """What the numbers depend on, each once."""
        return list(dict.fromkeys(score.signature for score in run.result.scores if score.signature))

    @classmethod
    def later(cls, run: Run) -> list[str]:
        """What somebody should know who looks at a run that was saved, a line each."""
        return []

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        """What can be done with a run next, a line each."""
        return []


def method_of(run: Run) -> type[Method]:
    """The method that a run is of; where that is not installed any more, what all methods have in common."""
    try:
        return cast("type[Method]", find("method", run.method))
    except UsageError:
        return Method


def joint_verdict(verdicts: Iterable[str]) -> Verdict:
    """What several findings about one output come to: a failure if one of them is, else a pass if one is.

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
"""Tags that are about the text; others say how a segment was made, or are of one segment alone."""


def traits_of(segment: Segment, by: str | None = None) -> tuple[tuple[str, str], ...]:
    """What a segment may share with others: its document, what it tests, what kind of text it is.

    `by` is one more tag, by which a run groups its segments.

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


def _check_values(cls: type[Method], parameters: Mapping[str, Any]) -> None:
    """Refuse what a field cannot be: another choice, no number, a number out of its bounds."""
    hints = get_type_hints(cls)
    for f in fields(cls):
        value, hint = parameters.get(f.name), hints[f.name]
        if value is None:
            continue
        what = f"{cls.name}: {f.name} is {value!r}."
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise UsageError(f"{what} Choose from: {', '.join(map(str, get_args(hint)))}.")
        if not {int, float} & set(kinds) or not set(kinds) <= {int, float, NoneType}:
            continue
        whole = float not in kinds
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise UsageError(f"{what} It must be a {'whole ' if whole else ''}number.")
        how = f.metadata.get("option")
        least, most = getattr(how, "least", None), getattr(how, "most", None)
        if least is not None and value < least:
            raise UsageError(f"{what} It must be {least:g} or more.")
        if most is not None and value > most:
            raise UsageError(f"{what} It must be {most:g} or less.")


def _plain(value: Any) -> Any:
    """A value as JSON can hold it; other objects by their own description."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


_GRAVEST: Sequence[str] = ("fail", "error", "undecided", "skipped", "pass")
_SOME = 6  # systems that a headline names


def _score_headlines(run: Run) -> list[Headline]:
    """The first score of each system, with its interval and n, and the comparisons there are of it."""
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
    """How often each system fails by each detector, where any does."""
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
    """Every score with its n and interval, a row each; what was counted stands below."""
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
