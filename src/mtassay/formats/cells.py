r"""Texts in the cells of a tab-separated sheet that people fill in, and that must come back unchanged.

A tab, a line break and a backslash are written `\t`, `\n`, `\r`, `\\`; several texts in one cell are
parted by `\|`, and `\N` is no text. A backslash also stands before what a spreadsheet would take for a
formula (`\=1+1`), for a quotation (`\"Yes"`) or for a number and change (`\007`, but not `7`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["join_cell", "split_cell"]

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\Z"}
_MEANINGS = {"t": "\t", "n": "\n", "r": "\r", "Z": "\0"}
_CHANGED = re.compile(r"""[=+\-@"'].*|(?!(?:0|[1-9]\d{0,8})\Z)[\d.][\d\s.,:/eE+%-]*""", re.DOTALL)
_TOKENS = re.compile(r"\\.|[^\\]+|\\$", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"]|"")*)"', re.DOTALL)


def join_cell(texts: Iterable[str | None]) -> str:
    r"""Texts as one cell; `None` is no text.

    >>> print(join_cell(["=1+1", "two\nlines", None]))
    \=1+1\|two\nlines\|\N
    """
    return "\\|".join("\\N" if text is None else _escaped(text) for text in texts)


def split_cell(cell: str) -> tuple[str | None, ...]:
    r"""The texts of a cell, also after a spreadsheet has put it in quotation marks.

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
