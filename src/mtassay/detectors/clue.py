"""A clue: something about a translation that speaks for an error."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Clue"]


class Clue(NamedTuple):
    """A number that is the larger the more it speaks for an error, and why, in a line; empty: no words.

    `words` are those that it is about, in small letters.
    """

    value: float
    why: str = ""
    words: tuple[str, ...] = ()
