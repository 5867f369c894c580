"""The fake keeps the promises of an annotator, and shows what the shared reading does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.nlp.annotation import LAYERS, Annotation, TokenSpan
from mtassay.nlp.annotators import read_each
from tests.fake_annotator import FakeAnnotator
from tests.tools.annotate.checks import TEXTS, assert_well_formed

FAKE = FakeAnnotator("pt", pos={"viu": "VERB", "o": "DET"}, entities={"Ana": "PER"}, fails_on="…")


@given(st.lists(TEXTS, max_size=6))
def test_every_text_has_its_annotation_in_order(texts):
    annotations = FAKE.annotate(texts)
    assert [annotation.text for annotation in annotations] == texts
    for annotation in annotations:
        assert_well_formed(annotation, FAKE)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_a_blank_text_has_an_empty_annotation(text):
    assert FAKE.annotate([text]) == [Annotation(text)]


def test_one_text_that_fails_costs_one_annotation():
    good, bad, also_good = FAKE.annotate(["Ana viu o mar", "Ana…", "mar"])
    assert bad == Annotation("Ana…", error="ValueError: the fake fails on '…'")
    assert [token.text for token in good.tokens] == ["Ana", "viu", "o", "mar"]
    assert also_good.error is None


def test_half_a_character_is_an_error_of_its_text_alone():
    first, second = FAKE.annotate(["\ud83d", "mar"])
    assert first.error == "the text is not valid Unicode"
    assert second.error is None


def test_equal_texts_are_read_once_and_batches_are_bounded():
    asked: list[list[str]] = []

    def read(texts):
        asked.append(texts)
        return [Annotation(text) for text in texts]

    assert len(read_each(["a", "b", "a", "c", "a"], read, batch=2)) == 5
    assert asked == [["a", "b"], ["c"]]


def test_a_tool_that_loses_a_text_shifts_nothing():
    # It gives nothing for "b": read alone, the others keep their annotation.
    annotations = read_each(["a", "b", "c"], lambda texts: [Annotation(t) for t in texts if t != "b"])
    assert [annotation.error for annotation in annotations] == [
        None,
        "ValueError: 0 annotations for 1 texts",
        None,
    ]


def test_what_a_person_must_mend_is_not_an_error_of_a_text():
    def read(texts):
        raise UsageError("no model")

    with pytest.raises(UsageError, match="no model"):
        read_each(["a"], read)


def test_the_fake_finds_phrases_entities_and_known_texts():
    known = Annotation("Oi", error="as told")
    fake = FakeAnnotator(
        "pt", pos={"viu": "VERB", "o": "DET"}, entities={"Rio": "LOC"}, annotations={"Oi": known}
    )
    [found, oi] = fake.annotate(["Ana viu o Rio", "Oi"])
    assert oi is known
    assert found.entities == (TokenSpan(3, 4, "LOC"),)
    assert [(span.label, found.covered(span)) for span in found.constituents] == [
        ("NP", "Ana"),
        ("VP", "viu o Rio"),
        ("NP", "o Rio"),
    ]
    assert fake.gives == LAYERS
    assert fake.signature == "fake|pt"


def test_a_model_reads_plain_marks_and_its_words_stand_in_the_original() -> None:
    read: list[str] = []
    text = "“It\u00a0isn’t well\u2011known”—he"

    def note(texts: list[str]) -> list[Annotation]:
        read.extend(texts)
        return FakeAnnotator("en").annotate(texts)

    (found,) = read_each([text], note)
    assert read == ['"It isn\'t well-known" - he']
    assert found.text == text
    assert [token.text for token in found.tokens] == ["“", "It", "isn’t", "well\u2011known", "”", "—", "he"]
    assert all(text[token.start : token.end] == token.text for token in found.tokens)
    assert found.tokens[3].lemma == "well-known"
