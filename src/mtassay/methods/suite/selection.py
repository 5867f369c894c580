"""Chooses items of a suite: by category, phenomenon, tag, id, and by how far they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

from mtassay.errors import UsageError
from mtassay.formats.suite import Item, Suite

__all__ = ["Choice", "select"]

_FEW = 10
"""Names that a message lists."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What to choose; within one field any of the names will do, an empty field means all.

    Names may be patterns as in a shell (`Modal*`), and their case does not matter.
    """

    categories: Sequence[str] = ()
    phenomena: Sequence[str] = ()
    tags: Sequence[str] = ()
    ids: Sequence[str] = ()
    approved: bool = False
    public: bool | None = None


def select(suite: Suite, choice: Choice) -> Suite:
    """The suite with the chosen items only. A name that no item has is a `UsageError`."""
    items = suite.items
    items = _named(items, choice.categories, "category", lambda item: (item.category,))
    items = _named(items, choice.phenomena, "phenomenon", lambda item: (item.phenomenon,))
    items = _named(items, choice.tags, "tag", lambda item: item.tags)
    items = _named(items, choice.ids, "id", lambda item: (item.id,))
    if choice.approved:
        items = tuple(item for item in items if not item.is_draft)
    if choice.public is not None:
        items = tuple(item for item in items if item.public == choice.public)
    if suite.items and not items:
        raise UsageError(f"No item of {suite.path or suite.name} is all that was asked for.")
    return replace(suite, items=items)


def _choices(pattern: str, known: Mapping[str, str]) -> str:
    """What could have been meant: names like it, or else the first few there are."""
    if near := get_close_matches(pattern, known, n=3):
        return f"Near: {', '.join(known[name] for name in near)}."
    if not known:
        return "There are none."
    return f"Available: {', '.join(list(known.values())[:_FEW])}{'…' if len(known) > _FEW else '.'}"


def _named(
    items: tuple[Item, ...], wanted: Sequence[str], what: str, names_of: Callable[[Item], Sequence[str]]
) -> tuple[Item, ...]:
    if not wanted:
        return items
    known = {name.lower(): name for item in items for name in names_of(item)}
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern.lower()) for name in known):
            raise UsageError(f"No item has the {what} '{pattern}'. {_choices(pattern.lower(), known)}")
    chosen = {name for name in known if any(fnmatchcase(name, pattern.lower()) for pattern in wanted)}
    return tuple(item for item in items if any(name.lower() in chosen for name in names_of(item)))
