"""Entities found by a spaCy pipeline, for references that nobody annotated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mtassay.core import Segment
from mtassay.errors import MissingExtraError, UsageError
from mtassay.formats.entities import Entity


def annotate(segments: Sequence[Segment], model: str, *, reference: int = 0) -> list[Segment]:
    """The segments, in order, with entities that a spaCy pipeline found in one of their references.

    `model` is the name of an installed pipeline or the path of one. Segments that have annotation
    keep it, and segments without that reference stay as they are. `tags["entities_origin"]` says
    which model it was: scores on such entities are not comparable with scores on gold ones.
    """
    recogniser = load_recogniser(model)
    texts = [None if "entities" in segment.tags else _reference(segment, reference) for segment in segments]
    found = recogniser.entities([text for text in texts if text is not None])
    return [
        segment
        if text is None
        else segment._replace(tags={**segment.tags, **_tags(found[text], reference, recogniser)})
        for segment, text in zip(segments, texts, strict=True)
    ]


def _reference(segment: Segment, reference: int) -> str | None:
    return segment.references[reference] if reference < len(segment.references) else None


def _tags(entities: tuple[Entity, ...], reference: int, recogniser: Recogniser) -> dict[str, Any]:
    return {"entities": entities, "entities_reference": reference, "entities_origin": recogniser.origin}


class Recogniser:
    """A loaded pipeline that reads every distinct text once."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._known: dict[str, tuple[Entity, ...]] = {}
        meta = pipeline.meta
        self.origin = f"auto({meta['lang']}_{meta['name']} {meta['version']})"

    def entities(self, texts: Iterable[str]) -> dict[str, tuple[Entity, ...]]:
        """The entities of each text, by position."""
        wanted = dict.fromkeys(texts)
        new = [text for text in wanted if text not in self._known]
        for text, document in zip(new, self._pipeline.pipe(new), strict=True):
            self._known[text] = tuple(
                Entity(span.text, span.label_, span.start_char, span.end_char)
                for span in document.ents
                if span.text.strip()
            )
        return {text: self._known[text] for text in wanted}


def installed_pipeline(language: str) -> str | None:
    """The pipeline to take for a language where nobody named one: of those installed, the first by name.

    spaCy's own are called `LANGUAGE_…`, as `en_core_web_sm`. `None` without spaCy or without any.
    """
    try:
        from spacy.util import get_installed_models
    except ImportError:
        return None
    return min((name for name in get_installed_models() if name.startswith(f"{language}_")), default=None)


@cache
def load_recogniser(model: str) -> Recogniser:
    """The pipeline with this name or path; a `UsageError` says how to get it."""
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("automatic entity annotation", package="spacy", extra="spacy") from None
    try:
        pipeline = spacy.load(model)
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
    assigned = {what for name in pipeline.pipe_names for what in pipeline.get_pipe_meta(name).assigns}
    if "doc.ents" not in assigned:
        raise UsageError(f"spaCy pipeline {model!r} finds no entities: it has no 'ner' or 'entity_ruler'.")
    return Recogniser(pipeline)
