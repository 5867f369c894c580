"""Finds outputs that are the source itself, left untranslated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mtassay.core import Segment
from mtassay.metrics.guards.vocabulary import Vocabulary, is_unspaced, words_of

_NOT_WORD = re.compile(r"[\W_]+")


class Copied:
    """Outputs equal to their source up to case, spaces and punctuation, that no reference justifies."""

    def __init__(self, segments: Sequence[Segment], vocabulary: Vocabulary) -> None:
        self._segments = segments
        self._vocabulary = vocabulary

    def hits(self, outputs: Sequence[str], candidates: Iterable[int]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index, for those that are not plainly in the target language."""
        return {
            index: {"why": "the output is the source, untranslated", "output": outputs[index][:80]}
            for index in candidates
            if self._is_copied(index, outputs[index])
        }

    def _is_copied(self, index: int, output: str) -> bool:
        source, references = self._segments[index].source, self._segments[index].references
        return (
            source is not None
            and _begin_alike(output, source)
            and fold(output) == fold(source)
            and is_translatable(source)
            and not any(reference is not None and _is_close(output, reference) for reference in references)
            and self._vocabulary.leaning(output) <= 0
        )


def fold(text: str) -> str:
    """The letters and digits of a text alone, in one case.

    >>> fold("„Straße 7“ - Ja!")
    'strasse7ja'
    """
    return _NOT_WORD.sub("", text).casefold()


def is_translatable(source: str) -> bool:
    """True if the text has several words that are neither names nor codes.

    >>> [is_translatable(text) for text in ("Max Mustermann, Berlin", "Wir haben heute geschlossen")]
    [False, True]
    """
    words = words_of(source)
    # A character of an unspaced script is a third of a word; a lower-case letter begins no name.
    common = sum(1 / 3 if is_unspaced(word) else 1 for word in words if not word[0].isupper())
    return len(words) >= 3 and (common >= 2 or source.isupper())


def _begin_alike(output: str, source: str) -> bool:
    """False where the beginnings already show that the two differ, which saves folding them."""
    one, two = fold(output[:16]), fold(source[:16])
    return one.startswith(two) or two.startswith(one)


def _is_close(output: str, reference: str) -> bool:
    """True if most words of the output stand in the reference too, as in a list of names."""
    words, known = words_of(output.lower()), set(words_of(reference.lower()))
    return fold(output) == fold(reference) or sum(word in known for word in words) > 0.6 * len(words)
