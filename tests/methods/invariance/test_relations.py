"""Relations of an original and a variant."""

from __future__ import annotations

import pytest

from mtassay.methods.invariance.relations import SameOutput, WordMeanings
from tests.methods.invariance.relation_texts import compared, encoder_of

SOURCE, OUTPUT = "she buys a small lamp", "ela compra um candeeiro pequeno"


@pytest.mark.parametrize(
    ("after", "output", "flagged"),
    [
        ("red", OUTPUT, True),
        ("red", "Ela compra um candeeiro pequeno.", True),
        ("red", "ela compra um candeeiro vermelho", False),
        # Cosine 0.9: nearly the same word, so the same translation is right.
        ("little", OUTPUT, False),
        ("Small", OUTPUT, False),
    ],
)
def test_equal_outputs_are_suspected_where_the_words_differ_in_meaning(
    after: str, output: str, flagged: bool
) -> None:
    detector = SameOutput(WordMeanings(encoder_of({("small", "little"): 0.9})), synonyms=0.8)
    found = detector.suspects([compared(SOURCE, OUTPUT, "small", after, output)])
    assert [suspicion.id for suspicion in found] == (["1/x"] if flagged else [])


def test_an_opposite_is_no_synonym_however_near_it_is() -> None:
    pair = compared("a legal sale", "uma venda legal", "legal", "illegal", "uma venda legal")
    [found] = SameOutput(WordMeanings(encoder_of({("legal", "illegal"): 0.95}))).suspects([pair])
    assert found.value == 1.0


def test_nothing_is_encoded_where_no_outputs_are_equal() -> None:
    def encode(texts: object) -> None:
        raise AssertionError("no encoder is needed")

    pair = compared(SOURCE, OUTPUT, "small", "red", "ela compra um candeeiro vermelho")
    assert SameOutput(WordMeanings(encode)).suspects([pair]) == []  # type: ignore[arg-type]
