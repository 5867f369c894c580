"""Language codes and pairs come to one normal form, and a wrong one to a helpful line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.languages import Language, Pair, parse_language, parse_pair


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("deu", "de"),
        ("ger", "de"),
        ("German", "de"),
        ("german", "de"),
        ("deu_Latn", "de"),
        ("de_DE", "de-DE"),
        ("de-at", "de-AT"),
        ("es-419", "es-419"),
        ("zho_Hans", "zh-Hans"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("cmn", "zh"),
        ("yue_Hant", "yue-Hant"),
        ("srp_Cyrl", "sr-Cyrl"),
        ("ace_Latn", "ace"),
        ("ace_Arab", "ace-Arab"),
        ("kor_Hang", "ko"),
        ("jpn_Jpan", "ja"),
        ("arb_Arab", "ar"),
        ("arz", "arz"),
        ("iw", "he"),
        ("fil", "fil"),
        ("tgl", "tl"),
        ("hsb", "hsb"),
        ("ckb_Arab", "ckb"),
        ("Norwegian Bokmål", "nb"),
        ("qaa", "qaa"),
        (" en ", "en"),
    ],
)
def test_every_spelling_comes_to_one_tag(text: str, tag: str) -> None:
    assert parse_language(text).tag == tag


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("pt-BR", "Portuguese (Brazil)"),
        ("zh-Hant", "Chinese (Traditional)"),
        ("zh-Hant-HK", "Chinese (Traditional, Hong Kong)"),
        ("sr-Latn", "Serbian (Latin script)"),
        ("el", "Greek"),
        ("dsb", "Lower Sorbian"),
        ("fr-XK", "French (XK)"),
    ],
)
def test_the_name_says_script_and_region_where_they_are_stated(tag: str, name: str) -> None:
    assert parse_language(tag).name == name


@pytest.mark.parametrize(
    ("text", "source", "target"),
    [
        ("en-de", "en", "de"),
        ("en-de_DE", "en", "de-DE"),
        ("en_de", "en", "de"),
        ("ende", "en", "de"),
        ("deen", "de", "en"),
        ("engdeu", "en", "de"),
        ("ensah", "en", "sah"),
        ("saheng", "sah", "en"),
        ("eng-deu", "en", "de"),
        ("eng_Latn-deu_Latn", "en", "de"),
        ("zho_Hant-eng_Latn", "zh-Hant", "en"),
        ("en-sr_Cyrl_RS", "en", "sr-Cyrl-RS"),
        ("en-US:pt-BR", "en-US", "pt-BR"),
        ("en-pt-BR", "en", "pt-BR"),
        ("en-US-pt-BR", "en-US", "pt-BR"),
        ("zh-Hant-en", "zh-Hant", "en"),
        ("en -> de", "en", "de"),
        ("en→de", "en", "de"),
        ("German-English", "de", "en"),
        ("EN-DE", "en", "de"),
        ("en-us-pt-br", "en-US", "pt-BR"),  # one reading is left, since "us" is no language
    ],
)
def test_every_spelling_of_a_pair_is_read(text: str, source: str, target: str) -> None:
    pair = parse_pair(text)
    assert (pair.source.tag, pair.target.tag) == (source, target)


def test_a_pair_is_written_without_script_and_region() -> None:
    assert str(parse_pair("zh_TW-pt_BR")) == "zh-pt"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("xx", "No language 'xx'. Give an ISO 639 code"),
        ("cz", "Did you mean cs (Czech)?"),
        ("Germam", "Did you mean German (de)?"),
        ("", "No language ''"),
        ("de-DE-x-private", "No language 'de-DE-x-private'"),
        ("zzz", "qaa to qtz are free"),
    ],
)
def test_an_unknown_language_is_refused_with_advice(text: str, part: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_language(text)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("en-jp", "No language 'jp' in pair 'en-jp'. Did you mean ja (Japanese)?"),
        ("en", "No language pair 'en'. Write source and target"),
        ("pt_BR", "No language pair 'pt_BR'"),
        ("", "No language pair ''"),
        ("en-de-fr", "several readings. Write en-DE:fr or en:de-FR."),
        ("en:de:fr", "No language pair 'en:de:fr'"),
    ],
)
def test_a_text_that_is_no_pair_is_refused_with_advice(text: str, part: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_pair(text)
    assert part in str(caught.value)


def test_a_pair_with_two_readings_is_refused_with_both() -> None:
    # Portuguese to Breton of Germany, or Brazilian Portuguese to German.
    with pytest.raises(UsageError, match="Write pt-BR:de or pt:br-DE"):
        parse_pair("pt-br-de")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("pt", "pt-BR", True),
        ("pt-PT", "pt-BR", False),
        ("zh", "zh-Hant", True),
        ("zh-TW", "zh-Hant", True),
        ("zh-CN", "zh-Hant", False),
        ("de", "en", False),
    ],
)
def test_languages_match_unless_they_contradict(one: str, other: str, expected: bool) -> None:
    assert parse_language(one).matches(parse_language(other)) is expected
    assert parse_language(other).matches(parse_language(one)) is expected


def test_languages_and_pairs_can_be_keys() -> None:
    assert {parse_pair("deen"): 1}[Pair(Language("de"), Language("en"))] == 1


def test_the_three_letter_code_is_known() -> None:
    assert [parse_language(code).alpha3 for code in ("de", "zh", "hsb", "qab")] == [
        "deu",
        "zho",
        "hsb",
        "qab",
    ]


@given(st.text(max_size=20))
def test_any_text_is_a_pair_or_one_line_of_advice(text: str) -> None:
    for parse in (parse_language, parse_pair):
        message = ""
        try:
            parse(text)
        except UsageError as error:
            message = str(error)
        assert "\n" not in message


@given(st.sampled_from(["de", "zh_TW", "sr_Latn", "pt_BR", "hsb"]), st.sampled_from(["en", "zh_Hans", "yue"]))
def test_a_tag_is_read_back_as_itself(source: str, target: str) -> None:
    pair = parse_pair(f"{source}-{target}")
    assert parse_pair(f"{pair.source.tag}:{pair.target.tag}") == pair
    assert parse_language(pair.source.tag) == pair.source
