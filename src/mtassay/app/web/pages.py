"""The pages for people: home, browsing, rules for an output; all of them also work without scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app import review_cards
from mtassay.app.access import note_deed, recognise
from mtassay.app.plans.plan_runs import kept_gates
from mtassay.app.suite_writing import propose
from mtassay.app.web.campaign_pages import campaigns_of
from mtassay.app.web.card_pages import number_in, place_of, show
from mtassay.app.web.server import Preparer
from mtassay.app.web.visits import (
    Form,
    Site,
    Visit,
    address,
    admin_of,
    render,
    set_cookie,
    visit_of,
    visit_that_changes,
)
from mtassay.app.web.workspace_pages import saved_runs
from mtassay.data.errors import UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import Question, Run
from mtassay.data.questions import find_question
from mtassay.review.pending import asked_in
from mtassay.review.queue import QueueChoice, ReviewerPace, ReviewQueue, is_prepared
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)

PAGE = 50
"""Rows of a list."""
_CHOICES = ("category", "phenomenon", "system", "verdict", "answer", "reviewer", "text")


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
    """A run on the first page; without queues until these have been made."""

    run: Run
    title: str
    facts: str
    pair: str
    queues: list[QueueSummary]
    is_ready: bool


@router.get("/")
def home(request: Request) -> Response:
    """Show runs, the open outputs of each, and everybody's progress."""
    visit = visit_of(request)
    if visit.person.campaign:
        return RedirectResponse(address("campaigns"), status_code=303)
    preparer: Preparer = request.app.state.preparer
    with visit.site.pool.lend() as store:
        saved = saved_runs(store) if visit.person.is_admin else []
        gates = kept_gates(store) if saved else []
        runs = [_summary(store, run, visit) for run in store.runs() if asked_in(run)]
        campaigns = [entry for entry in campaigns_of(store, visit) if entry.left]
    for entry in runs:
        if not entry.is_ready:
            preparer.ask(entry.run.id)
    shown: dict[str, Any] = {"saved": saved, "gates": gates, "runs": runs, "campaigns": campaigns}
    return render("home.html", request, visit, problems=preparer.problems, **shown)


def _summary(store: Workspace, run: Run, visit: Visit) -> RunSummary:
    # They may show names and results of systems.
    view, is_told = view_of(run), visit.person.is_admin and visit.shows_systems
    title, facts = view.title(), view.facts() if is_told else ""
    pair = "-".join(filter(None, review_cards.languages(run)))
    if not is_prepared(store, run):
        return RunSummary(run, title, facts, pair, [], is_ready=False)
    queues = []
    for question in asked_in(run):
        run_queue = ReviewQueue(store, run.id, question.name)
        if not run_queue.total:
            continue
        queues.append(
            QueueSummary(
                question,
                run_queue.waiting(visit.person.name),
                run_queue.disputed(),
                run_queue.total,
                [e for e in run_queue.progress() if visit.person.is_admin or e.reviewer == visit.person.name],
            )
        )
    return RunSummary(run, title, facts, pair, queues, is_ready=True)


@router.get("/runs/{run}/{question}/agreement")
def agreement(request: Request, run: str, question: str) -> Response:
    """Show agreement of reviewers so far, a part of the first page that comes later, as it takes longer."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        found = review_cards.agreement_so_far(review_cards.open_queue(store, run, question))
    return render("agreement.html", request, visit, found=found, run=run, question=question)


@router.get("/enter/{secret}")
def enter(request: Request, secret: str) -> Response:
    """Open an invitation: the browser remembers it.

    A redirect from a link on another site would not carry the cookie, so a page continues by itself.
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
    """Forget this browser's identity."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    response = render("left.html", request, None)
    response.delete_cookie(visit.site.cookie, path="/", httponly=True, samesite="strict")
    return response


@router.get("/runs/{run}/{question}/cards/{subject}/rule")
def rule(request: Request, subject: str) -> Response:
    """Show a rule for an output: a proposal, or a trial while it is written."""
    visit = admin_of(visit_of(request))
    query = request.query_params
    with visit.site.pool.lend() as store:
        place = place_of(store, request, visit)
        found = place.cards.card(subject)
        draft = review_cards.draft_rule(
            store,
            found,
            pattern=query.get("pattern"),
            words=query.get("words", ""),
            verdict=query.get("kind"),
        )
    return render("rule.html", request, visit, card=found, draft=draft, place=place)


@router.post("/runs/{run}/{question}/cards/{subject}/rule")
def add_rule(request: Request, subject: str, form: Form) -> Response:
    """Write a rule into its suite, answer the output by it, and show the next one.

    A rule from somebody who is no admin waits as a proposal.
    """
    visit = visit_that_changes(request, form.get("csrf", ""))
    with visit.site.pool.lend() as store:
        place = place_of(store, request, visit)
        cards, found = place.cards, place.cards.card(subject)
        if not visit.person.is_admin:
            _propose(store, visit, found, form)
            return show(request, visit, place, found, done="Proposed: an admin will look at it.")
        receipt = form.get("id", "")[:100]
        said = review_cards.add_rule(
            cards,
            found,
            form.get("pattern", ""),
            verdict=form.get("kind", ""),
            receipt=f"{receipt}:rule" if receipt else None,
        )
        note_deed(store, visit.person.name, said)
        if request.headers.get("hx-request") == "true":
            following = place.behind(subject)
            return show(request, visit, following, following.cards.next(), done=said)
    return RedirectResponse(place.next(found), status_code=303)


def _propose(store: Workspace, visit: Visit, card: review_cards.Card, form: dict[str, str]) -> None:
    pattern, kind = form.get("pattern", "").strip()[:500], form.get("kind", "")
    if card.rulebook is None or not pattern or kind not in card.rule_answers:
        raise UsageError("Write an expression, and say what it is for.")
    content = {"item": card.subject.case_id, "output": card.subject.outputs[-1]}
    suite = PurePath(card.rulebook.path).stem
    propose(store, suite, {**content, "pattern": pattern, "answer": kind}, visit.person.name)


@router.get("/browse/{run}/{question}")
def browse(request: Request, run: str, question: str) -> Response:
    """Show all outputs of a run, filtered and paged."""
    visit = visit_of(request)
    told = _CHOICES if visit.person.is_admin else ("category", "phenomenon", "answer", "text")
    names = [name for name in told if visit.shows_systems or name != "system"]
    chosen = {name: request.query_params.get(name, "")[:200].strip() for name in names}
    choice = QueueChoice(**chosen, whose="" if visit.person.is_admin else visit.person.name)
    page = max(number_in(request, "page", 1), 1)
    with visit.site.pool.lend() as store:
        run_queue = review_cards.open_queue(store, run, question)
        asked = find_question(question)
        total = run_queue.count(choice)
        entries = run_queue.page(choice, reviewer=visit.person.name, offset=(page - 1) * PAGE, limit=PAGE)
        systems = next((list(r.systems) for r in store.runs() if r.id == run), [])
        offers = {
            "category": run_queue.values("category"),
            "phenomenon": run_queue.values("phenomenon"),
            "verdict": run_queue.values("found"),
            "system": systems,
            "reviewer": [entry.reviewer for entry in run_queue.progress()],
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
        chosen={name: value for name, value in chosen.items() if value},
        hides=asked.is_blind and not visit.person.is_admin,
    )
