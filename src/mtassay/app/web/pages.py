"""The pages for people: home, a queue for each question, browsing; all of them work without scripts, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app import review_cards
from mtassay.app.access import note_deed, recognise
from mtassay.app.suite_writing import propose
from mtassay.app.web.campaign_pages import campaigns_of
from mtassay.app.web.server import Preparer
from mtassay.app.web.visits import (
    Site,
    Visit,
    address,
    kind_of,
    read_form,
    render,
    set_cookie,
    visit_of,
    visit_that_changes,
)
from mtassay.data.errors import UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import Question, Run
from mtassay.review.pending import asked_in
from mtassay.review.queue import AgendaChoice, ReviewerPace, ReviewQueue, is_prepared
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(read_form)]
PAGE = 50
"""Rows of a list."""
_CHOICES = ("category", "phenomenon", "system", "verdict", "answer", "reviewer", "text")
_KEPT = ("category", "phenomenon", "double")
"""What of an address stays from card to card."""


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """One question of a run on the first page."""

    question: Question
    waiting: int
    disputed: int
    total: int
    progress: list[ReviewerPace]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run on the first page; without queues while its agenda is being made."""

    run: Run
    title: str
    facts: str
    pair: str
    queues: list[QueueSummary]
    is_ready: bool


@router.get("/")
def home(request: Request) -> Response:
    """Runs, what waits in each, and how far everybody is."""
    visit = visit_of(request)
    if visit.person.campaign:
        return RedirectResponse(address("campaigns"), status_code=303)
    preparer: Preparer = request.app.state.preparer
    with visit.site.pool.lend() as store:
        runs = [_summary(store, run, visit) for run in store.runs() if asked_in(run)]
        campaigns = [entry for entry in campaigns_of(store, visit) if entry.left]
    for entry in runs:
        if not entry.is_ready:
            preparer.ask(entry.run.id)
    return render("home.html", request, visit, runs=runs, campaigns=campaigns, problems=preparer.problems)


def _summary(store: Workspace, run: Run, visit: Visit) -> RunSummary:
    # They may name systems, and how each did.
    view, is_told = view_of(run), visit.person.is_admin and visit.shows_systems
    title, facts = view.title(), view.facts() if is_told else ""
    pair = "-".join(filter(None, review_cards.languages(run)))
    if not is_prepared(store, run):
        return RunSummary(run, title, facts, pair, [], is_ready=False)
    queues = []
    for question in asked_in(run):
        agenda = ReviewQueue(store, run.id, question.name)
        if not agenda.total:
            continue
        queues.append(
            QueueSummary(
                question,
                agenda.waiting(visit.person.name),
                agenda.disputed(),
                agenda.total,
                [
                    entry
                    for entry in agenda.progress()
                    if visit.person.is_admin or entry.reviewer == visit.person.name
                ],
            )
        )
    return RunSummary(run, title, facts, pair, queues, is_ready=True)


@router.get("/runs/{run}/{question}/agreement")
def agreement(request: Request, run: str, question: str) -> Response:
    """How far reviewers agree so far; a part of the first page that comes later, since it takes longer."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        found = review_cards.agreement_so_far(_agenda(store, run, question))
    return render("agreement.html", request, visit, found=found, run=run, question=question)


@router.get("/enter/{secret}")
def enter(request: Request, secret: str) -> Response:
    """Where an invitation leads: the browser remembers it.

    A redirect from a link on another site would not carry the cookie, so a page goes on by itself.
    """
    site: Site = request.app.state.site
    with site.pool.lend() as store:
        if (person := recognise(store, secret)) is not None:
            note_deed(store, person.name, "came in")
    if person is None:
        raise HTTPException(401, "This link is not known, or was revoked. Ask for a new one.")
    response = render("enter.html", request, None, person=person)
    set_cookie(site, request, response, secret)
    return response


@router.post("/leave")
def leave(request: Request, form: Form) -> Response:
    """Forget who this browser is."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    response = render("left.html", request, None)
    response.delete_cookie(visit.site.cookie, path="/", httponly=True, samesite="strict")
    return response


