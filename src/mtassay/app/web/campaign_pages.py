"""The pages of campaigns: a list, the progress of one, and a form for a new one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app import campaign_work as library
from mtassay.app.access import invitations, note_deed
from mtassay.app.campaign_progress import report
from mtassay.app.web.card_pages import campaign_of, may_see
from mtassay.app.web.visits import (
    Form,
    Visit,
    address,
    admin_of,
    offered_runs,
    render,
    visit_of,
    visit_that_changes,
)
from mtassay.data.errors import UsageError
from mtassay.review.campaign_store import AnswerCounts, CampaignStore
from mtassay.review.campaigns import Campaign
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """A campaign in the list: its progress, and what the visitor can do."""

    campaign: Campaign
    counts: AnswerCounts
    left: int
    adjudicates: bool


def campaigns_of(store: Workspace, visit: Visit) -> list[CampaignEntry]:
    """Return the campaigns that somebody may see, newest first."""
    shelf, who = CampaignStore(store), visit.person.name
    return [
        CampaignEntry(c, shelf.counts(c), shelf.left(c, who), who in c.adjudicators)
        for c in shelf.campaigns()
        if may_see(c, visit)
    ]


@router.get("/campaigns")
def overview(request: Request) -> Response:
    """Show all campaigns of the visitor, newest first."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        entries = campaigns_of(store, visit)
    return render("campaigns.html", request, visit, title="Campaigns", entries=entries)


# Making and ending ---------------------------------------------------------------------------------------


@router.get("/campaigns/new")
def blank(request: Request) -> Response:
    """Show the form for a new campaign."""
    return _new(request, admin_of(visit_of(request)), {}, "")


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
    """Create a campaign, and show its progress; after a mistake the form is shown again."""
    visit = admin_of(visit_that_changes(request, form.get("csrf", "")))
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
                side_by_side="side_by_side" in form,
                workspace=store,
            )
            note_deed(store, visit.person.name, f"made the campaign {campaign.name}")
    except UsageError as error:
        return _new(request, visit, form, str(error))
    return RedirectResponse(address("campaign", name=campaign.name), status_code=303)


def _whole(form: dict[str, str], field: str) -> int | None:
    """Read a number in a field; `None` for an empty one."""
    text = form.get(field, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise UsageError(f"'{text[:20]}' under {field} is no whole number.")
    return int(text)


@router.get("/campaign")
def standing(request: Request, name: str) -> Response:
    """Show the progress of a campaign and its agreement."""
    visit = visit_of(request)
    with visit.site.pool.lend() as store:
        campaign = campaign_of(store, visit, name)
        found = report(campaign.name, workspace=store)
        left = CampaignStore(store).left(campaign, visit.person.name)
        cards = library.cards(name, visit.person.name, adjudicates=True, workspace=store)
        to_settle = cards.left if visit.person.name in campaign.adjudicators else 0
    if not visit.person.is_admin:
        found = found.of_reviewer(visit.person.name)
    elif visit.person.name in campaign.reviewers and found.given < found.wanted:
        found = replace(found, checked=())  # knowing the results of checks could influence a reviewer
    return render(
        "campaign.html",
        request,
        visit,
        title=campaign.name,
        campaign=campaign,
        tables=found.tables(),
        found=found,
        left=left,
        to_settle=to_settle,
    )


@router.post("/campaign/people")
def change_people(request: Request, name: str, form: Form) -> Response:
    """Let other people answer from now on."""
    visit = admin_of(visit_that_changes(request, form.get("csrf", "")))
    people = {key: form.get(key, "") for key in ("reviewers", "adjudicators")}
    with visit.site.pool.lend() as store:
        changed = library.change_people(campaign_of(store, visit, name).name, **people, workspace=store)
        note_deed(store, visit.person.name, f"changed who answers {name}: {', '.join(changed.active)}")
    return RedirectResponse(address("campaign", name=name), status_code=303)


@router.post("/campaign/close")
def close(request: Request, name: str, form: Form) -> Response:
    """End a campaign."""
    visit = admin_of(visit_that_changes(request, form.get("csrf", "")))
    with visit.site.pool.lend() as store:
        library.close(campaign_of(store, visit, name).name, workspace=store)
        note_deed(store, visit.person.name, f"closed the campaign {name}")
    return RedirectResponse(address("campaign", name=name), status_code=303)
