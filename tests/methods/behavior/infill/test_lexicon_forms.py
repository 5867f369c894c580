"""The forms of words in the lexicon, checked against grammars of the languages."""

from __future__ import annotations

import pytest
from mtassay_en.inflections import chinese_forms, english_forms, german_forms, portuguese_forms
from mtassay_en.number_edits import spell, spelled_numbers


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("a casa", "casas"), ("o leão", "leões"), ("o pão, pães", "pães"), ("o homem", "homens"),
        ("a flor", "flores"), ("o juiz", "juizes"), ("o mês", "meses"), ("o jornal", "jornais"),
        ("o hotel", "hotéis"), ("o lençol", "lençóis"), ("o túnel", "túneis"), ("o lápis, lápis", "lápis"),
    ],
)  # fmt: skip
def test_a_portuguese_noun_has_its_plural(word: str, plural: str) -> None:
    gender = {"o": "m", "a": "f"}[word[0]]
    assert portuguese_forms("NOUN", word)[f"pl {gender}"] == plural


def test_a_noun_of_both_genders_has_the_cells_of_both() -> None:
    assert portuguese_forms("NOUN", "o/a dentista") == {
        "sg m": "dentista", "pl m": "dentistas", "sg f": "dentista", "pl f": "dentistas",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("adjective", "forms"),
    [
        ("branco", "branco branca brancos brancas"), ("grande", "grande grande grandes grandes"),
        ("fácil", "fácil fácil fáceis fáceis"), ("possível", "possível possível possíveis possíveis"),
        ("inglês", "inglês inglesa ingleses inglesas"), ("jovem", "jovem jovem jovens jovens"),
        ("espanhol, espanhola", "espanhol espanhola espanhóis espanholas"),
    ],
)  # fmt: skip
def test_a_portuguese_adjective_has_four_forms(adjective: str, forms: str) -> None:
    found = portuguese_forms("ADJ", adjective)
    assert [found[cell] for cell in ("sg m", "sg f", "pl m", "pl f")] == forms.split()


@pytest.mark.parametrize(
    ("verb", "cell", "form"),
    [
        ("comprar", "pret3sg", "comprou"), ("vender", "pret3pl", "venderam"), ("partir", "pret3sg", "partiu"),
        ("explicar", "pret1sg", "expliquei"), ("explicar", "subj3sg", "explique"),
        ("alegar", "pret1sg", "aleguei"), ("dançar", "subj3pl", "dancem"), ("conhecer", "pres1sg", "conheço"),
        ("medir, pres1sg=meço", "subj3sg", "meça"), ("abrir, part=aberto", "part sg f", "aberta"),
        ("morar", "impf3pl", "moravam"), ("terminar", "cond1pl", "terminaríamos"),
    ],
)  # fmt: skip
def test_a_portuguese_verb_is_conjugated(verb: str, cell: str, form: str) -> None:
    assert portuguese_forms("VERB", verb)[cell] == form


def test_a_verb_may_have_no_participle() -> None:
    assert not [cell for cell in portuguese_forms("VERB", "fechar, part=-") if cell.startswith("part")]


@pytest.mark.parametrize(
    ("verb", "past", "ing"),
    [
        ("open", "opened", "opening"), ("stop", "stopped", "stopping"), ("study", "studied", "studying"),
        ("love", "loved", "loving"), ("die", "died", "dying"), ("play", "played", "playing"),
        ("visit", "visited", "visiting"), ("need", "needed", "needing"), ("agree", "agreed", "agreeing"),
    ],
)  # fmt: skip
def test_an_english_verb_is_inflected(verb: str, past: str, ing: str) -> None:
    found = english_forms("VERB", verb)
    assert (found["past"], found["ing"]) == (past, ing)


def test_a_german_plural_ignores_gender_and_knows_the_dative() -> None:
    assert german_forms("NOUN", "die Katze, Katzen")["pl dative"] == "Katzen"
    assert german_forms("NOUN", "das Auto, Autos")["pl dative"] == "Autos"
    assert german_forms("NOUN", "der Hund, Hunde")["pl dative"] == "Hunden"
    assert german_forms("ADJ", "teuer, teur")["en"] == "teuren"


def test_a_chinese_noun_goes_with_its_measure_word() -> None:
    assert chinese_forms("NOUN", "匹 马") == {"匹": "马"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", {3: "three", 13: "thirteen", 40: "forty", 99: "ninety-nine"}),
        ("pt", {3: "três", 14: "catorze", 40: "quarenta", 99: "noventa e nove"}),
        ("de", {3: "drei", 16: "sechzehn", 30: "dreißig", 56: "sechsundfünfzig"}),
        ("zh", {3: "三", 10: "十", 14: "十四", 40: "四十", 99: "九十九"}),
    ],
)
def test_numbers_are_spelled(language: str, words: dict[int, str]) -> None:
    assert {number: spell(number, language) for number in words} == words


@pytest.mark.parametrize("language", ["en", "pt", "de", "zh"])
def test_every_spelled_number_is_read_again(language: str) -> None:
    for number in range(3, 100):
        word = spell(number, language)
        if word is not None:
            assert spelled_numbers(word, language) == [(0, len(word), number)]


def test_what_would_agree_with_a_noun_is_not_spelled_in_portuguese() -> None:
    assert [number for number in range(1, 60) if spell(number, "pt") is None] == [
        1, 2, 21, 22, 31, 32, 41, 42, 51, 52,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "It costs four fifty."), ("en", "Three hundred and five"), ("pt", "quatro e cinquenta"),
        ("pt", "duzentas e três pessoas"), ("pt", "vinte e uma casas"), ("pt", "uma casa"), ("zh", "三万"),
    ],
)  # fmt: skip
def test_a_row_of_number_words_that_we_cannot_read_is_no_number(language: str, text: str) -> None:
    assert spelled_numbers(text, language) == []
