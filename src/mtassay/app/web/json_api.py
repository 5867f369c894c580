"""The interface for programs: a few addresses under /api that take and give JSON, described by OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from pydantic import BaseModel, Field

from mtassay.app import review_cards
from mtassay.app.web.visits import Visit, visit_of, visit_that_changes
from mtassay.review import queue
from mtassay.review.pending import asked_in
from mtassay.review.queue import AgendaChoice

__all__ = ["router"]

RunName = Annotated[str, Path(description="The id of a run.", max_length=100)]
QuestionName = Annotated[str, Path(description="The name of a question.", max_length=100)]
SubjectName = Annotated[str, Path(description="The id of a subject.", max_length=100)]
Name = Annotated[str, Query(max_length=200)]
Token = Annotated[str, Header(description="The 'csrf' of /api/me; not needed with a bearer token.")]

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The request makes no sense."},
    401: {"description": "No invitation, or it was revoked."},
    403: {"description": "The CSRF token is missing or wrong."},
    404: {"description": "No such run, question or subject."},
    413: {"description": "The request is too large."},
    503: {"description": "The workspace is busy; nothing was kept. Send the same again."},
    507: {"description": "The disk of the workspace is full or fails; nothing was kept."},
}
router = APIRouter(prefix="/api", tags=["review"], responses=_ERRORS)


class Me(BaseModel):
    """Who asks, and what their changing requests must carry in X-CSRF-Token."""

    name: str
    role: str
    csrf: str


class AskedRun(BaseModel):
    """A run that people are asked about."""

    id: str
    method: str
    started: str
    questions: list[str]


class CardEntry(BaseModel):
    """One output in a list; what the asking person may not know is empty."""

    subject: str
    position: int
    case_id: str
    category: str
    phenomenon: str
    status: str
    source: str
    output: str
    answer: str
    is_disputed: bool
    mine: str


class CardList(BaseModel):
    """Some of the outputs of a run, and how many there are in all."""

    total: int
    cards: list[CardEntry]


class GivenAnswer(BaseModel):
    """What somebody answered."""

    answer: str
    reviewer: str
    note: str
    at: str


class FullCard(CardEntry):
    """One output with all that is needed to judge it."""

    question: str
    answers: dict[str, str]
    context: str
    note: str
    references: list[str]
    lines: list[str]
    said: list[GivenAnswer]


class SentAnswer(BaseModel):
    """An answer to send. `id` is made up by the sender: the same one sent again is kept once."""

    answer: Annotated[str, Field(max_length=10_000)]
    note: Annotated[str, Field(max_length=4000)] = ""
    correction: Annotated[str, Field(max_length=4000)] = ""
    id: Annotated[str, Field(max_length=100)] = ""


class AnswerReply(BaseModel):
    """An answer that is in the workspace; `holds` is what all answers come to, empty while nothing does.

    It is empty, too, while a campaign waits for others to answer.
    """

    answer: str
    holds: str
    is_disputed: bool
    is_new: bool


@router.get("/me")
def me(request: Request) -> Me:
    """Who asks."""
    visit = visit_of(request)
    return Me(name=visit.person.name, role=visit.person.role, csrf=visit.csrf)


@router.get("/runs")
def runs(request: Request) -> list[AskedRun]:
    """The runs that people are asked about, newest first."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return [
            AskedRun(id=run.id, method=run.method, started=run.started, questions=[q.name for q in asked])
            for run in store.runs()
            if (asked := asked_in(run))
        ]


@router.get("/runs/{run}/{question}/cards")
def cards(
    request: Request,
    run: RunName,
    question: QuestionName,
    category: Name = "",
    phenomenon: Name = "",
    answer: Name = "",
    text: Name = "",
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> CardList:
    """Outputs of a run, in the order of asking.

    `answer` is what holds, or `open` or `disputed`; for a reviewer, what they answered themselves, or `open`.
    """
    visit = visit_of(request)
    whose = "" if visit.person.is_admin else visit.person.name
    choice = AgendaChoice(category=category, phenomenon=phenomenon, answer=answer, text=text, whose=whose)
    with visit.site.pool.lend() as store:
        agenda = review_cards.open_agenda(store, run, question)
        hides = review_cards.question_in(agenda).is_blind and not visit.person.is_admin
        entries = agenda.page(choice, reviewer=visit.person.name, offset=offset, limit=limit)
        return CardList(
            total=agenda.count(choice), cards=[CardEntry(**_entry(entry, visit, hides)) for entry in entries]
        )


def _entry(entry: queue.AgendaEntry, visit: Visit, hides: bool) -> dict[str, Any]:
    may_see = visit.person.is_admin or bool(entry.mine)
    return {
        "subject": entry.subject,
        "position": entry.position,
        "case_id": "" if hides else entry.segment_id,
        "category": entry.category,
        "phenomenon": entry.phenomenon,
        "status": "" if hides else entry.status,
        "source": entry.source,
        "output": entry.output,
        "answer": entry.answer if may_see else "",
        "is_disputed": entry.is_disputed and may_see,
        "mine": entry.mine,
    }


@router.get("/runs/{run}/{question}/next")
def next_card(
    request: Request,
    run: RunName,
    question: QuestionName,
    after: Annotated[int, Query(ge=-1, le=10**9)] = -1,
    double: bool = False,
) -> FullCard | None:
    """The next output that waits for whoever asks, behind a position; `null` where nothing does."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        found = review_cards.deal(
            review_cards.open_agenda(store, run, question),
            visit.person.name,
            after=after,
            double=double,
        )
        return None if found is None else _full(found, visit)


@router.get("/runs/{run}/{question}/cards/{subject}")
def one_card(request: Request, run: RunName, question: QuestionName, subject: SubjectName) -> FullCard:
    """One output."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        agenda = review_cards.open_agenda(store, run, question)
        return _full(
            review_cards.load_card(agenda, subject, visit.person.name, is_admin=visit.person.is_admin), visit
        )


def _full(card: review_cards.Card, visit: Visit) -> FullCard:
    hides = card.question.is_blind and not visit.person.is_admin
    return FullCard(
        **_entry(card.entry, visit, hides),
        question=card.question.text,
        answers=card.question.answers_by_key,
        context=str(card.segment.tags.get("context", "")),
        note=str(card.segment.tags.get("note", "")),
        references=[] if hides else [text for text in card.segment.references if text],
        lines=[line.text for line in card.lines],
        said=[GivenAnswer(answer=r.answer, reviewer=r.reviewer, note=r.note, at=r.at) for r in card.reviews],
    )


@router.post("/runs/{run}/{question}/cards/{subject}")
def decide(
    request: Request,
    run: RunName,
    question: QuestionName,
    subject: SubjectName,
    body: SentAnswer,
    x_csrf_token: Token = "",
) -> AnswerReply:
    """Answer the question about an output. When this returns, the answer is in the workspace."""
    visit = visit_that_changes(request, x_csrf_token)
    with visit.site.pool.lend() as store:
        done = review_cards.answer(
            review_cards.open_agenda(store, run, question),
            subject,
            body.answer,
            visit.person.name,
            note=body.note,
            correction=body.correction,
            receipt=body.id or None,
        )
    decision = done.decision
    return AnswerReply(
        answer=done.review.answer,
        holds=(decision and decision.answer) or "",
        is_disputed=decision is not None and decision.is_disputed,
        is_new=done.is_new,
    )
