"""Language tools: tokens, parts of speech, dependencies, entities and phrases of a text, one form for all."""

from mtassay.tools.annotate.annotation import (
    LAYERS,
    Advice,
    Annotation,
    Annotator,
    Layer,
    Token,
    TokenSpan,
    phrase_spans,
    with_phrases,
)
from mtassay.tools.annotate.roster import annotator_names, open_annotator

__all__ = [
    "LAYERS",
    "Advice",
    "Annotation",
    "Annotator",
    "Layer",
    "Token",
    "TokenSpan",
    "annotator_names",
    "open_annotator",
    "phrase_spans",
    "with_phrases",
]
