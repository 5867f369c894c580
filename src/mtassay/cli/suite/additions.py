"""Items that `mtassay suite add` makes: from options, from questions in a terminal, or from a table."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import typer

from mtassay.errors import InputError, UsageError
from mtassay.formats.suite import Item, Rule, Suite
from mtassay.formats.text import read_lines
from mtassay.methods.suite.patterns import compile_rule

__all__ = ["AddOptions", "Wanted", "new_items", "wanted_items"]

_COLUMNS = {
    "id": "id",
    "category": "category",
    "phenomenon": "phenomenon",
    "source": "source",
    "focus": "focus",
    "positive": "positive",
    "positive_regex": "positive",
    "negative": "negative",
    "negative_regex": "negative",
    "reference": "references",
    "references": "references",
    "context": "context",
    "note": "note",
    "author": "author",
}
_NEEDED = ("category", "phenomenon", "source")


@dataclass(frozen=True, slots=True)
class AddOptions:
    """An item as it is given; expressions are texts."""

    category: str = ""
    phenomenon: str = ""
    source: str = ""
    focus: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    note: str = ""
    author: str = ""
    id: str = ""


Wanted = Sequence[tuple[int | None, AddOptions]]
"""What is to be added, with its line in the table if it comes from one."""


def wanted_items(options: AddOptions, table: Path | None) -> Wanted:
    """What is to be added: the rows of the table, or the one item of the options. May ask a person."""
    return _from_table(table, options) if table else [(None, _complete(options))]


def new_items(suite: Suite, wanted: Wanted, table: Path | None) -> list[Item]:
    """One item for each wanted, with an id that the suite does not have, and with rules that compile."""
    taken = {item.id for item in suite.items}
    items = []
    for line, each in wanted:
        missing = [name for name in _NEEDED if not getattr(each, name).strip()]
        if missing and line:
            raise InputError(f"there is no {missing[0]}", path=table, line=line)
        if missing:
            raise UsageError(f"An item needs {', '.join('--' + name for name in missing)} too.")
        item = _item(suite, each, taken)
        if item.id in taken:
            where = f"{table} line {line}: " if line else ""
            raise UsageError(f"{where}There is an item '{item.id}' already. Choose another id.")
        _check_patterns(suite, item, table, line)
        taken.add(item.id)
        items.append(item)
    return items


def _complete(options: AddOptions) -> AddOptions:
    """Ask for what is missing if there is a person to ask."""
    missing = [name for name in _NEEDED if not getattr(options, name)]
    if not missing or not sys.stdin.isatty():
        return options
    options = replace(options, **{name: typer.prompt(name.capitalize()) for name in missing})
    for name, question in (
        ("focus", "Words that carry the phenomenon (Enter: none)"),
        ("positive", "Expression for correct outputs (Enter: none)"),
        ("negative", "Expression for incorrect outputs (Enter: none)"),
        ("references", "Correct translation (Enter: none)"),
    ):
        if not getattr(options, name):
            answer = typer.prompt(question, default="", show_default=False)
            options = replace(options, **{name: (answer,) if answer else ()})  # type: ignore[arg-type]
    return options


def _item(suite: Suite, given: AddOptions, taken: set[str]) -> Item:
    today = date.today().isoformat()
    positive, negative = (
        tuple(Rule(text, author=given.author, date=today) for text in texts)
        for texts in (given.positive, given.negative)
    )
    return Item(
        id=given.id or _new_id(given.category, given.phenomenon, taken),
        langpair=suite.langpair,
        category=given.category,
        phenomenon=given.phenomenon,
        source=given.source,
        positive_regex=positive,
        negative_regex=negative,
        focus=given.focus,
        references=given.references,
        context=given.context,
        note=given.note,
        author=given.author,
    )


def _new_id(category: str, phenomenon: str, taken: set[str]) -> str:
    """Category and phenomenon in small letters, and the first number that is free.

    >>> _new_id("Negation", "Negative concord", {"negation-negative-concord-001"})
    'negation-negative-concord-002'
    """
    first, second = _slug(category), _slug(phenomenon)
    stem = second if second.startswith(first) else f"{first}-{second}"
    number = 1
    while f"{stem}-{number:03}" in taken:
        number += 1
    return f"{stem}-{number:03}"


def _slug(text: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub(r"\W+", "-", plain.lower()).strip("-") or "item"


def _check_patterns(suite: Suite, item: Item, table: Path | None, line: int | None) -> None:
    for rule in (*item.positive_regex, *item.negative_regex):
        try:
            compile_rule(rule, matching=suite.matching, macros=dict(suite.macros))
        except ValueError as error:
            raise InputError(
                f"bad pattern '{rule.text}' ({error}). Nothing was added", path=table, line=line
            ) from None


def _from_table(path: Path, defaults: AddOptions) -> list[tuple[int, AddOptions]]:
    """One item a line below the header; options that are given fill what a line leaves empty."""
    header, *lines = read_lines(path)
    columns = [name.strip().lower() for name in header.split("\t")]
    if unknown := [name for name in columns if name not in _COLUMNS]:
        raise InputError(f"no column '{unknown[0]}'. Available: {', '.join(_COLUMNS)}", path=path, line=1)
    if not lines:
        raise InputError("a header without rows", path=path, line=1)
    return [
        (number, _row(columns, line.split("\t"), defaults, path, number))
        for number, line in enumerate(lines, 2)
        if line.strip()
    ]


def _row(
    columns: Sequence[str], cells: Sequence[str], defaults: AddOptions, path: Path, number: int
) -> AddOptions:
    if len(cells) != len(columns):
        raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
    values: dict[str, str | tuple[str, ...]] = {}
    for column, cell in zip(columns, cells, strict=True):
        name, text = _COLUMNS[column], cell.strip()
        if name in ("positive", "negative"):  # " | " may well be part of an expression
            values[name] = (text,) if text else ()
        elif name in ("focus", "references", "context"):
            values[name] = tuple(part.strip() for part in text.split(" | ") if part.strip())
        else:
            values[name] = text
    return replace(defaults, **{name: value for name, value in values.items() if value})  # type: ignore[arg-type]
