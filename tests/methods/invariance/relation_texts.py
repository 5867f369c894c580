"""Small answers for these tests: words tagged by hand, and an encoder that knows a few translations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mtassay.data.nouns import Edit
from mtassay.measures.polarity import AnnotatedAnswer
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.encoder import Encoder, Vectors
from tests.fake_annotator import FakeAnnotator

ENGLISH = {
    "the": "DET", "a": "DET", "an": "DET", "of": "ADP", "in": "ADP", "with": "ADP", "on": "ADP",
    "and": "CCONJ", "she": "PRON", "he": "PRON", "they": "PRON", "saw": "VERB", "buys": "VERB",
    "reads": "VERB", "cleans": "VERB", "old": "ADJ", "small": "ADJ", "young": "ADJ", "red": "ADJ",
    "Ana": "PROPN", "Rio": "PROPN", "Okafor": "PROPN",
}  # fmt: skip
PORTUGUESE = {
    "o": "DET", "a": "DET", "uma": "DET", "um": "DET", "de": "ADP", "em": "ADP", "com": "ADP", "e": "CCONJ",
    "ela": "PRON", "viu": "VERB", "compra": "VERB", "lê": "VERB", "limpa": "VERB", "velho": "ADJ",
    "velha": "ADJ", "pequeno": "ADJ", "Ana": "PROPN", "Rio": "PROPN", "Okafor": "PROPN",
}  # fmt: skip
NAMES = {"Ana": "PER", "Rio": "LOC", "Okafor": "PER"}


def english(text: str) -> Annotation:
    return FakeAnnotator("en", pos=ENGLISH, entities=NAMES).annotate([text])[0]


def portuguese(text: str) -> Annotation:
    return FakeAnnotator("pt", pos=PORTUGUESE, entities=NAMES).annotate([text])[0]


def answer(source: str, output: str, *, key: str = "1") -> AnnotatedAnswer:
    return AnnotatedAnswer(key, english(source), portuguese(output))


def compared(source: str, output: str, before: str, after: str, variant_output: str) -> ComparedPair:
    """The original, and its variant with `after` in the place of `before`; the variant's id is `1/x`."""
    start = source.index(before)
    edit = Edit(start, start + len(before), before, after)
    return ComparedPair(
        answer(source, output),
        answer(edit.apply(source), variant_output, key="1/x"),
        edit,
    )


def encoder_of(cosines: Mapping[tuple[str, str], float]) -> Encoder:
    """An encoder for which these pairs of words have these cosines, and all others none.

    Each word may be in one pair only: the first of a pair gets an axis, the second leans towards it.
    """
    size = 512
    axes: dict[str, int] = {}

    def axis(word: str) -> int:
        return axes.setdefault(word, len(axes))

    def encode(texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), size), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[axis(text)] = 1
            for (first, second), cosine in cosines.items():
                if text == second:
                    row[axis(text)] = np.sqrt(1 - cosine**2)
                    row[axis(first)] = cosine
        return rows

    return encode
