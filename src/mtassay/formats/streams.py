"""From a file of any format to the column of text that one asks for."""

from __future__ import annotations

import re
from pathlib import PurePath

from mtassay.errors import InputError, UsageError
from mtassay.formats.jsonl import table_from_jsonl
from mtassay.formats.markup import local_name, parse_xml
from mtassay.formats.sgm import table_from_sgm
from mtassay.formats.table import Role, Stream, Table
from mtassay.formats.text import FilePath, read_bytes, shown, split_lines
from mtassay.formats.tmx import table_from_tmx
from mtassay.formats.tsv import table_from_tsv
from mtassay.formats.wmtxml import table_from_wmt_xml
from mtassay.formats.xliff import table_from_xliff
from mtassay.languages import Pair

_FORMATS = {
    ".txt": "lines",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".sgm": "sgm",
    ".sgml": "sgm",
    ".xml": "xml",
    ".tmx": "xml",
    ".xlf": "xml",
    ".xliff": "xml",
}
_REFUSED = {
    ".csv": "comma-separated tables are not read. Save it as tab-separated .tsv",
    ".json": "JSON is read one record per line. Save it as .jsonl",
}
_XML_START = re.compile(rb"\s*<(\?xml\s|dataset[\s>]|tmx[\s>]|xliff[\s>])", re.IGNORECASE)
_SGM_START = re.compile(rb"\s*(<!doctype[^>]*>\s*)?<(mteval|srcset|refset|tstset)[\s>]", re.IGNORECASE)
_JSON_START = re.compile(rb'\s*\{\s*"')


def read_stream(path: FilePath, *, role: Role, pair: Pair | None = None, system: str | None = None) -> Stream:
    """The column of a file that plays the role; the format follows from the name, else from the content.

    Of several references the first is taken: `read_references` gives them all. Of several outputs
    `system` names one; a single output is taken whatever its name.
    """
    streams = _streams(path, role=role, pair=pair)
    if role != "output" or len(streams) == 1:
        return streams[0]
    for stream in streams:
        if stream.name == system:
            return stream
    names = ", ".join(sorted(stream.name for stream in streams))
    if system is None:
        raise UsageError(f"{shown(path)}: it holds several systems. Choose one of: {names}.")
    raise UsageError(f"{shown(path)}: no system {system!r}. Available: {names}.")


def read_references(path: FilePath, *, pair: Pair | None = None) -> list[Stream]:
    """All references that a file holds, in its order: at least one."""
    return _streams(path, role="reference", pair=pair)


def read_table(path: FilePath, *, pair: Pair | None = None) -> Table | None:
    """Everything a file holds, or `None` where it is plain lines, which say nothing about their role."""
    content = _Content(path)
    return None if content.format == "lines" else content.table(pair)


class _Content:
    """The bytes of a file and the format they are in."""

    def __init__(self, path: FilePath) -> None:
        self.path = shown(path)
        suffix = PurePath(self.path.removesuffix(".gz")).suffix.lower()
        if suffix in _REFUSED:
            raise InputError(_REFUSED[suffix], path=self.path)
        self.data = read_bytes(path)
        self.format = _FORMATS.get(suffix) or _guess(self.data)

    def lines(self) -> Stream:
        return Stream(self.path, list(split_lines(self.data, self.path)), None)

    def table(self, pair: Pair | None) -> Table:
        if self.format == "tsv":
            return table_from_tsv(self.data, self.path)
        if self.format == "jsonl":
            return table_from_jsonl(self.data, self.path)
        if self.format == "sgm" or _SGM_START.match(self.data):
            return table_from_sgm(self.data, self.path)
        root = parse_xml(self.data, self.path)
        name = local_name(root)
        if name == "dataset":
            return table_from_wmt_xml(root, self.path, pair=pair)
        if name == "tmx":
            return table_from_tmx(root, self.path, pair=pair)
        if name == "xliff":
            return table_from_xliff(root, self.path, pair=pair)
        if name in ("mteval", "srcset", "refset", "tstset"):
            return table_from_sgm(self.data, self.path)
        raise InputError(
            f"<{name}> is not read. The root must be dataset (WMT), tmx, xliff, srcset, refset or tstset",
            path=self.path,
            line=root.sourceline,
        )


def _streams(path: FilePath, *, role: Role, pair: Pair | None) -> list[Stream]:
    content = _Content(path)
    if content.format == "lines":
        return [content.lines()]
    table = content.table(pair)
    streams = table.streams(role)
    if not streams:
        held = ", ".join(dict.fromkeys(column.role for column in table.columns))
        raise InputError(f"it holds no {role}, only {held}", path=content.path)
    return streams


def _guess(data: bytes) -> str:
    """The format of a file whose name says nothing; plain lines unless it clearly is something else."""
    start = data[:4096].removeprefix(b"\xef\xbb\xbf")
    if _SGM_START.match(start):
        return "sgm"
    if _XML_START.match(start):
        return "xml"
    return "jsonl" if _JSON_START.match(start) else "lines"
