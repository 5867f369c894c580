"""Which pieces are words, for the three families of vocabularies, and batches of like length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.language_models import Where, by_length, is_word, read_words

WORDPIECE = ["", "house", "##s", "cat", ",", "2020", "[unused1]", "café"]
SENTENCEPIECE = ["", "▁house", "▁cat", "s", "▁", "▁,", "▁2020", "房子", "<0x0A>"]
BYTES = ["", "Ġhouse", "ĠcafÃ©", "house", "Ġ", "Ã", "Ġ20", "Ċ", "æĪ¿"]
PLAIN = ["house", "cat", "."]


@pytest.mark.parametrize(
    ("pieces", "where", "expected"),
    [
        (WORDPIECE, "spaced", ["house", "cat", "café"]),
        (WORDPIECE, "glued", ["house", "cat", "café"]),
        (WORDPIECE, "start", ["house", "cat", "café"]),
        (SENTENCEPIECE, "spaced", ["house", "cat"]),
        (SENTENCEPIECE, "glued", ["s", "房子"]),
        (SENTENCEPIECE, "start", ["house", "cat", "s", "房子"]),
        (BYTES, "spaced", ["house", "café"]),
        # 房 is the three bytes E6 88 BF, which GPT-2 writes æ, Ī and ¿.
        (BYTES, "glued", ["house", "房"]),
        (PLAIN, "spaced", ["house", "cat"]),
        (PLAIN, "glued", ["house", "cat"]),
        ([], "spaced", []),
    ],
)
def test_pieces_that_begin_a_word_are_found_where_they_may_stand(
    pieces: list[str], where: Where, expected: list[str]
) -> None:
    words = read_words(pieces)
    assert [words.spelled[piece] for piece in words.among(where)] == expected


def test_a_mark_that_is_only_a_rare_letter_decides_nothing() -> None:
    words = read_words(["▁house", "▁cat", "Ġ", "Ġar"])
    assert [words.spelled[piece] for piece in words.spaced] == ["house", "cat"]


@given(st.text(max_size=6))
def test_a_word_has_no_digit_and_no_space(text: str) -> None:
    if is_word(text):
        assert not any(character.isdigit() or character.isspace() for character in text)
        assert text[0].isalpha()


@given(st.lists(st.integers(1, 40)), st.integers(1, 100))
def test_every_row_is_in_one_batch_that_keeps_to_the_budget(lengths: list[int], budget: int) -> None:
    batches = by_length(lengths, budget=budget)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= budget
    flat = [lengths[row] for batch in batches for row in batch]
    assert flat == sorted(flat, reverse=True)
