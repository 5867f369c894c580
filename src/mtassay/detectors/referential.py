"""Suspects sentences in which a noun phrase is translated otherwise than alone.

He, Meister, Su 2021, "Testing Machine Translation via Referential Transparency": the words of a phrase's
translation should come again in the sentence's translation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.core import Segment
from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.detectors.base import PhraseDetector, Suspicion
from mtassay.detectors.counterparts import content_words
from mtassay.tools.annotate import phrase_spans
from mtassay.tools.annotate.annotation import Annotation, Layer, Token, TokenSpan

__all__ = ["Referential", "phrase_segments"]

_FEWEST_WORDS, _MOST_WORDS = 2, 10


def phrase_segments(originals: Sequence[Segment], annotations: Sequence[Annotation]) -> list[Segment]:
    """The noun phrases of the originals as segments, in order; `annotations` are of the sources, parsed.

    A phrase has two to ten words, two of them content words, names or numbers, and is not the whole sentence.
    The tag `original` has the sentence's id, `phrase` where it stands in the sentence's characters.
    """
    phrases = []
    for original, annotation in zip(originals, annotations, strict=True):
        for span in _noun_phrases(annotation):
            start, end = annotation.characters(span)
            phrases.append(
                Segment(
                    f"{original.id}/np{start}-{end}",
                    annotation.text[start:end],
                    document=original.document,
                    tags={"original": original.id, "phrase": {"start": start, "end": end}},
                )
            )
    return phrases


def _noun_phrases(annotation: Annotation) -> Iterator[TokenSpan]:
    whole = sum(token.pos != "PUNCT" for token in annotation.tokens)
    spans = annotation.constituents
    if spans is None:
        spans = phrase_spans(annotation.tokens)
    seen = set()
    for span in spans:
        tokens = annotation.tokens[span.start : span.end]
        words = [token for token in tokens if token.pos != "PUNCT"]
        place = (span.start, span.end)
        is_fit = _FEWEST_WORDS <= len(words) <= _MOST_WORDS and len(words) < whole and _says_enough(words)
        if span.label == "NP" and is_fit and place not in seen:
            seen.add(place)
            yield span


def _says_enough(words: Sequence[Token]) -> bool:
    return sum(token.pos in ("NOUN", "PROPN", "ADJ", "NUM", "VERB") for token in words) >= 2


@dataclass(frozen=True)
class Referential(PhraseDetector):
    """Content words of a phrase's translation that are not in the sentence's translation.

    More than `threshold` of them make a suspicion. A word is also there in another inflection, or as a part
    of a longer word. The value is how many are missing.
    """

    threshold: int = 1
    name: ClassVar[str] = "referential"
    about: ClassVar[str] = (
        "a noun phrase is translated otherwise alone; asks the engine for these phrases, too"
    )
    needs: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("pos", "lemma", "dependencies"))

    def suspects(self, pairs: Sequence[tuple[AnnotatedAnswer, AnnotatedAnswer]]) -> list[Suspicion]:
        """In the order of the pairs, one for each at most; several phrases of a sentence may be suspected."""
        suspicions = []
        for sentence, phrase in pairs:
            missing = _missing(phrase.output, sentence.output)
            if len(missing) > self.threshold:
                why = (
                    f"alone, {phrase.source.text!r} is {phrase.output.text!r};"
                    f" not so in the sentence: {', '.join(missing)}"
                )
                evidence = {"phrase": phrase.source.text, "alone": phrase.output.text, "missing": missing}
                suspicions.append(Suspicion(sentence.id, why, float(len(missing)), evidence))
        return suspicions


def _missing(phrase: Annotation, sentence: Annotation) -> list[str]:
    left = Counter(_key(token) for token in sentence.tokens)
    text = sentence.text.casefold()
    missing = []
    for token in content_words(phrase):
        if left[_key(token)] > 0:
            left[_key(token)] -= 1
        elif token.text.casefold() not in text:
            missing.append(token.text)
    return missing


def _key(token: Token) -> str:
    return (token.lemma or token.text).casefold()
