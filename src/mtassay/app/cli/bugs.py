"""What nobody expected, told at the command line: one line that calls it our bug, and exit code 70."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

__all__ = ["BUG", "tell"]

BUG = 70
"""The exit code of an internal error, as sysexits.h has it (EX_SOFTWARE)."""

_PACKAGE = Path(__file__).resolve().parent.parent.parent


def tell(error: BaseException) -> int:
    """One line on standard error that says what broke and where; gives the exit code."""
    if isinstance(error, MemoryError):
        _say("there is not enough memory for this. Take fewer texts at a time, or a larger machine.")
        return 2
    from mtassay.runtime.http_calls import redact  # what an error says may have a key in it

    what = redact(" ".join(f"{type(error).__name__}: {error}".split()))[:200]
    _say(
        f"a bug of ours, sorry: {what} ({_place(error)}). What was finished is kept."
        " Run the same with --debug and send us what it says."
    )
    return BUG


def _place(error: BaseException) -> str:
    """The innermost line of ours."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE):
            return f"{path.relative_to(_PACKAGE).as_posix()} line {frame.lineno}"
    return "outside of mtassay"


def _say(line: str) -> None:
    shown = "".join(character if character.isprintable() else " " for character in line)
    print(f"mtassay: {shown}", file=sys.stderr)  # noqa: T201
