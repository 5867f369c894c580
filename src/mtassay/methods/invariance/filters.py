"""Filters against false alarms: variants whose distance has another reason than a wrong translation.

Section 5.1 of the paper names three sources of false alarms. Strange variants are dropped when variants are
made; two of these look at the other sources, a parser that errs and a translation that is right in other
words. The third asks the judge, who looks at each translation on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mtassay.detectors.answers import AnnotatedAnswer, ComparedPair
from mtassay.detectors.judge import Opinion
from mtassay.errors import UsageError
from mtassay.methods.invariance.structures.base import Structure
from mtassay.tools.annotate import Annotation
from mtassay.tools.encoder import open_encoder, unit

__all__ = ["FILTERS", "check_filters", "read_twice", "without_paraphrases", "without_right_ones"]

FILTERS = {
    "parser": "the distance is not there when the outputs are parsed a second time",
    "paraphrase": "the two outputs are as near in meaning as the two sources are",
    "judge": "the judge does not find either output likely to be wrong",
}
"""What each filter leaves out, by its name."""

_MARGIN = 0.02
_LIKELY = 0.6  # of pairs of the demo with such an output nine of ten hold an error, by cross-validation

Reader = Callable[[Sequence[str]], dict[str, Annotation]]


def check_filters(names: Sequence[str]) -> None:
    """Refuse a filter that is none."""
    for name in names:
        if name not in FILTERS:
            raise UsageError(f"No filter '{name}'. Available: {', '.join(FILTERS)}.")


def without_paraphrases(
    compared: Sequence[ComparedPair], distances: Sequence[float], *, margin: float = _MARGIN
) -> list[float]:
    """The distances, 0 where the outputs are as near to each other as their sources, by the encoder's cosine.

    What a wrong translation adds, drops or turns round moves the output further than the changed word moves
    the source; other words for the same do not.
    """
    if not compared:
        return []
    encode = open_encoder("the filter 'paraphrase'")
    texts = [
        side.text
        for pair in compared
        for side in (pair.original.source, pair.variant.source, pair.original.output, pair.variant.output)
    ]
    distinct = list(dict.fromkeys(texts))
    vectors = dict(zip(distinct, unit(encode(distinct)), strict=True))
    sides = np.array([vectors[text] for text in texts]).reshape(len(compared), 4, -1)
    sources = (sides[:, 0] * sides[:, 1]).sum(axis=1)
    outputs = (sides[:, 2] * sides[:, 3]).sum(axis=1)
    return np.where(outputs >= sources - margin, 0.0, distances).tolist()  # type: ignore[no-any-return]


def without_right_ones(
    compared: Sequence[ComparedPair], distances: Sequence[float], opinions: Mapping[str, Opinion]
) -> list[float]:
    """The distances, 0 where the judge takes neither output for wrong; `opinions` are by id.

    Wrong is what fails, where there is a probability with one of `_LIKELY` or more.
    """
    return [
        distance if any(_is_doubtful(opinions[side.id]) for side in _sides(pair)) else 0.0
        for pair, distance in zip(compared, distances, strict=True)
    ]


def _is_doubtful(opinion: Opinion) -> bool:
    is_likely = opinion.probability is None or opinion.probability >= _LIKELY
    return opinion.verdict == "fail" and is_likely


def read_twice(
    compared: Sequence[ComparedPair], distances: Sequence[float], structure: Structure, read: Reader
) -> list[float]:
    """The smaller distance of two readings, the second without the last punctuation mark of both outputs.

    A parser that is sure of a sentence reads it the same way with and without its full stop; where the two
    readings disagree about the distance, the parser and not the translation may have moved.
    """
    bare = {side.output.text: _bare(side.output.text) for pair in compared for side in _sides(pair)}
    second = read(list(bare.values()))

    def reread(answer: AnnotatedAnswer) -> AnnotatedAnswer:
        return replace(answer, output=second[bare[answer.output.text]])

    readings = [replace(p, original=reread(p.original), variant=reread(p.variant)) for p in compared]
    usable = [all(side.output.error is None for side in _sides(pair)) for pair in readings]
    again = iter(structure.distances([pair for pair, ok in zip(readings, usable, strict=True) if ok]))
    return [
        min(distance, next(again)) if ok else distance for distance, ok in zip(distances, usable, strict=True)
    ]


def _sides(pair: ComparedPair) -> tuple[AnnotatedAnswer, AnnotatedAnswer]:
    return pair.original, pair.variant


def _bare(text: str) -> str:
    return text.rstrip(".!?…。！？؟ ") or text
