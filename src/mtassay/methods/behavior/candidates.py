"""Words and phrases of a source that could be edited, before anybody asks what they align with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtassay.tools.annotate.nouns import Annotation, Span, Token
from mtassay.tools.annotate.phrases import with_phrases

__all__ = ["PARTS", "PHRASES", "candidates", "head_of", "is_auxiliary", "relation_of"]

PARTS = frozenset(
    ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ",
     "VERB", "PUNCT", "SYM", "X", "SPACE")
)  # fmt: skip
"""The universal parts of speech: the labels of single words."""
PHRASES = frozenset(("NP", "VP", "PP", "AP", "ADVP", "QP"))
"""The labels of phrases; QP is a number of several words. Any other label is a kind of entity."""

_OTHER_NAMES = {"ADJP": "AP"}
_NO_WORDS = frozenset(("PUNCT", "SYM", "X", "SPACE", ""))
_LABELS = {
    "NOUN": "NP", "PROPN": "NP", "VERB": "VP", "AUX": "VP", "ADJ": "AP", "ADV": "ADVP", "NUM": "QP",
}  # fmt: skip
# What hangs below a word without being a part of its phrase.
_OUTSIDE = frozenset(
    ("nsubj", "csubj", "nsubjpass", "csubjpass", "expl", "case", "mark", "cc", "conj", "punct", "parataxis",
     "discourse", "vocative", "dislocated", "list", "dep")
)  # fmt: skip
_VERBAL = frozenset(("cop", "aux", "auxpass", "advcl", "obl"))
_AUXILIARIES = frozenset(("aux", "auxpass", "cop"))


def candidates(annotation: Annotation, *, most_words: int = 6) -> list[Span]:
    """All words, phrases of at most `most_words` words, and entities, from left to right, longer ones first.

    Spans are in token numbers. A phrase is one of the annotator's, or a head with its nearest neighbours
    below it, each of them whole: `new shops` in `all the new shops in Rio`, and `will be sent` in
    `will be sent to you`. The same tokens come once for each label.
    """
    annotation = with_phrases(annotation)
    tokens = annotation.tokens
    found = [
        Span(i, i + 1, token.pos)
        for i, token in enumerate(tokens)
        if token.pos not in _NO_WORDS and any(map(str.isalnum, token.text))
    ]
    phrases = {
        Span(span.start, span.end, label)
        for span in annotation.constituents or ()
        if (label := _OTHER_NAMES.get(span.label, span.label)) in PHRASES
    }
    phrases.update(_inner_phrases(tokens, most_words))
    found += [span for span in phrases if 1 < span.end - span.start <= most_words]
    found += [span for span in annotation.entities if span.end - span.start <= most_words]
    return sorted(
        found, key=lambda s: (s.start, -s.end, s.label not in PHRASES, s.label not in PARTS, s.label)
    )


def head_of(tokens: Sequence[Token], span: Span) -> int:
    """The number of the token that heads a span; without a parse, the last one.

    A verb phrase may be headed by a copula's noun in one grammar and by the copula in another.
    """
    inside = range(span.start, span.end)
    heads = [i for i in inside if tokens[i].head not in inside]
    if len(heads) == 1:
        return heads[0]
    wanted = [i for i in heads if _LABELS.get(tokens[i].pos) == span.label]
    return (wanted or heads or [span.start])[-1]


def relation_of(token: Token) -> str:
    """A relation without its subtype: `nsubj` for `nsubj:pass`."""
    return token.relation.partition(":")[0]


def is_auxiliary(token: Token) -> bool:
    """Whether a word only helps another verb."""
    return relation_of(token) in _AUXILIARIES


def _inner_phrases(tokens: Sequence[Token], most_words: int) -> Iterator[Span]:
    """For each head, all runs of the nearest phrases below it, to the left and to the right."""
    below = _below(tokens)
    children: list[list[int]] = [[] for _ in tokens]
    for i, token in enumerate(tokens):
        if token.head >= 0:
            children[token.head].append(i)
    for head, token in enumerate(tokens):
        label = _LABELS.get(token.pos)
        if label is None or is_auxiliary(token):
            continue
        outside = _OUTSIDE if label == "VP" else _OUTSIDE | _VERBAL
        near = [below[child] for child in children[head] if relation_of(tokens[child]) not in outside]
        starts = [head, *_steps(head, [part for part in reversed(near) if max(part) < head], -1)]
        ends = [head, *_steps(head, [part for part in near if min(part) > head], 1)]
        yield from (
            Span(start, end + 1, label) for start in starts for end in ends if end - start < most_words
        )


def _steps(head: int, parts: Sequence[set[int]], step: int) -> Iterator[int]:
    """Where a phrase may end on one side: after one, two… whole parts, as long as each touches the last."""
    place = head
    for part in parts:
        near, far = (min(part), max(part)) if step > 0 else (max(part), min(part))
        if near != place + step or len(part) != abs(far - near) + 1:
            return
        place = far
        yield place


def _below(tokens: Sequence[Token]) -> list[set[int]]:
    """All tokens below each token, itself among them."""
    below = [{i} for i in range(len(tokens))]
    for i, token in enumerate(tokens):
        above, seen = token.head, {i}
        while above >= 0 and above not in seen:
            seen.add(above)
            below[above].add(i)
            above = tokens[above].head
    return below
