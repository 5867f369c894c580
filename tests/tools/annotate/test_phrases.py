"""Phrases are read off dependency trees of both kinds: universal, and with prepositions as heads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.annotation import Annotation, Token, TokenSpan, phrase_spans, with_phrases


def parsed(sentence: str) -> list[Token]:
    """Tokens from `word/POS/head/relation`, heads counted from 1."""
    tokens = []
    for cell in sentence.split():
        word, pos, head, relation = cell.rsplit("/", 3)
        tokens.append(Token(word, 0, 0, pos=pos, head=int(head) - 1, relation=relation))
    return tokens


# Analysed by hand after the guidelines of Universal Dependencies and of ClearNLP.
CASES = {
    "the subject is no part of the verb phrase": (
        "She/PRON/3/nsubj has/AUX/3/aux seen/VERB/0/root it/PRON/3/obj ./PUNCT/3/punct",
        ["NP She", "VP has seen it", "NP it"],
    ),
    "a preposition opens a PP": (
        "gato/NOUN/0/root do/ADP/3/case vizinho/NOUN/1/nmod",
        ["NP gato do vizinho", "PP do vizinho", "NP vizinho"],
    ),
    "a preposition that is the head opens a PP": (
        "sat/VERB/0/root in/ADP/1/prep the/DET/4/det sun/NOUN/2/pobj",
        ["VP sat in the sun", "PP in the sun", "NP the sun"],
    ),
    "a coordination is a phrase of its own": (
        "cats/NOUN/0/root and/CCONJ/4/cc big/ADJ/4/amod dogs/NOUN/1/conj",
        ["NP cats and big dogs", "NP cats", "NP big dogs", "AP big"],
    ),
    "a predicate noun has its copula in a verb phrase": (
        "Ana/PROPN/4/nsubj is/AUX/4/cop a/DET/4/det doctor/NOUN/0/root",
        ["NP Ana", "VP is a doctor", "NP a doctor"],
    ),
    "a fronted adverb leaves the verb phrase whole": (
        "Today/ADV/3/advmod he/PRON/3/nsubj slept/VERB/0/root very/ADV/5/advmod well/ADV/3/advmod",
        ["ADVP Today", "NP he", "VP slept very well", "ADVP very well", "ADVP very"],
    ),
    "parts of a name head nothing": (
        "Rio/PROPN/0/root de/ADP/3/case Janeiro/PROPN/1/flat:name",
        ["NP Rio de Janeiro"],
    ),
    "nothing has no phrases": ("", []),
}


@pytest.mark.parametrize(("sentence", "expected"), CASES.values(), ids=CASES)
def test_phrases(sentence, expected):
    tokens = parsed(sentence)
    found = [
        " ".join([span.label, *(token.text for token in tokens[span.start : span.end])])
        for span in phrase_spans(tokens)
    ]
    assert found == expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["NOUN", "VERB", "ADJ", "PUNCT", "ADP", "AUX"]),
            st.integers(min_value=-1, max_value=9),
            st.sampled_from(["nsubj", "case", "conj", "punct", "obj", "cop", "pobj"]),
        ),
        max_size=10,
    )
)
def test_any_heads_give_spans_inside_the_text(rows):
    tokens = [
        Token("x", 0, 1, pos=pos, head=min(head, len(rows) - 1), relation=relation)
        for pos, head, relation in rows
    ]
    for span in phrase_spans(tokens):
        assert 0 <= span.start < span.end <= len(tokens)


def test_constituents_that_are_there_and_errors_stay():
    there = Annotation("a", (Token("a", 0, 1, pos="NOUN"),), (), (TokenSpan(0, 1, "X"),))
    assert with_phrases(there) is there
    failed = Annotation("a", error="no")
    assert with_phrases(failed) is failed
    assert with_phrases(Annotation("a", there.tokens)).constituents == (TokenSpan(0, 1, "NP"),)
