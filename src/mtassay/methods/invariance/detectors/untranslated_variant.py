"""Suspects variants whose new word stands untranslated in the output, while the old one was translated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.detectors.base import RelationDetector, Suspicion
from mtassay.methods.invariance.detectors.untranslated import Vocabularies
from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.words import words_of
from mtassay.metrics.guards.identify import script_of
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["UntranslatedVariant"]


@dataclass(frozen=True)
class UntranslatedVariant(RelationDetector):
    """The variant's output has the new word as it is; the original's does not have the old one.

    Only a word in small letters with three or more of them counts. Where both languages share a script, many
    words are the same in both; then only one that the table knows in the source language alone. The value
    is 1.
    """

    vocabularies: Vocabularies
    name: ClassVar[str] = "untranslated-variant"

    def suspects(self, compared: Sequence[Compared]) -> list[Suspicion]:
        """In the order given."""
        found = []
        for pair in compared:
            before, after = pair.edit.before, pair.edit.after
            if self._is_copied(pair, before, after):
                why = f"{after!r} stands untranslated, while {before!r} was translated"
                found.append(Suspicion(pair.variant.id, why, 1.0, {"before": before, "after": after}))
        return found

    def _is_copied(self, pair: Compared, before: str, after: str) -> bool:
        if len(after) < 3 or not (after.isalpha() and after.islower()):
            return False
        outputs = pair.original.output, pair.variant.output
        if not _has(outputs[1], after) or _has(outputs[0], after) or _has(outputs[0], before):
            return False
        return script_of(outputs[1].text) != script_of(after) or self.vocabularies.is_foreign(after)


def _has(text: Annotation, word: str) -> bool:
    return any(token.text.casefold() == word.casefold() for token in words_of(text))
