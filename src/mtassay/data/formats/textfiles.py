"""Bytes and lines: opens, decompresses, decodes and splits files for all other modules."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

from mtassay.data.errors import InputError, UsageError

VARIABLE = "MTASSAY_MAX_MIB"
"""Environment variable with the largest size of a decompressed file in MiB."""

_USUAL = 128
_PIECE = 2**20


def largest() -> int:
    """The largest size of a decompressed file in bytes."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return _USUAL * 2**20
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) <= 2**30):
        raise UsageError(f"{VARIABLE} is {text[:40]!r}. Write a whole number of MiB, such as 1024.")
    return int(text) * 2**20


def decompress(data: bytes, *, path: str | PathLike[str]) -> bytes:
    """Decompress gzip data of one or several members; `path` is for messages."""
    if data[:2] != b"\x1f\x8b":
        raise InputError("not a gzip file, although its name ends in .gz", path=path)
    limit = largest()
    pieces: list[bytes] = []
    size = 0
    member: Any = None
    try:
        for start in range(0, len(data), _PIECE):
            rest = data[start : start + _PIECE]
            while rest:
                if member is None:
                    # Another member, or zeros as padding of the last tape block.
                    rest = rest.lstrip(b"\0")
                    member = zlib.decompressobj(31) if rest else None
                    continue
                piece = member.decompress(rest, _PIECE)
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    raise _too_large(path, limit)
                rest = member.unconsumed_tail
                if member.eof:
                    rest, member = member.unused_data, None
        if member is not None:
            raise zlib.error("cut off")
    except zlib.error:
        raise InputError("the compressed data is cut off or damaged", path=path) from None
    return b"".join(pieces)


def _too_large(path: str | PathLike[str], limit: int) -> InputError:
    return InputError(
        f"more than {limit // 2**20:,} MiB when it is decompressed. If it is meant to be so large, set"
        f" {VARIABLE} to how many MiB it may have.",
        path=path,
    )


FilePath = str | PathLike[str]

STDIN = "-"
_CHECKED = 1000  # lines that are checked together

_HALF = re.compile("[\ud800-\udfff]")


def read_lines(path: FilePath) -> list[str]:
    r"""Read the lines of a text file, without their line ends.

    Only "\n" and "\r\n" end a line: Unicode's other separators are text. A final line end does not start
    another line, and empty lines are lines. `-` reads standard input, `.gz` is decompressed.
    The text must be UTF-8; a byte order mark is dropped. A file without any line is an `InputError`.
    """
    return split_lines(read_bytes(path), shown(path))


def text_blocks(path: FilePath, size: int) -> Iterator[list[str]]:
    """The same lines, `size` at a time, of a file that `check_text` has checked."""
    check_file(path)
    with Path(path).open("rb") as handle:
        first = True
        while data := b"".join(islice(handle, size)):
            text = data.decode("utf-8-sig" if first else "utf-8")
            first = False
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            yield text.removesuffix("\n").split("\n")


def check_text(path: FilePath) -> int:
    """Count the lines of a text file; raise the same `InputError` as `read_lines`."""
    count = 0
    try:
        for lines in text_blocks(path, _CHECKED):
            count += len(lines)
            if any("\0" in line for line in lines):
                raise ValueError
    except (OSError, ValueError):
        count = 0
    return count or len(read_lines(path))  # reports the error


def shown(path: FilePath) -> str:
    """The name of a file in messages."""
    return "standard input" if str(path) == STDIN else str(path)


def read_bytes(path: FilePath) -> bytes:
    """Read the content of a file, decompressed if its name ends in `.gz`; never empty."""
    name = shown(path)
    try:
        check_file(path)
        data = sys.stdin.buffer.read() if str(path) == STDIN else Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError("this is a folder; give a file", path=name) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read: {_reason(error)}", path=name) from None
    if data and name.endswith(".gz"):
        data = decompress(data, path=name)
    if not data:
        raise InputError("the file is empty", path=name)
    return data


def split_lines(data: bytes, path: str) -> list[str]:
    """Split the content of a file into lines; `path` is for messages."""
    text = decode(data, path)
    # Looking for one character is many times faster than replacing two.
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError("the file is empty", path=path)
    return lines


def check_columns(columns: Sequence[str], path: FilePath) -> None:
    """Refuse a table with two columns of one name: one of them would be silently lost."""
    for place, name in enumerate(columns):
        if name and name in columns[:place]:
            what = f"the column '{name}' occurs twice: {columns.index(name) + 1} and {place + 1}; keep one"
            raise InputError(what, path=shown(path), line=1)


