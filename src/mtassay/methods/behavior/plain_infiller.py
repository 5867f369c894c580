"""Edits numbers and names of people in any two languages, without a parser, an aligner or a lexicon.

It edits only what is certain in both texts: a number in digits that occurs once in each text, and a name that
both texts write in the same way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit, RunContext, apply_edits
from mtassay.methods.behavior.capability import Capability
from mtassay.methods.behavior.infiller import Filled, Infiller, Masked, Rejected
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotator
from mtassay.nlp.plain_places import PlainAnnotator, Replacement, name_places, number_places

_CAPABILITIES = frozenset(("others", "ner"))


class PlainInfiller(Infiller):
    """Replaces numbers by other numbers of the same size, and names by other names."""

    name = "plain"
    is_exact = True

    def __init__(self, pair: Pair) -> None:
        self.pair = pair

    @classmethod
    def open(cls, pair: Pair, rest: str, context: RunContext) -> PlainInfiller:
        """Return an infiller for any pair."""
        return cls(pair)

    @classmethod
    def never_edits(cls, capability: type[Capability]) -> bool:
        """Only numbers and names are edited."""
        return capability.name not in _CAPABILITIES

    def reader(self, language: str) -> Annotator:
        """An annotator that knows only the spelling is enough."""
        return PlainAnnotator(language)

    @property
    def signature(self) -> str:
        """The pair, and the version of the rules."""
        return f"plain:{self.pair}:3"

    def spans(self, pair: ReadPair, *, start: bool = False, forms: bool = False) -> list[AlignedSpan]:
        """The numbers and names of a pair; they may be the first word, since no letter case changes."""
        return [
            AlignedSpan(*place[:4], label, place.number)
            for place in ([] if forms else self._places(pair))
            for label in place.labels
        ]

    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """Return one answer for each masked pair, in order; equal places and numbers get equal answers."""
        return [self._fill(one) for one in masked]

    def _places(self, pair: ReadPair) -> list[Replacement]:
        languages = self.pair.source.code, self.pair.target.code
        sides = pair.source, pair.reference
        return sorted([*number_places(languages, sides), *name_places(languages, sides)])

    def _fill(self, masked: Masked) -> Filled | Rejected:
        texts = masked.pair.source.text, masked.pair.reference.text
        by_place = {place[:2]: place for place in self._places(masked.pair)}
        edits: tuple[list[Edit], list[Edit]] = ([], [])
        kinds = []
        for span in masked.spans:
            place = by_place.get((span.start, span.end))
            if place is None or masked.number >= len(place.others):
                return Rejected(masked, "no other number or name", is_final=True)
            # The order differs between texts, so that not every edit uses the first entry of the list.
            order = sorted(place.others, key=lambda o: hashlib.sha256(f"{texts}{o}".encode()).digest())
            new = order[masked.number]
            for side, (start, end) in enumerate((place[:2], place[2:4])):
                edits[side].append(Edit(start, end, texts[side][start:end], new[side]))
            kinds.append(place.kind)
        changes, others = (tuple(sorted(side)) for side in edits)
        edited = apply_edits(texts[0], changes), apply_edits(texts[1], others)
        return Filled(masked, *edited, changes, others, {"edited": kinds})
