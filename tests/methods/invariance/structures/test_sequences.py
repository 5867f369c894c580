"""Character and word distances: `levenshtein`, `raw`, `tokens` and `words`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.methods.invariance.structures import Raw, Tokens
from mtassay.nlp.annotation import Annotation, words_of
from tests.methods.invariance.structures.build import parsed, plain


@given(st.text(max_size=80), st.text(max_size=80))
def test_raw_is_symmetric_and_zero_for_equal_outputs(a: str, b: str) -> None:
    there, back, same = Raw().distances([plain(a, b), plain(b, a), plain(a, a)])
    assert there == back
    assert same == 0


@pytest.mark.parametrize(
    ("original", "variant", "characters", "words"),
    [
        # The first pair is from section 3.4 of the paper, which gives 14.
        ("He went to the store", "Store he the went to", 14, 5),
        # Two words go and come back at the other end.
        ("so I saw", "I saw so", 6, 2),
        ("", "now", 3, 1),
        ("same", "same", 0, 0),
    ],
)
def test_distances_of_short_outputs(original: str, variant: str, characters: int, words: int) -> None:
    assert Raw().distances([plain(original, variant)]) == [characters]
    assert Tokens().distances([plain(original, variant)]) == [words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop!", ["Don't", "stop", "!"]),
        ("state-of-the-art.", ["state-of-the-art", "."]),
        ("他喜欢Python吗?", ["他", "喜", "欢", "Python", "吗", "?"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
        ("  ", []),
    ],
)
def test_a_text_without_tokens_is_split_plainly(text: str, expected: list[str]) -> None:
    words = words_of(Annotation(text))
    assert [word.text for word in words] == expected
    assert all(text[word.start : word.end] == word.text for word in words)


def test_tokens_of_an_annotation_are_the_words() -> None:
    annotation = parsed("do/de_o/ADP/2/case mar/mar/NOUN/0/root")
    assert [word.text for word in words_of(annotation)] == ["do", "mar"]


def test_differences_name_what_became_of_the_words_longest_first() -> None:
    pair = plain("Ana came home with him late", "Ana went home late to the house")
    assert Tokens().differences(pair) == ['new: "to the house"', '"came" became "went"', 'gone: "with him"']
    assert Raw().differences(pair) == Tokens().differences(pair)
