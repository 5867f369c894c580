"""The pages on which people answer: the queue of a run, of a campaign, and of its disputes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app.campaign_work import CampaignCards
from mtassay.app.review_cards import Card, RunCards, open_queue
from mtassay.app.web.visits import (
    Form,
    Visit,
    address,
    kind_of,
    render,
    visit_of,
    visit_that_changes,
)
from mtassay.data.subjects import told_answer
from mtassay.review.campaign_store import CampaignStore
from mtassay.review.campaigns import Campaign
from mtassay.review.queue import AbsentError, QueueChoice
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)

_KEPT = ("category", "phenomenon", "double")
"""Parts of a queue's address that stay the same from card to card."""
_MOST_SKIPPED = 100
_LONGEST_NOTE = 2000  # characters


@dataclass(frozen=True)
class Place:
    """Where a person's cards are: the question, and the addresses of the pages.

    `kept` stays in the addresses from card to card.
    """

    cards: RunCards | CampaignCards
    next_parts: tuple[str, ...]
    parts: tuple[str, ...]
    kept: dict[str, str]

    def next(self, past: Card | None = None, *, last: str = "") -> str:
        """The address of the next card; `past` is one to leave for later, `last` one that was answered."""
        onwards = self.behind(past.subject.id) if past else self
        after = onwards.cards.after if isinstance(onwards.cards, RunCards) else -1
        return address(*self.next_parts, **onwards.kept, last=last, after=after if after >= 0 else "")

    def behind(self, subject: str) -> Place:
        """Return the place after this card; in a campaign, without it."""
        if isinstance(self.cards, RunCards):
            return replace(self, cards=self.cards.behind(subject))
        skip = ",".join([*self.cards.skip, subject][-_MOST_SKIPPED:])
        return replace(self, kept={**self.kept, "skip": skip})

    def card(self, subject: str, *more: str) -> str:
        """Return the address of one card, to see and to answer it, or with `more` of its parts."""
        if isinstance(self.cards, RunCards):
            return address(*self.parts, "cards", subject, *more, **self.kept)
        return address(*self.parts, subject=subject, **self.kept)

    def back(self, before: str = "") -> str:
        """Return the address of the last answer, or the last before this."""
        parts = self.parts if isinstance(self.cards, RunCards) else self.parts[:1]
        return address(*parts, "back", before=before, **self.kept)


def place_of(store: Workspace, request: Request, visit: Visit) -> Place:
    """Return the queue of a run, of a campaign, or of its disputes, by the address."""
    query, path, who = request.query_params, request.path_params, visit.person.name
    if "run" not in path:
        adjudicates = request.url.path == "/campaign/disputes"
        skip = [part for part in query.get("skip", "").split(",") if part][-_MOST_SKIPPED:]
        campaign = campaign_of(store, visit, query.get("name", ""))
        cards = CampaignCards(store=store, who=who, campaign=campaign, skip=skip, adjudicates=adjudicates)
        steps = ("disputes", "disputes") if adjudicates else ("next", "card")
        kept = {"name": campaign.name, "skip": ",".join(skip)}
        return Place(cards, ("campaign", steps[0]), ("campaign", steps[1]), kept)
    kept = {key: query[key][:200] for key in _KEPT if query.get(key)}
    after, parts = number_in(request, "after", -1), ("runs", path["run"], path["question"])
    run_queue = open_queue(store, *parts[1:])
    choice = QueueChoice(*(query.get(key, "")[:200].strip() for key in _KEPT[:2]))
    of_run = RunCards(
        store=store,
        who=who,
        run_queue=run_queue,
        is_admin=visit.person.is_admin,
        after=after,
        choice=choice,
        double=kept.get("double") == "1",
    )
    return Place(of_run, parts, parts, kept)


def may_see(campaign: Campaign, visit: Visit) -> bool:
    """Whether somebody belongs to a campaign, or is an admin."""
    if visit.person.campaign not in ("", campaign.name):
        return False
    return visit.person.is_admin or visit.person.name in (*campaign.reviewers, *campaign.adjudicators)


