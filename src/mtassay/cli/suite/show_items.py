"""Prints the outputs of single items over years."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.engine import Execution
from mtassay.formats.suite import Suite
from mtassay.methods.suite.evidence import status_of
from mtassay.methods.suite.item_tables import GroupOutput, ItemOutputs, item_block, item_rows, items_table
from mtassay.methods.suite.system_names import Entry

__all__ = ["print_items"]


def print_items(
    execution: Execution, suite: Suite, entries: Sequence[Entry], system: str | None, form: OutputFormat
) -> None:
    """What a system made of each item of the suite in each group; by default a system that is in most."""
    chosen = system or Counter(entry.system for entry in entries).most_common(1)[0][0]
    shown = _items(execution, suite, entries, chosen)
    if form is OutputFormat.json:
        print_json({"system": chosen, "items": [asdict(item) for item in shown]})
    elif form is OutputFormat.tsv:
        print_tables([item_rows(shown)], form)
    elif form is OutputFormat.text:
        echo(_title(chosen, entries))
        for item in shown:
            echo(f"\n{item_block(item, width=terminal_width(), color=shows_bold())}")
    else:
        print_tables([items_table(shown, title=_title(chosen, entries))], form)


def _items(execution: Execution, suite: Suite, entries: Sequence[Entry], chosen: str) -> list[ItemOutputs]:
    groups = dict.fromkeys(entry.group for entry in entries)
    places = {entry.group: number for number, entry in enumerate(entries) if entry.system == chosen}
    findings = {(finding.case_id, finding.system): finding for finding in execution.run.findings}
    items = []
    for place, item in enumerate(suite.items):
        outputs = []
        for group in groups:
            if group not in places:
                outputs.append(GroupOutput(group, "", "absent", None, "the system is not in this group"))
                continue
            number = places[group]
            finding = findings[item.id, str(number)]
            text = execution.outputs[str(number)][place].text
            why = str(finding.evidence.get("why", ""))
            outputs.append(GroupOutput(group, entries[number].name, status_of(finding), text, why))
        items.append(ItemOutputs(item.id, item.category, item.phenomenon, item.source, item.focus, outputs))
    return items


def _title(chosen: str, entries: Sequence[Entry]) -> str:
    names = dict.fromkeys(entry.name for entry in entries if entry.system == chosen)
    others = ", ".join(name for name in names if name != chosen)
    return f"Outputs of {chosen} ({others})" if others else f"Outputs of {chosen}"
