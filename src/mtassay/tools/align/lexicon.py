"""The lexical translation tables that come with mtassay: how likely each word translates as each other word.

Learned by `models/align/build.py` from Tatoeba; see `data/README.md` for the licence.
"""

from __future__ import annotations

import gzip
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import UsageError

__all__ = [
    "MARK",
    "NULL",
    "QUANTUM",
    "VERSION",
    "Floats",
    "Lexicon",
    "lexicon_pairs",
    "pieces",
    "read_lexicon",
]

DATA = Path(__file__).parent / "data"
VERSION = "mtassay-lexicon-1"
NULL = "NULL"
"""Stands for no word; words are in lower case, so it is none."""
MARK = "~"
"""Stands before a piece of a word."""
QUANTUM = 0.25
"""A probability p is written as the whole number next to -ln(p) / QUANTUM, and as `-` where it is nothing."""
PREFIX = 5

Floats = NDArray[np.float64]


def pieces(word: str, language: str) -> list[str]:
    """What stands for a form that was never seen: its first letters; in Chinese each of its characters.

    >>> pieces("reopened", "en"), pieces("mar", "pt"), pieces("海洋", "zh")
    (['reope'], ['mar'], ['海', '洋'])
    """
    return list(word) if language == "zh" and not word.isascii() else [word[:PREFIX]]


def lexicon_pairs() -> list[str]:
    """The pairs there is a table for, in the direction in which it is written; it serves both.

    >>> lexicon_pairs()
    ['en-pt', 'en-zh']
    """
    return sorted(path.name.removesuffix(".tsv.gz") for path in DATA.glob("*.tsv.gz"))


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Both directions of one language pair.

    `keys` are the numbers of a source and a target word in one, sorted; `p` has for each the probability of
    the target word given the source word and the reverse, as two columns. `tensions` say how strongly each
    direction keeps to the diagonal. `content` is a hash of the file.
    """

    source_language: str
    target_language: str
    sources: dict[str, int]
    targets: dict[str, int]
    keys: NDArray[np.int64]
    p: Floats
    tensions: tuple[float, float]
    content: str

    def look_up(self, sources: Sequence[str], targets: Sequence[str]) -> Floats:
        """Probabilities of all pairs of these words, as (direction, source, target); 0 is no entry."""
        left = np.array([self.sources.get(word, -1) for word in sources], np.int64)
        right = np.array([self.targets.get(word, -1) for word in targets], np.int64)
        keys = left[:, None] * len(self.targets) + right
        keys[left < 0] = -1
        keys[:, right < 0] = -1
        places = np.searchsorted(self.keys, keys)
        places[places == len(self.keys)] = 0
        return np.moveaxis(self.p[places] * (self.keys[places] == keys)[:, :, None], 2, 0)


@cache
def read_lexicon(pair: str) -> Lexicon:
    """The table of a pair in the direction in which it is written; `UsageError` where there is none."""
    if pair not in lexicon_pairs():
        raise UsageError(
            f"No lexicon for {pair}. Available: {', '.join(lexicon_pairs())}, and their reverse."
        )
    raw = (DATA / f"{pair}.tsv.gz").read_bytes()
    head, *lines = gzip.decompress(raw).decode().split("\n")
    forward, backward = map(float, head.split("\t")[1:3])
    sources: dict[str, int] = {}
    targets: dict[str, int] = {}
    entries: list[tuple[int, int]] = []
    codes: list[tuple[str, str]] = []
    for line in filter(None, lines):
        source, *rest = line.split("\t")
        number = sources.setdefault(source, len(sources))
        for entry in rest:
            target, p, q = entry.split(" ")
            entries.append((number, targets.setdefault(target, len(targets))))
            codes.append((p, q))
    decoded = {
        code: 0.0 if code == "-" else math.exp(-QUANTUM * int(code))
        for code in {code for both in codes for code in both}
    }
    keys = np.array([source * len(targets) + target for source, target in entries], np.int64)
    values = np.array([(decoded[p], decoded[q]) for p, q in codes])
    order = np.argsort(keys)
    language = pair.split("-")
    return Lexicon(
        language[0], language[1], sources, targets, keys[order], values[order], (forward, backward),
        hashlib.sha256(raw).hexdigest()[:12],
    )  # fmt: skip
