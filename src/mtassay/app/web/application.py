"""The application: pages, the interface for programs, and errors without internal details."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, HTTPException, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as PlainHTTPException

from mtassay import __version__
from mtassay.app import review_cards
from mtassay.app.web import campaign_pages, card_pages, pages, suite_pages, workspace_pages
from mtassay.app.web.server import Guard, Preparer
from mtassay.app.web.visits import FOLDER, Site, Visit, render, visit_of, visit_that_changes
from mtassay.data.errors import MtassayError, WorkspaceError
from mtassay.data.questions import find_question
from mtassay.review import queue
from mtassay.review.pending import asked_in
from mtassay.review.queue import AbsentError, QueueChoice
from mtassay.runtime.database import LockedError, UnavailableError
from mtassay.runtime.workspace import Workspace

# The interface for programs: a few addresses under /api that take and give JSON, described by OpenAPI.


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
    """The visitor, and the token that their changing requests must carry in X-CSRF-Token."""

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
    """One output in a list; fields that the visitor may not know are empty."""

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
    """A person's answer."""

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
    """A stored answer; `holds` is the current decision, empty while there is none.

    It is empty, too, while a campaign waits for others to answer.
    """

    answer: str
    holds: str
    is_disputed: bool
    is_new: bool


@router.get("/me")
def me(request: Request) -> Me:
    """Return the visitor."""
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

    `answer` is the decision, `open` or `disputed`; for a reviewer, their own answer or `open`.
    """
    visit = visit_of(request)
    whose = "" if visit.person.is_admin else visit.person.name
    choice = QueueChoice(category=category, phenomenon=phenomenon, answer=answer, text=text, whose=whose)
    with visit.site.pool.lend() as store:
        run_queue = review_cards.open_queue(store, run, question)
        hides = find_question(question).is_blind and not visit.person.is_admin
        entries = run_queue.page(choice, reviewer=visit.person.name, offset=offset, limit=limit)
        return CardList(
            total=run_queue.count(choice),
            cards=[CardEntry(**_entry(entry, visit, hides)) for entry in entries],
        )


def _entry(entry: queue.QueueEntry, visit: Visit, hides: bool) -> dict[str, Any]:
    fields = {name: getattr(entry, name) for name in CardEntry.model_fields if name != "case_id"}
    if not (visit.person.is_admin or entry.mine):
        fields |= {"answer": "", "is_disputed": False}
    return {**fields, "case_id": entry.segment_id} if not hides else {**fields, "case_id": "", "status": ""}


@router.get("/runs/{run}/{question}/next")
def next_card(
    request: Request,
    run: RunName,
    question: QuestionName,
    after: Annotated[int, Query(ge=-1, le=10**9)] = -1,
    double: bool = False,
) -> FullCard | None:
    """The next open output of the visitor after a position; `null` without any."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        found = _cards(store, visit, run, question, after=after, double=double).next()
        return None if found is None else _full(found, visit)


def _cards(store: Workspace, visit: Visit, run: str, question: str, **more: Any) -> review_cards.RunCards:
    run_queue, who = review_cards.open_queue(store, run, question), visit.person
    return review_cards.RunCards(
        store=store, who=who.name, run_queue=run_queue, is_admin=who.is_admin, **more
    )


@router.get("/runs/{run}/{question}/cards/{subject}")
def one_card(request: Request, run: RunName, question: QuestionName, subject: SubjectName) -> FullCard:
    """One output."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return _full(_cards(store, visit, run, question).card(subject), visit)


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
        said=[
            GivenAnswer(answer=r.answer, reviewer=r.reviewer, note=r.note, at=r.at)
            for r in card.given.reviews
        ],
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
        done = _cards(store, visit, run, question).answer(
            subject,
            body.answer,
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


# The application: pages, the interface for programs, and errors without internal details.


def make_application(site: Site, *, watches: bool = False) -> Any:
    """The whole application for one workspace, ready to be served; one that `watches` prepares new runs."""
    app = FastAPI(
        title="mtassay",
        version=__version__,
        description="What waits for people in saved runs, and what they answer.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.site = site
    app.state.preparer = Preparer(site.pool)
    if watches:
        app.state.preparer.watch()
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.include_router(router)
    for part in (pages, card_pages, campaign_pages, workspace_pages, suite_pages):
        app.include_router(part.router)
    app.add_exception_handler(PlainHTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_bad_request)
    app.add_exception_handler(MtassayError, _on_our_error)
    app.add_exception_handler(Exception, _on_bug)
    return Guard(app, bound=site.host, hosts=site.hosts)


def _tell(request: Request, status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error as a page, or as JSON for a program."""
    response: Response
    if request.url.path.startswith("/api/"):
        response = JSONResponse({"detail": why}, status_code=status)
    else:
        response = render("error.html", request, None, status=status, code=status, why=why)
    for key, value in (headers or {}).items():
        response.headers[key] = value
    return response


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException | PlainHTTPException)
    why = str(error.detail) if error.status_code != 404 else "There is no such page."
    return _tell(request, error.status_code, why, dict(error.headers or {}))


async def _on_bad_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first.get("loc", ()))
    return _tell(request, 422, f"{place}: {first.get('msg', 'not valid')}."[:300])


async def _on_our_error(request: Request, error: Exception) -> Response:
    if isinstance(error, LockedError):
        why = "The workspace is busy, and nothing was kept. Try again."
        return _tell(request, 503, why, {"retry-after": "1"})
    if isinstance(error, WorkspaceError):
        sys.stderr.write(f"mtassay: {error}\n")
    if isinstance(error, UnavailableError):
        why = (
            "The disk of the workspace is full or fails, and nothing was kept. Tell the owner of the server."
        )
        return _tell(request, 507, why)
    if isinstance(error, WorkspaceError):
        return _tell(request, 500, "The workspace cannot be read. The owner of the server can see why.")
    return _tell(request, 404 if isinstance(error, AbsentError) else 400, str(error))


async def _on_bug(request: Request, error: Exception) -> Response:
    sys.stderr.write("".join(traceback.format_exception(error)))
    return _tell(request, 500, "This is a bug of ours. The owner of the server can see more.")
