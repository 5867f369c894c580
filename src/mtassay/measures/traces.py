"""Suspects sentences in which a noun phrase is translated otherwise than alone.

He, Meister, Su 2021, "Testing Machine Translation via Referential Transparency": the words of a phrase's
translation should come again in the sentence's translation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from mtassay.data.nouns import Edit, Segment
from mtassay.measures.coverage import Counterparts, content_words
from mtassay.measures.detector import (
    AnnotatedAnswer,
    ComparedPair,
    PhraseDetector,
    RelationDetector,
    Shared,
    Suspicion,
)
from mtassay.measures.guards import fold
from mtassay.nlp.annotation import Annotation, Layer, Token, TokenSpan, phrase_spans, words_of, words_of_both
from mtassay.nlp.encoder import Encoder, is_installed
from mtassay.nlp.encoder_aligner import WordVectors, open_vectors

__all__ = ["NoTrace", "Referential", "SameOutput", "WordMeanings", "is_opposite", "phrase_segments"]

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


# English, and the Latin and Germanic languages that share them.
_NOT = ("un", "in", "im", "il", "ir", "dis", "non", "des", "a", "mis")


class WordMeanings:
    """Compares single words by the sentence encoder, which puts opposites near each other, too."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder

    @cached_property
    def _vectors(self) -> WordVectors:
        """Opened when first used: where no outputs are equal, no encoder is needed."""
        return WordVectors(self._encoder) if self._encoder else open_vectors()

    def require(self) -> None:
        """An error where the encoder is not installed."""
        _ = self._vectors

    def similarities(self, edits: Sequence[Edit]) -> list[float]:
        """The cosine of the two words of each edit, in order; 0 for opposites made by a prefix."""
        if not edits:
            return []
        self._vectors.learn([word for edit in edits for word in _words(edit)])
        return [self._similarity(*_words(edit)) for edit in edits]

    def _similarity(self, before: str, after: str) -> float:
        if is_opposite(before, after):
            return 0.0
        return float(np.clip(self._vectors.similarity([before], [after])[0, 0], -1, 1))


def is_opposite(one: str, other: str) -> bool:
    """Whether one word is the other with a prefix that says no.

    >>> is_opposite("legal", "illegal"), is_opposite("likely", "unlikely"), is_opposite("able", "table")
    (True, True, False)
    """
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in _NOT)


def _words(edit: Edit) -> tuple[str, str]:
    return edit.before.lower(), edit.after.lower()


@dataclass(frozen=True)
class SameOutput(RelationDetector):
    """Both outputs are the same, but for case and marks, though the new word means something else.

    Words whose cosine is `synonyms` or more count as the same in meaning. The value is 1 minus the cosine.
    """

    meanings: WordMeanings
    synonyms: float = 0.75
    name: ClassVar[str] = "same-output"
    about: ClassVar[str] = "the same output for a word of another meaning"

    @classmethod
    def open(cls, shared: Shared) -> SameOutput:
        return cls(WordMeanings())

    @classmethod
    def is_ready(cls) -> bool:
        return is_installed()

    def require(self) -> None:
        self.meanings.require()

    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """In the order given."""
        same = [
            pair
            for pair in compared
            if fold(pair.original.output.text)
            and fold(pair.original.output.text) == fold(pair.variant.output.text)
            and fold(pair.edit.before) != fold(pair.edit.after)
        ]
        similarities = self.meanings.similarities([pair.edit for pair in same])
        return [
            _suspicion(pair, similarity)
            for pair, similarity in zip(same, similarities, strict=True)
            if similarity < self.synonyms
        ]


def _suspicion(pair: ComparedPair, similarity: float) -> Suspicion:
    before, after = pair.edit.before, pair.edit.after
    return Suspicion(
        pair.variant.id,
        f"the output is the same for {before!r} and {after!r}: look for the word in it",
        1 - similarity,
        {"before": before, "after": after, "original": pair.original.source.text},
    )


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

    def require(self) -> None:
        self.counterparts.require()

    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """In the order given."""
        suspicions = []
        for pair in compared:
            best = self._best(pair)
            if best is not None and best < self.near:
                after = pair.edit.after
                why = f"nothing in the output stands for {after!r}, which replaced {pair.edit.before!r}"
                evidence = {"before": pair.edit.before, "after": after, "original": pair.original.source.text}
                suspicions.append(Suspicion(pair.variant.id, why, 1 - best, evidence))
        return suspicions

    def _best(self, pair: ComparedPair) -> float | None:
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


def _edited(pair: ComparedPair) -> Token | None:
    """The new word as the annotator read it; `None` for a name or a number, which need not be known."""
    place = pair.edit.start
    for token in words_of(pair.variant.source):
        if token.start <= place < token.end:
            return None if token.pos in ("PROPN", "NUM") else token
    return None


def _without(these: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """The words that only these have, each as often as it is more frequent here."""
    left = Counter(token.text.casefold() for token in others)
    surplus = []
    for token in these:
        left[token.text.casefold()] -= 1
        if left[token.text.casefold()] < 0:
            surplus.append(token)
    return surplus


def _speaking(tokens: Sequence[Token]) -> list[Token]:
    return [
        token for token in tokens if token.text[0].isalnum() and token.pos not in ("PUNCT", "DET", "PART")
    ]
