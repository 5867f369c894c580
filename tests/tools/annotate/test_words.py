"""Syntactic words become written ones without losing a head."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.annotation import Token, Word, written_tokens


def test_a_verb_with_its_clitic_is_one_token_with_the_verbs_head():
    # disse-lhe que sim: the clitic depends on the verb, which is the root.
    words = [
        Word(0, 9, "dizer", "VERB", "V", {"Tense": "Past", "Person": "3"}, -1, "root"),
        Word(0, 9, "ele", "PRON", "P", {"Person": "3", "Case": "Dat"}, 0, "iobj"),
        Word(10, 13, "que", "SCONJ", "C", {}, 3, "mark"),
        Word(14, 17, "sim", "ADV", "A", {}, 1, "ccomp"),
    ]
    features = {"Case": "Dat", "Person": "3", "Tense": "Past"}
    assert written_tokens("disse-lhe que sim", words) == (
        Token("disse-lhe", 0, 9, "dizer ele", "VERB", "V", features, -1, "root"),
        Token("que", 10, 13, "que", "SCONJ", "C", {}, 2, "mark"),
        Token("sim", 14, 17, "sim", "ADV", "A", {}, 0, "ccomp"),
    )


@given(st.lists(st.integers(min_value=1, max_value=3), min_size=1, max_size=8), st.randoms())
def test_trees_of_words_give_trees_of_tokens(sizes, chance):
    # Each size is how many syntactic words are in one written word of two letters.
    words, count = [], sum(sizes)
    order = list(range(count))
    chance.shuffle(order)
    heads = {order[0]: -1} | {order[i]: order[chance.randrange(i)] for i in range(1, count)}
    for place, size in enumerate(sizes):
        words += [
            Word(3 * place, 3 * place + 2, head=heads[index])
            for index in range(len(words), len(words) + size)
        ]
    tokens = written_tokens("xx " * len(sizes), words)
    assert len(tokens) == len(sizes)
    assert sum(token.head == -1 for token in tokens) == 1
    for token in tokens:
        for _ in tokens:
            token = tokens[token.head] if token.head >= 0 else token
        assert token.head == -1
