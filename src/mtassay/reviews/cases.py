"""One case with all that the workspace knows of it: outputs, findings, decisions, and earlier runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from typing import NoReturn

from mtassay.core import Finding, Review, Run, Segment
from mtassay.errors import UsageError
from mtassay.reviews.decisions import Decision, decide
from mtassay.reviews.pending import question_of, subjects_in
from mtassay.reviews.reported import findings_about
from mtassay.reviews.subjects import Subject
from mtassay.store import Workspace

__all__ = [
    "Answer",
    "CaseStory",
    "PastVerdict",
    "answers_to",
    "asked_about",
    "nearest_settled",
    "refuse_case",
    "status_of",
    "tell_case",
]

_LONG = 2000  # characters of an output that are compared


@dataclass(frozen=True)
class Answer:
    """What one or more systems answered, to the letter, with the findings that all of them have alike.

    `subject` is `None` where there is no output. `asked` is what people decide about: the same, but of a
    behavioural case the output to its edited source; `None` where people are asked nothing. `issue` is what
    reviewers make of an issue of invariance by now, where it was looked up.
    """

    subject: Subject | None
    systems: tuple[str, ...]
    findings: tuple[Finding, ...]
    asked: Subject | None = None
    reviews: tuple[Review, ...] = ()
    decision: Decision | None = None
    issue: str = ""

    @property
    def status(self) -> str:
        """What holds now: what reviewers say, else what the run found; empty where nothing was judged."""
        if self.decision is not None and self.decision.answer is not None:
            return self.decision.answer
        return status_of(self.findings)

    @property
    def is_settled_by_people(self) -> bool:
        """Whether reviewers came to a verdict."""
        return self.decision is not None and self.decision.answer is not None

    @property
    def is_settled(self) -> bool:
        """Whether reviewers or the run came to a verdict."""
        return self.is_settled_by_people or any(f.verdict in ("pass", "fail") for f in self.findings)


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """What one run found about the case, by system."""

    run: str
    method: str
    started: str
    statuses: dict[str, str]


@dataclass(frozen=True)
class CaseStory:
    """A case in one run, with its verdicts in all runs, newest first."""

    case_id: str
    run: Run
    segment: Segment | None
    answers: list[Answer]
    history: list[PastVerdict]


def status_of(findings: Sequence[Finding]) -> str:
    """The findings about one output in a word or a few.

    >>> status_of([Finding("1", "nmt", "suite", "undecided", evidence={"status": "conflict"})])
    'conflict'
    >>> status_of([Finding("1", "nmt", "length", "fail"), Finding("1", "nmt", "copied", "fail")])
    'fail: length, copied'
    """
    for finding in findings:
        if "status" in finding.evidence:
            return str(finding.evidence["status"])
    by_verdict: dict[str, list[str]] = {}
    for finding in findings:
        if finding.verdict is not None:
            by_verdict.setdefault(finding.verdict, []).append(finding.detector)
    return "; ".join(
        verdict if names == ["output"] else f"{verdict}: {', '.join(dict.fromkeys(names))}"
        for verdict, names in by_verdict.items()
    )


def tell_case(workspace: Workspace, case_id: str, *, run: str | None = None) -> CaseStory:
    """All about one case, in the named run or else in the newest one that has it.

    The edited source of a behavioural case stands for the case, which is judged as a whole.
    """
    runs = workspace.runs()
    chosen = findings_about(workspace, run, case_id) if run is not None else None
    history: list[PastVerdict] = []
    for each in runs:
        known = findings_about(workspace, each.id, case_id)
        if _has_case(workspace, known, case_id):
            chosen = chosen or known
            history.append(PastVerdict(each.id, each.method, each.started, _statuses(known)))
    if chosen is None or not _has_case(workspace, chosen, case_id):
        refuse_case(workspace, runs if chosen is None else [chosen], case_id)
    segments = workspace.segments(chosen.id, case=case_id)
    if chosen.method == "behavior" and segments and (original := segments[0].tags.get("original")):
        return tell_case(workspace, str(original), run=chosen.id)
    answers = answers_to(workspace, chosen, case_id)
    return CaseStory(case_id, chosen, segments[0] if segments else None, answers, history)


def answers_to(workspace: Workspace, run: Run, case_id: str) -> list[Answer]:
    """The answers of a run to one case, what most systems said first; `run` has the findings about it.

    Systems with the same output share an answer only if all that was found is the same too: a case may have
    other sources, whose outputs differ.
    """
    segments = workspace.segments(run.id, case=case_id)
    subjects = subjects_in(segments, workspace.outputs(run.id, case=case_id))
    question = question_of(run)
    reviews = workspace.reviews(question.name) if question else []
    decisions = decide(reviews)
    asked = asked_about(workspace, run, case_id) if question else {}
    systems: dict[tuple[Subject | str, str], list[str]] = {}
    for system in run.systems:
        # Systems without an output have nothing in common, so each stays for itself.
        given = subjects.get((case_id, system), system)
        systems.setdefault((given, _found(run, system)), []).append(system)
    answers = []
    for (given, _), names in systems.items():
        subject = given if isinstance(given, Subject) else None
        findings = tuple(finding for finding in run.findings if finding.system == names[0])
        about = asked.get(names[0])
        if about is None or question is None:
            answers.append(Answer(subject, tuple(names), findings))
            continue
        mine = tuple(review for review in reviews if review.subject == about.id)
        decision = decisions.get((about.id, question.name))
        answers.append(Answer(subject, tuple(names), findings, about, mine, decision))
    return sorted(answers, key=lambda answer: (answer.subject is None, -len(answer.systems)))


def asked_about(workspace: Workspace, run: Run, case_id: str) -> dict[str, Subject]:
    """What people are asked about a case, by system: its outputs, of a behavioural case those to its edit.

    The edited source of a behavioural case stands for the case. Who has no output is not there.
    """
    segments = workspace.segments(run.id, case=case_id)
    if run.method == "behavior" and not any("original" in segment.tags for segment in segments):
        edits = [s for s in workspace.segments(run.id) if s.tags.get("original") == case_id]
        segments = edits or segments
    outputs = workspace.outputs(run.id, case=segments[0].id) if segments else {}
    return {system: subject for (_, system), subject in subjects_in(segments, outputs).items()}


def nearest_settled(answers: Sequence[Answer], text: str, *, count: int = 2) -> list[Answer]:
    """Of the answers to one case those that are settled, and not this text, most like it first."""
    words = text[:_LONG].split()
    ranked = [
        (SequenceMatcher(None, words, given[:_LONG].split(), autojunk=False).ratio(), answer)
        for answer in answers
        if answer.is_settled and answer.subject is not None and (given := answer.subject.outputs[0]) != text
    ]
    return [answer for _, answer in sorted(ranked, key=lambda entry: -entry[0])[:count]]


def _found(run: Run, system: str) -> str:
    """All that the run found about a system, but for its name."""
    found = [(f.detector, f.verdict, f.value, f.evidence) for f in run.findings if f.system == system]
    return json.dumps(found, sort_keys=True, default=str)


def _has_case(workspace: Workspace, run: Run, case_id: str) -> bool:
    return bool(run.findings or workspace.segments(run.id, case=case_id))


def _statuses(run: Run) -> dict[str, str]:
    by_system: dict[str, list[Finding]] = {system: [] for system in run.systems}
    for finding in run.findings:
        by_system[finding.system].append(finding)
    return {system: status_of(findings) for system, findings in by_system.items()}


def refuse_case(workspace: Workspace, runs: Sequence[Run], case_id: str) -> NoReturn:
    """Say that these runs do not have the case, and which ids are near."""
    ids = list(dict.fromkeys(segment.id for run in runs for segment in workspace.segments(run.id)))
    near = [known for known in ids if case_id.lower() in known.lower()][:5]
    near = near or get_close_matches(case_id, ids, n=5, cutoff=0.6)
    where = f"run {runs[0].id}" if len(runs) == 1 else f"the {len(runs)} runs of {workspace.path}"
    nothing = "No id is near it. See 'mtassay runs list' for what is there."
    what = f"Near: {', '.join(near)}." if near else nothing
    raise UsageError(f"No case '{case_id}' in {where}. {what}")
