"""Translation edit rate (Snover et al. 2006), equal to sacreBLEU's: shifts, edits, and the score.

A row of the distance matrix belongs to an output word, a column to a reference word. Neighbouring cells
differ by at most one, so a row is two integers: `plus` has a bit if a cell is one more than the cell to its
left, and `minus` if it is one less (Myers 1999, Hyyrö 2003). So a row of any length costs about a dozen
integer operations. Many outputs are measured at once, each in its own lane of one long integer.

Tercom (sacreBLEU's version) does not compute cells far from the diagonal. Here, such cells get values that
never improve a cell inside the beam: to the left they fall by one per column, to the right they rise.

The search for shifts is greedy and needs conventions: the possible moves of a block, the choice among equally
good shifts, and the limit of the search. Ours, and so the counts, are the same as in sacreBLEU's Tercom.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.languages import name_of
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import Floats, Metric
from mtassay.measures.tokenizers import UNSPACED, reference_streams, sacre_signature, split_for_ter
from mtassay.runtime.processes import map_in_processes, process_count

BEAM = 25
"""The number of columns to compute on each side of the diagonal."""

Row = tuple[int, int, int, int, int]
"""The state before the next row: `plus` and `minus`, then `left`, the columns behind the beam, with
`left_plus` and `left_minus`, their last differences."""


class ColumnRange(NamedTuple):
    """The columns (`low` to `high - 1`) of the row above whose cells a row may use."""

    low: int
    high: int


class MeasuredOutput(NamedTuple):
    """The distance of an output. For each word, it has the row above, and which cells equal the cell above
    and to the left. `limits` has the columns of the row above that each row may use; `None` means all."""

    distance: int
    above: list[Row]
    same: list[int]
    limits: Sequence[ColumnRange | None]


class Alignment(NamedTuple):
    """The cheapest edits from the reference to the output.

    `used[j]` is the number of output words used up to the `j`-th reference word (from 1). The other two say
    for each word whether it is edited.
    """

    used: list[int]
    output_wrong: list[bool]
    reference_wrong: list[bool]


class EditDistance:
    """Tercom's distances between a reference and outputs of `length` words; neither is empty.

    Unlike `mtassay.data.words`, it stays within the beam, stores the rows that an alignment needs, and
    measures many outputs at once.

    A word is given by its code, which has a bit for each place where the word is in the reference.
    """

    def __init__(self, reference: Sequence[str], length: int) -> None:
        self._codes: dict[str, int] = {}
        for place, word in enumerate(reference):
            self._codes[word] = self._codes.get(word, 0) | 1 << place
        self._length, self._size = length, len(reference)
        self._full = (1 << self._size) - 1
        # A lane has at least one more bit than a row, because the sum in `_advance` may carry.
        self._width = self._size // 8 + 1

    def encode(self, words: Iterable[str]) -> list[int]:
        """The codes of the words; 0 for a word that the reference lacks."""
        return [self._codes.get(word, 0) for word in words]

    def measure(self, output: Sequence[int], *, expected: int) -> MeasuredOutput:
        """The distance of one output, and its rows; faster if `expected` is about right."""
        # A path outside the beam drops and adds at least this number of words, so a lower distance is final.
        far = 2 * (BEAM - 1) - abs(self._size - self._length)
        if self._size < BEAM or expected < far:
            measured = self._measure(output, [None] * self._length)
            if self._size < BEAM or measured.distance < far:
                return measured
        return self._measure(output, _limits(self._length, self._size, BEAM))

    def _measure(self, output: Sequence[int], limits: Sequence[ColumnRange | None]) -> MeasuredOutput:
        first: Row = (self._full, 0, 0, 0, 0)
        above, same, last = _advance(output, first, limits, self._full, 1)
        more, less = _differences(last)
        return MeasuredOutput(self._length + more.bit_count() - less.bit_count(), above, same, limits)

    def after(self, shifts: Sequence[Shift], output: Sequence[int], measured: MeasuredOutput) -> list[int]:
        """The distance after each shift; may be too low for useless shifts, but they never look useful."""
        start = min(min(shift.start, shift.target) for shift in shifts)
        words = list(output)
        moved = [_move(words, shift)[start:] for shift in shifts]
        rows = list(zip(*moved, strict=True))
        if any(measured.limits):
            return self._after_in_beam(rows, measured, start)
        as_bytes = {code: code.to_bytes(self._width, "little") for code in set(output)}.__getitem__
        ones = _lanes(1, self._width, len(shifts))
        matches = [int.from_bytes(b"".join(map(as_bytes, codes)), "little") for codes in rows]
        plus, minus, *_ = measured.above[start]
        first = (plus * ones, minus * ones, 0, 0, 0)
        _, _, (plus, minus, *_) = _advance(matches, first, measured.limits[start:], self._full * ones, ones)
        more, less = (map(int.bit_count, _split(bits, self._width, len(shifts))) for bits in (plus, minus))
        return [self._length + m - s for m, s in zip(more, less, strict=True)]

    def _after_in_beam(
        self, rows: Sequence[tuple[int, ...]], measured: MeasuredOutput, start: int
    ) -> list[int]:
        """The distances of outputs, given their words from `start` by place.

        A lane has the columns of the beam and moves with it. The distance includes columns behind the beam.
        """
        limits = [limit or ColumnRange(0, self._size + 1) for limit in measured.limits[start:]]
        highs = [*(limit.high for limit in limits[1:]), self._size + 1]
        window = max(high - limit.low for high, limit in zip(highs, limits, strict=True))
        count, width, mask = len(rows[0]), window // 8 + 1, (1 << window) - 1
        ones = _lanes(1, width, count)
        full = mask * ones
        plus, minus, _, left_plus, left_minus = measured.above[start]
        low = limits[0].low
        distances = (self._length + left_plus.bit_count() - left_minus.bit_count()) * ones
        plus, minus = (plus >> low & mask) * ones, (minus >> low & mask) * ones
        for codes, limit in zip(rows, limits, strict=True):
            for _ in range(limit.low - low):
                distances += (plus & ones) - (minus & ones)
                plus, minus = plus >> 1, minus >> 1
            low = limit.low
            # as in `_restrict`: the columns on the right side of the beam
            inside = ((1 << limit.high - 1 - low) - 1 & mask) * ones
            plus, minus = plus & inside | full ^ inside, minus & inside
            usable = (1 << limit.high - low) - 1 & mask
            as_bytes = {code: (code >> low & usable).to_bytes(width, "little") for code in set(codes)}
            match = int.from_bytes(b"".join(map(as_bytes.__getitem__, codes)), "little")
            # As in `_advance`.
            same = ((match & plus) + plus ^ plus | match | minus) & full
            higher = (minus | full ^ (same | plus)) << 1 | ones
            plus, minus = ((same & plus) << 1 | full ^ (same | higher)) & full, higher & same
        last = _lanes((1 << self._size - low) - 1, width, count)
        sums, more, less = (_split(bits, width, count) for bits in (distances, plus & last, minus & last))
        return [n + m.bit_count() - s.bit_count() for n, m, s in zip(sums, more, less, strict=True)]

    def align(self, output: Sequence[int], measured: MeasuredOutput) -> Alignment:
        """The cheapest edits. Ties are decided as in Tercom: from the end, it prefers to pair two words, then
        to drop an output word, then to add a reference word."""
        _, above, same, all_limits = measured
        i, j = self._length, self._size
        used = [0] * (j + 1)
        output_wrong, reference_wrong = [True] * i, [True] * j
        while i and j:
            bit = 1 << j - 1
            match = output[i - 1] & bit
            pair = match or not same[i - 1] & bit
            drop = not pair and above[i - 1][1] & bit
            limits = all_limits[i - 1]
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
    matches: Iterable[int], row: Row, limits: Sequence[ColumnRange | None], full: int, ones: int
) -> tuple[list[Row], list[int], Row]:
    """Compute one row per word: the rows above, the cells equal to the cell above and left, the last row.

    `full` has all bits of all lanes, `ones` the first bit of each.
    """
    above, sames = [], []
    for match, limit in zip(matches, limits, strict=True):
        if limit is not None:
            row = _restrict(row, limit, full)
            match &= (1 << limit.high) - 1
        above.append(row)
        plus, minus, left, left_plus, left_minus = row
        same = ((match & plus) + plus ^ plus | match | minus) & full
        sames.append(same)
        # From here on: differences from the row above, moved by one column.
        higher = (minus | full ^ (same | plus)) << 1 | ones
        lower = (same & plus) << 1
        row = ((lower | full ^ (same | higher)) & full, higher & same, left, left_plus, left_minus)
    return above, sames, row


def _restrict(row: Row, limit: ColumnRange, full: int) -> Row:
    """Set the cells outside the limits to values that cannot improve a cell inside."""
    plus, minus, left, left_plus, left_minus = row
    low = (1 << limit.low) - 1
    inside = (1 << limit.high - 1) - 1
    # The sum of the columns behind the beam is still part of the distance.
    new = low & ~left
    left_plus |= plus & new
    left_minus |= minus & new
    return plus & ~low | full & ~inside, (minus | low) & inside, low, left_plus, left_minus


def _differences(row: Row) -> tuple[int, int]:
    """The columns where the distance grows and those where it shrinks, from the first cell to the last."""
    plus, minus, left, left_plus, left_minus = row
    return plus & ~left | left_plus, minus & ~left | left_minus


@lru_cache(maxsize=256)
def _limits(length: int, size: int, least: int) -> list[ColumnRange | None]:
    """For each row, the columns of the row above that it may use; `None` means all.

    sacreBLEU's beam follows the diagonal of a matrix of any shape, with `least` columns on each side.
    """
    ratio = size / length
    beam = math.ceil(ratio / 2 + least) if ratio / 2 > least else least
    limits: list[ColumnRange | None] = []
    low, high = 0, size + 1
    for i in range(1, length + 1):
        diagonal = math.floor(i * ratio)
        next_low = max(0, diagonal - beam)
        # Only the next row uses the cell to the left of the first cell inside.
        row = ColumnRange(max(low, next_low - 1), high)
        limits.append(row if row.low > 0 or row.high <= size else None)
        low, high = next_low, min(size + 1, diagonal + beam)
    return limits


def _lanes(number: int, width: int, count: int) -> int:
    """Put the number into each of the lanes, which have `width` bytes."""
    return int.from_bytes(number.to_bytes(width, "little") * count, "little")


def _split(number: int, width: int, count: int) -> list[int]:
    """Return the numbers of the lanes, which have `width` bytes, as a list."""
    data = number.to_bytes(width * count, "little")
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]


# The limits of the search: words, and shifts to try per sentence.
LONGEST_SHIFT = 10
FARTHEST_SHIFT = 50
MOST_CANDIDATES = 1000


Word = TypeVar("Word")


class Shift(NamedTuple):
    """Moves `length` words of the output from `start` to `target`."""

    length: int
    start: int
    target: int


def count_edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """Count the edits that turn the words of the output into the words of the reference.

    >>> count_edits("on the mat the cat sat".split(), "the cat sat on the mat".split())
    1
    """
    if not output or not reference:
        return len(output) + len(reference)
    if output == reference:
        return 0
    fewest = fewest_edits(output, reference)
    distance = EditDistance(reference, len(output))
    words, goal = distance.encode(output), distance.encode(reference)
    measured = distance.measure(words, expected=fewest)
    edits = measured.distance
    shifts = candidates = 0
    while edits > fewest:
        possible_shifts, tried = _find_shifts(
            words, goal, distance.align(words, measured), most=MOST_CANDIDATES - candidates
        )
        candidates += tried
        # Tercom stops here and discards the results of this round.
        if not possible_shifts or candidates >= MOST_CANDIDATES:
            break
        distances = distance.after(possible_shifts, words, measured)
        best = min(distances)
        if best >= edits:
            break
        nearest = [shift for shift, n in zip(possible_shifts, distances, strict=True) if n == best]
        words = _move(words, min(nearest, key=_preference))
        edits = best
        shifts += 1
        if edits > fewest:
            measured = distance.measure(words, expected=edits)
    return shifts + edits


def fewest_edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """A lower bound of the edits in any word order, since words without a partner must be edited.

    >>> fewest_edits("b a c".split(), "a b b".split())
    1
    """
    left = Counter(reference)
    common = 0
    for word in output:
        if n := left.get(word):
            left[word] = n - 1
            common += 1
    return max(len(output), len(reference)) - common


def _find_shifts(
    words: list[int], goal: list[int], alignment: Alignment, *, most: int
) -> tuple[list[Shift], int]:
    """The shifts to try, and Tercom's count of them, which includes repeated and useless shifts.

    A block moves to the place of the same words in the reference if both sides have an edit there. The search
    ends when the count reaches `most`.
    """
    used, output_wrong, reference_wrong = alignment
    places: dict[int, list[int]] = {}
    for place, code in enumerate(goal):
        places.setdefault(code, []).append(place)
    # A block without an edit on either side does not move.
    output_edit, reference_edit = _next_places(output_wrong), _next_places(reference_wrong)
    shifts: dict[Shift, None] = {}
    count = 0
    for start, code in enumerate(words):
        first_edit = output_edit[start] - start
        if not code or first_edit >= LONGEST_SHIFT:
            continue
        for place in places[code]:
            partner = used[place + 1] - 1
            if partner == start or abs(place - start) > FARTHEST_SHIFT:
                continue
            longest = min(LONGEST_SHIFT, len(words) - start, len(goal) - place)
            if first_edit >= longest or reference_edit[place] - place >= longest:
                continue
            # A block does not move into itself.
            if partner > start:
                longest = min(longest, partner - start)
            targets = [used[place]]
            output_edited = reference_edited = False
            for offset in range(longest):
                if words[start + offset] != goal[place + offset]:
                    break
                output_edited |= output_wrong[start + offset]
                reference_edited |= reference_wrong[place + offset]
                target = used[place + offset + 1]
                if target != targets[-1]:
                    targets.append(target)
                if output_edited and reference_edited:
                    count += len(targets)
                    for target in targets:
                        if target != start:
                            shifts[Shift(offset + 1, start, target)] = None
            if count >= most:
                return [], count
    return list(shifts), count


def _next_places(flags: list[bool]) -> list[int]:
    """For each place, the next place (or the same) with its flag set; a large number without one."""
    place = len(flags) + LONGEST_SHIFT
    places = [place] * len(flags)
    for i in range(len(flags) - 1, -1, -1):
        if flags[i]:
            place = i
        places[i] = place
    return places


def _move(words: list[Word], shift: Shift) -> list[Word]:
    length, start, target = shift
    end = start + length
    block = words[start:end]
    if target < start:
        return words[:target] + block + words[target:start] + words[end:]
    if target <= end:
        # Tercom counts a target inside the block from the words after the block.
        target += length
    return words[:start] + words[end:target] + block + words[target:]


def _preference(shift: Shift) -> tuple[int, int, int]:
    """Rank equally good shifts: the longest block first, then the first block, then the first target."""
    return -shift.length, shift.start, shift.target


COLUMNS = ("edits", "reference_length")

ENOUGH_FOR_PROCESSES = 4_000_000
"""From this number of matrix cells (about two seconds on one core), processes save time."""

Pair = tuple[str, tuple[str, ...]]
"""An output and its references, tokenised, with a space between words."""


@dataclass(frozen=True, kw_only=True)
class TER(Metric):
    """TER with sacreBLEU's settings.

    `normalized` splits off punctuation, `no_punct` removes it, and `asian_support` does both also for Chinese
    and Japanese characters. Without `case_sensitive`, everything is lower-cased first. With several
    references, the fewest edits and the mean reference length count.
    """

    name: ClassVar[str] = "ter"
    counts_empty_references: ClassVar[bool] = True
    batch: ClassVar[int] = 2048
    higher_is_better: ClassVar[bool] = False

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    @property
    def label(self) -> str:
        return "TER"

    def caution(self, language: str) -> str:
        if language not in UNSPACED or (language in ("zh", "ja") and self.asian_support and self.normalized):
            return ""
        fix = "take chrf instead"
        if language in ("zh", "ja"):
            fix = "write ter:normalized=yes:asian_support=yes"
        return (
            f"{self.label} is wrong here: {name_of(language)} has no spaces between words, so that what is "
            f"between two spaces counts as one. To fix it {fix}"
        )

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        settings = {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
        return sacre_signature(segments, settings, extra=extra)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        # sacreBLEU tokenises references twice, and with `normalized`, the second pass can change them again.
        split = [self._split(self._split([text or "" for text in s])) for s in reference_streams(segments)]
        references = [
            tuple(t for t, given in zip(texts, segment.references, strict=False) if given is not None)
            for texts, segment in zip(zip(*split, strict=True), segments, strict=True)
        ]
        lengths = [sum(len(text.split()) for text in texts) / len(texts) for texts in references]
        pairs = {
            system: list(zip(self._split(texts), references, strict=True))
            for system, texts in outputs.items()
        }
        # Systems often have equal translations, so their edits are counted once.
        edits = _count_all(list({pair: None for of_system in pairs.values() for pair in of_system}))
        ids = [segment.id for segment in segments]
        return [
            Statistics(self.name, system, ids, COLUMNS, _table([edits[pair] for pair in of_system], lengths))
            for system, of_system in pairs.items()
        ]

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """Edits per 100 reference words; with an empty reference 100, or 0 if the output is also empty."""
        values = np.asarray(sums, np.float64)
        edits, length = values[..., 0], values[..., 1]
        rates = np.where(edits > 0, 1.0, 0.0)
        np.divide(edits, length, out=rates, where=length > 0)
        return 100 * rates

    def _split(self, texts: Sequence[str]) -> list[str]:
        return split_for_ter(
            texts,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )


def _table(edits: list[int], lengths: list[float]) -> Floats:
    return np.column_stack((edits, lengths)).astype(np.float64)


def _count_all(pairs: list[Pair]) -> dict[Pair, int]:
    """Count the edits of each pair, in several processes if there are many."""
    work = sum((output.count(" ") + 1) * (text.count(" ") + 1) for output, texts in pairs for text in texts)
    processes = process_count() if work >= ENOUGH_FOR_PROCESSES else 1
    return dict(zip(pairs, map_in_processes(_fewest_edits, pairs, processes=processes), strict=True))


def _fewest_edits(pair: Pair) -> int:
    """Count the edits against the reference that needs the fewest."""
    output, (first, *others) = pair
    words = output.split()
    fewest = count_edits(words, first.split())
    for text in others:
        reference = text.split()
        if fewest_edits(words, reference) < fewest:
            fewest = min(fewest, count_edits(words, reference))
    return fewest
