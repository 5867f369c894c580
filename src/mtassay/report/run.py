"""A run as text, Markdown, LaTeX, TSV, JSON or HTML, whatever its method: what commands print."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Literal, get_args

from mtassay.core import Result, Run
from mtassay.display import PLAIN, Block, Table, View
from mtassay.errors import MissingExtraError, UsageError
from mtassay.method import method_of
from mtassay.report.blocks import block_html, block_markdown, block_text
from mtassay.report.table import (
    escape_markdown,
    latex_comment,
    to_html,
    to_latex,
    to_markdown,
    to_text,
    to_tsv,
)
from mtassay.texts.marks import json_text, printable

__all__ = ["Form", "render", "render_block", "render_brief", "render_html", "render_tables", "score_rows"]

Form = Literal["text", "json", "tsv", "md", "latex"]
"""How a run is written; for people and for programs."""

SCORE_COLUMNS = (
    *("name", "system", "group", "value", "n", "low", "high", "signature", "rank"),
    *("against", "delta", "p", "detectable", "more"),
)
"""What a row of scores and comparisons has; the same for every result."""

_WIDTH = 80


def render(
    run: Run,
    form: Form = "text",
    *,
    view: View = PLAIN,
    facts: str | None = None,
    seen_notes: Collection[str] = (),
    width: int = _WIDTH,
    color: bool = False,
) -> str:
    """The run in this format. `facts` is the line to begin with, unless it is the method's own.

    `seen_notes` are notes that the reader has seen already.
    """
    if form not in get_args(Form):
        raise UsageError(f"No format '{form}'. Available: {', '.join(get_args(Form))}.")
    method = method_of(run)
    if form == "json":
        record = {**method.record(run), **method.differences_record(run, view)}
        return json_text(record, indent=2)
    if form == "tsv" and view.examples:
        raise UsageError("Differences of systems are no table for tsv. Choose text, md, latex or json.")
    if form == "tsv":
        return to_tsv(score_rows(run.result))
    if form == "text" and not color and not view.mark:
        view = replace(view, mark="*")
    about = method.facts(run) if facts is None else facts
    notes = [note for note in run.result.notes if note not in seen_notes and note not in about]
    first, *others = method.tables(run, view)
    parts = [_remark(about, form, width)] if about else []
    if form == "text":
        parts += [block_text(block, width=width, color=color) for block in method.blocks(run, view)]
    elif view.cases != 0 and (table := method.cases_table(run, view)) is not None:
        parts.append(render_tables([table], form))
    parts.append(render_tables([first], form, width=width, color=color))
    parts += [_remark(note, form, width) for note in notes]
    if others:
        parts.append(render_tables(others, form, width=width, color=color))
    if signatures := method.signatures(run):
        parts.append(_fenced(signatures, form))
    differences = method.differences(run, view)
    if view.examples and not differences:
        raise UsageError(f"Run {run.id} is of '{run.method}', which has no examples of differences.")
    for part in differences:
        if isinstance(part, Table):
            parts.append(render_tables([part], form, width=width, color=color))
        else:
            parts.append(render_block(part, form, width=width, color=color))
    return "\n\n".join(parts)


def render_brief(run: Run, *, width: int = _WIDTH, color: bool = False) -> str:
    """What was tested, the tables and the notes: what a person must see of one run among several."""
    method = method_of(run)
    about = method.facts(run)
    first, *others = method.tables(run, View(mark="" if color else "*"))
    parts = [_remark(about, "text", width)] if about else []
    parts.append(render_tables([first], "text", width=width, color=color))
    parts += [_remark(note, "text", width) for note in run.result.notes if note not in about]
    return "\n\n".join([*parts, *(render_tables([t], "text", width=width, color=color) for t in others)])


def render_tables(tables: Sequence[Table], form: Form, *, width: int = _WIDTH, color: bool = False) -> str:
    """Tables one after another."""
    write = {"md": to_markdown, "latex": to_latex, "tsv": to_tsv}.get(form)
    return "\n\n".join(write(t) if write else to_text(t, width=width, color=color) for t in tables)


def render_block(block: Block, form: Form, *, width: int = _WIDTH, color: bool = False) -> str:
    """A block of text with its marks."""
    if form == "md":
        return block_markdown(block)
    text = block_text(block, width=width, color=color)
    return text if form == "text" else "\n".join(latex_comment(line) for line in text.splitlines())


def render_html(run: Run, *, view: View = PLAIN) -> str:
    """For a notebook: the tables, the notes, the figures, and the first cases that a person should see.

    Figures are left out where nothing is installed that could draw them.
    """
    from mtassay.report.figures import figure_html  # large, and for notebooks only

    method = method_of(run)
    first, *others = method.tables(run, view)
    about = method.facts(run)
    parts = [f"<p>{html.escape(printable(about))}</p>", to_html(first)]
    parts += [f"<p>{html.escape(printable(note))}</p>" for note in run.result.notes if note not in about]
    parts += [to_html(table) for table in others]
    with suppress(MissingExtraError):
        parts += [figure_html(figure) for figure in method.figures(run, view)]
    parts += [block_html(block) for block in method.blocks(run, view)]
    parts += [f"<pre>{html.escape(printable(signature))}</pre>" for signature in method.signatures(run)]
    parts += [
        to_html(part) if isinstance(part, Table) else block_html(part)
        for part in method.differences(run, view)
    ]
    return "\n".join(parts)


def score_rows(result: Result) -> Table:
    """All scores and then all comparisons, one a row, for programs and spreadsheets.

    The row of a score has its rank where there are ranks; that of a comparison says which system its `delta`
    is `against`, and has no value.
    """
    ranks = {(c.name, c.group, system): c.rank for c in result.clusters for system in c.systems}
    records: list[dict[str, object]] = [
        {**asdict(score), "rank": ranks.get((score.name, score.group, score.system))}
        for score in result.scores
    ]
    records += [{**asdict(c), "system": c.a, "against": c.b} for c in result.comparisons]
    rows = [
        ["" if (value := record.get(key)) is None else str(value) for key in SCORE_COLUMNS]
        for record in records
    ]
    return Table(SCORE_COLUMNS, rows)


def _remark(text: str, form: Form, width: int) -> str:
    """A line of plain words between tables."""
    if form == "text":
        return textwrap.fill(printable(text), width)
    return latex_comment(text) if form == "latex" else escape_markdown(text)


def _fenced(signatures: Sequence[str], form: Form) -> str:
    if form == "md":
        return "\n".join(["```", *map(printable, signatures), "```"])
    return "\n".join(map(latex_comment if form == "latex" else printable, signatures))
