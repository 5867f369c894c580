"""The pages of campaigns: a list, one's own queue, disputes, how it goes, and a form for a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app import campaign_work as library
from mtassay.app.access import invitations, note_deed
from mtassay.app.campaign_progress import report
from mtassay.app.web.visits import (
    Visit,
    address,
    kind_of,
    offered_runs,
    read_form,
    render,
    visit_of,
    visit_that_changes,
)
from mtassay.data.errors import UsageError
from mtassay.data.questions import find_question
from mtassay.data.subjects import told_answer
from mtassay.review.campaign_store import AnswerCounts, CampaignStore
from mtassay.review.campaigns import Campaign
from mtassay.review.queue import AbsentError
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(read_form)]
_MOST_SKIPPED = 100
_LONGEST_NOTE = 2000  # characters


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """A campaign in the list: how far it is, and what anyone who asks can do."""

    campaign: Campaign
    counts: AnswerCounts
    left: int
    adjudicates: bool


def _admin(visit: Visit) -> Visit:
    if not visit.person.is_admin:
        raise HTTPException(403, "Campaigns are made and closed by admins.")
    return visit


def _may_see(campaign: Campaign, visit: Visit) -> bool:
    if visit.person.campaign not in ("", campaign.name):
        return False
    return visit.person.is_admin or visit.person.name in (*campaign.reviewers, *campaign.adjudicators)


def _campaign(store: Workspace, visit: Visit, name: str) -> Campaign:
    """The campaign of exactly this name; 404 for one that is not theirs, too."""
    for campaign in CampaignStore(store).campaigns():
        if campaign.name == name and _may_see(campaign, visit):
            return campaign
    raise AbsentError(f"There is no campaign '{name[:80]}' of yours.")


def campaigns_of(store: Workspace, visit: Visit) -> list[CampaignEntry]:
    """The campaigns that somebody may see, the newest first."""
    shelf, who = CampaignStore(store), visit.person.name
    return [
        CampaignEntry(c, shelf.counts(c), shelf.left(c, who), who in c.adjudicators)
        for c in shelf.campaigns()
        if _may_see(c, visit)
    ]


@router.get("/campaigns")
def overview(request: Request) -> Response:
    """All campaigns of anyone who asks, the newest first."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        entries = campaigns_of(store, visit)
    return render("campaigns.html", request, visit, title="Campaigns", entries=entries)


# Making and ending ---------------------------------------------------------------------------------------


@router.get("/campaigns/new")
def blank(request: Request) -> Response:
    """The form for a new campaign."""
    return _new(request, _admin(visit_of(request)), {}, "")


def _new(request: Request, visit: Visit, form: dict[str, str], problem: str) -> Response:
    with visit.site.pool.lend() as store:
        heads = store.runs()
        invited = [entry.person.name for entry in invitations(workspace=store.path)]
    return render(
        "campaign_new.html",
        request,
        visit,
        title="New campaign",
        status=400 if problem else 200,
        **offered_runs(heads),
        form={"reviewers": ", ".join(invited or [visit.person.name]), **form},
        problem=problem,
    )


@router.post("/campaigns")
def create(request: Request, form: Form) -> Response:
    """Make a campaign, and show how it goes; with a mistake in it the form comes again."""
    visit = _admin(visit_that_changes(request, form.get("csrf", "")))
    try:
        with visit.site.pool.lend() as store:
            campaign = library.create(
                form.get("name", ""),
                form.get("run", "last") or "last",
                reviewers=form.get("reviewers", ""),
                question=form.get("question") or None,
                adjudicators=form.get("adjudicators", ""),
                overlap=None if (share := _whole(form, "overlap")) is None else share / 100,
                raters=_whole(form, "raters") or 2,
                sample=_whole(form, "sample"),
                settled=_whole(form, "settled") or 0,
                attention=(_whole(form, "attention") or 0) / 100,
                calibration=_whole(form, "calibration") or 0,
                exclude_below=(_whole(form, "exclude_below") or 0) / 100,
                exclude_faster=_whole(form, "exclude_faster") or 0,
                workspace=store,
            )
            note_deed(store, visit.person.name, f"made the campaign {campaign.name}")
    except UsageError as error:
        return _new(request, visit, form, str(error))
    return RedirectResponse(address("campaign", name=campaign.name), status_code=303)