def campaign_of(store: Workspace, visit: Visit, name: str) -> Campaign:
    """Return the campaign of exactly this name; 404 also for one that the visitor does not belong to."""
    for campaign in CampaignStore(store).campaigns():
        if campaign.name == name and may_see(campaign, visit):
            return campaign
    raise AbsentError(f"There is no campaign '{name[:80]}' of yours.")


def number_in(request: Request, name: str, default: int) -> int:
    """Read a whole number in the query, within SQLite's range."""
    text = request.query_params.get(name, "")
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) < 10
    return int(text) if is_number else default


# Showing and keeping -------------------------------------------------------------------------------------


def show(
    request: Request,
    visit: Visit,
    place: Place,
    card: Card | None,
    *,
    before: Card | None = None,
    done: str = "",
) -> Response:
    """Show a card, or that nothing waits; `before` was answered last, `done` is the result of that."""
    cards = place.cards
    campaign = getattr(cards, "campaign", None)
    values: dict[str, Any] = {
        "place": place,
        "cards": cards,
        "campaign": campaign,
        "before": before,
        "done": done,
        "title": campaign.name if campaign else "",
    }
    if card is None:
        return render("campaign_done.html" if campaign else "done.html", request, visit, **values)
    return render("card.html", request, visit, card=card, kind=kind_of(card.question), **values)


def _go_on(request: Request, visit: Visit, place: Place, *, last: str = "", done: str = "") -> Response:
    """Show the next card, with the result of the last answer."""
    before = place.cards.card(last) if last and isinstance(place.cards, CampaignCards) else None
    if before and before.mine and not done:
        done = f"Kept: {told_answer(before.question, before.mine.answer, before.subject)[:200]}."
    return show(request, visit, place, place.cards.next(), before=before, done=done)


@router.get("/runs/{run}/{question}")
@router.get("/campaign/next")
@router.get("/campaign/disputes")
def next_card(request: Request, last: str = "") -> Response:
    """Show the visitor's next card, with the result of their last answer."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return _go_on(request, visit, place_of(store, request, visit), last=last)


@router.get("/runs/{run}/{question}/back")
@router.get("/campaign/back")
def back(request: Request, before: str = "") -> Response:
    """Show the card that this person answered last, or before another one, to answer it again."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        place = place_of(store, request, visit)
        subject = place.cards.latest(before)
        if subject is None:
            return show(request, visit, place, place.cards.next(), done="There is nothing before this one.")
        return show(request, visit, place, place.cards.card(subject))


@router.get("/runs/{run}/{question}/cards/{subject}")
@router.get("/campaign/card")
def one(request: Request, subject: str) -> Response:
    """Show one output of a run, open or not, or of a campaign."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        place = place_of(store, request, visit)
        return show(request, visit, place, place.cards.card(subject))


@router.post("/runs/{run}/{question}/cards/{subject}")
@router.post("/campaign/card")
@router.post("/campaign/disputes")
def answer(request: Request, subject: str, form: Form) -> Response:
    """Keep an answer, then show the next card; a repeated answer is kept once."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    with visit.site.pool.lend() as store:
        place = place_of(store, request, visit)
        cards = place.cards
        text, receipt = kind_of(cards.question).read(form), form.get("id", "")[:100]
        kept = cards.answer(
            subject,
            text,
            note=form.get("note", "")[:_LONGEST_NOTE],
            correction=form.get("correction", ""),
            receipt=f"{receipt}:{text}" if receipt else None,
        )
        last = "" if cards.adjudicates or isinstance(cards, RunCards) else subject
        onwards = place.behind(subject) if isinstance(cards, RunCards) else place
        if request.headers.get("hx-request") != "true":
            return RedirectResponse(onwards.next(last=last), status_code=303)
        told = told_answer(kept.question, kept.review.answer, kept.subject)[:200]
        done = f"{'Settled' if cards.adjudicates else 'Kept'}: {told}."
        return _go_on(request, visit, onwards, last=last, done=done)
