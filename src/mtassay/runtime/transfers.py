"""Limits for servers: a deadline for each whole call, and a limit on the memory of all answers.

httpx has a timeout for each step, which never ends a server that sends single bytes or `100 Continue`
forever. It also decompresses everything at once, so a few bytes can become gigabytes.
"""

from __future__ import annotations

import math
import socket
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

from mtassay.data.errors import BusyError

LARGEST = 8 * 2**20
"""Longest answer that is read, in bytes after decompression."""

ROOM = 32 * 2**20
"""Most bytes of all answers in progress together; their texts in memory take up to eight times as much."""

MOST_VALUES = 1_000_000
"""Most values in JSON: an empty list takes twenty times more memory than text in the answer."""

ENCODINGS = "gzip, deflate"
"""The compressions that we can read, as a request names them."""

_PIECE = 2**16
_MOST_LAYERS = 3
_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Set one deadline, in seconds, for everything that this thread transfers through our clients."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def make_client(**options: Any) -> httpx.Client:
    """Return a client that keeps the deadline of `within` even during a single step."""
    client = httpx.Client(**options)
    # httpx has no option for how its connections are made; a test would notice a change there.
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            transport._pool._network_backend = _Backend()
    return client


def _seconds_left(timeout: float | None) -> float:
    """Seconds left for the next step."""
    left = min(_deadline.get() - time.monotonic(), threading.TIMEOUT_MAX if timeout is None else timeout)
    if left <= 0:
        raise httpcore.ReadTimeout("the deadline")
    return left


class _Backend(httpcore.SyncBackend):
    """Makes connections that keep the deadline."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        # Each address of a host gets a share of the time, so that a silent one does not use all of it.
        for waiting in range(len(addresses), 0, -1):
            address = str(addresses[-waiting][4][0])
            try:
                seconds = _seconds_left(timeout) / waiting
                return _Stream(super().connect_tcp(address, port, seconds, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if waiting == 1:
                    raise
        raise httpcore.ConnectError(f"{host} has no address")


class _Stream(httpcore.NetworkStream):
    """A connection whose every step ends at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _seconds_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], _seconds_left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, _seconds_left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class Share:
    """One call's share of the memory for all answers in progress; freed at the end of the block."""

    _lock = threading.Lock()
    _shares: set[Share] = set()  # noqa: RUF012

    def __init__(self) -> None:
        self._taken = 0

    def __enter__(self) -> Share:
        with self._lock:
            self._shares.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._shares.discard(self)

    def take(self, size: int) -> bool:
        """Reserve so many more bytes; return whether there was room."""
        with self._lock:
            if sum(share._taken for share in self._shares) + size > ROOM:
                return False
            self._taken += size
            return True


def read_body(response: httpx.Response, share: Share, *, what: str) -> bytes:
    """The body of a response, decompressed; `BusyError` if it is too large or damaged."""
    received = bytearray()
    for piece in _decompressed(response.iter_raw(_PIECE), response.headers.get("content-encoding", ""), what):
        if len(received) + len(piece) > LARGEST:
            limit = f"{LARGEST / 2**20:g} MiB"
            raise BusyError(f"{what} answered more than {limit}. Ask for fewer texts at a time.")
        if not share.take(len(piece)):
            limit = f"{ROOM / 2**20:g} MiB"
            raise BusyError(f"{what}: the answers that are arriving take more than {limit} together")
        received += piece
    return bytes(received)


def check_values(content: bytes, *, what: str) -> None:
    """Refuse JSON of more values than `MOST_VALUES`, counted by its punctuation before it is parsed."""
    if len(content) > MOST_VALUES and sum(map(content.count, (b"[", b"{", b",", b":"))) > MOST_VALUES:
        raise BusyError(f"{what} answered JSON of more than {MOST_VALUES:,} values")


def _decompressed(pieces: Iterator[bytes], encodings: str, what: str) -> Iterator[bytes]:
    """Decompress the pieces, the last compression first."""
    layers = [name for part in encodings.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    known = all(name in ("gzip", "x-gzip", "deflate") for name in layers)
    if not known or len(layers) > _MOST_LAYERS:
        shown = "".join(c if c.isprintable() else " " for c in encodings[:40])
        raise BusyError(f"{what} answered in '{shown}', which is not read. Available: {ENCODINGS}.")
    for name in reversed(layers):
        pieces = _inflated(pieces, name.removeprefix("x-"), what)
    return pieces


def _inflated(pieces: Iterator[bytes], name: str, what: str) -> Iterator[bytes]:
    """Undo one compression, with at most `_PIECE` bytes at a time."""
    inflater: Any = None
    rest = b""
    try:
        for piece in pieces:
            rest += piece
            while rest:
                if time.monotonic() > _deadline.get():
                    raise httpx.ReadTimeout("the deadline")
                inflater = inflater or zlib.decompressobj(_window(name, rest))
                if plain := inflater.decompress(rest, _PIECE):
                    yield plain
                rest = inflater.unconsumed_tail
                if inflater.eof:
                    if name == "deflate":
                        return
                    # Another member of gzip may follow, or zeros that fill a block.
                    rest, inflater = inflater.unused_data.lstrip(b"\0"), None
        while inflater and (plain := inflater.decompress(b"", _PIECE)):
            yield plain
        if inflater and not inflater.eof:
            raise zlib.error("cut off")
    except zlib.error:
        raise BusyError(f"{what} answered damaged {name}") from None


def _window(name: str, start: bytes) -> int:
    """The setting of zlib for the format: gzip, or deflate with a frame or, from some servers, without."""
    if name == "gzip":
        return 31
    is_framed = start[0] & 15 == 8 and (len(start) < 2 or int.from_bytes(start[:2]) % 31 == 0)
    return 15 if is_framed else -15
