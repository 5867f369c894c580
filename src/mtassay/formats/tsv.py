"""Tab-separated tables with a header row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from mtassay.errors import InputError
from mtassay.formats.table import EXPECTED, Field, FileTable, Format, TableBuilder, field_of
from mtassay.formats.text import FilePath, open_for_writing, split_lines
from mtassay.languages import Pair


class Tsv(Format):
    """A header row that names the columns, then one row per line."""

    name = "tsv"
    suffixes = (".tsv",)

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        """One row per line after the header; with a `system` column, one row per segment and system.

        Cells are taken as they are: there is no quoting, and an empty cell is an empty text.
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
        table = TableBuilder(path, says_missing=False, has_ids=id_at is not None)
        positions: Counter[str] = Counter()
        for number, line in enumerate(lines, start=2):
            cells = line.split("\t")
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
    r"""A header and one line per row; `columns` defaults to the keys of the first row.

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
            "of several systems: output:A, output:B",
            path=path,
            line=1,
        )
    for field, name in zip(fields, names, strict=True):
        if fields.count(field) > 1:
            same = " and ".join(repr(other) for other in names if field_of(other) == field)
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
