"""A variant differs from its original in one word and in nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.methods.invariance.substitutes import WordPlace
from mtassay.methods.invariance.variant_places import fit, with_case
from tests.fake_annotator import FakeAnnotator

ANNOTATOR = FakeAnnotator("en")
TEXTS = st.text(st.sampled_from("ab AB  .,!?\t'-é中🐕א\u200f"), min_size=1, max_size=40)
WORDS = st.text(st.sampled_from("abcxyzé"), min_size=1, max_size=8)


@given(TEXTS, WORDS, st.data())
def test_only_the_one_word_differs(text: str, word: str, data: st.DataObject) -> None:
    [sentence] = ANNOTATOR.annotate([text])
    if not sentence.tokens:
        return
    number = data.draw(st.integers(0, len(sentence.tokens) - 1))
    edit = fit(WordPlace(sentence, number), word)
    if edit is None:
        return
    variant = edit.apply(text)
    assert variant == text[: edit.start] + edit.after + text[edit.end :]
    assert variant[: edit.start] + edit.before + variant[edit.start + len(edit.after) :] == text
    assert edit.after.lower() == word.lower()
    assert edit.before == sentence.tokens[number].text


@pytest.mark.parametrize(
    ("text", "token", "word", "variant"),
    [
        ("The  dog\tsleeps .", 1, "cat", "The  cat\tsleeps ."),
        ("Dogs sleep", 0, "cats", "Cats sleep"),
        ("THE DOG SLEEPS", 1, "cat", "THE CAT SLEEPS"),
        ("the dog sleeps", 1, "Monday", "the Monday sleeps"),
        ("A dog sleeps", 1, "cat", "A cat sleeps"),
        ("An old dog", 1, "ugly", "An ugly dog"),
        ("An old dog", 1, "honest", "An honest dog"),
        ("the old dog", 1, "young", "the young dog"),
    ],
)
def test_spacing_and_case_stay(text: str, token: int, word: str, variant: str) -> None:
    [sentence] = ANNOTATOR.annotate([text])
    edit = fit(WordPlace(sentence, token), word)
    assert edit is not None
    assert edit.apply(text) == variant


@pytest.mark.parametrize(
    ("text", "token", "word"),
    [
        ("A dog sleeps", 1, "owl"),  # would need "an"
        ("An old dog", 1, "young"),
        ("An old dog", 1, "useful"),
        ("A dog sleeps", 1, "heir"),
        ("The dog sees the cat", 1, "cat"),  # is there already
        ("The dog sleeps", 1, "Dog"),
        ("The dog sleeps", 1, "guide dog"),
        ("The dog sleeps", 1, "b4"),
        ("The dog sleeps", 1, "##ing"),
        ("The dog sleeps", 1, ""),
    ],
)
def test_a_word_that_does_not_fit_is_refused(text: str, token: int, word: str) -> None:
    [sentence] = ANNOTATOR.annotate([text])
    assert fit(WordPlace(sentence, token), word) is None


def test_the_english_article_is_no_matter_in_other_languages() -> None:
    [sentence] = FakeAnnotator("pt").annotate(["a casa é boa"])
    edit = fit(WordPlace(sentence, 1), "igreja", language="pt")
    assert edit is not None
    assert edit.after == "igreja"


def test_one_capital_letter_is_not_shouting() -> None:
    assert with_case("we", "I") == "We"
