"""A page as HTML: one file with its style, its script and its sentences, which asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from mtassay.app.page.charts import drawing, figure_table, heat_cells, shade
from mtassay.app.page.contents import Page
from mtassay.app.page.sentences import CaseSelection, PageCases
from mtassay.changes.theme_tables import COUNTED
from mtassay.data.display import Block, Figure, Line, Table
from mtassay.data.marks import pieces, printable

__all__ = ["render_page"]

_LONGEST = 1200
"""Characters of any one text that is no sentence."""
_ROWS, _COLUMNS, _NOTES = 300, 60, 12


def render_page(page: Page) -> str:
    """The page as one text."""
    from jinja2 import Environment  # seldom used, and slow to load
    from markupsafe import Markup

    style, script = _asset("page.css"), _asset("page.js")
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=partial(_shown, Markup)
    )
    environment.filters |= {"pieces": _pieces, "brief": _brief, "tight": _tight}
    environment.tests |= {"table": lambda part: isinstance(part, Table)}
    template = environment.from_string(_asset("page.html"))
    return template.render(
        page=page,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        drawing=drawing,
        figure_table=figure_table,
        heat_cells=heat_cells,
        shade=shade,
        panels=_panels,
        cell_value=_cell_value,
        shown_table=_shown_table,
        found_in=_found_in,
        address=_address,
        block_parts=_block_parts,
        counted=COUNTED,
    )


def _asset(name: str) -> str:
    return files("mtassay.app.page").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """What the page may do: its own style and script, by their digests, and nothing else."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    own_style, own_script = (f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; img-src data:; style-src {own_style}; script-src {own_script}; "
        "base-uri 'none'; form-action 'none'"
    )


def _shown(markup: type, value: Any) -> Any:
    """Whatever stands in the page is visible, and has an end."""
    if value is None:
        return ""
    if isinstance(value, markup) or not isinstance(value, str):
        return value
    return _brief(value)


def _brief(text: str, most: int = _LONGEST) -> str:
    r"""The printable text, cut where it is too long, which is said.

    >>> _brief("a\x1bb"), _brief("x" * 30, 10)
    ('a\\x1bb', 'xxxxxxxxxx… (20 more characters)')
    """
    cut = len(text) - most
    return printable(text) if cut <= 0 else f"{printable(text[:most])}… ({cut:,} more characters)"


def _tight(text: str) -> str:
    """The text with numbers that are not parted from their names and signs at the end of a line.

    >>> _tight("BLEU 30.2, p < 0.001, n = 166, 4 %").count(" ")
    4
    """
    return _SIGN.sub("\u00a0", text)


_SIGN = re.compile(r"(?<=\b[pn]) (?=[=<])|(?<=\b[pn] [=<]) |(?<=\d) (?=%)")


def _pieces(line: Line) -> list[tuple[str, bool]]:
    return pieces(line.text or "(empty)", line.marks)


def _panels(figure: Figure) -> list[Figure]:
    """The figures that are drawn: one, or its panels."""
    return [panel for panel in figure.panels if panel is not None] if figure.kind == "panels" else [figure]


def _cell_value(figure: Figure, column: int, row: int) -> float | None:
    """The value in a cell of a map."""
    return next((p.y for p in figure.series[column].points if figure.place(p) == row), None)


class _ShownTable:
    """A table as far as there is room for it, and what was left out."""

    def __init__(self, table: Table) -> None:
        self.header = list(table.header[:_COLUMNS])
        self.rows = [row[:_COLUMNS] for row in table.cells()[:_ROWS]]
        self.words = [table.is_text(column) for column in range(len(self.header))]
        left = [
            f"{n:,} more {what}"
            for n, what in ((len(table.rows) - _ROWS, "rows"), (len(table.header) - _COLUMNS, "columns"))
            if n > 0
        ]
        self.left = f"Not shown: {', '.join(left)}." if left else ""
        self.notes = list(table.notes[:_NOTES])


def _shown_table(table: Table) -> _ShownTable:
    return _ShownTable(table)


def _found_in(what: Table | Figure, sentences: PageCases | None) -> Sequence[Sequence[CaseSelection | None]]:
    if sentences is None:
        return []
    return sentences.in_table(what) if isinstance(what, Table) else sentences.in_figure(what)


def _address(key: str, found: CaseSelection, sentences: PageCases) -> str:
    return f"{key}:{sentences.address(found)}"


def _block_parts(block: Block) -> list[Line]:
    return list(block.lines[:60])
