"""Blocks of text with labels and marks, in a terminal and as HTML."""

from __future__ import annotations

import html

from mtassay.display import Block, Line
from mtassay.texts.marks import LIMIT, marked, printable, wrapped

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
    """A title and a list of texts, what is marked in `mark` elements.

    >>> block_html(Block([Line("output", "[[a]] <b>", [(2, 3)])], "1"))
    '<p><b>1</b></p><dl><dt>output</dt><dd>[[<mark>a</mark>]] &lt;b&gt;</dd></dl>'
    """
    rows = "".join(
        f"<dt>{html.escape(line.label or '')}</dt><dd>{_marked(line)}</dd>" for line in block.lines
    )
    return f"<p><b>{html.escape(block.title)}</b></p><dl>{rows}</dl>"


def _marked(line: Line) -> str:
    """The text as HTML, whatever brackets it has; of a long one, as in a terminal, beginning and end."""
    if len(line.text) > LIMIT:
        return html.escape(marked(line.text))
    parts, at = [], 0
    for start, end in sorted(line.marks):
        if at <= start < end <= len(line.text):
            parts += [_escaped(line.text[at:start]), f"<mark>{_escaped(line.text[start:end])}</mark>"]
            at = end
    return "".join([*parts, _escaped(line.text[at:])])


def _escaped(text: str) -> str:
    return html.escape(printable(text))
