"""Where an edit stands after it was made, and what stands there."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.core import Edit
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.tools.annotate.annotation import Annotation, Token

__all__ = ["edited_places", "head_token", "heads_at", "original_places", "span_text", "tokens_at"]

Place = tuple[int, int]
"""Characters: the first, and the one after the last."""


def edited_places(changes: Sequence[Edit]) -> list[Place]:
    """Where the changes stand in the edited text; they are in order.

    >>> edited_places([Edit(2, 7, "small", "tiny"), Edit(8, 11, "dog", "cats")])
    [(2, 6), (7, 11)]
    """
    places, moved = [], 0
    for change in changes:
        start = change.start + moved
        places.append((start, start + len(change.after)))
        moved += len(change.after) - len(change.before)
    return places


def original_places(changes: Sequence[Edit]) -> list[Place]:
    """Where the changes stand in the text before them."""
    return [(change.start, change.end) for change in changes]


def tokens_at(annotation: Annotation, place: Place) -> list[int]:
    """The numbers of the tokens that stand in these characters, wholly or in part."""
    return [i for i, token in enumerate(annotation.tokens) if token.start < place[1] and token.end > place[0]]


def heads_at(annotation: Annotation, place: Place) -> list[Token]:
    """The tokens there that depend on none of the others there; all of them where nobody parsed the text."""
    inside = tokens_at(annotation, place)
    parsed = any(token.head >= 0 for token in annotation.tokens)
    return [annotation.tokens[i] for i in inside if not parsed or annotation.tokens[i].head not in inside]


def head_token(pair: ReadPair, span: AlignedSpan) -> Token | None:
    """The head of a span; `None` where it has none."""
    return pair.source.tokens[span.head] if 0 <= span.head < len(pair.source.tokens) else None


def span_text(pair: ReadPair, span: AlignedSpan) -> str:
    """What stands in the source there."""
    return pair.source.text[span.start : span.end]
