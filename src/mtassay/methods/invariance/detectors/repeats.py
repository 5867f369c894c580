"""Finds what an output says twice in a row, or twice at length, though its source does not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mtassay.methods.invariance.structures.words import words_of
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["repeated_phrase"]

# So many words in a row are no accident wherever they come again.
_LONG = 5
_MOST_WORDS = 400


def repeated_phrase(source: Annotation, output: Annotation) -> str | None:
    """The longest phrase that the output repeats; `None` if there is none, or if the source repeats, too.

    A phrase is repeated if it comes twice in a row, where a single word needs two letters, or if it has five
    words or more and comes again anywhere.

    >>> once, twice = Annotation("a very big old house"), Annotation("uma casa muito velha muito velha")
    >>> repeated_phrase(once, twice), repeated_phrase(Annotation("an old old house"), twice)
    ('muito velha', None)
    """
    found = _repeated(output)
    if found is None or _repeated(source) is not None or _says_twice(source):
        return None
    start, end = found
    return output.text[start:end]


def _repeated(text: Annotation) -> tuple[int, int] | None:
    """Where, in characters, the longest repeated phrase stands first."""
    words = words_of(text)[:_MOST_WORDS]
    keys = [word.text.casefold() for word in words]
    for size in range(len(keys) // 2, 0, -1):
        first: dict[tuple[str, ...], int] = {}
        for start in range(len(keys) - size + 1):
            phrase = tuple(keys[start : start + size])
            before = first.setdefault(phrase, start)
            gap = start - before - size
            if gap < 0 or not _speaks(phrase):
                continue
            if gap == 0 or size >= _LONG:
                return words[before].start, words[before + size - 1].end
    return None


def _speaks(phrase: Sequence[str]) -> bool:
    """Numbers and marks come twice for many reasons, and a single character is doubled for emphasis."""
    letters = [word for word in phrase if word[0].isalpha()]
    return len("".join(letters)) > 1 and len(set(phrase)) * 2 >= len(phrase)


def _says_twice(source: Annotation) -> bool:
    """Whether two words in a row come again: then the translation may repeat itself."""
    keys = [word.text.casefold() for word in words_of(source)]
    pairs = [pair for pair in pairwise(keys) if len("".join(pair)) > 5]
    return len(set(pairs)) < len(pairs)
