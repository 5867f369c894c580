r"""The contents of a file as columns, and the encoding of cells and fields.

A tab, a line break and a backslash are written `\t`, `\n`, `\r`, `\\`; several texts in one cell are
separated by `\|`, and `\N` is no text. A backslash also precedes texts that a spreadsheet would read as a
formula (`\=1+1`), as a quotation (`\"Yes"`) or as a number that it changes (`\007`, but not `7`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple, TextIO

from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import FilePath, open_for_writing, split_lines
from mtassay.data.languages import Pair

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\Z"}
_MEANINGS = {"t": "\t", "n": "\n", "r": "\r", "Z": "\0"}
_CHANGED = re.compile(r"""[=+\-@"'].*|(?!(?:0|[1-9]\d{0,8})\Z)[\d.][\d\s.,:/eE+%-]*""", re.DOTALL)
_TOKENS = re.compile(r"\\.|[^\\]+|\\$", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"]|"")*)"', re.DOTALL)


def join_cell(texts: Iterable[str | None]) -> str:
    r"""Write texts as one cell; `None` is no text.

    >>> print(join_cell(["=1+1", "two\nlines", None]))
    \=1+1\|two\nlines\|\N
    """
    return "\\|".join("\\N" if text is None else _escaped(text) for text in texts)


def split_cell(cell: str) -> tuple[str | None, ...]:
    r"""Read the texts of a cell, even if a spreadsheet has put it in quotation marks.

    >>> split_cell(r"\=1+1\|two\nlines\|\N"), split_cell('"say ""yes"", please"')
    (('=1+1', 'two\nlines', None), ('say "yes", please',))
    """
    if quoted := _QUOTED.fullmatch(cell):
        cell = quoted[1].replace('""', '"')
    texts: list[list[str] | None] = [[]]
    for token in _TOKENS.findall(cell):
        if token == "\\|":
            texts.append([])
        elif token == "\\N":
            texts[-1] = None
        elif (parts := texts[-1]) is not None:
            parts.append(token if token[0] != "\\" else _MEANINGS.get(token[1:], token[1:]))
    return tuple(None if parts is None else "".join(parts) for parts in texts)


def _escaped(text: str) -> str:
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    return f"\\{escaped}" if _CHANGED.fullmatch(escaped) else escaped


Kind = Literal["id", "document", "system", "text", "tag"]

EXPECTED = "source, reference, output (or src, ref, mt, hypothesis, translation, target, text)"
"""The possible names of text columns, for messages."""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(["id", "seg_id", "segment_id"], "id"),
    **dict.fromkeys(["document", "doc", "docid", "doc_id"], "document"),
    **dict.fromkeys(["system", "sysid"], "system"),
}
_ROLES: dict[str, ColumnRole] = {
    **dict.fromkeys(["source", "src", "src_text"], "source"),
    **dict.fromkeys(["reference", "ref"], "reference"),
    **dict.fromkeys(["output", "mt", "hypothesis", "hyp", "translation"], "output"),
    **dict.fromkeys(["target", "tgt", "trg", "tgt_text"], "target"),
    "text": "text",
}
_NAMED_REFERENCE = re.compile(r"(?:reference|ref)(?:[_:.-](.+)|([a-z]|[0-9]+))", re.IGNORECASE | re.DOTALL)
_NAMED_OUTPUT = re.compile(r"(?:output|mt|hypothesis|hyp|translation):(.+)", re.IGNORECASE | re.DOTALL)


class Field(NamedTuple):
    """The content of a column or key: `name` of a reference, system or tag, and the `role` of a text."""

    kind: Kind
    name: str = ""
    role: ColumnRole | None = None


@lru_cache(maxsize=1024)
def field_of(header: str) -> Field:
    """The content of a column with this header; case does not matter.

    >>> field_of("src"), field_of("Doc")
    (Field(kind='text', name='', role='source'), Field(kind='document', name='', role=None))
    >>> field_of("refA"), field_of("output:ONLINE-B").name
    (Field(kind='text', name='A', role='reference'), 'ONLINE-B')

    What has no meaning to us describes the segment.

    >>> field_of("domain")
    Field(kind='tag', name='domain', role=None)
    """
    name = header.strip()
    if name.lower() in _KINDS:
        return Field(_KINDS[name.lower()])
    if name.lower() in _ROLES:
        return Field("text", role=_ROLES[name.lower()])
    reference = _NAMED_REFERENCE.fullmatch(name)
    if reference:
        return Field("text", reference[1] or reference[2], "reference")
    output = _NAMED_OUTPUT.fullmatch(name)
    return Field("text", output[1], "output") if output else Field("tag", header)


Role = Literal["source", "reference", "output"]

