"""Identities: a person with an invitation, or anybody at this machine if nobody was ever invited.

The cookie holds the secret of the invitation, or a random one for the local person. The token that every
changing request must carry is derived from it, so that no other site can make one, and open pages still work
after a restart of the server.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, quote, urlencode

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mtassay.app.access import Person, recognise, was_anybody_invited
from mtassay.app.web.server import WorkspacePool, is_loopback
from mtassay.data.display import Span
from mtassay.data.errors import UsageError
from mtassay.data.marks import find_words, plural, printable
from mtassay.data.method import view_of
from mtassay.data.nouns import UNSURE, Question, Run
from mtassay.data.subjects import count_reviewers, told_answer
from mtassay.data.words import split_words
from mtassay.review.campaign_store import WITHDRAW
from mtassay.review.pending import questions_about

_MONTHS_S = 180 * 24 * 3600
_FIELDS = 50
_OF_PROXIES = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
"""Headers of requests that come from other machines, whatever host they name."""
_OF_CAMPAIGNS = ("/campaign", "/leave", "/api/me")
"""Addresses open to a person who was invited to one campaign."""


@dataclass(frozen=True)
class Site:
    """The contents and address of a server: `reviewer` is the local person, who needs no invitation."""

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
        """The name of the cookie, with the port, because browsers share cookies among ports."""
        return f"mtassay_{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether it uses names of this machine alone; else invitations are always needed."""
        return all(map(is_loopback, (self.host, *self.hosts)))

    @property
    def address(self) -> str:
        """The address of the page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"


@dataclass(frozen=True, slots=True)
class Visit:
    """The person of a request. `secret` is in their cookie; programs send it in a header instead."""

    site: Site
    person: Person
    secret: str
    is_program: bool = False

    @property
    def csrf(self) -> str:
        """The token that a changing request of this person must carry."""
        return hmac.new(self.secret.encode(), b"csrf", hashlib.sha256).hexdigest()

    @property
    def is_local(self) -> bool:
        """Whether it is the local person, before anybody was invited."""
        return self.secret.startswith("local-")

    @property
    def shows_systems(self) -> bool:
        """Whether system names may be shown beside open outputs."""
        return self.site.show_systems

    def keep(self, request: Request, response: Response) -> None:
        """Give the cookie to a browser that does not have it."""
        if not self.is_program and request.cookies.get(self.site.cookie) != self.secret:
            set_cookie(self.site, request, response, self.secret)


def set_cookie(site: Site, request: Request, response: Response, secret: str) -> None:
    """Let the browser remember the person; no script can read the cookie, and no other site send it."""
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
    """Return the browser's scheme. A false proxy header only locks out its sender."""
    return "https" if request.headers.get("x-forwarded-proto") == "https" else request.url.scheme


def visit_of(request: Request) -> Visit:
    """Return the visitor; 401 for nobody. The connection records them (see `connections`)."""
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
                return _within(Visit(site, person, bearer.strip(), is_program=True), request.url.path)
            raise HTTPException(401, "This token is not known, or was revoked.")
        if cookie and (person := recognise(store, cookie)):
            return _within(Visit(site, person, cookie), request.url.path)
        is_open = site.is_local and not was_anybody_invited(store)
    if is_open and not any(name in request.headers for name in _OF_PROXIES):
        is_ours = cookie.startswith("local-") and len(cookie) > 40
        secret = cookie if is_ours else f"local-{secrets.token_urlsafe(32)}"
        return Visit(site, Person(site.reviewer, "admin"), secret)
    raise HTTPException(401, "You need an invitation: open the link that you were given.")


def _within(visit: Visit, path: str) -> Visit:
    """Return the visit if this person may be there; 403 outside the one campaign of an invitation."""
    if visit.person.campaign and path != "/" and not path.startswith(_OF_CAMPAIGNS):
        raise HTTPException(403, "Your invitation is to one campaign: see Campaigns.")
    return visit


