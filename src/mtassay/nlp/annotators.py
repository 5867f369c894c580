"""Opens the best installed annotator for a language, or advises what to install."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from mtassay import __version__
from mtassay.data.errors import MtassayError, PluginError, UsageError
from mtassay.data.languages import parse_language
from mtassay.data.nouns import RunContext
from mtassay.data.registry import each, find, names
from mtassay.data.words import PlainText, plain_marks, plain_text
from mtassay.nlp.annotation import LAYERS, Annotation, Annotator, Layer, Token, TokenSpan
from mtassay.nlp.encoder import Encoder, Vectors

Read = Callable[[list[str]], Iterable[Annotation]]


def read_each(texts: Sequence[str], read: Read, *, batch: int = 256) -> list[Annotation]:
    """Return one annotation per text, in order. `read` gets batches and returns an annotation per text.

    Equal texts are read once, and blank texts are not read. `read` gets texts with `plain_marks`; the
    returned tokens have the text and places of the original. If a batch fails, its texts are read one by one,
    and texts that still fail have the reason in `error`.

    >>> def read(texts):
    ...     return [Annotation(text) for text in texts if 1 / len(text.strip("!"))]
    >>> [annotation.error for annotation in read_each(["a", "!", "b", ""], read)]
    [None, 'ZeroDivisionError: division by zero', None, None]
    """
    annotations: dict[str, Annotation] = {}
    unread = []
    for text in dict.fromkeys(texts):
        if not plain_marks(text).strip():
            annotations[text] = Annotation(text)
        elif any("\ud800" <= character <= "\udfff" for character in text):
            annotations[text] = Annotation(text, error="the text is not valid Unicode")
        else:
            unread.append(text)
    for start in range(0, len(unread), batch):
        part = unread[start : start + batch]
        plain = [plain_text(text) for text in part]
        found = _read_batch([text for text, _ in plain], read)
        rows = zip(part, plain, found, strict=True)
        annotations.update((text, _as_written(text, places, own)) for text, places, own in rows)
    return [annotations[text] for text in texts]


def _as_written(text: str, plain: PlainText, annotation: Annotation) -> Annotation:
    """Turn the annotation of a plain text into an annotation of the original text."""
    if plain.text == text:
        return annotation
    tokens = []
    for token in annotation.tokens:
        start, end = plain.original(token.start, token.end)
        tokens.append(token._replace(text=text[start:end], start=start, end=end))
    return replace(annotation, text=text, tokens=tuple(tokens))


def _read_batch(texts: list[str], read: Read) -> list[Annotation]:
    try:
        annotations = list(read(texts))
        if len(annotations) != len(texts):
            raise ValueError(f"{len(annotations)} annotations for {len(texts)} texts")
        return annotations
    except MtassayError:
        raise
    except Exception as error:  # a model may fail in any way; the other texts must still be read
        if len(texts) > 1:
            return [annotation for text in texts for annotation in _read_batch([text], read)]
        return [Annotation(texts[0], error=_one_line(error))]


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300].removesuffix(": ")


class Backend(Protocol):
    """The interface of a module that is registered as an annotator.

    It may have two more functions: `advice(language, needs)` returns the command that installs a model with
    these layers, or `None`. `promised(model)` returns the layers in the model's metadata.
    """

    def models(self, language: str) -> list[str]:
        """The installed models for a language, best first; `[]` without the package."""

    def open_model(self, language: str, model: str) -> Annotator:
        """Open the annotator with this model, which may also be a path that `models` does not list."""


def annotator_names() -> list[str]:
    """All backends (ours and those of other packages), best first."""
    return names("annotator")


def open_annotator(language: str, *, needs: Sequence[Layer] = ("pos",), name: str | None = None) -> Annotator:
    """Open the best installed annotator for a language that gives all layers in `needs`.

    `name` selects a backend (`stanza`), or one of its models by name or path (`spacy:en_core_web_md`,
    `stanza:models/stanza`). If nothing fits, `UsageError` says what to install.

    >>> open_annotator("pt", name="x")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No annotator 'x'. Available: spacy, stanza.
    """
    code = parse_language(language).code
    layers = frozenset(needs)
    if not layers <= LAYERS:
        unknown = sorted(layers - LAYERS)[0]
        raise UsageError(f"No layer '{unknown}'. Available: {', '.join(sorted(LAYERS))}.")
    backend, _, model = (name or "").partition(":")
    if model:
        annotator = reopen_annotator(backend, code, model)
        _check(annotator, layers)
        return annotator
    broken: list[str] = []
    for annotator in _candidates(code, [backend] if backend else annotator_names(), broken):
        if layers <= annotator.gives:
            return annotator
    raise UsageError(
        f"No annotator on this machine gives {', '.join(sorted(layers))} for {parse_language(code).name}"
        f"{f' through {backend}' if backend else ''}. {advice(code, layers, backend=backend or None)}"
        f"{''.join(f' ({reason})' for reason in broken)}"
    )


def check_annotator(language: str, needs: Sequence[Layer]) -> None:
    """Raise the error that `open_annotator` would raise, without loading models that list their layers."""
    code = parse_language(language).code
    for name in annotator_names():
        with suppress(PluginError):
            promised = getattr(backend := _backend(name), "promised", None)
            if promised and any(promised(model).issuperset(needs) for model in backend.models(code)):
                return
    open_annotator(language, needs=needs)


def advice(language: str, needs: frozenset[Layer], *, backend: str | None = None) -> str:
    """Return the commands that install an annotator for a language (a normal code) with these layers.

    If a package is already installed, only its model is named.

    >>> print(advice("de", frozenset(["dependencies"])))  # doctest: +ELLIPSIS
    Install one: ...python -m spacy download de_core_news_md
    """
    for one in [_backend(backend)] if backend else each("annotator"):
        advise = getattr(one, "advice", None)
        if way := advise(language, needs) if advise else None:
            return f"Install one: {way}"
    return "Choose another annotator, or none."


def _candidates(code: str, backends: Sequence[str], broken: list[str]) -> Iterator[Annotator]:
    """Yield annotators, loaded one by one; reasons for failures are added to `broken`."""
    for name in backends:
        try:
            backend = _backend(name)
        except PluginError as error:
            broken.append(str(error))
            continue
        for model in backend.models(code):
            try:
                yield reopen_annotator(name, code, model)
            except UsageError as error:
                broken.append(str(error))


def reopen_annotator(backend: str, code: str, model: str) -> Annotator:
    """Open a backend's annotator with this model; a process loads it once, unless its file changes."""
    path = Path(model)
    changed = path.stat().st_mtime_ns if model and path.exists() else 0
    module: Any = _backend(backend)
    return _open_model(backend, module, code, model, changed)


