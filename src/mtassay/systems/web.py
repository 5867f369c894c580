"""One JSON call over HTTP, with every way it can fail turned into one of our errors."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from mtassay.errors import BusyError, ClosedError, RejectedError, ServiceError
from mtassay.systems.secrets import Secret, redact

CLOSED = {401, 402, 403, 404, 405, 410, 451}
BUSY = {408, 409, 423, 425, 429, 500, 502, 503, 504, 521, 522, 524, 529}


def call_json(
    url: str,
    *,
    body: Any = None,
    headers: Mapping[str, str | Secret] | None = None,
    parameters: Mapping[str, str | Secret] | None = None,
    method: str = "POST",
    timeout: float = 60.0,
    what: str,
    closed: frozenset[int] = frozenset(),
    busy: frozenset[int] = frozenset(),
) -> Any:
    """The parsed answer. `what` names the service; `closed` and `busy` are status codes of its own.

    Redirects are not followed: a key must not travel to another host.
    """
    import httpx

    try:
        response = _client().request(
            method,
            url,
            json=body,
            headers={key: _reveal(value) for key, value in (headers or {}).items()},
            params={key: _reveal(value) for key, value in (parameters or {}).items()} or None,
            timeout=timeout,
        )
    except httpx.TimeoutException as error:
        raise BusyError(f"{what} did not answer within {timeout:g} s") from error
    except httpx.UnsupportedProtocol as error:
        raise ClosedError(f"{what}: {_place(url)} is no address of a web service") from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise BusyError(f"{what} at {_place(url)}: {redact(str(error)) or type(error).__name__}") from None
    if response.is_success:
        return _parse(response.content, what)
    raise _failure(response.status_code, response.headers, response.text, what, closed=closed, busy=busy)


def _failure(
    status: int,
    headers: Mapping[str, str],
    text: str,
    what: str,
    *,
    closed: frozenset[int],
    busy: frozenset[int],
) -> ServiceError:
    message = f"{what} answered {status}: {_excerpt(text)}"
    if status in closed:
        return ClosedError(message)
    if status in busy or status in BUSY:
        return BusyError(message, retry_after=_seconds(headers.get("retry-after")))
    return ClosedError(message) if status in CLOSED else RejectedError(message)


def _parse(content: bytes, what: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        shown = _excerpt(content.decode("utf-8", "replace"))
        raise BusyError(f"{what} answered something that is not JSON: {shown}") from None


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After is a number of seconds or a date."""
    if retry_after is None:
        return None
    try:
        return max(float(retry_after), 0.0)
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None


def _excerpt(text: str) -> str:
    """The beginning of an answer, in one line and without secrets."""
    line = " ".join(redact(text).split())
    return (line[:200] + "…" if len(line) > 200 else line) or "(nothing)"


def _place(url: str) -> str:
    """Host and path alone: a query or a user name may hold a key."""
    parts = urlsplit(url)
    return redact(
        f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
    )


def _reveal(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _client() -> Any:
    """One client for the process: it keeps connections open and may be used by many threads."""
    global _shared
    import httpx

    if _shared is None:
        _shared = httpx.Client(limits=httpx.Limits(max_connections=256, max_keepalive_connections=64))
    return _shared


_shared: Any = None
