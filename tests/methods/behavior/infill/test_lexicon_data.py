"""The lexicon files: every row can be read, and every group is a choice."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from mtassay_en.lexicon_entries import (
    LANGUAGES,
    PARTS,
    load_lexicon,
    near_groups,
    rows_of,
    says_gender,
)

from mtassay.data.errors import UsageError

PAIRS = [("en", "pt"), ("pt", "en"), ("en", "de"), ("de", "en"), ("en", "zh"), ("zh", "en")]


@pytest.mark.parametrize("languages", PAIRS)
def test_every_row_can_be_read(languages: tuple[str, str]) -> None:
    entries = load_lexicon(*languages).entries
    assert len(entries) > 300
    assert all(entry.source and entry.reference for entry in entries)


@pytest.mark.parametrize("name", PARTS)
def test_rows_have_known_columns_and_are_not_repeated(name: str) -> None:
    rows = [row for _, row in rows_of(name)]
    assert all(set(row) <= {"group", "use", *LANGUAGES} for row in rows)
    assert {row.get("use", "") for row in rows} <= {"", "in", "out"}
    assert [row for row, count in Counter(tuple(row.items()) for row in rows).items() if count > 1] == []


@pytest.mark.parametrize("name", PARTS)
def test_no_group_is_a_single_word(name: str) -> None:
    groups = defaultdict(set)
    for _, row in rows_of(name):
        groups[row["group"]].add(row["en"])
    assert {group for group, words in groups.items() if len(words) < 2} == set()


def test_an_entry_in_english_and_portuguese_agrees_in_number() -> None:
    for entry in load_lexicon("en", "pt").entries:
        if entry.part == "NOUN" and {"sg", "pl"} <= set(entry.source):
            assert entry.cells(entry.source["sg"], next(iter(entry.reference.values())))


def test_an_english_word_that_is_always_feminine_in_portuguese_says_so() -> None:
    genders = defaultdict(set)
    for _, row in rows_of("people"):
        if row.get("pt"):
            genders[row["en"].split(",")[0]].update(row["pt"].split(" ")[0].split("/"))
    assert {
        word for word, articles in genders.items() if articles == {"a"} and not says_gender(word)
    } == set()
    assert {word for word, articles in genders.items() if len(articles) > 1 and says_gender(word)} == {
        "cameraman", "policeman",  # which Portuguese does not say of men alone
    }  # fmt: skip


def test_idioms_are_patterns_of_a_known_language() -> None:
    for _, row in rows_of("idioms"):
        assert row["language"] in LANGUAGES
        re.compile(row["idiom"])


def test_groups_of_near_words_are_groups_of_the_lexicon() -> None:
    groups = {row["group"] for name in PARTS for _, row in rows_of(name)}
    assert groups >= near_groups()


def test_a_language_without_a_lexicon_says_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"does not know 'ru'\. Available: en, pt, de, zh\..*llm:"):
        load_lexicon("en", "ru")
