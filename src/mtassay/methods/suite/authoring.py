"""Makes suites: writes a first file, adds items from drafts and tables, and approves items."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import (
    add_items,
    editable,
    own_suites,
    read_suite,
    set_fields,
    write_text,
)
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.data.formats.textfiles import check_columns, read_lines
from mtassay.data.language_packs import install_line
from mtassay.data.languages import parse_pair
from mtassay.data.registry import named
from mtassay.methods.suite.patterns import compile_rule
from mtassay.methods.suite.problems import Problem, lint


@dataclass(frozen=True, slots=True)
class Choice:
    """The items to choose; an item matches any name of a field, and an empty field matches all items.

    Names may be shell patterns (`Modal*`), and upper or lower case does not matter.
    """

    categories: Sequence[str] = ()
    phenomena: Sequence[str] = ()
    tags: Sequence[str] = ()
    ids: Sequence[str] = ()
    approved: bool = False
    public: bool | None = None


def select(suite: Suite, choice: Choice) -> Suite:
    """Return the suite with only the chosen items; `UsageError` if a name has no items."""
    items = named(suite.items, choice.categories, "category", lambda item: (item.category,))
    items = named(items, choice.phenomena, "phenomenon", lambda item: (item.phenomenon,))
    items = named(items, choice.tags, "tag", lambda item: item.tags)
    items = named(items, choice.ids, "id", lambda item: (item.id,))
    if choice.approved:
        items = [item for item in items if not item.is_draft]
    if choice.public is not None:
        items = [item for item in items if item.public == choice.public]
    if suite.items and not items:
        raise UsageError(f"No item of {suite.path or suite.name} meets all the conditions.")
    return replace(suite, items=tuple(items))


def overview() -> list[dict[str, Any]]:
    """Return a record for each suite of the installed language packs; `UsageError` if there are none."""
    if not own_suites():
        raise UsageError(f"No language pack with a suite is installed. Ours: {install_line('pt')}")
    return [_summary(name, read_suite(path)) for name, path in own_suites().items()]


def _summary(name: str, suite: Suite) -> dict[str, Any]:
    return {
        "suite": name,
        "langpair": suite.langpair,
        "categories": len({item.category for item in suite.items}),
        "phenomena": len({(item.category, item.phenomenon) for item in suite.items}),
        **_counts(suite.items),
    }


def contents(suite: Suite, *, nested: bool = False, total: bool = False) -> list[dict[str, Any]]:
    """The contents of a suite, one record per phenomenon.

    `nested` puts phenomena below their category, to fit on a screen; `total` adds a record for all.
    """
    records: list[dict[str, Any]] = []
    for category in dict.fromkeys(item.category for item in suite.items):
        within = [item for item in suite.items if item.category == category]
        if nested:
            records.append({"category": category, **_counts(within)})
        for phenomenon in dict.fromkeys(item.phenomenon for item in within):
            counts = _counts([item for item in within if item.phenomenon == phenomenon])
            names = {"category": category, "phenomenon": phenomenon}
            records.append({**({"category": f"· {phenomenon}"} if nested else names), **counts})
    if total:
        names = {"category": "all"} if nested else {"category": "all", "phenomenon": ""}
        records.append({**names, **_counts(suite.items)})
    return records


def _counts(items: Sequence[Item]) -> dict[str, int]:
    return {
        "items": len(items),
        "with_rules": sum(item.has_rules for item in items),
        "drafts": sum(item.is_draft for item in items),
        "hidden": sum(not item.public for item in items),
    }


_TEXT = """\
# A test suite for machine translation. Every item tests one phenomenon in one sentence.
# Add items here, or with: mtassay suite add {path}
# Then: mtassay suite check {path}   and: mtassay suite run {path} -t NAME=FILE
suite: {name}
langpair: {pair}
about: What it is for, by whom, and its licence.
# Upper and lower case, how accents are encoded, and extra spaces make no difference to the rules,
# nor do curly quotation marks and characters that nobody sees. A copy of the source is incorrect.
match: {{case: ignore, unicode: NFC, whitespace: collapse}}
# A macro is a part of patterns that comes again and again; write {{{{name}}}} where it belongs.
# macros:
#   nobody: nobody|no one|not anybody
#
# An item looks like this; only id, category, phenomenon and source must be there:
#   - id: negation-001
#     category: Negation
#     phenomenon: Negative concord
#     source: The sentence that systems translate.
#     focus: [the words of it that carry the phenomenon]
#     positive_regex:            # found anywhere in an output: it is correct
#       - \\b(one|another) right wording\\b
#     negative_regex:            # found anywhere: it is incorrect
#       - regex: \\ba mistake that systems make\\b
#         note: why it is wrong
#     references: [A correct translation.]
items: []
"""

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
class Draft:
    """An item as a person writes it; expressions are texts, and empty fields are still unknown."""

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

    @property
    def missing(self) -> list[str]:
        """The required fields that are empty."""
        return [name for name in _NEEDED if not getattr(self, name).strip()]


Wanted = Sequence[tuple[int | None, Draft]]
"""Drafts, each with its line number if it comes from a table."""


def new_items(suite: Suite, drafts: Wanted, table: Path | None = None) -> list[Item]:
    """Make an item from each draft, with an id that is new in the suite and rules that compile."""
    used_ids = {item.id for item in suite.items}
    items = []
    for line, draft in drafts:
        if draft.missing and line:
            raise InputError(f"there is no {draft.missing[0]}", path=table, line=line)
        if draft.missing:
            raise UsageError(f"An item needs {', '.join('--' + name for name in draft.missing)} too.")
        item = _item(suite, draft, used_ids)
        if item.id in used_ids:
            where = f"{table} line {line}: " if line else ""
            raise UsageError(f"{where}There is an item '{item.id}' already. Choose another id.")
        _check_patterns(suite, item, table, line)
        used_ids.add(item.id)
        items.append(item)
    return items


def _item(suite: Suite, draft: Draft, used_ids: set[str]) -> Item:
    today = date.today().isoformat()
    positive, negative = (
        tuple(Rule(text, author=draft.author, date=today) for text in texts)
        for texts in (draft.positive, draft.negative)
    )
    return Item(
        id=draft.id or _new_id(draft.category, draft.phenomenon, used_ids),
        langpair=suite.langpair,
        category=draft.category,
        phenomenon=draft.phenomenon,
        source=draft.source,
        positive_regex=positive,
        negative_regex=negative,
        focus=draft.focus,
        references=draft.references,
        context=draft.context,
        note=draft.note,
        author=draft.author,
    )


def _new_id(category: str, phenomenon: str, used_ids: set[str]) -> str:
    """Return an id: category and phenomenon in lower case, and the first free number.

    >>> _new_id("Negation", "Negative concord", {"negation-negative-concord-001"})
    'negation-negative-concord-002'
    """
    first, second = _slug(category), _slug(phenomenon)
    stem = second if second.startswith(first) else f"{first}-{second}"
    number = 1
    while f"{stem}-{number:03}" in used_ids:
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


def read_drafts(path: Path, defaults: Draft | None = None) -> list[tuple[int | None, Draft]]:
    """Read one draft per line below the header, with line numbers; `defaults` fill empty cells.

    Several values in a cell are separated by " | ", but each expression has its own cell.
    """
    header, *lines = read_lines(path)
    columns = [name.strip().lower() for name in header.split("\t")]
    if unknown := [name for name in columns if name not in _COLUMNS]:
        raise InputError(f"no column '{unknown[0]}'. Available: {', '.join(_COLUMNS)}", path=path, line=1)
    check_columns([_COLUMNS[name] for name in columns], path)
    if not lines:
        raise InputError("a header without rows", path=path, line=1)
    return [
        (number, _row(columns, line.split("\t"), defaults or Draft(), path, number))
        for number, line in enumerate(lines, 2)
        if line.strip()
    ]


def _row(columns: Sequence[str], cells: Sequence[str], defaults: Draft, path: Path, number: int) -> Draft:
    if len(cells) != len(columns):
        raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
    values: dict[str, str | tuple[str, ...]] = {}
    for column, cell in zip(columns, cells, strict=True):
        name, text = _COLUMNS[column], cell.strip()
        if name in ("positive", "negative"):  # " | " may be part of an expression
            values[name] = (text,) if text else ()
        elif name in ("focus", "references", "context"):
            values[name] = tuple(part.strip() for part in text.split(" | ") if part.strip())
        else:
            values[name] = text
    return replace(defaults, **{name: value for name, value in values.items() if value})  # type: ignore[arg-type]


def begin(path: Path, *, langpair: str, name: str = "") -> None:
    """Write a suite without items but with explanations; its default name is the name of the file."""
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{path}: a new suite is YAML. Call it {path.with_suffix('.yaml')}.")
    if path.exists():
        raise UsageError(
            f"{path} is there already. Choose another name, or add to it: mtassay suite add {path}."
        )
    shown = yaml.safe_dump(name or path.stem, allow_unicode=True).splitlines()[0]
    write_text(path, _TEXT.format(path=str(path), name=shown, pair=str(parse_pair(langpair))))


@dataclass(frozen=True, slots=True)
class Added:
    """The items that were added to a file, and the problems that `suite check` finds in these items.

    `before` has items of the table that the file already had; they were not added again.
    """

    items: Sequence[Item]
    problems: Sequence[Problem]
    before: Sequence[Item] = ()


def add_drafts(path: Path, drafts: Wanted, table: Path | None = None) -> Added:
    """Add items to a suite file and leave its other lines unchanged; `table` is the drafts' source."""
    new: list[Item] = []
    before: list[Item] = []

    def make(suite: Suite) -> Sequence[Item]:
        doubles = [_same_item(suite, draft) if table else None for _, draft in drafts]
        before[:] = [item for item in doubles if item]
        new[:] = new_items(
            suite, [wanted for wanted, item in zip(drafts, doubles, strict=True) if not item], table
        )
        return new

    suite = add_items(path, make)
    problems = lint(replace(suite, items=tuple(new)))
    return Added(new, [p for p in problems if p.item and p.severity != "info"], before)


