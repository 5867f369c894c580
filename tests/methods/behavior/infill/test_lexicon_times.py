"""Words for times that the lexicon leaves alone, since other words in the sentence say which time it is."""

from __future__ import annotations

import pytest
from mtassay_en.lexicon_entries import load_lexicon
from mtassay_en.offers import word_offers

from .lexicon_sides import pair, side


def edited(source: str, reference: str, languages: tuple[str, str]) -> list[str]:
    """The words of the source that may be replaced, in order."""
    read = pair(side(source), side(reference))
    offers = word_offers(load_lexicon(*languages), languages, read)
    return [read.source.text[offer.start : offer.end] for offer in offers]


@pytest.mark.parametrize(
    ("source", "reference", "language", "words"),
    [
        ("he came/VBD last/JJ Tuesday/NNP", "ele veio na última terça-feira", "pt", ["Tuesday"]),
        ("he came/VBD last/JJ Tuesday/NNP", "er kam letzten Dienstag", "de", ["Tuesday"]),
        ("he came/VBD last/JJ May/NNP", "er kam letzten Mai", "de", ["May"]),
        ("his/PRP$ first/JJ year/NN", "seu primeiro ano", "pt", []),
        ("his/PRP$ last/JJ weekend/NN", "sein letztes Wochenende", "de", []),
        ("his/PRP$ first/JJ film/NN", "seu primeiro filme", "pt", ["first", "film"]),
    ],
)
def test_first_and_last_stay_before_a_time(
    source: str, reference: str, language: str, words: list[str]
) -> None:
    assert edited(source, reference, ("en", language)) == words


@pytest.mark.parametrize(
    ("source", "reference", "language"),
    [
        ("at/IN half/NN past/IN seven/CD in/IN the/DT morning/NN", "às sete e meia da manhã", "pt"),
        ("at/IN nine/CD o'clock/RB in/IN the/DT evening/NN", "às nove horas da noite", "pt"),
        ("at/IN nine/CD o’clock/RB in/IN the/DT evening/NN", "um neun am Abend", "de"),
        ("at/IN nine/CD in/IN the/DT evening/NN", "às nove da noite", "pt"),
        ("at/IN 10/CD in/IN the/DT evening/NN", "um zehn am Abend", "de"),
        ("by/IN a/DT quarter/NN to/IN six/CD in/IN the/DT evening/NN", "um Viertel vor sechs am Abend", "de"),
        ("in/IN the/DT evening/NN at/IN seven/CD", "am Abend um sieben Uhr", "de"),
        ("in/IN the/DT morning/NN at/IN seven/CD", "de manhã às 7h30", "pt"),
        ("dinner/NN at/IN 8:30/CD", "jantar às 20h30", "pt"),
        ("dinner/NN at/IN eight/CD", "晚餐 八点", "zh"),
        ("he came/VBD every/DT morning/NN at/IN 8/CD a.m./NN", "ele veio todas as manhãs às oito", "pt"),
        ("he came/VBD yesterday/NN at/IN 10/CD p.m./NN", "er kam gestern um zehn", "de"),
    ],
)
def test_the_part_of_the_day_stays_with_a_clock_time(source: str, reference: str, language: str) -> None:
    assert edited(source, reference, ("en", language)) == []


@pytest.mark.parametrize(
    ("source", "reference", "language", "word"),
    [
        ("he worked/VBD in/IN the/DT morning/NN", "ele trabalhou de manhã", "pt", "morning"),
        ("half/NN of/IN the/DT evening/NN", "metade da noite", "pt", "evening"),
        ("dinner/NN with/IN five/CD men/NNS", "晚餐 五 人", "zh", "dinner"),
    ],
)
def test_the_part_of_the_day_may_change_without_one(
    source: str, reference: str, language: str, word: str
) -> None:
    assert word in edited(source, reference, ("en", language))


@pytest.mark.parametrize(
    ("source", "reference", "words"),
    [
        ("from/IN December/NNP 22/CD to/TO January/NNP 4/CD", "de 22 de dezembro a 4 de janeiro", []),
        ("May/NNP and/CC June/NNP", "Maio e junho", []),
        ("in/IN December/NNP we/PRP may/MD come/VB", "em dezembro podemos vir", ["December"]),
    ],
)
def test_a_month_stays_where_there_is_another(source: str, reference: str, words: list[str]) -> None:
    assert edited(source, reference, ("en", "pt")) == words


def test_two_months_are_noticed_on_either_side() -> None:
    # `Maio` has a capital only because it is first.
    assert (
        edited("Maio e depois , em junho", "In/IN May/NNP and/CC the/DT next/JJ month/NN", ("pt", "en")) == []
    )
