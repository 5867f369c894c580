"""Ctrl-C at the command line: one line on standard error and exit code 130, at any moment.

The current work is unwound once, so that files and the workspace stay whole; a second Ctrl-C does not disturb
that. If other code swallows the first one or takes too long, the process ends anyway.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import textwrap
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

STOPPED = 130
"""The exit code after Ctrl-C, as in shells."""

LINE = "mtassay: stopped. Answers of live engines are saved. To continue, run the same command again."

_PATIENCE = 5.0  # seconds to leave everything whole


class Interruption:
    """Whether Ctrl-C was pressed, and how the process reacts."""

    def __init__(self) -> None:
        self.is_pressed = False
        self._rescue: threading.Timer | None = None

    def catch(self) -> None:
        """Catch Ctrl-C from now on, unless this process is set to ignore it (`nohup`, `&`)."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            # Python prints exceptions where none can be raised; this would be a traceback.
            for name in ("excepthook", "unraisablehook"):
                setattr(sys, name, _except_ctrl_c(getattr(sys, name)))

    def ignore(self) -> None:
        """Ignore Ctrl-C after the end of all work."""
        if signal.getsignal(signal.SIGINT) == self._press:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def settle(self) -> None:
        """Forget a Ctrl-C that was taken as the answer to a question; it stops nothing else."""
        self.is_pressed = False
        if self._rescue is not None:
            self._rescue.cancel()

    def end(self) -> NoReturn:
        """Print that we stop, and stop. Python prints nothing after this."""
        with suppress(OSError, ValueError):  # a reader that has ended, or a closed stream
            sys.stdout.flush()
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{on_stderr(LINE)}\n")
            sys.stderr.flush()
        os._exit(STOPPED)

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.is_pressed:
            return
        self.is_pressed = True
        self._rescue = threading.Timer(_PATIENCE, self.end)
        self._rescue.daemon = True
        self._rescue.start()
        raise KeyboardInterrupt


CTRL_C = Interruption()
"""The interruption of this process."""


def _except_ctrl_c(hook: Any) -> Any:
    """Wrap a hook of `sys` so that it ignores Ctrl-C."""

    def call(*arguments: Any) -> None:
        kind = getattr(arguments[0], "exc_type", arguments[0])
        if not issubclass(kind, KeyboardInterrupt):
            hook(*arguments)

    return call


# Unexpected errors at the command line: one line that calls it our bug, and exit code 70.


BUG = 70
"""The exit code of an internal error, as sysexits.h has it (EX_SOFTWARE)."""

_PACKAGE = Path(__file__).resolve().parent.parent.parent


def tell_bug(error: BaseException) -> int:
    """Print one line on standard error: the error and its place; return the exit code."""
    if isinstance(error, MemoryError):
        _say("there is not enough memory for this. Take fewer texts at a time, or a larger machine.")
        return 2
    from mtassay.runtime.http_calls import redact  # the message of an error may contain a key

    what = redact(" ".join(f"{type(error).__name__}: {error}".split()))[:200]
    _say(
        f"a bug of ours, sorry: {what} ({_place(error)}). What was finished is kept."
        " Run the same with --debug and send us what it says."
    )
    return BUG


def _place(error: BaseException) -> str:
    """Return the innermost line of our code."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE):
            return f"{path.relative_to(_PACKAGE).as_posix()} line {frame.lineno}"
    return "outside of mtassay"


def on_stderr(line: str) -> str:
    """Return the line for standard error: in a terminal it replaces a line of progress and wraps at words."""
    if not sys.stderr.isatty():
        return line
    width = max(shutil.get_terminal_size((80, 24)).columns, 60)
    return "\r\x1b[K" + textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def _say(line: str) -> None:
    shown = "".join(character if character.isprintable() else " " for character in line)
    print(on_stderr(f"mtassay: {shown}"), file=sys.stderr)  # noqa: T201
