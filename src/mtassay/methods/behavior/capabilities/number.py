"""The capability to translate grammatical number: one becomes many, or many become one."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.candidates import relation_of
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import (
    edited_places,
    head_token,
    heads_at,
    original_places,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Number"]

_OTHER = {"Sing": "plural", "Plur": "singular"}
# The verb agrees with these, and stands outside the span.
_SUBJECTS = frozenset(("nsubj", "nsubjpass", "csubj", "expl", "root"))
# Such words agree with the noun, or count it.
_AGREEING = frozenset(("det", "amod", "nummod", "predet", "poss"))


class Number(Capability):
    """Nouns that are no subject, with all words that agree with them inside the span."""

    name = "number"
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """For each such noun the shortest span, in order; a noun with a numeral is left out."""
        found: dict[int, AlignedSpan] = {}
        for span in aligned:
            if span.label in ("NOUN", "NP") and self._can_change(pair, span):
                known = found.get(span.head)
                if known is None or span.end - span.start < known.end - known.start:
                    found[span.head] = span
        return sorted(found.values())

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The same in the other number."""
        head = head_token(pair, span)
        number = _OTHER.get(head.features.get("Number", "") if head else "", "other number")
        return f'the {number} of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """The noun must be in another number than before; without the original, have one."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            found = _numbers_at(edited, place)
            wanted = {"Sing", "Plur"} - (_numbers_at(original, before) if original else set())
            if not found & wanted:
                return f'"{change.after}" is not in another number than "{change.before}"'
        return None

    @staticmethod
    def _can_change(pair: ReadPair, span: AlignedSpan) -> bool:
        head = head_token(pair, span)
        if head is None or head.features.get("Number") not in _OTHER or relation_of(head) in _SUBJECTS:
            return False
        below = [i for i, token in enumerate(pair.source.tokens) if token.head == span.head]
        agreeing = {i for i in below if relation_of(pair.source.tokens[i]) in _AGREEING}
        counted = any(relation_of(pair.source.tokens[i]) == "nummod" for i in below)
        return not counted and agreeing <= set(tokens_at(pair.source, (span.start, span.end)))


def _numbers_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    nouns = [token for token in heads_at(annotation, place) if token.pos in ("NOUN", "PROPN")]
    return {token.features["Number"] for token in nouns if "Number" in token.features}
