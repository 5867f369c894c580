"""Words that have no business in an output: untranslated, or a negation that means another word."""

from __future__ import annotations

import pytest

from mtassay.measures.polarity import EDGE, TargetWords, small_words
from tests.checks.build import alarms


def why(check: str, source: str, output: str, *references: str) -> list[str]:
    return [alarm.message for alarm in alarms(check, source, output, *references, pair="en-pt")]


@pytest.mark.parametrize(
    ("pair", "source", "output", "words"),
    [
        # Another script: any small word is foreign, a name or a short one is not.
        ("en-zh", "she saw the gardener", "她看见了gardener", ["gardener"]),
        ("en-zh", "she saw Okafor", "她看见了Okafor", []),
        ("en-zh", "she saw the app", "她看见了app", []),
        # Dictionaries have "kitchen" in English alone, and "hotel" in both languages.
        ("en-pt", "she cleans the kitchen", "ela limpa a kitchen", ["kitchen"]),
        ("en-pt", "she cleans the hotel", "ela limpa o hotel", []),
        ("en-nl", "she cleans the kitchen", "ze poetst de kitchen", ["kitchen"]),
        # Without a dictionary only several words in a row are telling.
        ("en-eu", "she cleans the kitchen", "kitchen garbitzen du", []),
        ("en-eu", "she cleans the old kitchen", "cleans the old sukaldea", ["cleans the old"]),
    ],
)
def test_copied_words_are_suspected_unless_they_may_be_names_or_loans(
    pair: str, source: str, output: str, words: list[str]
) -> None:
    told = [alarm.message for alarm in alarms("untranslated-words", source, output, pair=pair)]
    assert told == ([f"untranslated: {', '.join(words)}"] if words else [])


@pytest.mark.parametrize("word", ["viral", "workshop", "capital", "hotel", "online"])
def test_a_word_that_may_be_one_of_the_target_language_is_not_foreign(word: str) -> None:
    assert why("untranslated-words", f"The {word} is old.", f"O {word} é velho.") == []


@pytest.mark.parametrize("word", ["gardener", "seed", "rumble"])
def test_a_word_that_only_the_source_language_has_is_foreign(word: str) -> None:
    assert why("untranslated-words", f"The {word} is old.", f"O {word} é velho.") == [f"untranslated: {word}"]


def test_a_word_that_a_reference_has_is_right() -> None:
    assert why("untranslated-words", "The rumble is old.", "O rumble é velho.", "Velho é o rumble.") == []


def test_a_word_fits_better_where_its_neighbours_are_seen_with_it() -> None:
    counts = {"fica": 10, "no": 20, "não": 20, "sul": 10, EDGE: 40}
    words = TargetWords({}, counts, {("fica", "no"): 8, ("no", "sul"): 9}, sum(counts.values()))
    text = small_words("fica não sul")
    assert words.prefers("no", text, 2) > 1 > 0 > words.prefers("não", small_words("fica no sul"), 2)


def test_a_negation_in_the_place_of_a_like_word_is_suspected_unless_the_source_denies_as_often() -> None:
    # 'not' keeps the plain rule quiet in the first; the second source denies as often as its output.
    both = "The trees are not in the south of Spain.", "As árvores não estão não sul da Espanha."
    reason = "'não sul' means 'no sul': the source denies less often"
    assert why("negation", *both) == [reason]
    assert why("negation", "It is no bigger than a pea.", "O besouro não maior que uma ervilha.") == []
