"""Microsoft: its request, its languages and its six-digit errors."""

from __future__ import annotations

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError
from mtassay.data.languages import parse_language, parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.web_services import Microsoft, _microsoft_code
from tests.systems.clouds import CLOUDS, VARIABLES
from tests.systems.conftest import KEY
from tests.systems.server import Server, json_reply, status

MICROSOFT = CLOUDS["microsoft"]
ONE = [Request("1", "one")]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AZURE_TEXT_TRANSLATION_APIKEY", KEY)


def test_the_request_is_as_documented(server: Server) -> None:
    server.always = MICROSOFT.echo
    MICROSOFT.make(server.url, pair="en-pt-PT").translate([Request("1", "one"), Request("2", "two")])
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/translate")
    assert seen.query == {"api-version": ["3.0"], "from": ["en"], "to": ["pt-pt"]}
    assert seen.header("Ocp-Apim-Subscription-Key") == KEY
    assert seen.header("Ocp-Apim-Subscription-Region") is None
    assert seen.header("Content-Type") == "application/json"
    assert seen.body == [{"Text": "one"}, {"Text": "two"}]


def test_category_and_region_are_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.always = MICROSOFT.echo
    monkeypatch.setenv("AZURE_TEXT_TRANSLATION_REGION", "westeurope")
    custom = MICROSOFT.make(server.url, category="my-model")
    custom.translate(ONE)
    MICROSOFT.make(server.url, region="eastus").translate(ONE)
    assert server.seen[0].query["category"] == ["my-model"]
    assert server.seen[0].header("Ocp-Apim-Subscription-Region") == "westeurope"
    assert server.seen[1].header("Ocp-Apim-Subscription-Region") == "eastus"
    assert custom.signature == (
        f"microsoft|host:127.0.0.1:{server.port}|source:en|target:de|category:my-model|adapter:1"
    )


@pytest.mark.parametrize("prefix", ["AZURE_TEXT_TRANSLATION_API", "AZURE_TRANSLATOR_"])
def test_both_names_of_the_key_are_known(
    server: Server, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    server.always = MICROSOFT.echo
    monkeypatch.delenv("AZURE_TEXT_TRANSLATION_APIKEY")
    monkeypatch.setenv(f"{prefix}KEY", "another key")
    MICROSOFT.make(server.url).translate(ONE)
    assert server.seen[0].header("Ocp-Apim-Subscription-Key") == "another key"


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        (None, "https://api.cognitive.microsofttranslator.com"),
        (
            "https://api-eur.cognitive.microsofttranslator.com/",
            "https://api-eur.cognitive.microsofttranslator.com",
        ),
        (
            "https://mine.cognitiveservices.azure.com/",
            "https://mine.cognitiveservices.azure.com/translator/text/v3.0",
        ),
    ],
)
def test_a_domain_of_ones_own_has_a_longer_path(
    monkeypatch: pytest.MonkeyPatch, endpoint: str | None, expected: str
) -> None:
    if endpoint:
        monkeypatch.setenv("AZURE_TEXT_TRANSLATION_ENDPOINT", endpoint)
    assert Microsoft(name="mt", pair=parse_pair("en-de"))._endpoint == expected


def test_an_item_without_translations_is_refused(server: Server) -> None:
    for broken in ({"translations": []}, {"translations": None}, {}, None):
        server.always = json_reply([{"translations": [{"text": "eins"}]}, broken])
        with pytest.raises(BusyError, match="answered 1 translations for 2 texts"):
            MICROSOFT.make(server.url).translate([*ONE, Request("2", "two")])


@pytest.mark.parametrize(
    ("language", "source", "target"),
    [
        ("de", "de", "de"),
        ("en-US", "en", "en"),
        ("pt-BR", "pt", "pt"),
        ("pt-PT", "pt", "pt-pt"),
        ("fr-CA", "fr", "fr-ca"),
        ("zh", "zh-Hans", "zh-Hans"),
        ("zh-TW", "zh-Hant", "zh-Hant"),
        ("no", "nb", "nb"),
        ("sr", "sr-Cyrl", "sr-Cyrl"),
        ("sr-Latn", "sr-Latn", "sr-Latn"),
        ("mn", "mn-Cyrl", "mn-Cyrl"),
        ("ku", "kmr", "kmr"),
        ("ckb", "ku", "ku"),
        ("tl", "fil", "fil"),
    ],
)
def test_languages_have_microsofts_codes(language: str, source: str, target: str) -> None:
    parsed = parse_language(language)
    assert (_microsoft_code(parsed), _microsoft_code(parsed, variant=True)) == (source, target)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (400000, RejectedError),
        (400002, ClosedError),
        (400003, ClosedError),
        (400019, ClosedError),
        (400020, RejectedError),
        (400023, ClosedError),
        (400035, ClosedError),
        (400036, ClosedError),
        (400050, RejectedError),
        (400072, RejectedError),
        (400074, RejectedError),
        (400075, ClosedError),
        (400077, RejectedError),
        (400079, ClosedError),
        (401000, ClosedError),
        (401015, ClosedError),
        (403000, ClosedError),
        (403001, ClosedError),
        (405000, ClosedError),
        (408001, BusyError),
        (408002, BusyError),
        (429000, BusyError),
        (429001, BusyError),
        (429002, BusyError),
        (500000, BusyError),
        (503000, BusyError),
    ],
)
def test_every_documented_error_is_known(server: Server, code: int, error: type[ServiceError]) -> None:
    server.always = status(code // 1000, {"error": {"code": code, "message": "no"}})
    with pytest.raises(error, match=f"Microsoft answered {code // 1000}: no") as caught:
        MICROSOFT.make(server.url).translate(ONE)
    assert type(caught.value) is error
