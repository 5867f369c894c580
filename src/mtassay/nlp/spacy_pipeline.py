"""spaCy with official pipelines, the user's own pipelines, and pipelines of language packs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.language_packs import OUR_PACKS, fingerprint, install_line, pack_file
from mtassay.nlp.annotation import Annotation, Annotator, Layer, Token, TokenSpan
from mtassay.nlp.annotators import read_each

# Transformers come last, since they take seconds per sentence without a GPU.
_SIZES = ("lg", "md", "pack", "sm", "other", "trf")
# The languages that spaCy trains pipelines for: https://spacy.io/models
_NEWS = frozenset(
    ("ca", "da", "de", "el", "es", "fi", "fr", "hr", "it", "ja", "ko", "lt", "mk", "nb", "nl", "pl", "pt",
     "ro", "ru", "sl", "sv", "uk")
)  # fmt: skip
_WEB = frozenset(("en", "zh"))
_GIVES: Mapping[str, tuple[Layer, ...]] = {
    "parser": ("dependencies",),
    "ner": ("entities",),
    "morphologizer": ("pos", "features"),
    "attribute_ruler": ("pos", "features"),
}
_LAYERS: frozenset[Layer] = frozenset(("tokens", "lemma", "pos", "features", "dependencies", "entities"))


def models(language: str) -> list[str]:
    """The installed pipelines for a language, best first; empty without spaCy.

    Larger pipelines come first, and a pack's pipeline comes before the small official one. Transformers come
    last, because they are slow.
    """
    if find_spec("spacy") is None:
        return []
    # spaCy makes its own list from this; importing spaCy takes half a second.
    names = [e.name for e in entry_points(group="spacy_models") if e.name.startswith(f"{language}_")]
    ours = pack_file("pipelines", language)
    if ours is not None:
        names.append(str(ours))
    return sorted(names, key=lambda name: (_SIZES.index(_size(name)), name))


def _size(name: str) -> str:
    if "/" in name or "\\" in name:
        return "pack"
    return next((size for size in ("lg", "md", "sm", "trf") if f"_{size}" in name), "other")


def promised(model: str) -> frozenset[Layer]:
    """The layers that a pipeline gives according to its `meta.json`; empty without this file."""
    spec = None if "/" in model or "\\" in model else find_spec(model)
    folder = Path(model) if spec is None or spec.origin is None else Path(spec.origin).parent
    try:
        parts = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["pipeline"]
    except (OSError, ValueError, KeyError):
        return frozenset()
    return frozenset(("tokens", *(layer for part in parts for layer in _GIVES.get(part, ()))))


def open_model(language: str, model: str) -> SpacyAnnotator:
    """Open the pipeline with this name or path; `UsageError` says how to get it."""
    annotator = SpacyAnnotator(load_pipeline(model), folder=Path(model) if Path(model).is_dir() else None)
    if annotator.language != language:
        raise UsageError(f"spaCy pipeline {model!r} reads '{annotator.language}', not '{language}'.")
    return annotator


def advice(language: str, needs: frozenset[Layer]) -> str | None:
    """The command that installs the package and the medium official pipeline, or a pack with a pipeline."""
    if language not in _NEWS | _WEB or not needs <= _LAYERS:
        return None
    pipeline = f"{language}_core_{'web' if language in _WEB else 'news'}_md"
    missing = [] if find_spec("spacy") else ["pip install 'mtassay[spacy]'"]
    if language not in OUR_PACKS or "pipelines" not in OUR_PACKS[language].files:
        missing.append(f"python -m spacy download {pipeline}")
    elif pack_file("pipelines", language) is None:
        missing.append(install_line(language))
    return " && ".join(missing) or f"python -m spacy download {pipeline}"


def load_pipeline(model: str) -> Any:
    """Call `spacy.load` for this name or path, with one-line errors."""
    try:
        import spacy
    except ImportError:
        raise MissingExtraError(f"spaCy pipeline {model!r}", package="spacy", extra="spacy") from None
    try:
        return spacy.load(model)
    except OSError:
        if Path(model).exists():
            raise UsageError(
                f"{model} is no spaCy pipeline: give the folder that holds config.cfg."
            ) from None
        raise UsageError(
            f"No spaCy pipeline {model!r}. Install it: python -m spacy download {model}"
        ) from None
    except (ImportError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(f"spaCy cannot load {model!r}: {reason}") from None


class SpacyAnnotator(Annotator):
    """A loaded pipeline. `folder` is its folder if it is not an installed package."""

    name = "spacy"

    def __init__(self, pipeline: Any, *, folder: Path | None = None, left_out: Sequence[str] = ()) -> None:
        self._pipeline = pipeline
        self._folder = folder
        self._left_out = list(left_out)
        self.language = pipeline.lang
        self.gives = _layers(pipeline)
        meta = pipeline.meta
        self.model = f"{meta['lang']}_{meta['name']} {meta['version']}"

    @cached_property
    def signature(self) -> str:
        from spacy import __version__

        parts = [f"spacy-{__version__}", self.model.replace(" ", "-")]
        if self._folder is not None:
            files = sorted(path for path in self._folder.rglob("*") if path.is_file())
            parts.append(f"content:{fingerprint(*files)}")
        if self._left_out:
            parts.append(f"without:{'+'.join(self._left_out)}")
        return "|".join(parts)

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """Return one annotation per text, in order, without white space tokens."""
        return read_each(
            texts, lambda some: map(annotation, self._pipeline.pipe(some, disable=self._left_out))
        )

    def for_entities(self) -> SpacyAnnotator:
        """Annotate entities without tagger, parser and lemmatizer, unless rules need them for entities.

        Without the parser, a few entities are longer, since entities cannot cross the ends of sentences.
        """
        return SpacyAnnotator(self._pipeline, folder=self._folder, left_out=_not_for_entities(self._pipeline))


def _not_for_entities(pipeline: Any) -> list[str]:
    finders = {name for name in pipeline.pipe_names if "doc.ents" in pipeline.get_pipe_meta(name).assigns}
    if any(pipeline.get_pipe_meta(name).factory != "ner" for name in finders):
        return []
    shared = {
        name
        for name, component in pipeline.pipeline
        if finders.intersection(getattr(component, "listening_components", ()))
    }
    return [name for name in pipeline.pipe_names if name not in finders | shared]


def annotation(document: Any) -> Annotation:
    """Convert a spaCy `Doc` to an annotation of its text."""
    kept = [token for token in document if not token.is_space]
    place = {token.i: index for index, token in enumerate(kept)}
    parsed = document.has_annotation("DEP")
    tokens = tuple(_token(token, place, parsed) for token in kept)
    entities = tuple(
        TokenSpan(inside[0], inside[-1] + 1, entity.label_)
        for entity in document.ents
        if (inside := [place[token.i] for token in entity if token.i in place])
    )
    return Annotation(document.text, tokens, entities)


def _token(token: Any, place: dict[int, int], parsed: bool) -> Token:
    head = _head(token, place) if parsed else -1
    return Token(
        text=token.text,
        start=token.idx,
        end=token.idx + len(token.text),
        lemma=token.lemma_,
        pos=token.pos_,
        tag=token.tag_,
        features=token.morph.to_dict(),
        head=head,
        relation=("root" if head < 0 else token.dep_) if parsed else "",
    )


def _head(token: Any, place: dict[int, int]) -> int:
    """The nearest ancestor that is not white space; -1 without one."""
    while token.head.i != token.i:
        token = token.head
        if token.i in place:
            return place[token.i]
    return -1


def _layers(pipeline: Any) -> frozenset[Layer]:
    """The pipeline's layers; in some languages, the tokenizer already gives part of speech and lemma."""
    document = pipeline("1 2")
    layers: set[Layer] = {"tokens"}
    by_attribute: dict[str, Layer] = {
        "LEMMA": "lemma",
        "POS": "pos",
        "MORPH": "features",
        "DEP": "dependencies",
    }
    layers |= {layer for attribute, layer in by_attribute.items() if document.has_annotation(attribute)}
    if {"morphologizer", "attribute_ruler"} & set(pipeline.pipe_names):
        layers.add("features")
    assigned = {what for name in pipeline.pipe_names for what in pipeline.get_pipe_meta(name).assigns}
    if "doc.ents" in assigned:
        layers.add("entities")
    return frozenset(layers)
