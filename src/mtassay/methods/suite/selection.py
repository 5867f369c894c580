"""What a suite holds, and how to choose from it: by category, phenomenon, tag, id, and how far items are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from mtassay.errors import UsageError
from mtassay.formats.suite import Item, Suite, own_suites, read_suite

__all__ = ["Choice", "contents", "overview", "select"]

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


def overview() -> list[dict[str, Any]]:
    """The suites that come with mtassay, a record each."""
    return [_summary(name, read_suite(path)) for name, path in own_suites().items()]


def _summary(name: str, suite: Suite) -> dict[str, Any]:
    return {
        "suite": name,
        "langpair": suite.langpair,
        "categories": len({item.category for item in suite.items}),
        "phenomena": len({(item.category, item.phenomenon) for item in suite.items}),
        **_counts(suite.items),
    }


def contents(suite: Suite, *, nested: bool = False, total: bool = False) -> list[dict[str, Any]]:
    """What a suite holds, one record a phenomenon.

    `nested` puts them below their category, so that they fit on a screen; `total` adds a record for all.
    """
    records: list[dict[str, Any]] = []
    for category in dict.fromkeys(item.category for item in suite.items):
        within = [item for item in suite.items if item.category == category]
        if nested:
            records.append({"category": category, **_counts(within)})
        for phenomenon in dict.fromkeys(item.phenomenon for item in within):
            counts = _counts([item for item in within if item.phenomenon == phenomenon])
            names = {"category": category, "phenomenon": phenomenon}
            records.append({**({"category": f"· {phenomenon}"} if nested else names), **counts})
    if total:
        names = {"category": "all"} if nested else {"category": "all", "phenomenon": ""}
        records.append({**names, **_counts(suite.items)})
    return records


def _counts(items: Sequence[Item]) -> dict[str, int]:
    return {
        "items": len(items),
        "with_rules": sum(item.has_rules for item in items),
        "drafts": sum(item.is_draft for item in items),
        "hidden": sum(not item.public for item in items),
    }
