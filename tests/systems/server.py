"""A real HTTP server on loopback that misbehaves on request.

    with Server() as server:
        server.then(status(429, retry_after=2), json_reply({"ok": True}))
        ...                                  # a client calls server.url + "/path"
        assert server.seen[0].path == "/path"

Each request takes the next behaviour of the queue; when it is empty, `server.always` answers. A behaviour
is a `Reply`, or a function from the request to one.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Seen:
    """One request as it arrived. `body` is the parsed JSON, or `None` where there is none."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    raw: bytes
    at: float

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None

    def header(self, name: str) -> str | None:
        return {key.lower(): value for key, value in self.headers.items()}.get(name.lower())


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What to answer, and what to do wrong.

    `delay` seconds pass before the status line, `drip` seconds before each byte of the body. `declared` is
    the Content-Length to announce where it should be wrong. `hang_up` closes the connection instead of an
    answer, `reset` does so with a TCP reset. `raw` is sent in place of everything, again and again, with
    `drip` seconds before each byte.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    declared: int | None = None
    hang_up: bool = False
    reset: bool = False
    raw: bytes = b""


Behaviour = Reply | Callable[[Seen], Reply]


def json_reply(answer: Any, **how: Any) -> Reply:
    """A well-formed answer."""
    headers = {"Content-Type": "application/json", **how.pop("headers", {})}
    return Reply(body=json.dumps(answer).encode(), headers=headers, **how)


def status(code: int, answer: Any = None, *, retry_after: str | float | None = None, **how: Any) -> Reply:
    """A failure; `retry_after` is sent as it is."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return json_reply({"error": "no"} if answer is None else answer, status=code, headers=headers, **how)


def http_date(seconds_from_now: float) -> str:
    """A date as HTTP writes it."""
    return formatdate(time.time() + seconds_from_now, usegmt=True)


def truncated(answer: Any, *, keep: int = 10) -> Reply:
    """The beginning of an answer whose announced length is longer; then the connection closes."""
    whole = json.dumps(answer).encode()
    return Reply(body=whole[:keep], declared=len(whole), headers={"Content-Type": "application/json"})


def not_json(text: str = "<html>502 Bad Gateway</html>") -> Reply:
    """Success, and something that is not JSON."""
    return Reply(body=text.encode(), headers={"Content-Type": "text/html"})


def hang_up() -> Reply:
    """The connection closes without a word."""
    return Reply(hang_up=True)


def reset() -> Reply:
    """The connection is reset."""
    return Reply(reset=True)


def translated(texts: list[str]) -> list[str]:
    """What the echoing servers of the tests call a translation.

    >>> translated(["one", "two"])
    ['«one»', '«two»']
    """
    return [f"«{text}»" for text in texts]


class Server:
    """The server. `url` is its address without a path, `seen` every request in the order of arrival."""

    def __init__(self, always: Behaviour | None = None) -> None:
        self.always: Behaviour = always or status(500, {"error": "the test has no answer left"})
        self.seen: list[Seen] = []
        self._queue: deque[Behaviour] = deque()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that gave up
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def then(self, *behaviours: Behaviour) -> Server:
        """Answer the next requests so, one after the other."""
        with self._lock:
            self._queue.extend(behaviours)
        return self

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()

    def _reply(self, seen: Seen) -> Reply:
        with self._lock:
            self.seen.append(seen)
            behaviour = self._queue.popleft() if self._queue else self.always
        return behaviour(seen) if callable(behaviour) else behaviour

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                parts = urlsplit(self.path)
                seen = Seen(
                    self.command,
                    parts.path,
                    parse_qs(parts.query, keep_blank_values=True),
                    dict(self.headers.items()),
                    self.rfile.read(length),
                    time.monotonic(),
                )
                reply = server._reply(seen)
                server._over.wait(reply.delay)
                # A client that gave up is what some tests are about.
                with contextlib.suppress(OSError):
                    self.send(reply)

            do_GET = do_POST = do_PUT = answer  # noqa: N815

            def send(self, reply: Reply) -> None:
                if reply.hang_up or reply.reset:
                    self.close_connection = True
                    if reply.reset:
                        linger = struct.pack("ii", 1, 0)
                        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.connection.close()
                    return
                if reply.raw:
                    self.close_connection = True
                    step = 1 if reply.drip else len(reply.raw)
                    for start in itertools.count(0, step):
                        self.connection.sendall(reply.raw[start % len(reply.raw) :][:step])
                        if server._over.wait(reply.drip):
                            return
                self.send_response(reply.status)
                for key, value in reply.headers.items():
                    self.send_header(key, value)
                length = len(reply.body) if reply.declared is None else reply.declared
                self.send_header("Content-Length", str(length))
                self.end_headers()
                if reply.drip:
                    for i in range(len(reply.body)):
                        self.wfile.write(reply.body[i : i + 1])
                        self.wfile.flush()
                        if server._over.wait(reply.drip):
                            break
                else:
                    self.wfile.write(reply.body)
                if length != len(reply.body):
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Say nothing: tests look at what is printed."""

        return Handler
