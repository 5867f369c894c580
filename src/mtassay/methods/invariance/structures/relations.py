"""Relations and heads, named as a person reads them."""

from __future__ import annotations

from mtassay.methods.invariance.structures.words import Words

__all__ = ["head_name", "universal"]


def universal(relation: str) -> str:
    """A relation without its subtype, which parsers give in one sentence and leave out in the next.

    >>> universal("obl:agent")
    'obl'
    """
    return relation.partition(":")[0]


def head_name(words: Words, number: int) -> str:
    """What a word hangs on, in quotation marks."""
    head = words[number].head
    return f'"{words[head].text}"' if head >= 0 else "the root"
