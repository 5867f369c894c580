"""Numbers and names are edited in every pair, and only where both sides stay right."""

from pathlib import Path

import pytest

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from mtassay.methods.behavior.case_generation import make_cases
from mtassay.methods.behavior.recipe import Recipe
from mtassay.nlp import plain_places
from mtassay.nlp.plain_places import PlainAnnotator, Sides, name_places, number_places
from tests.methods.behavior.fakes import Memory


def read(source: str, reference: str) -> Sides:
    return PlainAnnotator.read(source), PlainAnnotator.read(reference)


@pytest.mark.parametrize(
    ("languages", "source", "reference", "others"),
    [
        (("en", "de"), "He sold 4,500 cars.", "Er hat 4.500 Autos verkauft.", ("4,600", "4.600")),
        (("en", "zh"), "About 62 % recovered.", "约62%的患者康复。", ("63", "63")),
        (("en", "ru"), "There are 34 boats.", "Здесь 34 лодки.", ("33", "33")),
        (("en", "ja"), "It cost 35 euros.", "それは３５ユーロでした。", ("37", "３７")),
        (("de", "en"), "Es wog 3,5 Kilo.", "It weighed 3.5 kilos.", ("3,7", "3.7")),
    ],
)
def test_a_number_becomes_another_as_each_language_writes_it(languages, source, reference, others):
    places = number_places(languages, read(source, reference))
    assert len(places) == 1
    assert others in places[0].others


@pytest.mark.parametrize(
    ("source", "reference"),
    [
        ("Type 2 diabetes is common.", "Typ 2 Diabetes ist häufig."),  # a name
        ("It came with COVID-19 once.", "Es kam mit COVID-19 einmal."),
        ("He has 1 dog.", "Er hat 1 Hund."),  # what is counted would need a plural
        ("60 men and 40 women came.", "60 Männer und 40 Frauen kamen."),  # they add up to 100
        ("She has 35 and he 35.", "Sie hat 35 und er 35."),  # which is which?
        ("He came at 10:45 today.", "Er kam heute um 10:45."),
        ("It weighs 1.500 kilos.", "Es wiegt 1.500 Kilo."),  # another value in German
        ("He was 5th today.", "Er war heute 5th."),
        ("They flew a Boeing 787 home.", "Sie flogen mit einer Boeing 787 heim."),
        ("I gave it 4 stars.", "Ich gab 4 Sterne."),
        ("5) It works.", "5) Es geht."),
        ("It is significant at 5 %.", "Es ist bei 5 % signifikant."),
    ],
)
def test_a_number_that_is_not_certain_stays(source, reference):
    assert number_places(("en", "de"), read(source, reference)) == []


def test_a_number_keeps_its_order_its_plural_and_its_article():
    place = number_places(("en", "de"), read("From 1990 to 1993 it fell.", "Von 1990 bis 1993 fiel es."))
    assert place[-1].others == (("1991", "1991"), ("1992", "1992"), ("1994", "1994"))
    place = number_places(("en", "de"), read("It began in March 2020.", "Es begann im März 2020."))
    assert place[-1].others == (("2018", "2018"), ("2019", "2019"))
    place = number_places(("en", "de"), read("It saw an 80 % rise.", "Es stieg um 80 %."))
    assert place == []  # no other round number needs "an"


def test_a_name_becomes_one_of_the_same_gender_where_names_are_not_inflected():
    pair = read("Yesterday Anna bought bread.", "Gestern kaufte Anna Brot.")
    (place,) = name_places(("en", "de"), pair)
    assert ("Greta", "Greta") in place.others
    assert name_places(("en", "fi"), pair) == []


@pytest.mark.parametrize("code", ["de", "zh", "es", "fr", "ru", "ja", "cs", "hi"])
def test_every_pair_has_cases_without_a_tool(code):
    pair = parse_pair(f"en-{code}")
    segments = [Segment("1", "It cost 35 euros.", ("— 35 €",))]
    recipe = Recipe.resolve({"infill": "plain"}, pair)
    (case,) = make_cases(segments, pair, recipe, Memory()).cases
    assert case.capability == "others"
    assert case.edited_source.replace("It cost ", "")[:2] == case.pseudo_reference[2:4] != "35"


def test_a_given_name_has_one_gender():
    rows = [
        line.split("\t")
        for line in (Path(plain_places.__file__).parent / "data" / "names.tsv").open("r", encoding="utf-8")
    ]
    female, male = (
        {n for kind, _, names in rows if kind == gender for n in names.split()}
        for gender in ("female", "male")
    )
    assert female
    assert female & male == set()
