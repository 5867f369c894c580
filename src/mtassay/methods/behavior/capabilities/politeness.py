"""The capability to translate politeness: a formal word becomes an informal one, or the reverse."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import span_text
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.methods.behavior.spans import keep_longest
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Politeness"]

# Formal and informal; only words whose change leaves the rest of the source right.
_PAIRS = (
    ("thank you", "thanks"), ("hello", "hi"), ("goodbye", "bye"),
    ("gentlemen", "guys"), ("mother", "mom"), ("father", "dad"), ("children", "kids"),
    ("您", "你"), ("您们", "你们"), ("o senhor", "você"), ("a senhora", "você"), ("os senhores", "vocês"),
    ("Ihnen", "dir"),
)  # fmt: skip
_FORMAL = frozenset(formal.casefold() for formal, _ in _PAIRS)
_INFORMAL = frozenset(informal.casefold() for _, informal in _PAIRS)


class Politeness(Capability):
    """Words of address and courtesy with a more or a less formal counterpart, from a short list.

    It has words of English, Chinese, Portuguese and German.
    """

    name = "politeness"

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """Such words; of those that overlap, the longest."""
        return keep_longest(
            span for span in aligned if span_text(pair, span).casefold() in _FORMAL | _INFORMAL
        )

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The counterpart."""
        text = span_text(pair, span)
        return f'a {"less" if text.casefold() in _FORMAL else "more"} formal way to say "{text}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """A formal word must have become an informal one of the list, or the reverse."""
        for change in changes:
            wanted = _INFORMAL if change.before.casefold() in _FORMAL else _FORMAL
            if change.after.casefold() not in wanted:
                level = "informal" if wanted is _INFORMAL else "formal"
                return f'"{change.after}" is not a known {level} word for "{change.before}"'
        return None
