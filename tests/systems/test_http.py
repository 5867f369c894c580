"""Any JSON endpoint by a template: what is sent, what is read, and what is said about a wrong template."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import BusyError, ClosedError, InputError, RejectedError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.systems.http_server import Http
from mtassay.systems.live import Limits
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

TEMPLATE = {
    "url": "https://mt.example.com/v1/translate",
    "headers": {"X-Key": "${MT_KEY}"},
    "body": {"q": "${texts}", "from": "${source}", "to": "${target}"},
    "answer": "translations[*].text",
    "batch": 10,
}
REQUESTS = [Request("1", "one"), Request("2", "two"), Request("3", "three")]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MT_KEY", KEY)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Http]:
    """A system for the template with these changes; a key that is `None` is taken out."""

    def build(*, pair: str = "en-de", at: str | None = None, **changes: Any) -> Http:
        content = {key: value for key, value in {**TEMPLATE, **changes}.items() if value is not None}
        file = tmp_path / "service.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        return Http(name="mine", pair=parse_pair(pair), template=str(file), url=at)

    return build


def echo(seen: Seen) -> Reply:
    return json_reply({"translations": [{"text": text} for text in translated(seen.body["q"])]})


def test_a_batch_is_sent_as_the_template_says(server: Server, make: Callable[..., Http]) -> None:
    server.then(echo)
    system = make(at=f"{server.url}/v1/translate")
    outputs = system.translate(REQUESTS)
    assert [(output.id, output.text) for output in outputs] == [
        ("1", "«one»"),
        ("2", "«two»"),
        ("3", "«three»"),
    ]
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/v1/translate", {})
    assert seen.header("x-key") == KEY
    assert seen.body == {"q": ["one", "two", "three"], "from": "en", "to": "de"}


@pytest.mark.parametrize(
    ("changes", "sent"),
    [
        (
            {"body": [{"Text": "${each}", "to": "${target}"}], "answer": "[*].t"},
            [{"Text": "one", "to": "de"}, {"Text": "two", "to": "de"}, {"Text": "three", "to": "de"}],
        ),
        ({"body": {"texts": ["${each}"]}, "answer": "t"}, {"texts": ["one", "two", "three"]}),
        (
            {"body": {"q": "${texts}", "model": "m-${source_name}", "n": 1, "x": [None, True, "${target}"]}},
            {"q": ["one", "two", "three"], "model": "m-English", "n": 1, "x": [None, True, "de"]},
        ),
    ],
)
def test_placeholders_become_texts_and_languages(
    server: Server, make: Callable[..., Http], changes: dict[str, Any], sent: object
) -> None:
    server.then(json_reply(None))
    with pytest.raises(BusyError):
        make(at=server.url, **changes).translate(REQUESTS)
    assert server.seen[0].body == sent


def test_a_get_with_one_text_has_parameters_and_no_body(server: Server, make: Callable[..., Http]) -> None:
    server.then(json_reply({"out": "eins"}))
    system = make(
        at=f"{server.url}/get",
        method="get",
        body=None,
        headers=None,
        parameters={"text": "${text}", "pair": "${source}|${target}", "key": "${MT_KEY}"},
        answer="out",
        batch=None,
    )
    (output,) = system.translate([Request("1", "one & only?")])
    assert output.text == "eins"
    (seen,) = server.seen
    assert (seen.method, seen.raw) == ("GET", b"")
    assert seen.query == {"text": ["one & only?"], "pair": ["en|de"], "key": [KEY]}


def test_a_parameter_with_all_texts_is_sent_once_for_each(server: Server, make: Callable[..., Http]) -> None:
    server.then(json_reply(["eins", "zwei", "drei"]))
    system = make(at=server.url, method="GET", body=None, parameters={"q": "${texts}"}, answer="$")
    assert [output.text for output in system.translate(REQUESTS)] == ["eins", "zwei", "drei"]
    assert server.seen[0].query == {"q": ["one", "two", "three"]}


def test_a_key_may_stand_in_the_body_and_after_a_word(server: Server, make: Callable[..., Http]) -> None:
    server.then(echo)
    system = make(
        at=server.url,
        headers={"Authorization": "Bearer ${MT_KEY}"},
        body={"q": "${texts}", "auth": {"key": "${MT_KEY}"}},
    )
    system.translate(REQUESTS)
    assert server.seen[0].header("authorization") == f"Bearer {KEY}"
    assert server.seen[0].body["auth"] == {"key": KEY}


def test_a_text_that_looks_like_a_placeholder_stays_as_it_is(
    server: Server, make: Callable[..., Http]
) -> None:
    server.then(json_reply({"out": "x"}))
    body = {"q": "${text}"}
    make(at=server.url, body=body, answer="out", batch=None).translate([Request("1", "${MT_KEY} ${source}")])
    assert server.seen[0].body == {"q": "${MT_KEY} ${source}"}


def test_context_goes_with_a_single_text(server: Server, make: Callable[..., Http]) -> None:
    server.always = json_reply({"out": "x"})
    system = make(at=server.url, body={"q": "${text}", "c": "${context}"}, answer="out", batch=1)
    system.translate([Request("1", "one", "before")])
    system.translate([Request("2", "two")])
    assert [seen.body["c"] for seen in server.seen] == ["before", ""]


@pytest.mark.parametrize(
    ("pair", "sent"),
    [
        ("en-pt-BR", ("en", "pb")),
        ("en-pt", ("en", "pt")),
        ("zh-Hant:en", ("zt", "en")),
        ("zh:en", ("zh", "en")),
    ],
)
def test_languages_have_the_codes_of_the_service(
    server: Server, make: Callable[..., Http], pair: str, sent: tuple[str, str]
) -> None:
    server.then(echo)
    system = make(at=server.url, pair=pair, languages={"pt_BR": "pb", "zho_Hant": "zt"})
    system.translate(REQUESTS)
    assert (server.seen[0].body["from"], server.seen[0].body["to"]) == sent
    assert f"source:{sent[0]}|target:{sent[1]}|" in system.signature


def test_languages_may_stand_in_the_address(server: Server, make: Callable[..., Http]) -> None:
    server.then(echo)
    make(at=f"{server.url}/${{source}}/${{target}}").translate(REQUESTS)
    assert server.seen[0].path == "/en/de"


def test_blank_and_missing_texts_are_not_sent(server: Server, make: Callable[..., Http]) -> None:
    server.then(echo)
    outputs = make(at=server.url).translate([Request("1", ""), Request("2", None), Request("3", "three")])
    assert [(output.text, output.error) for output in outputs] == [
        ("", None),
        (None, "no source text"),
        ("«three»", None),
    ]
    assert server.seen[0].body["q"] == ["three"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"translations": [{"text": "a"}, {"text": "b"}]}, "answered 2 translations for 3 texts"),
        ({"translations": [{"text": "a"}] * 4}, "answered 4 translations for 3 texts"),
        (
            {"translations": [{"text": "a"}, {"text": None}, {"text": "b"}]},
            "answered 2 translations for 3 texts",
        ),
        ({"translations": [{"text": "a"}, {}, {"text": "b"}]}, "answered without 'text'"),
        ({"translations": "abc"}, "answered without '[*]'"),
        ({"result": []}, "answered without 'translations'"),
        ([], "answered without 'translations'"),
        (None, "answered without 'translations'"),
    ],
)
def test_a_wrong_answer_is_busy_and_never_a_shifted_row(
    server: Server, make: Callable[..., Http], answer: object, message: str
) -> None:
    server.then(json_reply(answer))
    with pytest.raises(BusyError) as raised:
        make(at=server.url).translate(REQUESTS)
    assert str(raised.value).startswith("http:service.json ")
    assert message in str(raised.value)


def shuffled(name: str, *numbers: object) -> Callable[[Seen], Reply]:
    """Answers in this order; each says under this name which text it is for."""
    return lambda seen: json_reply(
        {
            "translations": [
                {"text": f"«{seen.body['q'][place]}»", name: number}
                for place, number in zip((2, 0, 1), numbers, strict=True)
            ]
        }
    )


@pytest.mark.parametrize(
    ("name", "numbers", "changes"),
    [
        ("index", (2, 0, 1), {}),
        ("index", (3, 1, 2), {}),
        ("nr", (2, 0, 1), {"index": "translations[*].nr"}),
        ("nr", ("2", "0", "1"), {"index": "translations[*].nr"}),
    ],
)
def test_answers_that_say_their_place_are_put_there(
    server: Server,
    make: Callable[..., Http],
    name: str,
    numbers: tuple[object, ...],
    changes: dict[str, Any],
) -> None:
    server.then(shuffled(name, *numbers))
    outputs = make(at=server.url, **changes).translate(REQUESTS)
    assert [output.text for output in outputs] == ["«one»", "«two»", "«three»"]


@pytest.mark.parametrize("numbers", [(0, 0, 1), (5, 6, 7), (None, 0, 1), (0, [], 1)])
def test_answers_whose_places_do_not_add_up_are_busy(
    server: Server, make: Callable[..., Http], numbers: tuple[object, ...]
) -> None:
    server.then(shuffled("nr", *numbers))
    with pytest.raises(BusyError, match="does not give each text exactly one translation"):
        make(at=server.url, index="translations[*].nr").translate(REQUESTS)


def test_a_number_that_is_no_place_changes_nothing(server: Server, make: Callable[..., Http]) -> None:
    server.then(shuffled("index", 7, 7, 7))
    outputs = make(at=server.url).translate(REQUESTS)
    assert [output.text for output in outputs] == ["«three»", "«one»", "«two»"]


def test_empty_translations_are_translations(server: Server, make: Callable[..., Http]) -> None:
    server.then(json_reply({"translations": [{"text": ""}] * 3}))
    assert [output.text for output in make(at=server.url).translate(REQUESTS)] == ["", "", ""]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (status(429, retry_after=3), BusyError),
        (status(500), BusyError),
        (status(400), RejectedError),
        (status(413), RejectedError),
        (status(401), ClosedError),
        (status(499), BusyError),
        (status(418), ClosedError),
        (truncated({"translations": []}), BusyError),
        (not_json(), BusyError),
        (hang_up(), BusyError),
        (json_reply({}, delay=30), BusyError),
    ],
)
def test_failures_have_their_kind(
    server: Server, make: Callable[..., Http], reply: Reply, kind: type[Exception]
) -> None:
    server.then(reply)
    system = make(at=server.url, busy=[499], closed=[418], timeout=2)
    with pytest.raises(kind) as raised:
        system.translate(REQUESTS)
    assert type(raised.value) is kind
    assert len(server.seen) == 1


def test_limits_come_from_the_template(make: Callable[..., Http]) -> None:
    system = make(batch=7, batch_characters=900, in_flight=2, calls_per_second=0.5, timeout=9)
    assert system.limits == Limits(
        batch=7, batch_characters=900, in_flight=2, calls_per_second=0.5, timeout=9
    )
    assert make(body={"q": "${text}"}, batch=None).limits == Limits()


def test_the_signature_changes_with_what_changes_an_answer(make: Callable[..., Http]) -> None:
    signature = make().signature
    assert signature.startswith("http|endpoint:mt.example.com/v1/translate|source:en|target:de|template:")
    assert make(batch=3, timeout=3, busy=[499]).signature == signature
    assert make(pair="en-fr").signature != signature
    assert make(body={"q": "${texts}", "model": "large"}).signature != signature
    assert make(at="https://other.example.com/?key=secret").signature.startswith(
        "http|endpoint:other.example.com/|"
    )


def test_a_missing_variable_is_one_clear_line(
    server: Server, make: Callable[..., Http], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MT_KEY")
    system = make(at=server.url)
    with pytest.raises(ClosedError) as raised:
        system.translate(REQUESTS)
    assert str(raised.value) == (
        "http:service.json: headers.X-Key needs a key: set MT_KEY in the environment."
    )
    assert not server.seen


@pytest.mark.parametrize(
    "reply",
    [
        lambda seen: status(401, {"error": f"bad {KEY}"}),
        lambda seen: json_reply({"echo": {**seen.headers, **seen.query}}),
        lambda seen: hang_up(),
    ],
)
def test_the_key_never_shows(
    server: Server, make: Callable[..., Http], assert_hidden: Callable[..., None], reply: Any
) -> None:
    server.then(reply)
    system = make(at=server.url, parameters={"key": "${MT_KEY}"})
    with pytest.raises((BusyError, ClosedError)) as raised:
        system.translate(REQUESTS)
    assert_hidden(raised.value, system, system.signature, system.limits)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"urll": "x"}, "there is no key 'urll'. Available: url, method,"),
        ({"url": None}, "'url' must be a text"),
        ({"url": 3}, "'url' must be a text"),
        ({"url": "mt.example.com"}, "'url': 'mt.example.com' is no address."),
        ({"url": "https://${mt_host}/"}, "'url' cannot have ${mt_host}. Available: ${source}, ${target},"),
        ({"answer": None}, "'answer' must be a text"),
        ({"answer": "a..b"}, "'answer' is 'a..b'. Write it as"),
        ({"answer": "a[*].b[*]"}, "'answer' is 'a[*].b[*]'. Write it as"),
        ({"method": "PATCH"}, "'method' is 'PATCH'. Choose from: GET, POST, PUT."),
        ({"method": "GET"}, "'body' goes with POST or PUT."),
        ({"headers": ["a"]}, "'headers' must be an object of texts"),
        ({"headers": {"a": 1}}, "'headers' must be an object of texts"),
        ({"headers": {"X": "${text}"}}, "'headers.X' cannot have ${text}. Available: ${source}"),
        ({"body": {"q": "${txt}"}}, "'body.q' cannot have ${txt}. Available: ${source}"),
        ({"body": {"q": ["a ${texts}"]}}, "'body.q': ${texts} is a list and must be alone"),
        (
            {"body": {"q": "nothing"}},
            "'body' needs one of ${text}, ${texts} and ${each}; it has none of them",
        ),
        ({"body": {"q": "${text}", "r": "${texts}"}}, "it has ${text} and ${texts}"),
        ({"body": {"q": "${each}"}}, "'body': ${each} must be inside a list"),
        ({"body": {"q": "${text}"}}, "'batch' is 10, and ${text} is one text. Use ${texts} or ${each}."),
        (
            {"body": {"q": "${texts}", "c": "${context}"}},
            "'batch' is 10, and ${context} belongs to one text.",
        ),
        ({"batch": 0}, "'batch' must be a whole number above 0"),
        ({"batch": 2.5}, "'batch' must be a whole number above 0"),
        ({"batch": True}, "'batch' must be a whole number above 0"),
        ({"timeout": "5"}, "'timeout' must be a number above 0"),
        ({"busy": 500}, "'busy' must be a list of HTTP status codes"),
        ({"closed": ["418"]}, "'closed' must be a list of HTTP status codes"),
        ({"languages": {"xx": "y"}}, "'languages': No language 'xx'."),
        ({"languages": {"de": 1}}, "'languages' must be an object of texts"),
    ],
)
def test_a_wrong_template_is_one_line_that_names_file_and_key(
    make: Callable[..., Http], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as raised:
        make(**changes)
    assert str(raised.value).startswith(f"{tmp_path / 'service.json'}: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"url": "x",\n "answer" "y"}', " line 2: is not JSON: Expecting ':' delimiter"),
        (b"[]", ": must be an object"),
        (b"\xff", ": is not UTF-8."),
        (b"[" * 100_000, " line 1: is not JSON: nested too deeply"),
        (b"", " line 1: is not JSON"),
    ],
)
def test_a_file_that_is_no_template_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        Http(name="mine", pair=parse_pair("en-de"), template=str(file))
    assert str(raised.value).startswith(f"{file}{message}")


def test_a_file_that_is_not_there_is_one_line() -> None:
    with pytest.raises(InputError, match=r"^nowhere\.json: cannot be read: No such file or directory$"):
        Http(name="mine", pair=parse_pair("en-de"), template="nowhere.json")


@pytest.mark.parametrize("url", ["localhost:5000", "http://${HOST}/", "http://user:pw@localhost/"])
def test_an_address_that_cannot_be_used_is_told_at_once(make: Callable[..., Http], url: str) -> None:
    with pytest.raises(UsageError, match=r"^http:service\.json: "):
        make(at=url)


def test_an_address_in_the_place_of_a_template_is_explained() -> None:
    with pytest.raises(UsageError, match="after http: comes a template file, not an address"):
        Http(name="mine", pair=parse_pair("en-de"), template="//localhost:5000/translate")
