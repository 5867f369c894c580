"""Our tokenisers give the words that sacreBLEU's give, whatever the text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from mtassay.data.language_packs import release_of
from mtassay.measures.tokenizers import split_for_ter, split_texts, split_words

OURS = ("13a", "zh", "intl", "char", "none")


def expected_words(texts: Iterable[str], tokenizer: str, *, lowercase: bool = False) -> list[list[str]]:
    """What `BLEU._preprocess_segment` makes of each text."""
    tokenize = _get_tokenizer(tokenizer)()
    return [tokenize((text.lower() if lowercase else text).rstrip()).split() for text in texts]


def lines_with(points: Iterable[int]) -> list[str]:
    """Every character beside letters, digits, points and dashes, alone, and at the ends of a line."""
    return [f"{c}1{c}2.{c}a{c},{c}-5{c}{c} {c} 7{c}" for c in map(chr, points)]


@pytest.mark.parametrize("tokenizer", OURS)
def test_characters_are_split_as_sacrebleu_splits_them(tokenizer: str) -> None:
    points = [*range(0x3400), *range(0x3400, 0x30000, 97), *range(0xF900, 0x10000), 0xD800, 0x10FFFF]
    lines = lines_with(points)
    assert split_words(lines, tokenizer) == expected_words(lines, tokenizer)


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", OURS)
def test_every_character_of_unicode_is_split_as_sacrebleu_splits_it(tokenizer: str) -> None:
    for start in range(0, sys.maxunicode + 1, 0x4000):
        lines = lines_with(range(start, start + 0x4000))
        assert split_words(lines, tokenizer) == expected_words(lines, tokenizer)


MARKS = "ab5٣Ⅷ.,;-–'’&<>$€+_ \t\n\u3000\u2028\x1c中。，“ßΣİ\u0301\ud800"
texts = st.text(st.sampled_from(MARKS) | st.characters(), max_size=30)
skipped = st.sampled_from(["<skipped>", "&quot;", "&amp;lt;", "-\n", "..5", "5..", ". ,5", "'s"])
lines = st.lists(st.lists(texts | skipped, max_size=4).map("".join), max_size=6)


@pytest.mark.parametrize("tokenizer", OURS)
@given(lines=lines, lowercase=st.booleans())
def test_any_text_is_split_as_sacrebleu_splits_it(tokenizer: str, lines: list[str], lowercase: bool) -> None:
    assert split_words(lines, tokenizer, lowercase=lowercase) == expected_words(
        lines, tokenizer, lowercase=lowercase
    )


@pytest.mark.parametrize("tokenizer", OURS)
@given(lines=lines)
def test_words_in_a_row_are_those_of_the_texts(tokenizer: str, lines: list[str]) -> None:
    row = split_texts(lines, tokenizer)
    rows = split_words(lines, tokenizer)
    assert row.words == [word for words in rows for word in words]
    assert row.lengths.tolist() == [len(words) for words in rows]


@given(lines=lines, flags=st.tuples(*[st.booleans()] * 4))
def test_texts_for_ter_are_split_as_sacrebleu_splits_them(
    lines: list[str], flags: tuple[bool, bool, bool, bool]
) -> None:
    normalized, no_punct, asian_support, case_sensitive = flags
    tokenize = TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
    assert split_for_ter(
        lines,
        normalized=normalized,
        no_punct=no_punct,
        asian_support=asian_support,
        case_sensitive=case_sensitive,
    ) == [tokenize(line.rstrip()) for line in lines]


def test_the_version_of_sacrebleu_is_the_installed_one() -> None:
    assert release_of("sacrebleu") == version("sacrebleu")
