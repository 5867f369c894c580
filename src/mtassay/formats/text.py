"""Bytes and lines: the one place where files are opened, decompressed, decoded and split."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TextIO

from mtassay.compression import decompress
from mtassay.errors import InputError

FilePath = str | PathLike[str]

STDIN = "-"
_CHECKED = 1000  # lines that are looked at together

_HALF = re.compile("[\ud800-\udfff]")


def read_lines(path: FilePath) -> list[str]:
    r"""The lines of a text file, without their line ends.

    Only "\n" and "\r\n" end a line: any other separator that Unicode knows is text. A last line end
    makes no further line, and empty lines are lines. `-` reads standard input, `.gz` is decompressed.
    The text must be UTF-8; a byte order mark is dropped. A file without any line is an `InputError`.
    """
    return split_lines(read_bytes(path), shown(path))


def text_blocks(path: FilePath, size: int) -> Iterator[list[str]]:
    """The same lines, `size` at a time, of a file that `check_text` found to be right."""
    with Path(path).open("rb") as handle:
        first = True
        while data := b"".join(islice(handle, size)):
            text = data.decode("utf-8-sig" if first else "utf-8")
            first = False
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            yield text.removesuffix("\n").split("\n")


def check_text(path: FilePath) -> int:
    """How many lines a text file has; an `InputError` where `read_lines` would have one."""
    count = 0
    try:
        for lines in text_blocks(path, _CHECKED):
            count += len(lines)
            if any("\0" in line for line in lines):
                raise ValueError
    except (OSError, ValueError):
        count = 0
    return count or len(read_lines(path))  # which says what is wrong


def shown(path: FilePath) -> str:
    """How messages name a file."""
    return "standard input" if str(path) == STDIN else str(path)


def read_bytes(path: FilePath) -> bytes:
    """The content of a file, decompressed where its name ends in `.gz`; never empty."""
    name = shown(path)
    try:
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
    """The lines of a file's content; `path` is for messages."""
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
    """Refuse a table with two columns of one name: one of them would be lost without a word."""
    for place, name in enumerate(columns):
        if name and name in columns[:place]:
            what = f"the column '{name}' stands twice: {columns.index(name) + 1} and {place + 1}; keep one"
            raise InputError(what, path=shown(path), line=1)


def not_csv(error: Exception) -> str:
    """What is wrong with a CSV file, for people: Python speaks to programmers."""
    if "new-line character" in str(error):
        return "not CSV: a line break inside of a cell that has no quotes. Put the cell in double quotes"
    return f"not CSV ({error})"


def decode(data: bytes, path: str) -> str:
    """UTF-8 without byte order mark; an `InputError` names the line and the byte that is not UTF-8."""
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
    r"""Refuse NUL and half a surrogate pair anywhere in a JSON value, with a `ValueError` that says which.

    JSON can write both with an escape, and no file, terminal, engine or database could take them later.

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
    """An open handle as it is, or a path opened for UTF-8 text, compressed where it ends in `.gz`.

    A file is written whole or not at all: what is there stays until the new text is complete.
    """
    if not isinstance(where, str | PathLike):
        yield where
        return
    opener = gzip.open if str(where).endswith(".gz") else open
    target = Path(where).resolve()  # what a link points to, not the link
    beside = target
    if (target.is_file() or not target.exists()) and os.access(target.parent, os.W_OK):
        beside = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with opener(beside, "wt", encoding="utf-8", newline="\n") as handle:
            yield handle
            handle.flush()
            if beside is not target:
                os.fsync(handle.fileno())
        if beside is not target:
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
    except OSError as error:
        raise InputError(f"cannot write: {_reason(error)}", path=where) from None
    finally:
        if beside is not target:
            beside.unlink(missing_ok=True)  # what is left of it after an error or Ctrl-C


def write_lines(where: FilePath | TextIO, lines: Iterable[str]) -> None:
    """One text per line. The caller sees to it that no text holds a line end."""
    with open_for_writing(where) as handle:
        handle.writelines(f"{line}\n" for line in lines)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
