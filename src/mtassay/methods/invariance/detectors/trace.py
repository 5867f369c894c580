"""Suspects variants whose new word left no trace: the output changed, but nowhere for that word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.detectors.base import RelationDetector, Shared, Suspicion
from mtassay.methods.invariance.detectors.counterparts import Counterparts
from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.words import words_of, words_of_both
from mtassay.tools.annotate.nouns import Layer, Token

__all__ = ["NoTrace"]


@dataclass(frozen=True)
class NoTrace(RelationDetector):
    """No word of the variant's output could translate the new word, and nothing replaced the old word's.

    Equal outputs are the matter of `same-output`. `near` is the cosine from which a word could be a
    translation. The value is 1 minus the best cosine.
    """

    counterparts: Counterparts
    near: float = 0.45
    name: ClassVar[str] = "no-trace"
    about: ClassVar[str] = "the variant's new word left no trace in the output"
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))

    @classmethod
    def open(cls, shared: Shared) -> NoTrace:
        return cls(shared.part(Counterparts))

    def suspects(self, compared: Sequence[Compared]) -> list[Suspicion]:
        """In the order given."""
        found = []
        for pair in compared:
            best = self._best(pair)
            if best is not None and best < self.near:
                after = pair.edit.after
                why = f"nothing in the output stands for {after!r}, which replaced {pair.edit.before!r}"
                evidence = {"before": pair.edit.before, "after": after, "original": pair.original.source.text}
                found.append(Suspicion(pair.variant.id, why, 1 - best, evidence))
        return found

    def _best(self, pair: Compared) -> float | None:
        """How near any word comes to the new one; `None` where there is nothing to say."""
        word = _edited(pair)
        before, after = words_of_both(pair.original.output, pair.variant.output)
        new = _without(after, before)
        if word is None or not _speaking(after) or (not new and not _without(before, after)):
            return None
        best = float(self.counterparts.strengths([word], _speaking(after)).max())
        # A word of the other side that came in with the new word may translate it freely, even if it is
        # near to no single word: only what replaced nothing is no trace.
        return best if not _speaking(new) else None


def _edited(pair: Compared) -> Token | None:
    """The new word as the annotator read it; `None` for a name or a number, which need not be known."""
    place = pair.edit.start
    for token in words_of(pair.variant.source):
        if token.start <= place < token.end:
            return None if token.pos in ("PROPN", "NUM") else token
    return None


def _without(these: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """The words that only these have, each as often as it is more frequent here."""
    left = Counter(token.text.casefold() for token in others)
    found = []
    for token in these:
        left[token.text.casefold()] -= 1
        if left[token.text.casefold()] < 0:
            found.append(token)
    return found


def _speaking(tokens: Sequence[Token]) -> list[Token]:
    return [
        token for token in tokens if token.text[0].isalnum() and token.pos not in ("PUNCT", "DET", "PART")
    ]
