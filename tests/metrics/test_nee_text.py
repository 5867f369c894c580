"""The four normalisations of NEE, against tables made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.metrics.nee.numbers import (
    LANGUAGES,
    canonical_number,
    number_phrases,
    number_trie,
    spell_out_marks,
    strip_marks,
)
from mtassay.metrics.nee.texts import Normaliser

OFF = {"diacritics": False, "case": False, "numbers": False, "possessives": False}


def same(one: str, other: str, *, language: str = "", **switches: bool) -> bool:
    normaliser = Normaliser(language=language, **switches)
    ones, others = normaliser.renderings(one), normaliser.renderings(other)
    return any(rendering in others for rendering in ones)


@pytest.mark.parametrize(
    ("switch", "language", "one", "other"),
    [
        ("diacritics", "en", "à la carte", "a la carte"),  # the paper's own example
        ("diacritics", "pt", "São Tomé", "Sao Tome"),
        ("diacritics", "es", "Núñez", "Nunez"),
        ("diacritics", "fr", "Besançon", "Besancon"),
        ("diacritics", "ro", "Iași", "Iasi"),
        ("diacritics", "pl", "Łódź", "Lodz"),
        ("diacritics", "de", "Müller", "Muller"),
        ("diacritics", "de", "Müller", "Mueller"),
        ("diacritics", "de", "Weiß", "Weiss"),
        ("diacritics", "da", "Århus", "Aarhus"),
        ("diacritics", "da", "Århus", "Arhus"),
        ("diacritics", "da", "Jørgen", "Joergen"),
        ("diacritics", "tr", "Iğdır", "Igdir"),
        ("diacritics", "el", "Αθήνα", "Αθηνα"),
        ("diacritics", "ru", "Горбачёв", "Горбачев"),
        ("diacritics", "he", "יְרוּשָׁלַיִם", "ירושלים"),
        ("diacritics", "ar", "مُحَمَّد", "محمد"),
        ("case", "en", "NATO", "Nato"),
        ("case", "de", "STRASSE", "Straße"),
        ("case", "el", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("case", "ru", "МОСКВА", "Москва"),
        ("numbers", "en", "twenty-three", "23"),
        ("numbers", "en", "Twenty three", "23"),
        ("numbers", "en", "2 million", "two million"),
        ("numbers", "en", "1,234.50", "1234.5"),
        ("numbers", "de", "1.234,5", "1234,50"),
        ("numbers", "fr", "3 000", "3000"),
        ("numbers", "fr", "3\u202f000", "3000"),
        ("numbers", "de", "3'000", "3.000"),
        ("numbers", "ar", "١٢٫٥", "12.5"),
        ("numbers", "hi", "१२", "12"),
        ("possessives", "en", "Brazil's", "Brazil"),
        ("possessives", "en", "BRAZIL’S", "BRAZIL"),
        ("possessives", "en", "the Joneses'", "the Joneses"),
        ("possessives", "en", "2019's", "2019"),
    ],
)
def test_each_switch_by_itself_makes_two_spellings_one(switch, language, one, other):
    assert same(one, other, language=language)
    assert same(one, other, language=language, **{**OFF, switch: True})
    assert not same(one, other, language=language, **OFF)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Joe", "Jo"),
        ("en", "Mueller", "Muller"),  # neither has a mark
        ("ru", "Йошкар", "Иошкар"),
        ("uk", "Київ", "Киів"),
        ("ja", "がく", "かく"),
        ("hi", "मोदी", "मद"),
        ("th", "กิน", "กน"),
        ("vi", "Hà", "Ha"),
        ("de", "Merkels", "Merkel"),  # the German genitive has no mark
        ("en", "1.234", "1,234"),
        ("de", "1.234", "1,234"),
        ("en", "12.05.2020", "12052020"),
        ("en", "a hundred", "100"),
        ("pt", "uma", "1"),  # an article
        ("de", "ein", "1"),
        ("en", "twenty, three", "23"),
        ("en", "US", "U.S."),
        ("en", "New York", "Newyork"),
    ],
)
def test_different_names_stay_different(language, one, other):
    assert not same(one, other, language=language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O’Brien", "O'Brien"),
        ("Jean‑Paul", "Jean-Paul"),
        ("“Time”", '"Time"'),
        ("ＮＨＫ", "NHK"),
        ("cafe\u0301", "café"),
        ("科瑞·舒爾曼", "科瑞・舒爾曼"),
        ("ｶﾞﾝﾀﾞﾑ", "ガンダム"),
        ("한글", "한글"),
        ("\u200fירושלים", "ירושלים"),
        ("Mar\u00adburg", "Marburg"),
    ],
)
def test_the_same_characters_in_another_encoding_are_the_same_with_all_switches_off(one, other):
    assert same(one, other, **OFF)


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "O'Brien's U.S. trip", ["o", "'", "brien", "u", ".", "s", ".", "trip"]),
        ("fr", "l’Allemagne", ["l", "'", "allemagne"]),
        ("nl", "'s-Hertogenbosch", ["'", "s", "-", "hertogenbosch"]),
        ("tr", "Paris'te", ["paris", "'", "te"]),
        ("en", "COVID-19 in 5% of 10km", ["covid", "-", "19", "in", "5", "%", "of", "10", "km"]),
        ("zh", "在1945年10月NHK", ["在", "1945", "年", "10", "月", "nhk"]),
        ("th", "กรุงเทพ", ["ก", "รุ", "ง", "เ", "ท", "พ"]),
        ("ko", "오바마는", ["오", "바", "마", "는"]),
        ("fr", "quatre-vingt-dix-neuf vingt et un", ["99", "21"]),
        ("pt", "vinte e três mil e um", ["23", "mil", "e", "um"]),
        ("en", "", []),
    ],
)
def test_words_are_split_as_their_script_asks(language, text, words):
    assert Normaliser(language=language).words(text) == words


@pytest.mark.parametrize(
    ("language", "phrases"),
    [
        ("en", {"zero": 0, "nineteen": 19, "ninety nine": 99}),
        ("pt", {"vinte e um": 21, "dezasseis": 16, "quarenta e duas": 42, "três": 3}),
        ("es", {"veintitrés": 23, "treinta y una": 31, "uno": 1, "noventa y nueve": 99}),
        (
            "fr",
            {"vingt et un": 21, "dix sept": 17, "soixante et onze": 71, "quatre vingts": 80, "septante": 70},
        ),
        ("de", {"einundzwanzig": 21, "dreiundzwanzig": 23, "dreißig": 30, "siebenundsiebzig": 77}),
        ("it", {"ventuno": 21, "ventitre": 23, "trentotto": 38, "diciassette": 17}),
        ("nl", {"eenentwintig": 21, "drieëntwintig": 23, "zesenzestig": 66}),
    ],
)
def test_number_words_have_their_values(language, phrases):
    known = dict(number_phrases(language))
    assert {phrase: known.get(phrase) for phrase in phrases} == phrases


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_number_below_one_hundred_can_be_written_and_no_phrase_means_two(language):
    phrases = list(number_phrases(language))
    articles = {"pt": {1}, "fr": {1}, "it": {1}, "nl": {1}}.get(language, set())
    assert {value for _, value in phrases} == set(range(100)) - articles
    assert len(set(phrases)) == len(dict(phrases))


def test_a_language_without_number_words_has_none():
    assert number_trie("ja") == {}


@pytest.mark.parametrize(
    ("language", "number", "value"),
    [
        ("en", "1,234", "1234"),
        ("en", "1,234,567.80", "1234567.8"),
        ("en", "1,00,000", "100000"),  # India
        ("en", "12,34", "12.34"),
        ("en", "007", "7"),
        ("en", "0.500", "0.5"),
        ("de", "0.500", "0.5"),
        ("de", "1.234.567", "1234567"),
        ("de", "1,234.5", "1234.5"),  # left as in English: there is one reading
        ("pt-BR", "1.234", "1234"),
        ("es-MX", "1,234", "1234"),
        ("es", "1,234", "1.234"),
        ("de-CH", "1'234.5", "1234.5"),
        ("ar", "١٬٢٣٤", "1234"),
        ("en", "1.2.3", None),
        ("en", "12.05.2020", None),
        ("en", "1,2,3", None),
        ("en", "1,234.567.8", None),
    ],
)
def test_numbers_have_one_spelling_per_value(language, number, value):
    assert canonical_number(number, language=language) == value


switches = st.fixed_dictionaries({switch: st.booleans() for switch in OFF})


@given(st.text(), switches, st.sampled_from(["", "en", "pt", "fr", "tr", "vi", "zh"]))
def test_tokens_and_words_are_the_same_and_cover_what_they_say(text, switches, language):
    normaliser = Normaliser(language=language, **switches)
    tokens = normaliser.tokens(text)
    assert [token.text for token in tokens] == normaliser.words(text)
    assert [token.spelled_out for token in tokens] == normaliser.renderings(text)[-1]
    ends = [0, *(token.end for token in tokens)]
    assert all(end <= token.start < token.end for end, token in zip(ends, tokens, strict=False))


@given(st.integers(0, 99), st.sampled_from(sorted(LANGUAGES)))
def test_a_number_in_words_equals_its_digits(value, language):
    for phrase, meant in number_phrases(language):
        if meant == value:
            assert Normaliser(language=language).words(phrase.upper()) == [str(value)]


@given(st.text())
def test_removing_marks_twice_changes_nothing_more(text):
    assert strip_marks(strip_marks(text)) == strip_marks(text)
    assert strip_marks(spell_out_marks(text)) == spell_out_marks(text)