def _whole(form: dict[str, str], field: str) -> int | None:
    """A number in a field; `None` for an empty one."""
    text = form.get(field, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise UsageError(f"'{text[:20]}' under {field} is no whole number.")
    return int(text)


@router.get("/campaign")
def standing(request: Request, name: str) -> Response:
    """How a campaign goes: progress and agreement."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        campaign = _campaign(store, visit, name)
        found = report(campaign.name, workspace=store)
        left = CampaignStore(store).left(campaign, visit.person.name)
    if not visit.person.is_admin:
        found = found.of_reviewer(visit.person.name)
    elif visit.person.name in campaign.reviewers and found.given < found.wanted:
        found = replace(found, checked=())  # who knows how the checks go could be swayed
    return render(
        "campaign.html",
        request,
        visit,
        title=campaign.name,
        campaign=campaign,
        tables=found.tables(),
        found=found,
        left=left,
    )


@router.post("/campaign/close")
def close(request: Request, name: str, form: Form) -> Response:
    """End a campaign."""
    visit = _admin(visit_that_changes(request, form.get("csrf", "")))
    with visit.site.pool.lend() as store:
        library.close(_campaign(store, visit, name).name, workspace=store)
        note_deed(store, visit.person.name, f"closed the campaign {name}")
    return RedirectResponse(address("campaign", name=name), status_code=303)


# Answering -----------------------------------------------------------------------------------------------


@router.get("/campaign/next")
def queue(request: Request, name: str, last: str = "") -> Response:
    """What anyone who asks should look at next, with what became of their last answer."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return _next(request, visit, store, _campaign(store, visit, name), last=last)


def _next(request: Request, visit: Visit, store: Workspace, campaign: Campaign, *, last: str) -> Response:
    who, skipped = visit.person.name, _skipped(request)
    found = library.next_card(campaign.name, who, skip=skipped, workspace=store)
    before = library.load_card(campaign.name, last, who, workspace=store) if last else None
    said = f"Kept: {_told(before)}." if before and before.mine else ""
    return _show(request, visit, store, campaign, found, before=before, said=said)


def _told(card: library.CampaignCard) -> str:
    """What a person said, as people read it."""
    return told_answer(card.question, card.mine.answer, card.subject)[:200] if card.mine else ""


def _skipped(request: Request) -> list[str]:
    return [name for name in request.query_params.get("skip", "").split(",") if name][-_MOST_SKIPPED:]


def _show(
    request: Request,
    visit: Visit,
    store: Workspace,
    campaign: Campaign,
    found: library.CampaignCard | None,
    *,
    before: library.CampaignCard | None = None,
    said: str = "",
    adjudicates: bool = False,
) -> Response:
    """A card, or that there is none."""
    shelf = CampaignStore(store)
    skipped = _skipped(request)
    values: dict[str, Any] = {
        "campaign": campaign,
        "skipped": skipped,
        "left": shelf.left(campaign, visit.person.name),
        "before": before,
        "before_told": _told(before) if before else "",
        "said": said,
        "adjudicates": adjudicates,
        "title": campaign.name,
    }
    if found is None:
        return render("campaign_done.html", request, visit, **values)
    told = {
        name: (told_answer(found.question, review.answer, found.subject), review.note)
        for name, review in sorted(found.answers.items())
    }
    return render(
        "campaign_card.html",
        request,
        visit,
        card=found,
        kind=kind_of(found.question),
        told=told,
        skip=",".join([*skipped, found.subject.id][-_MOST_SKIPPED:]),
        **values,
    )


@router.get("/campaign/back")
def back(request: Request, name: str, before: str = "") -> Response:
    """What this person answered last, or before another one, to answer it again."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        campaign = _campaign(store, visit, name)
        subject = library.latest_subject(name, visit.person.name, before=before, workspace=store)
        if subject is None:
            found = library.next_card(name, visit.person.name, workspace=store)
            return _show(request, visit, store, campaign, found, said="There is nothing before this one.")
        found = library.load_card(name, subject, visit.person.name, workspace=store)
        return _show(request, visit, store, campaign, found)


@router.get("/campaign/card")
def one(request: Request, name: str, subject: str) -> Response:
    """One output of the campaign that this person has answered."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        campaign = _campaign(store, visit, name)
        found = library.load_card(name, subject, visit.person.name, workspace=store)
        return _show(request, visit, store, campaign, found)


@router.post("/campaign/card")
def answer(request: Request, name: str, subject: str, form: Form) -> Response:
    """Keep an answer, then show the next output."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    with visit.site.pool.lend() as store:
        campaign = _campaign(store, visit, name)
        _keep(library.answer, store, campaign, subject, form, visit)
        if request.headers.get("hx-request") == "true":
            return _next(request, visit, store, campaign, last=subject)
    where = address("campaign", "next", name=name, last=subject, skip=",".join(_skipped(request)))
    return RedirectResponse(where, status_code=303)


def _keep(
    how: Callable[..., library.CampaignAnswer],
    store: Workspace,
    campaign: Campaign,
    subject: str,
    form: dict[str, str],
    visit: Visit,
) -> library.CampaignAnswer:
    """Answer as a reviewer, or as an adjudicator; what was sent before is kept once."""
    question = find_question(campaign.question)
    text, receipt = kind_of(question).read(form), form.get("id", "")[:100]
    return how(
        campaign.name,
        subject,
        text,
        visit.person.name,
        note=form.get("note", "")[:_LONGEST_NOTE],
        receipt=f"{receipt}:{text}" if receipt else None,
        workspace=store,
    )


@router.get("/campaign/disputes")
def disputes(request: Request, name: str) -> Response:
    """What reviewers see differently, for an adjudicator to settle."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        return _dispute(request, visit, store, _campaign(store, visit, name))


def _dispute(
    request: Request, visit: Visit, store: Workspace, campaign: Campaign, *, said: str = ""
) -> Response:
    skipped = _skipped(request)
    found = library.next_dispute(campaign.name, visit.person.name, skip=skipped, workspace=store)
    return _show(request, visit, store, campaign, found, said=said, adjudicates=True)


@router.post("/campaign/disputes")
def settle(request: Request, name: str, subject: str, form: Form) -> Response:
    """Keep what an adjudicator says, then show the next dispute."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    with visit.site.pool.lend() as store:
        campaign = _campaign(store, visit, name)
        kept = _keep(library.adjudicate, store, campaign, subject, form, visit)
        if request.headers.get("hx-request") == "true":
            told = told_answer(kept.question, kept.review.answer, kept.subject)[:200]
            return _dispute(request, visit, store, campaign, said=f"Settled: {told}.")
    where = address("campaign", "disputes", name=name, skip=",".join(_skipped(request)))
    return RedirectResponse(where, status_code=303)
