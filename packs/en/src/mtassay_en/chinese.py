"""The forms of Chinese words, from how the lexicon files write them: a noun stands after its measure word."""

from __future__ import annotations

__all__ = ["forms"]


def forms(part: str, text: str) -> dict[str, str]:
    """The one form of a word; a noun's cell is its measure word, which may stand before it.

    >>> forms("NOUN", "只 猫"), forms("ADJ", "红")
    ({'只': '猫'}, {'': '红'})
    """
    first, _, second = text.partition(" ")
    return {first: second} if second else {"": first}
