"""Keeps a strange sentence out: the paper's first source of false alarms ("on the fact").

He, Meister and Su 2020, section 5.1. A variant must be read as the original is, word for word, and must lie
near it in meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.invariance.variants.lexicon import inflection
from mtassay.tools.annotate.nouns import Annotation
from mtassay.tools.encoder import Encoder, unit

__all__ = ["same_structure", "similarities"]


def same_structure(original: Annotation, variant: Annotation, token: int) -> bool:
    """Whether both have the same parts of speech, heads and relations, and the word its inflection.

    The word must have another lemma, and must not have become a name.
    """
    if variant.error is not None or len(original.tokens) != len(variant.tokens):
        return False
    if any(
        (one.pos, one.head, one.relation) != (other.pos, other.head, other.relation)
        for one, other in zip(original.tokens, variant.tokens, strict=True)
    ):
        return False
    before, after = original.tokens[token], variant.tokens[token]
    if inflection(before) != inflection(after):
        return False
    if before.lemma and before.lemma.lower() == after.lemma.lower():
        return False
    return _named(variant, token) <= _named(original, token)


def similarities(encoder: Encoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of each pair of texts, in order; every text is encoded once."""
    if not pairs:
        return []
    place = {text: index for index, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
    vectors = unit(encoder(list(place)))
    return [float(vectors[place[one]] @ vectors[place[other]]) for one, other in pairs]


def _named(sentence: Annotation, token: int) -> bool:
    return any(entity.start <= token < entity.end for entity in sentence.entities)
