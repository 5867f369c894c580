"""The metric: how many of the names in the reference the output has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mtassay import __version__
from mtassay.core import Finding, Segment, Statistics
from mtassay.errors import UsageError
from mtassay.languages import parse_language
from mtassay.metrics.base import Floats, Metric
from mtassay.metrics.nee.automatic import annotate, installed_pipeline
from mtassay.metrics.nee.glossary import Glossary, fingerprint, read_glossary
from mtassay.metrics.nee.matching import Haystack, Near
from mtassay.metrics.nee.names import Name, Unit, collect_units
from mtassay.metrics.nee.text import Normaliser

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
            for switch in ("diacritics", "case", "numbers", "possessives")
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
        glossary = Glossary(rows, self._normaliser)
        return collect_units(annotated, unit=self.unit, normaliser=self._normaliser, glossary=glossary)

    @cached_property
    def _normaliser(self) -> Normaliser:
        return Normaliser(
            diacritics=self.diacritics,
            case=self.case,
            numbers=self.numbers,
            possessives=self.possessives,
            language=parse_language(self.language).tag if self.language else "",
        )


def _nearest(name: Name, haystack: Haystack) -> Near | None:
    found = [near for form in name.forms.values() if (near := haystack.nearest(form)) is not None]
    return max(found, key=lambda near: near.similarity) if found else None
