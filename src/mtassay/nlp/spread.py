"""Language tools whose work is spread over the workers of a run, in batches that do not depend on them.

What they read is kept in the workspace, so that nobody reads a text again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from mtassay import __version__
from mtassay.data.nouns import RunContext
from mtassay.nlp.annotation import Annotation, Annotator, Token, TokenSpan
from mtassay.nlp.encoder import Encoder, Vectors

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
    """An annotator whose batches are read by workers, each distinct text once; `step` tells how far.

    What was read in earlier runs is recalled. A text that the annotator chokes on has an `error`, and is not
    kept.
    """

    def __init__(self, annotator: Annotator, context: RunContext, *, step: str = "") -> None:
        self.name, self.language, self.gives = annotator.name, annotator.language, annotator.gives
        self.origin = annotator.origin
        self._annotator, self._tools, self._step = annotator, context, step

    @property
    def signature(self) -> str:
        """That of the annotator."""
        return self._annotator.signature

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """One annotation per text, in order."""
        signature = self.signature
        keys = {text: f"annotation|{__version__}|marks|{signature}|{_digest(text)}" for text in texts}
        read: dict[str, Annotation] = {}
        for text, key in keys.items():
            if kept := self._tools.recall(key):
                read[text] = _unpack(text, kept)
        self._tell(len(read), len(keys))
        waiting = [text for text in keys if text not in read]
        for part in self._tools.map(self._annotator.annotate, batches(waiting, ANNOTATED)):
            for annotation in part:
                read[annotation.text] = annotation
                if annotation.error is None:
                    self._tools.remember(keys[annotation.text], _pack(annotation))
            self._tell(len(read), len(keys))
        return [read[text] for text in texts]

    def _tell(self, done: int, total: int) -> None:
        if self._step:
            self._tools.progress(self._step, done, total)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _pack(annotation: Annotation) -> bytes:
    content = [annotation.tokens, annotation.entities, annotation.constituents]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _unpack(text: str, kept: bytes) -> Annotation:
    tokens, entities, constituents = json.loads(kept.decode("utf-8", "surrogatepass"))
    return Annotation(
        text,
        tuple(Token(*token) for token in tokens),
        tuple(TokenSpan(*span) for span in entities),
        None if constituents is None else tuple(TokenSpan(*span) for span in constituents),
    )


class SpreadEncoder:
    """An encoder whose batches are computed by workers, each distinct text once."""

    def __init__(self, encoder: Encoder, context: RunContext) -> None:
        self._encoder, self._tools = encoder, context

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order."""
        distinct = sorted(set(texts))  # neighbours in the alphabet share most of the work
        if not distinct:
            return self._encoder([])
        rows = np.concatenate(list(self._tools.map(self._encoder, batches(distinct, ENCODED))))
        place = {text: number for number, text in enumerate(distinct)}
        vectors: Vectors = rows[[place[text] for text in texts]]
        return vectors
