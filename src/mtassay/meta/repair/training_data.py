"""Corrections as training data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any, Literal, TextIO, get_args

from mtassay import __version__
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.jsonl import json_objects, write_jsonl
from mtassay.data.formats.tables import join_cell, split_cell
from mtassay.data.formats.textfiles import (
    FilePath,
    open_for_writing,
    read_bytes,
    shown,
    split_lines,
    write_lines,
)
from mtassay.data.formats.xml_files import XML_LANG
from mtassay.data.languages import Pair
from mtassay.meta.repair.corrections import Correction, WrongOutput

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
        texts = (split_cell(cell)[0] or "" for cell in cells)
        yield number, dict(zip(columns, texts, strict=True))


ExportFormat = Literal["jsonl", "tsv", "tmx"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def format_of(path: FilePath) -> ExportFormat:
    """What the ending of a file is for.

    >>> format_of("fixes.tmx"), format_of("fixes.jsonl.gz")
    ('tmx', 'jsonl')
    """
    ending = PurePath(str(path).removesuffix(".gz")).suffix.lower().removeprefix(".")
    for name in FORMATS:
        if ending == name:
            return name
    raise UsageError(f"{path}: its ending does not name a format. Take .jsonl, .tsv or .tmx.")


def check_export(form: ExportFormat, pair: Pair | None) -> None:
    """An error where a format needs to know the languages and does not."""
    if pair is None and form == "tmx":
        raise UsageError(f"The format '{form}' names the languages: add `langpair='SRC-TGT'`.")


def export(
    where: FilePath | TextIO,
    corrections: Sequence[Correction],
    form: ExportFormat,
    *,
    pair: Pair | None = None,
) -> None:
    """Write corrections in their order. `tmx` names the languages, so it needs the pair.

    JSONL and TSV keep everything, TMX who corrected and the kind of error. In TSV cells are written as in
    sheets of reviews; in TMX what XML cannot hold becomes a space.
    """
    check_export(form, pair)
    if form == "jsonl":
        write_jsonl(where, map(asdict, corrections))
    elif form == "tsv":
        _write_table(where, map(asdict, corrections))
    elif pair is not None:
        _write_tmx(where, corrections, pair)


def write_sheet(where: FilePath | TextIO, wrong: Iterable[WrongOutput]) -> None:
    """Write a sheet of wrong outputs, to fill in the columns 'correction' and 'by'."""
    _write_table(where, ({**entry._asdict(), "correction": "", "by": ""} for entry in wrong))


def _write_table(where: FilePath | TextIO, rows: Iterable[Mapping[str, str]]) -> None:
    """Cells that a spreadsheet would change, as a formula, have a backslash before them."""
    lines = ("\t".join(join_cell([row[column]]) for column in COLUMNS) for row in rows)
    write_lines(where, ["\t".join(COLUMNS), *lines])


def _write_tmx(where: FilePath | TextIO, corrections: Sequence[Correction], pair: Pair) -> None:
    from lxml import etree

    root = etree.Element("tmx", version="1.4")
    etree.SubElement(
        root,
        "header",
        {
            "creationtool": "mtassay",
            "creationtoolversion": __version__,
            "segtype": "sentence",
            "o-tmf": "mtassay",
            "adminlang": "en",
            "srclang": pair.source.tag,
            "datatype": "plaintext",
        },
    )
    body = etree.SubElement(root, "body")
    for correction in corrections:
        unit = etree.SubElement(body, "tu", tuid=_xml(correction.id))
        for name, text in (("x-by", correction.by), ("x-error", correction.error)):
            if text:
                etree.SubElement(unit, "prop", type=name).text = _xml(text)
        for language, text in ((pair.source, correction.source), (pair.target, correction.correction)):
            variant = etree.SubElement(unit, "tuv", {XML_LANG: language.tag})
            etree.SubElement(variant, "seg").text = _xml(text)
    etree.indent(root)
    with open_for_writing(where) as handle:
        handle.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        handle.write(etree.tostring(root, encoding="unicode") + "\n")


def _xml(text: str) -> str:
    return _NO_XML.sub(" ", text)
