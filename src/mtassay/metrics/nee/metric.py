"""NEE as a metric: which names, dates and amounts of the references survive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay import __version__
from mtassay.core import Finding, Segment, Statistics
from mtassay.errors import UsageError
from mtassay.formats.entities import Entity
from mtassay.languages import parse_language
from mtassay.metrics.base import Floats, Metric
from mtassay.metrics.nee.glossary import NameGlossary, fingerprint, read_glossary
from mtassay.metrics.nee.matching import Haystack, Name, Near, Unit, collect_units
from mtassay.texts.normalisation import Normaliser
from mtassay.tools.annotate.spacy_pipeline import SpacyAnnotator, load_pipeline


def annotate(segments: Sequence[Segment], model: str, *, reference: int = 0) -> list[Segment]:
    """The segments, in order, with entities that a spaCy pipeline found in one of their references.

    `model` is the name of an installed pipeline or the path of one. Segments that have annotation
    keep it, and segments without that reference stay as they are. `tags["entities_origin"]` says
    which model it was: scores on such entities are not comparable with scores on gold ones.
    """
    recogniser = load_recogniser(model)
    texts = [None if "entities" in segment.tags else _reference(segment, reference) for segment in segments]
    entities = recogniser.entities([text for text in texts if text is not None])
    return [
        segment
        if text is None
        else segment._replace(tags={**segment.tags, **_tags(entities[text], reference, recogniser)})
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


UnitName = Literal["segment", "paragraph", "document"]
Match = Literal["exact", "partial", "similar"]


@dataclass(frozen=True, kw_only=True)
class NEE(Metric):
    """The share of the reference's unique names that the output has, in per cent (Papineni et al. 2002).

    Entities come from `Segment.tags["entities"]`, or from the spaCy pipeline `model` for segments that
    have none there. A segment without either counts no names, but its output still belongs to its unit.

    >>> from mtassay.formats.entities import Entity
    >>> entities = (Entity("Zoë", "PER", 0, 3), Entity("Oslo", "LOC", 14, 18))
    >>> segment = Segment("1", None, ("Zoë came from Oslo",), None, {"entities": entities})
    >>> [statistics] = NEE().measure([segment], {"engine": ["ZOE left Rome"]})
    >>> float(NEE().aggregate(statistics.values.sum(axis=0)))
    50.0
    """

    name: ClassVar[str] = "nee"
    # Annotation and documents decide, too, and may change while all texts stay the same.
    cacheable: ClassVar[bool] = False

    unit: UnitName = "document"
    match: Match = "exact"
    diacritics: bool = True
    case: bool = True
    numbers: bool = True
    possessives: bool = True
    names: bool = True
    dates: bool = True
    language: str = ""
    glossary: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        for what, value, choices in (("unit", self.unit, UnitName), ("match", self.match, Match)):
            if value not in get_args(choices):
                raise UsageError(f"No {what} {value!r} in nee. Available: {', '.join(get_args(choices))}.")
        if self.language:
            parse_language(self.language)

    @property
    def label(self) -> str:
        return "NEE"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        """`entities` says whether people annotated ("gold") or which model did; one reference counts."""
        origins = {
            str(segment.tags.get("entities_origin", "gold"))
            for segment in self._annotated(segments)
            if "entities" in segment.tags
        }
        switches = {
            switch: "yes" if getattr(self, switch) else "no"
            for switch in ("diacritics", "case", "numbers", "possessives", "names", "dates")
        }
        parts: dict[str, object] = {
            "nrefs": 1,
            **(extra or {}),
            "entities": "+".join(sorted(origins)) or "none",
        }
        parts |= {"unit": self.unit, "match": self.match, **switches}
        if self.language:
            parts["language"] = self._normaliser.language
        if self.glossary is not None:
            parts["glossary"] = fingerprint(self.glossary)
        return "|".join(
            f"{key}:{value}" for key, value in [*parts.items(), ("version", f"mtassay-{__version__}")]
        )

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """One row per unit, in order of their first segments: `matched`, `entities`, and both per type.

        Entities are unique within their unit. `matched` adds 1 for a name found, and under `partial` and
        `similar` the best F1 or similarity of a name that was not. A name annotated with two types counts
        once in the whole and once in each type.
        """
        units = self._units(segments)
        types = sorted({kind for unit in units for name in unit.names.values() for kind in name.types})
        columns = ["matched", "entities"]
        columns += [f"{what}:{kind}" for kind in types for what in ("matched", "entities")]
        place = {kind: 2 + 2 * index for index, kind in enumerate(types)}
        measured = []
        for system, texts in outputs.items():
            values = np.zeros((len(units), len(columns)))
            for row, unit in enumerate(units):
                for name, credit in self._credits(unit, texts):
                    for column in (0, *(place[kind] for kind in name.types)):
                        values[row, column : column + 2] += credit, 1
            measured.append(Statistics(self.name, system, [unit.id for unit in units], columns, values))
        return measured

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """Per cent of the entities matched; nan where there is no entity, also for a unit without any."""
        matched, entities = (np.asarray(sums[..., column], dtype=np.float64) for column in (0, 1))
        empty = entities == 0
        return np.where(empty, np.nan, 100 * matched / np.where(empty, 1, entities))

    def groups(self, columns: Sequence[str]) -> dict[str, list[int]]:
        """The entity types, each with its two columns."""
        return {
            column.removeprefix("matched:"): [index, index + 1]
            for index, column in enumerate(columns)
            if column.startswith("matched:")
        }

    def size(self, sums: NDArray[Any], units: int) -> int:
        """The number of entities."""
        return int(sums[..., 1].sum())

    def findings(self, segments: Sequence[Segment], system: str, outputs: Sequence[str]) -> Iterable[Finding]:
        """One finding per unit in which a name was not found exactly, with what stands there instead.

        `case_id` is the unit's id, `value` the share matched, 0 to 1. `near` in the evidence is the most
        similar place in the output, `None` where nothing is even half similar.
        """
        for unit in self._units(segments):
            if not unit.names:
                continue
            haystack = self._haystack(unit, outputs)
            missed = [name for name in unit.names.values() if not haystack.holds(name.forms.values())]
            if missed:
                texts = [outputs[row] for row in unit.rows]
                matched = sum(self._credit(name, haystack) for name in unit.names.values())
                evidence = {
                    "unit": self.unit,
                    "entities": len(unit.names),
                    "matched": matched,
                    "missed": [self._miss(name, haystack, texts) for name in missed],
                }
                yield Finding(unit.id, system, self.name, "fail", matched / len(unit.names), evidence)

    def _miss(self, name: Name, haystack: Haystack, texts: Sequence[str]) -> dict[str, Any]:
        near = _nearest(name, haystack)
        return {
            "text": name.text,
            "type": "+".join(sorted(name.types)),
            "segment": name.segment_id,
            "credit": self._credit(name, haystack),
            "near": self._written(near, texts) if near else None,
            "similarity": near.similarity if near else None,
        }

    def _written(self, near: Near, texts: Sequence[str]) -> str:
        text = texts[near.sentence]
        tokens = self._normaliser.tokens(text)[near.start : near.start + near.width]
        return text[tokens[0].start : tokens[-1].end]

    def _credits(self, unit: Unit, texts: Sequence[str]) -> Iterable[tuple[Name, float]]:
        """The names of a unit with what each earns; a unit without names costs nothing."""
        if not unit.names:
            return []
        haystack = self._haystack(unit, texts)
        return [(name, self._credit(name, haystack)) for name in unit.names.values()]

    def _credit(self, name: Name, haystack: Haystack) -> float:
        forms = name.forms.values()
        if haystack.holds(forms):
            return 1.0
        if self.match == "partial":
            return max(map(haystack.overlap, forms))
        if self.match == "similar":
            near = _nearest(name, haystack)
            return near.similarity if near else 0.0
        return 0.0

    def _haystack(self, unit: Unit, texts: Sequence[str]) -> Haystack:
        return Haystack([texts[row] for row in unit.rows], self._normaliser)

    def _annotated(self, segments: Sequence[Segment]) -> Sequence[Segment]:
        annotated = sum("entities" in segment.tags for segment in segments)
        model = self.model
        if model is None and annotated == 0:
            model = installed_pipeline(self.language)
        return segments if model is None or annotated == len(segments) else annotate(segments, model)

    def _units(self, segments: Sequence[Segment]) -> list[Unit]:
        annotated = self._annotated(segments)
        if annotated and not any("entities" in segment.tags for segment in annotated):
            raise UsageError(
                "nee needs annotated entities: give --entities FILE, or have a spaCy pipeline find them:"
                f" none is installed for the target language{f' {self.language!r}' if self.language else ''};"
                " see docs/metrics/nee.md, or name one with nee:model=NAME."
            )
        rows = (
            [] if self.glossary is None else read_glossary(self.glossary, language=self._normaliser.language)
        )
        glossary = NameGlossary(rows, self._normaliser)
        return collect_units(annotated, unit=self.unit, normaliser=self._normaliser, glossary=glossary)

    @cached_property
    def _normaliser(self) -> Normaliser:
        return Normaliser(
            diacritics=self.diacritics,
            case=self.case,
            numbers=self.numbers,
            possessives=self.possessives,
            names=self.names,
            dates=self.dates,
            language=parse_language(self.language).tag if self.language else "",
        )


def _nearest(name: Name, haystack: Haystack) -> Near | None:
    candidates = [near for form in name.forms.values() if (near := haystack.nearest(form)) is not None]
    return max(candidates, key=lambda near: near.similarity) if candidates else None
