"""Language tools whose work is spread over the workers of a run, in batches that do not depend on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from mtassay.core import Tools
from mtassay.tools.annotate.annotation import Annotation, Annotator
from mtassay.tools.encoder import Encoder, Vectors

__all__ = ["ANNOTATED", "ENCODED", "SpreadAnnotator", "SpreadEncoder", "batches"]

ANNOTATED = 256
"""Texts that are annotated in one batch."""
ENCODED = 2048
"""Texts that are encoded in one batch."""

Item = TypeVar("Item")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """The items in their order, so many at a time.

    >>> list(batches("abcde", 2))
    ['ab', 'cd', 'e']
    """
    return (items[start : start + size] for start in range(0, len(items), size))


class SpreadAnnotator(Annotator):
    """An annotator whose batches are read by workers, each distinct text once; `step` tells how far."""

    def __init__(self, annotator: Annotator, tools: Tools, *, step: str = "") -> None:
        self.name, self.language, self.gives = annotator.name, annotator.language, annotator.gives
        self.origin = annotator.origin
        self._annotator, self._tools, self._step = annotator, tools, step

    @property
    def signature(self) -> str:
        """That of the annotator."""
        return self._annotator.signature

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """One annotation per text, in order."""
        distinct = list(dict.fromkeys(texts))
        read: dict[str, Annotation] = {}
        for part in self._tools.map(self._annotator.annotate, batches(distinct, ANNOTATED)):
            read.update((annotation.text, annotation) for annotation in part)
            if self._step:
                self._tools.progress(self._step, len(read), len(distinct))
        return [read[text] for text in texts]


class SpreadEncoder:
    """An encoder whose batches are computed by workers, each distinct text once."""

    def __init__(self, encoder: Encoder, tools: Tools) -> None:
        self._encoder, self._tools = encoder, tools

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order."""
        distinct = sorted(set(texts))  # neighbours in the alphabet share most of the work
        if not distinct:
            return self._encoder([])
        rows = np.concatenate(list(self._tools.map(self._encoder, batches(distinct, ENCODED))))
        place = {text: number for number, text in enumerate(distinct)}
        vectors: Vectors = rows[[place[text] for text in texts]]
        return vectors
