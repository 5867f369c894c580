"""Dictionaries of word forms are indexed once for all processes of a user."""

from __future__ import annotations

from pathlib import Path

import pytest
import simplemma

from mtassay.nlp.word_forms import kept_dictionaries

WORDS = ["houses", "went", "zzyzx", "naïve", "a"]


def looked_up(folder: Path) -> list[str | None]:
    kept_dictionaries.cache_clear()
    dictionary = kept_dictionaries(folder).get_dictionary("en")
    return [dictionary.get(word) for word in WORDS]


def test_a_kept_dictionary_has_the_words_of_the_package(tmp_path: Path) -> None:
    expected = looked_up(tmp_path / "new")
    assert [bool(lemma) for lemma in expected] == [simplemma.is_known(word, "en") for word in WORDS]
    [copy] = (tmp_path / "new").iterdir()
    written = copy.stat().st_mtime_ns
    assert looked_up(tmp_path / "new") == expected
    assert copy.stat().st_mtime_ns == written


@pytest.mark.parametrize("broken", [b"", b"no index", b"\xe9\x01\x00\x00\x00N"])
def test_a_broken_copy_is_made_again(tmp_path: Path, broken: bytes) -> None:
    expected = looked_up(tmp_path)
    [copy] = tmp_path.iterdir()
    whole = copy.read_bytes()
    copy.write_bytes(broken)
    assert looked_up(tmp_path) == expected
    assert copy.read_bytes() == whole


def test_where_nothing_can_be_kept_dictionaries_are_read_all_the_same(tmp_path: Path) -> None:
    expected = looked_up(tmp_path)
    file = tmp_path / "file"
    file.touch()
    assert looked_up(file / "below") == expected
