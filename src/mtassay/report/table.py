"""The ways to write a table: terminal, TSV, Markdown, LaTeX, HTML."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from mtassay.display import Cell, Table
from mtassay.texts.marks import display_width, printable

__all__ = ["escape_markdown", "latex_comment", "to_html", "to_latex", "to_markdown", "to_text", "to_tsv"]


def to_tsv(table: Table) -> str:
    """Header and rows, tab-separated; tabs and line breaks inside a cell become spaces.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    rows = [list(table.header), *([cell.text for cell in row] for row in table.cells())]
    return "\n".join("\t".join(_plain(" ".join(text.split())) for text in row) for row in rows)


def _plain(text: str) -> str:
    """A cell that is no formula, and shows all it has.

    >>> _plain("=1+1"), _plain("-0.5"), _plain("+1.2 %"), _plain("-1+cmd")
    ("'=1+1", '-0.5', '+1.2 %', "'-1+cmd")
    """
    shown = printable(text)
    return f"'{shown}" if shown.startswith(("=", "@")) or _FORMULA.match(shown) else shown


_FORMULA = re.compile(r"[+-](?![\d.,:]*\d[\d.,]*(e[+-]?\d+)?\s?%?$|$|∞|inf)")


def to_markdown(table: Table) -> str:
    """A GitHub-style table, the title in bold above it, the notes below; words left, numbers right."""
    if not table.rows:
        return "\n\n".join([escape_markdown(line) for line in (table.nothing, *table.notes)])
    aligned = [":--" if table.is_text(column) else "--:" for column in range(len(table.header))]
    rows = [[escape_markdown(h) for h in table.header], aligned]
    for row in table.cells():
        rows.append([f"**{escape_markdown(c.text)}**" if c.strong else escape_markdown(c.text) for c in row])
    parts = [f"**{escape_markdown(table.title)}**\n"] if table.title else []
    parts += ["| " + " | ".join(row) + " |" for row in rows]
    parts += [f"\n{escape_markdown(note)}" for note in table.notes]
    return "\n".join(parts)


def to_latex(table: Table) -> str:
    """A `tabular` for the booktabs package; title and notes as comments."""
    if not table.rows:
        return "\n".join(map(latex_comment, (table.nothing, *table.notes)))
    lines = [latex_comment(line) for line in (table.title, *table.notes) if line]
    columns = "".join("l" if table.is_text(column) else "r" for column in range(len(table.header)))
    lines += [f"\\begin{{tabular}}{{{columns}}}", "\\toprule"]
    lines += [" & ".join(_escape_latex(h) for h in table.header) + " \\\\", "\\midrule"]
    for row in table.cells():
        texts = [_escape_latex(cell.text) for cell in row]
        strong = [f"\\textbf{{{t}}}" if cell.strong else t for t, cell in zip(texts, row, strict=True)]
        lines.append(" & ".join(strong) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def latex_comment(text: str) -> str:
    """One comment, whatever line breaks the text has."""
    return f"% {printable(' '.join(text.split()))}"


def to_html(table: Table) -> str:
    """A `table` element with the title as its caption; the notes below, in a `small` element each."""
    head = "".join(f"<th>{html.escape(printable(name))}</th>" for name in table.header)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{_strong(html.escape(printable(c.text)), c.strong)}</td>" for c in row)
        + "</tr>"
        for row in table.cells()
    )
    caption = f"<caption>{html.escape(printable(table.title))}</caption>" if table.title else ""
    notes = "".join(f"<small>{html.escape(printable(note))}</small><br>" for note in table.notes)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"


def _strong(text: str, strong: bool) -> str:
    return f"<b>{text}</b>" if strong else text


def to_text(table: Table, *, width: int, color: bool) -> str:
    """For a terminal of this width. A wider table is continued below, with its first column repeated."""
    below = [
        line for note in table.notes for line in textwrap.wrap(printable(note), width, break_on_hyphens=False)
    ]
    if not table.rows:
        return "\n".join([printable(table.nothing), *below])
    rows = [[Cell(header) for header in table.header], *table.cells()]
    rows = [[replace(cell, text=printable(cell.text)) for cell in row] for row in rows]
    widths = [max(display_width(row[i].text) for row in rows) for i in range(len(table.header))]
    widths[0] = min(widths[0], max(width // 3, _NARROWEST))
    blocks = [_block(rows, widths, columns, color) for columns in _fitting(widths, width)]
    above = [_bold(printable(table.title), color)] if table.title else []
    return "\n".join([*above, "\n\n".join(blocks), *below])


def _fitting(widths: Sequence[int], width: int) -> list[list[int]]:
    """Which columns stand side by side: the first one in every part, the others where there is room."""
    parts: list[list[int]] = [[0]]
    for column in range(1, len(widths)):
        used_width = sum(widths[i] + len(_GAP) for i in parts[-1])
        if used_width + widths[column] > width and len(parts[-1]) > 1:
            parts.append([0])
        parts[-1].append(column)
    return parts


def _block(rows: Sequence[Sequence[Cell]], widths: Sequence[int], columns: Sequence[int], color: bool) -> str:
    lines = []
    for number, row in enumerate(rows):
        names = textwrap.wrap(row[0].text, widths[0], subsequent_indent="  ") or [""]
        cells = [_pad(row[0], names[0], -widths[0], color)]
        cells += [_pad(row[i], row[i].text, widths[i], color) for i in columns[1:]]
        lines += [_GAP.join(cells), *names[1:]]
        if number == 0:
            lines.append("─" * (sum(widths[i] for i in columns) + len(_GAP) * (len(columns) - 1)))
    return "\n".join(line.rstrip() for line in lines)


_GAP = "  "
_NARROWEST = 10


def _pad(cell: Cell, text: str, width: int, color: bool) -> str:
    """The text in this width, to the right; a negative width means to the left."""
    space = " " * (abs(width) - display_width(text))
    shown = _bold(text, color and cell.strong)
    return shown + space if width < 0 else space + shown


def _bold(text: str, color: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if color else text


def escape_markdown(text: str) -> str:
    r"""The text on one line, with what Markdown would take for its own made plain.

    >>> print(escape_markdown("[a](javascript:x) ![b](//c) 1 | 2 <i>"))
    [a\](javascript:x) ![b\](//c) 1 \| 2 &lt;i>
    """
    return _MARKDOWN.sub(r"\\\1", printable(_BLANKS.sub(" ", text))).replace("<", "&lt;")


_BLANKS = re.compile(r"\s+")
_MARKDOWN = re.compile(r"([\\`*|]|\](?=[(\[:])|(?<!\w)_|_(?!\w))")  # what makes code, bold, cells, links


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in printable(" ".join(text.split())))


_LATEX = {
    "\\": "\\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "±": "$\\pm$",
    "−": "$-$",
    "Δ": "$\\Delta$",
}
