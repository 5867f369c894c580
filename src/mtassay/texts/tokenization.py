"""Signs that texts were split into words, or pieces of words, for a machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_SAMPLE = 200
_SPACED_MARK = re.compile(r"\w [,.](?= |$)")
_PLAIN_MARK = re.compile(r"\w[,.](?= |$)")
_CHARACTERS = "\u3040-\u30ff\u3400-\u9fff"
# A name in Latin letters has a space beside it now and then; a tokenised line has one after every word.
# The first character is looked for, and then what stands before it, which is several times faster.
_SPACED_CHARACTERS = re.compile(
    rf"[{_CHARACTERS}](?<![{_CHARACTERS}]{{2}})[{_CHARACTERS}]*+ (?:[{_CHARACTERS}]++ ){{2}}[{_CHARACTERS}]"
)
_CHARACTER = re.compile(f"[{_CHARACTERS}]")


class _Sign(NamedTuple):
    """What tokenised lines have: in at least `share` of those that have `among`.

    A line without any of the `marks` does not have it, which is cheap to see.
    """

    what: str
    marks: Sequence[str]
    pattern: re.Pattern[str]
    fix: str
    share: float
    among: re.Pattern[str] | None = None

    def is_in(self, text: str) -> bool:
        """Whether a line has it."""
        return any(mark in text for mark in self.marks) and self.pattern.search(text) is not None


_DETOKENISE = "detokenise (sacremoses detokenize)"
_SIGNS = (
    _Sign(
        "pieces of SentencePiece ('▁')", ("▁",), re.compile("▁"), "join them (tr -d ' ' | tr '▁' ' ')", 0.5
    ),
    _Sign(
        "pieces of BPE ('@@ ')", ("@@",), re.compile("@@(?= |$)"), "join them (sed -E 's/@@( |$)//g')", 0.2
    ),
    _Sign(
        "words split by Moses ('@-@', '&quot;')",
        ["@-@", "&"],
        re.compile("@-@|&(?:quot|apos|#91|#93|#124);"),
        _DETOKENISE,
        0.05,
    ),
    _Sign(
        "spaces before commas and full stops",
        [" ,", " ."],
        _SPACED_MARK,
        _DETOKENISE,
        0.5,
        re.compile(f"{_SPACED_MARK.pattern}|{_PLAIN_MARK.pattern}"),
    ),
    _Sign(
        "spaces between Chinese or Japanese words",
        [" "],
        _SPACED_CHARACTERS,
        "take them out (tr -d ' ')",
        0.5,
        _CHARACTER,
    ),
)
# Fewer lines are an example, not a file.
_FEWEST = 5


class Tokenization(NamedTuple):
    """How texts are tokenised: `what` shows it, in how many `lines`, and the `fix`."""

    what: str
    lines: int
    fix: str

    def told_of(self, name: str, total: int) -> str:
        """What a person should know of the texts with this name, of which there are so many."""
        return f"{name} has {self.what} ({self.lines:,} of {total:,} lines): {self.fix} first"


def tokenization_of(texts: Sequence[str | None]) -> Tokenization | None:
    """The first sign that texts are tokenised, or `None` where they are plain.

    French has a space before `?` and `:`, so only commas and full stops count.

    >>> tokenization_of(["The dog , old and tired , sleeps .", "It sleeps .", "No , it runs ."] * 2).lines
    6
    """
    some = [text for text in texts[:: len(texts) // _SAMPLE + 1] if text]
    together = "\n".join(some)
    for sign in _SIGNS:
        if not any(mark in together for mark in sign.marks):
            continue
        hits = sum(map(sign.is_in, some))
        if hits < _FEWEST:
            continue
        among = len(some) if sign.among is None else sum(sign.among.search(text) is not None for text in some)
        if hits >= sign.share * among:
            lines = sum(sign.is_in(text) for text in texts if text)
            return Tokenization(sign.what, lines, sign.fix)
    return None
