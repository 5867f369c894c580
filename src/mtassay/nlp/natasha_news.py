"""Natasha: parts of speech, lemmas, dependencies and entities of Russian, trained on news."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.language_packs import load_package
from mtassay.nlp.annotation import Advice, Annotation, Annotator, Layer, Token, TokenSpan, without_loops
from mtassay.nlp.annotators import read_each


def models(language: str) -> list[str]:
    """The one set of models, which the package carries, for Russian."""
    return [""] if language == "ru" and find_spec("natasha") else []


def open_model(language: str, model: str) -> NatashaAnnotator:
    """The models in the package; there are no others, so `model` is empty."""
    if language != "ru" or model:
        raise UsageError("Annotator 'natasha' reads 'ru', with the models in its package.")
    natasha = load_package("natasha", what="annotator 'natasha'", package="natasha", extra="natasha")
    embedding = natasha.NewsEmbedding()
    return NatashaAnnotator(
        _Parts(
            natasha.Doc,
            natasha.Segmenter(),
            natasha.MorphVocab(),
            natasha.NewsMorphTagger(embedding),
            natasha.NewsSyntaxParser(embedding),
            natasha.NewsNERTagger(embedding),
        )
    )


def advice(language: str, needs: frozenset[Layer]) -> Advice | None:
    """The package, which has the models in it."""
    if language != "ru" or not needs <= NatashaAnnotator.gives:
        return None
    return Advice("pip install 'mtassay[natasha]'", is_small=True)


@dataclass(frozen=True, slots=True)
class _Parts:
    document: Any
    segmenter: Any
    vocabulary: Any
    morphology: Any
    syntax: Any
    names: Any


class NatashaAnnotator(Annotator):
    """The loaded models."""

    name = "natasha"
    language = "ru"
    gives: frozenset[Layer] = frozenset(("tokens", "lemma", "pos", "features", "dependencies", "entities"))

    def __init__(self, parts: _Parts) -> None:
        self._parts = parts

    @property
    def signature(self) -> str:
        return f"natasha-{version('natasha')}|slovnet-{version('slovnet')}|razdel-{version('razdel')}"

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return read_each(texts, self._read)

    def _read(self, texts: list[str]) -> Iterable[Annotation]:
        return map(self._annotation, texts)

    def _annotation(self, text: str) -> Annotation:
        document = self._parts.document(text)
        document.segment(self._parts.segmenter)
        document.tag_morph(self._parts.morphology)
        document.parse_syntax(self._parts.syntax)
        document.tag_ner(self._parts.names)
        for token in document.tokens:
            token.lemmatize(self._parts.vocabulary)
        place = {token.id: index for index, token in enumerate(document.tokens)}
        heads = without_loops([place.get(token.head_id, -1) for token in document.tokens])
        starts = {token.start: index for index, token in enumerate(document.tokens)}
        ends = {token.stop: index + 1 for index, token in enumerate(document.tokens)}
        return Annotation(
            text,
            tuple(map(_token, document.tokens, heads)),
            tuple(
                TokenSpan(starts[span.start], ends[span.stop], span.type)
                for span in document.spans
                if span.start in starts and span.stop in ends
            ),
        )


def _token(token: Any, head: int) -> Token:
    return Token(
        text=token.text,
        start=token.start,
        end=token.stop,
        lemma=token.lemma or "",
        pos=token.pos or "",
        tag=token.pos or "",
        features=dict(token.feats or {}),
        head=head,
        relation="root" if head < 0 else token.rel or "",
    )
