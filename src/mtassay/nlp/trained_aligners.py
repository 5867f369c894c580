"""Aligners by the sentence encoder, which needs no training, and by fast_align, which learns from pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.textfiles import check_file, decompress
from mtassay.data.language_packs import load_package
from mtassay.nlp.encoder import Encoder, Vectors, encoder_version, is_installed, open_encoder, unit
from mtassay.nlp.links import (
    AlignmentEvidence,
    Links,
    Order,
    WordAligner,
    Words,
    decode,
    lower_words,
    symmetrization,
)

WHAT = "word aligner 'encoder'"
LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
MEMORY = 100_000  # word vectors kept, of 2 KB each
BATCH = 2000  # sentence pairs whose words are encoded at once
USUAL = 0.35  # the mean cosine of any two words, measured over English and Chinese news
FEW = 5
ORDER = Order(tension=4.0, pull=0.3, sure=0.3)

Floats = NDArray[np.float64]


class WordVectors:
    """The unit vectors of words, each encoded once; what is forgotten is encoded again."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Vectors] = {}

    def learn(self, words: Sequence[str]) -> None:
        """Encode, in one go, those of these words that are new."""
        texts = {word for word in words if _is_text(word)}
        new = sorted(texts - self._vectors.keys())
        if len(self._vectors) + len(new) > MEMORY:
            self._vectors.clear()
            new = sorted(texts)
        if new:
            self._vectors.update(zip(new, unit(self._encoder(new)), strict=True))

    def similarity(self, left: Words, right: Words) -> Floats:
        """Cosines, one row per word of `left`; 0 for what is no text. `learn` must have seen all of them."""
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
    """Word vectors of the installed encoder, shared by all who ask; it is loaded with the first words."""
    encoder_version(what)  # says at once what is missing
    return WordVectors(lambda words: open_encoder(what)(words))


@dataclass
class EncoderAligner(WordAligner):
    """Links words that are each other's nearest.

    Some words are near to all others, so a cosine counts against the mean of its row and column. `least` is
    how far above that mean a link must be; `spread` how much nearer makes e times as likely.
    """

    least: float = 0.1
    spread: float = 0.05
    symmetrize: str = "intersection"
    order: Order = ORDER
    encoder: Encoder | None = field(default=None, repr=False)
    name = "encoder"

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        return _open(symmetrize or cls.symmetrize)

    @classmethod
    def preference(cls, pair: str) -> float:
        return 4 if LANGUAGES.issuperset(pair.split("-")) and is_installed() else 0

    @classmethod
    def advice(cls, pair: str) -> str:
        return "pip install 'mtassay[use]'" if LANGUAGES.issuperset(pair.split("-")) else ""

    def __post_init__(self) -> None:
        self._symmetrize = symmetrization(self.symmetrize)
        self._vectors = WordVectors(self.encoder) if self.encoder else open_vectors()

    @property
    def signature(self) -> str:
        return (
            f"encoder|use-{encoder_version(WHAT)}|least:{self.least:g}|spread:{self.spread:g}"
            f"|{self.order.signature}|{self.symmetrize}"
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
        return self._symmetrize(*decode(evidence, self.order))


@cache
def _open(symmetrize: str) -> EncoderAligner:
    return EncoderAligner(symmetrize=symmetrize)


def _mean(cosines: Floats, axis: int) -> Floats:
    """The means along an axis, drawn to what is usual: with few words a mean says little."""
    mean: Floats = (USUAL * FEW + cosines.sum(axis=axis)) / (FEW + cosines.shape[axis])
    return mean


def _is_text(word: str) -> bool:
    """Not blank, and no half character (a lone surrogate), which no encoding can write."""
    return bool(word.strip()) and not any("\ud800" <= character <= "\udfff" for character in word)


# Words that mean something else in the files of these tools.
_RESERVED = {"|||", "<eps>", ""}


class ParallelCorpus:
    """The pairs of a parallel file, in words, with a hash of their text."""

    def __init__(self, pairs: Sequence[tuple[Words, Words]], content: str) -> None:
        self.pairs = pairs
        self.content = content


def read_corpus(path: str | Path) -> ParallelCorpus:
    """A parallel file, plain or gzip: `source<TAB>target` or `source ||| target` per line.

    Words must be apart with spaces, as they do in the pairs that are to be aligned. A pair with an empty
    side teaches nothing and is left out.
    """
    raw = _read(Path(path))
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text.", path=path) from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        sides = line.split("\t") if "\t" in line else line.split(" ||| ")
        if len(sides) != 2:
            raise InputError(
                f"{len(sides)} columns, expected 2. Write source<TAB>target, or source ||| target.",
                path=path,
                line=number,
            )
        source, target = sides[0].split(), sides[1].split()
        if source and target:
            pairs.append((source, target))
    return ParallelCorpus(pairs, hashlib.sha256(raw).hexdigest()[:12])


def writable(words: Words) -> str:
    """The words in lower case with a space between them, each as one word that the tools do not misread.

    >>> writable(["New York", "|||", "Sea"])
    'new_york _ sea'
    """
    clean = ("_".join(word.split()) for word in lower_words(words))
    return " ".join("_" if word in _RESERVED else word for word in clean).encode(errors="replace").decode()


def _read(path: Path) -> bytes:
    try:
        check_file(path)
        raw = path.read_bytes()
        return decompress(raw, path=path) if raw[:2] == b"\x1f\x8b" else raw
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error}).", path=path) from None


