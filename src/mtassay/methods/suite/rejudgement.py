"""Which verdicts changed between two judgements of the same outputs, system by system and item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mtassay.core import Finding, Output
from mtassay.display import Table
from mtassay.methods.suite.evidence import STATUSES, VerdictEvidence, status_of
from mtassay.texts.marks import printable

__all__ = ["Changes", "ComparedJudgements", "StatusChange", "compare"]


@dataclass(frozen=True, slots=True)
class StatusChange:
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

    changes: tuple[StatusChange, ...]
    old: Mapping[str, Mapping[str, int]]
    new: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class ComparedJudgements:
    """What changed, in what, and what could not be compared; `run` is the new judgement, where it is kept."""

    title: str
    changes: Changes
    left_out: Mapping[str, int]
    run: str = ""

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        old, new = self.changes.old, self.changes.new
        return {
            "systems": {name: {"old": old[name], "new": new[name]} for name in new},
            "left_out": self.left_out,
            "changes": [asdict(change) for change in self.changes.changes],
        }

    def table(self) -> Table:
        """How many outputs of each system have which status, before and now."""
        old, new = self.changes.old, self.changes.new
        shown = [
            status
            for status in STATUSES
            if status in STATUSES[:3] or any(counts.get(status) for counts in (*old.values(), *new.values()))
        ]
        moved = Counter(name for change in self.changes.changes for name in change.systems)
        rows = [
            [
                printable(name),
                *(_step(old[name].get(status, 0), new[name].get(status, 0)) for status in shown),
                str(moved[name]),
            ]
            for name in new
        ]
        return Table(["System", *shown, "changed"], rows)

    def rows(self) -> Table:
        """One change of one system a row."""
        rows = [
            [name, c.item, c.old, c.new, c.output or "", c.old_why, c.why]
            for c in self.changes.changes
            for name in c.systems
        ]
        return Table(["system", "item", "old", "new", "output", "old_why", "why"], rows)


def _step(old: int, new: int) -> str:
    return str(old) if old == new else f"{old} → {new}"


def compare(
    old: Iterable[Finding], new: Iterable[Finding], outputs: Mapping[str, Sequence[Output]]
) -> Changes:
    """What changed from `old` to `new`. Only what both judged is compared and counted.

    `outputs` are those that both judged, by system.
    """
    texts = {(system, output.id): output.text for system, answers in outputs.items() for output in answers}
    before = {(finding.system, finding.case_id): finding for finding in old}
    old_counts: dict[str, Counter[str]] = {}
    new_counts: dict[str, Counter[str]] = {}
    by_change: dict[tuple[str, str | None, str, str], list[tuple[Finding, Finding]]] = {}
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
            by_change.setdefault((finding.case_id, texts.get(key), was, now), []).append((first, finding))
    changes = [
        StatusChange(
            item,
            output,
            tuple(f.system for _, f in pairs),
            was,
            now,
            *(VerdictEvidence.of(f.evidence).why for f in pairs[0]),
        )
        for (item, output, was, now), pairs in by_change.items()
    ]
    changes.sort(key=lambda change: order[change.item])
    return Changes(tuple(changes), old_counts, new_counts)
