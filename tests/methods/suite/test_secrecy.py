"""Scrambling, restoring and splitting: nothing is lost, nothing is shown."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import suite_text
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.methods.suite.authoring import hold_back, used_macros
from mtassay.methods.suite.secrecy import Key, key_from_record, look_at, restore, scramble

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20)


def suite_of(*sources: str, phenomena: str = "p", **fields: object) -> Suite:
    return Suite(
        tuple(
            Item(f"i{place}", "en-pt", "c", phenomena[place % len(phenomena)], source, **fields)  # type: ignore[arg-type]
            for place, source in enumerate(sources)
        )
    )


@given(st.lists(TEXT, min_size=1, max_size=30), st.lists(TEXT, max_size=30), st.integers(0, 2**63))
def test_what_was_scrambled_is_restored_for_any_items_distractors_and_seed(
    sources: list[str], distractors: list[str], seed: int
) -> None:
    suite = suite_of(*sources)
    others = {str(number): text for number, text in enumerate(distractors, 1)}
    key = scramble(suite, others, seed=seed)
    assert Counter(line.source for line in key.lines) == Counter([*sources, *distractors])
    known = key_from_record(json.loads(json.dumps(key.record())), path="k")
    assert known == key
    # A system that answers with the line and its place, so that equal sources have unequal outputs.
    returned = [f"{place}\t{line.source}" for place, line in enumerate(known.lines)]
    restored = restore(known, returned, path="r")
    assert list(restored.outputs) == [item.id for item in suite.items]
    assert [text.split("\t")[1] for text in restored.outputs.values()] == sources
    assert {number: text.split("\t")[1] for number, text in restored.distractors.items()} == others
    assert len({*restored.outputs.values(), *restored.distractors.values()}) == len(key.lines)


def test_the_order_depends_on_the_seed_alone() -> None:
    suite = suite_of(*"abcdefghij")
    assert scramble(suite, {}, seed=1) == scramble(suite, {}, seed=1)
    assert scramble(suite, {}, seed=1).lines != scramble(suite, {}, seed=2).lines


def test_a_ratio_draws_so_many_distractors_for_each_item() -> None:
    others = {str(number): f"d{number}" for number in range(1, 21)}
    key = scramble(suite_of("a", "b"), others, seed=3, ratio=1.5)
    assert Counter(line.kind for line in key.lines) == {"item": 2, "distractor": 3}
    with pytest.raises(UsageError, match=r"`ratio` 11 asks for 22 distractors for 2 items, and there are 20"):
        scramble(suite_of("a", "b"), others, seed=3, ratio=11)


def test_context_stays_directly_before_its_item() -> None:
    key = scramble(suite_of(*"abcdef", context=("one", "two")), {"1": "d"}, seed=5, with_context=True)
    kinds = [line.kind for line in key.lines]
    assert kinds.count("context") == 12
    for place, line in enumerate(key.lines):
        if line.kind == "item":
            assert [(each.source, each.of) for each in key.lines[place - 2 : place]] == [
                ("one", line.of),
                ("two", line.of),
            ]
    assert list(restore(key, [line.source for line in key.lines], path="r").outputs.values()) == list(
        "abcdef"
    )


@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\u2028", "\x85", "\r\n\t"])
def test_a_source_of_several_lines_is_sent_as_one(character: str) -> None:
    (line,) = scramble(suite_of(f"a{character}b{character}"), {}, seed=1).lines
    assert line.source == "a b"


def test_another_number_of_lines_is_refused() -> None:
    key = scramble(suite_of("a", "b"), {}, seed=1)
    with pytest.raises(InputError, match=r"r: 3 lines, but 2 were sent\. 1 of its lines are empty\."):
        restore(key, ["x", "", "y"], path="r")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"mtassay": "other"}, "this is no key"),
        ({"version": 9}, "this key has version 9"),
        ({"lines": [{"kind": "item"}]}, "this key is damaged"),
        ({"ids": ["i0"]}, "this key was changed"),
        ({"sha256": "0"}, "this key was changed"),
    ],
)
def test_a_key_that_is_none_or_was_changed_is_refused(change: dict[str, object], part: str) -> None:
    record = scramble(suite_of("a", "b"), {}, seed=1).record()
    with pytest.raises(InputError, match=part):
        key_from_record({**record, **change}, path="k")


def test_a_key_says_nothing_of_rules_and_tokens() -> None:
    suite = suite_of("a", positive_regex=(Rule("secret"),), positive_tokens=(Rule("hidden"),))
    text = json.dumps(scramble(suite, {}, seed=1).record())
    assert "secret" not in text
    assert "hidden" not in text
    assert isinstance(key_from_record(json.loads(text), path="k"), Key)


def test_lines_that_changed_places_are_seen_by_their_numbers() -> None:
    sources = [f"In {1950 + i} there were {i * 1000 + 1000:,} of them." for i in range(12)]
    outputs = [f"Em {1950 + i} havia {i * 1000 + 1000:,}.".replace(",", ".") for i in range(12)]
    assert (look_at(sources, outputs).kept, look_at(sources, outputs).numbers_disagree) == (12, False)
    moved = look_at(sources, [*outputs[1:], outputs[0]])
    assert (moved.kept, moved.numbers_disagree) == (0, True)


def test_lines_that_changed_places_are_seen_by_their_lengths() -> None:
    sources = ["word " * (1 + place * 7 % 20) for place in range(30)]
    outputs = [source.replace("word", "palavra") for source in sources]
    assert look_at(sources, outputs).correlation == pytest.approx(1)
    moved = look_at(sources, [*outputs[1:], outputs[0]])
    assert moved.lengths_disagree
    assert look_at(["same"] * 30, outputs).correlation is None


def test_empty_copied_and_foreign_lines_are_seen() -> None:
    found = look_at(["a", "b", "c", "d"], [" ", "b", "a", "x"])
    assert (found.empty, found.copied, found.strangers) == ((1,), 1, (3,))


ITEMS = st.lists(st.tuples(st.sampled_from("pqr"), TEXT, st.booleans()), max_size=30)


@given(ITEMS, st.floats(0.01, 0.99), st.integers(0, 2**32))
def test_both_halves_together_are_the_suite(
    drawn: list[tuple[str, str, bool]], share: float, seed: int
) -> None:
    items = [
        Item(f"i{place}", "en-pt", "c", phenomenon, source, public=public)
        for place, (phenomenon, source, public) in enumerate(drawn)
    ]
    halves = hold_back(Suite(tuple(items)), share, seed=seed)
    assert all(item.public for item in halves.public.items)
    assert not any(item.public for item in halves.hidden.items)
    together = {item.id: item for item in (*halves.public.items, *halves.hidden.items)}
    assert len(together) == len(halves.public.items) + len(halves.hidden.items)
    assert [replace(together[item.id], public=item.public) for item in items] == items
    for phenomenon in "pqr":
        group = [item for item in items if item.phenomenon == phenomenon]
        hidden = [item for item in halves.hidden.items if item.phenomenon == phenomenon]
        already = sum(not item.public for item in group)
        assert len(hidden) == already or abs(len(hidden) - share * len(group)) <= 0.5


@pytest.mark.parametrize(
    ("items", "share", "hidden"),
    [(1, 0.5, 0), (2, 0.5, 1), (5, 0.5, 2), (5, 0.7, 3), (10, 0.25, 2), (3, 0.9, 3)],
)
def test_the_share_is_rounded_to_the_nearest_item_halves_down(items: int, share: float, hidden: int) -> None:
    halves = hold_back(suite_of(*(f"s{i}" for i in range(items))), share, seed=1)
    assert len(halves.hidden.items) == hidden


def test_hidden_items_leave_no_rule_token_or_macro_in_the_public_file() -> None:
    items = [
        Item("a", "en-pt", "c", "p", "A.", positive_regex=(Rule("x{{one}}"),)),
        Item("b", "en-pt", "c", "q", "B.", positive_regex=(Rule("{{two}}"),), public=False),
    ]
    macros = {"one": "{{inner}}", "inner": "i", "two": "{{deep}}", "deep": "d", "idle": "z"}
    halves = hold_back(Suite(tuple(items), macros=macros), 0.1, seed=1)
    assert dict(halves.public.macros) == {"one": "{{inner}}", "inner": "i"}
    assert dict(halves.hidden.macros) == macros
    text = suite_text(halves.public, ".yaml")
    assert not any(word in text for word in ("two", "deep", "idle", "B."))


def test_a_source_on_both_sides_is_named() -> None:
    suite = suite_of("same", "same", phenomena="pq")
    suite = replace(suite, items=(replace(suite.items[0], public=False), suite.items[1]))
    assert hold_back(suite, 0.1, seed=1).shown_twice == ("i0",)


def test_a_macro_that_there_is_not_is_an_error_of_its_item() -> None:
    with pytest.raises(InputError, match="'i0': no macro 'x'"):
        used_macros(suite_of("a", positive_regex=(Rule("{{x}}"),)).items, {})


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_a_share_must_leave_something_on_both_sides(share: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        hold_back(suite_of("a"), share, seed=1)
