"""Connections of the review page: strangers can hold few of them, and each for a short time."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["IDLE_S", "MOST", "Connection"]

MOST = 500
"""Connections at once; those that strangers cannot have are for invited people."""
IDLE_S = 30
"""How long an invited person's connection may wait for the next request."""


class Connection(H11Protocol):
    """A connection that is a stranger's until a request on it shows a valid invitation.

    A stranger's is cut after a while, whatever it does, and before that where newer strangers need the room:
    an invited person is recognised by the first request, long before as many newer connections are there. So
    people behind one proxy, who have one address, need not wait until idle connections of that address end.
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
        """Take note of whether the request under way is an invited person's; from any thread."""
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
        """Give an invited person time for the next request, which must be there whole by then."""
        super().on_response_complete()
        if self.is_invited:
            self._wait(self.idle_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time-out."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def cut(self) -> None:
        """End it at once: a peer that does not read would keep it from being closed well."""
        self.connections.discard(self)
        self.transport.abort()
