"""DeepL: its request, its languages and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.languages import parse_language, parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.web_services import DeepL, _source, _target
from tests.systems.clouds import CLOUDS, VARIABLES
from tests.systems.conftest import KEY
from tests.systems.server import Server, status

DEEPL = CLOUDS["deepl"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("DEEPL_AUTH_KEY", KEY)


def test_the_request_is_as_documented(server: Server) -> None:
    server.always = DEEPL.echo
    DEEPL.make(server.url).translate([Request("1", "one"), Request("2", "two")])
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/v2/translate", {})
    assert seen.header("Authorization") == f"DeepL-Auth-Key {KEY}"
    assert seen.header("Content-Type") == "application/json"
    assert seen.body == {"text": ["one", "two"], "source_lang": "EN", "target_lang": "DE"}


def test_options_are_sent_and_signed(server: Server) -> None:
    options: dict[str, Any] = {
        "model_type": "quality_optimized",
        "formality": "prefer_more",
        "glossary_id": "def3a26b",
        "split_sentences": "0",
        "preserve_formatting": True,
    }
    server.always = DEEPL.echo
    system = DEEPL.make(server.url, **options)
    system.translate([Request("1", "one")])
    assert {key: server.seen[0].body[key] for key in options} == options
    assert system.signature == (
        f"deepl|host:127.0.0.1:{server.port}|source_lang:EN|target_lang:DE|model_type:quality_optimized"
        "|formality:prefer_more|glossary_id:def3a26b|split_sentences:0|preserve_formatting:True|adapter:1"
    )


def test_the_context_travels_only_if_asked_for(server: Server) -> None:
    server.always = DEEPL.echo
    request = Request("1", "one", context="Counting sheep.")
    without, with_context = DEEPL.make(server.url), DEEPL.make(server.url, context=True)
    without.translate([request])
    with_context.translate([request])
    assert "context" not in server.seen[0].body
    assert server.seen[1].body["context"] == "Counting sheep."
    assert (without.limits.batch, with_context.limits.batch) == (50, 1)
    assert without.signature != with_context.signature
    with pytest.raises(RejectedError, match="one context per call"):
        with_context.translate([request, Request("2", "two", context="Counting cows.")])


@pytest.mark.parametrize(
    ("key", "url"), [("abc:fx", "https://api-free.deepl.com"), ("abc-def", "https://api.deepl.com")]
)
def test_a_free_key_has_its_own_address(monkeypatch: pytest.MonkeyPatch, key: str, url: str) -> None:
    called = []
    monkeypatch.setenv("DEEPL_AUTH_KEY", key)
    monkeypatch.setattr("mtassay.systems.web_services.call_json", lambda url, **_: called.append(url))
    with pytest.raises(BusyError):
        DeepL(name="mt", pair=parse_pair("en-de")).translate([Request("1", "one")])
    assert called == [f"{url}/v2/translate"]


def test_the_address_can_come_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.always = DEEPL.echo
    monkeypatch.setenv("DEEPL_SERVER_URL", server.url + "/")
    system = DeepL(name="mt", pair=parse_pair("en-de"))
    assert system.translate([Request("1", "one")])[0].text == "«one»"
    assert f"127.0.0.1:{server.port}" in system.signature


@pytest.mark.parametrize(
    ("language", "source", "target"),
    [
        ("de", "DE", "DE"),
        ("de-AT", "DE", "DE"),
        ("en", "EN", "EN-US"),
        ("en-GB", "EN", "EN-GB"),
        ("pt", "PT", "PT-BR"),
        ("pt-PT", "PT", "PT-PT"),
        ("zh", "ZH", "ZH-HANS"),
        ("zh-TW", "ZH", "ZH-HANT"),
        ("zh-Hant", "ZH", "ZH-HANT"),
        ("es-ES", "ES", "ES"),
        ("es-MX", "ES", "ES-419"),
        ("es-419", "ES", "ES-419"),
        ("no", "NB", "NB"),
    ],
)
def test_only_targets_have_variants(language: str, source: str, target: str) -> None:
    assert (_source(parse_language(language)), _target(parse_language(language))) == (source, target)


def test_a_variant_that_deepl_does_not_have_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"into en-AU\. Take en-US or en-GB"):
        DEEPL.make("https://example.org", pair="de-en-AU")
    assert DEEPL.make("https://example.org", pair="en-AU:de").signature


@pytest.mark.parametrize(
    ("code", "message", "error"),
    [
        (400, "Bad request", RejectedError),
        (400, "Value for 'target_lang' not supported.", ClosedError),
        (400, "Value for 'source_lang' not supported.", ClosedError),
        (403, "Wrong key", ClosedError),
        (404, "Not found", ClosedError),
        (413, "Request size exceeds the limit", RejectedError),
        (414, "URI too long", RejectedError),
        (429, "Too many requests", BusyError),
        (456, "Quota exceeded", ClosedError),
        (500, "Internal error", BusyError),
        (503, "Resource unavailable", BusyError),
        (504, "Unavailable", BusyError),
        (529, "Too many requests", BusyError),
    ],
)
def test_every_documented_error_is_known(
    server: Server,
    code: int,
    message: str,
    error: type[ServiceError],
    assert_hidden: Callable[..., None],
) -> None:
    server.always = status(code, {"message": f"{message} {KEY}"})
    with pytest.raises(error, match=f"DeepL answered {code}") as caught:
        DEEPL.make(server.url).translate([Request("1", "one")])
    assert type(caught.value) is error
    assert_hidden(caught.value)