def not_csv(error: Exception) -> str:
    """Say what is wrong with a CSV file in plain words, unlike Python's messages."""
    if "new-line character" in str(error):
        return "not CSV: a line break inside of a cell that has no quotes. Put the cell in double quotes"
    return f"not CSV ({error})"


def decode(data: bytes, path: str) -> str:
    """Decode UTF-8, without byte order mark; an `InputError` names the line and the first wrong byte."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("this is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8", path=path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from after a byte order mark.
        start = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise InputError(
            f"byte 0x{data[start]:02X} (number {start + 1} of the file) is not UTF-8."
            " Convert the file: iconv -f ENCODING -t UTF-8",
            path=path,
            line=data.count(b"\n", 0, start) + 1,
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError("a NUL byte: this is not a text file, or not UTF-8", path=path, line=line)
    return text


def check_characters(value: object) -> None:
    r"""Refuse NUL and half a surrogate pair anywhere in a JSON value; the `ValueError` says which.

    JSON can write both as escapes, but files, terminals, engines and databases reject them later.

    >>> check_characters({"a": ["\ud800"]})
    Traceback (most recent call last):
    ValueError: not text: half a surrogate pair (\ud800 to \udfff)
    """
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if "\0" in value:
                raise ValueError("not usable JSON: it holds a NUL character")
            if _HALF.search(value):
                raise ValueError(r"not text: half a surrogate pair (\ud800 to \udfff)")
        elif isinstance(value, dict):
            waiting += value.keys()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


@contextmanager
def open_for_writing(where: FilePath | TextIO) -> Iterator[TextIO]:
    """Return an open handle, or open a path for UTF-8 text, compressed if it ends in `.gz`.

    A file is written whole or not at all: the old content stays until the new text is complete.
    """
    if not isinstance(where, str | PathLike):
        yield where
        return
    opener = gzip.open if str(where).endswith(".gz") else open
    with _replacing(where) as beside, opener(beside, "wt", encoding="utf-8", newline="\n") as handle:
        yield handle
        _settle(handle)


def write_bytes(where: FilePath, data: bytes) -> None:
    """Write a whole file, compressed for `.gz`; the old content stays until all is written."""
    with _replacing(where) as beside, beside.open("wb") as handle:
        handle.write(gzip.compress(data) if str(where).endswith(".gz") else data)
        _settle(handle)


def _settle(handle: Any) -> None:
    handle.flush()
    if stat.S_ISREG(os.fstat(handle.fileno()).st_mode):  # not a pipe or a device
        os.fsync(handle.fileno())


@contextmanager
def _replacing(where: FilePath) -> Iterator[Path]:
    """Open a file beside this one, which replaces it if no error occurs."""
    target = Path(where).resolve()  # replace the target of a link, not the link
    beside = target
    if (target.is_file() or not target.exists()) and os.access(target.parent, os.W_OK):
        beside = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        yield beside
        if beside is not target:
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
    except OSError as error:
        raise InputError(f"cannot write: {_reason(error)}", path=where) from None
    finally:
        if beside is not target:
            beside.unlink(missing_ok=True)  # left over after an error or Ctrl-C


def write_lines(where: FilePath | TextIO, lines: Iterable[str]) -> None:
    """Write one text per line. The caller makes sure that no text contains a line end."""
    with open_for_writing(where) as handle:
        handle.writelines(f"{line}\n" for line in lines)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


MAX_DEPTH = 100
"""Largest depth of nested lists and objects."""

_GIVEN = re.compile(r"/dev/(stdin|fd/\d+)|/proc/self/fd/\d+")
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def check_file(path: str | PathLike[str]) -> None:
    """Refuse files that may never end or start: named pipes, sockets and devices.

    Files that the shell opened, such as `<(zcat x.gz)` and `/dev/stdin`, are fine: they have a writer.
    """
    name = os.fspath(path)
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return  # opening it later reports the error
    kind = next((word for is_kind, word in _KINDS if is_kind(mode)), "")
    if kind and not _GIVEN.fullmatch(name) and name != os.devnull:
        raise InputError(f"this is {kind}: save the text in a file, and give that", path=path)


def load_json(text: str, decode: Callable[[str], Any] = json.loads) -> Any:
    """Apply `decode` to a text, with a `json.JSONDecodeError` for too deep nesting.

    >>> load_json("[" * 200 + "]" * 200)
    Traceback (most recent call last):
    json.decoder.JSONDecodeError: nested too deeply: more than 100 lists or objects: line 1 column 1 (char 0)
    """
    try:
        value = decode(text)
        is_deep = text.count("[") + text.count("{") > MAX_DEPTH and _is_deep(value)
    except RecursionError:
        is_deep = True
    if is_deep:
        raise json.JSONDecodeError(f"nested too deeply: more than {MAX_DEPTH} lists or objects", "", 0)
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
