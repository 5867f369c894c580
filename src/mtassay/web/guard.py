"""What no request may do, whatever it asks for: name another host, send too much, get no headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException

from mtassay.web.hosts import is_welcome

__all__ = ["HEADERS", "LARGEST_BODY", "LARGEST_FILE", "UPLOAD", "Guard"]

LARGEST_BODY = 64 * 1024
"""Bytes of a request; the longest is an answer with its note."""
LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a request that brings a file."""
UPLOAD = "/exchange/import"
"""Where files go."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Guard:
    """Stands before an application: checks the host and the size, and gives every answer its headers.

    A page elsewhere may point a name of its own at this machine and then read what it gets (DNS rebinding).
    So a request must name the host that the server was bound to, or another `hosts` has.
    """

    def __init__(self, app: Any, *, bound: str, hosts: tuple[str, ...] = ()) -> None:
        self._app = app
        self._bound = bound
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {key.lower(): value for key, value in scope["headers"]}
        names = [value for key, value in scope["headers"] if key.lower() == b"host"]
        host = names[0].decode("latin-1") if len(names) == 1 else ""
        if not is_welcome(host, self._bound, self._hosts):
            await _refuse(send, 421, "This server does not go by that name.")
            return
        length = headers.get(b"content-length", b"0")
        largest = LARGEST_FILE if scope["path"] == UPLOAD else LARGEST_BODY
        too_large = f"A request has at most {largest:,} bytes."
        if not length.isdigit() or int(length) > largest:
            await _refuse(send, 413, too_large)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > largest:
                raise HTTPException(413, too_large)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*_without(message.get("headers", ())), *_HEADERS]
                if not scope["path"].startswith("/static/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self._app(scope, counted, with_headers)


_HEADERS = [(key.encode(), value.encode()) for key, value in HEADERS.items()]


def _without(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(key, value) for key, value in headers if key.lower() not in (b"server", b"cache-control")]


async def _refuse(send: Send, status: int, why: str) -> None:
    body = why.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
