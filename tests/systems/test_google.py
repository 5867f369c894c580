"""Google: both versions' requests, languages, errors and access tokens."""

from __future__ import annotations

from typing import Any

import pytest

from mtassay.data.errors import (
    BusyError,
    ClosedError,
    RejectedError,
    ServiceError,
    UsageError,
)
from mtassay.data.languages import parse_language
from mtassay.data.nouns import Request
from mtassay.systems.google import _code
from tests.systems.clouds import CLOUDS, VARIABLES
from tests.systems.conftest import KEY
from tests.systems.server import Server, json_reply, status

V2, V3 = CLOUDS["google-v2"], CLOUDS["google-v3"]
ONE = [Request("1", "one")]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_OAUTH_ACCESS_TOKEN", KEY)


def test_a_request_of_v2_is_as_documented_and_has_the_key_in_a_header(server: Server) -> None:
    server.always = V2.echo
    V2.make(server.url, pair="en-zh-TW").translate([Request("1", "one"), Request("2", "two")])
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/language/translate/v2", {})
    assert seen.header("X-goog-api-key") == KEY
    assert seen.body == {"q": ["one", "two"], "source": "en", "target": "zh-TW", "format": "text"}


def test_a_request_of_v3_is_as_documented(server: Server) -> None:
    server.always = V3.echo
    V3.make(server.url).translate([Request("1", "one"), Request("2", "two")])
    (seen,) = server.seen
    assert (seen.method, seen.query) == ("POST", {})
    assert seen.path == "/v3/projects/my-project/locations/global:translateText"
    assert seen.header("Authorization") == f"Bearer {KEY}"
    assert seen.header("x-goog-user-project") == "my-project"
    assert seen.body == {
        "contents": ["one", "two"],
        "mimeType": "text/plain",
        "sourceLanguageCode": "en",
        "targetLanguageCode": "de",
    }


def test_with_a_glossary_the_translations_of_the_glossary_count(server: Server) -> None:
    server.always = json_reply(
        {
            "translations": [{"translatedText": "without"}],
            "glossaryTranslations": [{"translatedText": "with"}],
        }
    )
    system = V3.make(
        server.url,
        location="us-central1",
        model="general/translation-llm",
        glossary="projects/9/locations/us-central1/glossaries/mine",
    )
    assert system.translate(ONE)[0].text == "with"
    body = server.seen[0].body
    assert body["model"] == "projects/my-project/locations/us-central1/models/general/translation-llm"
    assert body["glossaryConfig"] == {"glossary": "projects/9/locations/us-central1/glossaries/mine"}
    assert body["model"] in system.signature
    assert "glossaries/mine" in system.signature


def test_the_two_versions_have_unequal_signatures() -> None:
    url = "https://translation.googleapis.com"
    assert V2.make(url).signature == (
        "google:v2|host:translation.googleapis.com|source:en|target:de|adapter:1"
    )
    assert V3.make(url).signature == (
        "google:v3|host:translation.googleapis.com|source:en|target:de|location:global|adapter:1"
    )


def test_options_that_cannot_work_are_usage_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="v2 has no model"):
        V2.make("https://example.org", glossary="mine")
    with pytest.raises(UsageError, match="project=my-project"):
        V3.make("https://example.org", project=None)
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "theirs")
    assert V3.make("https://example.org", project=None)


@pytest.mark.parametrize(
    ("language", "source", "target"),
    [
        ("de", "de", "de"),
        ("en-GB", "en", "en"),
        ("pt", "pt", "pt"),
        ("pt-BR", "pt", "pt"),
        ("pt-PT", "pt", "pt-PT"),
        ("fr-CA", "fr", "fr-CA"),
        ("zh", "zh-CN", "zh-CN"),
        ("zh-Hant", "zh-TW", "zh-TW"),
        ("zh-HK", "zh-TW", "zh-TW"),
        ("nb", "no", "no"),
        ("mni-Mtei", "mni-Mtei", "mni-Mtei"),
        ("pa-Arab", "pa-Arab", "pa-Arab"),
    ],
)
def test_languages_have_googles_codes(language: str, source: str, target: str) -> None:
    parsed = parse_language(language)
    assert (_code(parsed), _code(parsed, variant=True)) == (source, target)


def basic(code: int, reason: str, message: str = "no") -> tuple[int, Any]:
    """An error in the form of v2."""
    return code, {"error": {"code": code, "message": message, "errors": [{"reason": reason}]}}


def advanced(code: int, name: str, message: str = "no", reason: str | None = None) -> tuple[int, Any]:
    """An error in the form of v3."""
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}] if reason else []
    return code, {"error": {"code": code, "message": message, "status": name, "details": details}}


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (basic(400, "invalid"), RejectedError),
        (basic(400, "invalid", "Bad language pair: en|xx"), ClosedError),
        (basic(400, "keyInvalid"), ClosedError),
        (basic(403, "accessNotConfigured"), ClosedError),
        (basic(403, "dailyLimitExceeded"), ClosedError),
        (basic(403, "userRateLimitExceeded"), BusyError),
        (basic(403, "rateLimitExceeded"), BusyError),
        (basic(429, "rateLimitExceeded"), BusyError),
        (basic(500, "backendError"), BusyError),
        (basic(503, "backendError"), BusyError),
        (advanced(400, "INVALID_ARGUMENT"), RejectedError),
        (advanced(400, "INVALID_ARGUMENT", "API key not valid", "API_KEY_INVALID"), ClosedError),
        (advanced(400, "INVALID_ARGUMENT", "Unsupported language pair."), ClosedError),
        (advanced(401, "UNAUTHENTICATED"), ClosedError),
        (advanced(403, "PERMISSION_DENIED", "off", "SERVICE_DISABLED"), ClosedError),
        (advanced(403, "PERMISSION_DENIED", "slow down", "RATE_LIMIT_EXCEEDED"), BusyError),
        (advanced(404, "NOT_FOUND"), ClosedError),
        (advanced(429, "RESOURCE_EXHAUSTED"), BusyError),
        (advanced(500, "INTERNAL"), BusyError),
        (advanced(503, "UNAVAILABLE"), BusyError),
        (advanced(504, "DEADLINE_EXCEEDED"), BusyError),
    ],
)
def test_every_documented_error_is_known(
    server: Server, answer: tuple[int, Any], error: type[ServiceError]
) -> None:
    server.always = status(*answer)
    for cloud in (V2, V3):
        with pytest.raises(error, match=f"Google answered {answer[0]}") as caught:
            cloud.make(server.url).translate(ONE)
        assert type(caught.value) is error


def test_without_a_token_it_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_OAUTH_ACCESS_TOKEN")
    with pytest.raises(ClosedError, match="GOOGLE_OAUTH_ACCESS_TOKEN"):
        V3.make("http://127.0.0.1:1").check_key()
