"""What a format cannot hold is counted, never silently dropped."""

from __future__ import annotations

import pytest

from mtassay.data.formats.suite_files import losses
from mtassay.data.formats.suite_items import Item, Matching, Rule, Suite

PLAIN = Item("a", "en-de", "C", "P", "x", positive_regex=(Rule("one"),), negative_tokens=(Rule("No."),))
FULL = Item(
    "b",
    "en-de",
    "C",
    "P",
    "y",
    positive_regex=(Rule("{{one}}", note="n"), Rule("two", author="ana", date="2026-01-01")),
    negative_regex=(Rule("{{one}} more"),),
    focus=("y",),
    references=("Y.",),
    context=("Z.",),
    note="n",
    author="ana",
    approver="ben",
    public=False,
    tags=("t",),
)
SUITE = Suite(
    (PLAIN, FULL),
    name="S",
    langpair="en-de",
    about="A",
    matching=Matching(unicode="NFC"),
    macros={"one": "eins|ein"},
)


@pytest.mark.parametrize("ending", [".yaml", ".jsonl"])
def test_our_formats_hold_everything_of_ours(ending: str) -> None:
    assert losses(SUITE, ending) == {}


def test_the_dfki_format_says_what_it_cannot_hold() -> None:
    assert losses(SUITE, ".json") == {
        "the name": 1,
        "the description": 1,
        "the options of matching": 1,
        "focus words of items": 1,
        "references of items": 1,
        "context sentences of items": 1,
        "notes of items": 1,
        "authors of items": 1,
        "approvers of items": 1,
        "marks for hidden ones of items": 1,
        "tags of items": 1,
        "authors of rules": 1,
        "dates of rules": 1,
        "notes of rules": 1,
        "lists of expressions joined into one (they match the same)": 1,
        "expressions with their macros written out (they match the same)": 1,
    }


def test_other_fields_of_a_dfki_file_are_lost_in_ours() -> None:
    suite = Suite((Item("a", "en-de", "C", "P", "x", extra={"status": "ok"}),), "", "en-de", extra={"v": 1})
    assert losses(suite, ".yaml") == {"other fields at the top": 1, "other fields of items": 1}
    assert losses(suite, ".json") == {}


def test_an_empty_token_of_a_dfki_file_is_said_to_be_gone() -> None:
    suite = Suite((Item("a", "en-de", "C", "P", "x", positive_tokens=(Rule(""), Rule("X."))),), "", "en-de")
    assert losses(suite, ".yaml") == {"empty rules, which judge nothing": 1}
