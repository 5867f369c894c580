"""Annotates many texts, each one once: what was read before comes from the workspace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from mtassay.core import Tools
from mtassay.tools.annotate import Annotation, Annotator, Span, Token

__all__ = ["read_texts"]

_AT_ONCE = 256


def read_texts(
    texts: Iterable[str], annotator: Annotator, tools: Tools, *, step: str
) -> dict[str, Annotation]:
    """The annotation of each text; one that the annotator chokes on has an `error`, and is not kept."""
    distinct = list(dict.fromkeys(texts))
    found: dict[str, Annotation] = {}
    for text in distinct:
        if kept := tools.recall(_key(annotator, text)):
            found[text] = _unpack(text, kept)
    waiting = [text for text in distinct if text not in found]
    for start in range(0, len(waiting), _AT_ONCE):
        tools.progress(step, len(found), len(distinct))
        part = waiting[start : start + _AT_ONCE]
        for text, annotation in zip(part, annotator.annotate(part), strict=True):
            found[text] = annotation
            if annotation.error is None:
                tools.remember(_key(annotator, text), _pack(annotation))
    return found


def _key(annotator: Annotator, text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"annotation|{annotator.signature}|{digest}"


def _pack(annotation: Annotation) -> bytes:
    content = [annotation.tokens, annotation.entities, annotation.constituents]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _unpack(text: str, kept: bytes) -> Annotation:
    tokens, entities, constituents = json.loads(kept.decode("utf-8", "surrogatepass"))
    return Annotation(
        text,
        tuple(Token(*token) for token in tokens),
        tuple(Span(*span) for span in entities),
        None if constituents is None else tuple(Span(*span) for span in constituents),
    )
