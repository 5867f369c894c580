"""Compressed files, decompressed up to a largest size: a few megabytes can hold as many gigabytes."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from os import PathLike
from typing import Any

from mtassay.errors import InputError, UsageError

__all__ = ["VARIABLE", "check_archive", "decompress", "largest"]

VARIABLE = "MTASSAY_MAX_MIB"
"""The variable of the environment that says how many MiB a file may have when it is decompressed."""

_USUAL = 128
_PIECE = 2**20


def largest() -> int:
    """How many bytes a file may have when it is decompressed."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return _USUAL * 2**20
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) <= 2**30):
        raise UsageError(f"{VARIABLE} is {text[:40]!r}. Write a whole number of MiB, such as 1024.")
    return int(text) * 2**20


def decompress(data: bytes, *, path: str | PathLike[str]) -> bytes:
    """The content of gzip data, of one member or several; `path` is for messages."""
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
                    # Another member, or zeros that fill the last block of a tape.
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


def check_archive(data: bytes, *, path: str | PathLike[str]) -> None:
    """Refuse a ZIP archive, such as a workbook, whose files are too large together when decompressed."""
    limit = largest()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return  # whoever opens it says what is wrong
    if size > limit:
        raise _too_large(path, limit)


def _too_large(path: str | PathLike[str], limit: int) -> InputError:
    return InputError(
        f"more than {limit // 2**20:,} MiB when it is decompressed. If it is meant to be so large, set"
        f" {VARIABLE} to how many MiB it may have.",
        path=path,
    )
