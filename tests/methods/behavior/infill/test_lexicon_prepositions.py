"""Prepositions that the lexicon replaces, with the Portuguese contractions that go with them."""

from __future__ import annotations

import pytest
from mtassay_en.inflections import joined_preposition, split_preposition
from mtassay_en.prepositions import preposition_offers

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.annotation import Annotation, TokenSpan

from .lexicon_sides import pair, side


def edits(read: ReadPair, languages: tuple[str, str] = ("en", "pt")) -> dict[str, str]:
    """What may mean the first preposition, with its translation; empty where none can be replaced."""
    offers = preposition_offers(languages, read)
    return {one.source: one.reference for one in offers[0].substitutes} if offers else {}


def read(source: str, preposition: str, thing: str, governor: str, reference: str, linked: str) -> ReadPair:
    """A pair of which only the object of a preposition is linked."""
    relations = {preposition: ("prep", governor), thing: ("pobj", preposition)}
    sides = side(source, relations=relations), side(reference)
    words = [[token.text for token in one.tokens] for one in sides]
    return pair(*sides, links=frozenset({(words[0].index(thing), words[1].index(linked))}))


@pytest.mark.parametrize(
    ("reference", "linked", "expected"),
    [
        ("Ela dorme/VB na/IN cozinha/NN", "cozinha", "atrás da"),
        ("Ela dorme/VB no/IN jardim/NN", "jardim", "atrás do"),
        ("Ela dorme/VB nesta/IN casa/NN", "casa", "atrás desta"),
        ("Ela dorme/VB em/IN uma/DT casa/NN", "casa", "atrás de"),
        ("Na/IN casa/NN ela dorme/VB", "casa", "Atrás da"),
    ],
)
def test_the_article_is_contracted_with_the_new_preposition(
    reference: str, linked: str, expected: str
) -> None:
    source = "She sleeps/VBZ in/IN the/DT house/NN"
    assert edits(read(source, "in", "house", "sleeps", reference, linked))["behind"] == expected


def test_with_me_is_one_word_in_portuguese() -> None:
    both = read("Come/VB with/IN me", "with", "me", "Come", "Venha/VB comigo", "comigo")
    assert edits(both) == {"without": "sem mim"}


def test_only_the_preposition_of_the_same_object_is_replaced() -> None:
    source = "She sleeps/VBZ in/IN the/DT house/NN"
    other = read(source, "in", "house", "sleeps", "Na/IN rua/NN ela vê/VB a/DT casa/NN", "casa")
    assert edits(other) == {}


@pytest.mark.parametrize(
    ("source", "preposition", "thing", "governor", "reference", "linked"),
    [
        ("He believes/VBZ in/IN love/NN", "in", "love", "believes", "Crê/VB no/IN amor/NN", "amor"),
        ("He agrees/VBZ with/IN her", "with", "her", "agrees", "Concorda/VB com/IN ela", "ela"),
        ("In/IN spring/NN it rains/VBZ", "In", "spring", "rains", "Na/IN primavera/NN chove/VB", "primavera"),
    ],
)
def test_a_preposition_that_something_asks_for_is_left_alone(
    source: str, preposition: str, thing: str, governor: str, reference: str, linked: str
) -> None:
    both = read(source, preposition, thing, governor, reference, linked)
    tokens = [
        token if token.text != governor else token.__class__(
            token.text, token.start, token.end, governor.removesuffix("s"), token.pos, token.tag
        )
        for token in both.source.tokens
    ]  # fmt: skip
    lemmas = Annotation(both.source.text, tuple(tokens))
    assert edits(ReadPair("1", lemmas, both.reference, both.links)) == {}


def test_a_language_is_no_place_whatever_an_annotator_says() -> None:
    both = read("written/VBN in/IN Ido/NNP", "in", "Ido", "written", "escrito/VB em/IN ido/NNP", "ido")
    source = Annotation(both.source.text, both.source.tokens, (TokenSpan(2, 3, "GPE"),))
    assert edits(ReadPair("1", source, both.reference, both.links)) == {}


def test_nobody_is_inside_a_beach() -> None:
    both = read("He eats/VBZ on/IN the/DT beach/NN", "on", "beach", "eats", "Come/VB na/IN praia/NN", "praia")
    assert edits(both) == {"near": "perto da", "outside": "fora da"}


def test_a_city_is_known_by_its_kind_and_from_portuguese_too() -> None:
    both = read(
        "He lives/VBZ in/IN Boston/NNP", "in", "Boston", "lives", "Mora/VB em/IN Boston/NNP", "Boston"
    )
    source = Annotation(both.source.text, both.source.tokens, (TokenSpan(3, 4, "GPE"),))
    assert edits(ReadPair("1", source, both.reference, both.links))["near"] == "perto de"
    links = frozenset((b, a) for a, b in both.links)
    turned = ReadPair("1", both.reference, source, links)
    assert edits(turned, ("pt", "en"))["perto de"] == "near"


@pytest.mark.parametrize(
    ("source", "preposition", "thing", "governor", "reference", "linked"),
    [
        # where to, not where
        ("She fell/VBD into/IN the/DT lake/NN", "into", "lake", "fell", "Ela caiu/VB no/IN lago/NN", "lago"),
        ("She came/VBD into/IN the/DT house/NN", "into", "house", "came", "Veio/VB na/IN casa/NN", "casa"),
        ("She went/VBD in/IN the/DT house/NN", "in", "house", "went", "Ela entrou/VB na/IN casa/NN", "casa"),
        # no article: a fixed phrase
        ("a storm/NN at/IN sea/NN", "at", "sea", "storm", "uma tempestade/NN no/IN mar/NN", "mar"),
        ("He sleeps/VBZ in/IN bed/NN", "in", "bed", "sleeps", "Ele dorme/VB na/IN cama/NN", "cama"),
        # what something is made with
        ("It is/VBZ equipped/VBN with/IN bags/NNS", "with", "bags", "equipped",
         "É equipado/VB com/IN malas/NN", "malas"),
        # so long that it still lasts
        ("I have/VBP lived/VBN here for/IN three/CD years/NNS", "for", "years", "lived",
         "Moro/VB aqui por/IN três/CD anos/NN", "anos"),
        ("He came/VBD with/IN friends/NNS", "with", "friends", "came",
         "Veio/VB com/IN uns/DT amigos/NN", "amigos"),
        # years of something
        ("after/IN three/CD years/NNS of/IN war/NN", "after", "years", "",
         "após/IN três/CD anos/NN de/IN guerra", "anos"),
    ],
)  # fmt: skip
def test_a_preposition_that_goes_with_its_words_alone_is_left_alone(
    source: str, preposition: str, thing: str, governor: str, reference: str, linked: str
) -> None:
    assert edits(read(source, preposition, thing, governor, reference, linked)) == {}


@pytest.mark.parametrize("word", ["na", "dos", "pelas", "àquele", "comigo", "naquela", "com", "dele"])
def test_a_contraction_taken_apart_is_the_same_when_joined_again(word: str) -> None:
    preposition, rest = split_preposition(word)
    assert joined_preposition(preposition, rest) == word
