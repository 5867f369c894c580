"""The capability for all other words: numbers above all, and pronouns, determiners, conjunctions."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.candidates import PARTS
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import (
    edited_places,
    head_token,
    original_places,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.methods.behavior.spans import keep_longest
from mtassay.tools.annotate.nouns import Annotation, Token

__all__ = ["Others"]

_KINDS = {
    "NUM": "a number", "PRON": "a pronoun", "DET": "a determiner",
    "AUX": "an auxiliary verb", "CCONJ": "a conjunction", "SCONJ": "a conjunction", "PART": "a particle",
    "INTJ": "an interjection",
}  # fmt: skip
_LABELS = PARTS | {"QP"}


class Others(Capability):
    """Words that are no noun, verb, adjective, adverb or preposition."""

    name = "others"

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The other words, and numbers of several words; of those that overlap, the longest."""
        return keep_longest(span for span in aligned if span.label in _LABELS and _span_kind(pair, span))

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Another word of the same kind."""
        return f'{_span_kind(pair, span) or "a word"} other than "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must have a word of the kind that was there; without the original, of any of the kinds."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            wanted = _kinds_at(original, before) if original else set()
            found = _kinds_at(edited, place)
            if not found or (wanted and not found & wanted):
                kind = " or ".join(sorted(wanted or {"a number, a pronoun or another small word"}))
                return f'"{change.after}" is not {kind}'
        return None


def _span_kind(pair: ReadPair, span: AlignedSpan) -> str | None:
    head = head_token(pair, span)
    return _kind(head) if head else None


def _kind(token: Token) -> str | None:
    """What kind of other word it is; `19th`, `100%` and `5G` are numbers, whatever a tagger calls them."""
    return _KINDS["NUM"] if token.text[:1].isdigit() else _KINDS.get(token.pos)


def _kinds_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    kinds = (_kind(annotation.tokens[i]) for i in tokens_at(annotation, place))
    return {kind for kind in kinds if kind}
