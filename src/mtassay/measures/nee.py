"""The metric NEE: which names, dates and amounts of the references the outputs keep."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay import __version__
from mtassay.data.errors import UsageError
from mtassay.data.formats.entity_markup import Entity
from mtassay.data.language_packs import fingerprint as fingerprint_of
from mtassay.data.language_packs import pack_file
from mtassay.data.languages import parse_language
from mtassay.data.nouns import Finding, RunContext, Segment, Statistics
from mtassay.measures.metric import Floats, Metric
from mtassay.measures.name_matches import (
    Haystack,
    Name,
    NameGlossary,
    NameUnit,
    Near,
    collect_units,
    fingerprint,
    read_glossary,
)
from mtassay.nlp.annotation import Annotation, Annotator
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.normalisation import Normaliser
from mtassay.nlp.spacy_pipeline import SpacyAnnotator, load_pipeline


def annotate(segments: Sequence[Segment], model: str, *, reference: int = 0) -> list[Segment]:
    """Add entities to segments, found by a spaCy pipeline in one of their references.

    `model` is the name or path of an installed pipeline. Segments that already have entities keep them, and
    segments without this reference are unchanged. `tags["entities_origin"]` names the model, since scores on
    its entities are not comparable with scores on gold entities.
    """
    return _annotate(segments, load_recogniser(model), None, reference=reference)


def _annotate(
    segments: Sequence[Segment], recogniser: Recogniser, context: RunContext | None, *, reference: int = 0
) -> list[Segment]:
    texts = [None if "entities" in segment.tags else _reference(segment, reference) for segment in segments]
    entities = recogniser.entities([text for text in texts if text is not None], context)
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


_AT_ONCE = 256


class Recogniser:
    """An annotator that reads every distinct text once, only for entities.

    The annotator is opened only for texts that no earlier run has read. `open_it` returns it, and `key` names
    everything that the choice depends on.
    """

    def __init__(self, open_it: Callable[[], Annotator], key: Callable[[], str]) -> None:
        self._open, self._own_key = open_it, key
        self._known: dict[str, tuple[Entity, ...]] = {}
        self._signature = self.origin = ""

    @cached_property
    def _annotator(self) -> Annotator:
        annotator = self._open().for_entities()
        self._signature = annotator.signature
        self.origin = f"auto({getattr(annotator, 'model', None) or annotator.signature.replace('|', ' ')})"
        return annotator

    def entities(
        self, texts: Iterable[str], context: RunContext | None = None
    ) -> dict[str, tuple[Entity, ...]]:
        """Return the entities of each text; with `context`, results of earlier runs are reused."""
        wanted = list(dict.fromkeys(texts))
        self._identify(context)
        self._recall(wanted, context)
        if not all(text in self._known for text in wanted):
            recalled, actual = self._signature, self._annotator.signature
            if recalled != actual:  # The annotator differs from the one of earlier runs.
                self._known.clear()
                self._recall(wanted, context)
            self._read([text for text in wanted if text not in self._known], context)
        return {text: self._known[text] for text in wanted}

    def _identify(self, context: RunContext | None) -> None:
        """Find the signature that earlier runs used to cache the annotator's entities."""
        key = f"annotator|{self._own_key()}" if context is not None and not self._signature else ""
        if context is not None and key and (kept := context.recall(key)) is not None:
            self._signature, self.origin = json.loads(kept)
        elif not self._signature:
            _ = self._annotator
            if context is not None:
                context.remember(key, json.dumps([self._signature, self.origin]).encode())

    def _recall(self, texts: Sequence[str], context: RunContext | None) -> None:
        if context is None:
            return
        for text in texts:
            if text not in self._known and (kept := context.recall(self._key(text))) is not None:
                self._known[text] = tuple(Entity(*entity) for entity in json.loads(kept))

    def _read(self, texts: Sequence[str], context: RunContext | None) -> None:
        for start in range(0, len(texts), _AT_ONCE):
            if context is not None:
                context.progress("finding entities", start, len(texts))
            for annotation in self._annotator.annotate(texts[start : start + _AT_ONCE]):
                entities = _entities_in(annotation, self._annotator)
                self._known[annotation.text] = entities
                if context is not None:
                    context.remember(self._key(annotation.text), json.dumps(entities).encode())

    def _key(self, text: str) -> str:
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"entities|{self._signature}|{digest}"


def _entities_in(annotation: Annotation, annotator: Annotator) -> tuple[Entity, ...]:
    if annotation.error is not None:
        raise UsageError(f"{annotator.name} cannot read {annotation.text[:60]!r}: {annotation.error}")
    return tuple(
        Entity(annotation.covered(span), span.label, *annotation.characters(span))
        for span in annotation.entities
    )


@cache
def load_recogniser(model: str) -> Recogniser:
    """Load the pipeline with this name or path; `UsageError` says how to get it."""
    folder = Path(model) if Path(model).is_dir() else None

    def open_it() -> Annotator:
        annotator = SpacyAnnotator(load_pipeline(model), folder=folder)
        if "entities" not in annotator.gives:
            raise UsageError(
                f"spaCy pipeline {model!r} finds no entities: it has no 'ner' or 'entity_ruler'."
            )
        return annotator

    return Recogniser(open_it, lambda: f"{model}|{_installed(folder)}")


