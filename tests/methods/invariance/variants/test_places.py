"""Which words of a source may change."""

from __future__ import annotations

import pytest

from mtassay.methods.invariance.variant_places import changeable, universal_parts
from mtassay.nlp.annotation import Annotation, Token
from tests.fake_annotator import FakeAnnotator

BOTH = universal_parts(["noun", "adj"])
ENGLISH = FakeAnnotator(
    "en",
    pos={
        "the": "DET", "a": "DET", "on": "ADP", "of": "ADP", "in": "ADP", "is": "VERB", "sleeps": "VERB",
        "small": "ADJ", "other": "ADJ", "Rio": "PROPN", "waits": "VERB", "well": "ADV",
    },
    entities={"Rio": "LOC", "Harbor": "LOC"},
)  # fmt: skip


def changed(text: str, *, pos: tuple[str, ...] = ("noun", "adj"), ends: bool = False) -> list[str]:
    [sentence] = ENGLISH.annotate([text])
    places = changeable(sentence, universal_parts(pos), ends=ends)
    return [sentence.tokens[place.token].text for place in places]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The small dog sleeps.", ["small", "dog"]),
        ("The other dog sleeps.", ["dog"]),  # "other" points, and has no substitute
        ("The dog is on the way.", ["dog"]),
        ("The dog waits in the Harbor.", ["dog"]),  # an entity
        ("The B52 sleeps, iPhones wait.", ["wait"]),
        ("The well-known dog sleeps.", ["dog"]),
        ("The 🐕 dog sleeps.", ["dog"]),
        ("The dog (DG) sleeps.", ["DG"]),  # the abbreviation means it
        ("The dog of a small dog sleeps.", ["small"]),
        ("", []),
    ],
)
def test_only_words_that_stand_freely_may_change(text: str, words: list[str]) -> None:
    assert changed(text) == words


def test_the_first_and_last_token_change_only_on_request() -> None:
    assert changed("Dogs see cats") == ["see"]
    assert changed("Dogs see cats", ends=True) == ["Dogs", "see", "cats"]


def test_a_final_full_stop_is_the_last_token() -> None:
    assert changed("Dogs see cats.") == ["see", "cats"]


def test_names_change_only_where_proper_names_are_asked_for() -> None:
    assert changed("The dog waits in Rio.", pos=("noun",)) == ["dog"]
    assert changed("The dog waits in Rio.", pos=("propn",)) == ["Rio"]


def test_a_title_before_a_name_is_part_of_the_name() -> None:
    tokens = (
        Token("Yes", 0, 3, pos="INTJ"),
        Token("mayor", 4, 9, pos="NOUN", head=2, relation="compound"),
        Token("Ruiz", 10, 14, pos="PROPN", head=3, relation="nsubj"),
        Token("won", 15, 18, pos="VERB", relation="root"),
    )
    assert changeable(Annotation("Yes mayor Ruiz won", tokens), BOTH) == []


def test_a_noun_with_a_clause_of_its_own_stays() -> None:
    tokens = (
        Token("The", 0, 3, pos="DET", head=1, relation="det"),
        Token("plan", 4, 8, pos="NOUN", head=4, relation="nsubj"),
        Token("to", 9, 11, pos="PART", head=3, relation="aux"),
        Token("go", 12, 14, pos="VERB", head=1, relation="acl"),
        Token("failed", 15, 21, pos="VERB", relation="root"),
    )
    assert changeable(Annotation("The plan to go failed", tokens), BOTH) == []


def test_an_adjective_with_a_preposition_of_its_own_stays() -> None:
    tokens = (
        Token("Ana", 0, 3, pos="PROPN", head=1, relation="nsubj"),
        Token("is", 4, 6, pos="AUX", relation="root"),
        Token("fond", 7, 11, pos="ADJ", head=1, relation="acomp"),
        Token("of", 12, 14, pos="ADP", head=2, relation="prep"),
        Token("tea", 15, 18, pos="NOUN", head=3, relation="pobj"),
    )
    assert changeable(Annotation("Ana is fond of tea", tokens), BOTH) == []


def test_english_lists_are_not_for_other_languages() -> None:
    [sentence] = FakeAnnotator("pt").annotate(["Uma top part dela."])
    assert len(changeable(sentence, BOTH, language="pt")) == 3
    assert len(changeable(sentence, BOTH, language="en")) == 1
