"""Reading replies, and finding what was put into the masks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, apply_edits
from mtassay.methods.behavior.infill_prompts import (
    MOST_CHARACTERS,
    Sentences,
    adapted_changes,
    exact_changes,
    is_left,
    messages,
    read_reply,
)
from tests.methods.behavior.infill.build import BOTH, EN_PT, SHOP, as_json, masked

GOOD = Sentences("A cat.", "Um gato.")


@pytest.mark.parametrize(
    "text",
    [
        as_json(*GOOD),
        f"```json\n{as_json(*GOOD)}\n```\n",
        f"<think>A dog?</think>\n{as_json(*GOOD)}",
    ],
)
def test_a_reply_is_read_in_every_usual_form(text: str) -> None:
    assert read_reply(text) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A cat.\nUm gato.",
        "<html>502</html>",
        as_json(*GOOD)[:-4],
        '{"filled_source": "A cat."}',
        '{"filled_source": "A cat.", "filled_translation": 7}',
        '{"filled_source": "A cat.", "filled_translation": " "}',
        '["A cat.", "Um gato."]',
        "Filled English: A cat.\nFilled Portuguese: Um gato.",
        f"{as_json(*GOOD)} or {as_json('A dog.', 'Um cachorro.')}",
        f"Sure! {as_json(*GOOD)}",
        f"{as_json(*GOOD)}\nThis is quoted; I refuse.",
        f"{as_json(*GOOD)}\n{as_json(*GOOD)}",
        as_json(*GOOD)[:-1] + ', "filled_source": "A dog."}',
        as_json(*GOOD) + " " * MOST_CHARACTERS,
        "{" * 15_000,
    ],
)
def test_a_reply_that_is_not_one_pair_is_none(text: str) -> None:
    assert read_reply(text) is None


@given(st.text(max_size=200))
def test_no_reply_breaks_the_reader(text: str) -> None:
    found = read_reply(text)
    assert found is None or all(found)


@pytest.mark.parametrize(
    ("filled", "after"),
    [
        ("The old inn is here.", ["old inn"]),
        ("  The old  inn is here. ", ["old  inn"]),
        ("The  inn  is here.", ["inn"]),
        ("The inn is there.", None),
        ("the inn is here.", None),
        ("The is here.", None),
        ("The  is here.", None),
        ("Theatre is here.", None),
        ("The inn is here", None),
        ("", None),
    ],
)
def test_only_the_mask_may_change(filled: str, after: list[str] | None) -> None:
    found = exact_changes("The shop is here.", [(4, 8)], filled)
    assert (found and [change.after for change in found]) == after


def test_a_script_without_spaces_needs_none_at_the_mask() -> None:
    assert exact_changes("在商店里", [(1, 3)], "在 市场 里") == (Edit(1, 3, "商店", "市场"),)


@pytest.mark.parametrize(
    ("filled", "after"),
    [
        ("The inn is near the sea.", ["inn", "sea"]),
        ("The inn is near the sea and the sky.", ["inn", "sea and the sky"]),
        ("The one that is near the hill is near the sea.", ["one that", "hill is near the sea"]),
        ("The inn is far from the sea.", None),
        ("The inn is near the.", None),
    ],
)
def test_several_masks_are_found_in_order(filled: str, after: list[str] | None) -> None:
    found = exact_changes("The shop is near the river.", [(4, 8), (21, 26)], filled)
    assert (found and [change.after for change in found]) == after


words = st.text(st.sampled_from("ab 店里.,"), min_size=1, max_size=6)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=3), words, words)
def test_changes_that_are_found_make_the_filled_text(
    parts: list[tuple[str, str]], end: str, filled: str
) -> None:
    text, places = "", []
    for kept, word in parts:
        text += kept
        places.append((len(text), len(text) + len(word)))
        text += word
    text += end
    for candidate in (filled, "".join(kept + filled for kept, _ in parts) + end):
        changes = exact_changes(text, places, candidate)
        if changes is not None:
            assert [(change.start, change.end) for change in changes] == places
            assert "".join(apply_edits(text, changes).split()) == "".join(candidate.split())


@pytest.mark.parametrize(
    ("filled", "after", "share"),
    [
        # Six unmasked pieces: A, fica, perto, do, rio and the full stop.
        ("A pousada fica perto do rio.", ["pousada"], 0.0),
        ("O hotel fica perto do rio.", ["O hotel"], 1 / 6),
        ("A pousada fica bem perto do rio.", ["pousada"], 1 / 6),
        ("A pousada fica perto.", ["pousada"], 2 / 6),
        ("Nada disso", ["Nada disso"], 1.0),
    ],
)
def test_what_changed_elsewhere_is_counted(filled: str, after: list[str], share: float) -> None:
    found = adapted_changes("A loja fica perto do rio.", [(2, 6)], filled)
    assert [change.after for change in found.changes] == after
    assert found.share == pytest.approx(share)


@given(st.text(max_size=40), st.text(min_size=1, max_size=10), st.text(max_size=40), st.text(max_size=60))
def test_the_share_is_a_share(before: str, word: str, after: str, filled: str) -> None:
    text = before + word + after
    found = adapted_changes(text, [(len(before), len(before) + len(word))], filled)
    assert 0 <= found.share <= 1
    assert all(text[change.start : change.end] == change.before for change in found.changes)


@pytest.mark.parametrize("left", ["a <mask>", "a <mask1>", "a < MASK >", "a [MASK]", "a ___", "<extra_id_0>"])
def test_a_mask_in_any_spelling_is_left(left: str) -> None:
    assert is_left(left)
    assert not is_left(left, before=left)


def test_the_prompt_is_that_of_the_paper_for_any_languages() -> None:
    system, *_, user = messages(SHOP, EN_PT)
    assert system["content"] == "You are a helpful assistant that translates English to Portuguese."
    assert user["content"].startswith(
        "You are given an English sentence and its Portuguese translation. In each sentence, a noun has been"
        " masked with the '<mask>' token. Your task is to first fill in the masked token in the English"
        ' sentence using a noun other than "shop" without modifying any of the unmasked tokens.'
    )
    assert user["content"].endswith(
        "English Sentence: The <mask> is near the river.\nPortuguese Translation: A <mask> fica perto do rio."
    )


def test_the_prompt_for_tense_asks_for_tense_on_both_sides() -> None:
    tense = masked("She left early.", "她走得早。", ("left", "走"), capability="tense")
    text = messages(tense, parse_pair("en-zh"))[-1]["content"]
    assert "a verb or verb phrase has been masked" in text
    assert "Chinese translation in the past perfect tense." in text
    assert "to ensure the correctness of tense" in text


def test_several_masks_are_numbered_by_the_source() -> None:
    swapped = masked("A cat of a dog", "De um cachorro, o gato", ("cat", "gato"), ("dog", "cachorro"))
    text = messages(swapped, EN_PT)[-1]["content"]
    assert "English Sentence: A <mask1> of a <mask2>\n" in text
    assert "Portuguese Translation: De um <mask2>, o <mask1>" in text
    assert 'for <mask1> a noun other than "cat"; for <mask2> a noun other than "dog"' in text
    assert "2 segments have been masked" in messages(BOTH, EN_PT)[-1]["content"]


def test_an_example_is_given_where_we_have_one_in_both_languages() -> None:
    _, task, answer, _ = messages(SHOP, EN_PT)
    assert 'using a noun other than "chair" without' in task["content"]
    assert task["content"].endswith(
        "English Sentence: We bought a <mask> yesterday.\nPortuguese Translation: Ontem compramos uma <mask>."
    )
    assert read_reply(answer["content"]) == (
        "We bought a table yesterday.",
        "Ontem compramos uma mesa.",
    )
    assert len(messages(SHOP, parse_pair("en-sw"))) == 2
