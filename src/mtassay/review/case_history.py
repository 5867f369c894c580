"""One case with everything that the workspace has about it: outputs, findings, decisions, earlier runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from typing import NoReturn

from mtassay.data.display import Line
from mtassay.data.errors import UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Question, Review, Run, Segment
from mtassay.data.subjects import Decision, Subject, decide, subjects_in
from mtassay.review.campaign_store import counted_reviews
from mtassay.review.pending import question_of
from mtassay.runtime.workspace import Workspace

_LONG = 2000  # characters of an output that are compared


@dataclass(frozen=True)
class AskedQuestion:
    """A question about an answer and its reviews; `about` is the output in question."""

    subject: Subject
    reviews: tuple[Review, ...] = ()
    decision: Decision | None = None
    about: str = ""


@dataclass(frozen=True)
class AnswerHistory:
    """One output that one or more systems gave in exactly this form, with their common findings.

    `subject` is `None` if there is no output. `found` is the run's finding, in a word. `asked` are the
    questions for people; `None` if there are no questions. `joint_decision` is the current decision about the
    case, if it covers more than this output. `hints` help to judge the output.
    """

    subject: Subject | None
    systems: tuple[str, ...]
    findings: tuple[Finding, ...]
    found: str = ""
    asked: AskedQuestion | None = None
    joint_decision: str = ""
    hints: tuple[Line, ...] = ()

    @property
    def decision(self) -> Decision | None:
        """The decision of the reviews; `None` without any."""
        return self.asked.decision if self.asked else None

    @property
    def reviews(self) -> tuple[Review, ...]:
        """The reviews, in the order of time."""
        return self.asked.reviews if self.asked else ()

    @property
    def status(self) -> str:
        """The current verdict: the reviewers', or else the run's finding; empty if nothing was judged."""
        if self.decision is not None and self.decision.answer is not None:
            return self.decision.answer
        return self.found

    @property
    def is_settled_by_people(self) -> bool:
        """Whether reviewers reached a verdict."""
        return self.decision is not None and self.decision.answer is not None

    @property
    def is_settled(self) -> bool:
        """Whether reviewers or the run reached a verdict."""
        return self.is_settled_by_people or any(f.verdict in ("pass", "fail") for f in self.findings)


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """Findings of one run about the case, by system."""

    run: str
    method: str
    started: str
    statuses: dict[str, str]


@dataclass(frozen=True)
class CaseHistory:
    """A case in one run, with its verdicts in all runs that have the same sentence, newest first."""

    case_id: str
    run: Run
    segment: Segment | None
    answers: list[AnswerHistory]
    history: list[PastVerdict]


def tell_case(workspace: Workspace, case_id: str, *, run: str | None = None) -> CaseHistory:
    """Return everything about one case, from the named run or else from the newest run that has it.

    If the method reports a segment as part of another case, that case is returned.
    """
    runs = workspace.runs()
    chosen = workspace.run(run, case=case_id) if run is not None else None
    history: list[PastVerdict] = []
    for summary in runs:
        past_run = workspace.run(summary.id, case=case_id)
        if not (past_run.findings or past_run.segments):
            continue
        chosen = chosen or past_run
        here, there = _segment(chosen, case_id), _segment(past_run, case_id)
        if there is None or here is None or _is_same(here, there):
            history.append(
                PastVerdict(summary.id, summary.method, summary.started, _statuses(past_run, case_id))
            )
    if chosen is None or not (chosen.findings or chosen.segments):
        refuse_case(workspace, runs if chosen is None else [chosen], case_id)
    segment = _segment(chosen, case_id)
    if segment is not None and (other := view_of(chosen).case_of(segment)) != case_id:
        return tell_case(workspace, other, run=chosen.id)
    return CaseHistory(case_id, chosen, segment, answers_to(workspace, chosen, case_id), history)


def _segment(run: Run, case_id: str) -> Segment | None:
    return next((segment for segment in run.segments if segment.id == case_id), None)


def _is_same(one: Segment, other: Segment) -> bool:
    """Whether two segments have the same texts, except for added references."""
    if one.source is not None and other.source is not None and one.source != other.source:
        return False
    mine, theirs = ({text for text in s.references if text is not None} for s in (one, other))
    return not mine or not theirs or not mine.isdisjoint(theirs)


def answers_to(
    workspace: Workspace, run: Run, case_id: str, *, with_sealed: bool = True
) -> list[AnswerHistory]:
    """The answers of a run to one case, most frequent first.

    Without `with_sealed`, answers that a campaign still hides from reviewers are left out.

    Systems with the same output share an answer only if all findings are equal, since a case may have other
    sources with different outputs.
    """
    view = view_of(run)
    findings = view.findings(case_id)
    subjects = subjects_in(run)
    question = question_of(run)
    ids = {subject.id for subject in subjects.values()}
    reviews = workspace.reviews_about(ids, question.name) if question else []
    if not with_sealed:
        reviews = counted_reviews(workspace, reviews)
    decisions = decide(reviews, {question.name: question.combine}) if question else {}
    settled = {subject: d.answer for (subject, _), d in decisions.items() if d.answer is not None}
    systems: dict[tuple[Subject | str, str], list[str]] = {}
    for system in run.systems:
        # Systems without an output have nothing in common: keep each one separate.
        subject_or_system = subjects.get((case_id, system), system)
        systems.setdefault((subject_or_system, _fingerprint(findings, system)), []).append(system)
    answers = []
    for (subject_or_system, _), names in systems.items():
        subject = subject_or_system if isinstance(subject_or_system, Subject) else None
        mine = tuple(finding for finding in findings if finding.system == names[0])
        asked = None
        if question is not None and (about := subjects.get((view.reviewed(case_id), names[0]))) is not None:
            given = tuple(review for review in reviews if review.subject == about.id)
            asked = AskedQuestion(about, given, decisions.get((about.id, question.name)), question.about)
        decided = view.joint_decision(case_id, names[0], settled) if subject is not None else ""
        hints = view.output_lines(subject.outputs[0], mine[0].evidence)[1:] if subject and mine else ()
        answers.append(
            AnswerHistory(subject, tuple(names), mine, view.status(mine), asked, decided, tuple(hints))
        )
    return sorted(answers, key=lambda answer: (answer.subject is None, -len(answer.systems)))


def settled_beside(
    workspace: Workspace, run: Run, question: Question, subject: Subject, reviewer: str, *, count: int = 2
) -> list[AnswerHistory]:
    """The settled answers to the same case that are most similar to an output, most similar first.

    To not influence the reviewer, others' decisions are left out before the reviewer's own answer, and the
    run's findings are left out for a blind question.
    """
    text, answers = subject.outputs[0], answers_to(workspace, run, subject.case_id, with_sealed=False)
    words = text[:_LONG].split()
    ranked = [
        (SequenceMatcher(None, words, output[:_LONG].split(), autojunk=False).ratio(), answer)
        for answer in answers
        if (answer.is_settled_by_people if question.is_blind else answer.is_settled)
        and (answer.decision is None or reviewer in answer.decision.latest)
        and answer.subject is not None
        and (output := answer.subject.outputs[0]) != text
    ]
    return [answer for _, answer in sorted(ranked, key=lambda entry: -entry[0])[:count]]


def _fingerprint(findings: Sequence[Finding], system: str) -> str:
    """Return the findings about a system without its name."""
    facts = [(f.detector, f.verdict, f.value, f.evidence) for f in findings if f.system == system]
    return json.dumps(facts, sort_keys=True, default=str)


def _statuses(run: Run, case_id: str) -> dict[str, str]:
    view = view_of(run)
    by_system: dict[str, list[Finding]] = {system: [] for system in run.systems}
    for finding in view.findings(case_id):
        by_system[finding.system].append(finding)
    return {system: view.status(findings) for system, findings in by_system.items()}


def refuse_case(workspace: Workspace, runs: Sequence[Run], case_id: str) -> NoReturn:
    """Raise an error that these runs do not have the case, with similar ids."""
    ids = list(dict.fromkeys(segment.id for run in runs for segment in workspace.segments(run.id)))
    near = [id_ for id_ in ids if case_id.lower() in id_.lower()][:5]
    near = near or get_close_matches(case_id, ids, n=5, cutoff=0.6)
    where = f"run {runs[0].id}" if len(runs) == 1 else f"the {len(runs)} runs of {workspace.path}"
    nothing = "No id is near it. See 'mtassay runs list' for what is there."
    what = f"Near: {', '.join(near)}." if near else nothing
    raise UsageError(f"No case '{case_id}' in {where}. {what}")
