"""How alike two words are written: names, numbers and cognates look the same in both languages."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["likeness"]


@lru_cache(maxsize=100_000)
def likeness(one: str, other: str) -> float:
    """From 0 to 1: the share of common letter pairs (Dice), with accents and case left out; 1 where equal.

    >>> likeness("Okafor", "Okafor"), likeness("Brasília", "brasilia"), likeness("rain", "chuva")
    (1.0, 1.0, 0.0)
    >>> round(likeness("transformation", "transformação"), 2)
    0.69
    """
    a, b = _plain(one), _plain(other)
    if a == b:
        return 1.0
    if min(len(a), len(b)) < 3:
        return 0.0
    pairs, others = _letter_pairs(a), _letter_pairs(b)
    return 2 * len(pairs & others) / (len(pairs) + len(others))


@lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)) or word


def _letter_pairs(word: str) -> frozenset[tuple[str, int]]:
    # The same pair again counts again; the edges of the word count too.
    seen: dict[str, int] = {}
    found = set()
    for at in range(len(word) + 1):
        pair = f" {word} "[at : at + 2]
        seen[pair] = seen.get(pair, 0) + 1
        found.add((pair, seen[pair]))
    return frozenset(found)
