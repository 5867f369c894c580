"""A run as text, Markdown, LaTeX, TSV, JSON or HTML, for any method: the output of commands."""

from __future__ import annotations

import builtins
import html
import re
import sys
import textwrap
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from types import TracebackType
from typing import Literal, Self, get_args

from mtassay.data.display import PLAIN, Block, Cell, Line, Look, Table
from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.marks import display_width, json_text, pieces, printable, wrapped
from mtassay.data.method import view_of
from mtassay.data.nouns import Result, Run
from mtassay.runtime.processes import WATCHER

# Shows the progress of a run that takes long.


_PATIENCE = 1.5  # seconds without a message
_EVERY = 0.2  # seconds between two looks of the line


def is_notebook() -> bool:
    """Whether this is a notebook, which can renew a line although it is not a terminal."""
    return hasattr(builtins, "get_ipython") and "ipykernel" in sys.modules


class Progress:
    """Yield a context whose `report` an engine can call: one line on standard error that is renewed.

    Nothing is shown with `quiet`, or where nobody can see it (a pipe, a log, CI).
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet or not (sys.stderr.isatty() or is_notebook())
        self._started = time.monotonic()
        self._step = ("", 0, None)  # type: tuple[str, int, int | None]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True, name=WATCHER)
        self._since = (self._started, 0)
        self._shown = False

    def __enter__(self) -> Self:
        if not self._quiet:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def report(self, step: str, done: int, total: int | None) -> None:
        """The current step."""
        now = time.monotonic()
        if done < self._step[1] or total != self._step[2]:
            self._since = (now, done)
        self._step = (step, done, total)

    def _line(self) -> str:
        """Set the step, its progress, its speed and the time left."""
        step, done, total = self._step
        now = time.monotonic()
        if not total:
            return f"{step} … {now - self._started:.0f} s"
        began, before = self._since
        rate = (done - before) / max(now - began, 1e-6)
        left = f" · {rate:.3g}/s · {(total - done) / rate:.0f} s left" if rate > 0 else ""
        return f"{step} · {done:,} of {total:,}{left}"

    def _show(self) -> None:
        wait = _PATIENCE
        while not self._stop.wait(wait):
            sys.stderr.write(f"\r\x1b[K{self._line()}")
            sys.stderr.flush()
            self._shown = True
            wait = _EVERY


# A run as text, Markdown, LaTeX, TSV, JSON or HTML, for any method: the output of commands.


Form = Literal["text", "json", "tsv", "md", "latex"]
"""The formats of a run, for people and for programs."""

SCORE_COLUMNS = (
    *("name", "system", "group", "value", "n", "low", "high", "signature", "rank"),
    *("against", "delta", "p", "detectable", "more", "common", "common_n", "answered", "answered_n"),
)
"""The columns of the rows of scores and comparisons; the same for every result."""

_WIDTH = 80


def render(
    run: Run,
    form: Form = "text",
    *,
    look: Look = PLAIN,
    facts: str | None = None,
    seen_notes: Collection[str] = (),
    width: int = _WIDTH,
    color: bool = False,
) -> str:
    """Return the run in this format. `facts` is the first line, by default the method's own.

    `seen_notes` are notes that the reader has already seen.
    """
    if form not in get_args(Form):
        raise UsageError(f"No format '{form}'. Available: {', '.join(get_args(Form))}.")
    view = view_of(run)
    if form == "json":
        return json_text({**view.record(), **view.differences_record(look)}, indent=2)
    if form == "tsv" and look.examples:
        raise UsageError("Differences of systems cannot be printed as tsv. Choose text, md, latex or json.")
    if form == "tsv":
        return to_tsv(score_rows(run.result))
    if form == "text" and not color and not look.mark:
        look = replace(look, mark="*")
    about = view.facts() if facts is None else facts
    notes = [note for note in run.result.notes if note not in seen_notes and note not in about]
    first, *others = view.tables(look)
    parts = [_remark(about, form, width)] if about else []
    if form == "text":
        parts += [block_text(block, width=width, color=color) for block in view.blocks(look)]
    elif look.cases != 0 and (table := view.cases_table(look)) is not None:
        parts.append(render_tables([table], form))
    parts.append(render_tables([first], form, width=width, color=color))
    parts += [_remark(note, form, width) for note in notes]
    if others:
        parts.append(render_tables(others, form, width=width, color=color))
    if signatures := view.signatures():
        parts.append(_fenced(signatures, form))
    differences = view.differences(look)
    if look.examples and not differences:
        raise UsageError(f"Run {run.id} is of '{run.method}', which has no examples of differences.")
    for part in differences:
        if isinstance(part, Table):
            parts.append(render_tables([part], form, width=width, color=color))
        else:
            parts.append(render_block(part, form, width=width, color=color))
    return "\n\n".join(parts)


def render_brief(run: Run, *, width: int = _WIDTH, color: bool = False) -> str:
    """Return the essentials of one run among several: what was tested, the tables and the notes."""
    view = view_of(run)
    about = view.facts()
    first, *others = view.tables(Look(mark="" if color else "*"))
    parts = [_remark(about, "text", width)] if about else []
    parts.append(render_tables([first], "text", width=width, color=color))
    parts += [_remark(note, "text", width) for note in run.result.notes if note not in about]
    return "\n\n".join([*parts, *(render_tables([t], "text", width=width, color=color) for t in others)])


def render_tables(tables: Sequence[Table], form: Form, *, width: int = _WIDTH, color: bool = False) -> str:
    """Write tables below each other."""
    write = {"md": to_markdown, "latex": to_latex, "tsv": to_tsv}.get(form)
    return "\n\n".join(write(t) if write else to_text(t, width=width, color=color) for t in tables)


def render_block(block: Block, form: Form, *, width: int = _WIDTH, color: bool = False) -> str:
    """Return a block of text with its marks."""
    if form == "md":
        return block_markdown(block)
    text = block_text(block, width=width, color=color)
    return text if form == "text" else "\n".join(latex_comment(line) for line in text.splitlines())


def render_html(run: Run, *, look: Look = PLAIN) -> str:
    """Return HTML for a notebook: tables, notes, figures, and the first cases that a person should see.

    Figures are left out if no drawing library is installed.
    """
    from mtassay.report.plots import figure_html  # large, and for notebooks only

    view = view_of(run)
    first, *others = view.tables(look)
    about = view.facts()
    parts = [f"<p>{html.escape(printable(about))}</p>", to_html(first)]
    notes = (_without_commands(note) for note in run.result.notes if note not in about)
    parts += [f"<p>{html.escape(printable(note))}</p>" for note in notes if note]
    parts += [to_html(table) for table in others]
    with suppress(MissingExtraError):
        parts += [figure_html(figure) for figure in view.figures(look)]
    parts += [block_html(block) for block in view.blocks(look)]
    parts += [f"<pre>{html.escape(printable(signature))}</pre>" for signature in view.signatures()]
    parts += [
        to_html(part) if isinstance(part, Table) else block_html(part) for part in view.differences(look)
    ]
    return "\n".join(parts)


def score_rows(result: Result) -> Table:
    """All scores and then all comparisons, one per row, for programs and spreadsheets.

    A score's row has its rank, if known. A comparison's row has no value, but a `delta` and the system it is
    `against`.
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
    """Return a line of text between tables."""
    if form == "text":
        return textwrap.fill(printable(text), width)
    return latex_comment(text) if form == "latex" else escape_markdown(text)


