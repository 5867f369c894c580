"""Outputs are judged by tokens, then by expressions, and nothing is silently resolved."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_items import Item, Matching, Rule, Suite, expand
from mtassay.methods.suite import patterns
from mtassay.methods.suite.rule_judge import Judge, JudgedOutput

EXACT = Matching()
LOOSE = Matching(case="ignore", unicode="NFC", whitespace="collapse")


def item(source: str = "Sie bekam einen Brief.", langpair: str = "de-en", **fields: Any) -> Item:
    return Item("1", langpair, "False friends", "False friends", source, **fields)


def judge(output: str, one: Item, matching: Matching = EXACT) -> JudgedOutput:
    return Judge(Suite((one,), matching=matching)).judge(one, output)


LETTER = item(
    positive_regex=(Rule("received"),),
    negative_regex=(Rule(r"\bbecame\b", note="a false friend"), Rule("bekam")),
    positive_tokens=(Rule("She got a letter."), Rule("She became glad when she received it.")),
    negative_tokens=(Rule("She received other news."),),
)


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("She received a letter.", "correct"),
        ("She became a letter.", "incorrect"),
        ("She gave a letter.", "undecided"),
        ("She got a letter.", "correct"),
        ("She got a letter", "undecided"),
        ("She received and became a letter.", "conflict"),
        ("She became glad when she received it.", "correct"),
        ("She received other news.", "incorrect"),
        ("", "incorrect"),
        (" \t ", "incorrect"),
    ],
)
def test_the_four_statuses(output: str, status: str) -> None:
    assert judge(output, LETTER).status == status


def test_evidence_says_which_rule_matched_where() -> None:
    assert judge("She became one.", LETTER).evidence.as_json() == {
        "status": "incorrect",
        "why": r"matches negative regex \bbecame\b",
        "matches": [
            {
                "kind": "negative_regex",
                "rule": r"\bbecame\b",
                "match": "became",
                "span": [4, 10],
                "note": "a false friend",
            }
        ],
    }


def test_evidence_says_that_a_token_won_over_an_expression() -> None:
    judged = judge("She became glad when she received it.", LETTER)
    assert judged.why == r"a person settled this output; this wins over the expression \bbecame\b"
    assert [match.kind for match in judged.matches] == ["positive_tokens", "positive_regex", "negative_regex"]


def test_an_empty_output_is_incorrect_with_that_reason() -> None:
    assert judge("", item()).evidence.as_json() == {"status": "incorrect", "why": "the output is empty"}


STRICT = Matching(case="ignore", quotes="fold", invisible="ignore", copies="incorrect")


def test_a_copy_of_the_source_is_incorrect_with_that_reason() -> None:
    one = item(source="I was there.", positive_regex=(Rule("there"),))
    expected = {"status": "incorrect", "why": "the output is a copy of the source"}
    assert judge("I was there.", one, STRICT).evidence.as_json() == expected
    assert judge("i was there.", one, STRICT).status == "incorrect"
    assert judge("I was there", one, STRICT).status == "correct"
    assert judge("I was there.", one).status == "correct"


@pytest.mark.parametrize(
    "fields",
    [
        {"references": ("Homo sapiens",)},
        {"positive_tokens": (Rule("Homo sapiens"),)},
        {"langpair": "en-en"},
    ],
)
def test_a_copy_may_be_right_where_the_item_says_so(fields: dict[str, Any]) -> None:
    one = item(source="Homo sapiens", positive_regex=(Rule("sapiens"),), **fields)
    assert judge("Homo sapiens", one, STRICT).status == "correct"


@pytest.mark.parametrize(
    ("rule", "output"),
    [
        ("don't", "I don’t."),
        ("don’t", "I don't."),
        (r"don\u2019t", "I don't."),
        ("[‘-”]yes", 'He said "yes".'),
        ("^“yes”$", '"Yes"'),
        ("straße", "die Stra\u00adße"),
        ("not\u200bhing", "nothing"),
        ("nothing", "no\u200bth\ufeffing"),
    ],
)
def test_quotes_fold_and_what_nobody_sees_is_ignored_unless_texts_are_compared_exactly(
    rule: str, output: str
) -> None:
    one = item(positive_regex=(Rule(rule),))
    assert judge(output, one, STRICT).status == "correct"
    assert judge(output, one).status == "undecided"


def test_low_and_angular_quotation_marks_are_no_others() -> None:
    one = item(negative_regex=(Rule("[„«]"),))
    assert judge('"Yes"', one, STRICT).status == "undecided"
    assert judge("„Yes“", one, STRICT).status == "incorrect"


def test_a_token_is_equal_whatever_its_quotation_marks() -> None:
    one = item(positive_tokens=(Rule("She said “no”."),))
    assert judge('She said "no".', one, STRICT).status == "correct"


def test_a_token_of_both_kinds_is_a_conflict() -> None:
    both = item(positive_tokens=(Rule("Yes."),), negative_tokens=(Rule("Yes."),))
    assert judge("Yes.", both).status == "conflict"


def test_an_empty_rule_is_no_rule() -> None:
    assert judge("x", item(positive_tokens=(Rule(""),))).status == "undecided"


@pytest.mark.parametrize(
    ("output", "matching", "status"),
    [
        ("she got a  letter. ", Matching(), "undecided"),
        ("she got a  letter. ", LOOSE, "correct"),
        ("RECEIVED", Matching(), "undecided"),
        ("RECEIVED", LOOSE, "correct"),
    ],
)
def test_options_of_matching_hold_for_tokens_and_expressions(
    output: str, matching: Matching, status: str
) -> None:
    assert judge(output, LETTER, matching).status == status


def test_composed_and_decomposed_letters_are_equal_if_the_suite_says_so() -> None:
    one = item(positive_regex=(Rule("cafe\u0301"),))
    assert judge("um caf\u00e9", one).status == "undecided"
    assert judge("um caf\u00e9", one, LOOSE).status == "correct"


def test_a_rule_may_care_about_case_where_its_suite_does_not() -> None:
    one = item(positive_regex=(Rule("monday", case="exact"),), negative_tokens=(Rule("x", case="exact"),))
    assert judge("Monday", one, LOOSE).status == "undecided"
    assert judge("X", one, LOOSE).status == "undecided"
    assert judge("on monday", one, LOOSE).status == "correct"


def test_look_around_works_with_the_other_engine() -> None:
    one = item(negative_regex=(Rule("novel(?!la)", engine="regex"),))
    assert judge("a novella", one).status == "undecided"
    assert judge("a novel", one).status == "incorrect"


HOSTILE = [r"(a+)+$", r"(a|a)*b", r"(.*a){20}", r"(\w+\s?)*$", r"^(([a-z])+.)+[A-Z]([a-z])+$"]


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize(
    "output", ["a" * 100_000 + "!", "é" * 50_000, "a " * 50_000, "\x00" * 1000 + "a" * 99_000]
)
def test_a_hostile_pattern_ends_on_a_hostile_output(pattern: str, output: str) -> None:
    assert judge(output, item(positive_regex=(Rule(pattern),))).status in ("correct", "undecided")


def test_the_other_engine_gives_up_after_its_time_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "TIMEOUT", 0.05)
    one = item(positive_regex=(Rule(r"(a|aa)+$", engine="regex"),), negative_regex=(Rule("b"),))
    judged = judge("a" * 60 + "b", one)
    assert judged.status == "undecided"
    assert judged.evidence.timed_out == [r"(a|aa)+$"]
    assert "took longer" in judged.why


def test_a_bad_pattern_is_named_with_its_item() -> None:
    with pytest.raises(InputError, match=r"item '1': bad pattern '\(x' .*missing \)"):
        judge("x", item(positive_regex=(Rule("(x"),)))


def test_an_id_that_stands_twice_is_an_error() -> None:
    with pytest.raises(InputError, match="two items have the id '1'"):
        Judge(Suite((LETTER, LETTER)))


def test_macros_are_written_out() -> None:
    one = item(positive_regex=(Rule(r"\b{{never}}\b"),))
    suite = Suite((one,), macros={"never": "nunca|{{other}}", "other": "jamais"})
    assert Judge(suite).judge(one, "eu jamais vi").status == "correct"
    with pytest.raises(InputError, match="no macro 'never'"):
        judge("x", one)
    with pytest.raises(InputError, match="the macro 'never' contains itself"):
        Judge(Suite((one,), macros={"never": "{{never}}"})).judge(one, "x")


def doubling(levels: int) -> dict[str, str]:
    """A macro of few characters that has as many as two to the power of its level when it is written out."""
    macros = {f"m{level}": f"{{{{m{level - 1}}}}}{{{{m{level - 1}}}}}" for level in range(1, levels)}
    return {"m0": "x", **macros}


def test_macros_that_grow_without_end_are_told_with_the_limit() -> None:
    one = item(positive_regex=(Rule("{{m39}}"),))
    message = r"more than 100,000 characters; if it is meant to be so long, raise MTASSAY_MAX_PATTERN"
    with pytest.raises(InputError, match=message):
        Judge(Suite((one,), macros=doubling(40))).judge(one, "x")


def test_the_limit_of_macros_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_MAX_PATTERN", "40")
    assert expand("{{m2}}", doubling(3)) == "(?:(?:(?:x)(?:x))(?:(?:x)(?:x)))"
    with pytest.raises(ValueError, match="more than 40 characters"):
        expand("{{m3}}", doubling(4))
    monkeypatch.setenv("MTASSAY_MAX_PATTERN", "much")
    with pytest.raises(UsageError, match="MTASSAY_MAX_PATTERN is 'much'"):
        expand("{{m3}}", doubling(4))


def test_macros_within_each_other_have_a_largest_depth() -> None:
    chain = {f"m{level}": f"{{{{m{level + 1}}}}}" for level in range(2000)}
    with pytest.raises(ValueError, match="more than 50 macros within each other"):
        expand("{{m0}}", {**chain, "m2000": "x"})


def test_short_patterns_of_large_programs_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_MAX_PATTERN", "2000")
    rules = tuple(Rule(rf"\w{{60}}{letter}") for letter in "abcdefgh")
    with pytest.raises(InputError, match=r"item '1' make programs of more than 400,000 steps together"):
        judge("x", item(positive_regex=rules))


@pytest.mark.parametrize(
    "pattern", ["(?R)?a", "(?:(?R)|b)*a", "(?P<x>(?&x)?a)", "((?1)?a)", "(?P<x>(?P>x)?a)"]
)
def test_an_expression_that_calls_itself_is_refused(pattern: str) -> None:
    with pytest.raises(InputError, match="calls a group, which may have no end"):
        judge("aaa", item(positive_regex=(Rule(pattern, engine="regex"),)))


@pytest.mark.parametrize("pattern", [r"\(?R\)?a", "[(?R)]a", "[](?R)]a", "(?-i:a)", r"(?i:a)(?=\)?)"])
def test_what_only_looks_like_a_call_is_none(pattern: str) -> None:
    assert judge("R)a", item(positive_regex=(Rule(pattern, engine="regex"),))).status == "correct"


@pytest.mark.parametrize("seconds", [1.0, 0.31])  # of the latter next to nothing is left after one output
def test_slow_expressions_have_one_budget_for_all_outputs(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "TIMEOUT", 0.3)  # of the processor's time, other threads counted in
    one = item(positive_regex=(Rule(r"(a|aa)+$", engine="regex"),))
    the_judge = Judge(Suite((one,)), _costs=patterns.Costs(seconds_left=seconds))
    reasons = [the_judge.judge(one, "a" * 60 + "b" * number).why for number in range(1, 30)]
    if seconds == 1.0:
        assert reasons[0] == "a rule took longer than 1 s"
    assert reasons[-1] == "slow rules have taken 30 s, and are not tried any more"
    assert the_judge.judge(one, "aa").status == "undecided"


@pytest.mark.parametrize(
    ("unicode", "pattern", "output", "status"),
    [
        ("NFC", "كتاب", "قرأ كِتَابًا", "undecided"),
        ("scripts", "كتاب", "قرأ كِتَابًا", "correct"),
        ("scripts", "كِتَاب", "قرأ كتــابا", "correct"),  # in the rule, too
        ("scripts", "کتاب", "این كتاب است", "correct"),
        ("scripts", "3 گربه", "۳ گربه", "correct"),
        ("scripts", "カメラ", "ｶﾒﾗです", "correct"),
        ("scripts", "カメラ", "かめらです", "undecided"),  # another script, not another width
        ("scripts", "nao", "não", "undecided"),
        ("accents", "nao", "não", "correct"),
        ("accents", "ガ", "カ", "undecided"),  # the mark of a kana makes another letter
        ("scripts", "會說", "他会说汉语", "undecided"),
        ("chinese", "會說", "他会说汉语", "correct"),
        ("chinese", "会说", "他會說漢語", "correct"),
    ],
)
def test_a_suite_says_which_ways_of_writing_are_one(
    unicode: Literal["NFC", "scripts", "accents", "chinese"], pattern: str, output: str, status: str
) -> None:
    item = Item("a", "en-ar", "C", "P", "x", (Rule(pattern),))
    suite = Suite((item,), matching=Matching(unicode=unicode))
    assert Judge(suite).judge(item, output).status == status
