"""What holds for every translation service of the cloud: no shifted row, no key in sight, no odd error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.data.nouns import Request
from mtassay.systems.live import Limits
from tests.systems.clouds import CLOUDS, VARIABLES, Cloud
from tests.systems.conftest import KEY
from tests.systems.server import Reply, Server, hang_up, json_reply, not_json, reset, status, truncated

ONE = [Request("1", "one")]
NASTY = [
    "a&amp;b <b>c</b>",
    'a "quote" \\ back',
    "tab\tand\nline",
    "日本語",
    "🇵🇹 é e\u0301",
    "\u200b\x00",
    "x" * 5000,
]


@pytest.fixture(params=CLOUDS, autouse=True)
def cloud(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    chosen = CLOUDS[request.param]
    for variable, value in chosen.environment.items():
        monkeypatch.setenv(variable, value)
    return chosen


@pytest.fixture
def system(cloud: Cloud, server: Server) -> Any:
    server.always = cloud.echo
    return cloud.make(server.url)


def test_outputs_have_the_ids_and_the_order_of_the_requests(system: Any, server: Server) -> None:
    requests = [Request("b", "two"), Request("a", "one"), Request("c", "two")][: system.limits.batch]
    outputs = system.translate(requests)
    assert [(output.id, output.text) for output in outputs] == [
        (request.id, f"«{request.text}»") for request in requests
    ]
    assert len(server.seen) == 1


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_text_travels_unchanged(system: Any, text: str) -> None:
    assert system.translate([Request("1", text)])[0].text == f"«{text}»"


def test_blank_and_missing_texts_are_not_sent(system: Any, cloud: Cloud, server: Server) -> None:
    requests = [Request("1", ""), Request("2", None), Request("3", "three"), Request("4", " \n")]
    outputs = system.translate(requests)
    assert [output.text for output in outputs] == ["", None, "«three»", ""]
    assert outputs[1].error
    assert cloud.texts(server.seen[0].body) == ["three"]


def test_nothing_to_send_is_no_call(system: Any, server: Server) -> None:
    assert system.translate([]) == []
    assert system.translate([Request("1", "")])[0].text == ""
    assert server.seen == []


def test_an_empty_translation_is_one(system: Any, cloud: Cloud, server: Server) -> None:
    server.always = json_reply(cloud.answer([""]))
    assert system.translate(ONE)[0].text == ""


@pytest.mark.parametrize("wrong", [None, 7, ["one"], {"text": "one"}], ids=repr)
def test_a_translation_that_is_no_text_is_refused(
    system: Any, cloud: Cloud, server: Server, wrong: object
) -> None:
    server.always = json_reply(cloud.answer([wrong]))
    with pytest.raises(BusyError, match="answered 0 translations for 1 texts"):
        system.translate(ONE)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_translations_is_refused(
    system: Any, cloud: Cloud, server: Server, count: int
) -> None:
    if system.limits.batch == 1:
        pytest.skip("one text per call")
    server.always = json_reply(cloud.answer(["same"] * count))
    with pytest.raises(BusyError, match=f"answered {count} translations for 2 texts"):
        system.translate([Request("1", "one"), Request("2", "two")])


@pytest.mark.parametrize(
    "answer", [None, 1, "text", [], {}, [[]], {"translations": "one"}, {"data": None}], ids=repr
)
def test_an_answer_of_another_form_is_refused(system: Any, server: Server, answer: object) -> None:
    server.always = json_reply(answer)
    with pytest.raises(BusyError, match=r"answered \w+ translations for 1 texts"):
        system.translate(ONE)


@pytest.mark.parametrize(
    "behaviour",
    [not_json(), not_json(""), truncated({"translations": [{"text": "one"}]}), hang_up(), reset()],
    ids=["no JSON", "nothing", "truncated", "hang up", "reset"],
)
def test_a_broken_answer_may_be_tried_again(system: Any, server: Server, behaviour: Reply) -> None:
    server.always = behaviour
    with pytest.raises(BusyError):
        system.translate(ONE)
    assert len(server.seen) == 1


def test_a_slow_answer_may_be_tried_again(cloud: Cloud, server: Server) -> None:
    class Hasty(cloud.system):  # type: ignore[misc, name-defined]
        @property
        def limits(self) -> Limits:
            return replace(super().limits, timeout=0.2)

    server.always = Reply(delay=5)
    with pytest.raises(BusyError, match=r"did not answer within 0\.2 s"):
        replace(cloud, system=Hasty).make(server.url).translate(ONE)


@pytest.mark.parametrize(
    ("code", "error"),
    [(400, RejectedError), (401, ClosedError), (403, ClosedError), (413, RejectedError), (429, BusyError)]
    + [(code, BusyError) for code in (500, 502, 503, 504)],
)
def test_a_status_says_which_error_it_is(
    system: Any, server: Server, code: int, error: type[ServiceError]
) -> None:
    server.always = status(code)
    with pytest.raises(error) as caught:
        system.translate(ONE)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    "answer", [[], "text", None, {"error": []}, {"error": {"code": [], "status": {}}}], ids=repr
)
def test_an_error_of_another_form_keeps_its_status(system: Any, server: Server, answer: object) -> None:
    server.always = json_reply(answer, status=400)
    with pytest.raises(RejectedError):
        system.translate(ONE)


def test_it_says_how_long_to_wait(system: Any, server: Server) -> None:
    server.always = status(429, retry_after=7)
    with pytest.raises(BusyError) as caught:
        system.translate(ONE)
    assert caught.value.retry_after == 7


def test_a_missing_key_is_named_at_the_first_call(
    cloud: Cloud, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "GOOGLE_OAUTH_ACCESS_TOKEN" in cloud.keys:
        pytest.skip("has other ways, see test_google")
    for variable in cloud.keys:
        monkeypatch.delenv(variable)
    system = cloud.make(server.url)
    assert system.signature
    with pytest.raises(ClosedError, match=cloud.keys[0]):
        system.translate(ONE)
    assert server.seen == []


def test_the_key_shows_nowhere(system: Any, server: Server, assert_hidden: Callable[..., None]) -> None:
    system.translate(ONE)
    assert_hidden(system, system.signature)
    for behaviour in (status(400, {"message": f"bad key {KEY}"}), not_json(f"key {KEY}"), hang_up()):
        server.then(behaviour)
        with pytest.raises(ServiceError) as caught:
            system.translate(ONE)
        assert_hidden(caught.value)
    assert all(KEY not in str(seen.query) + seen.path for seen in server.seen)


def test_the_signature_says_who_answers_in_which_languages(cloud: Cloud) -> None:
    plain = cloud.make("https://example.org:8443/path?key=1")
    assert "|host:example.org:8443|" in plain.signature
    others = {cloud.make("https://example.org", pair=pair).signature for pair in ("en-de", "de-en", "en-fr")}
    assert len(others | {plain.signature}) == 4


@pytest.mark.parametrize(
    "url", ["localhost:8080", "example", "http://", "http://[", "http://host:port", "http://me:pw@host"]
)
def test_an_address_that_is_none_is_a_usage_error(cloud: Cloud, url: str) -> None:
    with pytest.raises(UsageError, match="address"):
        _ = cloud.make(url).signature
