"""Word edit distance within Tercom's beam, bit-parallel, for many outputs of one length at once.

A row of the distance matrix belongs to an output word, a column to a reference word. Neighbouring cells
differ by at most one, so a row is two integers: `plus` has a bit where a cell is one more than the cell to
its left, `minus` where it is one less (Myers 1999, Hyyrö 2003). A row then costs a dozen operations on
integers, however long it is. Many outputs are measured together, each in its lane of one long integer.

Tercom, as sacreBLEU renders it, leaves cells far from the diagonal uncomputed. Here they have values too, but
such as never help a cell inside the beam: on its left side they fall by one per column, on its right side
they rise by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

BEAM = 25
"""How many columns on either side of the diagonal are computed."""

Row = tuple[int, int, int, int, int]
"""A row that the next one starts from: `plus`, `minus`, and `left`, the columns that the beam has left
behind, with `left_plus` and `left_minus`, the differences they had when that happened."""


class Limits(NamedTuple):
    """Which cells of the row above a row may use: those of the columns `low` to `high - 1`."""

    low: int
    high: int


class Measured(NamedTuple):
    """The distance of an output; for each of its words the row above, and the cells equal to the one
    above and to the left."""

    distance: int
    above: list[Row]
    same: list[int]


class Alignment(NamedTuple):
    """The cheapest way from the reference to the output.

    `used[j]` output words are used up when the `j`-th reference word (from 1) has been dealt with. The other
    two tell for each word whether an edit touches it.
    """

    used: list[int]
    output_wrong: list[bool]
    reference_wrong: list[bool]


class EditDistance:
    """Distances between one reference and outputs of `length` words; neither may be empty.

    A word is given as its code: the bits of the places where it stands in the reference.
    """

    def __init__(self, reference: Sequence[str], length: int) -> None:
        self._codes: dict[str, int] = {}
        for place, word in enumerate(reference):
            self._codes[word] = self._codes.get(word, 0) | 1 << place
        self._length, self._size = length, len(reference)
        self._full = (1 << self._size) - 1
        self._limits = _limits(length, self._size)
        # A lane has at least one bit more than a row, because the sum in `_advance` may carry.
        self._width = self._size // 8 + 1
        self._bytes = {code: code.to_bytes(self._width, "little") for code in (0, *self._codes.values())}

    def encode(self, words: Iterable[str]) -> list[int]:
        """The codes of the words; 0 for a word that the reference lacks."""
        return [self._codes.get(word, 0) for word in words]

    def measure(self, output: Sequence[int]) -> Measured:
        """The distance of one output, and its rows."""
        first: Row = (self._full, 0, 0, 0, 0)
        above, same, last = _advance(output, first, self._limits, self._full, 1)
        more, less = _differences(last)
        return Measured(self._length + more.bit_count() - less.bit_count(), above, same)

    def distances(self, outputs: Sequence[Sequence[int]], *, start: int, above: Row) -> list[int]:
        """The distances of outputs that agree up to the word `start`, whose row above is given."""
        count, width = len(outputs), self._width
        ones = int.from_bytes((b"\1" + bytes(width - 1)) * count, "little")
        lanes = [[self._bytes[code] for code in output[start:]] for output in outputs]
        matches = [int.from_bytes(b"".join(column), "little") for column in zip(*lanes, strict=True)]
        plus, minus, left, left_plus, left_minus = above
        first = (plus * ones, minus * ones, left * ones, left_plus * ones, left_minus * ones)
        _, _, last = _advance(matches, first, self._limits[start:], self._full * ones, ones)
        more, less = (_count_bits(bits, width, count) for bits in _differences(last))
        return [self._length + m - s for m, s in zip(more, less, strict=True)]

    def align(self, output: Sequence[int], measured: Measured) -> Alignment:
        """The cheapest edits; of equally cheap ones those of Tercom, which decides from the end and prefers
        to pair two words, then to drop an output word, then to add a reference word."""
        _, above, same = measured
        i, j = self._length, self._size
        used = [0] * (j + 1)
        output_wrong, reference_wrong = [True] * i, [True] * j
        while i and j:
            bit = 1 << j - 1
            match = output[i - 1] & bit
            pair = match or not same[i - 1] & bit
            drop = not pair and above[i - 1][1] & bit
            limits = self._limits[i - 1]
            if limits is not None and not limits.low < j <= limits.high:
                pair, drop = False, j <= limits.low
            if drop:
                i -= 1
                continue
            used[j] = i
            j -= 1
            if pair:
                i -= 1
                if match:
                    output_wrong[i] = reference_wrong[j] = False
        return Alignment(used, output_wrong, reference_wrong)


def _advance(
    matches: Iterable[int], row: Row, limits: Sequence[Limits | None], full: int, ones: int
) -> tuple[list[Row], list[int], Row]:
    """One row per word: the rows above, the cells equal to the one above and to the left, the last row.

    `full` has all bits of all lanes, `ones` the first bit of each.
    """
    above, sames = [], []
    for match, limit in zip(matches, limits, strict=True):
        if limit is not None:
            row = _restrict(row, limit, full, ones)
            match &= ((1 << limit.high) - 1) * ones
        above.append(row)
        plus, minus, left, left_plus, left_minus = row
        same = ((match & plus) + plus ^ plus | match | minus) & full
        sames.append(same)
        # From here on, differences to the row above, moved by one column.
        higher = (minus | full ^ (same | plus)) << 1 | ones
        lower = (same & plus) << 1
        row = ((lower | full ^ (same | higher)) & full, higher & same, left, left_plus, left_minus)
    return above, sames, row


def _restrict(row: Row, limit: Limits, full: int, ones: int) -> Row:
    """Give the cells outside the limits values that help no cell inside."""
    plus, minus, left, left_plus, left_minus = row
    low = ((1 << limit.low) - 1) * ones
    inside = ((1 << limit.high - 1) - 1) * ones
    # What the columns left behind have added up to so far is still part of the distance.
    new = low & ~left
    left_plus |= plus & new
    left_minus |= minus & new
    return plus & ~low | full & ~inside, (minus | low) & inside, low, left_plus, left_minus


def _differences(row: Row) -> tuple[int, int]:
    """The columns where the distance grows and those where it shrinks, from the first cell to the last."""
    plus, minus, left, left_plus, left_minus = row
    return plus & ~left | left_plus, minus & ~left | left_minus


def _limits(length: int, size: int) -> list[Limits | None]:
    """For each row what it may use of the row above; `None` where that is all.

    sacreBLEU's beam runs along the diagonal of the matrix, whatever its shape.
    """
    if size < BEAM:
        return [None] * length
    ratio = size / length
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    limits: list[Limits | None] = []
    low, high = 0, size + 1
    for i in range(1, length + 1):
        diagonal = math.floor(i * ratio)
        next_low = max(0, diagonal - beam)
        # The cell left of the first one inside is of use to the next row only.
        row = Limits(max(low, next_low - 1), high)
        limits.append(row if row.low > 0 or row.high <= size else None)
        low, high = next_low, min(size + 1, diagonal + beam)
    return limits


def _count_bits(number: int, width: int, count: int) -> list[int]:
    """How many bits each of the lanes has, of `width` bytes each."""
    data = number.to_bytes(width * count, "little")
    lanes = (data[at : at + width] for at in range(0, len(data), width))
    return [int.from_bytes(lane, "little").bit_count() for lane in lanes]
