"""The workspace, for admins: saved runs with reports and history, and invitations."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, Response

from mtassay.app import access, review_cards
from mtassay.app import history as app_history
from mtassay.app.page.contents import Page
from mtassay.app.page.page_html import page_policy, render_page
from mtassay.app.reports import report_page
from mtassay.app.web.visits import Form, Visit, admin_of, render, set_cookie, visit_of, visit_that_changes
from mtassay.changes.change_tables import history_figures, history_tables
from mtassay.data.display import Figure, Table
from mtassay.data.errors import UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import Run
from mtassay.review.campaign_store import CampaignStore, sealed
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)

Runs = Annotated[list[str], Query(alias="run", max_length=50)]


class SavedRun(NamedTuple):
    """A saved run in the list: its subject, the language pair, and the groups of its scores."""

    run: Run
    title: str
    pair: str
    domains: str


def saved_runs(store: Workspace) -> list[SavedRun]:
    """Show all saved runs, newest first."""
    found = []
    for run in store.runs():
        view, by = view_of(run), run.parameters.get("by")
        groups = dict.fromkeys(s.group for s in run.result.scores if s.group not in ("all", "")) if by else ()
        pair = "-".join(filter(None, review_cards.languages(run)))
        found.append(SavedRun(run, view.test_set(), pair, ", ".join(groups)))
    return found


@router.get("/report")
def report(request: Request, run: Runs, against: str = "", rules: str = "", themes: bool = False) -> Response:
    """Show the report of these runs, as `mtassay report` writes it."""
    visit = _unsealed(visit_of(request))
    page = report_page(
        run,
        against=against or None,
        rules=[line for line in map(str.strip, rules.splitlines()) if line],
        themes=themes,
        workspace=visit.site.path,
    )
    return _served(page)


@router.get("/history")
def history(request: Request, run: str) -> Response:
    """Show how each system of a run developed over all its saved runs."""
    visit = _unsealed(visit_of(request))
    systems = app_history.load_run(run, workspace=visit.site.path).systems
    parts: list[Figure | Table] = []
    for system in systems:
        found = app_history.history(system, workspace=visit.site.path)
        parts += history_figures(found)
        parts += [replace(table, title=f"{system}: {table.title}") for table in history_tables(found)]
    return _served(Page(", ".join(systems), (), history=parts))


def _unsealed(visit: Visit) -> Visit:
    """Return an admin who may see other people's answers."""
    admin_of(visit)
    with visit.site.pool.lend() as store:
        if any(visit.person.name in names for names in sealed(store).values()):
            raise HTTPException(403, "Reports contain the answers of others in an open campaign of yours.")
    return visit


def _served(page: Page) -> Response:
    policy = f"{page_policy()}; frame-ancestors 'none'"
    return HTMLResponse(render_page(page, home="/"), headers={"content-security-policy": policy})


# People ------------------------------------------------------------------------------------------------


@router.get("/people")
def people(request: Request) -> Response:
    """Show who is invited, and a form to invite somebody."""
    return _people(request, admin_of(visit_of(request)))


def _people(request: Request, visit: Visit, *, problem: str = "", **shown: str) -> HTMLResponse:
    with visit.site.pool.lend() as store:
        invited, campaigns = access.invitations(workspace=store), CampaignStore(store).campaigns()
        journal = access.journal(workspace=store)[:-51:-1]
    return render(
        "people.html",
        request,
        visit,
        title="People",
        status=400 if problem else 200,
        invited=invited,
        campaigns=[campaign.name for campaign in campaigns],
        journal=journal,
        problem=problem,
        **{"link": "", "name": "", "own": "", "done": "", **shown},
    )


@router.post("/people")
def change_people(request: Request, form: Form) -> Response:
    """Invite somebody, or take an invitation back.

    Before the first invitation, the local person is invited as well, to keep access.
    """
    visit = admin_of(visit_that_changes(request, form.get("csrf", "")))
    name, path = form.get("name", "").strip(), visit.site.path
    own = ""
    try:
        if form.get("act") == "revoke":
            if name == visit.person.name:
                raise UsageError("Another admin must cancel your invitation.")
            access.revoke(name, workspace=path)
            return _people(request, visit, done=f"{name} can no longer open the page. Their answers stay.")
        if name == visit.person.name:
            raise UsageError("That is you. Invite others.")
        chosen = {"admin": form.get("role") == "admin", "campaign": form.get("campaign", "")}
        secret = access.invite(name, **chosen, workspace=path)  # type: ignore[arg-type]
        if visit.is_local:
            own = access.invite(visit.person.name, admin=True, workspace=path)
            visit = replace(visit, secret=own)
    except UsageError as error:
        return _people(request, visit, problem=str(error))
    enter = f"{request.base_url}enter/"
    response = _people(request, visit, name=name, link=enter + secret, own=own and enter + own)
    if own:
        set_cookie(visit.site, request, response, own)
    return response