@router.get("/runs/{run}/{question}")
def queue(request: Request, run: str, question: str) -> Response:
    """The next output that waits for anyone who asks."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return _next(request, visit, _agenda(store, run, question), after=_number(request, "after", -1))


def _next(request: Request, visit: Visit, agenda: ReviewQueue, *, after: int, done: str = "") -> Response:
    double = request.query_params.get("double") == "1"
    card = review_cards.deal(
        agenda,
        visit.person.name,
        after=after,
        choice=_choice(request, _KEPT[:2]),
        double=double,
    )
    return _show(request, visit, agenda, card, done=done)


@router.get("/runs/{run}/{question}/back")
def back(request: Request, run: str, question: str, before: str = "") -> Response:
    """The output that this person answered last, or before another one, to answer it again."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        agenda = _agenda(store, run, question)
        subject = agenda.latest_of(visit.person.name, before=before)
        if subject is None:
            return _next(request, visit, agenda, after=-1, done="There is nothing before this one.")
        return _one(request, visit, agenda, subject)


@router.get("/runs/{run}/{question}/cards/{subject}")
def card(request: Request, run: str, question: str, subject: str) -> Response:
    """One output, whether it waits or not."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return _one(request, visit, _agenda(store, run, question), subject)


def _one(request: Request, visit: Visit, agenda: ReviewQueue, subject: str, *, done: str = "") -> Response:
    found = review_cards.load_card(agenda, subject, visit.person.name, is_admin=visit.person.is_admin)
    return _show(request, visit, agenda, found, done=done)


def _show(
    request: Request, visit: Visit, agenda: ReviewQueue, found: review_cards.Card | None, *, done: str = ""
) -> Response:
    kept = _kept(request)
    return render(
        "card.html" if found else "done.html",
        request,
        visit,
        run=agenda.run,
        question=agenda.question,
        card=found,
        kind=kind_of(found.question) if found else None,
        waiting=agenda.waiting(visit.person.name, double=kept.get("double") == "1"),
        kept=kept,
        done=done,
    )


@router.post("/runs/{run}/{question}/cards/{subject}")
def decide(request: Request, run: str, question: str, subject: str, form: Form) -> Response:
    """Keep an answer, then show the next output."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    with visit.site.pool.lend() as store:
        agenda = _agenda(store, run, question)
        entry = agenda.entry(subject)
        asked = review_cards.question_in(agenda)
        text = kind_of(asked).read(form)
        receipt = form.get("id", "")[:100]
        done = review_cards.answer(
            agenda,
            subject,
            text,
            visit.person.name,
            note=form.get("note", ""),
            correction=form.get("correction", ""),
            receipt=f"{receipt}:{text}" if receipt else None,
        )
        said = f"Kept: {done.review.answer}."
        if request.headers.get("hx-request") == "true":
            return _next(request, visit, agenda, after=entry.position, done=said)
    onwards = address("runs", run, question, after=entry.position, **_kept(request))
    return RedirectResponse(onwards, status_code=303)


@router.get("/runs/{run}/{question}/cards/{subject}/rule")
def rule(request: Request, run: str, question: str, subject: str) -> Response:
    """A rule for an output: proposed, or tried out as it is written."""
    visit = _admin(visit_of(request))
    query = request.query_params
    with visit.site.pool.lend() as store:
        agenda = _agenda(store, run, question)
        found = review_cards.load_card(agenda, subject, visit.person.name, is_admin=True)
        draft = review_cards.draft_rule(
            agenda,
            found,
            pattern=query.get("pattern"),
            words=query.get("words", ""),
            verdict=query.get("kind"),
        )
    shown: dict[str, Any] = {"card": found, "draft": draft, "kept": _kept(request)}
    return render("rule.html", request, visit, run=agenda.run, question=agenda.question, **shown)


