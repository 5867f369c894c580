"""The application: pages, the interface for programs, and how errors are told without what is inside."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as PlainHTTPException

from mtassay import __version__
from mtassay.app.web import campaign_pages, exchange_pages, json_api, pages
from mtassay.app.web.server import Guard, Preparer
from mtassay.app.web.views import FOLDER, render
from mtassay.app.web.visits import Site
from mtassay.data.errors import MtassayError, WorkspaceError
from mtassay.review.queue import AbsentError
from mtassay.runtime.database import LockedError, UnavailableError

__all__ = ["make_application"]


def make_application(site: Site) -> Any:
    """The whole application for one workspace, ready to be served."""
    app = FastAPI(
        title="mtassay review",
        version=__version__,
        description="What waits for people in saved runs, and what they answer.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.site = site
    app.state.preparer = Preparer(site.pool)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.include_router(json_api.router)
    app.include_router(pages.router)
    app.include_router(campaign_pages.router)
    app.include_router(exchange_pages.router)
    app.add_exception_handler(PlainHTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_bad_request)
    app.add_exception_handler(MtassayError, _on_our_error)
    app.add_exception_handler(Exception, _on_bug)
    return Guard(app, bound=site.host, hosts=site.hosts)


def _tell(request: Request, status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    """An error as a page, or as JSON for a program."""
    response: Response
    if request.url.path.startswith("/api/"):
        response = JSONResponse({"detail": why}, status_code=status)
    else:
        response = render("error.html", request, None, status=status, code=status, why=why)
    for key, value in (headers or {}).items():
        response.headers[key] = value
    return response


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException | PlainHTTPException)
    why = str(error.detail) if error.status_code != 404 else "There is no such page."
    return _tell(request, error.status_code, why, dict(error.headers or {}))


async def _on_bad_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first.get("loc", ()))
    return _tell(request, 422, f"{place}: {first.get('msg', 'not valid')}."[:300])


async def _on_our_error(request: Request, error: Exception) -> Response:
    if isinstance(error, LockedError):
        why = "The workspace is busy, and nothing was kept. Try again."
        return _tell(request, 503, why, {"retry-after": "1"})
    if isinstance(error, WorkspaceError):
        sys.stderr.write(f"mtassay: {error}\n")
    if isinstance(error, UnavailableError):
        why = "The disk of the workspace is full or fails, and nothing was kept. Tell who runs the server."
        return _tell(request, 507, why)
    if isinstance(error, WorkspaceError):
        return _tell(request, 500, "The workspace cannot be read. Who runs the server can see why.")
    return _tell(request, 404 if isinstance(error, AbsentError) else 400, str(error))


async def _on_bug(request: Request, error: Exception) -> Response:
    sys.stderr.write("".join(traceback.format_exception(error)))
    return _tell(request, 500, "This is a bug of ours. Who runs the server can see more.")
