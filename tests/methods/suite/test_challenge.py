"""Challenge sets made from what is known about outputs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.data.subjects import Subject
from mtassay.methods.suite.material import NO_CORRECT, NO_INCORRECT, NOTHING, Sides, make_pairs, sort_outputs

ITEM = Item("i1", "pt-en", "Negation", "Concord", "Ninguém disse nada.")


def tokens(*texts: str) -> tuple[Rule, ...]:
    return tuple(map(Rule, texts))


def known(*, correct: str = "", incorrect: str = "") -> Sides:
    return Sides({text: ["token"] for text in correct}, {text: ["token"] for text in incorrect})


def test_tokens_outputs_and_reviews_are_known_with_all_their_origins() -> None:
    item = replace(
        ITEM,
        positive_tokens=tokens("Nobody said anything."),
        negative_tokens=tokens("Nobody said nothing."),
        positive_regex=tokens("No one"),
    )
    outputs = {
        "A": {"i1": "Nobody said anything."},
        "B": {"i1": "No one  spoke. "},
        "C": {"i1": "Silence."},
        "D": {"i1": "Person said."},
        "E": {"i2": "No one: another item."},
    }
    reviewed = [Subject("i1", (ITEM.source,), (text,)) for text in ("Person said.", "They were silent.")]
    decisions = {reviewed[0].id: "incorrect", reviewed[1].id: "correct"}
    found = sort_outputs(Suite((item,)), outputs, decisions=decisions, subjects=reviewed)
    assert found["i1"].correct == {
        "Nobody said anything.": ["token", "output:A"],
        "They were silent.": ["review"],
        "No one spoke.": ["output:B"],
    }
    assert found["i1"].incorrect == {
        "Nobody said nothing.": ["token"],
        "Person said.": ["review", "output:D"],
    }


def test_a_review_wins_over_the_rules_and_one_of_another_source_does_not_count() -> None:
    item = replace(ITEM, positive_tokens=tokens("Nobody."))
    now, before = Subject("i1", (ITEM.source,), ("Nobody.",)), Subject("i1", ("Antes.",), ("Old.",))
    decisions = {now.id: "incorrect", before.id: "correct"}
    found = sort_outputs(Suite((item,)), {}, decisions=decisions, subjects=[now, before])["i1"]
    assert (found.correct, found.incorrect) == ({}, {"Nobody.": ["token", "review"]})


@pytest.mark.parametrize("text", ["", "  ", "No one said nothing", "Something else"])
def test_blank_conflicting_and_undecided_outputs_are_not_known(text: str) -> None:
    item = replace(ITEM, positive_regex=tokens("No one"), negative_regex=tokens("nothing"))
    found = sort_outputs(Suite((item,)), {"A": {"i1": text}})["i1"]
    assert found == Sides()


def test_texts_that_differ_from_their_opposite_in_spaces_alone_are_not_known() -> None:
    item = replace(ITEM, positive_tokens=tokens("No one."), negative_tokens=tokens("No  one.", "One."))
    found = sort_outputs(Suite((item,)), {})["i1"]
    assert (found.correct, list(found.incorrect)) == ({}, ["One."])


@pytest.mark.parametrize(
    ("what", "why"),
    [(known(), NOTHING), (known(correct="a"), NO_INCORRECT), (known(incorrect="x"), NO_CORRECT)],
)
def test_an_item_without_both_kinds_says_why_it_has_no_pair(what: Sides, why: str) -> None:
    harvest = make_pairs(ITEM, what)
    assert (harvest.pairs, harvest.why_none) == ((), why)


def test_the_only_correct_output_stays_in_the_pair_and_a_reference_of_the_item_serves() -> None:
    item = replace(ITEM, references=("a", "r"))
    (pair,) = make_pairs(item, known(correct="a", incorrect="x")).pairs
    assert (pair.reference, pair.correct, pair.incorrect) == ("r", "a", "x")
    assert pair.origin == {"reference": ["reference"], "correct": ["token"], "incorrect": ["token"]}


def test_without_another_correct_text_there_is_no_reference() -> None:
    (pair,) = make_pairs(ITEM, known(correct="a", incorrect="x")).pairs
    assert pair.reference is None
    assert "reference" not in pair.origin


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 30), st.integers(0, 99))
def test_pairs_differ_share_one_reference_and_use_every_text_they_can(
    correct: int, incorrect: int, per_item: int, seed: int
) -> None:
    what = known(correct="abcde"[:correct], incorrect="vwxyz"[:incorrect])
    pairs = make_pairs(ITEM, what, per_item=per_item, seed=seed).pairs
    left = max(correct - 1, 1)
    assert len(pairs) == min(per_item, left * incorrect)
    assert (
        len({(pair.correct, pair.incorrect) for pair in pairs})
        == len({pair.id for pair in pairs})
        == len(pairs)
    )
    assert len({pair.reference for pair in pairs}) == 1
    assert all(pair.reference not in (pair.correct, pair.incorrect) for pair in pairs)
    for side, size in (("correct", left), ("incorrect", incorrect)):
        assert len({getattr(pair, side) for pair in pairs}) == min(size, len(pairs))


def test_the_draw_depends_on_seed_and_item_and_on_no_order() -> None:
    first, second = (
        Sides({"a": [], "b": [], "c": []}, {"x": []}),
        Sides({"c": [], "a": [], "b": []}, {"x": []}),
    )
    assert make_pairs(ITEM, first, seed=3).pairs == make_pairs(ITEM, second, seed=3).pairs
    drawn = {make_pairs(ITEM, first, seed=seed).pairs[0].reference for seed in range(30)}
    assert drawn == {"a", "b", "c"}