@router.post("/runs/{run}/{question}/cards/{subject}/rule")
def add_rule(request: Request, run: str, question: str, subject: str, form: Form) -> Response:
    """Write a rule into its suite, answer the output by it, and show the next one.

    What somebody sends who is no admin waits as a proposal.
    """
    visit = visit_that_changes(request, form.get("csrf", ""))
    if not visit.person.is_admin:
        return _propose(request, visit, run, question, subject, form)
    receipt = form.get("id", "")[:100]
    with visit.site.pool.lend() as store:
        agenda = _agenda(store, run, question)
        found = review_cards.load_card(agenda, subject, visit.person.name, is_admin=True)
        said = review_cards.add_rule(
            agenda,
            found,
            form.get("pattern", ""),
            visit.person.name,
            verdict=form.get("kind", ""),
            receipt=f"{receipt}:rule" if receipt else None,
        )
        note_deed(store, visit.person.name, said)
        if request.headers.get("hx-request") == "true":
            return _next(request, visit, agenda, after=found.entry.position, done=said)
    onwards = address("runs", run, question, after=found.entry.position, **_kept(request))
    return RedirectResponse(onwards, status_code=303)


def _propose(request: Request, visit: Visit, run: str, question: str, subject: str, form: Form) -> Response:
    with visit.site.pool.lend() as store:
        agenda = _agenda(store, run, question)
        found = review_cards.load_card(agenda, subject, visit.person.name)
        pattern, kind = form.get("pattern", "").strip()[:500], form.get("kind", "")
        if found.rulebook is None or not pattern or kind not in found.rule_answers:
            raise UsageError("Write an expression, and say what it is for.")
        content = {"item": found.subject.case_id, "output": found.subject.outputs[-1]}
        suite = PurePath(found.rulebook.path).stem
        propose(store, suite, {**content, "pattern": pattern, "answer": kind}, visit.person.name)
        return _one(request, visit, agenda, subject, done="Proposed: an admin will look at it.")


def _admin(visit: Visit) -> Visit:
    if not visit.person.is_admin:
        raise HTTPException(403, "Rules are written by admins.")
    return visit


@router.get("/browse/{run}/{question}")
def browse(request: Request, run: str, question: str) -> Response:
    """All outputs of a run, filtered and paged."""
    visit = visit_of(request)
    names: tuple[str, ...] = (
        _CHOICES if visit.person.is_admin else ("category", "phenomenon", "answer", "text")
    )
    if not visit.shows_systems:
        names = tuple(name for name in names if name != "system")
    choice = replace(_choice(request, names), whose="" if visit.person.is_admin else visit.person.name)
    page = max(_number(request, "page", 1), 1)
    with visit.site.pool.lend() as store:
        agenda = _agenda(store, run, question)
        asked = review_cards.question_in(agenda)
        total = agenda.count(choice)
        entries = agenda.page(choice, reviewer=visit.person.name, offset=(page - 1) * PAGE, limit=PAGE)
        systems = next((list(r.systems) for r in store.runs() if r.id == run), [])
        offers = {
            "category": agenda.values("category"),
            "phenomenon": agenda.values("phenomenon"),
            "verdict": agenda.values("found"),
            "system": systems,
            "reviewer": [entry.reviewer for entry in agenda.progress()],
            "answer": ["open", *(["disputed"] if visit.person.is_admin else []), *asked.keys.values()],
        }
    return render(
        "browse.html",
        request,
        visit,
        run=run,
        question=question,
        asked=asked,
        entries=entries,
        total=total,
        page=page,
        pages=max(-(-total // PAGE), 1),
        offers={name: values for name, values in offers.items() if name in names},
        chosen={name: getattr(choice, name) for name in names if getattr(choice, name)},
        hides=asked.is_blind and not visit.person.is_admin,
    )


def _agenda(store: Workspace, run: str, question: str) -> ReviewQueue:
    return review_cards.open_agenda(store, run, question)


def _kept(request: Request) -> dict[str, str]:
    return {key: request.query_params[key][:200] for key in _KEPT if request.query_params.get(key)}


def _choice(request: Request, names: tuple[str, ...]) -> AgendaChoice:
    return AgendaChoice(**{name: request.query_params.get(name, "")[:200].strip() for name in names})


def _number(request: Request, name: str, default: int) -> int:
    """A whole number in the query, within what SQLite can count."""
    text = request.query_params.get(name, "")
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) < 10
    return int(text) if is_number else default
