"""Suspects what has no business in an output: words that are none, figures and signs that nobody wrote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.detectors.base import PairDetector, Shared, Suspicion
from mtassay.detectors.vocabulary import TargetWords, small_words, target_words
from mtassay.errors import UsageError

__all__ = ["AddedFigures", "Markup", "UnknownWords"]

_LETTERS = 4
_SEEN = 1.25  # Zipf; a word below this frequency is as good as unknown


@dataclass(frozen=True)
class UnknownWords(PairDetector):
    """Words that the target language does not have and that stand in neither source nor reference.

    A word of four letters or more counts that a list of words does not have, or as one of the rarest. The
    value is how many.
    """

    words: TargetWords
    name: ClassVar[str] = "unknown-words"
    about: ClassVar[str] = "words that are none in the target language"
    defaults: ClassVar[frozenset[str]] = frozenset({"en-pt"})

    @classmethod
    def open(cls, shared: Shared) -> UnknownWords:
        """`UsageError` for a language without a list of words."""
        words = shared.part(target_words)
        if words is None:
            raise UsageError(f"Detector 'unknown-words' has no list of words for {shared.pair.target}.")
        return cls(words)

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            known = {
                word.removesuffix("'s").removesuffix("’s")
                for text in (answer.source.text, *answer.references)
                for word in small_words(text)
            }
            words = [word for word in dict.fromkeys(small_words(answer.output.text)) if word not in known]
            strange = [word for word in words if self._is_strange(word)]
            if strange:
                why = f"no known word: {', '.join(strange)}"
                suspicions.append(Suspicion(answer.id, why, len(strange), {"unknown": strange}))
        return suspicions

    def _is_strange(self, word: str) -> bool:
        return word.isalpha() and len(word) >= _LETTERS and self.words.frequency(word) < _SEEN


_FIGURE = re.compile(r"\(\s*[\d.,:]+\s*\)")


class AddedFigures(PairDetector):
    """A figure in parentheses that is in neither source nor reference. The value is how many."""

    name: ClassVar[str] = "added-figures"
    about: ClassVar[str] = "a figure in parentheses that nobody wrote"
    defaults: ClassVar[frozenset[str]] = frozenset({"en-pt"})

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            known = " ".join((answer.source.text, *answer.references))
            figures = [f for f in _FIGURE.findall(answer.output.text) if f not in known]
            if figures:
                why = f"nobody wrote {', '.join(figures)}"
                suspicions.append(Suspicion(answer.id, why, len(figures), {"added": figures}))
        return suspicions


_TAG = re.compile(r"<[^<>\s][^<>]*>|\{[^{}]*\}|%[sd]\b|\$\{?\w+\}?(?<!\d)")


class Markup(PairDetector):
    """Tags and placeholders (`<b>`, `{name}`, `%s`) that are not the same in source and output.

    The value is how many.
    """

    name: ClassVar[str] = "markup"
    about: ClassVar[str] = "a tag or placeholder is lost, changed or new"
    defaults: ClassVar[frozenset[str]] = frozenset({"en-pt"})

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers; an empty output is left to others."""
        suspicions = []
        for answer in answers:
            if not answer.output.text.strip():
                continue
            there = Counter(_TAG.findall(answer.source.text))
            here = Counter(_TAG.findall(answer.output.text))
            lost, new = sorted((there - here).elements()), sorted((here - there).elements())
            if lost or new:
                parts = [f"lost: {' '.join(lost)}"] * bool(lost) + [f"new: {' '.join(new)}"] * bool(new)
                evidence = {"lost": lost, "new": new}
                suspicions.append(Suspicion(answer.id, "; ".join(parts), len(lost) + len(new), evidence))
        return suspicions
