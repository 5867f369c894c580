"""Reads one key from the terminal, without Enter where the terminal can do that."""

from __future__ import annotations

import os
import sys

__all__ = ["END", "read_key", "read_line"]

END = "\x04"
"""What Ctrl-D gives, and the end of the input."""


def read_key() -> str:
    """The next key in lower case; `END` when there is no more input.

    What was typed before is dropped: nobody can mean it for what they have not seen. Of a longer piece
    (an arrow key, a paste) only the beginning counts.
    """
    try:
        import termios
        import tty
    except ImportError:  # no such terminal, as on Windows
        return read_line("")[:1].lower()
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
        data = os.read(descriptor, 1024)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    return data.decode("utf-8", "ignore")[:1].lower() or END


def read_line(prompt: str) -> str:
    """A line that ends with Enter; `END` when there is no more input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else END
