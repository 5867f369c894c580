"""Choosing by name: patterns as in a shell, whose case does not matter, and what to say if nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TypeVar

from mtassay.errors import UsageError

__all__ = ["named", "suggest"]

_Entry = TypeVar("_Entry")
_FEW = 10  # names that a message lists


def named(
    entries: Iterable[_Entry],
    patterns: Sequence[str],
    what: str,
    names_of: Callable[[_Entry], Sequence[str]],
    *,
    has: str = "item has",
) -> list[_Entry]:
    """The entries one of whose names fits one of the patterns; without patterns, all of them.

    A pattern that no entry fits is a `UsageError`, which says what could have been meant.

    >>> named(["Modal verbs", "Negation"], ["modal*"], "category", lambda name: [name])
    ['Modal verbs']
    >>> named(["Modal verbs", "Negation"], ["negatoin"], "category", lambda name: [name])
    Traceback (most recent call last):
    mtassay.errors.UsageError: No item has the category 'negatoin'. Near: Negation.
    """
    everything = list(entries)
    if not patterns:
        return everything
    names = {name.lower(): name for entry in everything for name in names_of(entry)}
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern.lower()) for name in names):
            raise UsageError(f"No {has} the {what} '{pattern}'. {suggest(pattern, names.values())}")
    chosen = {name for name in names if any(fnmatchcase(name, pattern.lower()) for pattern in patterns)}
    return [entry for entry in everything if any(name.lower() in chosen for name in names_of(entry))]


def suggest(word: str, names: Iterable[str]) -> str:
    """What could have been meant: names like it, or else the first few there are.

    >>> suggest("sytems", ["systems", "pair"]), suggest("x", ["systems", "pair"])
    ('Near: systems.', 'Available: systems, pair.')
    """
    by_case = {name.lower(): name for name in names}
    if near := get_close_matches(word.lower(), by_case, n=3):
        return f"Near: {', '.join(by_case[name] for name in near)}."
    if not by_case:
        return "There are none."
    return f"Available: {', '.join(list(by_case.values())[:_FEW])}{'…' if len(by_case) > _FEW else '.'}"
