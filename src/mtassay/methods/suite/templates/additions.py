"""Keeps what people added to a generated suite when it is generated again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mtassay.errors import UsageError
from mtassay.formats.suite import RULE_FIELDS, Item, Suite, read_suite
from mtassay.texts.marks import plural

__all__ = ["Kept", "carry_over", "keep_work"]


@dataclass(frozen=True, slots=True)
class Kept:
    """The new suite with what people added to the old one.

    `items` are how many of them carry something over; `lost` are the ids of old items that hold work of
    people and that the templates do not make any more, with the same source.
    """

    suite: Suite
    items: int = 0
    lost: tuple[str, ...] = ()


def carry_over(old: Suite, new: Suite) -> Kept:
    """What people added: tokens, rules with a date, items held back, and approvals of what did not change.

    Items are the same if id and source are. Items of the old suite that no template made are people's work.
    """
    old_by_id = {item.id: item for item in old.items}
    new_by_id = {item.id: item for item in new.items}
    items = []
    changed = 0
    for item in new.items:
        old_item = old_by_id.get(item.id)
        kept = _kept(old_item, item) if old_item and old_item.source == item.source else item
        changed += kept != item
        items.append(kept)
    lost = [
        item.id
        for item in old.items
        if _is_work(item) and (item.id not in new_by_id or new_by_id[item.id].source != item.source)
    ]
    return Kept(replace(new, items=tuple(items)), changed, tuple(lost))


def keep_work(path: Path, new: Suite) -> Kept:
    """What people added to the suite in a file, put into the new one; work that would be lost is refused."""
    kept = carry_over(read_suite(path), new)
    if kept.lost:
        raise UsageError(
            f"{path}: work of people is in {plural(len(kept.lost), 'item')} no longer made "
            f"({', '.join(kept.lost[:3])}{'…' if len(kept.lost) > 3 else ''}). Write to another file, "
            "or drop it with --overwrite."
        )
    return kept


def _kept(old: Item, new: Item) -> Item:
    rules: dict[str, Any] = {
        name: (*getattr(new, name), *(r for r in getattr(old, name) if _is_added(name, r, new)))
        for name in RULE_FIELDS
    }
    item = replace(new, **rules, public=new.public and old.public)
    return replace(item, approver=old.approver) if replace(item, approver=old.approver) == old else item


def _is_added(name: str, rule: Any, new: Item) -> bool:
    return (name.endswith("tokens") or bool(rule.date)) and rule not in getattr(new, name)


def _is_work(item: Item) -> bool:
    """Whether a person wrote the item, settled one of its outputs, or approved it."""
    if not ("Template " in item.note and " of " in item.note):
        return True
    tokens = item.positive_tokens or item.negative_tokens
    dated = any(rule.date for name in RULE_FIELDS for rule in getattr(item, name))
    return bool(item.approver or tokens or dated)
