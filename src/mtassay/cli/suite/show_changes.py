"""Prints which verdicts changed, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.cli.terminal import terminal_width
from mtassay.display import Table
from mtassay.methods.suite.changes import Changes
from mtassay.methods.suite.evidence import STATUSES
from mtassay.texts.marks import printable, wrapped

__all__ = ["Compared", "print_changes"]


@dataclass(frozen=True, slots=True)
class Compared:
    """What changed, in what, and what could not be compared."""

    title: str
    changes: Changes
    left_out: Mapping[str, int]


def print_changes(found: Compared, form: OutputFormat) -> None:
    """All changes in this format; in a table of text with the outputs and the reasons."""
    changes = found.changes
    left_out = {what: count for what, count in found.left_out.items() if count}
    if form is OutputFormat.json:
        systems = {name: {"old": changes.old[name], "new": changes.new[name]} for name in changes.new}
        records = [asdict(change) for change in changes.changes]
        print_json({"systems": systems, "left_out": left_out, "changes": records})
        return
    if form is OutputFormat.tsv:
        header = ["system", "item", "old", "new", "output", "old_why", "why"]
        rows = [
            [name, c.item, c.old, c.new, c.output or "", c.old_why, c.why]
            for c in changes.changes
            for name in c.systems
        ]
        print_tables([Table(header, rows)], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    echo(f"{comment}{found.title}\n")
    print_tables([_table(changes)], form)
    for what, count in left_out.items():
        echo(f"\n{comment}Left out: {what}: {count:,}")
    if form is OutputFormat.text:
        _print_changes(changes)


def _table(changes: Changes) -> Table:
    shown = [
        status
        for status in STATUSES
        if status in STATUSES[:3]
        or any(counts.get(status) for counts in (*changes.old.values(), *changes.new.values()))
    ]
    moved = Counter(name for change in changes.changes for name in change.systems)
    rows = [
        [
            printable(name),
            *(_step(changes.old[name].get(status, 0), changes.new[name].get(status, 0)) for status in shown),
            str(moved[name]),
        ]
        for name in changes.new
    ]
    return Table(["System", *shown, "changed"], rows)


def _step(old: int, new: int) -> str:
    return str(old) if old == new else f"{old} → {new}"


def _print_changes(changes: Changes) -> None:
    width = terminal_width()
    if not changes.changes:
        echo("\nNo verdict changed.")
    for change in changes.changes:
        echo(f"\n{change.item}: {change.old} → {change.new} ({', '.join(map(printable, change.systems))})")
        if change.output is not None:
            echo(wrapped(change.output, width=width, indent="  "))
        echo(wrapped(f"before: {change.old_why}", width=width, indent="    ", first="  "))
        echo(wrapped(f"now: {change.why}", width=width, indent="    ", first="  "))
