"""Chooses the annotator for a language from what is installed, or says what to install.

A package adds its own backend with an entry point in the group `mtassay.annotator`: a module (or object) with
the two functions of `Backend`. Methods use this, so it stands below the registry and has its own table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from mtassay.errors import UsageError
from mtassay.languages import parse_language
from mtassay.tools.annotate.advice import advice
from mtassay.tools.annotate.nouns import LAYERS, Annotator, Layer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

# Best first, where several read a language: spaCy is trained for it, the light ones fill the gaps.
_OURS = {
    "spacy": "spacy_pipeline",
    "stanza": "stanza_pipeline",
    "natasha": "natasha_news",
    "lac": "lac",
    "udpipe": "udpipe_model",
    "hanta": "hanta",
}


class Backend(Protocol):
    """What a module must have to be a backend."""

    def models(self, language: str) -> list[str]:
        """The models for a language on this machine, best first; `[]` without its package."""

    def open_model(self, language: str, model: str) -> Annotator:
        """The annotator with this model, which may be one that `models` does not know, as a path."""


def annotator_names() -> list[str]:
    """All backends, ours and those of other packages, best first."""
    return [*_OURS, *sorted(_entry_points().names - _OURS.keys())]


def open_annotator(language: str, *, needs: Sequence[Layer] = ("pos",), name: str | None = None) -> Annotator:
    """The best installed annotator for a language that gives all layers in `needs`.

    `name` asks for one backend (`stanza`), or for one of its models, by name or path
    (`spacy:en_core_web_md`, `udpipe:models/german.udpipe`). Where nothing fits, a `UsageError` says what to
    install.

    >>> open_annotator("pt", name="spicy")
    Traceback (most recent call last):
    mtassay.errors.UsageError: No annotator 'spicy'. Available: spacy, stanza, natasha, lac, udpipe, hanta.
    """
    code = parse_language(language).code
    wanted = frozenset(needs)
    if not wanted <= LAYERS:
        unknown = sorted(wanted - LAYERS)[0]
        raise UsageError(f"No layer '{unknown}'. Available: {', '.join(sorted(LAYERS))}.")
    backend, _, model = (name or "").partition(":")
    if model:
        annotator = _backend(backend).open_model(code, model)
        _check(annotator, wanted)
        return annotator
    broken: list[str] = []
    for annotator in _candidates(code, [backend] if backend else annotator_names(), broken):
        if wanted <= annotator.gives:
            return annotator
    raise UsageError(
        f"No annotator on this machine gives {', '.join(sorted(wanted))} for {parse_language(code).name}"
        f"{f' through {backend}' if backend else ''}. {advice(code, wanted, backend=backend or None)}"
        f"{''.join(f' ({reason})' for reason in broken)}"
    )


def _candidates(code: str, backends: Sequence[str], broken: list[str]) -> Iterator[Annotator]:
    """Each is loaded only when the ones before it would not do; why one cannot be goes to `broken`."""
    for name in backends:
        backend = _backend(name)
        for model in backend.models(code):
            try:
                yield backend.open_model(code, model)
            except UsageError as error:
                broken.append(str(error))


def _check(annotator: Annotator, wanted: frozenset[Layer]) -> None:
    missing = sorted(wanted - annotator.gives)
    if missing:
        raise UsageError(
            f"{annotator.signature} does not give {', '.join(missing)}; it gives"
            f" {', '.join(sorted(annotator.gives))}."
        )


def _backend(name: str) -> Backend:
    if name in _OURS:
        return cast(Backend, import_module(f"mtassay.tools.annotate.{_OURS[name]}"))
    for point in _entry_points().select(name=name):
        return cast(Backend, point.load())
    raise UsageError(f"No annotator '{name}'. Available: {', '.join(annotator_names())}.")


def _entry_points() -> EntryPoints:
    from importlib.metadata import entry_points  # slow to load, and seldom needed

    return entry_points(group="mtassay.annotator")
