"""Which words are common neighbours, so that no set phrase is broken: "white rice", not "white bicycle"."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from mtassay.methods.invariance.variants.base import Place
from mtassay.tools.annotate.nouns import Token

__all__ = ["DATA", "Pairs", "open_pairs"]

DATA = Path(__file__).parent / "data"
_MODIFIERS = frozenset(("amod", "compound", "nmod", "nn"))


class Pairs:
    """Pairs of neighbours that are common in a language, by the left word; `digest` tells tables apart.

    >>> pairs = Pairs({"white": "bread rice"})
    >>> pairs.common("white", "rice"), pairs.common("white", "rye")
    (True, False)
    """

    def __init__(self, right: dict[str, str], *, digest: str = "") -> None:
        self.digest = digest
        self._right = right
        self._sets: dict[str, frozenset[str]] = {}

    def common(self, left: str, right: str) -> bool:
        """Whether these two words, in small letters, often stand together."""
        if left not in self._sets:
            self._sets[left] = frozenset(self._right.get(left, "").split())
        return right in self._sets[left]

    def fits(self, place: Place, word: str) -> bool:
        """Whether a word goes with its neighbours: a common pair stays one, and a modifier finds its like.

        Words that go with nearly all others ("the", "and") are in no pair and have no say.
        """
        tokens = place.sentence.tokens
        old, new = tokens[place.token].text.lower(), word.lower()
        for near in (place.token - 1, place.token + 1):
            if not 0 <= near < len(tokens):
                continue
            beside = tokens[near].text.lower()
            was, becomes = (
                ((beside, old), (beside, new)) if near < place.token else ((old, beside), (new, beside))
            )
            if self.common(*becomes):
                continue
            if self.common(*was) or _modifies(tokens, place.token, near):
                return False
        return True


def _modifies(tokens: Sequence[Token], one: int, other: int) -> bool:
    """Whether one of the two is the other's adjective or part of its compound."""
    for modifier, head in ((one, other), (other, one)):
        if tokens[modifier].head == head and tokens[modifier].relation in _MODIFIERS:
            return True
    return False


@cache
def open_pairs(language: str) -> Pairs | None:
    """The pairs that come with mtassay for a language; `None` where there is no table."""
    path = DATA / f"{language}.pairs.gz"
    if not path.is_file():
        return None
    data = gzip.decompress(path.read_bytes())
    lines = data.decode("utf-8").splitlines()
    return Pairs(dict(line.split("\t", 1) for line in lines), digest=sha256(data).hexdigest()[:12])
