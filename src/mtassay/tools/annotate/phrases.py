"""Phrases read off a dependency tree, for languages that have no constituency parser.

An approximation: every noun, verb, adjective and adverb heads a phrase of the neighbouring words below it,
so there are no clauses, no unary chains and no traces, and an attachment error of the parser moves a phrase.
It works with universal relations and with those of spaCy's English pipelines, where a preposition heads
its noun.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mtassay.tools.annotate.nouns import Annotation, Span, Token

_LABELS = {
    "NOUN": "NP", "PROPN": "NP", "PRON": "NP", "VERB": "VP", "AUX": "VP", "ADJ": "AP", "ADV": "ADVP",
}  # fmt: skip
# A word in such a place is a part of another one's phrase, and heads none.
_PARTS = {"case", "fixed", "flat", "compound", "mark", "cc", "aux", "auxpass", "cop"}
_SUBJECTS = {"nsubj", "csubj", "nsubjpass", "csubjpass", "expl"}
# Below a word without being a part of the phrase it heads.
_OUTSIDE = _SUBJECTS | {
    "case", "mark", "cc", "conj", "punct", "parataxis", "discourse", "vocative", "dislocated", "list", "dep",
}  # fmt: skip
# Below a noun or adjective that is a predicate, and part of the verb phrase alone.
_VERBAL = {"cop", "aux", "auxpass", "advcl", "obl"}


def with_phrases(annotation: Annotation) -> Annotation:
    """The annotation with phrases, unless it has constituents already or failed."""
    if annotation.constituents is not None or annotation.error is not None:
        return annotation
    return replace(annotation, constituents=phrase_spans(annotation.tokens))


def phrase_spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """The phrases of a parsed text (NP, VP, PP, AP, ADVP), from left to right, longer before shorter.

    >>> words = "She bought two houses in Rio".split()
    >>> parts = ["PRON", "VERB", "NUM", "NOUN", "ADP", "PROPN"]
    >>> above = [1, -1, 3, 1, 5, 3]
    >>> relations = ["nsubj", "root", "nummod", "obj", "case", "nmod"]
    >>> tokens = [
    ...     Token(w, 0, 0, pos=p, head=h, relation=r)
    ...     for w, p, h, r in zip(words, parts, above, relations, strict=True)
    ... ]
    >>> for span in phrase_spans(tokens):
    ...     print(span.label, words[span.start : span.end])
    NP ['She']
    VP ['bought', 'two', 'houses', 'in', 'Rio']
    NP ['two', 'houses', 'in', 'Rio']
    PP ['in', 'Rio']
    NP ['Rio']
    """
    children: list[list[int]] = [[] for _ in tokens]
    for index, token in enumerate(tokens):
        if token.head >= 0:
            children[token.head].append(index)
    below = [_below(index, children) for index in range(len(tokens))]
    spans = {
        span for index in range(len(tokens)) for span in _phrases_of(index, tokens, children[index], below)
    }
    return tuple(sorted(spans, key=lambda span: (span.start, -span.end, span.label)))


def _below(index: int, children: Sequence[Sequence[int]]) -> frozenset[int]:
    """A token and all that depends on it; a loop, which no tree has, ends where it began."""
    found, waiting = {index}, [index]
    while waiting:
        for child in children[waiting.pop()]:
            if child not in found:
                found.add(child)
                waiting.append(child)
    return frozenset(found)


def _phrases_of(
    head: int, tokens: Sequence[Token], children: Sequence[int], below: Sequence[frozenset[int]]
) -> Iterable[Span]:
    token = tokens[head]
    label = _LABELS.get(token.pos)
    if token.pos == "ADP" and any(_relation(tokens[child]) in ("pobj", "pcomp") for child in children):
        yield _span(head, below[head], tokens, "PP")
    if label is None or _relation(token) in _PARTS:
        return
    inside = [child for child in children if _relation(tokens[child]) not in _OUTSIDE]
    core = inside if label == "VP" else [c for c in inside if _relation(tokens[c]) not in _VERBAL]
    yield _span(head, {head}.union(*(below[child] for child in core)), tokens, label)
    if label != "VP" and any(_relation(tokens[child]) == "cop" for child in children):
        yield _span(head, {head}.union(*(below[child] for child in inside)), tokens, "VP")
    parts = {head}.union(*(below[child] for child in core))
    joined = [child for child in children if _relation(tokens[child]) in ("conj", "cc")]
    if any(_relation(tokens[child]) == "conj" for child in joined):
        commas = [child for child in children if tokens[child].pos == "PUNCT"]
        yield _span(head, parts.union(*(below[c] for c in (*joined, *commas))), tokens, label)
    marks = [child for child in children if _relation(tokens[child]) == "case"]
    if marks and label != "VP":
        yield _span(head, parts.union(*(below[child] for child in marks)), tokens, "PP")


def _relation(token: Token) -> str:
    """Without the subtype: `nsubj` for `nsubj:pass`."""
    return token.relation.partition(":")[0]


def _span(head: int, inside: Iterable[int], tokens: Sequence[Token], label: str) -> Span:
    """The unbroken run of these tokens around the head, without punctuation at its ends."""
    members = set(inside)
    start, end = head, head + 1
    while start - 1 in members:
        start -= 1
    while end in members:
        end += 1
    while start < head and tokens[start].pos == "PUNCT":
        start += 1
    while end - 1 > head and tokens[end - 1].pos == "PUNCT":
        end -= 1
    return Span(start, end, label)
