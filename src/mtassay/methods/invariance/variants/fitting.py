"""Puts a word into a sentence so that nothing else changes, or says that it does not fit."""

from __future__ import annotations

import re

from mtassay.methods.invariance.nouns import Edit
from mtassay.methods.invariance.variants.base import Place
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["fit", "wants_an", "with_case"]

# Written with a vowel and spoken with a consonant, and the other way round.
_SPOKEN_CONSONANT = re.compile(r"uni(?!n|mp|ma)|unan|us[aeiu]|ut[ei]|uto|ura|eu|ewe|one|once|ubiq|ufo|ukul")
_SPOKEN_VOWEL = re.compile(r"hour|honest|hono|heir")
_SPELT_WITH_A_VOWEL = "AEFHILMNORSX"  # an MRI


def fit(place: Place, word: str, *, language: str = "en") -> Edit | None:
    """The edit that puts a word there; `None` where it does not fit.

    It does not fit if it is odd (not one word of letters), if it is the same word or one that already
    stands in the sentence, or if an English article before it would have to change.

    >>> from mtassay.tools.annotate.fake import FakeAnnotator
    >>> [sentence] = FakeAnnotator("en").annotate(["A Dog barks."])
    >>> fit(Place(sentence, 1), "cat")
    Edit(start=2, end=5, before='Dog', after='Cat', pos='NOUN')
    >>> fit(Place(sentence, 1), "owl") is None
    True
    """
    token = place.sentence.tokens[place.token]
    after = with_case(word, token.text)
    if not word.isalpha() or _stands(place.sentence, word):
        return None
    if language == "en" and not _article_fits(place, after):
        return None
    return Edit(token.start, token.end, token.text, after, token.pos)


def with_case(word: str, like: str) -> str:
    """The word in the case of another: all capitals, a capital first, or as it is.

    >>> with_case("cat", "Dog"), with_case("cat", "DOG"), with_case("Monday", "day"), with_case("cat", "I")
    ('Cat', 'CAT', 'Monday', 'Cat')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    if like[:1].isupper():
        return word[:1].upper() + word[1:]
    return word


def wants_an(word: str) -> bool:
    """Whether the article before this word is "an", by its sound.

    >>> [word for word in ("hour", "house", "union", "unimportant", "MRI", "NATO", "owl") if wants_an(word)]
    ['hour', 'unimportant', 'MRI', 'owl']
    """
    if word.isupper() and len(word) < 4:  # longer ones are read as words: a NATO
        return word[0] in _SPELT_WITH_A_VOWEL
    small = word.lower()
    if _SPOKEN_CONSONANT.match(small):
        return False
    return small[0] in "aeiou" or _SPOKEN_VOWEL.match(small) is not None


def _stands(sentence: Annotation, word: str) -> bool:
    small = word.lower()
    return any(small in (token.text.lower(), token.lemma.lower()) for token in sentence.tokens)


def _article_fits(place: Place, after: str) -> bool:
    if place.token == 0:
        return True
    article = place.sentence.tokens[place.token - 1].text.lower()
    return article not in ("a", "an") or (article == "an") == wants_an(after)
