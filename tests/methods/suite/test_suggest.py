"""Rules that follow from settled outputs, and never break one."""

from __future__ import annotations

from hypothesis import strategies as st

from mtassay.data.formats.suite_items import Item, Matching, Rule, Suite
from mtassay.methods.suite.acceptance import (
    Known,
    broken_by,
    expression_for,
    known_outputs,
    with_rules,
)
from mtassay.methods.suite.rule_judge import Judge

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


TEXTS = st.lists(
    st.sampled_from(["a", "b", "c", "D", "é.", "f-g", "(h", "x|y", "鱼"]), min_size=1, max_size=6
).map(" ".join)
