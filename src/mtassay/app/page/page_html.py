"""A page of runs as HTML, and as Markdown."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Any

from mtassay.app.page.charts import drawing, figure_table, heat_cells, shade
from mtassay.app.page.contents import ChangesPart, Page, RunPart
from mtassay.app.page.sentences import CaseSelection, PageCases
from mtassay.data.display import Block, Figure, Line, Table
from mtassay.data.marks import pieces, printable
from mtassay.report.run_text import block_markdown, escape_markdown, to_markdown

_LONGEST = 1200
"""Largest number of characters of a text that is no sentence."""
_ROWS, _COLUMNS, _NOTES = 300, 60, 12


def render_page(page: Page, *, home: str = "") -> str:
    """Return the page as one text; `home` is the address for the link in a served page."""
    from jinja2 import Environment  # rarely used, and slow to load
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=partial(_shown, Markup)
    )
    environment.filters |= {"pieces": _pieces, "brief": _brief, "tight": _tight}
    environment.tests |= {"table": lambda part: isinstance(part, Table)}
    template = environment.from_string(_asset("page.html"))
    return template.render(
        page=page,
        home=home,
        style=Markup(_asset("page.css")),
        script=Markup(_asset("page.js")),
        policy=page_policy(),
        drawing=drawing,
        figure_table=figure_table,
        heat_cells=heat_cells,
        shade=shade,
        panels=_panels,
        cell_value=_cell_value,
        shown_table=_ShownTable,
        found_in=_found_in,
        short_example=_short_example,
    )


def _asset(name: str) -> str:
    return files("mtassay.app.page").joinpath(name).read_text(encoding="utf-8")


def page_policy() -> str:
    """Return the page's permissions: its own style and script, by their digests, and nothing else."""
    digests = (
        base64.b64encode(hashlib.sha256(_asset(name).encode()).digest()).decode()
        for name in ("page.css", "page.js")
    )
    own_style, own_script = (f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; img-src data:; style-src {own_style}; script-src {own_script}; "
        "base-uri 'none'; form-action 'none'"
    )


def _shown(markup: type, value: Any) -> Any:
    """Make every character visible, and cut a long text."""
    if value is None:
        return ""
    if isinstance(value, markup) or not isinstance(value, str):
        return value
    return _brief(value)


def _brief(text: str, most: int = _LONGEST) -> str:
    r"""Return the printable text, cut if it is too long, with a remark.

    >>> _brief("a\x1bb"), _brief("x" * 30, 10)
    ('a\\x1bb', 'xxxxxxxxxx… (20 more characters)')
    """
    cut = len(text) - most
    return printable(text) if cut <= 0 else f"{printable(text[:most])}… ({cut:,} more characters)"


def _tight(text: str) -> str:
    """Return the text with numbers that keep their names and signs on the same line.

    >>> _tight("BLEU 30.2, p < 0.001, n = 166, 4 %").count(" ")
    4
    """
    return _SIGN.sub("\u00a0", text)


_SIGN = re.compile(r"(?<=\b[pn]) (?=[=<])|(?<=\b[pn] [=<]) |(?<=\d) (?=%)")


def _pieces(line: Line) -> list[tuple[str, bool]]:
    return pieces(line.text or "(empty)", line.marks)


def _panels(figure: Figure) -> list[Figure]:
    """Return the figures to draw: one, or its panels."""
    return [panel for panel in figure.panels if panel is not None] if figure.kind == "panels" else [figure]


def _cell_value(figure: Figure, column: int, row: int) -> float | None:
    """Return the value in a cell of a map."""
    return next((p.y for p in figure.series[column].points if figure.place(p) == row), None)


class _ShownTable:
    """Return as much of a table as fits, and the number of rows left out."""

    def __init__(self, table: Table, rows: int = _ROWS, columns: int = _COLUMNS, notes: int = _NOTES) -> None:
        self.header = list(table.header[:columns])
        self.rows = [row[:columns] for row in table.cells()[:rows]]
        self.words = [table.is_text(column) for column in range(len(self.header))]
        left = [
            f"{n:,} more {what}"
            for n, what in ((len(table.rows) - rows, "rows"), (len(table.header) - columns, "columns"))
            if n > 0
        ]
        self.left = f"Not shown: {', '.join(left)}." if left else ""
        self.notes = list(table.notes[:notes])


def _found_in(
    what: Table | Figure, sentences: PageCases | None, drawn: Figure | None = None
) -> Sequence[Sequence[CaseSelection | None]]:
    """Return the cases of each cell of a table, which may be that of a drawn figure, or of a map."""
    if sentences is None:
        return []
    if drawn and (drawn.groups or drawn.measure):
        return [[None, *row] for row in sentences.in_figure(drawn)]
    if isinstance(what, Figure):
        return sentences.in_figure(what)
    return sentences.in_table(what, has_counts=drawn is None)


