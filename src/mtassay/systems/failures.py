"""What a failed HTTP call means: busy, rejected or closed, in one line without secrets."""

from __future__ import annotations

import email.utils
import errno
import json
import math
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any
from urllib.parse import urlsplit

from mtassay.errors import BusyError, ClosedError, RejectedError, ServiceError
from mtassay.systems.secrets import redact

CLOSED = {401, 402, 403, 404, 405, 407, 410, 451}
BUSY = {408, 409, 423, 425, 429}


def status_error(
    what: str,
    status: int,
    headers: Mapping[str, str],
    content: bytes,
    *,
    kind: type[ServiceError] | None = None,
    closed: frozenset[int] = frozenset(),
    busy: frozenset[int] = frozenset(),
) -> ServiceError:
    """The error for an answer that is no success. `kind` says which where the caller knows."""
    kind = kind or _kind(status, closed, busy)
    message = f"{what} answered {status}: {_reason(content)}"
    if 300 <= status < 400:
        target = place(headers.get("location", ""))
        message = f"{what} answered {status}: moved to {target or 'somewhere else'}. Give that address."
    if issubclass(kind, BusyError):
        return kind(message, retry_after=seconds(headers.get("retry-after")))
    return kind(message)


def transport_error(error: Exception, *, url: str, timeout: float, what: str) -> ServiceError:
    """The error for a call that got no answer. `error` is one of httpx, or a `ValueError`."""
    import httpx

    where = place(url)
    if isinstance(error, httpx.TimeoutException):
        return BusyError(f"{what} did not answer within {timeout:g} s")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return ClosedError(f"{what}: {where} is no address of a web service")
    if isinstance(error, httpx.LocalProtocolError | ValueError):
        # The message would show the header, and with it the key.
        return ClosedError(f"{what}: the key, or a header, has a character that HTTP does not allow")
    if isinstance(error, httpx.RemoteProtocolError) and "location header" in str(error):
        return ClosedError(f"{what}: {where} has moved to an address that nobody can read")
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ClosedError(f"{what} at {where}: its certificate cannot be trusted")
        if isinstance(cause, ConnectionRefusedError) or getattr(cause, "errno", None) == errno.ECONNREFUSED:
            return ClosedError(f"{what}: nobody answers at {where}. Is it running?")
        if isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN:
            return ClosedError(f"{what}: there is no host {urlsplit(url).hostname}. Check the address.")
    shown = " ".join(redact(str(error)).split())
    return BusyError(f"{what} at {where}: {shown or type(error).__name__}")


def seconds(retry_after: str | None) -> float | None:
    """How long Retry-After asks to wait: it holds a number of seconds, or a date.

    >>> seconds("2.5"), seconds("Sun, 06 Nov 1994 08:49:37 GMT"), seconds("soon"), seconds("nan")
    (2.5, 0.0, None, None)
    """
    if retry_after is None:
        return None
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(retry_after)
        except (TypeError, ValueError):
            return None
        wait = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - time.time()
    return max(wait, 0.0) if math.isfinite(wait) else None


def excerpt(text: str | bytes) -> str:
    """The beginning of an answer, in one line and without secrets."""
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    line = " ".join("".join(c if c.isprintable() else " " for c in redact(text)[:2000]).split())
    return (line[:200] + "…" if len(line) > 200 else line) or "(nothing)"


def place(url: str) -> str:
    """Host and path alone: a query or a user name may hold a key.

    >>> place("https://user:password@example.com:8080/v2?key=1"), place("http://[::1]:x")
    ('https://example.com:8080/v2', 'http://[::1]:x')
    """
    address = url.partition("?")[0].partition("#")[0]
    scheme, slashes, rest = address.partition("://")
    host, slash, path = (rest if slashes else address).partition("/")
    return redact(f"{scheme if slashes else ''}{slashes}{host.rpartition('@')[2]}{slash}{path}")


def _kind(status: int, closed: frozenset[int], busy: frozenset[int]) -> type[ServiceError]:
    """What a status says by itself."""
    if status in closed:
        return ClosedError
    if status in busy or status in BUSY or status >= 500:
        return BusyError
    return ClosedError if status in CLOSED or 300 <= status < 400 else RejectedError


def _reason(content: bytes) -> str:
    """What the service says is wrong, where its JSON has one of the usual shapes; else how it begins."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return excerpt(content)
    if isinstance(answer, list) and answer:
        answer = answer[0]
    error = answer.get("error", answer) if isinstance(answer, dict) else None
    if isinstance(error, str) and error:
        return excerpt(error)
    if isinstance(error, dict) and isinstance(error.get("message"), str) and error["message"]:
        return excerpt(error["message"]) + _code(error)
    return excerpt(json.dumps(answer, ensure_ascii=False))  # not as it came: it may spell / as \/


def _code(error: Mapping[str, Any]) -> str:
    code = next((error[key] for key in ("code", "type") if isinstance(error.get(key), str)), "")
    return f" ({excerpt(code)})" if code else ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
