"""How far two sequences are apart: of characters, of words, of anything that can be told apart.

The distance is Levenshtein's, bit-parallel, so that a row of the table is one integer: Myers 1999, "A fast
bit-vector algorithm for approximate string matching", in the form of Hyyrö 2003. TER has another one
(`mtassay.metrics.ter.EditDistance`), which leaves out the cells that Tercom does and keeps its rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

__all__ = ["common_ends", "edit_distance"]


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many items must be added, dropped or replaced to turn one sequence into the other.

    >>> edit_distance("kitten", "sitting"), edit_distance(["he", "went"], ["went"])
    (3, 1)
    """
    start, end = common_ends(a, b)
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a or not b:
        return len(a) + len(b)
    places: dict[Hashable, int] = {}
    for place, item in enumerate(a):
        places[item] = places.get(item, 0) | 1 << place
    full, last = (1 << len(a)) - 1, 1 << len(a) - 1
    # Neighbouring cells differ by at most one: `plus` and `minus` say where a cell is above the one before.
    plus, minus, distance = full, 0, len(a)
    for item in b:
        match = places.get(item, 0) | minus
        same = (((match & plus) + plus) ^ plus) | match
        higher, lower = minus | (full & ~(same | plus)), plus & same
        distance += bool(higher & last) - bool(lower & last)
        higher = higher << 1 | 1
        plus = ((lower << 1) | ~(higher | same)) & full
        minus = higher & same & full
    return distance


def common_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    """How many items two sequences share at their start, and then at their end.

    >>> common_ends("abcd", "abxd"), common_ends("aa", "aaa")
    ((2, 1), (2, 0))
    """
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end
