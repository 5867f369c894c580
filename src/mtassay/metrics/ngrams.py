"""Counts clipped n-gram matches of many segments at once, exactly, with sorted integer keys.

A window of symbols is packed into one 64-bit key: segment, first symbol, second symbol, …, stream.
After one sort, the windows of equal segment and equal first n symbols lie side by side for every n, so
all orders are counted from the same sorted array by shifting keys to the right. Nothing is hashed:
where the symbols of all orders do not fit into 64 bits, the prefix so far is replaced by its rank and
the rest is packed behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

BLOCK = 8192
"""About how many symbols of one stream are counted at once: few enough to stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """The symbols of consecutive segments in one array; 0 is a symbol that matches nothing."""

    values: NDArray[np.uint32]
    lengths: Ints

    def blocks(self, bounds: Sequence[int]) -> Iterator[Symbols]:
        """The same segments in consecutive parts; `bounds` are the first segments of each, and the end."""
        ends = np.concatenate(([0], np.cumsum(self.lengths)))
        for start, stop in pairwise(bounds):
            yield Symbols(self.values[ends[start] : ends[stop]], self.lengths[start:stop])


class Matcher:
    """Counts matches of any number of outputs against the same references.

    Each reference is compared on its own, or `pooled`: then an n-gram is clipped at its largest count
    in any one reference, as BLEU does.
    """

    def __init__(self, references: Sequence[Symbols], *, order: int, pooled: bool) -> None:
        self._order = order
        self._pooled = pooled
        self._streams = 1 + len(references)
        self._bounds = _block_bounds(np.max([reference.lengths for reference in references], axis=0))
        self._references = [self._pad(reference, stream) for stream, reference in enumerate(references, 1)]

    def count(self, output: Symbols) -> Ints:
        """Clipped matches, as (segments, references, order); when pooled as (segments, 1, order)."""
        blocks = zip(self._pad(output, 0), *self._references, strict=True)
        return np.concatenate([_count(block, order=self._order, pooled=self._pooled) for block in blocks])

    def _pad(self, symbols: Symbols, stream: int) -> list[_Padded]:
        return [
            _Padded.of(block, self._order, stream, self._streams) for block in symbols.blocks(self._bounds)
        ]


def _block_bounds(lengths: Ints) -> list[int]:
    """Where to part segments of these lengths into blocks of about `BLOCK` symbols."""
    block = np.cumsum(lengths) // BLOCK
    return [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(lengths)]


@dataclass(frozen=True, slots=True, eq=False)
class _Padded:
    """A block of one stream, each segment followed by a filler as far as a window can reach beyond it.

    The filler is the stream's own number, so that it matches nothing in another stream; symbols that
    can match come after the fillers of all streams.
    """

    symbols: Keys
    segments: Keys
    widths: Ints

    @classmethod
    def of(cls, block: Symbols, order: int, stream: int, streams: int) -> _Padded:
        widths = block.lengths + (order - 1)
        row = np.repeat(np.arange(len(widths)), block.lengths)
        symbols = np.full(int(widths.sum()), stream, np.uint64)
        symbols[np.arange(len(row)) + row * (order - 1)] = np.where(
            block.values, block.values + np.uint32(streams - 1), np.uint32(stream)
        )
        return cls(symbols, np.repeat(np.arange(len(widths), dtype=np.uint64), widths), widths)


