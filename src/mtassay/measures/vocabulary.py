"""How often a language has a word, and two words side by side: what is no word, and what reads oddly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mtassay.data.formats.textfiles import read_bytes, split_lines
from mtassay.data.language_packs import pack_file
from mtassay.data.languages import Pair
from mtassay.nlp.annotation import plain_words
from mtassay.nlp.normalisation import plain_marks

STEP = 0.25
"""Frequencies are kept in steps of this width on the Zipf scale: 3 is once in a million words."""
EDGE = "|"
"""Is before the first word of a sentence and after the last."""
_LEAN = 20.0  # how many sightings of a word weigh as much as what is known of all words together


@dataclass(frozen=True, slots=True, eq=False)
class TargetWords:
    """A language's words: `frequencies` on the Zipf scale, and counts of words and neighbours in sentences.

    A word that is not there has the frequency 0. Words are in small letters.
    """

    frequencies: Mapping[str, float]
    counts: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]
    total: int

    def frequency(self, word: str) -> float:
        """On the Zipf scale; 0 for a word that nobody has seen."""
        return self.frequencies.get(word, 0.0)

    def surprise(self, before: str, word: str) -> float:
        """How little a word is expected after another, in nats."""
        alone = (self.counts.get(word, 0) + 0.1) / self.total
        seen = self.counts.get(before, 0)
        return -math.log((self.pairs.get((before, word), 0) + _LEAN * alone) / (seen + _LEAN))

    def association(self, before: str, word: str) -> float:
        """How much more often two words are side by side than by chance, as a logarithm; below 0 is rarer."""
        expected = self.counts.get(before, 0) * self.counts.get(word, 0) / self.total
        return math.log((self.pairs.get((before, word), 0) + 0.5) / (expected + 0.5))

    def prefers(self, other: str, words: Sequence[str], at: int) -> float:
        """By how many nats another word is more likely than the one at this place, between its neighbours."""
        before, word, after = words[at - 1 : at + 2]
        there = self.surprise(before, word) + self.surprise(word, after)
        return there - self.surprise(before, other) - self.surprise(other, after)


def small_words(text: str) -> list[str]:
    """The words and marks of a text in small letters and plain marks, between two edges.

    >>> small_words("Não sei.")
    ['|', 'não', 'sei', '.', '|']
    """
    return [EDGE, *(word.text.lower() for word in plain_words(plain_marks(text))), EDGE]


def target_words(pair: Pair) -> TargetWords | None:
    """The words of a pair's target language; `None` where no installed pack has a list of them."""
    return _read(pair.target.code.partition("-")[0])


@cache
def _read(language: str) -> TargetWords | None:
    path, neighbours = pack_file("words", language), pack_file("neighbours", language)
    if path is None:
        return None
    frequencies: dict[str, float] = {}
    for line in _lines(path):
        step, *words = line.split(" ")
        frequencies |= dict.fromkeys(words, int(step) * STEP)
    counts: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for line in _lines(neighbours) if neighbours else ():
        word, count, *after = line.split(" ")
        counts[word] = int(count)
        pairs |= {(word, other): int(n) for other, n in zip(after[::2], after[1::2], strict=True)}
    return TargetWords(frequencies, counts, pairs, max(sum(counts.values()), 1))


def _lines(path: Path) -> list[str]:
    return split_lines(read_bytes(path), str(path))