PACKAGE = "systran-align"


def has_fast_align() -> bool:
    """Whether the package is on this machine."""
    return find_spec("systran_align") is not None


class FastAligner(WordAligner):
    """Learns again in each call, from the pairs of that call and those of `corpus`.

    So the links of a pair depend on the pairs that are asked with it. The package symmetrizes both directions
    itself, by grow-diag-final-and.
    """

    name = "fast-align"
    argument: ClassVar[str] = "[FILE]"

    @classmethod
    def open(cls, pair: str, rest: str, symmetrize: str | None) -> WordAligner:
        if symmetrize not in (None, "grow-diag-final-and"):
            raise UsageError(f"Word aligner '{cls.name}' cannot do '{symmetrize}', only grow-diag-final-and.")
        return cls(corpus=read_corpus(rest) if rest else None)

    @classmethod
    def preference(cls, pair: str) -> float:
        return 1 if has_fast_align() else 0

    @classmethod
    def advice(cls, pair: str) -> str:
        return "pip install 'mtassay[fast-align]', which learns from thousands of pairs"

    def __init__(self, *, corpus: ParallelCorpus | None = None, iterations: int = 5) -> None:
        self._tool = load_package(
            "systran_align", what=f"word aligner '{self.name}'", package=PACKAGE, extra="fast-align"
        )
        self._corpus = corpus
        self._iterations = iterations

    @property
    def signature(self) -> str:
        """The release, the corpus and the settings; the pairs of a call are part of what it learns from."""
        corpus = self._corpus.content if self._corpus else "none"
        return f"fast-align|{PACKAGE}-{version(PACKAGE)}|corpus:{corpus}|iterations:{self._iterations}"

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        texts = [(writable(left), writable(right)) for left, right in pairs]
        full = [at for at, (left, right) in enumerate(texts) if left and right]
        links: list[Links] = [frozenset()] * len(pairs)
        if not full:
            return links
        corpus_texts = [
            (writable(left), writable(right)) for left, right in (self._corpus.pairs if self._corpus else ())
        ]
        with TemporaryDirectory(prefix="mtassay-align-") as folder:
            text, forward, backward = (str(Path(folder) / name) for name in ("text", "forward", "backward"))
            lines = [f"{left} ||| {right}\n" for left, right in [*corpus_texts, *(texts[at] for at in full)]]
            Path(text).write_text("".join(lines), encoding="utf-8", newline="\n")
            self._tool.generate_alignment_probabilities(
                text, forward, backward, iterations=self._iterations, favor_diagonal=True,
                optimize_tension=True, variational_bayes=True,
            )  # fmt: skip
            aligner = self._tool.Aligner(forward, backward)
            answers = aligner.align_batch(
                [texts[at][0].split(" ") for at in full], [texts[at][1].split(" ") for at in full]
            )
        for at, answer in zip(full, answers, strict=True):
            links[at] = frozenset((int(source), int(target)) for source, target in answer["alignments"])
        return links
