"""Which content words of a source and its output have nothing on the other side that could translate them.

A word has a counterpart where a translation table links it to a word of the other side, where both are
written alike, or where the sentence encoder puts them near. Free translation leaves words over on both sides;
only what is left over on one side more than on the other speaks for something lost or added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.languages import Pair
from mtassay.tools.align.encoder_similarity import WordVectors, open_vectors
from mtassay.tools.align.table import AlignmentLexicon, lexicon_pairs, likeness, read_lexicon
from mtassay.tools.annotate.annotation import Annotation, Token
from mtassay.tools.encoder import Encoder

__all__ = ["Counterparts", "LeftOver", "content_words", "is_content", "lexicon_of"]


_PARTS = frozenset(("NOUN", "VERB", "ADJ", "ADV"))
# Verbs and adverbs that many languages leave unsaid, or say with a particle.
_LIGHT = frozenset(
    (
        "be", "have", "do", "get", "make", "take", "go", "come", "let", "keep", "become", "say", "there",
        "here", "then", "now", "also", "just", "even", "still", "so", "very", "too", "well", "only", "more",
        "most", "much", "many", "such", "all", "not", "as", "when", "where", "how", "why", "while", "again",
        "ever", "really", "quite",
    )
)  # fmt: skip


def is_content(token: Token) -> bool:
    """Whether a word carries meaning of its own; names and numbers have detectors of their own.

    >>> is_content(Token("house", 0, 5, "house", "NOUN")), is_content(Token("Rio", 0, 3, "Rio", "PROPN"))
    (True, False)
    """
    return (
        token.pos in _PARTS
        and token.text[0].isalpha()
        and token.text.lower() not in _LIGHT
        and token.lemma.lower() not in _LIGHT
    )


def content_words(annotation: Annotation) -> list[Token]:
    """The content words of a text, in order; none where nobody tagged parts of speech."""
    return [token for token in annotation.tokens if is_content(token)]


_LINKED = 0.02  # a probability from which the table's word counts
_ALIKE = 0.7
_ASKED = frozenset(("NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM"))

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LeftOver:
    """Content words without a counterpart, in order, and how many words, names and numbers each side has."""

    source: tuple[Token, ...]
    output: tuple[Token, ...]
    source_size: int
    output_size: int

    @property
    def lost(self) -> float:
        """By how much more the source has left over, as a share of its words; at most 1."""
        return (len(self.source) - len(self.output)) / max(self.source_size, _FEW)

    @property
    def added(self) -> float:
        """By how much more the output has left over, as a share of its words; at most 1."""
        return (len(self.output) - len(self.source)) / max(self.output_size, _FEW)


_FEW = 4  # of fewer words, one is no large share


class Counterparts:
    """Looks for counterparts in one pair of languages; `least` is the cosine from which words are near."""

    def __init__(self, pair: Pair, *, least: float = 0.6, encoder: Encoder | None = None) -> None:
        self._least = least
        self._lexicon, self._reverse = lexicon_of(pair)
        self._encoder = encoder

    @cached_property
    def _vectors(self) -> WordVectors:
        """Opened when first used: a detector that finds nothing to compare needs no encoder."""
        return WordVectors(self._encoder) if self._encoder else open_vectors()

    def left_over(self, answers: Sequence[AnnotatedAnswer]) -> list[LeftOver]:
        """One for each answer, in order. The words of all are encoded in one go."""
        sides = [(_words(answer.source.tokens), _words(answer.output.tokens)) for answer in answers]
        self._vectors.learn([token.text.lower() for both in sides for side in both for token in side])
        return [self._compare(source, output) for source, output in sides]

    def strengths(self, source: Sequence[Token], output: Sequence[Token]) -> Floats:
        """How well each source word goes with each output word, one row per source word; 1 is for sure."""
        left, right = [t.text.lower() for t in source], [t.text.lower() for t in output]
        self._vectors.learn([*left, *right])
        matrix = self._vectors.similarity(left, right)
        matrix[self._linked(source, output)] = 1
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                if likeness(one, other) >= _ALIKE:
                    matrix[i, j] = 1
        return matrix

    def _compare(self, source: Sequence[Token], output: Sequence[Token]) -> LeftOver:
        if not source or not output:
            return LeftOver((), (), len(source), len(output))
        matrix = self.strengths(source, output)
        left = zip(source, matrix.max(axis=1), strict=True)
        right = zip(output, matrix.max(axis=0), strict=True)
        return LeftOver(
            tuple(token for token, best in left if best < self._least and is_content(token)),
            tuple(token for token, best in right if best < self._least and is_content(token)),
            len(source),
            len(output),
        )

    def _linked(self, source: Sequence[Token], output: Sequence[Token]) -> NDArray[np.bool_]:
        linked = np.zeros((len(source), len(output)), np.bool_)
        if self._lexicon is None:
            return linked
        for forms in (_texts, _lemmas):
            for other_forms in (_texts, _lemmas):
                if self._reverse:
                    linked |= (
                        self._lexicon.look_up(other_forms(output), forms(source)).max(axis=0).T >= _LINKED
                    )
                else:
                    linked |= self._lexicon.look_up(forms(source), other_forms(output)).max(axis=0) >= _LINKED
        return linked


def lexicon_of(pair: Pair) -> tuple[AlignmentLexicon | None, bool]:
    """The table for a pair, if there is one, and whether it is written the other way round."""
    forward, backward = str(pair), f"{pair.target}-{pair.source}"
    pairs = lexicon_pairs()
    if forward in pairs:
        return read_lexicon(forward), False
    return (read_lexicon(backward), True) if backward in pairs else (None, False)


def _words(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.pos in _ASKED]


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token.text.lower() for token in tokens]


def _lemmas(tokens: Sequence[Token]) -> list[str]:
    return [(token.lemma or token.text).lower() for token in tokens]
