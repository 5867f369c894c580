"""The pages of suites: files of the folder, their items with the approvers' names, and proposals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from mtassay.app import suite_writing
from mtassay.app.access import note_deed
from mtassay.app.web.visits import Form, Visit, address, render, visit_of, visit_that_changes
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Suite
from mtassay.review.queue import AbsentError

router = APIRouter(include_in_schema=False)

FIELDS = {
    "category": ("Category", "Negation"),
    "phenomenon": ("Phenomenon", "Scope of a negation"),
    "source": ("Source: the sentence that systems translate", "Not everybody came."),
    "focus": ("Focus: the words of it that the item is about", "Not everybody"),
    "references": ("Right translations", "Nem todos vieram."),
    "positive": ("An output is correct if it contains", "nem todos"),
    "negative": ("An output is incorrect if it contains", "ninguém|nenhum"),
    "right": ("Example outputs that are correct", "Nem toda a gente veio."),
    "wrong": ("Example outputs that are incorrect", "Ninguém veio."),
    "context": ("Sentences before the source", ""),
    "note": ("Note for readers", ""),
}
"""The fields of an item's form, each with an example."""


def _folder(visit: Visit) -> Path:
    return suite_writing.folder_of(visit.site.path)


def _suite(visit: Visit, name: str) -> tuple[Path, Suite]:
    suite = suite_writing.suites_in(_folder(visit)).get(name)
    if suite is None:
        raise AbsentError(f"There is no suite '{name[:60]}' here.")
    return _folder(visit) / f"{name}.yaml", suite


def _editor(visit: Visit) -> Visit:
    if not visit.person.is_admin:
        raise UsageError("Only admins change suites. Your proposal waits for them.")
    return visit


@router.get("/suites")
def overview(request: Request) -> Response:
    """Show the suites of the folder, a form to begin one, and proposals."""
    return _overview(request, visit_of(request))


def _overview(
    request: Request, visit: Visit, *, form: dict[str, str] | None = None, problem: str = "", done: str = ""
) -> Response:
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
        form=form or {},
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
        return _overview(request, visit, form=form, problem=str(error))
    _note(visit, f"began the suite {name}")
    return RedirectResponse(address("suites", name), status_code=303)


@router.get("/suites/{name}")
def one(request: Request, name: str, item: str = "") -> Response:
    """Show the items of a suite with a form for a new one, or a form for one of them."""
    visit = visit_of(request)
    return _one(request, _editor(visit) if item else visit, name, item)


def _one(
    request: Request,
    visit: Visit,
    name: str,
    item: str = "",
    *,
    form: dict[str, str] | None = None,
    problem: str = "",
    done: str = "",
) -> Response:
    """Show the fields of a `form`, if given, instead of those in the file."""
    path, suite = _suite(visit, name)
    chosen = suite_writing.item_of(path, item) if item else None
    fields = {**(suite_writing.shown(chosen) if chosen else {}), **(form or {})}
    effects: list[suite_writing.Effect] = []
    warnings: list[str] = []
    if visit.person.is_admin and fields.get("source", "").strip():
        try:
            with visit.site.pool.lend() as store:
                effects, warnings = suite_writing.effects(store, path, chosen, fields, visit.person.name)
        except UsageError as error:
            warnings = [] if problem else [str(error)]
    return render(
        "suite.html",
        request,
        visit,
        title=name,
        status=400 if problem else 200,
        name=name,
        suite=suite,
        item=chosen,
        version=suite_writing.version_of(chosen) if chosen else "",
        fields=FIELDS,
        form=fields,
        effects=effects,
        warnings=warnings,
        problem=problem,
        done=done,
    )


@router.post("/suites/{name}")
def write(request: Request, name: str, form: Form, item: str = "") -> Response:
    """Add an item, change or approve one, try the effect of a form, set a macro, or judge outputs.

    An item of somebody who is no admin is kept as a proposal.
    """
    visit = visit_that_changes(request, form.get("csrf", ""))
    path, _ = _suite(visit, name)
    fields, act = {key: form[key] for key in FIELDS if key in form}, form.get("act", "")
    if item or act:
        _editor(visit)
    if act == "try":
        return _one(request, visit, name, item, form=fields)
    try:
        done = _written(visit, path, item, act, form)
    except UsageError as error:
        return _one(request, visit, name, item, form=None if act else fields, problem=str(error))
    if visit.person.is_admin:
        _note(visit, f"{name}: {done}")
    kept = {} if item or act else {key: fields[key] for key in ("category", "phenomenon")}
    return _one(request, visit, name, item, form=kept, done=done)


def _written(visit: Visit, path: Path, item: str, act: str, form: dict[str, str]) -> str:
    """Carry out a form's request; return a summary."""
    who = visit.person.name
    if "version" in form and form["version"] != suite_writing.version_of(suite_writing.item_of(path, item)):
        raise UsageError("Somebody has changed this item since you opened it. Look at it again.")
    if act == "approve":
        suite_writing.approve(path, [item], by=who)
        return f"Approved {item}."
    if act == "judge":
        return suite_writing.judge_outputs(
            path, form.get("system", ""), form.get("outputs", ""), visit.site.path
        )
    if act == "macro":
        suite_writing.set_macro_of(path, form.get("macro", "").strip(), form.get("pattern", ""))
        return f"Set the macro {form['macro'].strip()}."
    if item:
        return " ".join(suite_writing.change_item(path, item, form, who))
    if visit.person.is_admin:
        return " ".join(suite_writing.add_item(path, form, who))
    suite_writing.refuse_blanks(form)
    with visit.site.pool.lend() as store:
        suite_writing.propose(store, path.stem, {key: form.get(key, "") for key in FIELDS}, who)
    return "Proposed: an admin will look at it."


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
