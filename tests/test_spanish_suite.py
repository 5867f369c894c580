"""The suite from English into Spanish: its size, and rules that tell right from wrong translations."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.formats.suite_files import read_suite
from mtassay.methods.suite.problems import lint
from mtassay.methods.suite.rule_judge import Judge

TESTS = Path(__file__).resolve().parent
SUITE = TESTS.parent / "packs" / "es" / "src" / "mtassay_es" / "suites" / "en-es.yaml"


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(read_suite(SUITE))


@pytest.fixture(scope="module")
def answers() -> list[list[str]]:
    """Item, intended verdict and output."""
    header, *rows = (
        (TESTS / "own_suites" / "en-es.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    )
    assert header == "item\tintended\toutput"
    return [row.split("\t") for row in rows]


def test_it_is_as_large_as_promised(judge: Judge) -> None:
    items = judge.suite.items
    assert len(items) >= 150
    assert len({item.category for item in items}) >= 15
    assert len({item.phenomenon for item in items}) >= 30
    hard = {item.phenomenon for item in items if "hard" in item.tags}
    assert hard == {item.phenomenon for item in items}


def test_every_item_has_two_wordings_and_answers_of_both_kinds(
    judge: Judge, answers: list[list[str]]
) -> None:
    assert [item.id for item in judge.suite.items if len(set(item.references)) < 2] == []
    for verdict in ("correct", "incorrect"):
        assert {item for item, intended, _ in answers if intended == verdict} == set(judge.items)


def test_answers_are_judged_as_intended(judge: Judge, answers: list[list[str]]) -> None:
    wrong = {
        (item, output): judge.judge(judge.items[item], output).status
        for item, intended, output in answers
        if judge.judge(judge.items[item], output).status != intended
    }
    assert wrong == {}


def test_a_translation_of_another_item_is_never_correct(judge: Judge) -> None:
    items = judge.suite.items
    accepted = [
        (item.id, other.id)
        for item in items
        for other in items
        for reference in other.references
        if other is not item and judge.judge(item, reference).status == "correct"
    ]
    assert accepted == []


def test_suite_check_finds_nothing_but_drafts(judge: Judge) -> None:
    found = [problem.code for problem in lint(judge.suite) if problem.code != "draft"]
    assert found == []
