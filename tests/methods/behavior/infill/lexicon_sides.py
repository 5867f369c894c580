"""Annotations written by hand, for tests of the lexicon: `The/DT dog/NN sleeps/VBZ`."""

from __future__ import annotations

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.annotation import Annotation, Token, TokenSpan

_PARTS = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "CD": "NUM", "DT": "DET", "IN": "ADP", "JJ": "ADJ",
    "JJS": "ADJ", "RB": "ADV", "PRP$": "PRON",
}  # fmt: skip


def side(marked: str, *, relations: dict[str, tuple[str, str]] | None = None) -> Annotation:
    """Words with their tags and the text that they make; `relations` has, by word, (relation, head word)."""
    items = [item.rpartition("/") if "/" in item else (item, "", "") for item in marked.split()]
    words = [word for word, _, _ in items]
    tokens, text = [], ""
    for word, _, tag in items:
        text += "" if not text or word in ",.!?'s" else " "
        pos = _PARTS.get(tag, "VERB" if tag.startswith("VB") else "")
        relation, head = (relations or {}).get(word, ("", ""))
        number = words.index(head) if head else -1
        tokens.append(
            Token(word, len(text), len(text) + len(word), pos=pos, tag=tag, head=number, relation=relation)
        )
        text += word
    return Annotation(text, tuple(tokens))


def pair(
    source: Annotation, reference: Annotation, *, links: frozenset[tuple[int, int]] = frozenset()
) -> ReadPair:
    """A pair of hand-written sides."""
    return ReadPair("1", source, reference, links)


def named(annotation: Annotation, start: int, end: int, label: str) -> Annotation:
    """The same with an entity."""
    return Annotation(annotation.text, annotation.tokens, (TokenSpan(start, end, label),))
