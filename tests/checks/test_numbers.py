"""Numbers: which spellings count as the same, and which losses are reported."""

from __future__ import annotations

import pytest

from mtassay.nlp.numbers import NumbersOf, is_converted, read_numbers
from tests.checks.build import alarms


def missing_of(source: str, output: str, *references: str, pair: str = "") -> list[str]:
    """The numbers that the check marks in the source."""
    found = alarms("numbers", source, output, *references, pair=pair)
    return [source[mark.start : mark.end] for alarm in found for mark in alarm.marks if mark.side == "source"]


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("no number", []),
        ("1,000 and 1.000 and 1 000 and 1'000 and 1\u00a0000", ["1000"] * 5),
        ("1.234.567,89", ["123456789"]),
        ("12,34,567", ["1234567"]),
        ("0,5 and .5", ["5", "5"]),
        ("3.50 and 3.5", ["35", "35"]),
        ("2,000 737s in 2015 300 times", ["2000", "737", "2015", "300"]),
        ("24.12.2023", ["24", "2023"]),
        ("007", ["7"]),
        ("１２３, ٤٥٦, ७८९", ["123", "456", "789"]),
        ("Covid-19, A380, H2O", ["19", "380", "2"]),
    ],
)
def test_numbers_are_read_whatever_their_grouping_and_digits(text: str, digits: list[str]) -> None:
    assert [number.digits for number in read_numbers(text)] == digits


@pytest.mark.parametrize(
    ("source", "output", "has_it"),
    [
        ("12.500", "12,500", True),
        ("12.500", "12 500", True),
        ("12.500", "1,250", False),
        ("3,5 %", "3.5%", True),
        ("3,5 %", "5.3%", True),  # runs of digits in any order: kept as a date might be
        ("3,5 %", "35%", True),
        ("15:30 Uhr", "3:30 pm", True),
        ("8 pm", "20 Uhr", True),
        ("16.3.", "16 March", True),
        ("die 90er", "the 1990s", True),
        ("1998", "'98", True),
        ("2,5 Millionen", "2,500,000", True),
        ("2,5 Millionen", "25 million", True),  # digits alone are compared
        ("20 Millionen", "200 million", False),
        ("1.2亿", "120 million", True),
        ("35 million", "三千五百万", True),
        ("2019", "二零一九年", True),
        ("107,000", "十万七千", True),
        ("10,000", "一万", True),
        ("10,000", "每万字", True),
        ("42", "forty-two", True),
        ("42", "zweiundvierzig", True),
        ("42", "fifty-two", False),
        ("0800 123 4567", "08001234567", True),
    ],
)
def test_a_number_is_kept_across_the_usual_conversions(source: str, output: str, has_it: bool) -> None:
    numbers = NumbersOf(output)
    assert all(numbers.has(number, source=NumbersOf(source)) for number in read_numbers(source)) is has_it


@pytest.mark.parametrize(
    ("pair", "source", "output", "missing"),
    [
        (("de", "en"), "2,5 Millionen Euro", "2.5 million euros", []),
        (("de", "en"), "2,5 Millionen Euro", "2,500,000 euros", []),
        (("de", "en"), "2,5 Millionen Euro", "25 million euros", ["2,5"]),
        (("en", "zh"), "4.67 lakh cases", "46.7万例", []),
        (("en", "zh"), "4.67 lakh cases", "467万例", ["4.67"]),
        (("en", "zh"), "448.3 thousand jobs", "44.83万个岗位", []),
        (("en", "zh"), "448.3 thousand jobs", "4.483万个岗位", ["448.3"]),
        (("de", "en"), "12.500 Menschen", "twelve thousand five hundred people", []),
        (("en", "de"), "342 people", "dreihundertzweiundvierzig Menschen", []),
        (("en", "de"), "342 people", "dreihundertdreiundvierzig Menschen", ["342"]),
        (("en", "pt"), "the 1,001 nights", "as mil e uma noites", []),
    ],
)
def test_a_number_counts_with_its_unit_as_its_language_has_it(
    pair: tuple[str, str], source: str, output: str, missing: list[str]
) -> None:
    assert missing_of(source, output, pair="-".join(pair)) == missing


@pytest.mark.parametrize(
    ("one", "two", "converted"),
    [
        ("100 km", "62 miles", True),
        ("150 lb", "68 kg", True),
        ("6 feet", "1.83 m", True),
        ("10 inches", "25.4 cm", True),
        ("100 °C", "212 °F", True),
        ("100", "90", False),
        ("0", "17", False),
    ],
)
def test_units_may_be_converted(one: str, two: str, converted: bool) -> None:
    assert is_converted(read_numbers(one)[0], read_numbers(two)[0]) is converted


@pytest.mark.parametrize(
    ("source", "reference", "output", "missing"),
    [
        ("Seite 37", "Page 37", "Page", ["37"]),
        ("Seite 37", "Page 37", "Page 38", ["37"]),
        ("Seite 37", "Page thirty-seven", "Page", []),
        # A number that is often spelled out must be replaced by another number to be missed.
        ("3 Hunde", "3 dogs", "three dogs", []),
        ("3 Hunde", "3 dogs", "4 dogs", ["3"]),
        ("3 Hunde", None, "4 dogs", ["3"]),
        ("3 Hunde", None, "three dogs", []),
        ("12 Hunde", None, "a dozen dogs", []),
        ("37 Hunde", None, "many dogs", ["37"]),
        ("320 Kilometer", "320 kilometres", "200 miles", []),
        ("von 2019 bis 2021", "from 2019 to 2021", "from 2018 to 2021", ["2019"]),
    ],
)
def test_a_number_is_missed_only_if_the_reference_keeps_it(
    source: str, reference: str | None, output: str, missing: list[str]
) -> None:
    assert missing_of(source, output, *([reference] if reference else []), pair="de-en") == missing


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("Das Feuer brach gegen 19.15 Uhr aus.", "The fire broke out at around 7.15 p.m."),
        ("Von Woche 1 an schläft sie.", "She sleeps from week 1 to the next."),
    ],
)
def test_clocks_of_twelve_hours_and_small_words_are_no_changed_numbers(source: str, output: str) -> None:
    assert not alarms("numbers", source, output, pair="de-en")
