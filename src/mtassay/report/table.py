"""A table of text, and the ways to write it: terminal, TSV, Markdown, LaTeX."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Align = Literal["left", "right"]
Format = Literal["text", "json", "tsv", "md", "latex"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `strong` ones are bold where that can be shown."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a header. The first column is aligned left, all others right."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    title: str = ""
    notes: Sequence[str] = field(default_factory=tuple)

    def cells(self) -> list[list[Cell]]:
        """The rows, every cell a `Cell`."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in self.rows]


def to_tsv(table: Table) -> str:
    """Header and rows, tab-separated; tabs and line breaks inside a cell become spaces."""
    rows = [list(table.header), *([cell.text for cell in row] for row in table.cells())]
    return "\n".join("\t".join(" ".join(text.split()) for text in row) for row in rows)


def to_markdown(table: Table) -> str:
    """A GitHub-style table, the title in bold above it, the notes below."""
    aligned = [":--", *("--:" for _ in table.header[1:])]
    rows = [[_escape_markdown(h) for h in table.header], aligned]
    for row in table.cells():
        rows.append(
            [f"**{_escape_markdown(c.text)}**" if c.strong else _escape_markdown(c.text) for c in row]
        )
    parts = [f"**{table.title}**\n"] if table.title else []
    parts += ["| " + " | ".join(row) + " |" for row in rows]
    parts += [f"\n{_escape_markdown(note)}" for note in table.notes]
    return "\n".join(parts)


def to_latex(table: Table) -> str:
    """A `tabular` for the booktabs package; title and notes as comments."""
    lines = [f"% {line}" for line in (table.title, *table.notes) if line]
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}", "\\toprule"]
    lines += [" & ".join(_escape_latex(h) for h in table.header) + " \\\\", "\\midrule"]
    for row in table.cells():
        texts = [_escape_latex(cell.text) for cell in row]
        strong = [f"\\textbf{{{t}}}" if cell.strong else t for t, cell in zip(texts, row, strict=True)]
        lines.append(" & ".join(strong) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def to_text(table: Table, *, width: int, color: bool) -> str:
    """For a terminal of this width."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=color, no_color=not color, highlight=False)
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, header in enumerate(table.header):
        shown.add_column(Text(header), justify="right" if i else "left", overflow="fold", no_wrap=bool(i))
    for row in table.cells():
        shown.add_row(*(Text(cell.text, style="bold" if cell.strong else "") for cell in row))
    if table.title:
        console.print(Text(table.title, style="bold"))
    console.print(shown)
    for note in table.notes:
        console.print(Text(note, style="dim"))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _escape_markdown(text: str) -> str:
    return (
        " ".join(text.split())
        .replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("*", "\\*")
    )


def _escape_latex(text: str) -> str:
    for character, escaped in _LATEX:
        text = text.replace(character, escaped)
    return text


_LATEX = [
    ("\\", "\\textbackslash "),
    *((character, f"\\{character}") for character in "&%$#_{}"),
    ("~", "\\textasciitilde "),
    ("^", "\\textasciicircum "),
    ("±", "$\\pm$"),
    ("−", "$-$"),
    ("Δ", "$\\Delta$"),
]
