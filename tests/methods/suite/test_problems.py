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
    found = lint(Suite(items, langpair="en-de", macros=macros), min_items=1, **settings)
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
    "an alternative that a negative expression always hits": (
        {"positive_regex": [r"\bging (nach Haus(e)?|heim)\b"], "negative_regex": [r"\bnach Haus\b"]},
        [("hit-alternative", "warning")],
    ),
    "an alternative with something open that is always hit": (
        {"positive_regex": [r"ist \w+ gut"], "negative_regex": ["gut"]},
        [("hit-alternative", "warning")],
    ),
    "an alternative that is hit only with some words in between": (
        {"positive_regex": ["ist .*gut"], "negative_regex": ["ist gut"]},
        [],
    ),
    "an alternative that is hit only beside certain words": (
        {"positive_regex": [r"\bgut\b"], "negative_regex": [r"\bnicht gut\b", "^gut"]},
        [],
    ),
    "a negative expression for what is missing": (
        {"positive_regex": [r"\bgut\b"], "negative_regex": ["^[^,]*$", r"^\w+$"]},
        [],
    ),
    "an expression twice": ({"positive_regex": ["gut", "gut"]}, [("rule-twice", "warning")]),
    "a token twice": ({"negative_tokens": ["Schlecht.", "Schlecht."]}, [("rule-twice", "warning")]),
    "a boundary between Chinese characters": (
        {"langpair": "en-zh", "positive_regex": [r"\b(?:银行|河岸)"]},
        [("boundary-beside-han", "warning")],
    ),
    "a boundary after a Japanese character": (
        {"langpair": "en-ja", "positive_regex": [r"(ました|です)\b"]},
        [("boundary-beside-han", "warning")],
    ),
    "a boundary beside Latin letters in a Chinese text": (
        {"langpair": "en-zh", "positive_regex": [r"\bUN\b|联合国"]},
        [],
    ),
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
    "a token like an expression": ({"positive_tokens": [r"Gut\."]}, [("escaped-token", "warning")]),
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


@pytest.mark.parametrize(
    ("date", "is_one"),
    [("2026-11-15", True), ("2026-11-15T10:00:00", True), ("15.11.2026", False), ("2026-02-30", False)],
)
def test_a_date_that_is_none_is_named(date: str, is_one: bool) -> None:
    dated = Item("a", "en-de", "C", "P", "S.", positive_regex=(Rule("gut", date=date),), approver="ben")
    assert codes(dated) == ([] if is_one else [("bad-date", "warning")])


def test_the_hit_alternative_is_shown_with_both_expressions() -> None:
    both = item(positive_regex=[r"\bging (nach Hause|heim|nach Haus)\b"], negative_regex=[r"\bnach Haus\b"])
    (found,) = lint(Suite((both,)), min_items=1)
    assert found.what == (
        r"'ging nach Haus' of positive '\bging (nach Hause|heim|nach Haus)\b' is always hit by negative "
        r"'\bnach Haus\b' too, so it settles nothing; take it out of one"
    )
    assert (found.item, found.rule) == ("a", r"\bging (nach Hause|heim|nach Haus)\b")


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({"category": "c"}, [("similar-names", "warning")]),
        ({"phenomenon": "P "}, [("similar-names", "warning")]),
        ({"phenomenon": "Q"}, []),
    ],
)
def test_names_that_differ_in_case_or_blanks_only_are_named(
    second: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert codes(item("a", **GOOD), item("b", **GOOD, **second)) == expected


def test_ids_that_differ_in_case_only_are_named() -> None:
    assert codes(item("neg-1", **GOOD), item("Neg-1", **GOOD)) == [("similar-names", "warning")]


def test_a_text_that_a_comment_cuts_is_named_with_its_line(tmp_path: Path) -> None:
    lines = [
        "langpair: en-de",
        "items:",
        "  - id: a",
        "    category: C",
        "    phenomenon: P",
        "    source: Take bus #5.",
        "    approver: ben  # a remark is no problem",
        "    positive_regex:",
        "      - Bus #5",
        "      - (Linie|Bus) # (5|fünf)",
        "      - '#5'",
    ]
    path = tmp_path / "s.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = [p for p in lint(read_suite(path), min_items=1) if p.code == "cut-by-comment"]
    assert [(p.item, p.line) for p in found] == [("a", 6), ("a", 9), ("a", 10)]
    assert found[0].what == "YAML takes '#5.' after 'Take bus' for a comment; put the text in quotes"


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


def test_a_phenomenon_needs_items() -> None:
    suite = Suite((item("a", **GOOD), item("b", **GOOD), item("c", phenomenon="Q", **GOOD)), langpair="en-de")
    assert [p.what for p in lint(suite, min_items=2)] == ["C › Q has 1 item; write 2 or more"]


def test_a_macro_that_nobody_uses_is_named() -> None:
    used = item(positive_regex=["{{ja}}"])
    assert codes(used, macros={"ja": "{{auch}}", "auch": "gewiss"}) == []
    assert codes(used, macros={"ja": "gewiss", "nein": "nie"}) == [("unused-macro", "info")]


def test_a_rule_that_never_fires_is_named_where_there_are_outputs() -> None:
    items = item("a", **GOOD), item("b", positive_tokens=["Ja."], negative_regex=["nie", "kaum"])
    found = lint(Suite(items), outputs={"b": ["nie", "Nein."]}, min_items=1)
    fired = [(problem.item, problem.what) for problem in found if problem.code == "never-fires"]
    assert fired == [
        ("b", "negative 'kaum' matches none of 2 stored outputs"),
        ("", "1 of 1 tokens equal no stored output; they may be those of other systems"),
    ]


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
    escaped = {p.item for p in found if p.code == "escaped-token"}
    assert escaped
    assert all("\\" in p.rule for p in found if p.code == "escaped-token")


def test_a_control_character_in_a_macro_is_found_where_it_is_used() -> None:
    suite = [item(positive_regex=["{{good}}"])]
    assert codes(*suite, macros={"good": "\bgut"}) == [("control-character", "error")]


def test_a_control_character_is_shown_as_an_escape_with_what_to_do() -> None:
    [found] = lint(Suite([item(positive_regex=["\bgut\b"])], langpair="en-de"), min_items=1)
    assert found.what == (
        r"'\x08gut\x08' holds a control character \x08; "
        "in YAML write patterns in single quotes or without quotes"
    )