ColumnRole = Literal["source", "reference", "output", "target", "text"]
"""A "target" is a reference or an output, a "text" can be anything: the file's reader decides."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One column of text, with the ids of its segments, or in the order of lines only.

    `texts[i]` is `None` if the segment has no text here, and empty if it has an empty one. `says_missing`
    says whether the format makes that difference; if not, `None` does not occur. `name` is the name of the
    reference or system, empty if the file has none.
    """

    path: str
    texts: list[str | None]
    ids: list[str] | None
    documents: list[str | None] | None = None
    tags: list[Mapping[str, Any]] | None = None
    name: str = ""
    says_missing: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """The texts of one role and name, one per row of the table."""

    role: ColumnRole
    name: str
    texts: list[str | None]


@dataclass(frozen=True, slots=True)
class FileTable:
    """The contents of one file. `ids` is `None` if rows are identified only by their order."""

    path: str
    ids: list[str] | None
    documents: list[str | None]
    tags: list[Mapping[str, Any]]
    columns: list[Column]
    says_missing: bool

    def streams(self, role: Role) -> list[Stream]:
        """The possible columns for a role, in order: its own, else targets, else plain texts."""
        roles = (role, "text") if role == "source" else (role, "target", "text")
        for candidate in roles:
            streams = [self._stream(column) for column in self.columns if column.role == candidate]
            if streams:
                return streams
        return []

    def only(self, role: ColumnRole) -> list[Stream]:
        """The columns of exactly this role, in order."""
        return [self._stream(column) for column in self.columns if column.role == role]

    def _stream(self, column: Column) -> Stream:
        return Stream(
            path=self.path,
            texts=column.texts,
            ids=self.ids,
            documents=self.documents if any(self.documents) else None,
            tags=self.tags if any(self.tags) else None,
            name=column.name,
            says_missing=self.says_missing,
        )


