"""Two sequences side by side: what they share in the same order, and the stretches that differ."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from mtassay.methods.invariance.structures.levenshtein import common_ends

__all__ = ["Stretch", "align"]


class Stretch(NamedTuple):
    """Some words of the original's output, and those of the variant's that stand in their place."""

    original: range
    variant: range

    def taken_from(self, other: Stretch) -> list[Stretch]:
        """What remains of another stretch, before and after this one, without it; nothing that is empty.

        >>> for rest in Stretch(range(2, 3), range(2, 3)).taken_from(Stretch(range(1, 3), range(2, 5))):
        ...     print(*rest)
        range(1, 2) range(2, 2)
        range(3, 3) range(3, 5)
        """
        before, after = _take(self.original, other.original), _take(self.variant, other.variant)
        rests = [Stretch(one, two) for one, two in zip(before, after, strict=True)]
        return [rest for rest in rests if rest.original or rest.variant]


def align(
    keys: Sequence[Hashable], other_keys: Sequence[Hashable]
) -> tuple[list[tuple[int, int]], list[Stretch]]:
    """The items that two sequences share, in the same order, as pairs of numbers, and what lies between."""
    start, end = common_ends(keys, other_keys)
    last, other_last = len(keys) - end, len(other_keys) - end
    pairs = [(number, number) for number in range(start)]
    changed = []
    matcher = SequenceMatcher(None, keys[start:last], other_keys[start:other_last], autojunk=False)
    for kind, first, until, other_first, other_until in matcher.get_opcodes():
        one = range(start + first, start + until)
        other = range(start + other_first, start + other_until)
        if kind == "equal":
            pairs.extend(zip(one, other, strict=True))
        else:
            changed.append(Stretch(one, other))
    pairs.extend((last + number, other_last + number) for number in range(end))
    return pairs, changed


def _take(place: range, stretch: range) -> tuple[range, range]:
    """The parts of a stretch before and after a place; all of it is before a place that lies elsewhere."""
    first, last = max(place.start, stretch.start), min(place.stop, stretch.stop)
    if first >= last:
        return stretch, range(stretch.stop, stretch.stop)
    return range(stretch.start, first), range(last, stretch.stop)
