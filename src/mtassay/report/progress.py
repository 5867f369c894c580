"""Shows how far a run is, once it takes longer than a person likes to wait without a word."""

from __future__ import annotations

import builtins
import sys
import threading
import time
from types import TracebackType
from typing import Self

from mtassay.runtime.processes import WATCHER

_PATIENCE = 1.5  # seconds without a word
_EVERY = 0.2  # seconds between two looks of the line


def is_notebook() -> bool:
    """Whether a person looks on in a notebook, which is no terminal and still shows a line that changes."""
    shell = getattr(builtins, "get_ipython", None)
    return shell is not None and "ipykernel" in sys.modules


class Progress:
    """A context whose `report` an engine can call: one line on standard error that is renewed.

    Where nobody looks on (a pipe, a log, CI), and with `quiet`, there is none.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet or not (sys.stderr.isatty() or is_notebook())
        self._started = time.monotonic()
        self._step = ("", 0, None)  # type: tuple[str, int, int | None]
        self._stop = threading.Event()
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
        if self._shown:
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
        wait = _PATIENCE
        while not self._stop.wait(wait):
            sys.stderr.write(f"\r\x1b[K{self._line()}")
            sys.stderr.flush()
            self._shown = True
            wait = _EVERY
