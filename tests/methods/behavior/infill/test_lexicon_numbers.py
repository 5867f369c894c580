"""Numbers and clock times on both sides of a pair."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtassay_en.number_edits import number_offers

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
        ("a fee of 12%", "multa de 12%", [("number", "12", "12")]),
        ("almost 12 percent", "quase 12%", [("number", "12", "12")]),
        ("for $79", "por US$ 79", [("number", "79", "79")]),
        ("7 to 10 in the morning", "7 a 10 da manhã", [("number", "7", "7")]),  # never 20 in the morning
        ("born in 1938", "nascido em 1938", [("number", "1938", "1938")]),
        ("on February 3", "em 3 de fevereiro", [("number", "3", "3")]),
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
        ("about 1.5% of them", "cerca de 1,5% deles", [("number", "1.5", "1,5")]),
    ],
)
def test_a_number_is_found_where_both_sides_have_it_once(
    source: str, reference: str, found: list[tuple[str, str, str]]
) -> None:
    assert texts(source, reference) == found


@pytest.mark.parametrize(
    ("source", "reference", "languages", "found"),
    [
        ("on 3 May", "am 3. Mai", ("en", "de"), [("number", "3", "3")]),
        ("1,234.5 tons", "1.234,5 Tonnen", ("en", "de"), [("number", "1,234.5", "1.234,5")]),
        ("twelve books", "十二本书", ("en", "zh"), [("number", "twelve", "十二")]),
        ("in 1938", "在1938年", ("en", "zh"), [("number", "1938", "1938")]),
        ("over 40 years", "40余年", ("en", "zh"), []),  # this goes with round numbers only
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


def test_a_year_stays_near_and_in_order() -> None:
    read = pair(Annotation("between 2019 and 2024"), Annotation("entre 2019 e 2024"))
    first, second = number_offers(("en", "pt"), read)
    assert all(2010 <= int(s.source) < 2024 for s in first.substitutes)
    assert all(2019 < int(s.source) <= 2033 for s in second.substitutes)
