"""A system that needs no engine, for tests: predictable translations, and faults on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from mtassay.data.errors import BusyError, ClosedError, RejectedError, UsageError
from mtassay.data.nouns import Output, Request
from mtassay.systems.live import Limits, LiveSystem, signature

ADAPTER = 1


@dataclass(slots=True)
class CallCounts:
    """Counts of a `Fake` so far: calls, texts in them, and the most calls at the same time."""

    calls: int = 0
    texts: int = 0
    most_at_once: int = 0
    now: int = field(default=0, repr=False)
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def begin(self, texts: int) -> int:
        """Count one call and return its number, from 1."""
        with self.lock:
            self.calls += 1
            self.texts += texts
            self.now += 1
            self.most_at_once = max(self.most_at_once, self.now)
            return self.calls

    def end(self) -> None:
        """Count the end of one call."""
        with self.lock:
            self.now -= 1


@dataclass(frozen=True, kw_only=True)
class Fake(LiveSystem):
    """Reverses words (`reverse`), returns capitals (`upper`) or the text (`copy`), or calls `respond`.

    Every call takes `delay` seconds. Calls are counted from 1: every `busy_every`-th raises `BusyError`
    (with `retry_after` seconds), every `fail_every`-th `RejectedError`, every `lose_every`-th gives one
    output too few, and from call number `closed_from` on all raise `ClosedError`. `None` means never.
    May be called from many threads; `counts` says what was asked.

    >>> from mtassay.data.languages import parse_pair
    >>> fake = Fake(name="f", pair=parse_pair("en-de"), busy_every=2)
    >>> fake.translate([Request("1", "good old times")])
    [Output(id='1', text='times old good', error=None, meta={})]
    >>> fake.translate([Request("1", "good old times")])
    Traceback (most recent call last):
    mtassay.data.errors.BusyError: fake 'f': call 2 is busy
    >>> fake.counts
    CallCounts(calls=2, texts=2, most_at_once=1)
    """

    scheme: ClassVar[str] = "fake"
    subject: ClassVar[str] = "style"

    style: Literal["reverse", "upper", "copy"] = "reverse"
    respond: Callable[[str], str] | None = field(default=None, metadata={"option": False})
    delay: float = 0.0
    fail_every: int | None = None
    busy_every: int | None = None
    retry_after: float | None = None
    lose_every: int | None = None
    closed_from: int | None = None
    batch: int = 1
    in_flight: int = 4
    calls_per_second: float | None = None
    counts: CallCounts = field(default_factory=CallCounts, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("fail_every", "busy_every", "lose_every", "closed_from", "batch", "in_flight"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"system '{self.name}': {name} is {value}. Give 1 or more.")

    @property
    def signature(self) -> str:
        answers = self.style if self.respond is None else f"{self.respond.__module__}.{self._respond_name}"
        return signature("fake", answers=answers, pair=self.pair, adapter=ADAPTER)

    @property
    def limits(self) -> Limits:
        return Limits(batch=self.batch, in_flight=self.in_flight, calls_per_second=self.calls_per_second)

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        number = self.counts.begin(len(requests))
        try:
            if self.delay:
                time.sleep(self.delay)
            self._misbehave(number)
            outputs = [self._answer(request) for request in requests]
            return outputs[:-1] if _is_due(number, self.lose_every) else outputs
        finally:
            self.counts.end()

    def _misbehave(self, number: int) -> None:
        if self.closed_from is not None and number >= self.closed_from:
            raise ClosedError(f"fake '{self.name}': closed from call {self.closed_from} on")
        if _is_due(number, self.busy_every):
            raise BusyError(f"fake '{self.name}': call {number} is busy", retry_after=self.retry_after)
        if _is_due(number, self.fail_every):
            raise RejectedError(f"fake '{self.name}': call {number} is rejected")

    def _answer(self, request: Request) -> Output:
        if request.text is None:
            return Output(request.id, None, "no source text")
        return Output(request.id, (self.respond or _STYLES[self.style])(request.text))

    @property
    def _respond_name(self) -> str:
        return getattr(self.respond, "__qualname__", type(self.respond).__qualname__)


def _is_due(number: int, every: int | None) -> bool:
    return every is not None and number % every == 0


_STYLES: dict[str, Callable[[str], str]] = {
    "reverse": lambda text: " ".join(reversed(text.split())),
    "upper": str.upper,
    "copy": str,
}
