"""The capability to cope with any edit: random segments, a small part of the sentence in all."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mtassay.methods.behavior.candidates import PARTS, PHRASES
from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import edited_places, original_places, span_text, tokens_at
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.methods.behavior.spans import keep_longest
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["SHARE", "General"]

SHARE = 0.2
"""Less than this share of a sentence's words is edited (Wu, Liu, Yeung 2023, table 1)."""


class General(Capability):
    """Any words and phrases, several at once."""

    name = "general"
    most_of_source = math.nextafter(SHARE, 0)  # "at most" this is "less than" that
    spans_at_once = 3

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """All that are short enough; of those that overlap, the longest."""
        most = self.most_of_source * _words(pair.source)
        return keep_longest(
            span
            for span in aligned
            if span.label in PARTS | PHRASES and _words(pair.source, [(span.start, span.end)]) <= most
        )

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """Whatever fits."""
        return f'a word or phrase other than "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """The edited words must be a small share of the source; without the original, of the edited one."""
        text, places = (original, original_places(changes)) if original else (edited, edited_places(changes))
        words, share = _words(text), _words(text, places)
        if words and share / words < SHARE:
            return None
        return f"{share} of {words} words are edited, which is not less than {SHARE:.0%}"


def _words(annotation: Annotation, places: Sequence[tuple[int, int]] | None = None) -> int:
    """How many words the text has, or has in these places; marks are no words."""
    tokens = annotation.tokens
    numbers = range(len(tokens)) if places is None else {i for p in places for i in tokens_at(annotation, p)}
    return sum(any(map(str.isalnum, tokens[i].text)) for i in numbers)
