"""Failure themes in every format: a table of sentences with their numbers, then the clearest examples."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from mtassay.changes.theme_features import LONGEST
from mtassay.changes.theme_search import Theme
from mtassay.changes.themes import Examined, Themes
from mtassay.data.display import Block, Cell, Line, Table
from mtassay.data.marks import json_text, marked, p_stated, p_text, plural, printable
from mtassay.report.run_text import (
    Form,
    block_markdown,
    block_text,
    escape_markdown,
    latex_comment,
    to_latex,
    to_tsv,
)
from mtassay.stats.proportions import wilson

SYSTEMS = 20
"""Number of systems shown: those with the most failures. Output for programs has all."""
COUNTED = (
    "Each failed output of any method or run counts once, even if systems are not compared. So there may be "
    "more failures here than in a table."
)
"""The note that explains why a theme counts more failures than a table beside it."""
_NAME = 60


def render_themes(
    themes: Themes, form: Form = "text", *, examples: int = 3, width: int = 80, color: bool = False
) -> str:
    """Return the themes in this format, each with at most `examples` examples."""
    if form == "json":
        return json_text(themes_record(themes), indent=2)
    if form == "tsv":
        return to_tsv(_rows(themes))
    parts: list[str] = []
    for examined in shown_systems(themes):
        parts += _system(examined, themes, form, examples, width, color)
    if left := len(themes.examined) - len(shown_systems(themes)):
        parts.append(_remark(f"{plural(left, 'more system')}: --system NAME, or -f json.", form, width))
    parts += [_remark(note, form, width) for note in notes_of(themes)]
    return "\n\n".join(parts)


def shown_systems(themes: Themes) -> list[Examined]:
    """Choose the systems to show, in their order; if not all fit, systems with themes have priority."""
    if len(themes.examined) <= SYSTEMS:
        return themes.examined
    counts = {theme.system for theme in themes}
    ranked = sorted(themes.examined, key=lambda e: (e.system not in counts, -e.failures))[:SYSTEMS]
    return [examined for examined in themes.examined if examined in ranked]


def notes_of(themes: Themes) -> list[str]:
    """Notes for readers besides the numbers."""
    said = "A failure" if all(e.failures_called == "failures" for e in themes.examined) else "Low-scoring"
    failure = f"{said} is, in {'; in '.join(themes.failure)}. {COUNTED}"
    claimed = (
        "Features that are as frequent in the best outputs are left out. "
        f"p: corrected for all features of a system, shown up to {themes.alpha:g}. Features of the same "
        "failures are one theme. Each theme comes from outputs that no earlier theme explains."
    )
    return [failure, *([claimed] if themes else [])]


def _system(
    examined: Examined, themes: Themes, form: Form, examples: int, width: int, color: bool
) -> list[str]:
    """Return one system: its material, and each theme with its numbers and examples."""
    head = f"{marked(examined.system, limit=_NAME)}: {examined.note}."
    own = themes.of(examined.system)
    parts = [_remark(f"{head} No theme." if _is_without(examined, themes) else head, form, width)]
    if form == "latex":
        return [*parts, *([to_latex(themes_table(own))] if own else [])]
    for number, theme in enumerate(own, start=1):
        title = f"{number}. {theme.sentence}"
        blocks = theme.examples[:examples]
        if form == "md":
            lines = [f"**{escape_markdown(title)}**", escape_markdown(numbers(theme))]
            parts += [*lines, *(block_markdown(block) for block in blocks)]
        else:
            told = [*_wrapped(title, width, "   "), *_wrapped(f"   {numbers(theme)}", width, "   ")]
            if color:
                told[0] = f"\x1b[1m{told[0]}\x1b[0m"
            parts.append("\n".join(told))
            shown = (block_text(block, width=width - 3, color=color) for block in blocks)
            parts += [textwrap.indent(text, "   ") for text in shown]
    return parts


def numbers(theme: Theme) -> str:
    """Return a theme's significance and the shares of its counts."""
    low, high = wilson(theme.failures, theme.of)
    share = f"{_percent(theme.failures, theme.of)} [{100 * low:.0f}–{100 * high:.0f}]"
    others = _percent(theme.passes, theme.passing)
    return f"{share} of the {theme.failures_called}, {others} of the other outputs; {p_stated(theme.p)}"


def _percent(part: int, of: int) -> str:
    return f"{100 * part / of:.2g} %" if 0 < 100 * part < of else f"{100 * part / max(of, 1):.0f} %"


def _times(odds: float) -> str:
    return f"{odds:.1f}" if odds < 10 else f"{odds:,.0f}"


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(printable(text), width, subsequent_indent=indent, break_on_hyphens=False)


