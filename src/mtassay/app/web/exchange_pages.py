"""The page of files: what people answered, for other programs, and files of answers to read in."""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple, cast

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from mtassay.app import reviewing
from mtassay.app.access import note_deed
from mtassay.app.campaign_work import still_open
from mtassay.app.exchange import FORMS, ExchangeForm, export_as, export_tasks
from mtassay.app.web.server import UPLOAD
from mtassay.app.web.visits import Visit, offered_runs, render, visit_of, visit_that_changes
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.annotation_platforms import labeling_config
from mtassay.data.formats.review_files import ENDINGS, write_records
from mtassay.data.questions import find_question

router = APIRouter(include_in_schema=False)

_MOST_FIELDS = 10
READABLE = (*ENDINGS, ".json")
"""What an uploaded file may end in."""
_TYPES = {
    ".jsonl": "application/x-ndjson",
    ".json": "application/json",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
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
    return visit


@router.get("/exchange")
def overview(request: Request) -> Response:
    """What can be downloaded, and a form to read a file in."""
    return _page(request, _admin(visit_of(request)))


def _page(request: Request, visit: Visit, *, done: str = "", problem: str = "") -> Response:
    with visit.site.pool.lend() as store:
        heads, answered, unfinished = store.runs(), store.reviews_count, still_open(workspace=store)
    return render(
        "exchange.html",
        request,
        visit,
        title="Files",
        status=400 if problem else 200,
        **offered_runs(heads),
        answered=answered,
        unfinished=unfinished,
        endings=[ending.removeprefix(".") for ending in ENDINGS],
        readable=",".join(READABLE),
        done=done,
        problem=problem,
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


# Reading in ----------------------------------------------------------------------------------------------


class SentFile(NamedTuple):
    """A file in a form, and the fields beside it."""

    name: str
    content: bytes
    fields: dict[str, str]


@router.post(UPLOAD)
async def read_in(request: Request) -> Response:
    """Keep the answers of a file: all of them, or none."""
    _admin(await run_in_threadpool(visit_of, request))  # before a large body is read
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        raise HTTPException(415, "Send a form with a file (multipart/form-data).")
    return await run_in_threadpool(_take, request, kind, await request.body())


def _take(request: Request, kind: str, body: bytes) -> Response:
    sent = read_multipart(kind, body)
    visit = _admin(visit_that_changes(request, sent.fields.get("csrf", "")))
    ending = Path(sent.name).suffix.lower()
    try:
        if ending not in READABLE:
            raise UsageError(f"A file of answers ends in {', '.join(READABLE)}.")
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"sent{ending}"
            path.write_bytes(sent.content)
            try:
                kept = reviewing.import_reviews(
                    path, reviewer=sent.fields.get("reviewer") or visit.person.name, workspace=visit.site.path
                )
            except MtassayError as error:
                raise UsageError(str(error).replace(str(path), "The file")) from None
    except UsageError as error:
        return _page(request, visit, problem=str(error))
    with visit.site.pool.lend() as store:
        note_deed(store, visit.person.name, f"read in a file: {kept}")
    unsigned = f" {kept.unsigned:,} did not say whose they are: {kept.reviewer}'s." if kept.unsigned else ""
    return _page(request, visit, done=f"{kept}{unsigned}")


def read_multipart(kind: str, body: bytes) -> SentFile:
    """The file and the fields of a form; a `UsageError` for what is none."""
    head = f"content-type: {kind}\r\n\r\n".encode("latin-1", "replace")
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    name, content, fields = "", b"", {}
    if not message.is_multipart():
        raise UsageError("The form cannot be read.")
    for part in list(message.iter_parts())[:_MOST_FIELDS]:
        field = part.get_param("name", header="content-disposition")
        value = part.get_payload(decode=True)
        if not isinstance(field, str) or not isinstance(value, bytes):
            continue
        if (sent := part.get_filename()) is not None:
            name, content = sent, value
        else:
            fields[field] = value.decode("utf-8", "replace").strip()
    return SentFile(name, content, fields)