def _short_example(block: Block) -> list[Line]:
    """Return the proof of a risk: the source, the output, and the reason if nothing is marked."""
    kept = {
        line.label: line for line in block.lines[::-1] if line.label in ("source", "output", "edited", "why")
    }
    answer = "output" if "output" in kept else "edited"
    if answer in kept and kept[answer].marks:
        kept.pop("why", None)
    return [_around_the_mark(kept[label]) for label in ("source", answer, "why") if label in kept]


_EXCERPT, _BEFORE = 160, 60  # characters of a text, and of what comes before the first mark


def _around_the_mark(line: Line) -> Line:
    """Return an excerpt of a long text, with its first mark.

    >>> line = _around_the_mark(Line("output", "x " * 200 + "bad", [(400, 403)]))
    >>> line.text[:4], line.text[line.marks[0][0] :]
    ('…  x', 'bad')
    """
    start = max(0, min(start for start, *_ in line.marks) - _BEFORE) if line.marks else 0
    if start + _EXCERPT >= len(line.text):
        start = max(0, len(line.text) - _EXCERPT) if line.marks else start
    if not start:
        return line._replace(text=_brief(line.text, _EXCERPT))
    end = start + _EXCERPT
    inside = [(a - start + 2, min(b, end) - start + 2) for a, b, *_ in line.marks if a < end]
    return line._replace(text=f"… {_brief(line.text[start:], _EXCERPT)}", marks=inside)


# A page as Markdown, for a pull request: headlines first, a table per run, what got worse.


LONGEST = 60_000
"""Largest number of characters; a service for pull requests accepts little more."""
_MARKDOWN_ROWS, _MARKDOWN_COLUMNS, _CELL = 40, 14, 160
_CASES = 3


def render_markdown(page: Page, *, longest: int = LONGEST) -> str:
    """Return the page as Markdown, cut after a whole part if it is too long, with a remark."""
    kept: list[str] = []
    used = 0
    ending = "*Cut here: the page has all of it (mtassay report RUN -o report.html).*"
    for part in _parts(page):
        used += len(part) + 2
        if used > longest - len(ending) - 4:
            return "\n\n".join([*kept, ending]) + "\n"
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _parts(page: Page) -> Iterable[str]:
    yield f"# {_page_markdown_brief(page.title, 200)}"
    if page.parts:
        told = page.decision
        yield f"**{_page_markdown_brief(told.advice)}**"
        yield "\n".join(f"- {_page_markdown_brief(text)}" for text in told.lines()[1:] if text[:1] != " ")
        if told.command:
            is_plain = re.fullmatch(r"[\w .,:=/-]+", told.command) is not None  # nothing ends the fence
            yield f"```\n{told.command}\n```" if is_plain else _page_markdown_brief(told.command)
    if glance := page.glance():
        yield _table(glance.table)
    yield from _changes(page.changes)
    yield from map(_table, page.gates)
    if page.themes:
        yield "## What failures have in common"
        for it in (*page.themes[:10], *page.themes[10:][-1:]):  # the last one says what was counted
            yield _table(it) if isinstance(it, Table) else block_markdown(it)
    for part in page.parts:
        yield from _run(part)


def _changes(changes: Iterable[ChangesPart]) -> Iterable[str]:
    for part in changes:
        yield f"## What changed: {_page_markdown_brief(part.title)}"
        yield "\n".join(f"- {_page_markdown_brief(text)}" for text in part.sentences_told)
        yield from map(_page_markdown_brief, part.notes)
        yield from map(_table, part.tables)
        for view in part.sentences.views[:_CASES]:
            head = " · ".join([view.id, *view.groups])
            lines = [
                line._replace(label=answer.system if line.label == "output" else line.label)
                for answer in view.answers
                for line in answer.lines
            ]
            yield block_markdown(Block([*view.lines, *lines], head))


def _run(part: RunPart) -> Iterable[str]:
    yield f"## {_page_markdown_brief(part.title, 120)}"
    if part.facts:
        yield _page_markdown_brief(part.facts)
    lines = [f"- {_page_markdown_brief(proof.headline.text)}" for proof in part.proofs]
    for place in range(0, len(lines), 20):
        yield "\n".join(lines[place : place + 20])
    if part.tables:
        yield _table(part.tables[0])
    notes = [note for note in part.run.result.notes if note not in part.facts]
    if notes:
        yield "\n\n".join(_page_markdown_brief(note) for note in notes[:10])


def _table(table: Table) -> str:
    """Return as much of the table as fits."""
    shown = _ShownTable(table, _MARKDOWN_ROWS, _MARKDOWN_COLUMNS, 8)
    rows = [[replace(cell, text=_brief(cell.text, _CELL)) for cell in row] for row in shown.rows]
    notes = [_brief(note, 1000) for note in filter(None, (*shown.notes, shown.left))]
    header = [_brief(name, _CELL) for name in shown.header]
    return to_markdown(replace(table, header=header, rows=rows, notes=notes, groups=()))


def _page_markdown_brief(text: str, most: int = 1000) -> str:
    return escape_markdown(_brief(text, most))
