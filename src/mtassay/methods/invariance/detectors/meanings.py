"""Whether two words that were exchanged for each other mean nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mtassay.core import Edit
from mtassay.tools.align.encoder_similarity import WordVectors, open_vectors
from mtassay.tools.encoder import Encoder

__all__ = ["WordMeanings", "is_opposite"]

# English, and the Latin and Germanic languages that share them.
_NOT = ("un", "in", "im", "il", "ir", "dis", "non", "des", "a", "mis")


class WordMeanings:
    """Compares single words by the sentence encoder, which puts opposites near each other, too."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder

    @cached_property
    def _vectors(self) -> WordVectors:
        """Opened when first used: where no outputs are equal, no encoder is needed."""
        return WordVectors(self._encoder) if self._encoder else open_vectors()

    def similarities(self, edits: Sequence[Edit]) -> list[float]:
        """The cosine of the two words of each edit, in order; 0 for opposites made by a prefix."""
        if not edits:
            return []
        self._vectors.learn([word for edit in edits for word in _words(edit)])
        return [self._similarity(*_words(edit)) for edit in edits]

    def _similarity(self, before: str, after: str) -> float:
        if is_opposite(before, after):
            return 0.0
        return float(np.clip(self._vectors.similarity([before], [after])[0, 0], -1, 1))


def is_opposite(one: str, other: str) -> bool:
    """Whether one word is the other with a prefix that says no.

    >>> is_opposite("legal", "illegal"), is_opposite("likely", "unlikely"), is_opposite("able", "table")
    (True, True, False)
    """
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in _NOT)


def _words(edit: Edit) -> tuple[str, str]:
    return edit.before.lower(), edit.after.lower()