def _remark(text: str, form: Form, width: int) -> str:
    if form == "text":
        return textwrap.fill(printable(text), width, break_on_hyphens=False)
    return latex_comment(text) if form == "latex" else escape_markdown(text)


def theme_blocks(themes: Themes, *, examples: int = 3) -> list[Block]:
    """Return a block for each theme, for a page: the first themes of all systems, then the second ones.

    Within each rank, larger shares of failures come first. A theme of several systems appears once. The last
    block describes the material.
    """
    if not themes:
        return []
    ranked = [
        (place, theme) for e in shown_systems(themes) for place, theme in enumerate(themes.of(e.system))
    ]
    ranked.sort(key=lambda entry: (entry[0], -entry[1].failures / entry[1].of))
    by_cause: dict[str, list[Theme]] = {}
    for _, theme in ranked:
        by_cause.setdefault(theme.cause, []).append(theme)
    blocks = [
        _shared_block(some, examples) if len(some) > 1 else _block(some[0], examples)
        for some in by_cause.values()
    ]
    looked = [
        f"{marked(e.system, limit=_NAME)}: {e.note}{'; no theme' if _is_without(e, themes) else ''}."
        for e in shown_systems(themes)
    ]
    return [*blocks, Block([Line(None, text) for text in (*looked, *notes_of(themes))])]


def _block(theme: Theme, examples: int) -> Block:
    lines = [Line(None, numbers(theme))]
    for example in theme.examples[:examples]:
        lines += [Line("case", example.title), *example.lines]
    return Block(lines, f"{marked(theme.system, limit=_NAME)}: {theme.sentence}")


def _shared_block(themes: Sequence[Theme], examples: int) -> Block:
    """Return one cause for several systems: the numbers of each, and examples from the first ones."""
    names = [marked(theme.system, limit=_NAME) for theme in themes]
    lines = [
        Line(None, f"{name}: {theme.failures:,} of {theme.of:,} {theme.failures_called}, {numbers(theme)}")
        for name, theme in zip(names, themes, strict=True)
    ]
    for name, theme in list(zip(names, themes, strict=True))[:examples]:
        for example in theme.examples[:1]:
            lines += [Line("case", f"{name} · {example.title}"), *example.lines]
    return Block(lines, f"{plural(len(themes), 'system')}: {themes[0].cause}")


def _is_without(examined: Examined, themes: Themes) -> bool:
    """Whether a search for themes found no theme."""
    return bool(examined.features) and not themes.of(examined.system)


def themes_table(themes: Sequence[Theme]) -> Table:
    """Themes as rows: the sentence, the share of failures that it explains, odds and p."""
    rows: list[list[Cell | str]] = []
    for theme in themes:
        low, high = wilson(theme.failures, theme.of)
        share = f"{100 * theme.failures / theme.of:.0f} [{100 * low:.0f}–{100 * high:.0f}]"
        odds = f"{_times(theme.odds)} [{_times(theme.interval.low)}–{_times(theme.interval.high)}]"
        rows.append([theme.sentence, share, odds, p_text(theme.p)])
    return Table(["Theme", "% of failures", "odds [95 %]", "p"], rows, "Failure themes")


def themes_record(themes: Themes) -> dict[str, Any]:
    """Return all themes with all examples, for a program."""
    return {
        "themes": [_record(theme) for theme in themes],
        "systems": [{**asdict(e), "left_out": dict(e.left_out)} for e in themes.examined],
        "failure": themes.failure,
        "alpha": themes.alpha,
    }


def _record(theme: Theme) -> dict[str, Any]:
    record = {**asdict(theme), "interval": list(theme.interval), "parts": list(theme.parts)}
    del record["failed"]
    record["examples"] = [
        {"id": block.title, **{str(line.label): _cut(line.text) for line in block.lines}}
        for block in theme.examples
    ]
    return record


def _cut(text: str) -> str:
    """The part of a text that is used."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


_COLUMNS = ("system", "sentence", "failures", "of", "passes", "passing", "odds", "low", "high", "p", "parts")


def _rows(themes: Themes) -> Table:
    """One theme per row, for spreadsheets."""
    rows = []
    for theme in themes:
        numbers_ = (theme.failures, theme.of, theme.passes, theme.passing)
        odds = (theme.odds, theme.interval.low, theme.interval.high, theme.p)
        about = [*map(str, numbers_), *(f"{value:.6g}" for value in odds), "; ".join(theme.parts)]
        rows.append([theme.system, theme.sentence, *about])
    return Table(_COLUMNS, rows)
