"""The edit distance of two sequences is Levenshtein's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.words import edit_distance

LETTERS = st.text(alphabet="abcé北", max_size=80)


def textbook_distance(one: str, other: str) -> int:
    """Levenshtein's recurrence as in a textbook."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        row, above = [i], row
        for j, b in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


@given(LETTERS, LETTERS)
def test_the_distance_is_that_of_the_definition(one: str, other: str) -> None:
    assert edit_distance(one, other) == textbook_distance(one, other) == edit_distance(other, one)


def test_words_are_compared_as_wholes() -> None:
    assert edit_distance(["he", "went", "home"], ["she", "went"]) == 2


def test_rows_longer_than_a_machine_word_are_counted_in_full() -> None:
    # 100 letters, of which every tenth is another one.
    assert edit_distance("abcdefghij" * 10, "abcdefghiX" * 10) == 10
