"""The capability to translate negation: a statement is negated, or its negation goes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import span_text
from mtassay.methods.behavior.capabilities.verbs import finite_verbs
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Negation", "is_negated"]

# Spanish `no` only before all else: `no` inside a Portuguese phrase is a preposition with its article.
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|nicht|nie|niemals|kein(?:e[mnrs]?)?|não|nunca|jamais|ne|pas|non|niet|geen)\b"
    r"|n['’](?:t\b|\w)|^no\b|不|没|未|无",
    re.IGNORECASE,
)  # fmt: skip


def is_negated(text: str) -> bool:
    """Whether a verb phrase has a word of negation (English, German, Dutch, Romance languages, Chinese).

    >>> [is_negated(text) for text in ("did not go", "doesn't go", "foi no mar", "não foi", "没有去", "go")]
    [True, True, False, True, True, False]
    """
    return _NEGATION.search(text) is not None


class Negation(Capability):
    """A finite verb with its auxiliaries, which is negated or loses its negation."""

    name = "negation"
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The finite verbs, each with its auxiliaries, its negation and as little else as can be."""
        return finite_verbs(pair, aligned)

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The same with the opposite sense."""
        text = span_text(pair, span)
        return f'"{text}" without its negation' if is_negated(text) else f'"{text}" negated'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """Either what was there or what is there now must be negated, not both and not neither."""
        for change in changes:
            if is_negated(change.before) == is_negated(change.after):
                return f'"{change.after}" does not negate "{change.before}", or the reverse'
        return None
