"""What is in the workspace, for admins: saved runs, their report, what gates say, how systems developed."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, NamedTuple

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, Response

from mtassay.app import history as app_history
from mtassay.app import review_cards
from mtassay.app.page.contents import Page
from mtassay.app.page.page_html import page_policy, render_page
from mtassay.app.reports import report_page
from mtassay.app.web.visits import Visit, visit_of
from mtassay.changes.change_tables import history_figures, history_tables
from mtassay.data.display import Figure, Table
from mtassay.data.method import view_of
from mtassay.data.nouns import Run
from mtassay.review.campaign_store import sealed
from mtassay.runtime.workspace import Workspace

router = APIRouter(include_in_schema=False)

Runs = Annotated[list[str], Query(alias="run", max_length=50)]


class SavedRun(NamedTuple):
    """A saved run in the list: what was tested, the language pair, and what its scores are split by."""

    run: Run
    title: str
    pair: str
    domains: str


def saved_runs(store: Workspace) -> list[SavedRun]:
    """All saved runs, the newest first."""
    found = []
    for run in store.runs():
        view, by = view_of(run), run.parameters.get("by")
        groups = dict.fromkeys(s.group for s in run.result.scores if s.group not in ("all", "")) if by else ()
        pair = "-".join(filter(None, review_cards.languages(run)))
        found.append(SavedRun(run, view.test_set(), pair, ", ".join(groups)))
    return found


@router.get("/report")
def report(request: Request, run: Runs, against: str = "", rules: str = "", themes: bool = False) -> Response:
    """The report of these runs, as `mtassay report` writes it."""
    visit = _admin(visit_of(request))
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
    """How each system of a run developed over all its saved runs."""
    visit = _admin(visit_of(request))
    systems = app_history.load_run(run, workspace=visit.site.path).systems
    parts: list[Figure | Table] = []
    for system in systems:
        found = app_history.history(system, workspace=visit.site.path)
        parts += history_figures(found)
        parts += [replace(table, title=f"{system}: {table.title}") for table in history_tables(found)]
    return _served(Page(", ".join(systems), (), history=parts))


def _admin(visit: Visit) -> Visit:
    if not visit.person.is_admin:
        raise HTTPException(403, "Reports name systems beside their outputs: they are for admins.")
    with visit.site.pool.lend() as store:
        if any(visit.person.name in names for names in sealed(store).values()):
            raise HTTPException(403, "Reports hold what others answered in an open campaign of yours.")
    return visit


def _served(page: Page) -> Response:
    policy = f"{page_policy()}; frame-ancestors 'none'"
    return HTMLResponse(render_page(page, home="/"), headers={"content-security-policy": policy})