def _same_item(suite: Suite, draft: Draft) -> Item | None:
    """The item of the suite that a draft would repeat, with the same question and all of its rules."""
    for item in suite.items:
        asks = (item.category, item.phenomenon, item.source, item.context)
        if asks != (draft.category, draft.phenomenon, draft.source, draft.context):
            continue
        positive, negative = (
            {rule.text for rule in rules} for rules in (item.positive_regex, item.negative_regex)
        )
        has_all = positive.issuperset(draft.positive) and negative.issuperset(draft.negative)
        if has_all and draft.id in ("", item.id):
            return item
    return None


@dataclass(frozen=True, slots=True)
class Approved:
    """The items that are newly approved, and the items that were approved before."""

    now: Sequence[str]
    before: Sequence[str]


def approve(path: Path, ids: Sequence[str], *, by: str) -> Approved:
    """Approve items of a suite file; `*` matches anything. Authors cannot approve their own items."""
    chosen = select(read_suite(editable(path)), Choice(ids=ids)).items
    own = [item.id for item in chosen if item.author == by]
    if own:
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        raise UsageError(f"{by} wrote {own[0]}{more}: another person must approve. Nothing was changed.")
    drafts = [item.id for item in chosen if item.is_draft]
    if drafts:
        set_fields(path, {item_id: {"approver": by} for item_id in drafts})
    return Approved(drafts, [item.id for item in chosen if not item.is_draft])
