"""Rules that call unrelated, shuffled and halved sentences correct are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.suite_files import read_suite, write_suite
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.methods.suite.pitfalls import first_half, shuffled
from mtassay.methods.suite.problems import Problem, lint


def item(key: str, pattern: str, reference: str, phenomenon: str = "P") -> Item:
    rules = (Rule(pattern),)
    return Item(
        key, "en-de", "C", phenomenon, f"Source {key}.", positive_regex=rules, references=(reference,)
    )


def found(*items: Item, words_alone: tuple[str, ...] = ()) -> list[Problem]:
    suite = Suite(items, langpair="en-de", words_alone=words_alone)
    return [problem for problem in lint(suite) if problem.code.startswith("accepts-")]


@pytest.mark.parametrize("pattern", [r"\bes\b", r"\bja\b", r"\bhat|war\b", r"\b(?:Haus|hat)\b"])
def test_a_function_word_that_decides_alone_accepts_any_sentence(pattern: str) -> None:
    (problem,) = found(item("a", pattern, "Ja, es hat das Haus, das da war."))
    assert (problem.code, problem.item, problem.rule) == ("accepts-unrelated", "a", pattern)


@pytest.mark.parametrize("pattern", [r"\bHaus\b", r"\bhat .*gekauft\b", r"\bhat das Haus\b", r"\bWAS\b"])
def test_words_that_say_something_are_fine(pattern: str) -> None:
    assert found(item("a", pattern, "WAS er hat: er hat das Haus gekauft.")) == []


def test_sentences_of_other_phenomena_are_unrelated() -> None:
    loose = item("a", "geht", "Der Zug geht.")
    others = [item(f"b{n}", f"Wort{n}", f"Das Wort{n} geht um.", f"Q{n}") for n in range(2)]
    assert [(problem.code, problem.item) for problem in found(loose, *others)] == [("accepts-unrelated", "a")]
    assert found(loose, others[0]) == []  # one may share a topic


NOUNS = [item(f"n{n}", f"Wort{n}", f"Wort{n} steht hier ganz allein") for n in range(5)]


def test_shuffled_and_halved_references_are_one_note_for_a_phenomenon_unless_the_suite_declares_it() -> None:
    assert [(problem.code, problem.severity, problem.item) for problem in found(*NOUNS)] == [
        ("accepts-shuffled", "info", ""),
        ("accepts-half", "info", ""),
    ]
    assert found(*NOUNS)[0].what.startswith(
        "C › P: 5 of 5 references stay correct with their words shuffled;"
    )
    assert found(*NOUNS, words_alone=("p*",)) == []
    assert found(*NOUNS[:2]) == []  # too few to say anything


def test_what_a_suite_declares_is_kept_in_its_file(tmp_path: Path) -> None:
    write_suite(tmp_path / "s.yaml", Suite(tuple(NOUNS), langpair="en-de", words_alone=("P", "Q*")))
    assert read_suite(tmp_path / "s.yaml").words_alone == ("P", "Q*")


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=8).map(" ".join))
def test_damage_keeps_the_words(text: str) -> None:
    assert sorted(shuffled(text).split()) == sorted(text.split())
    assert (shuffled(text) == text) == (len(set(text.split())) < 2)
    assert text.startswith(first_half(text))
