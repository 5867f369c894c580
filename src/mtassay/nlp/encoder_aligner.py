"""The word aligner that uses the sentence encoder, after SimAlign (Jalili Sabet et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mtassay.nlp.encoder import Encoder, Vectors, encoder_version, is_installed, open_encoder, unit
from mtassay.nlp.links import AlignmentEvidence, Links, Order, WordAligner, Words, decode, lower_words

WHAT = "word aligner 'encoder'"
LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
MEMORY = 100_000  # number of cached word vectors, of 2 KB each
BATCH = 2000  # sentence pairs whose words are encoded at once
USUAL = 0.35  # the mean cosine of two random words, measured on English and Chinese news
FEW = 5
ORDER = Order(tension=4.0, pull=0.3, sure=0.3)

Floats = NDArray[np.float64]


class WordVectors:
    """A cache of unit vectors of words."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Vectors] = {}

    def learn(self, words: Sequence[str]) -> None:
        """Encode all words that are not cached, at once."""
        texts = {word for word in words if _is_text(word)}
        new = sorted(texts - self._vectors.keys())
        if len(self._vectors) + len(new) > MEMORY:
            self._vectors.clear()
            new = sorted(texts)
        if new:
            self._vectors.update(zip(new, unit(self._encoder(new)), strict=True))

    def similarity(self, left: Words, right: Words) -> Floats:
        """Cosines, one row per word of `left`; 0 for an unusable text. `learn` must have seen all words."""
        matrix = np.zeros((len(left), len(right)))
        rows = [at for at, word in enumerate(left) if _is_text(word)]
        columns = [at for at, word in enumerate(right) if _is_text(word)]
        if rows and columns:
            left_vectors = np.stack([self._vectors[left[at]] for at in rows])
            right_vectors = np.stack([self._vectors[right[at]] for at in columns])
            matrix[np.ix_(rows, columns)] = left_vectors @ right_vectors.T
        return matrix


@cache
def open_vectors(what: str = WHAT) -> WordVectors:
    """Word vectors of the installed encoder, shared by all callers and loaded at the first use."""
    encoder_version(what)  # raises an error at once if a package is missing
    return WordVectors(lambda words: open_encoder(what)(words))


@dataclass
class EncoderAligner(WordAligner):
    """Links words that are each other's nearest neighbours.

    Some words are near to all others, so a cosine is compared with the mean of its row and column. `least` is
    the margin over this mean that a link needs. With the margin `spread`, a link is e times as likely.
    """

    least: float = 0.1
    spread: float = 0.05
    order: Order = ORDER
    encoder: Encoder | None = field(default=None, repr=False)
    name = "encoder"

    @classmethod
    def open(cls, pair: str, rest: str) -> WordAligner:
        return _open()

    @classmethod
    def preference(cls, pair: str) -> float:
        return 4 if LANGUAGES.issuperset(pair.split("-")) and is_installed() else 0

    @classmethod
    def advice(cls, pair: str) -> str:
        return "pip install 'mtassay[use]'" if LANGUAGES.issuperset(pair.split("-")) else ""

    def __post_init__(self) -> None:
        self._vectors = WordVectors(self.encoder) if self.encoder else open_vectors()

    @property
    def signature(self) -> str:
        return (
            f"encoder|use-{encoder_version(WHAT)}|least:{self.least:g}|spread:{self.spread:g}"
            f"|{self.order.signature}|intersection"
        )

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        lowered = [(lower_words(left), lower_words(right)) for left, right in pairs]
        links: list[Links] = []
        for start in range(0, len(lowered), BATCH):
            batch = lowered[start : start + BATCH]
            self._vectors.learn([word for pair in batch for side in pair for word in side])
            links += [self._links(left, right) for left, right in batch]
        return links

    def _links(self, left: Words, right: Words) -> Links:
        if not left or not right:
            return frozenset()
        cosines = self._vectors.similarity(left, right)
        cosines -= (_mean(cosines, 0)[None, :] + _mean(cosines, 1)[:, None]) / 2
        likely = np.exp((cosines - self.least) / self.spread)
        evidence = AlignmentEvidence(likely, likely, np.ones(len(right)), np.ones(len(left)))
        forward, backward = decode(evidence, self.order)
        return forward & backward


@cache
def _open() -> EncoderAligner:
    return EncoderAligner()


def _mean(cosines: Floats, axis: int) -> Floats:
    """The means along an axis, shrunk towards the usual mean, since a mean of few words says little."""
    mean: Floats = (USUAL * FEW + cosines.sum(axis=axis)) / (FEW + cosines.shape[axis])
    return mean


def _is_text(word: str) -> bool:
    """Whether a text can be encoded: it is not blank and has no half character (a lone surrogate)."""
    return bool(word.strip()) and not any("\ud800" <= character <= "\udfff" for character in word)
