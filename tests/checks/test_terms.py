"""Terms are found in any form of theirs, and nowhere else; checks say what is wrong and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.formats.glossaries import Glossary, Term
from mtassay.data.registry import find, names
from mtassay.measures.check import Alarm, Check, CheckContext, Unit
from mtassay.measures.term_checks import DoNotTranslate, TermDrift, TermForbidden, TermMissing
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.term_matching import Lemmas, TermIndex, TermText, longest
from mtassay.nlp.word_forms import word_forms
from tests.fake_annotator import FakeAnnotator


def places(language: str, term: str, text: str, *, strict: bool = False) -> list[str]:
    index = TermIndex([term], word_forms(language), is_strict=strict)
    return [text[match.start : match.end] for match in index.find(TermText(text))]


@pytest.mark.parametrize(
    ("language", "term", "text", "found"),
    [
        # forms of a word
        ("en", "invoice", "All invoices are paid.", ["invoices"]),
        ("de", "Regel", "nach diesen Regeln", ["Regeln"]),
        ("de", "offener Posten", "Bezahlen Sie offene Posten.", ["offene Posten"]),
        ("de", "Connector", "zwei Connectors", ["Connectors"]),
        ("es", "pedido de compra", "los pedidos de compra", ["pedidos de compra"]),
        ("ru", "поставщик", "список поставщиков", ["поставщиков"]),
        ("ru", "первичный ключ", "без первичного ключа", ["первичного ключа"]),
        ("ru", "вебхук", "настройка вебхуков", ["вебхуков"]),
        ("ru", "счёт", "новый счет", ["счет"]),
        ("cs", "objednávka", "seznam objednávek", ["objednávek"]),
        # parts of compounds
        ("de", "Speicher", "Speicherressourcen", ["Speicherressourcen"]),
        ("de", "Verwaltung", "in der Verwaltungseinheit", ["Verwaltungseinheit"]),
        ("de", "Typ", "ein Regeltyp", ["Regeltyp"]),
        ("de", "Erneuerung", "Erneuerungs- und Kündigungsklausel", ["Erneuerungs"]),
        ("sv", "faktura", "en fakturamall", ["fakturamall"]),
        # other spellings
        ("de", "E-Mail", "Eine Email, zwei E-Mails, drei e mails", ["Email", "E-Mails", "e mails"]),
        ("de", "Teammitglied", "als Team-Mitglied", ["Team-Mitglied"]),
        ("en", "log-in", "the login page", ["login"]),
        ("fr", "café", "un cafe\u0301 noir", ["cafe\u0301"]),
        ("de", "Schifffahrt", "die Schiff\u00adfahrt", ["Schiff\u00adfahrt"]),
        ("de", "Straße", "STRASSE", ["STRASSE"]),
        # scripts without spaces, and words with what follows them
        ("zh", "用户", "新用户可以登录", ["用户"]),
        ("ja", "API キー", "API キーを使う", ["API キー"]),
        ("zh", "API", "使用API调用", ["API"]),
        ("ko", "사용자", "사용자가 많다", ["사용자가"]),
        ("hi", "फ़ाइल", "यह फ़ाइल है", ["फ़ाइल"]),
        # signs
        ("en", "C++", "C and C++ code", ["C"]),
        ("en", "S/4HANA", "in S/4HANA now", ["S/4HANA"]),
        # others
        ("en", "use", "because", []),
        ("en", "file name", "Open the file. Name it.", []),
        ("es", "completo", "datos incompletos", []),
        ("de", "ID", "entscheiden", []),
        ("de", "Art", "in der Gegenwart", []),
        ("ru", "эксперимент", "экспериментальный метод", []),
        ("es", "Seleccione", "Selecciona una opción", []),
        ("es", "seleccione", "Selecciona una opción", ["Selecciona"]),
        ("es", "ID", "ir a casa", []),
        ("", "blorb", "two Blorb", ["Blorb"]),
    ],
)
def test_a_term_is_found_in_its_forms_alone(language: str, term: str, text: str, found: list[str]) -> None:
    assert places(language, term, text) == found


def test_a_strict_reader_wants_capitals_for_abbreviations_and_words_for_parts() -> None:
    assert places("en", "IT", "Is it our IT?", strict=True) == ["IT"]
    assert places("de", "Termin", "die Terminierung", strict=True) == []
    assert places("de", "Handy", "Handyvertrag", strict=True) == ["Handyvertrag"]


def test_one_pass_finds_any_number_of_terms_and_the_longest_counts() -> None:
    terms = [f"term{n}" for n in range(2000)] + ["data", "data source"]
    index = TermIndex(terms, word_forms("en"))
    matches = longest(index.find(TermText("two data sources, term7")))
    assert [terms[match.term] for match in matches] == ["data source", "term7"]


TERMS = Glossary(
    (
        Term("file", "Datei"),
        Term("file", "File", "allowed"),
        Term("file", "Dokument", "forbidden"),
        Term("calculator", "Taschenrechner"),
        Term("calculator", "Rechner", "forbidden"),
        Term("GitHub", status="do-not-translate"),
        Term("Apple", status="do-not-translate"),
        Term("", "blöd", "forbidden"),
        Term("file", "archivo", target_language="es"),
        Term("open item", "offener Posten"),
    )
)


def alarms(check: Check, *pairs: tuple[str, str], terms: Glossary = TERMS, document: str = "") -> list[Alarm]:
    units = [
        Unit(str(n), output, source, document=document or None) for n, (source, output) in enumerate(pairs)
    ]
    return list(check.find(units, CheckContext("en", "de", terms=terms)))


@pytest.mark.parametrize(
    ("check", "source", "output", "message", "marked"),
    [
        (TermMissing, "Open all files.", "Alle Dateien öffnen.", "", []),
        (TermMissing, "Open all files.", "Alle Files öffnen.", "", []),
        (TermMissing, "Open all files.", "Alle Akten öffnen.",
         "'file' should be 'Datei' or 'File'", ["files"]),
        (TermMissing, "Open all files.", "Alle Dokumente öffnen.", "", []),  # which the next one reports
        (TermForbidden, "Open all files.", "Alle Dokumente öffnen.",
         "'Dokument' is forbidden. Use 'Datei' or 'File'", ["files", "Dokumente"]),
        (TermForbidden, "Sign the deed.", "Unterschreiben Sie das Dokument.", "", []),
        (TermForbidden, "A calculator", "Ein Taschenrechner", "", []),
        (TermForbidden, "Silly.", "Blöd.", "'blöd' is forbidden", ["Blöd"]),
        (DoNotTranslate, "Use GitHub.", "Nutzen Sie GitHubs Seite.", "", []),
        (DoNotTranslate, "Use GitHub.", "Nutzen Sie Github.", "'GitHub' must not be translated", ["GitHub"]),
        (DoNotTranslate, "An apple.", "Ein Apfel.", "", []),
        (TermMissing, "", "Alle Akten.", "", []),
        (TermMissing, "All files", "", "", []),
    ],
)  # fmt: skip
def test_each_check_says_what_is_wrong_and_where(
    check: type[Check], source: str, output: str, message: str, marked: list[str]
) -> None:
    found = alarms(check(), (source, output))
    assert [alarm.message for alarm in found] == ([message] if message else [])
    texts = {"source": source, "output": output}
    assert [texts[m.side][m.start : m.end] for alarm in found for m in alarm.marks] == marked


def test_an_output_that_is_a_reference_is_not_to_blame() -> None:
    unit = Unit("1", "Alle Akten öffnen.", "Open all files.", references=("Alle Akten öffnen.",))
    assert list(TermMissing().find([unit], CheckContext("en", "de", terms=TERMS))) == []


def test_drift_is_a_matter_of_one_document() -> None:
    pairs = [
        ("A file", "Eine Datei"),
        ("Two files", "Zwei Dateien"),
        ("File", "File"),
    ]
    (alarm,) = alarms(TermDrift(), *pairs)
    assert alarm.index == 2
    assert alarm.message == "'file' is 'File' here and 'Datei' in 2 other places"
    units = [Unit(str(n), output, source, document=str(n)) for n, (source, output) in enumerate(pairs)]
    assert list(TermDrift().find(units, CheckContext("en", "de", terms=TERMS))) == []


@pytest.mark.parametrize("name", ["term-missing", "term-forbidden", "do-not-translate", "term-drift"])
def test_checks_of_terms_are_registered_and_rest_without_a_glossary(name: str) -> None:
    assert name in names("check")
    check = find("check", name)()
    assert check.id == name
    assert check.group == "terms"
    assert not check.applies(CheckContext("en", "de"))
    assert check.applies(CheckContext("en", "de", terms=TERMS))


@given(st.text(max_size=60), st.text(max_size=12), st.sampled_from(["de", "ru", "zh", "ko", ""]))
def test_any_text_and_any_term_give_places_inside_the_text(text: str, term: str, language: str) -> None:
    for read in (text, f"{text} {term} {text}"):
        for match in TermIndex([term, "Datei"], word_forms(language)).find(TermText(read)):
            assert 0 <= match.start < match.end <= len(read)


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_word_between_blanks_is_always_found(before: str, after: str) -> None:
    text = f"{before} \u0434\u0430\u043d\u043d\u044b\u0435 {after}"
    assert TermIndex(["\u0434\u0430\u043d\u043d\u044b\u0435"], word_forms("ru")).find(TermText(text))


def test_an_annotator_knows_more_forms() -> None:
    texts = {"zorpen": (0, 6), "gross zorpen": (6, 12)}
    texts |= {"Das zogezorpt": (4, 13), "Das gross zogezorpt": (10, 19)}
    known = {
        text: Annotation(text, (Token(text[start:end], start, end, "zorp"),))
        for text, (start, end) in texts.items()
    }
    lemmas = Lemmas(FakeAnnotator("de", annotations=known))
    index = TermIndex(["zorpen", "gross zorpen"], word_forms("de"), lemmas=lemmas)
    assert [match.term for match in index.find(TermText("Das zogezorpt", lemmas))] == [0]
    assert [match.term for match in index.find(TermText("Das gross zogezorpt", lemmas))] == [1, 0]
    assert index.find(TermText("Das gross zogezorpt")) == []