def _count(streams: Sequence[_Padded], *, order: int, pooled: bool) -> Ints:
    """`Matcher.count` for one block; the first stream is the output."""
    symbols = np.concatenate([s.symbols for s in streams])
    prefix = np.concatenate([s.segments for s in streams])
    stream = np.repeat(np.arange(len(streams), dtype=np.uint64), [len(s.symbols) for s in streams])
    segments = len(streams[0].widths)
    segment_ends: Ints = np.cumsum(sum(s.widths for s in streams))  # among sorted keys
    stream_bits = (len(streams) - 1).bit_length()
    symbol_bits = int(symbols.max(initial=1)).bit_length()
    matches = np.zeros((segments, 1 if pooled else len(streams) - 1, order), np.int64)

    starts: Ints = np.arange(len(symbols))  # where the windows still in question begin
    prefixes = segments
    done = 0
    while done < order and len(prefix):
        room = 64 - stream_bits - max(prefixes - 1, 1).bit_length()
        step = min(order - done, room // symbol_bits)
        keys = prefix.copy()
        for offset in range(done, done + step):
            keys <<= np.uint64(symbol_bits)
            if done == 0:  # every window, in order
                keys[: len(keys) - offset] |= symbols[offset:]
            else:
                keys |= symbols[starts + offset]
        keys <<= np.uint64(stream_bits)
        keys |= stream
        if last := done + step == order:
            keys.sort()
        else:
            ranked = np.argsort(keys)
            keys, stream, starts = keys[ranked], stream[ranked], starts[ranked]
        running = _running_counts(keys & np.uint64((1 << stream_bits) - 1), len(streams))
        differs = np.ones(len(keys), bool)
        for n in range(1, step + 1):
            heads = keys >> np.uint64((step - n) * symbol_bits + stream_bits)
            np.not_equal(heads[1:], heads[:-1], out=differs[:-1])
            ends = np.flatnonzero(differs)
            sizes = np.diff(ends, prepend=-1)
            in_references = [np.diff(count[ends], prepend=np.int32(0)) for count in running]
            in_output = sizes - sum(in_references)
            if pooled:
                in_references = [np.maximum.reduce(in_references)]
            groups = np.searchsorted(ends, segment_ends)  # up to each segment's end
            for column, in_reference in enumerate(in_references):
                matched = np.concatenate(([0], np.cumsum(np.minimum(in_output, in_reference))))
                matches[:, column, done + n - 1] = np.diff(matched[groups], prepend=0)
        if not last:
            # Only what matched so far can match with more symbols behind it.
            alive = (in_output > 0) & (in_output < sizes)
            kept = np.repeat(alive, sizes)
            starts, stream = starts[kept], stream[kept]
            prefixes = int(alive.sum())
            prefix = np.repeat(np.arange(prefixes, dtype=np.uint64), sizes[alive])
            segment_ends = np.concatenate(([0], np.cumsum(kept)))[segment_ends]
        done += step
    return matches


def _running_counts(stream: Keys, streams: int) -> list[NDArray[np.int32]]:
    """For each reference, how many of the keys up to and with each one belong to it."""
    return [np.cumsum(stream == i, dtype=np.int32) for i in range(1, streams)]


class WordNumbers(dict[str, int]):
    """Numbers words from 1, in order of appearance; any other word is 0."""

    def __init__(self, streams: Iterable[Iterable[Iterable[str]]]) -> None:
        """From streams of segments of words."""
        words = chain.from_iterable(chain.from_iterable(streams))
        super().__init__(zip(dict.fromkeys(words), count(1), strict=False))

    def __missing__(self, word: str) -> int:
        return 0

    def encode(self, rows: Sequence[Sequence[str]]) -> Symbols:
        """One segment of symbols per row of words."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        words = chain.from_iterable(rows)
        return Symbols(np.fromiter(map(self.__getitem__, words), np.uint32, int(lengths.sum())), lengths)


def encode_characters(texts: Sequence[str], *, whitespace: bool) -> Symbols:
    """One symbol per character, its code point; without white space unless asked for."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    if whitespace:
        return Symbols(points, lengths)
    visible = _VISIBLE[np.minimum(points, len(_VISIBLE) - 1)]
    row = np.repeat(np.arange(len(texts)), lengths)
    return Symbols(points[visible], np.bincount(row[visible], minlength=len(texts)))


# Where str.split() would split; no code point above this table is white space.
_VISIBLE = np.array([not chr(point).isspace() for point in range(0x3002)])


def renumber(streams: Sequence[Symbols], references: Sequence[Symbols]) -> list[Symbols]:
    """The streams with the references' symbols numbered from 1 and all others 0, so that keys are short."""
    largest = max((int(s.values.max()) for s in (*streams, *references) if len(s.values)), default=0)
    present = np.zeros(largest + 1, bool)
    for reference in references:
        present[reference.values] = True
    numbers = np.where(present, np.cumsum(present), 0).astype(np.uint32)
    return [Symbols(numbers[stream.values], stream.lengths) for stream in streams]
