"""Finds outputs that say nothing although their source says something."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from mtassay.core import Segment

# Letters and digits of any script; the underscore alone says nothing.
_SAYS_SOMETHING = re.compile(r"[^\W_]")

_WHY = ("the output is empty", "the output is only punctuation")


class Blank:
    """Outputs without a letter, digit or symbol, where neither the source nor a reference is like that."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments

    def hits(self, outputs: Sequence[str], candidates: Iterable[int]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index, for those that have not plainly words of the target language."""
        return {
            index: {"why": _WHY[how_much(outputs[index])], "output": outputs[index][:80]}
            for index in candidates
            if not _SAYS_SOMETHING.search(outputs[index]) and self._is_broken(index, outputs[index])
        }

    def _is_broken(self, index: int, output: str) -> bool:
        """True if the output says less than the source and every reference do."""
        source, references = self._segments[index].source, self._segments[index].references
        expected = [text for text in (source, *references) if text is not None]
        said = how_much(output)
        return said < 2 and (all(how_much(text) > said for text in expected) if expected else said == 0)


def how_much(text: str) -> int:
    """3 if there are letters or digits, 2 if symbols (emoji, currency), 1 if only punctuation, 0 if nothing.

    >>> [how_much(text) for text in ("", " \\u200b ", "...", "❤️", "No")]
    [0, 0, 1, 2, 3]
    """
    if _SAYS_SOMETHING.search(text):
        return 3
    categories = {unicodedata.category(char)[0] for char in text}
    return 2 if "S" in categories else 1 if "P" in categories else 0
