"""Outputs for tests in one line: each word with lemma, part of speech, head (from 1; 0 is none), relation.

`o/o/DET/2/det gato/gato/NOUN/0/root`; a gender may follow after the relation: `o/o/DET/2/det/Masc`. All
sentences are made for these tests.
"""

from __future__ import annotations

from mtassay.data.nouns import Edit
from mtassay.measures.polarity import AnnotatedAnswer
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.annotation import Annotation, Token


def parsed(line: str) -> Annotation:
    tokens: list[Token] = []
    text = ""
    for cell in line.split():
        word, lemma, pos, head, relation, *gender = cell.split("/")
        text += (" " if text else "") + word
        features = {"Gender": gender[0]} if gender else {}
        start = len(text) - len(word)
        tokens.append(
            Token(
                word, start, len(text), lemma.replace("_", " "), pos, pos, features, int(head) - 1, relation
            )
        )
    return Annotation(text, tuple(tokens))


def compared(
    original: Annotation,
    variant: Annotation,
    *,
    source: str = "a big dog",
    after: str = "small",
    at: int = 2,
    pos: str = "ADJ",
) -> ComparedPair:
    """The source's word that starts at `at` is edited; `pos` is its part of speech."""
    before = source[at:].split(" ")[0]
    edit = Edit(at, at + len(before), before, after, pos)
    return ComparedPair(
        AnnotatedAnswer("1", Annotation(source), original),
        AnnotatedAnswer("1/x", Annotation(edit.apply(source)), variant),
        edit,
    )


def plain(original: str, variant: str) -> ComparedPair:
    """Two outputs that nobody has annotated."""
    return compared(Annotation(original), Annotation(variant))
