"""The page of files: what people answered, for other programs."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, cast

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from mtassay.app import reviewing
from mtassay.app.campaign_work import still_open
from mtassay.app.exchange import FORMS, ExchangeForm, export_as, export_tasks
from mtassay.app.web.visits import Visit, offered_runs, render, visit_of
from mtassay.data.errors import UsageError
from mtassay.data.formats.annotation_platforms import labeling_config
from mtassay.data.formats.review_files import ENDINGS, write_records
from mtassay.data.questions import find_question
from mtassay.review.campaign_store import sealed

router = APIRouter(include_in_schema=False)

_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".rating": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
_ENDING_OF = {
    "entities": ".jsonl",
    "mqm": ".tsv",
    "mtme": ".seg.rating",
    "esa": ".jsonl",
    "ratings": ".tsv",
    "labelstudio": ".json",
    "pearmut": ".json",
}
_MORE = ("labelstudio-tasks", "labelstudio-config", "pearmut-tasks")
"""What there is besides answers: what is open, and how Label Studio asks about it."""


def _admin(visit: Visit) -> Visit:
    if not visit.person.is_admin:
        raise HTTPException(403, "Files hold what everybody answered: they are for admins.")
    with visit.site.pool.lend() as store:
        if any(visit.person.name in names for names in sealed(store).values()):
            raise HTTPException(403, "Files hold what others answered in an open campaign of yours.")
    return visit


@router.get("/exchange")
def overview(request: Request) -> Response:
    """What can be downloaded."""
    visit = _admin(visit_of(request))
    with visit.site.pool.lend() as store:
        heads, answered, unfinished = store.runs(), store.reviews_count, still_open(workspace=store)
    return render(
        "exchange.html",
        request,
        visit,
        title="Files",
        **offered_runs(heads),
        answered=answered,
        unfinished=unfinished,
        endings=[ending.removeprefix(".") for ending in ENDINGS],
    )


@router.get("/exchange/reviews.{ending}")
def all_reviews(request: Request, ending: str) -> Response:
    """All that people answered, with the texts."""
    visit = _admin(visit_of(request))
    if f".{ending}" not in ENDINGS:
        raise HTTPException(404)
    records = reviewing.reviews(workspace=visit.site.path)
    if not records:
        raise UsageError("Nobody has answered anything yet.")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"reviews.{ending}"
        write_records(path, records)
        return _file(path.read_bytes(), path.name)


@router.get("/exchange/file")
def one_file(request: Request, form: str, run: str = "last", question: str = "") -> Response:
    """What people answered about one run, or what is open in it, as another program reads it."""
    visit = _admin(visit_of(request))
    name, _, what = form.partition("-")
    if form not in (*FORMS, *_MORE):
        raise HTTPException(404)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{_plain(run)}-{_plain(question or 'all')}-{form}{_ENDING_OF[name]}"
        if what == "config":
            content = labeling_config(find_question(question)).encode()
            return _file(content, path.with_suffix(".xml").name)
        if what == "tasks":
            opened = reviewing.pending(run, question=question or None, workspace=visit.site.path)
            export_tasks(cast(Literal["labelstudio", "pearmut"], name), path, opened.waiting)
        else:
            export_as(
                cast(ExchangeForm, name),
                path,
                run=run,
                question=question or None,
                workspace=visit.site.path,
            )
        return _file(path.read_bytes(), path.name)


def _plain(name: str) -> str:
    """A name that is safe in a header and on any disk."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)[:60]


def _file(content: bytes, name: str) -> Response:
    kind = _TYPES[Path(name).suffix]
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'}
    )
