"""The English article before a word."""

from __future__ import annotations

import pytest

from mtassay.nlp.word_forms import wants_an


@pytest.mark.parametrize(
    "word",
    [
        "hour",
        "honest",
        "heir",
        "honor",
        "apple",
        "MRI",
        "FBI",
        "umbrella",
        "uninvited",
        "unimportant",
        "uncle",
    ],
)
def test_these_words_take_an(word: str) -> None:
    assert wants_an(word)


@pytest.mark.parametrize(
    "word",
    [
        "house",
        "university",
        "European",
        "one",
        "useful",
        "UN",
        "UFO",
        "NATO",
        "union",
        "utensil",
        "unanimous",
    ],
)
def test_these_words_take_a(word: str) -> None:
    assert not wants_an(word)
