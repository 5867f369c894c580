"""Words and phrases of a source that belong to one span of the reference and to nothing else.

Only such spans are edited (Wu, Liu, Yeung 2023, section 3.1), so that the rest of both sentences still says
the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mtassay.methods.behavior.candidates import candidates, head_of
from mtassay.methods.behavior.nouns import AlignedSpan, ReadPair
from mtassay.methods.behavior.reading import LeftOut, Reading, read_pairs
from mtassay.methods.behavior.tracing import is_unspaced
from mtassay.tools.annotate.nouns import Annotation, Token

__all__ = ["MOST_WORDS", "LeftOut", "Reading", "aligned_spans", "keep_longest", "read_pairs"]

MOST_WORDS = 6
"""A longer phrase is most of what the sentence says."""

# Words that often have no partner of their own; "" is a word whose part of speech nobody gave.
_SMALL = frozenset(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", ""))
_MEASURE_WORDS = frozenset(("q", "M"))  # how LAC and the Chinese Treebank tag them
_JOINTS = frozenset("-–·.’'/&%")
_PLACEHOLDER = frozenset("#_<>{}")
_APOSTROPHES = frozenset("'’")


def aligned_spans(
    pair: ReadPair, *, start: bool = False, longest: bool = False, most_words: int = MOST_WORDS
) -> list[AlignedSpan]:
    """The spans of a pair that can be edited, from left to right, longer ones first.

    Words, phrases and entities of the source whose links all lead into one span of the reference, all of
    whose links lead back. The first and last word on both sides have a link; between them, small words (not
    nouns, verbs, adjectives, adverbs, numbers) may have none. No span has the first word of the text,
    unless `start`; none begins or ends inside a written word, as `do` in `don't`, or belongs to a
    placeholder, as `#NAME#`.

    The same place comes once for each label. With `longest`, of all that overlap only the longest is kept;
    without, a capability picks among all, and keeps the longest of its own.
    """
    source, reference = pair.source, pair.reference
    first = next((i for i, token in enumerate(source.tokens) if any(map(str.isalnum, token.text))), 0)
    there: dict[int, set[int]] = {}
    back: dict[int, set[int]] = {}
    for i, j in pair.links:
        there.setdefault(i, set()).add(j)
        back.setdefault(j, set()).add(i)
    found = []
    for span in candidates(source, most_words=most_words):
        if not start and span.start <= first < span.end:
            continue
        other = _partner(pair, range(span.start, span.end), there, back)
        if other is None or _cuts_a_word(source, span.start, span.end):
            continue
        if _is_placeholder(source.tokens, span.start, span.end):
            continue
        if _cuts_a_word(reference, other.start, other.stop):
            continue
        found.append(
            AlignedSpan(
                source.tokens[span.start].start,
                source.tokens[span.end - 1].end,
                reference.tokens[other.start].start,
                reference.tokens[other.stop - 1].end,
                span.label,
                head_of(source.tokens, span),
            )
        )
    return keep_longest(found) if longest else found


def keep_longest(spans: Iterable[AlignedSpan]) -> list[AlignedSpan]:
    """Of all spans that overlap in the source only the longest, in order; the earlier where two are equal.

    >>> new, shop, both = (AlignedSpan(*at, *at, "NOUN", 0) for at in ((0, 3), (4, 8), (0, 8)))
    >>> keep_longest([new, shop, both]) == [both]
    True
    """
    kept: list[AlignedSpan] = []
    for span in sorted(spans, key=lambda s: (s.start - s.end, s.start)):
        if all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return sorted(kept)


def _partner(
    pair: ReadPair, here: range, there: dict[int, set[int]], back: dict[int, set[int]]
) -> range | None:
    """The tokens of the reference that belong to these of the source, and to no other."""
    if here[0] not in there or here[-1] not in there:
        return None
    linked = set[int]().union(*(there.get(i, ()) for i in here))
    others = range(min(linked), max(linked) + 1)
    if not all(i in here for j in others for i in back.get(j, ())):
        return None
    left_over = [pair.source.tokens[i] for i in here if i not in there]
    left_over += [pair.reference.tokens[j] for j in others if j not in back]
    return others if all(map(_is_small, left_over)) else None


def _is_small(token: Token) -> bool:
    if token.pos in ("PUNCT", "SYM") or not any(map(str.isalnum, token.text)):
        return token.text in _JOINTS
    return token.pos in _SMALL or token.tag in _MEASURE_WORDS


def _is_placeholder(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a mark of a placeholder or tag is in these tokens or next to them."""
    return any(not _PLACEHOLDER.isdisjoint(token.text) for token in tokens[max(start - 1, 0) : end + 1])


def _cuts_a_word(annotation: Annotation, start: int, end: int) -> bool:
    tokens = annotation.tokens
    if start > 0 and _is_inside_word(tokens, start):
        return True
    # A name can change before its possessive `'s`.
    return end < len(tokens) and tokens[end].tag != "POS" and _is_inside_word(tokens, end)


def _is_inside_word(tokens: Sequence[Token], place: int) -> bool:
    """Whether the token in this place is joined to the one before."""
    left, right = tokens[place - 1], tokens[place]
    if left.end < right.start:
        return False
    before, after = left.text[-1], right.text[0]
    return _joins(before) and _joins(after) and not (before in _APOSTROPHES and after in _APOSTROPHES)


def _joins(character: str) -> bool:
    return character in _APOSTROPHES or (character.isalpha() and not is_unspaced(character))
