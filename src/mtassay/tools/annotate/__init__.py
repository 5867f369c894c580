"""Language tools: tokens, parts of speech, dependencies, entities and phrases of a text, one form for all."""

from mtassay.tools.annotate.choose import annotator_names, open_annotator
from mtassay.tools.annotate.nouns import LAYERS, Advice, Annotation, Annotator, Layer, Span, Token
from mtassay.tools.annotate.phrases import phrase_spans, with_phrases

__all__ = [
    "LAYERS",
    "Advice",
    "Annotation",
    "Annotator",
    "Layer",
    "Span",
    "Token",
    "annotator_names",
    "open_annotator",
    "phrase_spans",
    "with_phrases",
]
