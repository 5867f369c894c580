"""The capability to translate named entities: one is replaced by another of the same kind."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.candidates import PARTS, PHRASES
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import edited_places, original_places, span_text
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.methods.behavior.spans import keep_longest
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Entity"]

# OntoNotes 5 has 18 kinds; PER and MISC are from smaller sets.
_KINDS = {
    "PERSON": "a person's name", "NORP": "a nationality, or a religious or political group",
    "FAC": "a building, airport, road or bridge", "ORG": "an organization",
    "GPE": "a country, city or state", "LOC": "a location", "PRODUCT": "a product", "EVENT": "a named event",
    "WORK_OF_ART": "the title of a work", "LAW": "a named law or treaty", "LANGUAGE": "a language",
    "DATE": "a date", "TIME": "a time", "PERCENT": "a percentage", "MONEY": "an amount of money",
    "QUANTITY": "a measured quantity", "ORDINAL": "an ordinal number", "CARDINAL": "a number",
    "PER": "a person's name", "MISC": "a name of the same kind",
}  # fmt: skip
# Models with few kinds call these one; spaCy and LAC differ in the name.
_SAME = {"PERSON": "PER"}


class Entity(Capability):
    """Named entities of the kinds that the annotator knows."""

    name = "ner"
    needs = frozenset({"pos", "entities"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The entities; of those that overlap, the longest."""
        return keep_longest(span for span in aligned if span.label not in PARTS | PHRASES)

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Another entity of the same kind."""
        kind = _KINDS.get(span.label, f"a named entity of the kind {span.label}")
        return f'{kind} other than "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must be an entity of the kind that was there; without the original, of any kind."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            wanted = _kinds_at(original, before) if original else set()
            found = _kinds_at(edited, place)
            if not found or (wanted and not found & wanted):
                kind = " or ".join(sorted(wanted)) or "a named entity"
                return f'"{change.after}" is not {kind}'
        return None


def _kinds_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    """The kinds of the entities that stand there, wholly or in part."""
    kinds = set()
    for entity in annotation.entities:
        start, end = annotation.characters(entity)
        if start < place[1] and end > place[0]:
            kinds.add(_SAME.get(entity.label, entity.label))
    return kinds
