"""What still waits for a person: outputs left open, suspected or disputed among reviewers, each one once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mtassay.core import DISPUTED, Finding, Output, Run, Segment
from mtassay.reviews.decisions import Decision
from mtassay.reviews.questions import QUESTIONS, Question
from mtassay.reviews.subjects import Subject

__all__ = ["Pending", "merge_pending", "pending_in", "question_of", "subjects_in", "waiting_for"]

_OPEN = ("undecided", "conflict")
_SUSPICIOUS = "suspicious"
_REPORTED = (_SUSPICIOUS, "confirmed", "cleared")


@dataclass(frozen=True)
class Pending:
    """One output to look at, with what a person needs to judge it.

    `status` is why it is here: `undecided` or `conflict` by the rules, `suspicious` for all outputs of an
    issue and for behavioural cases that fail, or `disputed` among reviewers. `systems` are those that gave
    this very output, `run` is a run that it is in. `evidence` is empty where reviewers must not know what the
    run found.
    """

    subject: Subject
    question: Question
    run: str
    systems: tuple[str, ...]
    status: str
    segment: Segment
    evidence: Mapping[str, Any] = field(default_factory=dict)


def question_of(run: Run) -> Question | None:
    """What is asked about the outputs of this run; `None` if nothing is."""
    return next((question for question in QUESTIONS.values() if question.method == run.method), None)


def subjects_in(
    segments: Iterable[Segment], outputs: Mapping[str, Sequence[Output]]
) -> dict[tuple[str, str], Subject]:
    """What can be reviewed, by case and system. A case without all of its outputs is not there."""
    sources = {segment.id: (segment.source,) for segment in segments}
    found = {}
    for system, answers in outputs.items():
        texts: dict[str, list[str | None]] = {}
        for output in answers:
            texts.setdefault(output.id, []).append(output.text)
        for case_id, given in texts.items():
            complete = tuple(text for text in given if text is not None)
            if case_id in sources and len(complete) == len(given):
                found[case_id, system] = Subject(case_id, sources[case_id], complete)
    return found


def pending_in(
    run: Run,
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[Output]],
    *,
    disputed: Collection[Subject] = (),
) -> list[Pending]:
    """The open outputs of a run, in the order of its segments; equal outputs of several systems are one.

    Open is what the rules did not settle, what is shown with an issue, and the edit of a behavioural case
    that fails, whether or not somebody settled it since, and what is disputed.
    """
    question = question_of(run)
    if question is None:
        return []
    subjects = subjects_in(segments, outputs)
    contested = set(disputed)
    places = {segment.id: place for place, segment in enumerate(segments)}
    found: dict[Subject, Pending] = {}

    def add(case_id: str, system: str, status: str | None, evidence: Mapping[str, Any]) -> None:
        subject = subjects.get((case_id, system))
        if subject is None:
            return
        why = DISPUTED if subject in contested else status
        known = found.get(subject)
        if known is not None:
            systems = tuple(dict.fromkeys((*known.systems, system)))
            found[subject] = replace(known, systems=systems)
        elif why is not None:
            shown = {} if question.is_blind else evidence
            segment = segments[places[case_id]]
            found[subject] = Pending(subject, question, run.id, (system,), why, segment, shown)

    edits = {str(s.tags["original"]): s.id for s in segments if "original" in s.tags}
    for finding in run.findings:
        if run.method == "behavior":  # what is judged is the translation of the edited source
            add(edits.get(finding.case_id, ""), finding.system, _suspected(finding), {})
            continue
        for case_id in _shown_with(finding):
            add(case_id, finding.system, _status(finding), finding.evidence)
    for case_id, system in subjects:  # disputed outputs that no finding is about
        add(case_id, system, None, {})
    return sorted(found.values(), key=lambda pending: places[pending.subject.case_id])


def _shown_with(finding: Finding) -> list[str]:
    """The cases whose outputs a finding asks about: its own, and the variants shown with an issue."""
    return [finding.case_id, *(str(variant["id"]) for variant in finding.evidence.get("variants", ()))]


def _suspected(finding: Finding) -> str | None:
    return {"fail": _SUSPICIOUS, "undecided": "undecided"}.get(str(finding.verdict))


def _status(finding: Finding) -> str | None:
    """Why a person should look; `None` if nobody needs to."""
    said = str(finding.evidence.get("rules_say") or finding.evidence.get("status") or finding.verdict)
    if said in _REPORTED:
        return _SUSPICIOUS
    if finding.verdict == "undecided" or "rules_say" in finding.evidence:
        return said if said in _OPEN else None
    return None


def merge_pending(parts: Iterable[Sequence[Pending]]) -> list[Pending]:
    """The open outputs of several runs, each one once; what the first run says of it is kept."""
    merged: dict[Subject, Pending] = {}
    for pending in (pending for part in parts for pending in part):
        known = merged.get(pending.subject)
        if known is None:
            merged[pending.subject] = pending
        else:
            systems = tuple(dict.fromkeys((*known.systems, *pending.systems)))
            merged[pending.subject] = replace(known, systems=systems)
    return list(merged.values())


def waiting_for(
    reviewer: str,
    pending: Iterable[Pending],
    decisions: Mapping[tuple[str, str], Decision],
    *,
    double: bool = False,
) -> list[Pending]:
    """What this reviewer should look at: what concerns most systems first, then in the given order.

    What the reviewer has answered before is not among it. What others settled is only with `double`.
    """
    mine = []
    for each in pending:
        decision = decisions.get((each.subject.id, each.question.name))
        answered = decision is not None and reviewer in decision.latest
        settled = decision is not None and decision.answer is not None
        if not answered and (double or not settled):
            mine.append(each)
    return sorted(mine, key=lambda each: -len(each.systems))
