"""The review desk: cards to answer, one at a time, out of runs of any size. The page and its API stand on it.

Every function takes an open workspace, since a server keeps several open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mtassay.agenda import AbsentError, Agenda, AgendaChoice, AgendaEntry, is_prepared, prepare
from mtassay.core import Question, Review, Run, Segment
from mtassay.display import Block, Line
from mtassay.errors import UsageError
from mtassay.method import method_of
from mtassay.reviews import Decision, Subject, review_now
from mtassay.reviews import decide as decide_reviews
from mtassay.reviews.queue import find_question, pending_in, questions_in, subjects_in
from mtassay.store import Workspace
from mtassay.story import answers_to, nearest_settled

__all__ = [
    "AgendaEntry",
    "Answered",
    "Card",
    "SettledText",
    "answer",
    "deal",
    "load_card",
    "open_agenda",
    "question_in",
]

_SETTLED = 8  # settled outputs that are shown beside an open one
_LONGEST_NOTE = 4000  # characters


@dataclass(frozen=True, slots=True)
class SettledText:
    """An output to the same case whose status is known, and whether people settled it."""

    text: str
    status: str
    is_by_people: bool
    hint: str = ""


@dataclass(frozen=True)
class Card:
    """One output with all that a person may see to judge it.

    `entry` is its place in the agenda; of a blind question without what the run found. `lines` are the output
    and what helps to judge it, `kin` the sentences that belong to it, `settled` other outputs to the same
    case. `reviews` are what everybody said, where the one who asks may see it, else what they said
    themselves.
    """

    run: str
    question: Question
    entry: AgendaEntry
    subject: Subject
    segment: Segment
    lines: Sequence[Line]
    languages: tuple[str, str] = ("", "")
    kin: Sequence[Block] = ()
    settled: Sequence[SettledText] = ()
    reviews: Sequence[Review] = ()


def open_agenda(store: Workspace, run_id: str, question: str) -> Agenda:
    """The agenda of a run and question, made now where nobody has asked for it before."""
    try:
        return Agenda(store, run_id, question)
    except AbsentError:
        run = next((run for run in store.runs() if run.id == run_id), None)
        if run is None or is_prepared(store, run):
            raise
    prepare(store, run_id)
    return Agenda(store, run_id, question)


def deal(
    agenda: Agenda,
    reviewer: str,
    *,
    after: int = -1,
    choice: AgendaChoice | None = None,
    double: bool = False,
    is_admin: bool = False,
) -> Card | None:
    """The next card for a reviewer, behind a position; `None` where nothing waits."""
    entry = agenda.next_for(reviewer, after=after, choice=choice, double=double)
    if entry is None:
        return None
    return load_card(agenda, entry.subject, reviewer, is_admin=is_admin, double=double)


def load_card(
    agenda: Agenda, subject: str, reviewer: str, *, is_admin: bool = False, double: bool = False
) -> Card:
    """The card of a subject, out of what the workspace has of its case alone.

    What others said is shown to who has answered, and to an admin.
    """
    store = agenda.workspace
    entry = agenda.entry(subject, reviewer=reviewer)
    run = store.run(agenda.run, case=entry.segment_id)
    question = _question(run, agenda.question)
    method = method_of(run)
    chosen = _subject(run, subject)
    segment = next(segment for segment in run.segments if segment.id == chosen.case_id)
    pending = next(
        (p for p in pending_in(run, question=question) if p.subject == chosen),
        None,
    )
    lines = pending.lines if pending else [Line("output", text) for text in chosen.outputs]
    if question.is_blind and not is_admin:
        entry = replace(entry, status="", found="")
    reviews = store.reviews_about([subject], question.name)
    may_see = is_admin or any(review.reviewer == reviewer for review in reviews)
    return Card(
        agenda.run,
        question,
        entry,
        chosen,
        segment,
        lines or [Line("output", text) for text in chosen.outputs],
        _languages(run),
        method.kin(run, chosen.case_id, entry.systems[0]),
        _settled(store, run, question, chosen, double=double),
        reviews if may_see else (),
    )


def question_in(agenda: Agenda) -> Question:
    """What the agenda asks."""
    return find_question(agenda.question)


def _question(run: Run, name: str) -> Question:
    question = next((q for q in questions_in(run) if q.name == name), None)
    if question is None:
        raise AbsentError(f"Nothing is asked under '{name[:40]}' in run {run.id}.")
    return question


def _subject(run: Run, subject_id: str) -> Subject:
    found = next((subject for subject in subjects_in(run).values() if subject.id == subject_id), None)
    if found is None:
        raise AbsentError(f"No output '{subject_id[:40]}' in run {run.id}.")
    return found


def _settled(
    store: Workspace, run: Run, question: Question, subject: Subject, *, double: bool
) -> list[SettledText]:
    """Settled outputs to the same case, most like this one first; without what would sway a reviewer."""
    answers = [a for a in answers_to(store, run, subject.case_id) if not (double and a.decision is not None)]
    if question.is_blind:
        answers = [answer for answer in answers if answer.is_settled_by_people]
    return [
        SettledText(
            answer.subject.outputs[0],
            answer.status,
            answer.is_settled_by_people,
            answer.hints[0].text if answer.hints else "",
        )
        for answer in nearest_settled(answers, subject.outputs[0], count=_SETTLED)
        if answer.subject is not None
    ]


def _languages(run: Run) -> tuple[str, str]:
    """The codes of source and target language, empty where the run does not say them."""
    pair = run.parameters.get("pair")
    parts = pair.split("-", 1) if isinstance(pair, str) else list(pair or ())
    return (str(parts[0]), str(parts[1])) if len(parts) == 2 else ("", "")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that is kept, and what holds now; `is_new` is `False` for one that was sent before."""

    review: Review
    decision: Decision
    is_new: bool


def answer(
    agenda: Agenda,
    subject: str,
    text: str,
    reviewer: str,
    *,
    note: str = "",
    correction: str = "",
    receipt: str | None = None,
) -> Answered:
    """Keep what somebody answered about a subject; when this returns, it is in the workspace.

    A `correction` is what the output should have been: it goes into the note as 'mtassay repair' reads it. An
    answer with a `receipt`, an id that the sender made up, is kept once however often it is sent.
    """
    store = agenda.workspace
    entry = agenda.entry(subject)
    run = store.run(agenda.run, case=entry.segment_id)
    question, chosen = _question(run, agenda.question), _subject(run, subject)
    try:
        read = question.read_answer(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
    remark = _note(note, correction, chosen.outputs[-1])
    review = review_now(chosen.id, question.name, read, reviewer, note=remark)
    added = store.add_reviews([review], [chosen], receipt=receipt)
    reviews = store.reviews_about([chosen.id], question.name)
    decision = decide_reviews(reviews, {question.name: question.holds})[chosen.id, question.name]
    return Answered(review, decision, bool(added))


def _note(note: str, correction: str, output: str) -> str:
    """The note, and below it the correction, where that is not what stands there already."""
    lines = [note.strip()]
    fixed = " ".join(correction.split())
    if fixed and fixed != " ".join(output.split()):
        lines.append(f"fix: {fixed}")
    text = "\n".join(filter(None, lines))
    if len(text) > _LONGEST_NOTE:
        raise UsageError(f"Note and correction have {len(text):,} characters, at most {_LONGEST_NOTE:,}.")
    return text
