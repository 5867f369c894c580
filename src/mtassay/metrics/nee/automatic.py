"""Entities found by a spaCy pipeline, for references that nobody annotated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from mtassay.core import Segment
from mtassay.errors import UsageError
from mtassay.formats.entities import Entity
from mtassay.tools.annotate.spacy_pipeline import SpacyAnnotator, load_pipeline


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

    def __init__(self, annotator: SpacyAnnotator) -> None:
        self._annotator = annotator
        self._known: dict[str, tuple[Entity, ...]] = {}
        self.origin = f"auto({annotator.model})"

    def entities(self, texts: Iterable[str]) -> dict[str, tuple[Entity, ...]]:
        """The entities of each text, by position."""
        wanted = dict.fromkeys(texts)
        for annotation in self._annotator.annotate([text for text in wanted if text not in self._known]):
            if annotation.error is not None:
                raise UsageError(f"spaCy cannot read {annotation.text[:60]!r}: {annotation.error}")
            self._known[annotation.text] = tuple(
                Entity(annotation.covered(span), span.label, *annotation.characters(span))
                for span in annotation.entities
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
    annotator = SpacyAnnotator(load_pipeline(model))
    if "entities" not in annotator.gives:
        raise UsageError(f"spaCy pipeline {model!r} finds no entities: it has no 'ner' or 'entity_ruler'.")
    return Recogniser(annotator)
