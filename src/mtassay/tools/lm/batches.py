"""Cuts rows of unequal length into batches that waste little padding."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["by_length"]


def by_length(lengths: Sequence[int], *, budget: int) -> list[list[int]]:
    """The numbers of all rows in batches, longest first, so that memory that is short shows at once.

    A batch has at most `budget` pieces, counted as rows times the longest row; a row that is longer than
    this stands alone. Rows of equal length keep their order.

    >>> by_length([3, 9, 4, 4], budget=8)
    [[1], [2, 3], [0]]
    """
    batches: list[list[int]] = []
    longest = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        if batches and (len(batches[-1]) + 1) * longest <= budget:
            batches[-1].append(row)
        else:
            batches.append([row])
            longest = lengths[row]
    return batches
