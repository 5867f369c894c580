"""Numbers, negation, names and encoding: what is lost, what is added, and what is only said otherwise."""

from __future__ import annotations

import pytest

from mtassay.data.registry import find
from mtassay.measures.check import CheckContext, Unit


def says(check: str, pair: str, source: str, output: str, *references: str) -> list[str]:
    unit = Unit("1", output, source, references)
    found = find("check", check)().find([unit], CheckContext(*pair.split("-")))
    return [alarm.message for alarm in found]


@pytest.mark.parametrize(
    ("pair", "source", "output"),
    [
        ("en-zh", "There are 274 files.", "有二百四十七个文件。"),
        ("en-ar", "There are 274 files.", "هناك ٢٤٧ ملفًا."),
        ("hi-en", "यहाँ २७४ फ़ाइलें हैं।", "There are 275 files."),
        ("zh-en", "有二百七十四个文件。", "There are 247 files."),
        ("en-de", "Twenty-three people came.", "32 Leute kamen."),
        ("en-de", "Wait three days.", "Warten Sie vier Tage."),
        ("en-de", "It costs 5 dollars.", "Es kostet 50 Dollar."),
        ("en-cs", "Wait 5 days", "Počkejte 7 dní"),
        ("en-de", "Take 5 mg daily.", "Nehmen Sie täglich 5 g."),
        ("en-es", "It takes 3 minutes.", "Tarda 3 horas."),
        ("en-de", "2.5 million users", "2,5 Milliarden Nutzer"),
        ("en-fr", "on March 5, 2024", "le 5 mai 2024"),
        ("en-de", "on 2024-03-05", "am 05.04.2024"),
        ("en-de", "Version 2.1 is out", "Version 2.2 ist da"),
    ],
)
def test_a_wrong_number_is_named(pair: str, source: str, output: str) -> None:
    assert says("numbers", pair, source, output)


@pytest.mark.parametrize(
    ("pair", "source", "output"),
    [
        ("en-zh", "There are 274 files.", "有二百七十四个文件。"),
        ("en-ja", "There are 274 files.", "２７４個のファイルがあります。"),
        ("en-hi", "There are 274 files.", "यहाँ २७४ फ़ाइलें हैं।"),
        ("en-ru", "There are 25 files.", "Имеется двадцать пять файлов."),
        ("en-cs", "There are 25 files.", "Je tu dvacet pět souborů."),
        ("en-ko", "There are 274 files.", "파일이 이백칠십사 개 있습니다."),
        ("en-de", "at 5 pm", "um 17 Uhr"),
        ("en-de", "It weighs 10 pounds.", "Es wiegt 4,5 kg."),
        ("en-de", "2.5 million users", "2.500.000 Nutzer"),
        ("en-de", "in the 1970s", "in den Siebzigern"),
        ("en-it", "One in four people", "Una persona su quattro"),
        ("en-fr", "on March 5, 2024", "le 5 mars 2024"),
        ("en-zh", "at 0430", "凌晨四点半"),
    ],
)
def test_a_number_said_otherwise_is_right(pair: str, source: str, output: str) -> None:
    assert says("numbers", pair, source, output) == []


@pytest.mark.parametrize(
    ("pair", "source", "output"),
    [
        ("en-de", "This action cannot be undone.", "Diese Aktion kann rückgängig gemacht werden."),
        ("en-es", "Never share your PIN.", "Comparte siempre tu PIN."),
        ("en-fr", "Do not share your password.", "Partagez votre mot de passe."),
        ("en-it", "The file was not found.", "Il file è stato trovato."),
        ("en-pt", "Do not show this again.", "Mostrar isto novamente."),
        ("en-ru", "The file was not saved.", "Файл был сохранён."),
        ("en-zh", "Do not turn off the computer.", "请关闭计算机。"),
        ("en-ja", "You cannot change this setting.", "この設定は変更できます。"),
        ("en-ja", "The file was saved.", "ファイルは保存されませんでした。"),
        ("en-ru", "The file was saved.", "Файл не был сохранён."),
        ("ru-en", "Файл не найден.", "File found."),
        ("ja-en", "このファイルは削除できません。", "This file can be deleted."),
        ("zh-en", "不要关闭窗口。", "Close the window."),
        ("de-en", "Das ist nicht erlaubt.", "This is allowed."),
    ],
)
def test_a_lost_or_added_negation_is_named(pair: str, source: str, output: str) -> None:
    assert says("negation", pair, source, output)


@pytest.mark.parametrize(
    ("pair", "source", "output"),
    [
        ("en-de", "It is impossible.", "Das ist nicht möglich."),
        ("en-ja", "You must save the file.", "ファイルを保存しなければならない。"),
        ("en-ru", "Not only the file, also the folder.", "И файл, и папка."),
        ("en-zh", "He left without a word.", "他没有说一句话就走了。"),
        ("en-de", "Why don't you sit down?", "Setzen Sie sich doch."),
    ],
)
def test_a_negation_said_otherwise_is_right(pair: str, source: str, output: str) -> None:
    assert says("negation", pair, source, output) == []


def test_references_decide_about_negations() -> None:
    source, output = "You are welcome to stay.", "Sie müssen nicht gehen."
    assert says("negation", "en-de", source, output)
    assert says("negation", "en-de", source, output, "Sie brauchen nicht zu gehen.") == []


def test_names_that_no_language_translates_are_kept() -> None:
    assert says("names", "en-de", "Ask @user7 on GitHub.", "Frag @nutzer7 auf GitHub.") == [
        "'@user7' is missing"
    ]
    assert says("names", "en-de", "Ask @user7 on GitHub.", "Frag @user7 auf Github.") == []
    assert says("names", "en-ru", "Open YouTube.", "Откройте Ютуб.") == []


@pytest.mark.parametrize(
    "output", ["cafÃ© auf", "Tom &amp; Anna", "schl\ufffdft", "\ufeffHallo", "a\u200bb", "a\x07b"]
)
def test_broken_characters_are_named(output: str) -> None:
    assert says("characters", "en-de", "Hello there", output) or says(
        "entities", "en-de", "Hello there", output
    )


@pytest.mark.parametrize("output", ["Ærø, Šárka, Ĝis", "می‌خواهم", "ÃO", "👨‍👩‍👧", "Größe – „ja“"])
def test_rare_characters_are_right(output: str) -> None:
    assert says("characters", "en-de", "Hello there", output) == []


def test_length_is_compared_with_the_file() -> None:
    units = [Unit(str(n), "x" * 50, "y" * 100) for n in range(60)]
    units += [Unit("short", "x" * 15, "y" * 100), Unit("long", "x" * 150, "y" * 100)]
    context = CheckContext("en", "zz")
    shorter, longer = find("check", "omission")(), find("check", "addition")()
    assert [units[alarm.index].id for alarm in shorter.find(units, context)] == ["short"]
    assert [units[alarm.index].id for alarm in longer.find(units, context)] == ["long"]
