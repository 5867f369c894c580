"""Reads corrections from files: JSONL or TSV with the columns id, source, output, correction, by, error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mtassay.errors import InputError, UsageError
from mtassay.formats.jsonl import json_objects
from mtassay.formats.text import FilePath, read_bytes, shown, split_lines
from mtassay.repair.corrections import Correction

__all__ = ["COLUMNS", "read_corrections"]

COLUMNS = ("id", "source", "output", "correction", "by", "error")
"""What a correction is made of; `error` may be missing, and so may `id`, which is then the line's number."""

_NEEDED = ("source", "correction", "by")


def read_corrections(path: FilePath) -> list[Correction]:
    """The corrections of a file, in its order; a bad row is an `InputError` with its line.

    `by` says who corrected: a person's name, or "engine NAME". `output` may be empty. A row whose correction
    is empty is one that nobody has corrected yet: it is left out.
    """
    name = shown(path)
    ending = name.removesuffix(".gz")
    data = read_bytes(path)
    if ending.endswith(".tsv"):
        records = _from_tsv(data, name)
    elif ending.endswith((".jsonl", ".ndjson")):
        records = json_objects(split_lines(data, name), name)
    else:
        raise UsageError(f"{name}: a file of corrections ends in .jsonl or .tsv.")
    corrections = []
    first: dict[str, int] = {}
    for line, record in records:
        if "correction" in record and not str(record["correction"] or "").strip():
            continue
        correction = _correction(record, name, line)
        if correction.id in first:
            what = f"duplicate id {correction.id!r} (first on line {first[correction.id]})"
            raise InputError(what, path=name, line=line)
        first[correction.id] = line
        corrections.append(correction)
    if not corrections:
        raise InputError("it holds no correction", path=name)
    return corrections


def _correction(record: Mapping[str, Any], path: str, line: int) -> Correction:
    values = {key: record[key] for key in COLUMNS if record.get(key) is not None}
    for key, value in values.items():
        if key == "id" and isinstance(value, int) and not isinstance(value, bool):
            values[key] = str(value)
        elif not isinstance(value, str):
            raise InputError(f"'{key}' must be a text", path=path, line=line)
    for key in _NEEDED:
        if not values.get(key, "").strip():
            what = "'by' is empty: write who corrected it, or 'engine NAME'" if key == "by" else f"no '{key}'"
            raise InputError(f"{what}. Needed: {', '.join(_NEEDED)}", path=path, line=line)
    return Correction(**{"id": str(line), "output": "", **values})


def _from_tsv(data: bytes, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    header, *lines = split_lines(data, path)
    columns = [column.strip().lower() for column in header.split("\t")]
    if missing := [name for name in _NEEDED if name not in columns]:
        what = f"there is no column '{missing[0]}'. Needed: {', '.join(_NEEDED)}"
        raise InputError(what, path=path, line=1)
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
        yield number, dict(zip(columns, cells, strict=True))
