"""The capability to understand tense: a verb is put into the past perfect."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import edited_places, span_text, tokens_at
from mtassay.methods.behavior.capabilities.verbs import finite_verbs, helpers_of, is_past_perfect
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Tense"]


class Tense(Capability):
    """A finite verb that is not in the past perfect, with its auxiliaries."""

    name = "tense"
    needs = frozenset({"pos", "features", "dependencies"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The finite verbs in another tense, each with its auxiliaries and as little else as can be."""
        return [
            span for span in finite_verbs(pair, aligned) if not is_past_perfect(pair.source.tokens, span.head)
        ]

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """A verb in the past perfect."""
        return f'a verb or verb phrase in the past perfect tense, instead of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must have a verb in the past perfect."""
        tokens = edited.tokens
        past = [i for i in range(len(tokens)) if is_past_perfect(tokens, i)]
        groups = [{i, *helpers_of(tokens, i)} for i in past]
        for change, place in zip(changes, edited_places(changes), strict=True):
            # The change may be in the auxiliaries alone.
            if not any(group & set(tokens_at(edited, place)) for group in groups):
                return f'"{change.after}" is not in the past perfect tense'
        return None
