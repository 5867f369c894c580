"""Reads a template file: YAML with slots, tables and templates, every mistake with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from mtassay.errors import InputError
from mtassay.formats.suite import Item
from mtassay.formats.suite.records import suite_from_header
from mtassay.formats.text import FilePath, check_columns, decode, read_bytes, read_lines, shown
from mtassay.methods.suite.templates.conditions import Condition, parse_condition
from mtassay.methods.suite.templates.locations import LocatedDict, line_of, load, plain
from mtassay.methods.suite.templates.placeholders import slots_in
from mtassay.methods.suite.templates.slugs import slug, unique_slugs
from mtassay.methods.suite.templates.tables import FormTable, InflectedForm, features_of
from mtassay.methods.suite.templates.template import ItemTemplate, SlotRecord, TemplateFile

__all__ = ["read_templates", "templates_from_text"]

_HEADER = ("suite", "langpair", "about", "match", "macros")
_OWN = ("author", "category", "slots", "tables", "when", "except", "templates")
_TEMPLATE = (*(field.name for field in fields(Item) if field.name not in ("extra", "line")), "when", "except")
_DEFAULTS = ("category", "author", "langpair")
"""Keys of an item that may stand once at the top, for all templates that do not say otherwise."""


def read_templates(path: FilePath) -> TemplateFile:
    """The template file; slots and tables in files of their own are looked for beside it."""
    name = shown(path)
    return templates_from_text(decode(read_bytes(path), name), path=name, folder=Path(path).parent)


def templates_from_text(text: str, *, path: str, folder: Path = Path()) -> TemplateFile:
    """The template file in a YAML text; `path` is for messages and notes."""
    reader = _Reader(path, folder)
    return reader.file(load(text, path=path))


class _Reader:
    """Knows where it is reading, for messages and for files beside it."""

    def __init__(self, path: str, folder: Path) -> None:
        self._path, self._folder = path, folder

    def _wrong(self, what: str, where: object = None) -> InputError:
        return InputError(what, path=self._path, line=line_of(where))

    def file(self, content: Any) -> TemplateFile:
        if not isinstance(content, LocatedDict) or not isinstance(content.get("templates"), list):
            raise InputError(
                "this is no template file: it needs a list 'templates:'", path=self._path, line=1
            )
        self._check(content, (*_HEADER, *_OWN), "a template file")
        header = {key: plain(value) for key, value in content.items() if key in _HEADER}
        suite = suite_from_header(header, (), path=self._path)
        slots = {
            str(name): self._slot(str(name), value) for name, value in self._mapping(content, "slots").items()
        }
        tables = {
            str(name): self._table(str(name), value)
            for name, value in self._mapping(content, "tables").items()
        }
        columns = {name: frozenset(c for r in records for c in r.columns) for name, records in slots.items()}
        when = self._conditions(content.get("when"), columns)
        excluded = self._conditions(content.get("except"), columns)
        defaults = {key: content[key] for key in _DEFAULTS if key in content}
        templates = [
            self._template({**defaults, **self._record(entry)}, entry, columns, when, excluded)
            for entry in content["templates"]
        ]
        ids: set[str] = set()
        for template in templates:
            if template.id in ids:
                raise InputError(
                    f"two templates have the id '{template.id}'. Give one its own 'id:'",
                    path=self._path,
                    line=template.line,
                )
            ids.add(template.id)
        return TemplateFile(suite, slots, tables, templates, str(content.get("author", "")), self._path)

    def _check(self, record: LocatedDict, keys: Sequence[str], what: str) -> None:
        if unknown := [key for key in record if key not in keys]:
            raise self._wrong(
                f"{what} has no '{unknown[0]}'. Available: {', '.join(keys)}", record[unknown[0]] or record
            )

    def _mapping(self, content: LocatedDict, key: str) -> Mapping[str, Any]:
        value = content.get(key) or {}
        if not isinstance(value, Mapping):
            raise self._wrong(f"'{key}' must map names to values", value)
        return value

    def _record(self, entry: Any) -> LocatedDict:
        if not isinstance(entry, LocatedDict):
            raise self._wrong("a template must be a mapping with phenomenon, source and rules", entry)
        self._check(entry, _TEMPLATE, "a template")
        return entry

    def _slot(self, name: str, value: Any) -> tuple[SlotRecord, ...]:
        if isinstance(value, str):
            rows = [columns for _, columns in self._rows(value)]
        elif isinstance(value, list):
            rows = [self._columns(name, entry) for entry in value]
        else:
            raise self._wrong(f"the slot '{name}' must be a list, or the name of a .tsv file", value)
        if not rows:
            raise self._wrong(f"the slot '{name}' has no values", value)
        names = unique_slugs([columns.get("id") or next(iter(columns.values())) for columns in rows])
        return tuple(SlotRecord(*named) for named in zip(names, rows, strict=True))

    def _columns(self, slot: str, entry: Any) -> dict[str, tuple[str, ...]]:
        if isinstance(entry, str):
            return {"text": (str(entry),)}
        if not isinstance(entry, LocatedDict) or not entry:
            raise self._wrong(f"a value of the slot '{slot}' must be a text or a mapping of columns", entry)
        columns = {}
        for key, value in entry.items():
            forms = value if isinstance(value, list) else [value]
            if not forms or not all(isinstance(form, str) for form in forms):
                raise self._wrong(
                    f"'{key}' of the slot '{slot}' must be a text or a list of texts", value or entry
                )
            columns[str(key)] = tuple(map(str, forms))
        return columns

    def _rows(self, name: str) -> Iterator[tuple[int, dict[str, tuple[str, ...]]]]:
        """The rows of a TSV file with a header; `|` separates forms, an empty cell is no column."""
        path = self._folder / name
        if not path.exists():
            raise self._wrong(f"there is no file {path}", name)
        header, *lines = read_lines(path)
        keys = header.split("\t")
        check_columns(keys, path)
        for number, line in enumerate(lines, 2):
            cells = line.split("\t")
            if len(cells) != len(keys):
                raise InputError(f"{len(cells)} columns, expected {len(keys)}", path=path, line=number)
            if filled := {k: tuple(c.split("|")) for k, c in zip(keys, cells, strict=True) if c}:
                yield number, filled

    def _table(self, name: str, value: Any) -> FormTable:
        entries: dict[str, list[InflectedForm]] = {}
        if isinstance(value, str):
            for number, row in self._rows(value):
                if missing := [key for key in ("lemma", "features", "form") if key not in row]:
                    raise InputError(
                        f"no '{missing[0]}': a table has the columns lemma, features, form",
                        path=self._folder / value,
                        line=number,
                    )
                features = features_of(row["features"][0])
                entries.setdefault(row["lemma"][0], []).extend(
                    InflectedForm(features, form) for form in row["form"]
                )
        elif isinstance(value, LocatedDict):
            for lemma, forms in value.items():
                entries[str(lemma)] = list(self._entries(name, forms, frozenset()))
        else:
            raise self._wrong(f"the table '{name}' must map lemmas to forms, or name a .tsv file", value)
        return FormTable(name, entries)

    def _entries(self, table: str, value: Any, features: frozenset[str]) -> Iterator[InflectedForm]:
        """Forms under their features; mappings within mappings add up their features."""
        if isinstance(value, LocatedDict):
            for key, inner in value.items():
                yield from self._entries(table, inner, features | features_of(str(key)))
            return
        for form in value if isinstance(value, list) else [value]:
            if not isinstance(form, str) or not features:
                raise self._wrong(f"the table '{table}' must be lemma: {{features: form}}", form or value)
            yield InflectedForm(features, str(form))

    def _conditions(self, value: Any, columns: Mapping[str, frozenset[str]]) -> tuple[Condition, ...]:
        conditions = []
        for text in value if isinstance(value, list) else [value] if value else []:
            if not isinstance(text, str):
                raise self._wrong("a condition must be a text: slot.column = value", text)
            try:
                conditions.append(parse_condition(text, columns))
            except ValueError as error:
                raise self._wrong(str(error), text) from None
        return tuple(conditions)

    def _template(
        self,
        record: dict[str, Any],
        entry: LocatedDict,
        columns: Mapping[str, frozenset[str]],
        when: tuple[Condition, ...],
        excluded: tuple[Condition, ...],
    ) -> ItemTemplate:
        own_when = self._conditions(record.pop("when", None), columns)
        own_excluded = self._conditions(record.pop("except", None), columns)
        for key in ("source", "phenomenon", "category"):
            if not isinstance(record.get(key), str) or not record[key].strip():
                raise self._wrong(f"a template has no text '{key}'", entry)
        asked = [
            *self._slots_of(record.get("source"), columns),
            *self._slots_of(record.get("context"), columns),
        ]
        used = dict.fromkeys((*asked, *self._slots_of(record, columns)))
        for condition in (*own_when, *own_excluded):
            if strange := sorted(condition.slots - set(used)):
                raise self._wrong(
                    f"a condition speaks of '{strange[0]}', which the template does not use", entry
                )
        shared = frozenset(used)
        return ItemTemplate(
            str(record.pop("id", "")) or slug(record["phenomenon"]),
            record,
            tuple(used),
            (*(c for c in when if c.slots <= shared), *own_when),
            (*(c for c in excluded if c.slots <= shared), *own_excluded),
            entry.line,
        )

    def _slots_of(self, value: Any, columns: Mapping[str, frozenset[str]]) -> Iterator[str]:
        """The slots used anywhere in a value."""
        if isinstance(value, str):
            try:
                yield from slots_in(str(value), tuple(columns))
            except ValueError as error:
                raise self._wrong(str(error), value) from None
        elif value:
            for inner in value.values() if isinstance(value, Mapping) else value:
                yield from self._slots_of(inner, columns)
