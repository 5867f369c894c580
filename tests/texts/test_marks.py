"""Any text can be shown: nothing steers the terminal, nothing is hidden, nothing is endless."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.marks import differing, display_width, find_words, marked, printable, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Olá, 漢字 שלום", "Olá, 漢字 שלום"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x9b31m", r"\x9b31m"),
        ("two\nlines\r\ttab", r"two\nlines\r\ttab"),
        ("abc\u202edcb", r"abc\u202edcb"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("half \ud800", r"half \ud800"),
        ("\u2028", r"\u2028"),
    ],
)
def test_what_hides_or_steers_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(
    st.text() | st.text(alphabet="a\u202e\x1b\n\x9b"),
    st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60))),
    st.booleans(),
)
def test_no_control_character_reaches_the_terminal(
    text: str, spans: list[tuple[int, int]], color: bool
) -> None:
    shown = wrapped(text, spans, width=30, indent="  ", color=color)
    plain = shown.replace("\x1b[1;36m", "").replace("\x1b[0m", "")
    assert not [c for c in plain if c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp", "Co")]
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("text", "columns"), [("ab", 2), ("漢字", 4), ("e\u0301", 1), ("字\u302a", 2)], ids=ascii
)
def test_wide_characters_take_two_columns_and_combining_marks_none(text: str, columns: int) -> None:
    assert display_width(text) == columns


@given(st.text(alphabet="ab 漢é\u0301"), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))))
def test_lines_are_no_wider_than_the_terminal(text: str, spans: list[tuple[int, int]]) -> None:
    assert all(
        display_width(line) <= 30 for line in wrapped(text, spans, width=30, indent=" " * 5).split("\n")
    )


@given(st.text(alphabet="ab cd", max_size=80), st.tuples(st.integers(0, 80), st.integers(0, 80)))
def test_marks_change_nothing_but_themselves(text: str, span: tuple[int, int]) -> None:
    shown = marked(text, [span])
    assert shown.replace("[[", "").replace("]]", "") == text
    start, end = span[0], min(span[1], len(text))
    assert shown == (f"{text[:start]}[[{text[start:end]}]]{text[end:]}" if start < end else text)


def test_of_a_huge_text_the_ends_and_the_matches_are_shown() -> None:
    text = "a" * 50_000 + "bank" + "b" * 50_000
    shown = marked(text, [(50_000, 50_004)])
    assert "[[bank]]" in shown
    assert len(shown) < 1500
    assert shown.startswith("aaa")
    assert shown.endswith("bbb")
    assert "…(49,140 characters)…" in shown  # 50,000 - 800 at the beginning - 60 before the match


def test_the_whole_word_is_found_before_a_part_of_another() -> None:
    assert find_words("Women and one woman, one man.", ["man", "Women"]) == [(25, 28), (0, 5)]
    assert find_words("Handschuh", ["schuh", ""]) == [(4, 9)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("same", "same", ([], [])),
        ("", "all new", ([], ["all new"])),
        ("a b c d", "a x c y", (["b", "d"], ["x", "y"])),
        ("a b c d", "a x y d", (["b c"], ["x y"])),
        ("彼は本を読む", "彼は本を書く", (["読む"], ["書く"])),
    ],
)
def test_what_differs_is_marked_by_words(old: str, new: str, expected: tuple[list[str], list[str]]) -> None:
    spans = differing(old, new)
    assert tuple([t[a:b] for a, b in part] for t, part in zip((old, new), spans, strict=True)) == expected


def test_endless_outputs_are_compared_at_their_ends_only() -> None:
    old = "start " + "a b " * 5000 + "end"
    new = "start " + "b a " * 5000 + "end"
    ((low, high),), _ = differing(old, new)
    assert (old[:low], old[high:]) == ("start ", " end")
