"""Which pieces of a model's vocabulary are whole words, and where each may stand.

WordPiece marks what continues a word (`##ing`); SentencePiece (`▁house`) and byte-level BPE (`Ġhouse`) mark
what follows a space. A vocabulary without marks has whole words only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

__all__ = ["Where", "Words", "is_word", "read_words", "where"]

Where = Literal["start", "spaced", "glued"]

_MARKS = ("##", "▁", "Ġ")
_INSIDE = "'’-"


@dataclass(frozen=True, slots=True)
class Words:
    """The whole words of a vocabulary: their spelling, by number, and which may stand where.

    `spaced` are the numbers of those that follow a space, `glued` of those that follow another character, as
    after a bracket or in Chinese.

    >>> words = read_words(["▁house", "s", "▁", "house"])
    >>> [[words.spelled[piece] for piece in words.among(where(text))] for text in ("a ", "a (", "")]
    [['house'], ['s', 'house'], ['house', 's', 'house']]
    """

    spelled: Mapping[int, str]
    spaced: tuple[int, ...]
    glued: tuple[int, ...]

    def among(self, where: Where) -> tuple[int, ...]:
        """The numbers of the pieces that can begin a word there."""
        if where == "start":
            # Whether a text begins as if after a space depends on the model.
            return tuple(dict.fromkeys((*self.spaced, *self.glued)))
        return self.spaced if where == "spaced" else self.glued


def where(before: str) -> Where:
    """How a word begins after this text: after a space, after another character, or as the first."""
    if not before:
        return "start"
    return "spaced" if before[-1].isspace() else "glued"


def read_words(pieces: Sequence[str]) -> Words:
    """The words of a vocabulary, given in the model's own spelling.

    >>> read_words(["[PAD]", "house", "##s", ","]).spelled
    {1: 'house'}
    >>> read_words(["ĠcafÃ©", "Ġ(", "s"]).spelled
    {0: 'café', 2: 's'}
    """
    # A mark that is also a rare letter of the vocabulary must not decide.
    counts = {mark: sum(piece.startswith(mark) for piece in pieces) for mark in _MARKS}
    mark = max(_MARKS, key=lambda mark: counts[mark])
    spelled: dict[int, str] = {}
    spaced, glued = [], []
    for number, piece in enumerate(pieces):
        marked = counts[mark] > 0 and piece.startswith(mark)
        text = piece.removeprefix(mark) if marked else piece
        if mark == "Ġ":
            text = _from_bytes(text)
        if not is_word(text) or (marked and mark == "##"):
            continue
        spelled[number] = text
        if marked or mark == "##" or counts[mark] == 0:
            spaced.append(number)
        if not marked:
            glued.append(number)
    return Words(spelled, tuple(spaced), tuple(glued))


def is_word(text: str) -> bool:
    """Whether this is letters (with their marks), perhaps with apostrophes or hyphens inside.

    >>> [is_word(text) for text in ("house", "d'água", "x-ray", "हिन्दी", "3rd", "-", "o'", "[PAD]", "")]
    [True, True, True, True, False, False, False, False, False]
    """
    letters = [unicodedata.category(character)[0] in "LM" for character in text]
    return (
        bool(letters)
        and text[0].isalpha()
        and letters[-1]
        and all(letter or character in _INSIDE for letter, character in zip(letters, text, strict=True))
    )


def _from_bytes(piece: str) -> str:
    """What a byte-level piece spells, or nothing where it is part of a character."""
    alphabet = _alphabet()
    try:
        return bytes(alphabet[character] for character in piece).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return ""


@cache
def _alphabet() -> Mapping[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for, as in GPT-2 (Radford et al. 2019).

    A printable byte stands for itself, the others follow in order from the letter 256 on.
    """
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in plain]
    return {
        **{chr(byte): byte for byte in plain},
        **{chr(256 + place): byte for place, byte in enumerate(others)},
    }
