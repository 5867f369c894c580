"""Which word fits in its place: the network, and what the lexicon makes of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.methods.invariance.substitute_lexicon import (
    Cloze,
    Pairs,
    SubstituteLexicon,
    WordChoice,
    naturalness,
    open_cloze,
    open_lexicon,
    tokens_around,
)
from mtassay.methods.invariance.substitutes import Candidate, WordPlace
from mtassay.nlp.annotation import Annotation, Token

WORDS = ["<pad>", "<mask>", "<s>", "</s>", "<unk>", "<name>", "<num>", "dog", "cat", "owl", "hen"]


def favouring(**more: float) -> Cloze:
    """A network without layers that finds some words so much more likely than others, in any place."""
    bias = np.array([more.get(word, 0.0) for word in WORDS], dtype=np.float32)
    width = 4
    weights = {
        "e.weight": np.zeros((len(WORDS), width), dtype=np.float32),
        "p": np.zeros((25, width), dtype=np.float32),
        "b": bias,
        "n.weight": np.ones(width, dtype=np.float32),
        "n.bias": np.zeros(width, dtype=np.float32),
        "out.weight": np.zeros((width, width), dtype=np.float32),
        "out.bias": np.zeros(width, dtype=np.float32),
    }
    return Cloze(WORDS, weights)


def dog(relation: str = "nsubj") -> WordPlace:
    tokens = (Token("The", 0, 3, tag="DT"), Token("dog", 4, 7, tag="NN", pos="NOUN", relation=relation))
    return WordPlace(Annotation("The dog", tokens), 1)


def lexicon(cell: str, cloze: Cloze, *, pairs: Pairs | None = None) -> SubstituteLexicon:
    return SubstituteLexicon({("NN", "dog"): cell}, signature="test", cloze=cloze, pairs=pairs)


def test_words_around_a_gap_are_numbers_and_what_is_unknown_has_a_kind() -> None:
    words = {word: number for number, word in enumerate(WORDS)}
    assert tokens_around("Bob saw 3 dogs.", 10, words)[8:17] == [2, 5, 4, 6, 1, 4, 3, 0, 0]


def test_a_gap_in_odd_text_is_no_error() -> None:
    assert tokens_around("é ü", 0, {})[12] == 1


def test_it_says_how_much_likelier_a_word_is() -> None:
    cloze = favouring(dog=1.0, cat=3.5, owl=-2.0)
    [answers] = cloze.advantage([WordChoice("The dog", 4, "dog", ["cat", "owl", "ibex"])])
    assert answers == [pytest.approx(2.5), pytest.approx(-3.0), None]
    assert cloze.advantage([WordChoice("The ibex", 4, "ibex", ["cat"])]) == [[None]]


def test_a_place_moves_the_odds_of_the_table() -> None:
    assert naturalness(0.7, 0.0) == pytest.approx(0.7)
    assert naturalness(0.5, 10.0) == pytest.approx(1 / (1 + math.exp(-1.33)))
    assert naturalness(1.0, 0.0) == pytest.approx(0.99)


def test_the_lexicon_keeps_what_reads_naturally_best_first() -> None:
    [found] = lexicon("owl:80 cat:75 hen:90", favouring(cat=12.0, owl=-12.0)).substitutes([dog()], count=9)
    # hen 0.90; cat: odds 3 times e^1.596, 0.937; owl: odds 4 times e^-1.596, 0.448
    assert found == [Candidate("cat", pytest.approx(0.9367, abs=1e-4)), Candidate("hen", pytest.approx(0.9))]


def test_a_word_that_is_less_sure_must_be_likely_and_go_with_its_neighbours() -> None:
    [found] = lexicon("cat:80 owl:74 hen:90", favouring()).substitutes([dog()], count=9)
    assert [candidate.word for candidate in found] == ["hen", "cat"]
    words = lexicon("cat:80 hen:90", favouring(), pairs=Pairs({"the": "dog"}))
    assert [candidate.word for candidate in words.substitutes([dog()], count=9)[0]] == ["hen"]


def test_a_noun_before_a_noun_stays() -> None:
    assert lexicon("cat:95", favouring()).substitutes([dog("compound")], count=9) == [[]]


def test_english_has_a_network_and_its_digest_is_in_the_signature() -> None:
    cloze = open_cloze("en")
    assert cloze is not None
    assert f"cloze:{cloze.digest}" in open_lexicon("en").signature
    assert open_cloze("pt") is None


@pytest.mark.parametrize(
    ("text", "word", "fits", "does_not"),
    [
        ("She drank a cup of tea before work.", "tea", "coffee", "soup"),
        ("The soldiers signed a peace agreement yesterday.", "agreement", "treaty", "contract"),
        ("My friends came to the party.", "friends", "parents", "strangers"),
        ("The sick child has a high fever.", "child", "baby", "company"),
    ],
)
def test_the_network_reads_the_place(text: str, word: str, fits: str, does_not: str) -> None:
    cloze = open_cloze("en")
    assert cloze is not None
    [[good, bad]] = cloze.advantage([WordChoice(text, text.index(word), word, [fits, does_not])])
    assert good is not None
    assert bad is not None
    assert good > bad