def visit_that_changes(request: Request, token: str) -> Visit:
    """Return the visitor who asks for a change; 403 if the request was not made by a page of ours.

    A program that sends its secret in a header needs no token: other sites cannot make a browser do that.
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


def admin_of(visit: Visit) -> Visit:
    """Return the visit, if it is an admin's; else 403."""
    if not visit.person.is_admin:
        raise HTTPException(403, "Only admins can do this.")
    return visit


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form, each once; the last one counts."""
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


Form = Annotated[dict[str, str], Depends(read_form)]

# Templates and their data: texts with marks in pieces, numbers in a readable form.


FOLDER = Path(__file__).parent
_LONGEST = 4000  # characters of a text that are shown
_RUNS = 200  # that a form offers


def pieces(text: str, marks: Iterable[Span] = ()) -> list[tuple[str, bool]]:
    """Split a text into printable parts, each with whether it is marked; a very long one is cut.

    >>> pieces("a cat sat", [(2, 5)])
    [('a ', False), ('cat', True), (' sat', False)]
    """
    shown = text[:_LONGEST]
    parts: list[tuple[str, bool]] = []
    at = 0
    for start, end in sorted(marks):
        if at <= start < end <= len(shown):
            parts += [(shown[at:start], False), (shown[start:end], True)]
            at = end
        elif start < at < end <= len(shown):
            parts.append((shown[at:end], True))
            at = end
    parts.append((shown[at:], False))
    if len(text) > len(shown):
        parts.append((f"… ({len(text) - len(shown):,} more characters)", False))
    return [(printable(part), strong) for part, strong in parts if part]


def seconds(value: float | None) -> str:
    """Write a time between two decisions.

    >>> seconds(4.25), seconds(95), seconds(None)
    ('4.2 s', '1 min 35 s', '–')
    """
    if value is None:
        return "–"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def address(*parts: str, **values: object) -> str:
    """Return a path on this server, with the values that are not empty as its query.

    >>> address("runs", "a/b", after=3, text="")
    '/runs/a%2Fb?after=3'
    """
    path = "/" + "/".join(quote(part, safe="") for part in parts)
    query = urlencode({key: value for key, value in values.items() if str(value)})
    return f"{path}?{query}" if query else path


def offered_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the choices of a form: the newest runs, each with a line, and the questions about them."""
    newest = runs[:_RUNS]
    names = dict.fromkeys(question.name for run in newest for question in questions_about(run))
    lines = [f"{view_of(run).title()}, {run.started[:16].replace('T', ' ')}, {run.id}" for run in newest]
    return {"runs": list(zip([run.id for run in newest], lines, strict=True)), "questions": list(names)}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    helpers = (address, count_reviewers, find_words, pieces, plural, seconds, split_words, told_answer)
    environment.globals |= {helper.__name__: helper for helper in helpers}
    environment.globals |= {"longest": _LONGEST, "new_id": lambda: secrets.token_urlsafe(16)}
    environment.filters["shown"] = printable
    return environment


def render(
    template: str, request: Request, visit: Visit | None = None, *, status: int = 200, **values: Any
) -> HTMLResponse:
    """Return a page, or the part of one that a script asked for (`part` in the templates)."""
    is_part = request.headers.get("hx-request") == "true"
    html = (
        _environment()
        .get_template(template)
        .render(visit=visit, part=is_part, path=request.url.path, **{"title": "", **values})
    )
    response = HTMLResponse(html, status_code=status)
    response.headers["vary"] = "HX-Request"
    if visit is not None:
        visit.keep(request, response)
    return response


def _spans(form: Mapping[str, str]) -> str:
    """Read spans as the page sends them (JSON) or as a person types them, with the score of another field."""
    answer, score = form.get("answer", "").strip() or "none", form.get("score", "").strip()
    if not score or answer in (UNSURE, WITHDRAW):
        return answer
    if answer.lower() == "none":
        answer = '{"spans": []}'
    if not answer.startswith("{"):
        return f"{answer}; score: {score}"
    try:
        return json.dumps({**json.loads(answer), "score": float(score)}, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return answer  # the question reports its mistakes


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """One kind of question: the template that asks it, and a function that reads the answer from a form.

    The result goes through `Question.read_answer`, which refuses invalid answers.
    """

    template: str
    read: Callable[[Mapping[str, str]], str] = lambda form: form.get("answer", "")


KINDS: dict[str, QuestionKind] = {
    "choice": QuestionKind("kinds/choice.html"),
    "number": QuestionKind("kinds/number.html"),
    "spans": QuestionKind("kinds/spans.html", _spans),
    "text": QuestionKind("kinds/text.html"),
}


def kind_of(question: Question) -> QuestionKind:
    """Return how to ask a question; a `UsageError` if the page cannot ask it yet."""
    if question.kind not in KINDS:
        raise UsageError(f"The page cannot ask questions of the kind '{question.kind}'.")
    return KINDS[question.kind]
