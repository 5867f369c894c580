"""Blocks of text with labels and marks, in a terminal and as HTML."""

from __future__ import annotations

import html

from mtassay.display import Block, Line
from mtassay.report.table import escape_markdown
from mtassay.texts.marks import pieces, printable, wrapped

__all__ = ["block_html", "block_markdown", "block_text", "line_text"]


def block_text(block: Block, *, width: int, color: bool) -> str:
    """For a terminal of this width; marks are colours or brackets."""
    title = [wrapped(block.title, width=width, indent="  ", first="")] if block.title else []
    lines = [line_text(line, width=width, color=color, label=block.label) for line in block.lines]
    return "\n".join([*title, *lines])


def line_text(line: Line, *, width: int, color: bool, label: int) -> str:
    """One of its lines; texts begin after so many columns."""
    if line.label is None:
        return wrapped(line.text, line.marks, width=width, indent="    ", first="  ", color=color)
    first = f"  {printable(line.label)}".ljust(label)
    text = line.text or "(empty)"
    return wrapped(text, line.marks, width=width, indent=" " * label, first=first, color=color)


def block_html(block: Block) -> str:
    """A title and a list of texts, what is marked in `mark` elements.

    >>> block_html(Block([Line("output", "[[a]] <b>", [(2, 3)])], "1"))
    '<p><b>1</b></p><dl><dt>output</dt><dd>[[<mark>a</mark>]] &lt;b&gt;</dd></dl>'
    """
    rows = "".join(f"<dt>{_escaped(line.label or '')}</dt><dd>{_marked(line)}</dd>" for line in block.lines)
    return f"<p><b>{_escaped(block.title)}</b></p><dl>{rows}</dl>"


def block_markdown(block: Block) -> str:
    r"""A title and a list of texts, what is marked in bold.

    >>> print(block_markdown(Block([Line("output", "a *b* c", [(0, 1)])], "1")))
    **1**
    <BLANKLINE>
    - output: **a** \*b\* c
    """
    texts = [
        "".join(
            f"**{escape_markdown(t)}**" if strong else escape_markdown(t)
            for t, strong in pieces(line.text, line.marks)
        )
        for line in block.lines
    ]
    labels = [escape_markdown(line.label or "") for line in block.lines]
    rows = [f"- {label}: {text}" if label else f"- {text}" for label, text in zip(labels, texts, strict=True)]
    title = [f"**{escape_markdown(block.title)}**"] if block.title else []
    return "\n\n".join([*title, "\n".join(rows)]) if rows else "".join(title)


def _marked(line: Line) -> str:
    """The text as HTML, whatever brackets it has."""
    return "".join(
        f"<mark>{html.escape(text)}</mark>" if strong else html.escape(text)
        for text, strong in pieces(line.text, line.marks)
    )


def _escaped(text: str) -> str:
    return html.escape(printable(text))
