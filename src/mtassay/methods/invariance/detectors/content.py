"""Content words: the words of a text that a translation must say something for."""

from __future__ import annotations

from mtassay.tools.annotate.nouns import Annotation, Token

__all__ = ["content_words", "is_content"]

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
