"""Shows how far a run is, once it takes longer than a person likes to wait without a word."""

from __future__ import annotations

import builtins
import sys
import threading
import time
from types import TracebackType
from typing import Self

_PATIENCE = 1.5  # seconds without a word
_PLAIN_EVERY = 10.0  # seconds between lines where there is no terminal, and before the first


def is_notebook() -> bool:
    """Whether a person looks on in a notebook, which is no terminal and still shows a line that changes."""
    shell = getattr(builtins, "get_ipython", None)
    return shell is not None and "ipykernel" in sys.modules


class Progress:
    """A context whose `report` an engine can call; writes to standard error only.

    In a terminal one line that is renewed; elsewhere (a log, CI) a line now and then.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty() or is_notebook()
        self._started = time.monotonic()
        self._step = ("", 0, None)  # type: tuple[str, int, int | None]
        self._stop = threading.Event()
        from mtassay.metrics.base import WATCHER  # which loads NumPy

        self._thread = threading.Thread(target=self._show, daemon=True, name=WATCHER)
        self._since = (self._started, 0)
        self._shown = False

    def __enter__(self) -> Self:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._shown and self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def report(self, step: str, done: int, total: int | None) -> None:
        """What is being done now."""
        now = time.monotonic()
        if done < self._step[1] or total != self._step[2]:
            self._since = (now, done)
        self._step = (step, done, total)

    def _line(self) -> str:
        """The step, how far it is, how fast, and how long it will take."""
        step, done, total = self._step
        now = time.monotonic()
        if not total:
            return f"{step} … {now - self._started:.0f} s"
        began, before = self._since
        rate = (done - before) / max(now - began, 1e-6)
        left = f" · {rate:.3g}/s · {(total - done) / rate:.0f} s left" if rate > 0 else ""
        return f"{step} · {done:,} of {total:,}{left}"

    def _show(self) -> None:
        wait = _PATIENCE if self._terminal else _PLAIN_EVERY
        while not self._stop.wait(wait):
            line = self._line()
            sys.stderr.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
            sys.stderr.flush()
            self._shown = True
            wait = 0.2 if self._terminal else _PLAIN_EVERY
