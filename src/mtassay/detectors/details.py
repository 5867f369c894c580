"""Suspects outputs that lost or changed a number or a name of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.core import Segment
from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.detectors.base import PairDetector, Shared, Suspicion
from mtassay.detectors.counterparts import Counterparts
from mtassay.languages import Pair
from mtassay.metrics.guards import Numbers
from mtassay.metrics.nee.matches import Haystack, forms_of
from mtassay.texts.normalisation import Normaliser
from mtassay.tools.annotate.annotation import Annotation, Layer, TokenSpan

__all__ = ["Entities", "NumbersDetector"]


class NumbersDetector(PairDetector):
    """The guard that `score` has, without references: a number is found regrouped, rounded or in words, too.

    The value is how many numbers are missing.
    """

    name: ClassVar[str] = "numbers"
    about: ClassVar[str] = "a number is missing or changed"

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers; an empty output is left to the detector of under-translation."""
        read = [answer for answer in answers if answer.output.text.strip()]
        guard = Numbers([Segment(answer.id, answer.source.text) for answer in read])
        hits = guard.hits([answer.output.text for answer in read])
        return [
            Suspicion(read[index].id, f"{why['why']}{_instead(why)}", len(why["missing"]), dict(why))
            for index, why in sorted(hits.items())
        ]


def _instead(why: dict[str, list[str]]) -> str:
    return f"; new: {', '.join(why['instead'])}" if why["instead"] else ""


_NAMES = frozenset(("PER", "PERSON", "LOC", "GPE", "ORG", "FAC", "NORP"))


@dataclass(frozen=True)
class Entities(PairDetector):
    """Names that stand nowhere in the output: not as written or nearly so, and not translated.

    A name may also be written in another script, which nothing here can read; so one is missing only if the
    output has fewer names than the source besides. `near` is the cosine from which a word may be the name's
    translation. The value is how many names are missing.
    """

    pair: Pair
    counterparts: Counterparts
    near: float = 0.5
    name: ClassVar[str] = "entities"
    about: ClassVar[str] = "a name is missing"
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos",))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "entities"))

    @classmethod
    def open(cls, shared: Shared) -> Entities:
        return cls(shared.pair, shared.part(Counterparts))

    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """In the order of the answers."""
        suspicions = []
        for answer in answers:
            if names := self._missing(answer):
                why = f"look for the name{'s' * (len(names) > 1)}: {', '.join(names)}"
                suspicions.append(Suspicion(answer.id, why, len(names), {"missing": names}))
        return suspicions

    def _missing(self, answer: AnnotatedAnswer) -> list[str]:
        source, output = answer.source, answer.output
        names = [span for span in source.entities if span.label in _NAMES and _is_name(source, span)]
        if not names or not output.tokens:
            return []
        haystack = Haystack([output.text], Normaliser(language=str(self.pair.target)))
        missing = [
            span
            for span in names
            if not self._is_written(source.covered(span), haystack)
            and not self._is_near(source, span, output)
        ]
        # Each name of the output that none of the found ones stands for may be a missing one.
        spare = _count_names(output) - (len(names) - len(missing))
        if len(missing) <= max(spare, 0):
            return []
        return list(dict.fromkeys(source.covered(span) for span in missing))

    def _is_written(self, name: str, haystack: Haystack) -> bool:
        forms = forms_of(Normaliser(language=str(self.pair.source)).tokens(name), name)
        return any(
            haystack.holds([form]) or haystack.overlap(form) > 0 or haystack.nearest(form) for form in forms
        )

    def _is_near(self, source: Annotation, span: TokenSpan, output: Annotation) -> bool:
        tokens = source.tokens[span.start : span.end]
        words = [token for token in output.tokens if token.text[0].isalnum()]
        return bool(words) and bool(self.counterparts.strengths(tokens, words).max() >= self.near)


def _is_name(source: Annotation, span: TokenSpan) -> bool:
    """Taggers call many things names at the beginning of a sentence; a name has a word that says so."""
    return any(token.pos == "PROPN" for token in source.tokens[span.start : span.end])


def _count_names(output: Annotation) -> int:
    """Names next to each other are one."""
    is_name = [token.pos == "PROPN" for token in output.tokens]
    return sum(name and not previous for previous, name in zip([False, *is_name], is_name, strict=False))
