"""One item's outputs over years, with their verdicts (Macketanz et al. 2022, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtassay.display import Cell, Table
from mtassay.texts.marks import find_words, marked, wrapped

__all__ = ["GroupOutput", "ItemOutputs", "item_block", "item_rows", "items_table"]

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
