"""The words of a text, whether or not an annotator has read it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mtassay.tools.annotate.annotation import Annotation, Token

__all__ = ["Words", "plain_words", "words_of", "words_of_both"]


Words = Sequence[Token]

# Chinese, Japanese, Thai and their like put no blanks between words, so each character is one.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_PLAIN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:['’\-][^\W{_UNSPACED}]+)*|[^\w\s]")


def words_of(annotation: Annotation) -> Words:
    """The tokens; for a text without any, words, single marks and, in unspaced scripts, characters.

    >>> [word.text for word in words_of(Annotation("Don't, 你好!"))]
    ["Don't", ',', '你', '好', '!']
    """
    return annotation.tokens or plain_words(annotation.text)


def words_of_both(original: Annotation, variant: Annotation) -> tuple[Words, Words]:
    """The words of two texts, found in the same way: if one has no tokens, both are split plainly."""
    if original.tokens and variant.tokens:
        return original.tokens, variant.tokens
    return plain_words(original.text), plain_words(variant.text)


def plain_words(text: str) -> Words:
    """Words, single marks and, in unspaced scripts, characters."""
    return [Token(match.group(), *match.span()) for match in _PLAIN.finditer(text)]
