"""Texts as the pieces of a SentencePiece unigram model (Kudo 2018), read from its file.

Only what translation models need of it: the likeliest pieces of a text. It needs no package.
"""

from __future__ import annotations

import math
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mtassay.nlp.normalisation import plain_marks

__all__ = ["BEGIN", "PieceModel", "read_pieces"]

BEGIN = "▁"
"""What a piece begins with that begins a word."""

_NORMAL = 1  # the type of a piece that texts are split into; others are marks, or unused
_UNKNOWN = 2
_SHORT, _KEPT = 32, 2**17  # letters of a word that is kept, and how many words are: some 40 MB
_COMMON, _LEAST = 4.0, 0.1  # minus the log of a common piece's probability; the least rarity
_PENALTY = 10.0  # how much less likely an unknown letter is than the least likely piece, in logs


@dataclass(frozen=True)
class PieceModel:
    """Pieces by their number, and how likely each is, as a logarithm."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    types: tuple[int, ...]

    @cached_property
    def _known(self) -> dict[str, tuple[int, float]]:
        rows = zip(self.pieces, self.scores, self.types, strict=True)
        return {piece: (number, score) for number, (piece, score, kind) in enumerate(rows) if kind == _NORMAL}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._known), default=1)

    @cached_property
    def _unknown(self) -> tuple[int, float]:
        lowest = min((score for _, score in self._known.values()), default=0.0)
        return self.types.index(_UNKNOWN), lowest - _PENALTY

    def rarity(self, number: int) -> float:
        """How rare a piece is, in logs, over the commonest ones; an unknown one is half as rare as most."""
        unknown = self.types[number] != _NORMAL
        return _COMMON if unknown else max(-self.scores[number] - _COMMON, _LEAST)

    def split(self, text: str) -> list[int]:
        """The numbers of the likeliest pieces of a text; unknown letters side by side are one piece."""
        normal = unicodedata.normalize("NFKC", plain_marks(text))
        printed = "".join(" " if unicodedata.category(sign) in ("Cc", "Cf") else sign for sign in normal)
        return [number for word in printed.split() for number in self._split_word(BEGIN + word)]

    @cached_property
    def _split(self) -> dict[str, list[int]]:
        """Words that were split already."""
        return {}

    def _split_word(self, word: str) -> list[int]:
        """The likeliest pieces of one word; those of short words are kept, since most come again."""
        numbers = self._split.get(word)
        if numbers is None:
            numbers = self._likeliest(word)
            if len(word) <= _SHORT and len(self._split) < _KEPT:
                self._split[word] = numbers
        return numbers

    def _likeliest(self, word: str) -> list[int]:
        """The pieces of a word by Viterbi's algorithm; no piece spans two words."""
        best = [(0.0, 0, -1)] + [(-math.inf, 0, -1)] * len(word)
        for start in range(len(word)):
            so_far = best[start][0]
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                found = self._known.get(word[start:end])
                if found is None and end == start + 1:
                    found = self._unknown
                if found is not None and so_far + found[1] > best[end][0]:
                    best[end] = (so_far + found[1], start, found[0])
        numbers: list[int] = []
        end = len(word)
        while end > 0:
            _, start, number = best[end]
            if not (numbers and number == numbers[-1] == self._unknown[0]):
                numbers.append(number)
            end = start
        return numbers[::-1]


def read_pieces(path: Path) -> PieceModel:
    """The pieces of a file ending in `.spm` or `.model`."""
    pieces, scores, types = [], [], []
    for field, value in _fields(path.read_bytes()):
        if field == 1 and isinstance(value, bytes):
            entry = dict(_fields(value))
            pieces.append(bytes(entry[1]).decode("utf-8"))
            scores.append(struct.unpack("<f", bytes(entry.get(2, b"\0\0\0\0")))[0])
            types.append(int(entry.get(3, _NORMAL)))
    return PieceModel(tuple(pieces), tuple(scores), tuple(types))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in the format of protocol buffers, by number."""
    place = 0
    while place < len(data):
        key, place = _number(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _number(data, place)
            yield key >> 3, value
            continue
        if kind == 2:
            length, place = _number(data, place)
        else:
            length = 8 if kind == 1 else 4
        yield key >> 3, data[place : place + length]
        place += length


def _number(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place
