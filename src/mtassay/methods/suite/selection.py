"""Chooses items of a suite, and holds some of them back."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import own_suites, read_suite
from mtassay.data.formats.suite_items import Item, Suite, expand, macros_in
from mtassay.data.language_packs import install_line
from mtassay.data.registry import named

__all__ = [
    "Choice",
    "Halves",
    "contents",
    "hold_back",
    "overview",
    "select",
    "used_macros",
]


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
    items = named(suite.items, choice.categories, "category", lambda item: (item.category,))
    items = named(items, choice.phenomena, "phenomenon", lambda item: (item.phenomenon,))
    items = named(items, choice.tags, "tag", lambda item: item.tags)
    items = named(items, choice.ids, "id", lambda item: (item.id,))
    if choice.approved:
        items = [item for item in items if not item.is_draft]
    if choice.public is not None:
        items = [item for item in items if item.public == choice.public]
    if suite.items and not items:
        raise UsageError(f"No item of {suite.path or suite.name} is all that was asked for.")
    return replace(suite, items=tuple(items))


def overview() -> list[dict[str, Any]]:
    """The suites of installed language packs, a record each; a `UsageError` where there is none."""
    if not own_suites():
        raise UsageError(f"No language pack with a suite is installed. Ours: {install_line('pt')}")
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


@dataclass(frozen=True, slots=True)
class Halves:
    """A suite in two; `shown_twice` are hidden items whose source a public item has too."""

    public: Suite
    hidden: Suite
    shown_twice: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """For each category, and for all, how many items are in which half."""
        public, hidden = (Counter(i.category for i in suite.items) for suite in (self.public, self.hidden))
        rows = [(name, public[name] + hidden[name], public[name], hidden[name]) for name in public + hidden]
        rows.append(("all", public.total() + hidden.total(), public.total(), hidden.total()))
        columns = ("category", "items", "public", "hidden")
        return [dict(zip(columns, row, strict=True)) for row in rows]


def hold_back(suite: Suite, share: float, *, seed: int) -> Halves:
    """The suite in two: of each phenomenon this share is hidden, rounded to the nearest item, halves down.

    So of 5 items with a share of 0.5, 2 are hidden, and of a single one none. Items that are hidden already
    stay so, and count. Which others go with them depends on the seed and their sources alone. Items keep
    their order. The public part has only the macros that its rules use; the hidden one has all.
    """
    if not 0 < share < 1:
        raise UsageError(f"The share to hold back must be between 0 and 1, not {share:g}.")
    groups: dict[tuple[str, str, str], list[int]] = {}
    for place, item in enumerate(suite.items):
        groups.setdefault((item.langpair, item.category, item.phenomenon), []).append(place)
    hidden: set[int] = set()
    for places in groups.values():
        hidden.update(_chosen(suite.items, places, share, seed))
    public = tuple(item for place, item in enumerate(suite.items) if place not in hidden)
    secret = tuple(replace(item, public=False) for place, item in enumerate(suite.items) if place in hidden)
    used = used_macros(public, suite.macros, path=suite.path)
    macros = {name: pattern for name, pattern in suite.macros.items() if name in used}
    sources = {item.source for item in public}
    return Halves(
        replace(suite, items=public, macros=macros),
        replace(suite, items=secret),
        tuple(item.id for item in secret if item.source in sources),
    )


def _chosen(items: Sequence[Item], places: Sequence[int], share: float, seed: int) -> list[int]:
    # Decimal digits as written: 0.7 * 5 must be 3.5, not a little less.
    number = math.ceil(Fraction(str(share)) * len(places) - Fraction(1, 2))
    already = [place for place in places if not items[place].public]
    others = [place for place in places if items[place].public]

    def rank(place: int) -> str:
        return hashlib.sha256(f"{seed}\t{items[place].source}".encode("utf-8", "replace")).hexdigest()

    return already + sorted(others, key=rank)[: max(number - len(already), 0)]


def used_macros(items: Sequence[Item], macros: Mapping[str, str], *, path: str = "") -> frozenset[str]:
    """The macros that expressions of these items use, directly or within other macros."""
    used: set[str] = set()
    for item in items:
        for rule in (*item.positive_regex, *item.negative_regex):
            try:
                expand(rule.text, macros)
            except ValueError as error:
                raise InputError(f"'{item.id}': {error}", path=path, line=item.line) from None
            waiting = macros_in(rule.text)
            while waiting:
                if (name := waiting.pop()) not in used:
                    used.add(name)
                    waiting += macros_in(macros[name])
    return frozenset(used)
