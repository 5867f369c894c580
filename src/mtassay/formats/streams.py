"""From a file of any format to the column of text that one asks for."""

from __future__ import annotations

from pathlib import PurePath

from mtassay.errors import InputError, UsageError
from mtassay.formats.table import Format, Role, Stream, Table
from mtassay.formats.text import FilePath, read_bytes, shown, split_lines
from mtassay.languages import Pair
from mtassay.registry import each

_LINES = ".txt"
_REFUSED = {
    ".csv": "comma-separated tables are not read. Save it as tab-separated .tsv",
    ".json": "JSON is read one record per line. Save it as .jsonl",
}


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
    return None if content.format is None else content.format.read(content.data, content.path, pair)


class _Content:
    """The bytes of a file and the format they are in; `None` is plain lines."""

    def __init__(self, path: FilePath) -> None:
        self.path = shown(path)
        suffix = PurePath(self.path.removesuffix(".gz")).suffix.lower()
        self.format: Format | None = None
        others: list[Format] = []
        if suffix != _LINES:
            for format_class in each("format"):
                if suffix in format_class.suffixes:
                    self.format = format_class()
                    break
                others.append(format_class())
        if self.format is None and suffix in _REFUSED:
            raise InputError(_REFUSED[suffix], path=self.path)
        self.data = read_bytes(path)
        if self.format is None:
            start = self.data[:4096].removeprefix(b"\xef\xbb\xbf")
            self.format = next((other for other in others if other.recognises(start)), None)

    def lines(self) -> Stream:
        return Stream(self.path, list(split_lines(self.data, self.path)), None)


def _streams(path: FilePath, *, role: Role, pair: Pair | None) -> list[Stream]:
    content = _Content(path)
    if content.format is None:
        return [content.lines()]
    table = content.format.read(content.data, content.path, pair)
    streams = table.streams(role)
    if not streams:
        held = ", ".join(dict.fromkeys(column.role for column in table.columns))
        raise InputError(f"it holds no {role}, only {held}", path=content.path)
    return streams
