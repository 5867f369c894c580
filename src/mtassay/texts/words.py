"""A text in words that people can point at; in scripts without spaces, each character is one."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

__all__ = ["Piece", "split_words"]

_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
"""Scripts that put no space between words, by how the names of their characters begin."""
_JOINERS = "'’\u200c\u200d"


class Piece(NamedTuple):
    """A part of a text, characters `start` to `end` (exclusive); a space `is_space`, and nobody marks it."""

    start: int
    end: int
    text: str
    is_space: bool


def split_words(text: str) -> list[Piece]:
    """All of a text in order: words, single signs, spaces. Marks stay with the character that bears them.

    >>> [piece.text for piece in split_words("Não, don't!")]
    ['Não', ',', ' ', "don't", '!']
    >>> [piece.text for piece in split_words("猫です")]
    ['猫', 'で', 'す']
    """
    starts: list[int] = []
    before = ""
    for place, character in enumerate(text):
        kind = _kind(character)
        joins = (
            kind == "mark"
            or (kind == before and kind in ("word", "space"))
            or (kind == "word" and before == "joiner")
        )
        if kind == "joiner":
            is_inside = before == "word" and _kind(text[place + 1 : place + 2]) == "word"
            kind, joins = ("joiner", True) if is_inside else ("sign", False)
        if not joins or not starts:
            starts.append(place)
        if kind != "mark" or not before:
            before = kind
    ends = [*starts[1:], len(text)]
    return [
        Piece(start, end, text[start:end], text[start:end].isspace())
        for start, end in zip(starts, ends if starts else [], strict=True)
    ]


def _kind(character: str) -> str:
    if not character:
        return ""
    if character in _JOINERS:
        return "joiner"
    category = unicodedata.category(character)
    if category[0] == "M" or character in "\ufe0e\ufe0f":
        return "mark"
    if character.isspace():
        return "space"
    if category[0] not in "LN":
        return "sign"
    return "sign" if unicodedata.name(character, "").startswith(_UNSPACED) else "word"
