"""Which language a whole file is in: cleared by frequent words or its script, else identified."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.identification import LanguageVocabulary, foreign_language, language_of_script

TEXTS = {
    "en": "The dog of my neighbour is old, and it sleeps on the sofa. He did not see that you were here.",
    "de": "Der Hund ist alt und schläft auf dem Sofa. Ich habe nicht gesehen, dass sie im Garten war.",
    "fr": "Le chien est vieux et il dort dans une chambre. Elle ne vient pas avec vous, mais pour qui ?",
    "es": "El perro es muy viejo y duerme en los sillones. Cuando yo fui a verlo, también estaban las gatas.",
    "pt": "O cão é muito velho e não dorme em casa. Você foi com ele ao jardim, e os gatos são uma graça.",
    "it": "Il cane è vecchio e non dorme più nel letto della casa. Gli amici che sono qui lo sanno anche.",
    "nl": "De hond van het meisje is oud en slaapt op een bank. Ik heb niet gezien dat hij met ons mee was.",
    "sv": "Hunden är gammal och sover på soffan. Jag såg inte att du var här för att få ett brev.",
    "pl": "Pies jest stary i nie śpi już w domu. Czy wiesz, że tego dnia był przez nas widziany tylko raz?",
    "ru": "Это старая собака, что спит на диване. Он был там, когда мы только пришли, если это так.",
    "tr": "Köpek çok yaşlı ve bu evde bir koltukta uyuyor. Sonra bizim için geldi ama daha iyi gibi değildi.",
    "fi": "Koira on vanha ja se ei ole niin iloinen, mutta hän oli myös väsynyt. Nyt he ovat kotona.",
    "zh": "今天天气很好，我们一起去公园散步，看到了一只老狗。",
    "ja": "今日は天気がいいので、公園を散歩して、年を取った犬を見ました。",
    "ko": "오늘은 날씨가 좋아서 공원을 산책하다가 늙은 개를 보았습니다.",
    "th": "วันนี้อากาศดีมาก เราจึงไปเดินเล่นที่สวนสาธารณะและเห็นสุนัขแก่ตัวหนึ่ง",
    "el": "Σήμερα ο καιρός είναι καλός και πήγαμε στο πάρκο, όπου είδαμε έναν γέρικο σκύλο.",
}


@pytest.mark.parametrize("expected", TEXTS)
def test_a_file_is_foreign_to_every_language_but_its_own(expected: str) -> None:
    found = {code: foreign_language([text] * 12, expected) for code, text in TEXTS.items()}
    assert found.pop(expected) == ""
    assert found == {code: code for code in TEXTS if code != expected}


def test_a_file_in_the_expected_language_needs_no_identifier() -> None:
    code = (
        "import sys; from mtassay.nlp.identification import foreign_language;"
        f"texts = {TEXTS!r};"
        "assert not any(foreign_language([text] * 9, code) for code, text in texts.items());"
        "print('py3langid' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("texts", [[], [None, ""], ["Ja.", "Nein."], ["42", "17:30", "https://a.example"]])
def test_what_says_too_little_is_foreign_to_none(texts: list[str | None]) -> None:
    assert foreign_language(texts, "en") == ""


def test_a_file_of_two_languages_is_foreign_to_neither() -> None:
    both = [TEXTS["de"], TEXTS["fr"]] * 9
    assert (foreign_language(both, "de"), foreign_language(both, "fr")) == ("", "")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (TEXTS["zh"], "zh"),
        (TEXTS["ja"], "ja"),
        (TEXTS["ko"], "ko"),
        (TEXTS["th"], "th"),
        (TEXTS["ru"], ""),
        ("", ""),
    ],
)
def test_a_script_tells_a_language_or_nothing(text: str, language: str) -> None:
    assert language_of_script(text) == language


# Characters that are 256 apart, so that many look alike at a glance, and some of no vocabulary.
ALIKE = [chr(0x4E00 + 256 * i + j) for i in range(8) for j in range(3)]


@given(st.lists(st.text([*ALIKE, "一", "的", "x", " "], max_size=100), max_size=5))
def test_chinese_lines_are_doubtful_where_few_characters_are_known(lines: list[str]) -> None:
    vocabulary = LanguageVocabulary(["a dog"], ["".join(ALIKE)])
    ends = [line[-80:] for line in lines]
    expected = [i for i, end in enumerate(ends) if 2 * len(set(end) & set(ALIKE)) <= len(end)]
    assert vocabulary.doubtful(lines) == expected
