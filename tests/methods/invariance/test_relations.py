"""Relations of an original and a variant, and of a sentence and its phrase."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Segment
from mtassay.measures.polarity import AnnotatedAnswer
from mtassay.methods.invariance.relations import Referential, SameOutput, WordMeanings, phrase_segments
from tests.methods.invariance.relation_texts import answer, compared, encoder_of, english, portuguese

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


def test_noun_phrases_become_segments_that_know_their_place() -> None:
    text = "she reads the old red book with Ana"
    found = phrase_segments([Segment("7", text, document="d")], [english(text)])
    assert [(segment.id, segment.source) for segment in found] == [("7/np10-26", "the old red book")]
    assert found[0].tags == {"original": "7", "phrase": {"start": 10, "end": 26}}
    assert found[0].document == "d"


@pytest.mark.parametrize("text", ["", "she", "old house", "she reads a book"])
def test_a_sentence_without_a_telling_phrase_of_its_own_gives_none(text: str) -> None:
    assert phrase_segments([Segment("7", text)], [english(text)]) == []


@pytest.mark.parametrize(
    ("alone", "missing"),
    [
        ("o livro velho", []),
        ("o livro encarnado e gasto", ["encarnado", "gasto"]),
        ("o livro encarnado", []),
    ],
)
def test_a_phrase_that_is_translated_otherwise_alone_is_suspected(alone: str, missing: list[str]) -> None:
    sentence = answer("she reads the old book", "ela lê o livro velho")
    phrase = AnnotatedAnswer("1/np", english("the old book"), portuguese(alone))
    found = Referential(threshold=1).suspects([(sentence, phrase)])
    assert [suspicion.evidence["missing"] for suspicion in found] == ([missing] if missing else [])
    assert all(suspicion.id == "1" for suspicion in found)
