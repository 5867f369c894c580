"""One JSON call over HTTP, with every way it can fail turned into one of our errors."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

from mtassay.errors import BusyError, RejectedError, ServiceError, UsageError
from mtassay.systems.failures import excerpt, status_error, transport_error
from mtassay.systems.secrets import Secret, redact

LARGEST = 64 * 2**20
"""Bytes of the longest answer that is read."""


def call_json(
    url: str,
    *,
    body: Any = None,
    content: bytes | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    parameters: Mapping[str, str | Secret | Sequence[str]] | None = None,
    method: str = "POST",
    timeout: float = 60.0,
    what: str,
    closed: frozenset[int] = frozenset(),
    busy: frozenset[int] = frozenset(),
    error_type: Callable[[int, Any], type[ServiceError] | None] | None = None,
) -> Any:
    """The parsed answer. `what` names the service; `closed` and `busy` are status codes of its own.

    Secrets may stand anywhere in `body`, `headers` and `parameters`; a parameter with several values is
    sent several times. `content` takes the place of `body` where the exact bytes matter, as under a
    signature. `error_type` gets the status and the JSON of an error (`None` where it is no JSON) and says
    which error it is; `None` leaves that to the status.
    Redirects are not followed: a key must not travel to another host.
    """
    sent = {key: _reveal(value) for key, value in (headers or {}).items()}
    if body is not None:
        content = _encode(body, what)
        sent = {"Content-Type": "application/json", **sent}
    query = {key: _reveal(value) for key, value in (parameters or {}).items()}
    status, answer_headers, answer = _exchange(
        method, url, content=content, headers=sent, params=query or None, timeout=timeout, what=what
    )
    if 200 <= status < 300:
        return _parse(answer, what)
    kind = error_type(status, _json(answer)) if error_type else None
    raise status_error(what, status, answer_headers, answer, kind=kind, closed=closed, busy=busy)


def check_address(url: str, *, what: str) -> str:
    """The address of a service without the last slash; `UsageError` where it is none, or has a key in it.

    >>> check_address("http://localhost:8080/v1/", what="openai")
    'http://localhost:8080/v1'
    >>> check_address("localhost:8080", what="openai")
    Traceback (most recent call last):
    mtassay.errors.UsageError: openai: 'localhost:8080' is no address. Write it as http://HOST:PORT/PATH.
    """
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        # What stands before an @ may be a password.
        shown = redact(url.rpartition("@")[2].partition("?")[0])
        raise UsageError(f"{what}: '{shown}' is no address. Write it as http://HOST:PORT/PATH.")
    if parts.username or parts.password:
        raise UsageError(f"{what}: take the user name and password out of the address of {parts.hostname}.")
    return url.rstrip("/")


def is_local(url: str) -> bool:
    """Whether this is an address of the machine we run on.

    >>> [is_local(url) for url in ("http://localhost:1/v1", "http://[::1]:1", "https://127.0.0.1.example.com")]
    [True, True, False]
    """
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def _exchange(
    method: str, url: str, *, timeout: float, what: str, **request: Any
) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and body. `timeout` is for the whole answer, however slowly it drips."""
    import httpx

    limit = time.monotonic() + timeout
    received = bytearray()
    try:
        with _client(os.getpid()).stream(method, url, timeout=timeout, **request) as response:
            for part in response.iter_bytes():
                received += part
                if time.monotonic() > limit:
                    raise httpx.ReadTimeout("")
                if len(received) > LARGEST:
                    raise BusyError(f"{what} answered more than {LARGEST // 2**20} MiB")
            return response.status_code, response.headers, bytes(received)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        failure = transport_error(error, url=url, timeout=timeout, what=what)
    # Out here, so that no traceback leads to the request and the key in its headers.
    raise failure


def _parse(content: bytes, what: str) -> Any:
    answer = _json(content)
    if answer is None and content.strip() != b"null":
        raise BusyError(f"{what} answered something that is not JSON: {excerpt(content)}")
    # Half a surrogate pair is legal JSON, and no text that can be stored.
    return _mended(answer) if b"\\ud" in content.lower() else answer


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _mended(answer: Any) -> Any:
    text = json.dumps(answer, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _encode(body: Any, what: str) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, default=_reveal_in_body).encode()
    except ValueError as error:
        reason = (
            "half a surrogate pair" if isinstance(error, UnicodeError) else "a number JSON has no word for"
        )
        failure = RejectedError(f"{what}: the request has {reason}, and was not sent")
    raise failure


def _reveal_in_body(value: object) -> str:
    if not isinstance(value, Secret):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return str(_reveal(value))


def _reveal(value: Any) -> Any:
    if not isinstance(value, Secret):
        return value
    text = value.reveal()
    # Known as secrets in these forms too: an error or a log may show a whole address or body.
    for form in (quote(text), quote(text, safe=""), quote_plus(text), json.dumps(text)[1:-1]):
        Secret(form)
    return text


@cache
def _client(process: int) -> Any:
    """One client for each process: it keeps connections open, and many threads may use it."""
    import logging

    import httpx

    # These log the address of every call with its parameters, and the headers of every answer.
    for name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy"):
        logging.getLogger(name).addFilter(_without_secrets)
    direct = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))  # never through a proxy
    limits = httpx.Limits(max_connections=256, max_keepalive_connections=64)
    return httpx.Client(limits=limits, mounts=direct)


def _without_secrets(record: Any) -> bool:
    record.msg, record.args = redact(record.getMessage()), ()
    return True
