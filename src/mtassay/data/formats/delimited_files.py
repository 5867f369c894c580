"""CSV, Java's `.properties` and localisation tables: one text for each key, with its exact spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.localisation import (
    Content,
    FileUnits,
    LocalisationFile,
    LocalisationFormat,
    Slot,
    open_content,
)
from mtassay.data.formats.tables import FileTable, Tsv, field_of
from mtassay.data.languages import Language, Pair, parse_language

_KEYS = ("key", "id", "identifier", "name", "string_id", "location", "seg_id", "segment_id")
_SOURCES = ("source", "src", "original", "source text", "source_text")
_TARGETS = ("target", "tgt", "trg", "translation", "translated", "target text", "target_text", "output", "mt")
_NOTES = ("note", "notes", "comment", "comments", "description", "developer_comments", "context")
_LENGTHS = ("max_length", "maxlength", "max length", "max-length", "limit", "character limit")
_STATES = ("state", "status")
_FUZZY = ("fuzzy",)


class FieldCell(NamedTuple):
    """A cell and its place in the file, quotes included."""

    text: str
    start: int
    end: int


def _rows(content: Content, delimiter: str, *, quotes: bool) -> Iterator[list[FieldCell]]:
    """The rows of a table with their places. A quote in the middle of a cell is text."""
    text, at = content.text, 0
    plain = re.compile(rf"[^{re.escape(delimiter)}\r\n]*")
    quoted = re.compile(r'"((?:[^"]|"")*)"')
    row: list[FieldCell] = []
    while at < len(text) or row:
        cell = quoted.match(text, at) if quotes and text.startswith('"', at) else None
        if cell is not None:
            row.append(FieldCell(cell[1].replace('""', '"'), at, cell.end()))
        else:
            if quotes and text.startswith('"', at):
                raise content.error("a quote that is not closed", at)
            cell = plain.match(text, at)
            assert cell is not None
            row.append(FieldCell(cell[0], at, cell.end()))
        at = cell.end()
        if text.startswith(delimiter, at) and at < len(text):
            at += 1
            continue
        if at < len(text) and text[at] not in "\r\n":
            raise content.error("text after a quoted cell. Write a quote in a cell twice", at)
        yield row
        row = []
        at += 2 if text.startswith("\r\n", at) else 1


class Csv(LocalisationFormat):
    """Comma- or semicolon-separated rows under a header that names the columns."""

    name = "csv"
    suffixes = (".csv",)

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        content = open_content(data, path)
        start = re.match(r"sep=(.)\r?\n", content.text)
        header = content.text[start.end() if start else 0 :].partition("\n")[0]
        delimiter = start[1] if start else max(",;\t|", key=header.count)
        return table_file(content, self.name, delimiter, pair, quotes=True, skip=1 if start else 0)

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        content = open_content(data, path)
        rows = [*_rows(content, max(",;\t|", key=content.text.partition("\n")[0].count), quotes=True)]
        fields = [field_of(cell.text) for cell in rows[0]] if rows else []
        if sum(field.role is not None for field in fields) < 2 and not any(
            field.role in ("output", "text", "source", "reference") for field in fields
        ):
            return super().read(data, path, pair)
        clean = [[re.sub(r"[\t\r\n]+", " ", cell.text) for cell in row] for row in rows]
        clean = [row for row in clean if any(row)]
        return Tsv().read("\n".join("\t".join(row) for row in clean).encode(), path, pair)


class TsvTable(Tsv, LocalisationFormat):
    """A header row that names the columns, then one row per line, without quotes."""

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        return table_file(open_content(data, path), self.name, "\t", pair, quotes=False)


def table_file(
    content: Content, name: str, delimiter: str, pair: Pair | None, *, quotes: bool, skip: int = 0
) -> LocalisationFile:
    """The units of a table with named columns."""
    rows = _rows(content, delimiter, quotes=quotes)
    for _ in range(skip):
        next(rows, None)
    header = [cell.text.strip() for cell in next(rows, [])]
    columns = _Columns([title.lower() for title in header], header, pair, content)
    units = FileUnits(content)
    write = partial(_write, delimiter=delimiter, quotes=quotes)
    for number, row in enumerate(rows, start=1):
        if len(row) == 1 and not row[0].text:
            continue
        if len(row) != len(header):
            shown = "1 column" if len(row) == 1 else f"{len(row)} columns"
            raise content.error(f"{shown}, expected {len(header)}", row[0].start)
        cell = row[columns.target]
        always = quotes and content.text.startswith('"', cell.start)
        facts: dict[str, Any] = {}
        length = columns.text(row, _LENGTHS).strip()
        if length.isdecimal():
            facts["max_length"] = int(length)
        if state := columns.text(row, _STATES):
            facts["state"] = state
        if columns.text(row, _FUZZY).strip().lower() in ("true", "yes", "1"):
            facts["fuzzy"] = True
        key = columns.text(row, _KEYS) or str(number)
        slot = Slot(cell.start, cell.end, partial(write, always=always))
        source = row[columns.source].text
        note = columns.text(row, _NOTES)
        units.add(key, source, cell.text or None, row[0].start, note=note, facts=facts, slot=slot)
    if not units:
        raise content.error("a header without rows", 0)
    return LocalisationFile(content, name, units, languages=columns.languages)


class _Columns:
    """The roles of the columns."""

    def __init__(self, titles: list[str], header: list[str], pair: Pair | None, content: Content) -> None:
        self.titles = titles
        source, target = self._find(_SOURCES), self._find(_TARGETS)
        self.languages = ("", "")
        if source is None or target is None:
            tags = {i: tag for i, title in enumerate(header) if (tag := _language(title))}
            if pair is None and len(tags) == 2:
                source, target = tags
            elif pair is not None:
                source = next((i for i, tag in tags.items() if tag.matches(pair.source)), source)
                target = next((i for i, tag in tags.items() if tag.matches(pair.target)), target)
            if source is not None and target is not None and source in tags and target in tags:
                self.languages = (tags[source].tag, tags[target].tag)
        if source is None or target is None:
            named = ", ".join(header) or "none"
            what = "the header must name the columns source and target, or both languages as en and de"
            raise InputError(f"{what}; it names {named[:200]}", path=content.path, line=1)
        self.source, self.target = source, target

    def _find(self, names: tuple[str, ...]) -> int | None:
        return next((self.titles.index(name) for name in names if name in self.titles), None)

    def text(self, row: list[FieldCell], names: tuple[str, ...]) -> str:
        """The cell of the first of these columns that exists; empty if none does."""
        at = self._find(names)
        return "" if at is None else row[at].text


def _language(title: str) -> Language | None:
    if not re.fullmatch(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,4}){0,2}", title):
        return None
    try:
        return parse_language(title)
    except UsageError:
        return None


def _write(text: str, *, delimiter: str, quotes: bool, always: bool = False) -> str:
    if not quotes:
        if re.search(r"[\t\r\n]", text):
            raise ValueError("a TSV cell cannot hold a tab or a line break. Use CSV")
        return text
    needs = always or any(sign in text for sign in (delimiter, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if needs else text


_ENTRY = re.compile(
    r"[ \t\f]*+(?:[#!](?P<note>[^\r\n]*+)|(?P<key>(?:[^\\\s=:]|\\(?:\r\n|.))++)"
    r"(?P<sign>[ \t\f]*+[=:][ \t\f]*+|[ \t\f]++)?+(?P<value>(?:[^\\\r\n]|\\(?:\r\n|.))*+))?+"
    r"(?:\r\n|\r|\n|\Z)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(\r\n|\r|\n)[ \t\f]*|(.))", re.DOTALL)
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_WRITTEN = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"}


class Properties(LocalisationFormat):
    """Java's resource bundles."""

    name = "properties"
    suffixes = (".properties",)
    is_monolingual = True

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each key. The file is UTF-8, or else Latin-1."""
        try:
            data.decode("utf-8")
            content = open_content(data, path)
        except UnicodeDecodeError:
            content = open_content(data, path, declared="latin-1")
        if re.match(r"\s*[{<\[]", content.text) or not re.search(r"[=:]", content.text):
            raise content.error("expected lines of key = text", 0)
        units = FileUnits(content)
        is_ascii = content.encoding == "latin-1" or (
            content.text.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", content.text) is not None
        )
        write = partial(_property, is_ascii=is_ascii)
        at, note = 0, ""
        while at < len(content.text):
            entry = _ENTRY.match(content.text, at)
            if entry is None:
                raise content.error("expected key = text", at)
            if entry["note"] is not None:
                note = entry["note"].strip()
            elif entry["key"] is not None:
                value = _resolved(entry["value"])
                facts = {"syntax": "java"} if re.search(r"\{\d", value) else {}
                fitted = write if entry["sign"] else lambda text: f"={write(text)}"
                slot = Slot(entry.start("value"), entry.end("value"), fitted)
                units.add(_resolved(entry["key"]), None, value, at, note=note, facts=facts, slot=slot)
                note = ""
            else:
                note = ""
            at = max(entry.end(), at + 1)
        if not units:
            raise content.error("no key = text in it")
        return LocalisationFile(content, self.name, units, is_monolingual=True)


def _resolved(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return "" if match[2] else _MEANINGS.get(match[3], match[3])


def _property(text: str, *, is_ascii: bool) -> str:
    written = "".join(_WRITTEN.get(character, character) for character in text)
    if written.startswith(" "):
        written = "\\" + written
    if not is_ascii:
        return written
    return "".join(c if c.isascii() else _units(c) for c in written)


def _units(character: str) -> str:
    data = character.encode("utf-16-be")
    return "".join(f"\\u{data[i]:02x}{data[i + 1]:02x}" for i in range(0, len(data), 2))