@cache
def default_recogniser(language: str) -> Recogniser:
    """Return the best installed annotator that finds entities in a language."""

    def open_it() -> Annotator:
        try:
            return open_annotator(language, needs=("entities",))
        except UsageError as error:
            raise UsageError(
                f"nee needs annotated entities: give `entities='FILE'`, or have a model find them. {error}"
            ) from None

    return Recogniser(open_it, lambda: f"{language}|{_installed(pack_file('pipelines', language))}")


def _installed(folder: Path | None) -> str:
    """A digest of the installed packages and of a folder, which determine the choice of an annotator."""
    from importlib.metadata import distributions  # loads slowly, and rarely needed

    packages = sorted(f"{package.name} {package.version}" for package in distributions())
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder else []
    content = fingerprint_of(*files) if files else ""
    return hashlib.blake2b("|".join([*packages, content]).encode(), digest_size=16).hexdigest()


UnitName = Literal["segment", "paragraph", "document"]
Match = Literal["exact", "partial", "similar"]


@dataclass(frozen=True, kw_only=True)
class NEE(Metric):
    """The percentage of the reference's unique names that the output has (Papineni et al. 2002).

    Entities come from `Segment.tags["entities"]`, or from the spaCy pipeline `model` for segments without
    this tag. If no segment has the tag, they come from the best annotator for `language`. A segment without
    entities has no names, but its output still belongs to its unit.

    >>> from mtassay.data.formats.entity_markup import Entity
    >>> entities = (Entity("Zoë", "PER", 0, 3), Entity("Oslo", "LOC", 14, 18))
    >>> segment = Segment("1", None, ("Zoë came from Oslo",), None, {"entities": entities})
    >>> [statistics] = NEE().measure([segment], {"engine": ["ZOE left Rome"]})
    >>> float(NEE().aggregate(statistics.values.sum(axis=0)))
    50.0
    """

    name: ClassVar[str] = "nee"
    finds: ClassVar[str] = "entity misses"
    # Annotation and documents also matter, and may change while all texts stay the same.
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
        """The signature; `entities` is "gold" for human annotation or a model. One reference counts."""
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
        """Return one row per unit, in order of first segments: `matched`, `entities`, and both by type.

        Entities are unique within their unit. A name that is found adds 1 to `matched`; with `partial` or
        `similar`, a missing name adds its best F1 or similarity. A name with two types counts once in the
        whole and once in each type.
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
        """The percentage of matched entities; nan without entities, also for a single unit."""
        matched, entities = (np.asarray(sums[..., column], dtype=np.float64) for column in (0, 1))
        empty = entities == 0
        return np.where(empty, np.nan, 100 * matched / np.where(empty, 1, entities))

    def groups(self, columns: Sequence[str]) -> dict[str, list[int]]:
        return {
            column.removeprefix("matched:"): [index, index + 1]
            for index, column in enumerate(columns)
            if column.startswith("matched:")
        }

    def size(self, sums: NDArray[Any], units: int) -> int:
        return int(sums[..., 1].sum())

    def findings(self, segments: Sequence[Segment], system: str, outputs: Sequence[str]) -> Iterable[Finding]:
        """Return a finding for each unit with a name that was not found exactly, with the most similar text.

        `case_id` is the unit's id, and `value` the matched share, 0 to 1. `near` in the evidence is the most
        similar place in the output; `None` if no similarity reaches one half.
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

    def _credits(self, unit: NameUnit, texts: Sequence[str]) -> Iterable[tuple[Name, float]]:
        """The names of a unit with their credits; a unit without names takes no time."""
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

    def _haystack(self, unit: NameUnit, texts: Sequence[str]) -> Haystack:
        return Haystack([texts[row] for row in unit.rows], self._normaliser)

    def prepare(self, segments: Sequence[Segment], context: RunContext) -> Sequence[Segment]:
        """Return the segments with their entities; no reference is read twice."""
        return self._annotated(segments, context)

    def _annotated(self, segments: Sequence[Segment], context: RunContext | None = None) -> Sequence[Segment]:
        annotated = sum("entities" in segment.tags for segment in segments)
        if annotated == len(segments):
            return segments
        if self.model is not None:
            return _annotate(segments, load_recogniser(self.model), context)
        if annotated or not self.language:
            return segments
        return _annotate(segments, default_recogniser(parse_language(self.language).code), context)

    def _units(self, segments: Sequence[Segment]) -> list[NameUnit]:
        annotated = self._annotated(segments)
        if annotated and not any("entities" in segment.tags for segment in annotated):
            raise UsageError(
                "nee needs annotated entities: give `entities='FILE'`, or have a model find them: say with"
                " `langpair` which language the target is, or name a spaCy pipeline with nee:model=NAME."
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
