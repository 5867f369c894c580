"""Writes corrections as data to fine-tune with: JSONL, TSV, TMX, or the JSON lines of Hugging Face."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Literal, TextIO, get_args

from mtassay import __version__
from mtassay.errors import UsageError
from mtassay.formats.jsonl import write_jsonl
from mtassay.formats.text import FilePath, open_for_writing
from mtassay.formats.tsv import write_tsv
from mtassay.formats.xml import XML_LANG
from mtassay.languages import Pair
from mtassay.repair.corrections import Correction
from mtassay.repair.files import COLUMNS

__all__ = ["FORMATS", "ExportFormat", "check_export", "export", "format_of"]

ExportFormat = Literal["jsonl", "tsv", "tmx", "hf"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def format_of(path: FilePath) -> ExportFormat:
    """What the ending of a file stands for; the shape of Hugging Face has none of its own.

    >>> format_of("fixes.tmx"), format_of("fixes.jsonl.gz")
    ('tmx', 'jsonl')
    """
    ending = PurePath(str(path).removesuffix(".gz")).suffix.lower().removeprefix(".")
    for name in FORMATS:
        if ending == name != "hf":
            return name
    raise UsageError(f"{path}: its ending says no format. Take .jsonl, .tsv or .tmx, or add --as FORMAT.")


def check_export(form: ExportFormat, pair: Pair | None) -> None:
    """An error where a format needs to know the languages and does not."""
    if pair is None and form in ("tmx", "hf"):
        raise UsageError(f"The format '{form}' names the languages: add -l SRC-TGT.")


def export(
    where: FilePath | TextIO,
    corrections: Sequence[Correction],
    form: ExportFormat,
    *,
    pair: Pair | None = None,
) -> None:
    """Write corrections in their order. `tmx` and `hf` name the languages, so they need the pair.

    JSONL and TSV keep everything, TMX who corrected and the kind of error, and `hf` the two texts alone. In
    TSV a tab or a line break becomes a space; in TMX what XML cannot hold does.
    """
    check_export(form, pair)
    if form == "jsonl":
        write_jsonl(where, map(asdict, corrections))
    elif form == "tsv":
        write_tsv(where, map(asdict, corrections), columns=COLUMNS)
    elif pair is not None:
        writer: Callable[[FilePath | TextIO, Sequence[Correction], Pair], None] = (
            _write_tmx if form == "tmx" else _write_hf
        )
        writer(where, corrections, pair)


def _write_hf(where: FilePath | TextIO, corrections: Sequence[Correction], pair: Pair) -> None:
    source, target = pair.source.tag, pair.target.tag
    write_jsonl(where, ({"translation": {source: c.source, target: c.correction}} for c in corrections))


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
