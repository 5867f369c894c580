"""One item's outputs over years, with their verdicts (Macketanz et al. 2022, table 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from mtassay.core import Run
from mtassay.display import Cell, Table
from mtassay.formats.suite import Item
from mtassay.methods.suite.evidence import VerdictEvidence, status_of
from mtassay.methods.suite.system_names import SystemInGroup
from mtassay.texts.marks import find_words, marked, wrapped

__all__ = ["GroupOutput", "ItemOutputs", "SystemItems", "item_block", "item_rows", "items_table"]

_STATUS = len("undecided")


@dataclass(frozen=True, slots=True)
class GroupOutput:
    """What a system put out in one group; `text` of `None` means nothing, and `status` says why."""

    group: str
    name: str
    status: str
    text: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ItemOutputs:
    """An item and what became of it in each group, in order. `focus` are words of the source to mark."""

    id: str
    category: str
    phenomenon: str
    source: str
    focus: Sequence[str]
    outputs: Sequence[GroupOutput]


def item_block(item: ItemOutputs, *, width: int, color: bool) -> str:
    """For a terminal of this width; correct outputs are bold where that can be shown."""
    wide = max(len("source"), *(len(output.group) for output in item.outputs))
    head = f"{item.id} · {item.category} › {item.phenomenon}"
    lines = [wrapped(head, width=width, indent="  ", first="")]
    spans = find_words(item.source, item.focus)
    first = f"  {'source':<{wide}}  "
    lines.append(wrapped(item.source, spans, width=width, indent=" " * len(first), first=first, color=color))
    for output in item.outputs:
        first = f"  {output.group:<{wide}}  {output.status:<{_STATUS}}  "
        text = output.text or "–"
        bold = [(0, len(text))] if color and output.status == "correct" else []
        lines.append(wrapped(text, bold, width=width, indent=" " * len(first), first=first, color=color))
    return "\n".join(lines)


def items_table(items: Sequence[ItemOutputs], *, title: str) -> Table:
    """Items side by side and groups below each other, as in the paper; correct outputs are bold."""
    header = ["", *(f"{item.phenomenon} ({item.category})" for item in items)]
    rows: list[list[Cell | str]] = [
        ["Test item", *(marked(item.source, find_words(item.source, item.focus)) for item in items)]
    ]
    for number, output in enumerate(items[0].outputs):
        cells = [item.outputs[number] for item in items]
        rows.append(
            [
                f"{output.group} output",
                *(Cell(marked(cell.text or "–"), strong=cell.status == "correct") for cell in cells),
            ]
        )
    return Table(header, rows, title, ["Bold: correct. [[…]]: the words that carry the phenomenon."])


def item_rows(items: Sequence[ItemOutputs]) -> Table:
    """One output a row, for programs and spreadsheets."""
    header = ["id", "category", "phenomenon", "source", "group", "system", "status", "output"]
    rows = [
        [item.id, item.category, item.phenomenon, item.source, o.group, o.name, o.status, o.text or ""]
        for item in items
        for o in item.outputs
    ]
    return Table(header, rows)


@dataclass(frozen=True)
class SystemItems:
    """What one system made of items in each group; `names` are all that it was called."""

    system: str
    names: Sequence[str]
    items: Sequence[ItemOutputs]

    @classmethod
    def of(
        cls, run: Run, items: Sequence[Item], entries: Sequence[SystemInGroup], system: str | None
    ) -> Self:
        """From a run whose systems are the numbers of the entries; by default of a system in most groups."""
        chosen = system or Counter(entry.system for entry in entries).most_common(1)[0][0]
        groups = dict.fromkeys(entry.group for entry in entries)
        places = {entry.group: number for number, entry in enumerate(entries) if entry.system == chosen}
        findings = {(finding.case_id, finding.system): finding for finding in run.findings}
        texts = {(name, o.id): o.text for name, answers in run.outputs.items() for o in answers}
        item_outputs = []
        for item in items:
            outputs = []
            for group in groups:
                if group not in places:
                    outputs.append(GroupOutput(group, "", "absent", None, "the system is not in this group"))
                    continue
                number = places[group]
                finding, text = findings[item.id, str(number)], texts[str(number), item.id]
                why = VerdictEvidence.of(finding.evidence).why if text is not None else ""
                outputs.append(GroupOutput(group, entries[number].name, status_of(finding), text, why))
            item_outputs.append(
                ItemOutputs(item.id, item.category, item.phenomenon, item.source, item.focus, outputs)
            )
        return cls(chosen, list(dict.fromkeys(e.name for e in entries if e.system == chosen)), item_outputs)

    @property
    def title(self) -> str:
        """Whose outputs these are, by all its names."""
        others = ", ".join(name for name in self.names if name != self.system)
        return f"Outputs of {self.system} ({others})" if others else f"Outputs of {self.system}"

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {"system": self.system, "items": [asdict(item) for item in self.items]}
