"""Expressions from settled outputs say what the item is about, and accept nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.data.formats.suite_items import Item, Matching, Rule, Suite
from mtassay.methods.suite.acceptance import Wish, rules_to_add
from mtassay.methods.suite.induction import Background, Focus, common_words, pattern_of, separate
from mtassay.methods.suite.material import ItemMaterial
from mtassay.methods.suite.rule_judge import Judge
from mtassay.nlp.word_forms import function_words

ENGLISH = Focus(function_words("en"))
WISH = Wish("ana", ("a",), form="regex", correct=True)


def item(key: str = "a", source: str = "x", **rest: object) -> Item:
    return Item(key, "de-en", "C", "P", source, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mine", "others", "expected"),
    [
        (["He ate fish."], ["He ate meat."], ["fish"]),
        (["He ate the fish."], ["He ate fish."], ["ate the fish"]),
        (["He ate fish."], ["He ate the fish."], ["ate fish"]),
        (["He ate fish.", "He had fish."], ["He ate meat."], ["fish"]),
        (["a black cat", "two big dogs"], ["a big rat"], []),  # nothing that right outputs share
        (["Some cats sleep well."], ["All cats sleep here."], []),  # two differences: which one matters?
        (["big cat", "fat cat"], ["dog"], ["cat"]),
        (["The cats all sleep."], ["All the cats sleep."], ["cats all sleep"]),
        (["He said it, and she slept."], ["She slept, and he said it."], []),
        (["same words"], ["same words"], []),
        (["“Win!” he said."], ["Win, he said."], []),
        (["他吃鱼"], ["他吃肉"], ["吃鱼"]),
    ],
)
def test_words_that_tell_texts_apart(mine: list[str], others: list[str], expected: list[str]) -> None:
    assert separate(mine, others, matching=Matching(), focus=ENGLISH) == expected


@pytest.mark.parametrize(
    ("mine", "others"),
    [
        ("It is.", "It was."),
        ("Yes.", "No."),
        ("I had to.", "I should."),
        ("x", "y"),
        ("It's a b.", "It's a c."),
    ],
)
def test_function_words_letters_and_pieces_are_no_rule(mine: str, others: str) -> None:
    assert separate([mine], [others], matching=Matching(), focus=ENGLISH) == []


@pytest.mark.parametrize(
    ("language", "mine", "others", "expected"),
    [
        ("ja", "猫が三匹います。", "猫が二匹います。", "三匹"),
        ("ja", "彼は来なかった。", "彼は来た。", "来なかった"),
        ("ja", "手紙を書かせた。", "手紙を書いた。", "書かせた"),
        ("ja", "駅まで歩いた。", "駅から歩いた。", "駅まで"),
        ("ja", "コーヒーを飲む。", "紅茶を飲む。", "コーヒー"),
        ("zh", "我昨天没有去学校。", "我昨天去了学校。", "没有"),
        ("ar", "رأيت الكتاب الجديد.", "رأيت القلم الجديد.", "الكتاب"),
    ],
)
def test_suggestions_are_words_in_scripts_without_spaces(
    language: str, mine: str, others: str, expected: str
) -> None:
    focus = Focus(ordinary=function_words(language))
    assert separate([mine], [others], matching=Matching(), focus=focus) == [expected]


def test_a_sequence_is_no_fragment() -> None:
    (found,) = separate(
        ["He beat him black and blue."], ["He beat him green and blue."], matching=Matching(), focus=ENGLISH
    )
    assert found == "black"
    elsewhere = Focus(function_words("en"), is_elsewhere=lambda _, words: list(words) == ["black"])
    (found,) = separate(
        ["He beat him black and blue."], ["He beat him green and blue."], matching=Matching(), focus=elsewhere
    )
    assert found == "beat him black"  # not "black and"


def test_what_rules_of_the_item_name_may_be_a_function_word_and_is_preferred() -> None:
    named = Focus(function_words("en"), is_named=lambda word: word == "she")
    found = separate(["Then she slept."], ["Then he rested."], matching=Matching(), focus=named)
    assert found == ["she slept"]  # not alone: it is in nearly every text
    both = Focus(function_words("en"), is_named=lambda word: word in ("neither", "nor"))
    found = separate(["Neither he nor I came."], ["Either he or I came."], matching=Matching(), focus=both)
    assert found == ["Neither … nor"]


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["fish"], r"\bfish\b"),
        (["a b", "c"], r"\b(?:a b|c)\b"),
        (["what-if"], r"\bwhat-if\b"),
        (["鱼"], "鱼"),
        (["鱼", "fish"], r"鱼|\bfish\b"),
        (["all … not"], r"\ball\b.*\bnot\b"),
    ],
)
def test_words_become_an_expression(words: list[str], pattern: str) -> None:
    assert pattern_of(words) == pattern


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4).map(" ".join), max_size=12))
def test_common_words_stand_in_as_many_items_as_asked_for(texts: list[str]) -> None:
    found = common_words([[text] for text in texts], share=0.5, least=2)
    for word in "abcdef":
        count = sum(word in text.split() for text in texts)
        assert (word in found) == (count >= max(2, len(texts) / 2))


def test_no_rule_accepts_an_output_of_another_item() -> None:
    suite = Suite((item(), item("b", "y", references=("My husband sleeps.",))), langpair="de-en")
    focus = Background(suite, {}).focus(suite.items[0])
    assert separate(["Her husband left."], ["Her man left."], matching=Matching(), focus=focus) == [
        "husband left"
    ]
    same = Suite((item(), item("b", "x", references=("My husband sleeps.",))), langpair="de-en")
    focus = Background(same, {}).focus(same.items[0])  # another item with this source asks the same
    assert separate(["Her husband left."], ["Her man left."], matching=Matching(), focus=focus) == ["husband"]


RELATED = tuple(
    item(
        f"s{n}",
        f"s{n}",
        positive_regex=(Rule(f"w{n} came .*late$"),),
        references=(f"w{n} came home too late",),
    )
    for n in range(4)
)


def test_a_phenomenon_whose_rules_refuse_damaged_sentences_gets_such_rules() -> None:
    suite = Suite((item(), *RELATED), langpair="de-en")
    focus = Background(suite, {}).focus(suite.items[0])
    assert len(focus.damages) == 2
    (words,) = separate(
        ["Birds fly south every winter"], ["Birds fly north every winter"], matching=Matching(), focus=focus
    )
    assert re.search(pattern_of([words]), "Birds fly south every winter")
    assert not re.search(pattern_of([words]), "Birds fly")
    declared = Suite(suite.items, langpair="de-en", words_alone=("p*",))
    assert Background(declared, {}).focus(item()).damages == []


def test_an_output_without_words_of_its_own_becomes_a_token_and_that_is_said() -> None:
    material = ItemMaterial({"a": {"It was.": ["s"]}})
    suite = Suite((item(negative_tokens=(Rule("It is."),)),), langpair="de-en")
    outcome = rules_to_add(suite, material, WISH)
    assert [(name, rule.text) for name, rule in outcome.rules["a"]] == [("positive_tokens", "It was.")]
    assert "1 output from the incorrect ones. So each becomes a token" in outcome.remarks[0]


def test_a_rule_is_written_where_there_is_one_and_the_known_verdicts_hold() -> None:
    material = ItemMaterial({"a": {"Her husband left.": ["s"]}})
    suite = Suite((item(negative_tokens=(Rule("Her man left."),)),), langpair="de-en")
    ((name, rule),) = rules_to_add(suite, material, WISH).rules["a"]
    assert (name, rule.text) == ("positive_regex", r"\bhusband\b")
    judge = Judge(suite)
    assert judge.judge(item(positive_regex=(rule,)), "He went to the sea.").status == "undecided"
