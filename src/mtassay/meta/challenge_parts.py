"""Parts of judging metrics on a challenge set: items and groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtassay.formats.challenge import ChallengePair
from mtassay.methods.suite.accuracy import MACRO, MICRO

__all__ = ["grouped", "item_codes"]


def item_codes(pairs: Sequence[ChallengePair]) -> tuple[NDArray[np.int64], list[ChallengePair]]:
    """A whole number from 0 up for the item of each pair, and the first pair of each item."""
    first: dict[str, ChallengePair] = {}
    for pair in pairs:
        first.setdefault(pair.item, pair)
    places = {item: place for place, item in enumerate(first)}
    return np.array([places[pair.item] for pair in pairs], dtype=np.int64), list(first.values())


def grouped(keys: Sequence[str]) -> dict[str, list[list[int]]]:
    """The rows of each group in order of appearance, as one part; then all rows, and all groups as parts."""
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return {
        **{key: [part] for key, part in rows.items()},
        MICRO: [list(range(len(keys)))],
        MACRO: [*rows.values()],
    }
