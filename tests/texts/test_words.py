"""Texts in words that people can point at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.words import split_words


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("Olá, mundo!", ["Olá", ",", " ", "mundo", "!"]),
        ("l'été d’or rock 'n' roll", ["l'été", " ", "d’or", " ", "rock", " ", "'", "n", "'", " ", "roll"]),
        ("a  \t b", ["a", "  \t ", "b"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("\u0301a", ["\u0301", "a"]),
        ("東京タワー2階", ["東", "京", "タ", "ワ", "ー", "2", "階"]),
        ("กำลัง", ["ก", "ำ", "ลั", "ง"]),
        ("مرحبا بالعالم.", ["مرحبا", " ", "بالعالم", "."]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("3.5 %", ["3", ".", "5", " ", "%"]),
    ],
)
def test_words_signs_and_spaces_are_told_apart(text: str, pieces: list[str]) -> None:
    assert [piece.text for piece in split_words(text)] == pieces


@given(st.text())
def test_nothing_of_a_text_is_lost_and_offsets_are_those_of_its_characters(text: str) -> None:
    pieces = split_words(text)
    assert "".join(piece.text for piece in pieces) == text
    assert all(text[piece.start : piece.end] == piece.text != "" for piece in pieces)
    assert all(piece.is_space == piece.text.isspace() for piece in pieces)
