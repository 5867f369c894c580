"""What the terminal can show."""

from __future__ import annotations

import os
import shutil
import sys

__all__ = ["shows_bold", "terminal_width"]


def terminal_width() -> int:
    """Columns, 60 at least; 80 where there is no terminal."""
    return max(shutil.get_terminal_size((80, 24)).columns, 60)


def shows_bold() -> bool:
    """Whether standard output is a terminal that shows bold, and nobody said no."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ
