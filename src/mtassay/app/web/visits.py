"""Who asks: a person with an invitation, or whoever sits at this machine if nobody was ever invited.

The cookie holds the secret of the invitation, or something random for the local person. What every changing
request must carry besides is derived from it, so that no other site can make one, and a restart of the server
takes nobody's page away.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from fastapi import HTTPException, Request
from fastapi.responses import Response

from mtassay.app.access import Person, recognise, was_anybody_invited
from mtassay.app.web.server import WorkspacePool, is_loopback

__all__ = ["Site", "Visit", "read_form", "visit_of", "visit_that_changes"]

_MONTHS_S = 180 * 24 * 3600
_FIELDS = 50
_OF_PROXIES = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
"""Headers of requests that come from elsewhere, whatever host they name."""


@dataclass(frozen=True)
class Site:
    """What is served, where, and to whom: `reviewer` is the local person, who needs no invitation."""

    path: Path
    host: str
    port: int
    reviewer: str
    show_systems: bool = False
    hosts: tuple[str, ...] = ()
    pool: WorkspacePool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pool", WorkspacePool(self.path))

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers do not tell ports apart."""
        return f"mtassay_{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether it goes by names of this machine alone; else invitations are always needed."""
        return all(map(is_loopback, (self.host, *self.hosts)))

    @property
    def address(self) -> str:
        """Where the page is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request's person. `secret` is what their cookie holds; programs send it in a header instead."""

    site: Site
    person: Person
    secret: str
    is_program: bool = False

    @property
    def csrf(self) -> str:
        """What a changing request of this person must carry."""
        return hmac.new(self.secret.encode(), b"csrf", hashlib.sha256).hexdigest()

    @property
    def shows_systems(self) -> bool:
        """Whether the names of systems may be shown beside outputs that wait."""
        return self.site.show_systems

    def keep(self, request: Request, response: Response) -> None:
        """Give the cookie to a browser that does not have it."""
        if not self.is_program and request.cookies.get(self.site.cookie) != self.secret:
            set_cookie(self.site, request, response, self.secret)


def set_cookie(site: Site, request: Request, response: Response, secret: str) -> None:
    """Let the browser remember who it is; no script can read it, and no other site send it."""
    response.set_cookie(
        site.cookie,
        secret,
        max_age=_MONTHS_S,
        path="/",
        httponly=True,
        samesite="strict",
        secure=_scheme(request) == "https",
    )


def _scheme(request: Request) -> str:
    """How the browser asked. Anybody may send the header of a proxy: who lies shuts out only themselves."""
    return "https" if request.headers.get("x-forwarded-proto") == "https" else request.url.scheme


def visit_of(request: Request) -> Visit:
    """Who asks; 401 for nobody. The connection takes note of it (see `connections`)."""
    visit = None
    try:
        visit = _find_visit(request)
    finally:
        if take_note := getattr(request.state, "recognised", None):
            take_note(visit is not None)
    return visit


def _find_visit(request: Request) -> Visit:
    site: Site = request.app.state.site
    header = request.headers.get("authorization", "")
    kind, _, bearer = header.partition(" ")
    cookie = request.cookies.get(site.cookie, "")
    with site.pool.lend() as store:
        if header:
            person = recognise(store, bearer.strip()) if kind.lower() == "bearer" else None
            if person is not None:
                return Visit(site, person, bearer.strip(), is_program=True)
            raise HTTPException(401, "This token is not known, or was revoked.")
        if cookie and (person := recognise(store, cookie)):
            return Visit(site, person, cookie)
        is_open = site.is_local and not was_anybody_invited(store)
    if is_open and not any(name in request.headers for name in _OF_PROXIES):
        is_ours = cookie.startswith("local-") and len(cookie) > 40
        secret = cookie if is_ours else f"local-{secrets.token_urlsafe(32)}"
        return Visit(site, Person(site.reviewer, "admin"), secret)
    raise HTTPException(401, "You need an invitation: open the link that you were given.")


def visit_that_changes(request: Request, token: str) -> Visit:
    """Who asks for a change; 403 where the request was not made by a page of ours.

    A program that sends its own token needs no other: no page elsewhere can make a browser do so.
    """
    visit = visit_of(request)
    if visit.is_program:
        return visit
    fetched_from = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    own = f"{_scheme(request)}://{request.headers.get('host', '')}"
    is_foreign = (
        fetched_from not in ("same-origin", "none")
        if fetched_from is not None
        else origin not in (None, "null", own)
    )
    if is_foreign or not hmac.compare_digest(token.encode(), visit.csrf.encode()):
        raise HTTPException(403, "This page is too old, or not ours. Reload it, and answer again.")
    return visit


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, each once; the last one counts."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send a form (application/x-www-form-urlencoded).")
    body: Any = await request.body()
    try:
        fields = parse_qs(
            body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_FIELDS, errors="replace"
        )
    except ValueError:
        raise HTTPException(400, "The form has too many fields.") from None
    return {key: values[-1] for key, values in fields.items()}