def _fenced(signatures: Sequence[str], form: Form) -> str:
    if form == "md":
        return "\n".join(["```", *map(printable, signatures), "```"])
    return "\n".join(map(latex_comment if form == "latex" else printable, signatures))


def to_tsv(table: Table) -> str:
    """Header and rows, tab-separated; tabs and line breaks inside a cell become spaces.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    rows = [list(table.header), *([cell.text for cell in row] for row in table.cells())]
    return "\n".join("\t".join(_plain(" ".join(text.split())) for text in row) for row in rows)


def _plain(text: str) -> str:
    """Return a cell that shows its whole text and that no spreadsheet runs as a formula.

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
    """A `tabular` for the booktabs package, with title and notes as comments."""
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
    """Return the text as one comment, without its line breaks."""
    return f"% {printable(' '.join(text.split()))}"


def to_html(table: Table) -> str:
    """A `table` element with the title as its caption and each note below in a `small` element."""
    head = "".join(f"<th>{html.escape(printable(name))}</th>" for name in table.header)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{_strong(html.escape(printable(c.text)), c.strong)}</td>" for c in row)
        + "</tr>"
        for row in table.cells()
    )
    caption = f"<caption>{html.escape(printable(table.title))}</caption>" if table.title else ""
    told = filter(None, map(_without_commands, table.notes))
    notes = "".join(f"<small>{html.escape(printable(note))}</small><br>" for note in told)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"


