"""Stanza, with models that the user downloaded; this module never downloads anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.language_packs import load_package
from mtassay.nlp.annotation import (
    Annotation,
    Annotator,
    Layer,
    Token,
    TokenSpan,
    Word,
    parse_features,
    written_tokens,
)
from mtassay.nlp.annotators import read_each

_LAYERS: dict[str, tuple[Layer, ...]] = {
    "tokenize": ("tokens",),
    "pos": ("pos", "features"),
    "lemma": ("lemma",),
    "depparse": ("dependencies",),
    "ner": ("entities",),
    "constituency": ("constituents",),
}


def models(language: str) -> list[str]:
    """The folder of models, if Stanza is installed and the folder has the language."""
    folder = _default_folder()
    return [str(folder)] if find_spec("stanza") and (folder / _code(language)).is_dir() else []


def _default_folder() -> Path:
    """The folder where `stanza.download` stores models."""
    folder = os.environ.get("STANZA_RESOURCES_DIR")
    return Path(folder) if folder else Path.home() / "stanza_resources"


def _code(language: str) -> str:
    return {"zh": "zh-hans"}.get(language, language)


def open_model(language: str, model: str) -> StanzaAnnotator:
    """Open the models of a language in this folder, with all their layers."""
    stanza = load_package("stanza", what="annotator 'stanza'", package="stanza", extra="stanza")
    folder, code = Path(model).expanduser(), _code(language)
    if not (folder / code).is_dir():
        raise UsageError(
            f"No Stanza models for '{language}' in {folder}. Get them: "
            f"python -c \"import stanza; stanza.download('{code}', model_dir='{folder}')\""
        )
    processors = ",".join(name for name in (*_LAYERS, "mwt") if (folder / code / name).is_dir())
    try:
        pipeline = stanza.Pipeline(
            code, dir=str(folder), processors=processors, download_method=None, verbose=False
        )
    except Exception as error:  # Stanza raises many kinds of errors
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"Stanza cannot load '{language}' from {folder}: {reason}") from None
    return StanzaAnnotator(pipeline, language=language, model=code)


def advice(language: str, needs: frozenset[Layer]) -> str:
    """The command that installs the package and a language's models; layers are known only afterwards."""
    package = "" if find_spec("stanza") else "pip install 'mtassay[stanza]' && "
    return f"{package}python -c \"import stanza; stanza.download('{_code(language)}')\""


class StanzaAnnotator(Annotator):
    """A loaded pipeline."""

    name = "stanza"

    def __init__(self, pipeline: Any, *, language: str, model: str) -> None:
        self._pipeline = pipeline
        self.language = language
        self._model = model
        self.gives = frozenset(
            layer for name, layers in _LAYERS.items() if name in pipeline.processors for layer in layers
        )

    @property
    def signature(self) -> str:
        try:
            release = version("stanza")
        except PackageNotFoundError:
            release = "unknown"
        parts = sorted(
            f"{name}:{Path(str(processor.config['model_path'])).stem}"
            for name, processor in self._pipeline.processors.items()
            if "model_path" in getattr(processor, "config", {})
        )
        return "|".join([f"stanza-{release}", self._model, *parts])

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return read_each(texts, self._read, batch=64)

    def _read(self, texts: list[str]) -> Iterable[Annotation]:
        return map(annotation, texts, self._pipeline.bulk_process(texts), [self.gives] * len(texts))


def annotation(text: str, document: Any, gives: frozenset[Layer]) -> Annotation:
    """Convert a Stanza `Document` to an annotation of its text."""
    words: list[Word] = []
    for sentence in document.sentences:
        before = len(words)
        for token in sentence.tokens:
            words += [_word(word, token, before) for word in token.words]
    tokens = written_tokens(text, words)
    constituents = None
    if "constituents" in gives:
        constituents = _constituents(document, tokens)
    entities = [
        TokenSpan(*place, entity.type)
        for entity in document.ents
        if (place := _place(tokens, entity.start_char, entity.end_char))
    ]
    return Annotation(text, tokens, tuple(entities), constituents)


def _word(word: Any, token: Any, before: int) -> Word:
    head = word.head or 0  # counts from 1 in its sentence; 0 is the root, None is not parsed
    return Word(
        start=token.start_char,
        end=token.end_char,
        lemma=word.lemma or "",
        pos=word.upos or "",
        tag=word.xpos or "",
        features=parse_features(word.feats),
        head=before + head - 1 if head else -1,
        relation=word.deprel or "",
    )


def _place(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    """The tokens between two character positions."""
    inside = [index for index, token in enumerate(tokens) if token.start < end and token.end > start]
    return (inside[0], inside[-1] + 1) if inside else None


def _constituents(document: Any, tokens: Sequence[Token]) -> tuple[TokenSpan, ...]:
    """All labelled nodes above the words except for the empty root, longer before shorter."""
    spans: set[TokenSpan] = set()
    for sentence in document.sentences:
        # The leaves of the tree are syntactic words; a written word may have several.
        ends = [
            place
            for token in sentence.tokens
            for _ in token.words
            if (place := _place(tokens, token.start_char, token.end_char))
        ]
        _collect(sentence.constituency, ends, 0, spans)
    return tuple(sorted(spans, key=lambda span: (span.start, -span.end, span.label)))


def _collect(tree: Any, ends: Sequence[tuple[int, int]], first: int, spans: set[TokenSpan]) -> int:
    """Add the spans of a tree whose first leaf has this number; return the number of the next leaf."""
    if not tree.children:
        return first + 1
    last = first
    for child in tree.children:
        last = _collect(child, ends, last, spans)
    is_phrase = any(child.children for child in tree.children)
    if is_phrase and tree.label != "ROOT":
        spans.add(TokenSpan(ends[first][0], ends[last - 1][1], tree.label))
    return last
