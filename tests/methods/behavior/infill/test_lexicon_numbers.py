"""Numbers and clock times on both sides of a pair."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtassay_en.lexicon_infiller import clocks, time_offers, written_time
from mtassay_en.number_edits import Numeral, number_offers, numerals, written

from mtassay.nlp.annotation import Annotation

from .lexicon_sides import pair, side


def texts(
    source: str, reference: str, languages: tuple[str, str] = ("en", "pt")
) -> list[tuple[str, str, str]]:
    """What is found: the kind and both texts."""
    read = pair(Annotation(source), Annotation(reference))
    return [
        (offer.kind, source[offer.start : offer.end], reference[offer.reference_start : offer.reference_end])
        for offer in number_offers(languages, read)
    ]


@pytest.mark.parametrize(
    ("source", "reference", "found"),
    [
        ("It weighs 1,234.5 kg.", "Pesa 1.234,5 kg.", [("number", "1,234.5", "1.234,5")]),
        ("Twenty-seven miles", "Vinte e sete milhas", [("number", "Twenty-seven", "Vinte e sete")]),
        ("a fee of 12%", "multa de 12%", [("percentage", "12", "12")]),
        ("almost 12 percent", "quase 12%", [("percentage", "12", "12")]),
        ("for $79", "por US$ 79", [("money", "79", "79")]),
        ("born in 1938", "nascido em 1938", [("year", "1938", "1938")]),
        ("on February 3", "em 3 de fevereiro", [("day", "3", "3")]),
        ("by the 19th", "até o dia 19", []),  # an ordinal on one side only
        ("on June 1", "em 1º de junho", []),
        ("They won 3-1.", "Venceram por 3 a 1.", []),
        ("two of the two", "dois dos dois", []),  # which is which would be a guess
        ("one house", "uma casa", []),
        ("order 4471-B", "pedido 4471-B", []),
        ("at 8 a.m.", "às 8h", []),  # the business of clock times
        ("from 5 to 70", "de 5 a 70", [("number", "5", "5"), ("number", "70", "70")]),
        ("half of the 5", "metade das 6", []),
        ("two trees, one old and one young", "duas árvores, uma velha e uma nova", []),
        ("from 0 to 100", "de 0 a 100", []),
        ("a phase 3 trial", "um ensaio de fase 3", []),  # these name something, and count nothing
        ("type 2 diabetes", "diabetes tipo 2", []),
        ("The COVID-19 virus", "O vírus da COVID-19", []),
        ("the COVID 19 virus", "o vírus da COVID 19", []),
        ("see chapter 7", "ver o capítulo 7", []),
        ("version 4 is out", "saiu a versão 4", []),
        ("at the 5′ end", "na extremidade 5′", []),
        ("below 30 kg/m 2", "abaixo de 30 kg/m 2", [("number", "30", "30")]),
        ("I'm 25 now", "Tenho 25 agora", [("number", "25", "25")]),
        ("about 1.5% of them", "cerca de 1,5% deles", []),  # below 2 a verb may be singular
    ],
)
def test_a_number_is_found_where_both_sides_have_it_once(
    source: str, reference: str, found: list[tuple[str, str, str]]
) -> None:
    assert texts(source, reference) == found


@pytest.mark.parametrize(
    ("source", "reference", "languages", "found"),
    [
        ("on 3 May", "am 3. Mai", ("en", "de"), [("day", "3", "3")]),
        ("1,234.5 tons", "1.234,5 Tonnen", ("en", "de"), [("number", "1,234.5", "1.234,5")]),
        ("twelve books", "十二本书", ("en", "zh"), [("number", "twelve", "十二")]),
        ("in 1938", "在1938年", ("en", "zh"), [("year", "1938", "1938")]),
        ("over 40 years", "40余年", ("en", "zh"), []),  # this goes with round numbers only
        ("5 people and 50,000 ants", "5人和5万只蚂蚁", ("en", "zh"), [("number", "5", "5")]),
    ],
)
def test_numbers_are_found_in_other_languages(
    source: str, reference: str, languages: tuple[str, str], found: list[tuple[str, str, str]]
) -> None:
    assert texts(source, reference, languages) == found


def test_a_number_in_a_name_is_left_alone() -> None:
    read = pair(side("for Windows/NNP 7/CD users"), side("para usuários do Windows 7"))
    assert number_offers(("en", "pt"), read) == []


@given(st.integers(2, 200_000), st.integers(2, 200_000))
def test_substitutes_keep_size_order_and_number(first: int, second: int) -> None:
    source, reference = (
        f"from {first:,} to {second:,} cars",
        f"de {first:,} a {second:,} carros".replace(",", "."),
    )
    for offer in number_offers(("en", "pt"), pair(Annotation(source), Annotation(reference))):
        old = Decimal(source[offer.start : offer.end].replace(",", ""))
        other = Decimal(second if offer.start < len(f"from {first:,}") else first)
        for substitute in offer.substitutes:
            new = Decimal(substitute.source.replace(",", ""))
            assert new == Decimal(substitute.reference.replace(".", ""))
            assert new != old
            assert new >= 3
            assert (new < other) == (old < other)
            assert len(str(new)) == len(str(old))


@given(st.decimals(1000, 10**7, places=2))
def test_a_written_number_is_read_again(value: Decimal) -> None:
    for language in ("en", "pt", "de"):
        text = written(value, Numeral(0, 0, value, "grouped", 2), language)
        assert text is not None
        assert [numeral.value for numeral in numerals(text, language)] == [value]


def test_a_year_stays_near_and_in_order() -> None:
    read = pair(Annotation("between 2019 and 2024"), Annotation("entre 2019 e 2024"))
    first, second = number_offers(("en", "pt"), read)
    assert all(2010 <= int(s.source) < 2024 for s in first.substitutes)
    assert all(2019 < int(s.source) <= 2033 for s in second.substitutes)


def test_a_day_becomes_one_that_every_month_has() -> None:
    read = pair(Annotation("on March 31"), Annotation("em 31 de março"))
    (offer,) = number_offers(("en", "pt"), read)
    assert {int(s.source) for s in offer.substitutes} <= set(range(10, 29))


@pytest.mark.parametrize(
    ("source", "reference", "found"),
    [
        ("at 8 a.m. sharp", "às 8h em ponto", ["8 a.m.", "8h"]),
        ("at 6:45 p.m., so", "às 18h45; portanto", ["6:45 p.m.", "18h45"]),
        ("at 4 p.m. in Rio", "às 16h no Rio", ["4 p.m.", "16h"]),
        ("at 4 p.m. in Rio", "às 15h no Rio", []),
        ("at noon", "ao meio-dia", []),
        ("at 1 p.m.", "às 13h", ["1 p.m.", "13h"]),
        ("at 1 a.m.", "à 1h", []),  # the article is another one
    ],
)
def test_a_time_is_found_where_both_sides_have_it(source: str, reference: str, found: list[str]) -> None:
    offers = time_offers(("en", "pt"), pair(Annotation(source), Annotation(reference)))
    assert [
        text
        for offer in offers
        for text in (source[offer.start : offer.end], reference[offer.reference_start : offer.reference_end])
    ] == found


def test_a_new_time_is_the_same_on_both_sides() -> None:
    source, reference = "at 6:45 p.m.", "às 18h45"
    (offer,) = time_offers(("en", "pt"), pair(Annotation(source), Annotation(reference)))
    for substitute in offer.substitutes:
        (here,), (there,) = clocks(substitute.source, "en"), clocks(substitute.reference, "pt")
        assert here.minutes == there.minutes != 18 * 60 + 45


@given(st.integers(6 * 60, 23 * 60 + 59))
def test_a_written_time_is_read_again(minutes: int) -> None:
    like = clocks("7:30 p.m." if minutes >= 720 else "7:30 a.m.", "en")[0]
    assert [time.minutes for time in clocks(written_time(minutes, like, "en"), "en")] == [minutes]
