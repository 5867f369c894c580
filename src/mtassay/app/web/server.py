"""Serves the review page until it is stopped."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from queue import Empty, LifoQueue, Queue
from typing import Any

from starlette.exceptions import HTTPException
from uvicorn.protocols.http.h11_impl import H11Protocol

from mtassay.app import access
from mtassay.app.reviewing import reviewer_name
from mtassay.app.runs import open_workspace, workspace_path
from mtassay.data.errors import MissingExtraError, MtassayError, UsageError
from mtassay.review.pending import asked_in
from mtassay.review.queue import is_prepared, prepare_once
from mtassay.runtime.workspace import Workspace

# Connections of the review page: strangers can hold few of them, and each for a short time.


MOST = 500
"""Largest number of connections; those that strangers cannot have are for invited people."""
IDLE_S = 30
"""Seconds that an invited person's connection may wait for the next request."""


class Connection(H11Protocol):
    """A connection that counts as a stranger's until a request on it shows a valid invitation.

    A stranger's connection is cut after a time, or earlier if newer strangers need the room. Invited people
    are recognised by their first request, long before that. So people behind one proxy need not wait until
    idle connections from the same address end.
    """

    stranger_s: float = 20
    idle_s: float = IDLE_S
    most_strangers: int = 200
    most_of_address: int = 50

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin as a stranger, and make room by cutting the oldest."""
        super().connection_made(transport)
        self.is_invited = False
        self.app_state = {**self.app_state, "recognised": self.recognised}
        self._timer: asyncio.TimerHandle | None = None
        self._begin()
        strangers = [c for c in self.connections if isinstance(c, Connection) and not c.is_invited]
        own = [c for c in strangers if c.client and self.client and c.client[0] == self.client[0]]
        if len(own) > self.most_of_address:
            min(own, key=lambda c: c.since).cut()
        elif len(strangers) > self.most_strangers:
            min(strangers, key=lambda c: c.since).cut()

    def recognised(self, is_invited: bool) -> None:
        """Record whether an invited person sent the current request; callable from any thread."""
        self.loop.call_soon_threadsafe(self._take_note, is_invited)

    def _take_note(self, is_invited: bool) -> None:
        if is_invited != self.is_invited:
            self.is_invited = is_invited
            self._begin()

    def _begin(self) -> None:
        self.since = self.loop.time()
        self._wait(self.stranger_s)

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._on_time_out)

    def _on_time_out(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.is_invited and (is_answering or self.transport.get_write_buffer_size()):
            self._wait(self.idle_s)
        else:
            self.cut()

    def on_response_complete(self) -> None:
        """Give an invited person time for the next request, which must be complete by then."""
        super().on_response_complete()
        if self.is_invited:
            self._wait(self.idle_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time-out."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def cut(self) -> None:
        """End the connection at once, because a peer that does not read would block a normal close."""
        self.connections.discard(self)
        self.transport.abort()


# Serves the review page until it is stopped.


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that is bound to a host.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def is_welcome(header: str, bound: str, hosts: frozenset[str] = frozenset()) -> bool:
    """Whether a request to a server that is bound to a host may have this Host header.

    A numeric address cannot be redirected, so any is allowed if the server is bound to all.

    >>> [is_welcome(h, "127.0.0.1") for h in ("127.0.0.1:8765", "localhost", "evil.example", "10.0.0.1", "")]
    [True, True, False, False, False]
    >>> is_welcome("10.0.0.1:80", "0.0.0.0"), is_welcome("evil.example", "0.0.0.0")
    (True, False)
    """
    name = _host_of(header)
    if not name:
        return False
    if name in hosts or name == bound.lower():
        return True
    address, own = _address(name), _address(bound)
    if is_loopback(bound):
        return is_loopback(name)
    return own is not None and own.is_unspecified and (address is not None or name == "localhost")


def _host_of(header: str) -> str:
    """Return the name in a Host header, without its port and brackets; empty if it is invalid."""
    text = header.strip().lower()
    if text.startswith("["):
        name, bracket, rest = text[1:].partition("]")
        is_fine = bool(bracket) and (not rest or (rest.startswith(":") and rest[1:].isdecimal()))
        return name if is_fine else ""
    name, colon, port = text.partition(":")
    return name if not colon or port.isdecimal() else ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


PORT = 8765
_BACKLOG = 128  # connections waiting to be accepted, at most, before the oldest strangers are cut


def serve(
    workspace: str | PathLike[str] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    reviewer: str | None = None,
    show_systems: bool = False,
    hosts: Sequence[str] = (),
    reopen: bool = False,
    listen: Callable[[str], None] = lambda line: None,
) -> None:
    """Serve the page of a workspace; `listen` gets its address and who may open it, once it is ready.

    `hosts` are other names of the server, as behind a proxy. Port 0 takes any free port. With another `host`
    or name than this machine's own, it refuses to start before somebody was invited. It also refuses if all
    invitations were revoked, unless `reopen` lets in everybody on this machine.
    """
    try:
        import uvicorn
        from fastapi import FastAPI  # noqa: F401
    except ImportError:
        raise MissingExtraError("the review page", package="fastapi and uvicorn", extra="review") from None
    from mtassay.app.web.application import make_application
    from mtassay.app.web.visits import Site

    # In an empty folder, suites are begun on the page; a named file must exist.
    store = Workspace(workspace_path(None)) if workspace is None else open_workspace(workspace)
    if store.read_only:
        raise UsageError(f"{store.path} may not be written, so nothing can be answered.")
    others = next((name for name in (host, *hosts) if not is_loopback(name)), None)
    if reopen:
        if others is not None:
            raise UsageError(f"--reopen is only for this machine, not for {others}.")
        access.reopen(workspace=store.path)
    invited, is_closed = len(access.invitations(workspace=store.path)), access.was_anybody_invited(store)
    if others is not None and not invited:
        raise UsageError(
            f"Others can reach {others}, and nobody is invited: mtassay review invite NAME --admin"
        )
    if is_closed and not invited:
        raise UsageError(
            f"All invitations to {store.path} were revoked, so nobody can open the page. Invite somebody "
            "(mtassay review invite NAME --admin), or let in everybody on this machine: "
            "mtassay serve --reopen"
        )
    with _bound(host, port) as listener:
        site = Site(
            store.path,
            host,
            listener.getsockname()[1],
            reviewer_name(reviewer),
            show_systems,
            tuple(hosts),
        )
        who = f"everybody on this machine is its admin, as {site.reviewer}, until you invite somebody"
        if is_closed:
            who = f"people need an invitation to open it ({invited} invited)"
        application = make_application(site, watches=True)
        config = uvicorn.Config(
            application,
            http=Connection,
            ws="none",
            log_level="error",  # a warning for every bad request would let strangers fill a disk
            access_log=False,  # addresses of invitations are secret
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=1,
            limit_concurrency=MOST,
            backlog=_BACKLOG,
        )

        class Server(uvicorn.Server):
            """Prints its address as soon as Ctrl-C would end it cleanly."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if not self.should_exit:  # else Ctrl-C was pressed meanwhile, or it could not start
                    listen(f"the review page is at {site.address} (Ctrl-C stops it)")
                    listen(who)

        Server(config).run(sockets=[listener])
        site.pool.close()
    store.close()


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; a `UsageError` if that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)  # a client that comes before the server is ready waits for it
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Cannot serve on {host}, port {port} ({error.strerror or error}). Choose another: --port N"
        ) from None
    return listener


