"""Puts a word into a sentence so that nothing else changes, or says that it does not fit."""

from __future__ import annotations

from mtassay.core import Edit
from mtassay.methods.invariance.variants.base import Place
from mtassay.tools.annotate.nouns import Annotation
from mtassay.tools.articles import wants_an

__all__ = ["fit", "with_case"]


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


def _stands(sentence: Annotation, word: str) -> bool:
    small = word.lower()
    return any(small in (token.text.lower(), token.lemma.lower()) for token in sentence.tokens)


def _article_fits(place: Place, after: str) -> bool:
    if place.token == 0:
        return True
    article = place.sentence.tokens[place.token - 1].text.lower()
    return article not in ("a", "an") or (article == "an") == wants_an(after)
