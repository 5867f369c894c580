"""The ways to write a block: one answer or one case, its texts behind their labels and with their marks."""

from __future__ import annotations

import html

from mtassay.display import Block, Line
from mtassay.texts.marks import marked, wrapped

__all__ = ["block_html", "block_text", "line_text"]


def block_text(block: Block, *, width: int, color: bool) -> str:
    """For a terminal of this width; marks are colours or brackets."""
    title = [wrapped(block.title, width=width, indent="  ", first="")] if block.title else []
    lines = [line_text(line, width=width, color=color, label=block.label) for line in block.lines]
    return "\n".join([*title, *lines])


def line_text(line: Line, *, width: int, color: bool, label: int) -> str:
    """One of its lines; texts begin after so many columns."""
    if line.label is None:
        return wrapped(line.text, line.marks, width=width, indent="    ", first="  ", color=color)
    first = f"  {line.label}".ljust(label)
    text = line.text or "(empty)"
    return wrapped(text, line.marks, width=width, indent=" " * label, first=first, color=color)


def block_html(block: Block) -> str:
    """A title and a list of texts, what is marked in `mark` elements."""
    rows = "".join(
        f"<dt>{html.escape(line.label or '')}</dt><dd>{_marked(line)}</dd>" for line in block.lines
    )
    return f"<p><b>{html.escape(block.title)}</b></p><dl>{rows}</dl>"


def _marked(line: Line) -> str:
    text = html.escape(marked(line.text, line.marks))
    return text.replace("[[", "<mark>").replace("]]", "</mark>")
