"""The pages of suites: files of the folder, their items with who approved them, and what is proposed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app import suite_writing
from mtassay.app.access import note_deed
from mtassay.app.web.visits import Visit, address, read_form, render, visit_of, visit_that_changes
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Suite
from mtassay.review.queue import AbsentError

router = APIRouter(include_in_schema=False)

Form = Annotated[dict[str, str], Depends(read_form)]
FIELDS = {
    "category": "category, as Negation",
    "phenomenon": "phenomenon, as Scope of a negation",
    "source": "source: the sentence that systems translate",
    "focus": "focus: words of the source that carry the phenomenon, one a line",
    "references": "right translations, one a line",
    "positive": "expressions: an output with one of these is correct, one a line",
    "negative": "expressions: an output with one of these is incorrect, one a line",
    "right": "example outputs that are correct, one a line",
    "wrong": "example outputs that are incorrect, one a line",
    "context": "sentences before the source, one a line",
    "note": "note for readers",
}
"""What the form for an item asks."""


def _folder(visit: Visit) -> Path:
    return suite_writing.folder_of(visit.site.path)


def _suite(visit: Visit, name: str) -> tuple[Path, Suite]:
    suite = suite_writing.suites_in(_folder(visit)).get(name)
    if suite is None:
        raise AbsentError(f"There is no suite '{name[:60]}' here.")
    return _folder(visit) / f"{name}.yaml", suite


def _editor(visit: Visit) -> Visit:
    if not visit.person.is_admin:
        raise UsageError("Suites are changed by admins; what you propose waits for them.")
    return visit


@router.get("/suites")
def overview(request: Request) -> Response:
    """The suites of the folder, a form to begin one, and what is proposed."""
    return _overview(request, visit_of(request))


def _overview(request: Request, visit: Visit, *, problem: str = "", done: str = "") -> Response:
    with visit.site.pool.lend() as store:
        waiting = suite_writing.proposals(store)
        trials: dict[int, Any] = {}
        for proposal in waiting if visit.person.is_admin else ():
            if proposal.is_rule:
                try:
                    path, _ = _suite(visit, proposal.suite)
                    trials[proposal.number] = suite_writing.trial_of(store, path, proposal)
                except UsageError as error:
                    trials[proposal.number] = str(error)
    mine = [each for each in waiting if visit.person.is_admin or each.person == visit.person.name]
    return render(
        "suites.html",
        request,
        visit,
        title="Suites",
        status=400 if problem else 200,
        suites=suite_writing.suites_in(_folder(visit)),
        waiting=mine,
        trials=trials,
        problem=problem,
        done=done,
    )


@router.post("/suites")
def create(request: Request, form: Form) -> Response:
    """Begin a suite."""
    visit = _editor(visit_that_changes(request, form.get("csrf", "")))
    name = form.get("name", "").strip()
    try:
        suite_writing.new_suite(_folder(visit), name, form.get("langpair", "").strip())
    except UsageError as error:
        return _overview(request, visit, problem=str(error))
    _note(visit, f"began the suite {name}")
    return RedirectResponse(address("suites", name), status_code=303)


@router.get("/suites/{name}")
def one(request: Request, name: str) -> Response:
    """The items of a suite, and a form for a new one."""
    return _one(request, visit_of(request), name)


def _one(
    request: Request,
    visit: Visit,
    name: str,
    *,
    form: dict[str, str] | None = None,
    problem: str = "",
    done: str = "",
) -> Response:
    _, suite = _suite(visit, name)
    return render(
        "suite.html",
        request,
        visit,
        title=name,
        status=400 if problem else 200,
        name=name,
        suite=suite,
        fields=FIELDS,
        form=form or {},
        problem=problem,
        done=done,
    )


@router.post("/suites/{name}/items")
def add(request: Request, name: str, form: Form) -> Response:
    """Put an item into the file, or keep it as a proposal of who is no admin."""
    visit = visit_that_changes(request, form.get("csrf", ""))
    path, _ = _suite(visit, name)
    fields = {key: form.get(key, "") for key in FIELDS}
    try:
        if visit.person.is_admin:
            done = " ".join(suite_writing.add_item(path, fields, visit.person.name))
            _note(visit, f"{name}: {done}")
        else:
            if not all(fields[key].strip() for key in ("category", "phenomenon", "source")):
                raise UsageError("An item needs a category, a phenomenon and a source.")
            with visit.site.pool.lend() as store:
                suite_writing.propose(store, name, fields, visit.person.name)
            done = "Proposed: an admin will look at it."
    except UsageError as error:
        return _one(request, visit, name, form=form, problem=str(error))
    kept = {key: fields[key] for key in ("category", "phenomenon")}
    return _one(request, visit, name, form=kept, done=done)


@router.post("/suites/{name}/change")
def change(request: Request, name: str, form: Form) -> Response:
    """Change the texts of an item, or approve it as a second person."""
    visit = _editor(visit_that_changes(request, form.get("csrf", "")))
    path, _ = _suite(visit, name)
    item = form.get("item", "")
    try:
        if form.get("act") == "approve":
            suite_writing.approve(path, [item], by=visit.person.name)
            done = f"Approved {item}."
        else:
            suite_writing.change_item(path, item, form)
            done = f"Changed {item}."
    except UsageError as error:
        return _one(request, visit, name, problem=str(error))
    _note(visit, f"{name}: {done}")
    return _one(request, visit, name, done=done)


@router.post("/proposals/{number}")
def settle(request: Request, number: int, form: Form) -> Response:
    """Accept a proposal, or decline it."""
    visit = _editor(visit_that_changes(request, form.get("csrf", "")))
    try:
        with visit.site.pool.lend() as store:
            done = suite_writing.settle(
                store,
                _folder(visit),
                number,
                accept=form.get("act") == "accept",
                editor=visit.person.name,
            )
    except UsageError as error:
        return _overview(request, visit, problem=str(error))
    _note(visit, f"proposal {number}: {done}")
    return _overview(request, visit, done=done)


def _note(visit: Visit, deed: str) -> None:
    with visit.site.pool.lend() as store:
        note_deed(store, visit.person.name, deed)
