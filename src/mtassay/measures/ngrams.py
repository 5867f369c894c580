"""Counts clipped n-gram matches of many segments at once and exactly, with sorted integer keys.

A window of symbols is a 64-bit key: first symbol, second symbol, …; the last bit says whether it belongs to
the output or the reference. The windows of a segment are a row, and rows of similar length form a matrix,
since sorting short rows is much faster than sorting one long array. Sorted keys stay sorted when their last
symbols are cleared. So each stream is sorted once, and then merged with the other for every order.

Nothing is hashed. If the symbols of the longest windows do not fit into 64 bits, the longest windows that fit
are numbered, and their number is the first symbol of longer windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

BLOCK = 8192
"""The approximate number of a stream's symbols to count at once, which fit the processor's cache."""

FEWEST_ROWS = 32
"""Blocks with this number of segments are not split, since more calls would cost more."""

# The last bit of a key; also a symbol that matches nothing in the other stream. Others begin at 2.
_OUTPUT, _REFERENCE = np.uint64(0), np.uint64(1)
_KEY_BITS = 63
LONGEST = 100
"""The maximum length of an n-gram; longer n-grams need memory and show nothing."""


@dataclass(frozen=True, eq=False)
class Symbols:
    """The symbols of consecutive segments in one array; the symbol 0 matches nothing."""

    values: NDArray[np.uint32]
    lengths: Ints

    @cached_property
    def starts(self) -> Ints:
        """The position at which each segment begins."""
        starts: Ints = np.cumsum(self.lengths) - self.lengths
        return starts

    def of(self, rows: Ints) -> NDArray[np.uint32]:
        """Join the symbols of these segments."""
        lengths = self.lengths[rows]
        before = np.cumsum(lengths) - lengths
        places: Ints = np.arange(int(lengths.sum())) + np.repeat(self.starts[rows] - before, lengths)
        return self.values[places]


class Matcher:
    """Counts matches of any number of outputs against the same references.

    References are compared separately, or `pooled`: then an n-gram is clipped at its largest count in any
    reference, as in BLEU.
    """

    def __init__(self, references: Sequence[Symbols], *, order: int, pooled: bool) -> None:
        self._shape = (1 if pooled else len(references), order)
        lengths = np.max([reference.lengths for reference in references], axis=0)
        self._blocks: list[_Block] = []
        waiting = list(_blocks(lengths))
        while waiting:
            rows = waiting.pop()
            numbers = _numbers(references, rows)
            if _bits(numbers) * order > _KEY_BITS and len(rows) > FEWEST_ROWS:
                # Fewer segments have fewer symbols, so their keys may be short enough.
                waiting += (rows[: len(rows) // 2], rows[len(rows) // 2 :])
            else:
                self._blocks.append(_Block(references, rows, numbers, order, pooled=pooled))

    def count(self, output: Symbols) -> Ints:
        """Count clipped matches (segments, references, order), or (segments, 1, order) if pooled."""
        matches = np.zeros((len(output.lengths), *self._shape), np.int64)
        for block in self._blocks:
            for part in block.parts(output.lengths[block.rows]):
                matches[block.rows[part]] = block.count(output, part)
        return matches


def _blocks(lengths: Ints) -> Iterator[Ints]:
    """Group segments of similar length into matrices with about `BLOCK` symbols."""
    ranked: Ints = np.argsort(lengths, kind="stable")
    widths = lengths[ranked] + 1
    start = 0
    while start < len(ranked):
        # First as many rows as fit if all are as wide as the first, then as many as really fit.
        most = widths[start : start + max(1, BLOCK // int(widths[start]))]
        stop = start + max(1, min(len(most), BLOCK // int(most[-1])))
        yield ranked[start:stop]
        start = stop


def _numbers(references: Sequence[Symbols], rows: Ints) -> Keys:
    """Number the reference symbols of these segments from 2; other symbols and the end are 0.

    A few segments have few different symbols, so numbers need few bits.
    """
    values = [reference.of(rows) for reference in references]
    present = np.zeros(max(int(part.max(initial=0)) for part in values) + 2, bool)
    for part in values:
        present[part] = True
    present[0] = False
    return np.where(present, np.cumsum(present) + 1, 0).astype(np.uint64)


def _bits(numbers: Keys) -> int:
    return max(1, int(numbers.max()).bit_length())


class _Level(NamedTuple):
    """Keys of the same structure, for windows of `least + 1` to `most` symbols.

    The first `least` symbols are one number: their index (from 2) in the `windows` of the references. An
    output is compared with `targets`, which have orders and each reference's sorted keys for them.
    """

    least: int
    most: int
    windows: Keys
    targets: list[tuple[range, list[Keys]]]

    @property
    def orders(self) -> range:
        """The numbers of symbols in the windows."""
        return range(self.least + 1, self.most + 1)


class _Block:
    """Some segments' references, prepared for comparison with any outputs."""

    def __init__(
        self, references: Sequence[Symbols], rows: Ints, numbers: Keys, order: int, *, pooled: bool
    ) -> None:
        self.rows = rows
        self._numbers, self._bits = numbers, _bits(numbers)
        self._shape = (1 if pooled else len(references), order)
        self._width = int(max(reference.lengths[rows].max() for reference in references))
        symbols = [self._matrix(reference, rows, _REFERENCE) for reference in references]
        self._levels: list[_Level] = []
        keys: list[Keys] = []
        least, windows = 0, np.empty(0, np.uint64)
        while least < order:
            if least:
                windows = np.unique(np.concatenate([key.ravel() for key in keys]))
            room = _KEY_BITS - (len(windows) + 1).bit_length()
            level = _Level(least, min(order, least + room // self._bits), windows, [])
            keys = [
                self._keys(level, s, k, _REFERENCE) for s, k in zip(symbols, keys or symbols, strict=True)
            ]
            ranked = [_ranked(key, _REFERENCE) for key in keys]
            if pooled and len(ranked) > 1:
                for n in level.orders:
                    mask = np.uint64(2**64 - (2 << self._cleared(level, n)) + 1)
                    level.targets.append((range(n, n + 1), [_pool([key & mask for key in ranked])]))
            else:
                level.targets.append((level.orders, ranked))
            self._levels.append(level)
            least = level.most

    def parts(self, lengths: Ints) -> Iterator[Ints | slice]:
        """Split the rows into matrices, given the lengths of outputs; much longer outputs are alone."""
        is_longer = lengths > 2 * self._width + 30
        if not is_longer.any():
            yield slice(None)
            return
        yield np.flatnonzero(~is_longer)
        for place in np.flatnonzero(is_longer):
            yield np.array([place])

    def count(self, output: Symbols, part: Ints | slice) -> Ints:
        """Count clipped matches of some rows, in the form of `Matcher.count`."""
        rows = self.rows[part]
        matches = np.zeros((len(rows), *self._shape), np.int64)
        keys = symbols = self._matrix(output, rows, _OUTPUT)
        for level in self._levels:
            keys = self._keys(level, symbols, keys, _OUTPUT)
            ranked = _ranked(keys, _OUTPUT)
            for orders, targets in level.targets:
                cleared = [self._cleared(level, n) for n in orders]
                for column, target in enumerate(targets):
                    matches[:, column, orders.start - 1 : orders.stop - 1] = _clipped_matches(
                        ranked, target[part], cleared
                    )
        return matches

    def _matrix(self, symbols: Symbols, rows: Ints, none: np.uint64) -> Keys:
        """A row of symbols for each segment, padded with as many `none` as a window needs.

        Every row has a window that begins with `none`.
        """
        lengths = symbols.lengths[rows]
        places = np.arange(int(lengths.max(initial=0)) + self._shape[1])
        matrix = np.full((len(rows), len(places)), none)
        numbers = self._numbers[np.minimum(symbols.of(rows), len(self._numbers) - 1)]
        matrix[places < lengths[:, None]] = np.maximum(numbers, none)
        return matrix

    def _keys(self, level: _Level, symbols: Keys, shorter: Keys, none: np.uint64) -> Keys:
        """The windows of the level's longest order; `shorter` has the windows of the previous level."""
        width = symbols.shape[1] - self._shape[1] + 1
        keys = np.zeros((len(symbols), width), np.uint64)
        if level.least:
            places = np.searchsorted(level.windows, shorter)
            is_there = level.windows[np.minimum(places, len(level.windows) - 1)] == shorter
            keys = np.where(is_there, places.astype(np.uint64) + np.uint64(2), none)
        for offset in range(level.least, level.most):
            keys <<= np.uint64(self._bits)
            keys |= symbols[:, offset : offset + width]
        return keys

    def _cleared(self, level: _Level, n: int) -> int:
        """The number of bits in the level's keys after the first `n` symbols."""
        return self._bits * (level.most - n)


def _ranked(keys: Keys, stream: np.uint64) -> Keys:
    """Sort the keys of each row, with the stream in the last bit."""
    ranked = keys << np.uint64(1) | stream
    ranked.sort(axis=1)
    return ranked


def _clipped_matches(output: Keys, reference: Keys, cleared: Sequence[int]) -> Ints:
    """Clipped matches, summed over all windows, for each row and number of bits to clear."""
    merged = np.concatenate((output, reference), axis=1)
    merged.sort(axis=1, kind="stable")  # only merges two sorted parts
    rows, width = merged.shape
    differs = np.full_like(merged, 2**64 - 1)
    np.bitwise_xor(merged[:, 1:], merged[:, :-1], out=differs[:, :-1])
    of_reference = np.cumsum(merged & np.uint64(1), dtype=np.int32)
    matches = np.empty((rows, len(cleared)), np.int64)
    for column, bits in enumerate(cleared):
        ends = np.flatnonzero(differs > np.uint64((2 << bits) - 1))
        in_reference = _steps(of_reference[ends], before=0)
        in_output = _steps(ends, before=-1) - in_reference
        firsts = np.searchsorted(ends, np.arange(rows) * width)
        matches[:, column] = np.add.reduceat(np.minimum(in_output, in_reference), firsts)
    return matches


def _steps(values: NDArray[Any], *, before: int) -> NDArray[Any]:
    """Same as `np.diff`, with less overhead."""
    steps = values.copy()
    steps[1:] -= values[:-1]
    steps[:1] -= before
    return steps


def _pool(references: Sequence[Keys]) -> Keys:
    """Merge sorted keys of several references; each key is as frequent as in the reference with most."""
    places = [np.arange(keys.shape[1]) for keys in references]
    begins = [np.diff(keys, axis=1, prepend=np.uint64(0)) != 0 for keys in references]
    firsts = [np.maximum.accumulate(np.where(b, p, 0), axis=1) for b, p in zip(begins, places, strict=True)]
    repeats = np.concatenate([p - first for p, first in zip(places, firsts, strict=True)], axis=1)
    keys = np.concatenate(references, axis=1)
    ranks = np.lexsort((repeats, keys), axis=1)
    keys, repeats = np.take_along_axis(keys, ranks, 1), np.take_along_axis(repeats, ranks, 1)
    is_again = np.zeros(keys.shape, bool)
    is_again[:, 1:] = (keys[:, 1:] == keys[:, :-1]) & (repeats[:, 1:] == repeats[:, :-1])
    # The first key of a row matches nothing.
    keys = np.where(is_again, keys[:, :1], keys)
    keys.sort(axis=1)
    return keys


class WordNumbers(dict[str, int]):
    """Numbers words from 1, in order of appearance; any other word is 0."""

    def __init__(self, streams: Iterable[Iterable[str]]) -> None:
        """Number the words of these streams."""
        words = dict.fromkeys(chain.from_iterable(streams))
        super().__init__(zip(words, count(1), strict=False))

    def encode(self, words: Sequence[str], lengths: Ints) -> Symbols:
        """Turn words into symbols, given all words in one sequence and the lengths of segments."""
        return Symbols(np.fromiter(map(self.get, words, repeat(0)), np.uint32, len(words)), lengths)


def encode_characters(texts: Sequence[str], *, whitespace: bool) -> Symbols:
    """Use code points as symbols of characters; white space is left out unless wanted."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    if whitespace:
        return Symbols(points, lengths)
    visible = _VISIBLE[np.minimum(points, len(_VISIBLE) - 1)]
    row = np.repeat(np.arange(len(texts)), lengths)
    return Symbols(points[visible], np.bincount(row[visible], minlength=len(texts)))


# Characters where str.split() does not split; no code point above this table is white space.
_VISIBLE = np.array([not chr(point).isspace() for point in range(0x3002)])


def renumber(streams: Sequence[Symbols], references: Sequence[Symbols]) -> list[Symbols]:
    """Number the references' symbols from 1, and set all others to 0, to keep keys short."""
    largest = max((int(s.values.max()) for s in (*streams, *references) if len(s.values)), default=0)
    present = np.zeros(largest + 1, bool)
    for reference in references:
        present[reference.values] = True
    numbers = np.where(present, np.cumsum(present), 0).astype(np.uint32)
    return [Symbols(numbers[stream.values], stream.lengths) for stream in streams]
