"""Words that no generated case may have: a list of the user's own, since none fits everybody.

Wu, Liu, Yeung (2023) warn that a language model may write what is toxic or biased.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from mtassay.errors import InputError
from mtassay.formats.text import FilePath, read_lines, shown

__all__ = ["Blocklist", "read_blocklist"]

_UNSPACED = re.compile("[⺀-鿿豈-﫿぀-ヿ฀-๿]")


@dataclass(frozen=True, slots=True)
class Blocklist:
    """Words and phrases, whatever their case; a word of a script without spaces counts inside others too.

    >>> blocked = Blocklist.of(["darn", "坏话"])
    >>> blocked.word_in("Oh, DARN it"), blocked.word_in("He darned socks"), blocked.word_in("说坏话的人")
    ('darn', None, '坏话')
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, words: Iterable[str]) -> Blocklist:
        """A list of these."""
        kept = tuple(dict.fromkeys(filter(None, (" ".join(_plain(word).split()) for word in words))))
        # Longer ones first: the longest is what a person wants to hear of.
        forms = [_form(word) for word in sorted(kept, key=len, reverse=True)]
        return cls(kept, re.compile("|".join(forms)) if forms else None)

    def word_in(self, text: str) -> str | None:
        """The first blocked word of a text; `None` if it has none."""
        found = self.pattern.search(" ".join(_plain(text).split())) if self.pattern else None
        return found.group() if found else None


def read_blocklist(path: FilePath) -> Blocklist:
    """The list in a file: one word or phrase per line; a line that begins with `#` is a remark."""
    lines = [line.strip() for line in read_lines(path)]
    blocked = Blocklist.of(line for line in lines if not line.startswith("#"))
    if not blocked.words:
        raise InputError("there is no word in it. Write one per line.", path=shown(path))
    return blocked


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _form(word: str) -> str:
    if _UNSPACED.search(word):
        return re.escape(word)
    return rf"(?<!\w){re.escape(word)}(?!\w)"
