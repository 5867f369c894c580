"""Checks that compare the texts of a file, and rules of house style."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.registry import find
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.house_style import STYLE_RULES, check_style
from mtassay.measures.message_format import CATEGORIES, cardinal_categories, ordinal_categories


def found(
    name: str, target: str, outputs: list[str], sources: list[str] | None = None
) -> list[tuple[int, str]]:
    texts = sources or [f"text {i}" for i in range(len(outputs))]
    units = [
        Unit(str(i), output, source) for i, (output, source) in enumerate(zip(outputs, texts, strict=True))
    ]
    return [
        (alarm.index, alarm.message)
        for alarm in find("check", name)().find(units, CheckContext("en", target))
    ]


ADDRESS = [
    ("de", ["Bitte warten Sie.", "Haben Sie Fragen?", "Hast du Fragen?"], "du"),
    ("de", ["Gib dein Passwort ein.", "Wähle deine Datei.", "Wir senden Ihnen eine Mail."], "Ihnen"),
    ("fr", ["Entrez votre nom.", "Vous êtes connecté.", "Tu es connecté."], "Tu"),
    ("fr", ["Entre ton nom.", "Tes fichiers", "Vos fichiers"], "Vos"),
    ("es", ["Usted puede salir.", "Llame a usted mismo.", "Tú puedes salir."], "Tú"),
    ("es", ["Tus archivos", "Tu cuenta", "La cuenta de usted"], "usted"),
    ("pt", ["Você pode sair.", "Você entrou.", "Tu podes sair."], "Tu"),
    ("ru", ["Введите ваш пароль.", "Вы вошли.", "Ты вошёл."], "Ты"),
    ("ru", ["Твои файлы", "Тебе письмо", "Ваши файлы"], "Ваши"),
    ("it", ["Inserisci il tuo nome.", "La tua email", "Scelga il Suo piano"], "Scelga"),
    ("nl", ["Voer uw naam in.", "Hebt u vragen?", "Heb je vragen?"], "je"),
    ("zh", ["您好", "请输入您的密码", "你的文件"], "你"),
]


@pytest.mark.parametrize(("target", "outputs", "word"), ADDRESS)
def test_the_text_that_changes_the_form_of_address_is_named(
    target: str, outputs: list[str], word: str
) -> None:
    ((index, message),) = found("address-drift", target, outputs)
    assert index == 2
    assert f"'{word}'" in message


def test_at_equal_numbers_no_form_is_the_usual_one() -> None:
    assert not found("address-drift", "de", ["Haben Sie Zeit?", "Hast du Zeit?"])


def test_who_is_quoted_may_speak_otherwise() -> None:
    outputs = ["Haben Sie Zeit?", "Rufen Sie an.", "„Hast du Zeit?“, rief Anna."]
    assert not found("address-drift", "de", outputs)


def test_the_other_place_is_named() -> None:
    ((_, message),) = found("address-drift", "de", ["Hast du Zeit?", "Haben Sie Zeit?", "Warten Sie."])
    assert message == "'du' is informal; most texts here are formal (2 of 3), as 'Haben Sie' (1)"


@pytest.mark.parametrize(
    ("target", "outputs"),
    [
        ("de", ["Sie ist da.", "Hast du Zeit?", "Dein Auto"]),
        ("fr", ["Vous êtes là.", "Un ton bas : ta"]),
        ("en", ["You are here.", "Thou art here."]),
    ],
)
def test_a_word_with_another_meaning_is_no_form_of_address(target: str, outputs: list[str]) -> None:
    assert not found("address-drift", target, outputs)


VARIANTS = [
    ("en-US", "Choose a colour", "colour"),
    ("en-GB", "Choose a color", "color"),
    ("en-GB", "Synchronize the center", "Synchronize"),
    ("pt-BR", "Abrir o ficheiro", "ficheiro"),
    ("pt-PT", "Abrir o arquivo do usuário", "arquivo"),
    ("pt-PT", "Compartilhar na tela", "Compartilhar"),
    ("zh-CN", "打開檔案，請選項", "開"),
    ("zh-TW", "打开文件", "开"),
]


@pytest.mark.parametrize(("target", "output", "word"), VARIANTS)
def test_a_word_of_another_variant_is_named(target: str, output: str, word: str) -> None:
    ((_, message),) = found("spelling-variant", target, [output])
    assert message.startswith(f"'{word}'")


def test_without_a_region_the_file_decides_the_variant() -> None:
    outputs = ["The colour", "My favourite", "The center"]
    assert [index for index, _ in found("spelling-variant", "en", outputs)] == [2]


def test_one_source_with_two_outputs() -> None:
    outputs, sources = ["Öffnen", "Öffnen", "Aufmachen", "Zu"], ["Open", "Open", "Open", "Close"]
    assert [index for index, _ in found("same-source", "de", outputs, sources)] == [2]


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("Enable updates", "Disable updates", 1),
        ("Sign in", "Sign out", 1),
        ("Do delete it", "Do not delete it", 1),
        ("Page 1", "Page 2", 1),
        ("Delete", "Remove", 0),
        ("Open file", "Open file...", 0),
        ("Could not open the file", "Unable to open file", 0),
    ],
)
def test_two_sources_with_one_output(one: str, two: str, expected: int) -> None:
    assert len(found("same-target", "de", ["Gleich", "Gleich"], [one, two])) == expected


def test_plural_forms_that_a_file_lacks_or_does_not_need() -> None:
    def messages(target: str, categories: list[str]) -> list[str]:
        units = [Unit(c, "x", "y", key=f"files[{c}]", file="a.xml", facts={"plural": c}) for c in categories]
        return [
            alarm.message for alarm in find("check", "plural-forms")().find(units, CheckContext("en", target))
        ]

    assert messages("ru", ["one", "few", "many", "other"]) == []
    assert messages("de", ["one", "other"]) == []
    assert messages("fr", ["one", "other"]) == []
    assert messages("ja", ["other"]) == []
    assert messages("ru", ["one", "other"]) == [
        "'files' lacks plural forms of the target language: few, many"
    ]
    assert messages("de", ["one", "few", "other"]) == ["The target language has no plural form 'few'"]
    assert messages("pl", ["one", "few", "many"]) == [
        "'files' lacks plural forms of the target language: other"
    ]


@pytest.mark.parametrize("code", ["ar", "de", "fr", "he", "hi", "ja", "lv", "ru", "sl", "zh"])
def test_every_language_has_the_category_other(code: str) -> None:
    for categories in (cardinal_categories(code), ordinal_categories(code)):
        assert "other" in categories
        assert categories <= set(CATEGORIES)


STYLE = [
    ("address", "informal", "de", "Haben Sie Fragen?", "formal"),
    ("address", "formal", "fr", "Tu es là", "informal"),
    ("quotes", "„“", "de", 'Die "Datei"', "quotation marks"),
    ("quotes", "«»", "fr", "Le “fichier”", "quotation marks"),
    ("apostrophe", "’", "fr", "l'heure", "apostrophe"),
    ("ellipsis", "…", "de", "Laden...", "ellipsis"),
    ("ellipsis", "...", "de", "Laden…", "ellipsis"),
    ("dash", "–", "de", "Ja - nein", "dash"),
    ("punctuation-space", "nbsp", "fr", "Oui !", "nbsp"),
    ("punctuation-space", "none", "de", "Ja !", "no space"),
    ("end-punctuation", "none", "de", "Gespeichert.", "full stop"),
    ("end-punctuation", "keep", "de", "Gespeichert.", "source"),
    ("max-length", "5", "de", "Speichern", "9 characters"),
    ("max-length", "150%", "de", "Einstellungen", "allowed"),
    ("capitals", "sentence", "es", "Guardar El Archivo Nuevo", "capital letter"),
    ("forbidden", "Rechner, PC", "de", "Der Rechner startet", "forbidden"),
]


@pytest.mark.parametrize(("rule", "value", "target", "output", "part"), STYLE)
def test_an_output_that_breaks_a_style_rule(
    rule: str, value: str, target: str, output: str, part: str
) -> None:
    context = CheckContext("en", target, style={rule: value})
    (alarm,) = find("check", "style")().find([Unit("1", output, "Text")], context)
    assert part in alarm.message
    if alarm.fix is not None:
        assert not list(find("check", "style")().find([Unit("1", alarm.fix, "Text")], context))


def test_every_style_rule_is_in_the_table_and_a_wrong_one_is_refused() -> None:
    assert {line.split("`")[1] for line in STYLE_RULES.splitlines() if line.startswith("| `")} == {
        *(rule for rule, *_ in STYLE),
        "variant",
    }
    check_style({"variant": "en-GB", "max-length": "120%"})
    for rule, value in (
        ("colour", "red"),
        ("address", "polite"),
        ("variant", "de-AT"),
        ("max-length", "ten"),
    ):
        with pytest.raises(UsageError):
            check_style({rule: value})


def test_the_style_rule_variant_overrules_the_target() -> None:
    context = CheckContext("de", "en-US", style={"variant": "en-GB"})
    units = [Unit("1", "The color"), Unit("2", "The colour")]
    assert [alarm.index for alarm in find("check", "spelling-variant")().find(units, context)] == [0]
