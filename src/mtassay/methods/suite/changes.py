"""Which verdicts changed between two judgements of the same outputs, system by system and item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mtassay.core import Finding
from mtassay.methods.suite.evidence import Evidence, status_of

__all__ = ["Change", "Changes", "compare"]


@dataclass(frozen=True, slots=True)
class Change:
    """One output of an item that is judged in another way; `systems` are all that gave it."""

    item: str
    output: str | None
    systems: tuple[str, ...]
    old: str
    new: str
    old_why: str
    why: str


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes in the order of the items, and how many outputs each system has of each status."""

    changes: tuple[Change, ...]
    old: Mapping[str, Mapping[str, int]]
    new: Mapping[str, Mapping[str, int]]


def compare(
    old: Iterable[Finding], new: Iterable[Finding], texts: Mapping[tuple[str, str], str | None]
) -> Changes:
    """What changed from `old` to `new`. Only what both judged is compared and counted.

    `texts` are the outputs by system and item.
    """
    before = {(finding.system, finding.case_id): finding for finding in old}
    old_counts: dict[str, Counter[str]] = {}
    new_counts: dict[str, Counter[str]] = {}
    found: dict[tuple[str, str | None, str, str], list[tuple[Finding, Finding]]] = {}
    order: dict[str, int] = {}
    for finding in new:
        order.setdefault(finding.case_id, len(order))
        key = (finding.system, finding.case_id)
        if key not in before:
            continue
        first = before[key]
        was, now = status_of(first), status_of(finding)
        old_counts.setdefault(finding.system, Counter())[was] += 1
        new_counts.setdefault(finding.system, Counter())[now] += 1
        if was != now:
            found.setdefault((finding.case_id, texts.get(key), was, now), []).append((first, finding))
    changes = [
        Change(
            item,
            output,
            tuple(f.system for _, f in pairs),
            was,
            now,
            *(Evidence.of(f.evidence).why for f in pairs[0]),
        )
        for (item, output, was, now), pairs in found.items()
    ]
    changes.sort(key=lambda change: order[change.item])
    return Changes(tuple(changes), old_counts, new_counts)