@lru_cache(maxsize=8)
def _open_model(name: str, backend: Backend, code: str, model: str, changed: int) -> Annotator:
    annotator = backend.open_model(code, model)
    with suppress(AttributeError):  # an unchangeable annotator of another package is pickled as it is
        annotator.origin = (name, code, model)
    return annotator


def _check(annotator: Annotator, wanted: frozenset[Layer]) -> None:
    missing = sorted(wanted - annotator.gives)
    if missing:
        raise UsageError(
            f"{annotator.signature} does not give {', '.join(missing)}; it gives"
            f" {', '.join(sorted(annotator.gives))}."
        )


def _backend(name: str) -> Backend:
    backend: Backend = find("annotator", name)
    return backend


ANNOTATED = 256
"""Number of texts to annotate in one batch."""
ENCODED = 2048
"""Number of texts to encode in one batch."""

Item = TypeVar("Item")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Split the items into groups of this size, in order.

    >>> list(batches("abcde", 2))
    ['ab', 'cd', 'e']
    """
    return (items[start : start + size] for start in range(0, len(items), size))


class SpreadAnnotator(Annotator):
    """An annotator whose workers read batches, each distinct text once; `step` names the progress.

    Results of earlier runs are reused. If the annotator fails on a text, it has an `error` and is not stored.
    """

    def __init__(self, annotator: Annotator, context: RunContext, *, step: str = "") -> None:
        self.name, self.language, self.gives = annotator.name, annotator.language, annotator.gives
        self.origin = annotator.origin
        self._annotator, self._tools, self._step = annotator, context, step

    @property
    def signature(self) -> str:
        return self._annotator.signature

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
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
    """An encoder whose workers compute batches, each distinct text once."""

    def __init__(self, encoder: Encoder, context: RunContext) -> None:
        self._encoder, self._tools = encoder, context

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in order."""
        distinct = sorted(set(texts))  # texts next to each other in alphabetical order share most of the work
        if not distinct:
            return self._encoder([])
        rows = np.concatenate(list(self._tools.map(self._encoder, batches(distinct, ENCODED))))
        place = {text: number for number, text in enumerate(distinct)}
        vectors: Vectors = rows[[place[text] for text in texts]]
        return vectors