def _without_commands(note: str) -> str:
    """Remove a note's sentences about the command line, since a notebook has none.

    >>> _without_commands("3 are open. Decide: mtassay review next. By segments it is ±2 (--unit segment).")
    '3 are open. By segments it is ±2.'
    """
    sentences = re.split(r"(?<=[.;]) ", re.sub(r" \(--[^)]*\)", "", note))
    return " ".join(text for text in sentences if not re.search(r"\bmtassay [a-z]|(?<!\w)--[a-z]", text))


def _strong(text: str, strong: bool) -> str:
    return f"<b>{text}</b>" if strong else text


def to_text(table: Table, *, width: int, color: bool) -> str:
    """Return text for a terminal of this width; a wider table continues below with its first column."""
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
    """Divide the columns into parts that fit the width; each part begins with the first column."""
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
    """Align the text to the right in this width; to the left if the width is negative."""
    space = " " * (abs(width) - display_width(text))
    shown = _bold(text, color and cell.strong)
    return shown + space if width < 0 else space + shown


def _bold(text: str, color: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if color else text


def escape_markdown(text: str) -> str:
    r"""Return the text on one line, with the characters of Markdown escaped.

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


def block_text(block: Block, *, width: int, color: bool) -> str:
    """Write blocks for a terminal of this width; marks are colours or brackets."""
    title = [wrapped(block.title, width=width, indent="  ", first="")] if block.title else []
    lines = [line_text(line, width=width, color=color, label=block.label) for line in block.lines]
    return "\n".join([*title, *lines])


def line_text(line: Line, *, width: int, color: bool, label: int) -> str:
    """Write one line of a block; its texts begin at this column."""
    if line.label is None:
        return wrapped(line.text, line.marks, width=width, indent="    ", first="  ", color=color)
    first = f"  {printable(line.label)}".ljust(label)
    text = line.text or "(empty)"
    return wrapped(text, line.marks, width=width, indent=" " * label, first=first, color=color)


def block_html(block: Block) -> str:
    """A title and a list of texts, with marked parts in `mark` elements.

    >>> block_html(Block([Line("output", "[[a]] <b>", [(2, 3)])], "1"))
    '<p><b>1</b></p><dl><dt>output</dt><dd>[[<mark>a</mark>]] &lt;b&gt;</dd></dl>'
    """
    rows = "".join(f"<dt>{_escaped(line.label or '')}</dt><dd>{_marked(line)}</dd>" for line in block.lines)
    return f"<p><b>{_escaped(block.title)}</b></p><dl>{rows}</dl>"


def block_markdown(block: Block) -> str:
    r"""A title and a list of texts, with marked parts in bold.

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
    """Return the text as HTML, with its brackets escaped."""
    return "".join(
        f"<mark>{html.escape(text)}</mark>" if strong else html.escape(text)
        for text, strong in pieces(line.text, line.marks)
    )


def _escaped(text: str) -> str:
    return html.escape(printable(text))
