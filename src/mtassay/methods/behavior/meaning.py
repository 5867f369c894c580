"""Finds the edit again by meaning: the sentence encoder looks for the stretch that is nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mtassay.methods.behavior.nouns import Change
from mtassay.methods.behavior.tracing import is_unspaced, words_of
from mtassay.tools.encoder import Encoder, Vectors, is_installed, open_encoder, unit

__all__ = ["FOUND", "NOT_FOUND", "Sought", "find_by_meaning", "nearest"]

FOUND, NOT_FOUND = 0.75, 0.4
"""From this cosine on a stretch means the same as the edit; below the other, nothing does."""
_WIDER = (0, 1)
"""How many words more than the edit a stretch may have."""


class Sought(NamedTuple):
    """The changes of a reference, to be found in an output."""

    changes: Sequence[Change]
    output: str


def find_by_meaning(sought: Sequence[Sought], *, encoder: Encoder | None = None) -> list[bool | None]:
    """For each, whether the output says what every change says; `None` where nobody can tell.

    All unknown without the encoder's package. Deleted segments cannot be found.
    """
    if encoder is None:
        if not is_installed():
            return [None] * len(sought)
        encoder = open_encoder()
    return [_answer(values) for values in nearest(sought, encoder)]


def nearest(sought: Sequence[Sought], encoder: Encoder) -> list[list[float]]:
    """For each change, the cosine of the stretch of the output that is nearest to it; none for a deletion."""
    rows = [
        [(change.after.strip(), _stretches(change.after, each.output)) for change in each.changes]
        for each in sought
    ]
    texts = list(dict.fromkeys(t for row in rows for after, places in row if after for t in (after, *places)))
    vectors = _Vectors(texts, encoder)
    return [[vectors.nearest(after, places) for after, places in row if after] for row in rows]


class _Vectors:
    def __init__(self, texts: Sequence[str], encoder: Encoder) -> None:
        self._row = {text: number for number, text in enumerate(texts)}
        self._vectors: Vectors = unit(encoder(texts)) if texts else np.empty((0, 1), np.float32)

    def nearest(self, text: str, others: Sequence[str]) -> float:
        if not others:
            return 0.0
        places = self._vectors[[self._row[other] for other in others]]
        return float((places @ self._vectors[self._row[text]]).max())


def _stretches(wanted: str, output: str) -> list[str]:
    """All stretches of the output that have as many words as the edit, or one more."""
    words = words_of(output)
    count = len(words_of(wanted))
    mark = "" if any(is_unspaced(word) for word in words) else " "
    sizes = {min(count + wider, len(words)) for wider in _WIDER} - {0}
    return list(
        dict.fromkeys(mark.join(words[i : i + size]) for size in sizes for i in range(len(words) - size + 1))
    )


def _answer(values: Sequence[float]) -> bool | None:
    if not values:
        return None
    if min(values) < NOT_FOUND:
        return False
    return True if min(values) >= FOUND else None
