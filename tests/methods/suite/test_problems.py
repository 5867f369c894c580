"""What `suite check` finds, and what it leaves in peace."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.methods.suite.pitfalls import battery
from mtassay.methods.suite.problems import CODES, lint


def item(item_id: str = "a", **fields: Any) -> Item:
    """An item of a German suite; rules are given as texts."""
    texts = {"langpair": "en-de", "category": "C", "phenomenon": "P", "source": f"Source of {item_id}."}
    rules = {
        name: tuple(map(Rule, fields.pop(name, ())))
        for name in ("positive_regex", "negative_regex", "positive_tokens", "negative_tokens")
    }
    return Item(item_id, **{**texts, "approver": "ben", **rules, **fields})


def codes(*items: Item, **settings: Any) -> list[tuple[str, str]]:
    macros = settings.pop("macros", {})
    found = lint(Suite(items, langpair="en-de", macros=macros))
    return [(problem.code, problem.severity) for problem in found]


GOOD = {"positive_regex": ["gut"], "negative_regex": ["schlecht"]}
CASES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "a good item": ({**GOOD, "references": ("Das ist gut.",), "focus": ("Source",)}, []),
    "a pattern that does not compile": ({"positive_regex": ["(der|die"]}, [("bad-pattern", "error")]),
    "a look-behind without its engine": ({"positive_regex": ["(?<=a)b"]}, [("bad-pattern", "error")]),
    "a backspace for the edge of a word": ({"positive_regex": ["\bgut\b"]}, [("control-character", "error")]),
    "a control character in a token": (
        {**GOOD, "positive_tokens": ["Sehr\x1f gut."]},
        [("control-character", "error")],
    ),
    "a control character in the source": (
        {**GOOD, "source": "Good\x00."},
        [("control-character", "error")],
    ),
    "tabs and line breaks": ({"positive_regex": ["gut\t", "gut\n"], "source": "Good.\tYes.\n"}, []),
    "an unknown macro": ({"positive_regex": ["{{nie}}"]}, [("unknown-macro", "error")]),
    "a pattern that matches the empty text": ({"positive_regex": ["x*"]}, [("matches-everything", "error")]),
    "a pattern that matches any letter": ({"negative_regex": [r"\w"]}, [("matches-everything", "error")]),
    "a pattern for a missing comma": ({"negative_regex": ["^[^,]*$"]}, []),
    "a pattern for any script": (
        {"langpair": "en-th", "negative_regex": ["x*"]},
        [("matches-everything", "error")],
    ),
    "a pattern for what is left in Latin letters": (
        {"langpair": "en-th", "negative_regex": ["[A-Za-z]"]},
        [],
    ),
    "a pattern for a question": ({"positive_regex": [r"\?$"]}, []),
    "a copy of the source": ({"positive_regex": ["Source"]}, [("only-source-words", "warning")]),
    "a copy that is caught": ({"positive_regex": ["Source"], "negative_regex": ["of a"]}, []),
    "no rule": ({}, [("no-rule", "warning")]),
    "an expression on both sides": (
        {"positive_regex": ["gut"], "negative_regex": ["schlecht", "gut"]},
        [("both-sides", "error")],
    ),
    "an expression twice": ({"positive_regex": ["gut", "gut"]}, [("rule-twice", "warning")]),
    "a token twice": ({"negative_tokens": ["Schlecht.", "Schlecht."]}, [("rule-twice", "warning")]),
    "a number that nothing hangs on": (
        {
            "source": "She has three cats.",
            "positive_regex": ["Katzen"],
            "references": ("Sie hat drei Katzen.",),
        },
        [],
    ),
    "an overlap on a token": (
        {"positive_regex": ["gut"], "negative_regex": ["nicht"], "negative_tokens": ["nicht gut"]},
        [("overlap", "warning")],
    ),
    "a token of both kinds": (
        {"positive_tokens": ["Gut."], "negative_tokens": ["Gut."]},
        [("both-tokens", "error")],
    ),
    "a token that an expression judges the other way": (
        {**GOOD, "negative_tokens": ["zu gut"]},
        [("shadowed-token", "warning")],
    ),
    "a token that an expression judges the same way": ({**GOOD, "positive_tokens": ["sehr gut"]}, []),
    "a reference that is incorrect": (
        {**GOOD, "references": ("schlecht",)},
        [("reference-not-correct", "error")],
    ),
    "a reference that is in conflict": (
        {**GOOD, "references": ("gut, schlecht",)},
        [("reference-not-correct", "error")],
    ),
    "a reference that is undecided": (
        {**GOOD, "references": ("ja",)},
        [("reference-not-correct", "warning")],
    ),
    "a focus that is not in the source": (
        {**GOOD, "focus": ("Quelle",)},
        [("focus-not-in-source", "warning")],
    ),
    "no language pair": ({**GOOD, "langpair": ""}, [("no-langpair", "warning")]),
    "a language pair that nobody knows": ({**GOOD, "langpair": "xx-yy-zz"}, [("no-langpair", "error")]),
    "a draft": ({**GOOD, "approver": ""}, [("draft", "info")]),
    "an author who approves": ({**GOOD, "author": "ben"}, [("draft", "info")]),
}


@pytest.mark.parametrize(("fields", "expected"), CASES.values(), ids=CASES)
def test_it_finds(fields: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert codes(item(**fields)) == expected


def test_a_suite_without_items_says_what_to_do() -> None:
    assert codes() == [("no-items", "warning")]


def test_an_id_that_stands_twice_does_not_stop_the_rest() -> None:
    twice = codes(item(**GOOD), item(source="Other.", positive_regex=["(bad"]))
    assert twice == [("duplicate-id", "error"), ("bad-pattern", "error")]


def test_tokens_of_an_id_that_stands_twice_are_not_mixed_up() -> None:
    one, other = item(positive_tokens=["Ja."]), item(source="Other.", negative_tokens=["Ja."])
    assert codes(one, other) == [("duplicate-id", "error")]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({**GOOD}, [("duplicate-source", "warning")]),
        ({"phenomenon": "Q", **GOOD}, [("duplicate-source", "info")]),
        ({"phenomenon": "Q", "positive_regex": ["anders"]}, [("duplicate-source", "info")]),
        ({**GOOD, "context": ("Before.",)}, []),
        ({**GOOD, "langpair": "en-fr"}, []),
    ],
)
def test_a_source_may_come_again_with_other_rules(
    second: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert codes(item("a", source="Same.", **GOOD), item("b", source="Same.", **second)) == expected


def test_one_bad_pattern_does_not_hide_the_others() -> None:
    found = codes(item(positive_regex=["(bad", "gut"], negative_tokens=["zu gut"]))
    assert found == [("bad-pattern", "error"), ("shadowed-token", "warning")]


@pytest.mark.parametrize("pair", ["en-de", "en-ru", "de-zh"])
def test_no_ordinary_expression_matches_a_whole_battery(pair: str) -> None:
    marks = [",", ";", ":", "!", r"\?", r"\.", '"', "'", "“", r"\(", r"\d", "…", "—"]
    for expression in [
        *marks,
        *(f"^[^{mark}]*$" for mark in marks),
    ]:
        assert not all(re.search(expression, text) for text in battery(pair)), expression


def test_every_code_says_how_bad_it_is_and_what_it_means() -> None:
    assert {code.severity for code in CODES.values()} == {"error", "warning", "info"}
    assert all(code.meaning for code in CODES.values())


def test_the_dfki_suite_has_one_error(data_folder: Path) -> None:
    # One output is among the positive and the negative tokens of an item; all patterns compile.
    suite = read_suite(data_folder / "dfki" / "de-en" / "items.json")
    found = lint(suite)
    assert Counter(p.code for p in found if p.severity == "error") == {"both-tokens": 1}


def test_a_control_character_in_a_macro_is_found_where_it_is_used() -> None:
    suite = [item(positive_regex=["{{good}}"])]
    assert codes(*suite, macros={"good": "\bgut"}) == [("control-character", "error")]


def test_a_control_character_is_shown_as_an_escape_with_what_to_do() -> None:
    [found] = lint(Suite([item(positive_regex=["\bgut\b"])], langpair="en-de"))
    assert found.what == (
        r"'\x08gut\x08' holds a control character \x08; "
        "in YAML write patterns in single quotes or without quotes"
    )