class Format(ABC):
    """A file format for tables.

    `suffixes` are the file name endings of the format: with their dot, in lower case, without `.gz`. `roots`
    are the root elements that distinguish it from other XML, and `roots_shown` is their name in errors.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    roots: ClassVar[tuple[str, ...]] = ()
    roots_shown: ClassVar[str] = ""

    @abstractmethod
    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        """Read a file with this content; `path` is for messages.

        For any bytes, it raises only an `InputError`, or a `UsageError` without a pair.
        """

    def recognises(self, start: bytes) -> bool:
        """Whether content with this start, after any byte order mark, can only be of this format.

        It is called if the file's name does not tell; a file that no format recognises is plain lines.
        """
        return False


@dataclass(slots=True)
class _Cells:
    texts: list[str | None] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("l"))


class TableBuilder:
    """Collects cells in any order; filling a cell twice is an error that names both lines."""

    def __init__(self, path: str, *, says_missing: bool, has_ids: bool = True) -> None:
        self.path = path
        self._says_missing = says_missing
        self._has_ids = has_ids
        self._rows: dict[str, int] = {}
        self._documents: list[str | None] = []
        self._tags: list[Mapping[str, Any]] = []
        self._lines = array("l")
        self._columns: dict[tuple[ColumnRole, str], _Cells] = {}

    def row(
        self,
        row_id: str,
        *,
        line: int | None,
        document: str | None = None,
        tags: Mapping[str, Any] | None = None,
        must_be_new: bool = False,
    ) -> int:
        """The number of the row with this id; adds a row at the end for a new id."""
        number = self._rows.get(row_id)
        if number is not None:
            if must_be_new:
                first = self._lines[number]
                raise InputError(f"duplicate id {row_id!r} (first{_on(first)})", path=self.path, line=line)
            return number
        if not row_id:
            raise InputError("empty id", path=self.path, line=line)
        number = self._rows[row_id] = len(self._documents)
        self._documents.append(document)
        self._tags.append(tags or {})
        self._lines.append(line or 0)
        return number

    def put(
        self,
        row: int,
        role: ColumnRole,
        text: str | None,
        *,
        line: int | None,
        name: str = "",
        may_repeat: bool = False,
    ) -> None:
        """Fill one cell. `may_repeat` allows the same text again, such as a source once per system."""
        cells = self._columns.get((role, name))
        if cells is None:
            cells = self._columns[role, name] = _Cells()
        if row < len(cells.texts) and cells.lines[row]:
            if may_repeat and cells.texts[row] == text:
                return
            row_id = next(key for key, number in self._rows.items() if number == row)
            what, where = f"{role} {name!r}" if name else role, _on(cells.lines[row])
            raise InputError(
                f"duplicate id {row_id!r}: its {what} is{where} already", path=self.path, line=line
            )
        while len(cells.texts) <= row:
            cells.texts.append(None)
            cells.lines.append(0)
        cells.texts[row] = text
        cells.lines[row] = line or -1

    def build(self) -> FileTable:
        """The table, with `None` in every unfilled cell."""
        count = len(self._documents)
        for cells in self._columns.values():
            cells.texts.extend([None] * (count - len(cells.texts)))
        return FileTable(
            path=self.path,
            ids=list(self._rows) if self._has_ids else None,
            documents=self._documents,
            tags=self._tags,
            columns=[Column(role, name, cells.texts) for (role, name), cells in self._columns.items()],
            says_missing=self._says_missing,
        )


def _on(line: int) -> str:
    return f" on line {line}" if line > 0 else " before"


class Tsv(Format):
    """A header row that names the columns, then one row per line."""

    name = "tsv"
    suffixes = (".tsv",)

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        """One row per line after the header; with a `system` column, one row per segment and system.

        Cells are read unchanged: there is no quoting, and an empty cell is an empty text.
        """
        header, *lines = split_lines(data, path)
        if not lines:
            raise InputError("a header without rows", path=path, line=1)
        fields = _fields(header, path)
        kinds = [field.kind for field in fields]
        id_at = kinds.index("id") if "id" in kinds else None
        document_at = kinds.index("document") if "document" in kinds else None
        system_at = kinds.index("system") if "system" in kinds else None
        tags_at = [(i, field.name) for i, field in enumerate(fields) if field.kind == "tag"]
        texts_at = [(i, role, field.name) for i, field in enumerate(fields) if (role := field.role)]
        rows = [line.split("\t") for line in lines]
        if id_at is not None and len(texts_at) + 1 == len(fields) and {*map(len, rows)} == {len(fields)}:
            ids = [cells[id_at] for cells in rows]
            if all(ids) and len({*ids}) == len(ids):  # a wrong file is reported below
                columns = [Column(role, name, [cells[i] for cells in rows]) for i, role, name in texts_at]
                none: list[str | None] = [None] * len(ids)
                return FileTable(path, ids, none, [{}] * len(ids), columns, says_missing=False)
        table = TableBuilder(path, says_missing=False, has_ids=id_at is not None)
        positions: Counter[str] = Counter()
        for number, cells in enumerate(rows, start=2):
            if len(cells) != len(fields):
                raise InputError(f"{_columns(len(cells))}, expected {len(fields)}", path=path, line=number)
            system = "" if system_at is None else cells[system_at]
            positions[system] += 1
            row = table.row(
                str(positions[system]) if id_at is None else cells[id_at],
                line=number,
                document=None if document_at is None else cells[document_at] or None,
                tags={name: cells[i] for i, name in tags_at if cells[i]},
                must_be_new=system_at is None,
            )
            for i, role, name in texts_at:
                table.put(
                    row,
                    role,
                    cells[i],
                    line=number,
                    name=name or (system if role == "output" else ""),
                    may_repeat=system_at is not None and role != "output",
                )
        return table.build()


def write_tsv(
    where: FilePath | TextIO, rows: Iterable[Mapping[str, Any]], *, columns: Sequence[str] | None = None
) -> None:
    r"""Write a header and one line per row; `columns` defaults to the keys of the first row.

    `None` and NaN become empty cells. A tab or line break in a text would break the table, so each becomes
    one space: use `write_jsonl` where every character must survive.

    >>> import sys
    >>> write_tsv(sys.stdout, [{"system": "a", "note": "two\nlines"}, {"system": "b", "note": None}])
    ... # doctest: +NORMALIZE_WHITESPACE
    system	note
    a	two lines
    b
    """
    with open_for_writing(where) as handle:
        if columns is not None:
            handle.write("\t".join(map(_cell, columns)) + "\n")
        for row in rows:
            if columns is None:
                columns = list(row)
                handle.write("\t".join(map(_cell, columns)) + "\n")
            handle.write("\t".join(_cell(row.get(column)) for column in columns) + "\n")


def _fields(header: str, path: str) -> list[Field]:
    names = header.split("\t")
    fields = [field_of(name) for name in names]
    if not any(field.role for field in fields):
        raise InputError(
            f"the first line must name the columns, tab-separated: id, {EXPECTED}, document, system; "
            "for several systems: output:A, output:B",
            path=path,
            line=1,
        )
    for key, name in zip(fields, names, strict=True):
        if fields.count(key) > 1:
            same = " and ".join(repr(other) for other in names if field_of(other) == key)
            raise InputError(f"columns {same} are the same; keep one", path=path, line=1)
        if not name.strip():
            raise InputError("a column has no name", path=path, line=1)
    return fields


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def _cell(value: object) -> str:
    if value is None or value != value:  # only NaN differs from itself
        return ""
    return str(value).replace("\r\n", " ").replace("\t", " ").replace("\n", " ").replace("\r", " ")
