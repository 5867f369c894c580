"""Which names each unit must hold: unique entities per unit, with the forms that count as found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mtassay.core import Segment
from mtassay.errors import InputError
from mtassay.formats.entities import Entity
from mtassay.metrics.nee.glossary import Glossary
from mtassay.metrics.nee.text import Normaliser, Token


@dataclass(frozen=True)
class Form:
    """One acceptable spelling, as normalised tokens.

    `anchors` are the tokens that can identify the name: in "Bank of Peru" not "of".
    """

    tokens: tuple[str, ...]
    anchors: frozenset[str]

    @cached_property
    def needle(self) -> str:
        """What to search in tokens joined by spaces."""
        return f" {' '.join(self.tokens)} "


@dataclass
class Name:
    """A unique entity of a unit. `text` is how the reference first writes it."""

    text: str
    segment_id: str
    types: set[str] = field(default_factory=set)
    forms: dict[tuple[str, ...], Form] = field(default_factory=dict)

    def accept(self, forms: Iterable[Form]) -> None:
        """Count these spellings as the name, too."""
        for form in forms:
            self.forms.setdefault(form.tokens, form)


@dataclass
class Unit:
    """What is compared as a whole: the segments at `rows`, and the names of their references."""

    id: str
    rows: list[int] = field(default_factory=list)
    names: dict[tuple[str, ...], Name] = field(default_factory=dict)


def collect_units(
    segments: Sequence[Segment], *, unit: str, normaliser: Normaliser, glossary: Glossary
) -> list[Unit]:
    """The units in order of their first segment, each with its unique names in order of appearance."""
    units: dict[tuple[str, ...], Unit] = {}
    taken: set[str] = set()
    for row, segment in enumerate(segments):
        key = _unit_key(segment, unit)
        if key not in units:
            units[key] = Unit(_distinct("/".join(key[1:]), taken))
            taken.add(units[key].id)
        units[key].rows.append(row)
        _add_names(units[key], segment, normaliser)
    for own in units.values():
        for name in own.names.values():
            variants = [text for tokens in [*name.forms] for text in glossary.variants(tokens)]
            for text in variants:
                name.accept(forms_of(normaliser.tokens(text), text))
    return list(units.values())


def _unit_key(segment: Segment, unit: str) -> tuple[str, ...]:
    paragraph = segment.tags.get("paragraph")
    if unit == "document" and segment.document is not None:
        return ("document", segment.document)
    if unit == "paragraph" and paragraph is not None:
        return ("paragraph", *([] if segment.document is None else [segment.document]), str(paragraph))
    return ("segment", segment.id)


def _distinct(name: str, taken: set[str]) -> str:
    """A segment may have the name of a document."""
    number = 2
    distinct = name
    while distinct in taken:
        distinct, number = f"{name} ({number})", number + 1
    return distinct


def _add_names(unit: Unit, segment: Segment, normaliser: Normaliser) -> None:
    """Add the names of a segment, where somebody annotated it.

    A name is accepted as it stands alone and as it stands in its sentence. The two differ where
    annotation cuts a token ("Putin" of "Putins", "twenty" of "twenty-three"); with both, the annotated
    reference itself always holds all of its names.
    """
    index = int(segment.tags.get("entities_reference", 0))
    reference = segment.references[index] if index < len(segment.references) else None
    entities = [_as_entity(entity) for entity in segment.tags.get("entities", ())]
    tokens = normaliser.tokens(reference) if entities and reference else []
    for entity in entities:
        if reference is None or reference[entity.start : entity.end] != entity.text:
            raise InputError(
                f"segment {segment.id!r}: reference {index} (counted from 0) does not have"
                f" {entity.text!r} at characters {entity.start}–{entity.end}"
            )
        covering = [token for token in tokens if token.start < entity.end and token.end > entity.start]
        if covering:
            alone = normaliser.tokens(entity.text)
            key = tuple(token.text for token in alone or covering)
            name = unit.names.setdefault(key, Name(entity.text, segment.id))
            name.types.add(entity.type)
            name.accept(forms_of(alone, entity.text))
            name.accept(forms_of(covering, reference))


def _as_entity(entity: Any) -> Entity:
    """Stored runs hold entities as plain lists or objects."""
    return Entity(**entity) if isinstance(entity, Mapping) else Entity(*entity)


def forms_of(tokens: Sequence[Token], text: str) -> list[Form]:
    """The plain form, and the one with marked letters spelled out; none for no tokens."""
    if not tokens:
        return []
    written = [text[token.start : token.end] for token in tokens]
    capital = [any(map(_identifies, word)) for word in written]
    anchoring = capital if any(capital) else [any(map(str.isalnum, word)) for word in written]
    forms = []
    for spelling in ([token.text for token in tokens], [token.spelled_out for token in tokens]):
        anchors = {word for word, anchors in zip(spelling, anchoring, strict=True) if anchors}
        forms.append(Form(tuple(spelling), frozenset(anchors or spelling)))
    return forms


def _identifies(character: str) -> bool:
    return character.isupper() or character.isdecimal()
