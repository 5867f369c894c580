"""Rules that follow from settled outputs, and never break one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.suite_items import Item, Matching, Rule, Suite
from mtassay.methods.suite.rule_judge import Judge
from mtassay.methods.suite.suggestions import (
    Known,
    broken_by,
    expression_for,
    known_outputs,
    nearest,
    suggest,
    with_rules,
)

ITEM = Item(
    "a",
    "en-pt",
    "Negation",
    "Concord",
    "Nobody said anything.",
    positive_tokens=(Rule("Ninguém disse nada."),),
    negative_tokens=(Rule("Ninguém disse algo."),),
)
IGNORE = Matching(case="ignore", unicode="NFC", whitespace="collapse")


def judge_of(item: Item = ITEM, matching: Matching = IGNORE) -> Judge:
    return Judge(Suite((item,), matching=matching))


def test_what_is_known_comes_from_everywhere_and_reviews_win() -> None:
    item = with_rules(ITEM, [("positive_regex", Rule("jamais"))])
    known = known_outputs(
        judge_of(item),
        item,
        outputs=["Jamais disse nada.", "Quem sabe.", " Ninguém  disse algo."],
        decisions={"Ninguém disse algo.": True},
    )
    assert known == [
        Known("Ninguém disse algo.", True, "review"),
        Known("Ninguém disse nada.", True, "token"),
        Known("Jamais disse nada.", True, "rule"),
    ]


def test_the_smallest_expressions_settle_what_is_undecided() -> None:
    known = known_outputs(judge_of(), ITEM)
    found = suggest(judge_of(), ITEM, known, ["Ninguém falou nada.", "Alguém falou algo.", "Quem sabe."])
    assert [(p.kind, p.pattern, p.covers, p.of) for p in found.proposals] == [
        ("positive_regex", r"\bnada\b", 1, 1),
        ("negative_regex", r"\balgo\b", 1, 1),
    ]
    assert [each.becomes for each in found.undecided] == ["correct", "incorrect", "undecided"]
    assert found.undecided[0].nearest
    assert found.undecided[0].nearest.known.text == "Ninguém disse nada."
    assert found.undecided[0].nearest.similarity == pytest.approx(3 / 4)  # 3 of 4 words and marks, twice


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ([], "no output of it is settled yet"),
        ([Known("x", True, "token")], "no incorrect output is known yet, so there is nothing to tell apart"),
        ([Known("x", False, "token")], "no correct output is known yet, so there is nothing to tell apart"),
        (
            [Known("x!", True, "token"), Known("x?", False, "token")],
            "no words of their own tell the correct outputs from the incorrect ones",
        ),
    ],
)
def test_it_says_why_there_is_no_expression(known: list[Known], why: str) -> None:
    bare = Item("a", "en-pt", "C", "P", "x")
    found = suggest(judge_of(bare), bare, known, ["y"])
    assert (found.proposals, found.why_not) == ((), why)


def test_what_settles_nothing_can_be_left_out() -> None:
    known = known_outputs(judge_of(), ITEM)
    found = suggest(judge_of(), ITEM, known, ["Ninguém falou nada."])
    assert [(p.kind, p.settles) for p in found.proposals] == [("positive_regex", 1), ("negative_regex", 0)]
    assert [p.kind for p in found.without_idle().proposals] == ["positive_regex"]
    idle = suggest(judge_of(), ITEM, known, ["Quem sabe."])
    assert (idle.settles, len(idle.proposals)) == (0, 2)
    assert (idle.without_idle().proposals, idle.without_idle().why_not) == ((), "none settles any of these")


def test_two_proposals_never_meet_in_one_output() -> None:
    known = [Known("a b", True, "token"), Known("c d", False, "token")]
    bare = Item("a", "en-pt", "C", "P", "x")
    found = suggest(judge_of(bare), bare, known, ["a c", "b d", "a b c d"])
    assert "conflict" not in {each.becomes for each in found.undecided}


def test_an_expression_is_broken_by_what_it_should_not_match_even_under_a_token() -> None:
    known = known_outputs(judge_of(), ITEM)
    (broken,) = broken_by(judge_of(), ITEM, [("positive_regex", Rule("disse"))], known)
    assert (broken.known.text, broken.status) == ("Ninguém disse algo.", "incorrect")
    assert not broken_by(judge_of(), ITEM, [("positive_regex", Rule("nada"))], known)


def test_an_expression_for_certain_outputs_matches_what_it_can_of_them_or_is_none() -> None:
    known = known_outputs(judge_of(), ITEM)
    judge = judge_of()
    assert expression_for(judge, ITEM, ["Não disse nada."], known, correct=True) == r"\bnada\b"
    assert expression_for(judge, ITEM, ["Ninguém disse algo!"], known, correct=True) is None
    assert expression_for(judge, ITEM, ["Oi."], known[:1], correct=True) is None


def test_the_nearest_of_nothing_is_nothing() -> None:
    assert nearest("x", [], Matching()) is None


def test_an_endless_output_is_no_trouble() -> None:
    known = [Known("a " * 50_000, True, "token"), Known("b", False, "token")]
    bare = Item("a", "en-pt", "C", "P", "x")
    assert suggest(judge_of(bare), bare, known, ["b " * 50_000]).undecided[0].nearest is not None


TEXTS = st.lists(
    st.sampled_from(["a", "b", "c", "D", "é.", "f-g", "(h", "x|y", "鱼"]), min_size=1, max_size=6
).map(" ".join)


@given(
    st.dictionaries(TEXTS, st.booleans(), min_size=1, max_size=6),
    st.lists(TEXTS, unique=True, max_size=4),
    st.booleans(),
)
def test_no_proposal_changes_what_is_known(
    settled: dict[str, bool], undecided: list[str], ignore: bool
) -> None:
    matching = IGNORE if ignore else Matching()
    bare = Item("a", "en-pt", "C", "P", "x")
    judge = judge_of(bare, matching)
    known = known_outputs(judge, bare, decisions=settled)
    open_ = [text for text in undecided if text not in settled]
    found = suggest(judge, bare, known, open_)
    changed = with_rules(bare, [(p.kind, Rule(p.pattern)) for p in found.proposals])
    for each in known:
        assert judge.judge(changed, each.text).status in ("undecided", each.verdict)
    assert all(judge.judge(changed, text).status != "conflict" for text in open_)
