"""Which word fits in a gap of a sentence: a small network that learned from a language model.

It reads twelve words on either side of a gap and says by how much a word is likelier there than another. It
was trained (`models/cloze`) to say what a language model of 1.5 billion parameters says of whole sentences;
it has 18,000 words, 128 dimensions and three layers, and needs NumPy only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.language_packs import pack_file
from mtassay.nlp.normalisation import plain_text

_HALF = 12  # how many words it sees on either side
_PADDING, _GAP, _FIRST, _LAST = range(4)
_HEADS = 4
_BATCH = 256
_TOKEN = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|[0-9]+|[^\w\s]")

Numbers = NDArray[np.float32]


class WordChoice(NamedTuple):
    """A text, where a word of it begins, that word, and those that may stand for it."""

    text: str
    start: int
    word: str
    others: Sequence[str]


def token_numbers(text: str, words: Mapping[str, int]) -> list[tuple[int, int]]:
    """Where each word or mark of a text begins, and its number; unknown ones have that of their kind.

    >>> token_numbers("A dog!", {"a": 5, "<unk>": 4, "!": 6})
    [(0, 5), (2, 4), (5, 6)]
    """
    plain = plain_text(text)
    return [(plain.places[m.start()], _number(m.group(), words)) for m in _TOKEN.finditer(plain.text)]


def tokens_around(text: str, start: int, words: Mapping[str, int]) -> list[int]:
    """The numbers of the words around the one that begins at `start`, which is a gap; 0 beyond the ends.

    >>> around = tokens_around("A dog barks.", 2, {"a": 5, "barks": 6, ".": 7})
    >>> around[10:17]
    [2, 5, 1, 6, 7, 3, 0]
    """
    tokens = token_numbers(text, words)
    numbers = [_FIRST, *(number for _, number in tokens), _LAST]
    gap = sum(begins <= start for begins, _ in tokens)
    around = [
        numbers[index] if 0 <= index < len(numbers) else _PADDING
        for index in range(gap - _HALF, gap + _HALF + 1)
    ]
    around[_HALF] = _GAP
    return around


def _number(token: str, words: Mapping[str, int]) -> int:
    number = words.get(token.lower())
    if number is not None:
        return number
    kind = "<num>" if token[0].isdigit() else "<name>" if token[0].isupper() else "<unk>"
    return words.get(kind, _PADDING)


class Cloze:
    """The network; `digest` tells its weights apart."""

    def __init__(self, words: Sequence[str], weights: Mapping[str, Numbers], *, digest: str = "") -> None:
        self.digest = digest
        self._words = {word: number for number, word in enumerate(words)}
        self._weights = weights

    def likelier(self, choices: Sequence[WordChoice]) -> list[list[float | None]]:
        """For each choice, in order, the natural log of how much likelier each other word is in the place.

        Below 0 the word that stands there is the likelier one; `None` where the network does not know a word.
        """
        answers: list[list[float | None]] = []
        for start in range(0, len(choices), _BATCH):
            batch = choices[start : start + _BATCH]
            gaps = self._read([tokens_around(choice.text, choice.start, self._words) for choice in batch])
            answers.extend(self._answer(choice, gap) for choice, gap in zip(batch, gaps, strict=True))
        return answers

    def _answer(self, choice: WordChoice, gap: Numbers) -> list[float | None]:
        numbers = [self._words.get(word.lower()) for word in (choice.word, *choice.others)]
        known = [number for number in numbers if number is not None]
        values = iter(self._weights["e.weight"][known] @ gap + self._weights["b"][known])
        logits = [None if number is None else float(next(values)) for number in numbers]
        was = logits[0]
        return [None if was is None or logit is None else logit - was for logit in logits[1:]]

    def _read(self, around: Sequence[Sequence[int]]) -> Numbers:
        """One vector for each gap: layers of attention and neurons (Vaswani et al. 2017), norms first."""
        weights = self._weights
        numbers = np.array(around)
        x = weights["e.weight"][numbers] + weights["p"]
        unseen = np.where(numbers == _PADDING, np.float32(-1e4), np.float32(0))[:, None, None, :]
        layers = sum(name.startswith("n1.") and name.endswith("weight") for name in weights)
        for layer in range(layers):
            x = x + self._attend(self._norm(x, f"n1.{layer}"), layer, unseen)
            hidden = np.maximum(self._linear(self._norm(x, f"n2.{layer}"), f"f1.{layer}"), 0)
            x = x + self._linear(hidden, f"f2.{layer}")
        return self._linear(self._norm(x[:, _HALF], "n"), "out")

    def _attend(self, x: Numbers, layer: int, unseen: Numbers) -> Numbers:
        size, length, width = x.shape
        parts = self._linear(x, f"qkv.{layer}").reshape(size, length, 3, _HEADS, width // _HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(np.float32(width // _HEADS)) + unseen
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return self._linear((shares @ value).swapaxes(1, 2).reshape(size, length, width), f"o.{layer}")

    def _linear(self, x: Numbers, name: str) -> Numbers:
        result: Numbers = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, x: Numbers, name: str) -> Numbers:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-5))
        result: Numbers = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


@cache
def open_cloze(language: str) -> Cloze | None:
    """The network that a language pack has; `None` where there is none.

    Every matrix is stored in bytes, with one scale for each row.
    """
    path = pack_file("cloze", language)
    if path is None:
        return None
    data = path.read_bytes()
    with np.load(BytesIO(data)) as stored:
        arrays: dict[str, NDArray[Any]] = {name: stored[name] for name in stored.files}
    words = bytes(arrays.pop("words")).decode("utf-8").split("\n")
    weights = {
        name: (array * arrays[f"{name}:scale"] if f"{name}:scale" in arrays else array).astype(np.float32)
        for name, array in arrays.items()
        if not name.endswith(":scale")
    }
    return Cloze(words, weights, digest=sha256(data).hexdigest()[:12])
