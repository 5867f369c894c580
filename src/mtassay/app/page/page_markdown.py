"""A page as Markdown, for a pull request: what matters first, a table a run, what got worse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mtassay.app.page.contents import ChangesPart, Page, RunPart
from mtassay.data.display import Block, Table
from mtassay.report.run_text import block_markdown, escape_markdown, to_markdown

__all__ = ["LONGEST", "render_markdown"]

LONGEST = 60_000
"""Characters; a service for pull requests takes little more."""
_ROWS, _COLUMNS, _CELL = 40, 14, 160
_CASES = 3


def render_markdown(page: Page, *, longest: int = LONGEST) -> str:
    """The page as Markdown, cut after a whole part where it would be longer, which is said."""
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
    yield f"# {_brief(page.title, 200)}"
    if glance := page.glance():
        if glance.sentence:
            yield f"**{_brief(glance.sentence)}**"
        yield _table(glance.table)
    for heading, kind in (
        ("Which is better", "better"),
        ("What each is worst at", "weak"),
        ("What is open", "open"),
    ):
        proofs = page.proofs(kind)
        if kind == "weak":
            yield from _changes(page.changes)
        if proofs:
            yield f"## {heading}"
        lines = [f"- {_tag(page, part)}{_brief(proof.headline.text)}" for part, proof in proofs]
        for place in range(0, len(lines), 20):
            yield "\n".join(lines[place : place + 20])
    for table in page.gates:
        yield _table(table)
    if page.themes:
        yield "## What failures have in common"
        for it in (*page.themes[:10], *page.themes[10:][-1:]):  # the last one says what was counted
            yield _table(it) if isinstance(it, Table) else block_markdown(it)
    for part in page.parts:
        yield from _run(part)


def _changes(changes: Iterable[ChangesPart]) -> Iterable[str]:
    for part in changes:
        yield f"## What changed: {_brief(part.title)}"
        yield "\n".join(f"- {_brief(text)}" for text in part.sentences_told)
        for note in part.notes:
            yield _brief(note)
        for table in part.tables:
            yield _table(table)
        for view in part.sentences.views[:_CASES]:
            head = " · ".join([view.id, *view.groups])
            lines = [
                line._replace(label=answer.system if line.label == "output" else line.label)
                for answer in view.answers
                for line in answer.lines
            ]
            yield block_markdown(Block([*view.lines, *lines], head))


def _run(part: RunPart) -> Iterable[str]:
    yield f"## {_brief(part.title, 120)}"
    if part.facts:
        yield _brief(part.facts)
    if part.tables:
        yield _table(part.tables[0])
    notes = [note for note in part.run.result.notes if note not in part.facts]
    if notes:
        yield "\n\n".join(_brief(note) for note in notes[:10])


def _tag(page: Page, part: RunPart) -> str:
    return f"*{_brief(part.tag, 60)}* · " if len(page.parts) > 1 else ""


def _table(table: Table) -> str:
    """The table as far as there is room for it."""
    rows = [
        [replace(cell, text=_cut(cell.text, _CELL)) for cell in row[:_COLUMNS]]
        for row in table.cells()[:_ROWS]
    ]
    left = [
        f"{n:,} more {what}"
        for n, what in ((len(table.rows) - _ROWS, "rows"), (len(table.header) - _COLUMNS, "columns"))
        if n > 0
    ]
    notes = [_cut(note, 1000) for note in table.notes[:8]]
    notes += [f"Not shown: {', '.join(left)}."] if left else []
    header = [_cut(name, _CELL) for name in table.header[:_COLUMNS]]
    return to_markdown(replace(table, header=header, rows=rows, notes=notes, groups=()))


def _brief(text: str, most: int = 1000) -> str:
    return escape_markdown(_cut(text, most))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"
