"""Amazon: its signed request, its languages and its errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.languages import parse_language, parse_pair
from mtassay.data.nouns import Request
from mtassay.runtime.http_calls import Secret
from mtassay.systems.signed_services import Amazon, _code, authorization
from tests.systems.clouds import CLOUDS, VARIABLES
from tests.systems.conftest import KEY
from tests.systems.server import Seen, Server, status

AMAZON = CLOUDS["amazon"]
ONE = [Request("1", "one")]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)


def expected_authorization(seen: Seen, region: str) -> str:
    """What the service computes from the request as it arrived."""
    said = seen.header("Authorization") or ""
    names = said.split("SignedHeaders=")[1].split(",")[0].split(";")
    moment = seen.header("X-Amz-Date") or ""
    return authorization(
        "AWS4-HMAC-SHA256",
        key_id=Secret("AKIDEXAMPLE"),
        key=Secret(KEY),
        scope=(moment[:8], region, "translate", "aws4_request"),
        moment=moment,
        headers={name: seen.header(name) or "" for name in names},
        content=seen.raw,
    )


def test_the_request_is_as_documented_and_its_signature_fits_what_arrives(server: Server) -> None:
    server.always = AMAZON.echo
    AMAZON.make(server.url).translate([Request("1", "où? 日本")])
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/", {})
    assert seen.header("Content-Type") == "application/x-amz-json-1.1"
    assert seen.header("X-Amz-Target") == "AWSShineFrontendService_20170701.TranslateText"
    assert seen.header("X-Amz-Security-Token") is None
    assert seen.body == {"Text": "où? 日本", "SourceLanguageCode": "en", "TargetLanguageCode": "de"}
    assert seen.header("Authorization") == expected_authorization(seen, "eu-west-1")
    assert "SignedHeaders=content-type;host;x-amz-date;x-amz-target," in (seen.header("Authorization") or "")


def test_a_session_token_is_sent_and_signed(
    server: Server, monkeypatch: pytest.MonkeyPatch, assert_hidden: Callable[..., None]
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a-token-of-mine")
    server.then(AMAZON.echo, status(400, {"__type": "ExpiredTokenException", "message": "a-token-of-mine"}))
    system = AMAZON.make(server.url)
    system.translate(ONE)
    assert server.seen[0].header("X-Amz-Security-Token") == "a-token-of-mine"
    assert server.seen[0].header("Authorization") == expected_authorization(server.seen[0], "eu-west-1")
    assert "x-amz-security-token" in (server.seen[0].header("Authorization") or "")
    with pytest.raises(ClosedError) as caught:
        system.translate(ONE)
    assert_hidden(caught.value, system.signature, key="a-token-of-mine")


def test_options_are_sent_and_signed(server: Server) -> None:
    server.always = AMAZON.echo
    system = AMAZON.make(
        server.url, formality="FORMAL", profanity="MASK", brevity="ON", terminology=("mine", "ours")
    )
    system.translate(ONE)
    body = server.seen[0].body
    assert body["Settings"] == {"Formality": "FORMAL", "Profanity": "MASK", "Brevity": "ON"}
    assert body["TerminologyNames"] == ["mine", "ours"]
    assert system.signature == (
        f"amazon|host:127.0.0.1:{server.port}|source:en|target:de|Formality:FORMAL|Profanity:MASK"
        "|Brevity:ON|terminology:mine+ours|adapter:1"
    )


def test_the_region_comes_from_the_option_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    system = Amazon(name="mt", pair=parse_pair("en-de"))
    with pytest.raises(UsageError, match="needs a region"):
        _ = system.signature
    for variable, region in (("AWS_DEFAULT_REGION", "us-east-1"), ("AWS_REGION", "us-west-2")):
        monkeypatch.setenv(variable, region)
        assert f"host:translate.{region}.amazonaws.com" in system.signature
    other = Amazon(name="mt", pair=parse_pair("en-de"), region="eu-west-1")
    assert "host:translate.eu-west-1.amazonaws.com" in other.signature


def test_two_texts_are_never_sent_in_one_call(server: Server) -> None:
    with pytest.raises(RejectedError, match="one text per call"):
        AMAZON.make(server.url).translate([*ONE, Request("2", "two")])
    assert server.seen == []


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("de-CH", "de"),
        ("en-GB", "en"),
        ("pt-BR", "pt"),
        ("pt-PT", "pt-PT"),
        ("fr-CA", "fr-CA"),
        ("es-MX", "es-MX"),
        ("es-AR", "es"),
        ("zh-CN", "zh"),
        ("zh-Hant", "zh-TW"),
        ("nb", "no"),
        ("fil", "tl"),
        ("prs", "fa-AF"),
    ],
)
def test_languages_have_amazons_codes(language: str, code: str) -> None:
    assert _code(parse_language(language)) == code


@pytest.mark.parametrize(
    ("code", "kind", "error"),
    [
        (400, "DetectedLanguageLowConfidenceException", RejectedError),
        (400, "InvalidRequestException", RejectedError),
        (400, "TextSizeLimitExceededException", RejectedError),
        (400, "ValidationException", RejectedError),
        (400, "ResourceNotFoundException", ClosedError),
        (400, "UnsupportedLanguagePairException", ClosedError),
        (400, "AccessDeniedException", ClosedError),
        (400, "ExpiredTokenException", ClosedError),
        (400, "InvalidSignatureException", ClosedError),
        (400, "UnrecognizedClientException", ClosedError),
        (403, "MissingAuthenticationToken", ClosedError),
        (400, "LimitExceededException", BusyError),
        (400, "ThrottlingException", BusyError),
        (400, "TooManyRequestsException", BusyError),
        (500, "InternalServerException", BusyError),
        (500, "ServiceUnavailableException", BusyError),
    ],
)
def test_every_documented_error_is_known(
    server: Server, code: int, kind: str, error: type[ServiceError]
) -> None:
    for full in (kind, f"com.amazonaws.translate#{kind}"):
        server.always = status(code, {"__type": full, "message": "no"})
        with pytest.raises(error, match=f"Amazon answered {code}: no") as caught:
            AMAZON.make(server.url).translate(ONE)
        assert type(caught.value) is error
