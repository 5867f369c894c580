"""Which words of two outputs are the same word, whatever its gender and number.

Where a new noun is feminine, its article and adjectives rightly become so (`o belo` to `a bela`). Lemmas
tell, but a lemmatiser errs on rare words; so equal forms, and forms that differ in their ending and in gender
or number alone, are the same word too.
"""

from __future__ import annotations

from collections.abc import Hashable

from mtassay.methods.invariance.structures.groups import Groups
from mtassay.methods.invariance.structures.levenshtein import common_ends
from mtassay.methods.invariance.structures.words import Words
from mtassay.tools.annotate.nouns import Token

__all__ = ["agree", "word_keys"]

_AGREEMENT = ("Gender", "Number")
# Closed classes have homographs (Portuguese `a`: to, the, her) that only the part of speech tells apart.
_CLOSED = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"}
_NOUNS = {"NOUN", "PROPN"}
_LONGEST_ENDING = 3


def word_keys(original: Words, variant: Words) -> tuple[list[Hashable], list[Hashable]]:
    """A key for each word of the original and of the variant; the same word has the same key.

    >>> words = [Token("o", 0, 1, "o", "DET"), Token("gato", 2, 6, "gato", "NOUN")]
    >>> others = [Token("os", 0, 2, "o", "DET"), Token("cães", 3, 7, "cão", "NOUN")]
    >>> keys, other_keys = word_keys(words, others)
    >>> keys[0] == other_keys[0], keys[1] == other_keys[1]
    (True, False)
    """
    groups = Groups()
    for token in (*original, *variant):
        form, kind = _form(token)
        # Of a contraction (`no` = `em o`) the first part tells, so that its article may come and go.
        lemma = token.lemma.lower().split(" ")[0] or form
        groups.join((form, kind), (lemma, kind))
    before = [groups.find(_form(token)) for token in original]
    after = [groups.find(_form(token)) for token in variant]
    known, other_known = set(before), set(after)
    gone = [token for token, key in zip(original, before, strict=True) if key not in other_known]
    new = [token for token, key in zip(variant, after, strict=True) if key not in known]
    joined = [(one, other) for one in gone for other in new if _related(one, other)]
    for one, other in joined:
        groups.join(_form(one), _form(other))
    if joined:
        before = [groups.find(key) for key in before]
        after = [groups.find(key) for key in after]
    return before, after


def agree(one: Token, other: Token) -> bool:
    """Whether two forms of one word differ in gender or number, and in nothing else."""
    return one.features != other.features and _rest(one) == _rest(other)


def _form(token: Token) -> tuple[str, str]:
    return token.text.lower(), token.pos if token.pos in _CLOSED else ""


def _rest(token: Token) -> dict[str, str]:
    return {name: value for name, value in token.features.items() if name not in _AGREEMENT}


def _related(one: Token, other: Token) -> bool:
    """Whether two words without a counterpart are one; a noun keeps its gender, so two nouns never are."""
    first, second = one.text.lower(), other.text.lower()
    if first == second:  # a homograph, or the tagger's mistake
        return True
    if {one.pos, other.pos} <= _NOUNS or not agree(one, other):
        return False
    shared = common_ends(first, second)[0]
    longest = max(len(first), len(second))
    return 2 * shared > longest and longest - shared <= _LONGEST_ENDING
