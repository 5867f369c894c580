"""LibreTranslate: requests and errors as documented, and the languages it knows by other codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.web_services import LibreTranslate
from tests.systems.conftest import KEY
from tests.systems.server import (
    Reply,
    Seen,
    Server,
    hang_up,
    json_reply,
    not_json,
    status,
    translated,
    truncated,
)

REQUESTS = [Request("1", "one"), Request("2", "two")]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBRETRANSLATE_API_KEY", KEY)


def make(url: str = "", *, pair: str = "en-de", **options: Any) -> LibreTranslate:
    return LibreTranslate(name="lt", pair=parse_pair(pair), url=url, **options)


def echo(seen: Seen) -> Reply:
    return json_reply({"translatedText": translated(seen.body["q"])})


@pytest.mark.parametrize("end", ["", "/", "/translate"])
def test_a_batch_is_one_request_as_documented(server: Server, end: str) -> None:
    server.then(echo)
    outputs = make(server.url + end).translate(REQUESTS)
    assert [(output.id, output.text) for output in outputs] == [("1", "«one»"), ("2", "«two»")]
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/translate", {})
    assert seen.body == {
        "q": ["one", "two"],
        "source": "en",
        "target": "de",
        "format": "text",
        "api_key": KEY,
    }


def test_a_server_of_ones_own_needs_no_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBRETRANSLATE_API_KEY")
    server.then(echo)
    make(server.url, format="html").translate(REQUESTS)
    assert server.seen[0].body == {"q": ["one", "two"], "source": "en", "target": "de", "format": "html"}


@pytest.mark.parametrize(
    ("pair", "codes"),
    [
        ("en-zh", ("en", "zh")),
        ("en:zh-Hans", ("en", "zh")),
        ("en:zh-CN", ("en", "zh")),
        ("en:zh-Hant", ("en", "zt")),
        ("en:zh-TW", ("en", "zt")),
        ("en-pt", ("en", "pt")),
        ("en-pt-BR", ("en", "pb")),
        ("en-pt-PT", ("en", "pt")),
        ("no-en", ("nb", "en")),
        ("nb-en-GB", ("nb", "en")),
        ("en-fil", ("en", "tl")),
        ("deu_Latn-eng_Latn", ("de", "en")),
    ],
)
def test_languages_have_the_codes_of_the_models(server: Server, pair: str, codes: tuple[str, str]) -> None:
    server.then(echo)
    system = make(server.url, pair=pair)
    system.translate(REQUESTS)
    assert (server.seen[0].body["source"], server.seen[0].body["target"]) == codes
    assert f"source:{codes[0]}|target:{codes[1]}" in system.signature


def test_other_codes_may_be_given(server: Server) -> None:
    server.then(echo)
    make(server.url, pair="en-pt-BR", source_code="auto", target_code="pt").translate(REQUESTS)
    assert (server.seen[0].body["source"], server.seen[0].body["target"]) == ("auto", "pt")


def test_blank_and_missing_texts_are_not_sent(server: Server) -> None:
    outputs = make(server.url).translate([Request("1", " "), Request("2", None)])
    assert [(output.text, output.error) for output in outputs] == [("", None), (None, "no source text")]
    assert not server.seen


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        (400, "Visit https://portal.libretranslate.com to get an API key", ClosedError),
        (400, "Please contact the server operator to get an API key", ClosedError),
        (400, "xx is not supported", ClosedError),
        (400, "German (de) is not available as a target language from English (en)", ClosedError),
        (400, "Invalid request: request (3000) exceeds text limit (2000)", RejectedError),
        (403, "Invalid API key", ClosedError),
        (403, "Too many request limits violations", ClosedError),
        (429, "Slowdown: 80 per 1 minute", BusyError),
        (500, "Cannot translate text: oops", BusyError),
    ],
)
def test_documented_errors_have_their_kind(
    server: Server, code: int, message: str, kind: type[ServiceError]
) -> None:
    server.then(status(code, {"error": message}))
    with pytest.raises(ServiceError) as raised:
        make(server.url).translate(REQUESTS)
    assert type(raised.value) is kind
    assert str(raised.value) == f"LibreTranslate answered {code}: {message}"


@pytest.mark.parametrize(
    "reply",
    [
        json_reply({"translatedText": ["eins"]}),
        json_reply({"translatedText": ["eins", "zwei", "drei"]}),
        json_reply({"translatedText": ["eins", None]}),
        json_reply({"translatedText": "eins"}),
        json_reply({"error": "odd"}),
        json_reply([]),
        truncated({"translatedText": ["eins", "zwei"]}),
        not_json(),
        hang_up(),
    ],
)
def test_a_wrong_answer_is_busy_and_never_a_shifted_row(server: Server, reply: Reply) -> None:
    server.then(reply)
    with pytest.raises(BusyError):
        make(server.url).translate(REQUESTS)
    assert len(server.seen) == 1


def test_empty_translations_are_translations(server: Server) -> None:
    server.then(json_reply({"translatedText": ["", ""]}))
    assert [output.text for output in make(server.url).translate(REQUESTS)] == ["", ""]


def test_the_public_server_is_asked_with_care() -> None:
    limits = make().limits
    assert (limits.batch, limits.batch_characters, limits.in_flight) == (10, 2000, 1)
    assert limits.calls_per_second == pytest.approx(8 / 60)  # 10 texts each: 80 a minute
    own = make("http://localhost:5000", batch=50).limits
    assert (own.batch, own.batch_characters, own.calls_per_second) == (50, None, None)


def test_the_signature_names_all_that_changes_an_answer() -> None:
    assert (
        make().signature
        == "libretranslate|endpoint:libretranslate.com|source:en|target:de|format:text|adapter:1"
    )
    local = make("http://localhost:5000", format="html", target_code="pb").signature
    assert local == "libretranslate|endpoint:localhost:5000|source:en|target:pb|format:html|adapter:1"


@pytest.mark.parametrize(
    "reply",
    [
        lambda seen: status(403, {"error": f"Invalid API key {KEY}"}),
        lambda seen: status(400, {"request": seen.raw.decode()}),
        lambda seen: Reply(body=seen.raw[:-1]),
        lambda seen: json_reply(seen.body),
    ],
)
def test_the_key_never_shows(server: Server, assert_hidden: Callable[..., None], reply: Any) -> None:
    server.then(reply)
    system = make(server.url)
    with pytest.raises(ServiceError) as raised:
        system.translate(REQUESTS)
    assert_hidden(raised.value, system, system.signature)


@pytest.mark.parametrize(
    "options", [{"url": "localhost:5000"}, {"url": "http://u:p@localhost"}, {"batch": 0}]
)
def test_a_mistake_is_told_before_any_call(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="libretranslate: "):
        make(**options)
