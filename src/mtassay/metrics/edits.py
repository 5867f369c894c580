"""Edits as TER counts them (Snover et al. 2006): words added, dropped or replaced, and blocks shifted.

The search for shifts is greedy and rests on conventions: which block may move where, which of equally good
shifts is made, when to give up. Ours are those of sacreBLEU's rendering of Tercom, and so are the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mtassay.metrics.edit_distance import Alignment, EditDistance

# The limits of the search, in words and in shifts tried per sentence.
LONGEST_SHIFT = 10
FARTHEST_SHIFT = 50
MOST_CANDIDATES = 1000


class Shift(NamedTuple):
    """`length` words of the output, from `start`, move to `target`."""

    length: int
    start: int
    target: int


def count_edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """How many edits turn the words of the output into those of the reference.

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
    shifts = candidates = 0
    while True:
        measured = distance.measure(words)
        if measured.distance == fewest:
            break
        found, tried = _find_shifts(
            words, goal, distance.align(words, measured), most=MOST_CANDIDATES - candidates
        )
        candidates += tried
        # Tercom gives up here, and forgets what this round has found.
        if not found or candidates >= MOST_CANDIDATES:
            break
        start = min(min(shift.start, shift.target) for shift in found)
        moved = [_move(words, shift) for shift in found]
        distances = distance.distances(moved, start=start, above=measured.above[start])
        best = min(zip(distances, found, moved, strict=True), key=_preference)
        if best[0] >= measured.distance:
            break
        words = best[2]
        shifts += 1
    return shifts + measured.distance


def fewest_edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """A number that no order of the words can get below: words without a partner must be edited.

    >>> fewest_edits("b a c".split(), "a b b".split())
    1
    """
    common = Counter(output) & Counter(reference)
    return max(len(output), len(reference)) - common.total()


def _find_shifts(
    words: list[int], goal: list[int], alignment: Alignment, *, most: int
) -> tuple[list[Shift], int]:
    """The shifts worth trying, and how many Tercom counts: it tries some of them twice, or in vain.

    A block moves to where the reference has the same words, if both sides have an edit there. The search ends
    when `most` are counted.
    """
    used, output_wrong, reference_wrong = alignment
    places: dict[int, list[int]] = {}
    for place, code in enumerate(goal):
        places.setdefault(code, []).append(place)
    found: dict[Shift, None] = {}
    count = 0
    for start, code in enumerate(words):
        for place in places.get(code, ()):
            partner = used[place + 1] - 1
            if partner == start or abs(place - start) > FARTHEST_SHIFT:
                continue
            longest = min(LONGEST_SHIFT, len(words) - start, len(goal) - place)
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
                            found[Shift(offset + 1, start, target)] = None
            if count >= most:
                return [], count
    return list(found), count


def _move(words: list[int], shift: Shift) -> list[int]:
    length, start, target = shift
    end = start + length
    block = words[start:end]
    if target < start:
        return words[:target] + block + words[target:start] + words[end:]
    if target <= end:
        # Tercom counts a target inside the block from the words that follow the block.
        target += length
    return words[:start] + words[end:target] + block + words[target:]


def _preference(candidate: tuple[int, Shift, list[int]]) -> tuple[int, int, int, int]:
    """The nearest output first, then the longest block, then the first block, then the first target."""
    distance, shift, _ = candidate
    return distance, -shift.length, shift.start, shift.target
