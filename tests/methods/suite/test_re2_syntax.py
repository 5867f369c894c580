"""A pattern means to RE2 what it means to Python."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.suite_items import Matching, Rule, macros_in
from mtassay.methods.suite.patterns import SearchedText, compile_rule, translate

ATOMS = [r"a", "é", "_", "1", " ", "-", ".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[aé]", "[^aé]"]
ATOMS += [r"[^\W\d]", r"[\W1]", "[a-z]", "[]a]", "[^]a-]", r"\.", r"\ba", r"é\b", r"\b\w+\b", r"-\b"]
ATOMS += [r"\Ba", r"\b.", r"\xe9", r"\u00e9", "{", "{}", "{a}", "}", "]", "(?i:É)"]


def _repeated(pattern: tuple[str, str]) -> str:
    return f"(?:{pattern[0]}){pattern[1]}"


PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(
            inner, st.sampled_from(["", "*", "+", "?", "{1,2}", "*?", "{,2}", "{2}", "{,}", "{1,}"])
        ).map(_repeated),
    ),
    max_leaves=8,
).filter(lambda pattern: not macros_in(pattern))  # {{a}} is no text to us


@given(
    pattern=PATTERNS,
    text=st.text("aébç_1 -.\n\u0301ñ{]", max_size=8),
    start=st.sampled_from(["", "^"]),
    end=st.sampled_from(["", "$"]),
    ignore_case=st.booleans(),
)
def test_re2_finds_what_python_finds(
    pattern: str, text: str, start: str, end: str, ignore_case: bool
) -> None:
    pattern = f"{start}(?:{pattern}){end}"
    rule = Rule(pattern, case="ignore" if ignore_case else "exact")
    ours = compile_rule(rule, matching=Matching(), macros={}).search(SearchedText(text))
    assert (ours is not None) == bool(re.search(pattern, text, re.IGNORECASE if ignore_case else 0))


@pytest.mark.parametrize("letter", "wWdDsS")
def test_classes_hold_the_characters_that_python_says(letter: str) -> None:
    ours, python = re2.compile(translate(f"[\\{letter}]").plain), re.compile(f"\\{letter}")
    assigned = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(character) not in ("Cn", "Co", "Cs")
    ]
    differ = [c for c in assigned if bool(ours.search(c)) != bool(python.search(c))]
    # Python and RE2 may know different versions of Unicode; what both know must agree.
    assert [c for c in differ if ord(c) < 0x10000] == []


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\bé\b", "isso é bom", "é"),
        (r"\bso\b", "isção so", "so"),
        (r"\bs\b", "sábado", None),
        (r"café\b", "cafés e café", "café"),
        (r"\bnão\b.*\bágua\b", "não há água", "não há água"),
        (r"(?i)ÁGUA", "água", "água"),
        (r"fim$", "o fim\n", "fim\n"),
        (r"[^\W\d_]+", "12_ação", "ação"),
    ],
)
def test_boundaries_and_classes_know_letters_with_accents(pattern: str, text: str, found: str | None) -> None:
    place = compile_rule(Rule(pattern), matching=Matching(), macros={}).search(SearchedText(text))
    assert (text[place.start : place.end] if place else None) == found


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(der|die", "missing ), unterminated subpattern at character 1"),
        ("*a", "nothing to repeat at character 1"),
        ("a(?=b)", "look-around '(?=' needs 'engine: regex'"),
        ("(?<!a)b", "look-around '(?<' needs 'engine: regex'"),
        (r"(a)\1", r"the back-reference '\1' needs 'engine: regex'"),
        ("a++", "the possessive '++' needs 'engine: regex'"),
        ("(?x) a", "the flag 'x' needs 'engine: regex'"),
        ("(?>a)", "the group '(?>…' needs 'engine: regex'"),
        ("(a{1000}){1000}", "repetition"),
    ],
)
def test_what_re2_cannot_do_is_said(pattern: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        compile_rule(Rule(pattern), matching=Matching(), macros={})
    assert message in str(error.value)