LARGEST_BODY = 64 * 1024
"""Largest number of bytes of a request; the longest is an answer with its note."""

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
    """Wraps an application: checks the host and the size, and gives every answer its headers.

    Another site may point its name at this machine and then read the answers (DNS rebinding). So a request
    must name the host to which the server is bound, or one of `hosts`.
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
            await _refuse(send, 421, "This server does not have that name.")
            return
        length = headers.get(b"content-length", b"0")
        largest = LARGEST_BODY
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
                given = [(key.lower(), key, value) for key, value in message.get("headers", ())]
                own = {name for name, _, _ in given}  # a report has its own policy
                kept = [(k, v) for name, k, v in given if name not in (b"server", b"cache-control")]
                message["headers"] = [*kept, *(pair for pair in _HEADERS if pair[0] not in own)]
                if not scope["path"].startswith("/static/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self._app(scope, counted, with_headers)


_HEADERS = [(key.encode(), value.encode()) for key, value in HEADERS.items()]


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


_MOST_OPEN = 8  # more requests than that wait for each other
_PAGES_KIB = 4096  # of the file, in the memory of each


class WorkspacePool:
    """Workspaces of one file: a few, for any number of requests; they share data that never change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: LifoQueue[Workspace] = LifoQueue()
        self._free = threading.BoundedSemaphore(_MOST_OPEN)
        self._heads: dict[str, Any] = {}

    @contextmanager
    def lend(self) -> Iterator[Workspace]:
        """Lend a workspace for exclusive use. The borrower must not ask for another one."""
        with self._free:
            try:
                workspace = self._idle.get_nowait()
            except Empty:
                workspace = open_workspace(self.path)
                workspace.database.hold_at_most(_PAGES_KIB)
                workspace.share_heads(self._heads)
            try:
                yield workspace
            finally:
                self._idle.put(workspace)

    def close(self) -> None:
        """Close those that are not lent."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return


class Preparer:
    """One thread that reads one run after another. `problems` are unreadable runs, with reasons.

    With `watch` it asks for every new run, so that the first visitor does not wait.
    """

    def __init__(self, pool: WorkspacePool) -> None:
        self.problems: dict[str, str] = {}
        self._pool = pool
        self._asked: Queue[str] = Queue()
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._work, name="queues", daemon=True).start()

    def ask(self, run: str) -> None:
        """Make the queue of a run soon."""
        with self._lock:
            if run not in self._seen:
                self._seen.add(run)
                self._asked.put(run)

    def watch(self, seconds: float = 10) -> None:
        """Look for new runs from time to time."""

        def look() -> None:
            while True:
                with suppress(MtassayError), self._pool.lend() as store:
                    new = [run.id for run in store.runs() if asked_in(run) and not is_prepared(store, run)]
                for run in new:
                    self.ask(run)
                time.sleep(seconds)

        threading.Thread(target=look, name="new runs", daemon=True).start()

    def _work(self) -> None:
        while True:
            run = self._asked.get()
            try:
                with self._pool.lend() as store:
                    prepare_once(store, next(head for head in store.runs() if head.id == run))
            except Exception as error:  # one unreadable run must not delay others
                if not isinstance(error, MtassayError):
                    traceback.print_exc()
                self.problems[run] = str(error)
