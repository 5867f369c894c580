"""One JSON call: what it sends, every way it fails, and that no key shows."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import tracemalloc
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.runtime import transfers
from mtassay.runtime.http_calls import Secret, call_json, check_address, excerpt, place, seconds
from tests.systems.conftest import KEY
from tests.systems.server import (
    Reply,
    Server,
    hang_up,
    http_date,
    json_reply,
    reset,
    status,
    truncated,
)

ANSWER = {"translations": [{"text": "eins"}, {"text": "zwei"}]}


def failure(server: Server, **call: Any) -> ServiceError:
    with pytest.raises(ServiceError) as raised:
        call_json(f"{server.url}/v1", what="the service", **{"body": {}, **call})
    assert "\n" not in str(raised.value)
    return raised.value


def test_the_request_arrives_as_it_was_meant(server: Server) -> None:
    server.then(json_reply(ANSWER))
    answer = call_json(
        f"{server.url}/v1/translate",
        body={"texts": ["Grüße", "日本"], "api_key": Secret(KEY)},
        headers={"X-Key": Secret(KEY), "X-Plain": "plain"},
        parameters={"key": Secret(KEY), "q": ["a b", "c&d"]},
        what="the service",
    )
    assert answer == ANSWER
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/translate")
    assert seen.body == {"texts": ["Grüße", "日本"], "api_key": KEY}
    assert (seen.header("x-key"), seen.header("x-plain")) == (KEY, "plain")
    assert seen.header("content-type") == "application/json"
    assert seen.query == {"key": [KEY], "q": ["a b", "c&d"]}


def test_exact_bytes_are_sent_where_a_signature_needs_them(server: Server) -> None:
    server.then(json_reply(1))
    call_json(
        server.url, content=b'{"a" :  1}', headers={"Content-Type": "application/x-amz-json-1.1"}, what="it"
    )
    assert server.seen[0].raw == b'{"a" :  1}'
    assert server.seen[0].header("content-type") == "application/x-amz-json-1.1"


def test_a_get_has_no_body(server: Server) -> None:
    server.then(json_reply([]))
    assert call_json(server.url, method="GET", parameters={"q": "x"}, what="it") == []
    assert (server.seen[0].method, server.seen[0].raw) == ("GET", b"")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        *((code, BusyError) for code in (408, 409, 423, 425, 429, 500, 502, 503, 504, 520, 529, 599)),
        *((code, ClosedError) for code in (401, 402, 403, 404, 405, 407, 410, 451)),
        *((code, RejectedError) for code in (400, 406, 413, 414, 415, 422, 431)),
    ],
)
def test_a_status_says_whether_to_wait_skip_or_stop(
    server: Server, code: int, kind: type[ServiceError]
) -> None:
    server.then(status(code, {"error": {"message": "because", "code": "some_code"}}))
    error = failure(server)
    assert type(error) is kind
    assert str(error) == f"the service answered {code}: because (some_code)"


def test_a_service_may_have_codes_of_its_own(server: Server) -> None:
    server.then(status(456), status(499), status(429, {"error": {"code": "quota"}}), status(429))
    assert type(failure(server, closed=frozenset({456}))) is ClosedError
    assert type(failure(server, busy=frozenset({499}))) is BusyError

    def quota(status: int, answer: Any) -> type[ServiceError] | None:
        return ClosedError if answer["error"] == {"code": "quota"} else None

    assert type(failure(server, error_type=quota)) is ClosedError
    assert type(failure(server, error_type=quota)) is BusyError


def test_an_error_page_that_is_no_json_gives_its_code_no_json(server: Server) -> None:
    server.then(Reply(status=503, body=b"<h1>overloaded</h1>"))
    given_to = []
    error = failure(server, error_type=lambda status, answer: given_to.append((status, answer)))
    assert given_to == [(503, None)]
    assert str(error) == "the service answered 503: <h1>overloaded</h1>"


@pytest.mark.parametrize(
    ("retry_after", "low", "high"),
    [
        ("7", 7, 7),
        ("0", 0, 0),
        ("1.5", 1.5, 1.5),
        (lambda: http_date(100), 60, 100),
        (lambda: http_date(-100), 0, 0),
        ("-3", 0, 0),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(
    server: Server, retry_after: str | Callable[[], str], low: float, high: float
) -> None:
    server.then(status(429, retry_after=retry_after if isinstance(retry_after, str) else retry_after()))
    error = failure(server)
    assert isinstance(error, BusyError)
    assert error.retry_after is not None
    assert low <= error.retry_after <= high


@pytest.mark.parametrize(
    "retry_after",
    [
        None,
        "",
        "soon",
        "nan",
        "inf",
        "1e999",
        "Tue, 99 Foo 2024",
        "Fri, 31 Dec 2021 23:59:59 +99999999999999",
        "Fri, 31 Dec 99999 23:59:59 GMT",
    ],
)
def test_a_retry_after_that_says_nothing_is_none(server: Server, retry_after: str | None) -> None:
    server.then(status(503, retry_after=retry_after))
    error = failure(server)
    assert isinstance(error, BusyError)
    assert error.retry_after is None


@given(st.text())
def test_any_retry_after_is_understood_or_ignored(text: str) -> None:
    wait = seconds(text)
    assert wait is None or wait >= 0


def test_an_answer_that_is_no_http_is_one_short_printable_line(server: Server) -> None:
    server.then(Reply(raw=b"HTTP/1.1 2\x1b[2J00" + b"x" * 2000 + b"\r\n\r\n"))
    error = str(failure(server))
    assert error.isprintable()
    assert len(error) < 300


def test_a_slow_answer_is_busy(server: Server) -> None:
    server.then(json_reply(ANSWER, delay=30))
    error = failure(server, timeout=0.2)
    assert type(error) is BusyError
    assert str(error) == "the service did not answer within 0.2 s"


def test_an_answer_that_drips_does_not_take_for_ever(server: Server) -> None:
    server.then(json_reply(ANSWER, drip=0.05))
    error = failure(server, timeout=0.3)
    assert type(error) is BusyError
    assert "did not answer within 0.3 s" in str(error)


@pytest.mark.parametrize(
    ("raw", "drip"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: 0123456789", 0.02),
        (b"HTTP/1.1 100 Continue\r\n\r\n", 0.02),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, 0.0),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 1000, 0.0),
    ],
    ids=["headers", "slow 100", "100", "103"],
)
def test_headers_that_never_end_end_at_the_deadline(server: Server, raw: bytes, drip: float) -> None:
    server.then(Reply(raw=raw, drip=drip))
    error = failure(server, timeout=0.3)
    assert type(error) is BusyError
    assert str(error) == "the service did not answer within 0.3 s"


def test_the_deadline_holds_for_a_connection_that_is_used_again(server: Server) -> None:
    server.then(json_reply(1), Reply(raw=b"HTTP/1.1 100 Continue\r\n\r\n", drip=0.01), json_reply(2))
    assert call_json(server.url, what="it", timeout=0.3) == 1
    assert "did not answer within 0.3 s" in str(failure(server, timeout=0.3))
    assert call_json(server.url, what="it", timeout=5) == 2


def test_a_request_that_nobody_reads_ends_at_the_deadline() -> None:
    late = pytest.raises(BusyError, match=r"did not answer within 0\.3 s")
    with socket.create_server(("127.0.0.1", 0)) as deaf, late:
        call_json(f"http://127.0.0.1:{deaf.getsockname()[1]}", body="x" * 2**24, what="it", timeout=0.3)


def squeezed(data: bytes, *encodings: str) -> Reply:
    """An answer that was compressed so, one way after the other."""
    for encoding in encodings:
        data = gzip.compress(data) if encoding == "gzip" else zlib.compress(data)
    return Reply(body=data, headers={"Content-Encoding": ", ".join(encodings)})


@pytest.mark.parametrize("encodings", [["gzip"], ["deflate"], ["gzip", "gzip"], ["gzip", "deflate"]])
def test_a_compressed_answer_is_read(server: Server, encodings: list[str]) -> None:
    server.then(squeezed(json.dumps(ANSWER).encode(), *encodings))
    assert call_json(server.url, what="it") == ANSWER
    assert server.seen[0].header("accept-encoding") == "gzip, deflate"


def test_members_of_gzip_and_bare_deflate_are_read(server: Server) -> None:
    members = gzip.compress(b"[1,") + gzip.compress(b"") + gzip.compress(b"2]")
    bare = zlib.compressobj(wbits=-15)
    server.then(
        Reply(body=members, headers={"Content-Encoding": "x-gzip"}),
        Reply(body=bare.compress(b"[3]") + bare.flush(), headers={"Content-Encoding": "deflate"}),
    )
    assert call_json(server.url, what="it") == [1, 2]
    assert call_json(server.url, what="it") == [3]


@pytest.mark.parametrize("encodings", [["gzip"], ["gzip", "gzip"], ["deflate", "gzip"]])
def test_a_bomb_of_compression_takes_little_memory(server: Server, encodings: list[str]) -> None:
    server.then(squeezed(b" " * 2**28, *encodings))
    tracemalloc.start()
    try:
        error = failure(server)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(error) == "the service answered more than 8 MiB. Ask for fewer texts at a time."
    assert type(error) is BusyError
    assert peak < 3 * transfers.LARGEST


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(body=b"{}", headers={"Content-Encoding": "gzip"}), "the service answered damaged gzip"),
        (
            Reply(body=gzip.compress(b"[1, 2, 3, 4]")[:-12], headers={"Content-Encoding": "gzip"}),
            "the service answered damaged gzip",
        ),
        (Reply(body=b"{}", headers={"Content-Encoding": "br"}), "the service answered in 'br', which"),
        (squeezed(b"{}", *["gzip"] * 9), "the service answered in 'gzip, gzip, gzip, gzip, gzip"),
    ],
)
def test_what_cannot_be_decompressed_is_busy(server: Server, reply: Reply, message: str) -> None:
    server.then(reply)
    error = failure(server)
    assert type(error) is BusyError
    assert str(error).startswith(message)


def test_an_answer_has_a_largest_size(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "LARGEST", 1000)
    server.then(json_reply("x" * 2000))
    assert "answered more than" in str(failure(server))


def test_all_answers_under_way_have_a_largest_size_together(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "ROOM", 5000)
    server.always = json_reply("x" * 2000)
    with transfers.Share() as first, transfers.Share() as second:
        first.take(2000)
        assert call_json(server.url, what="it") == "x" * 2000
        second.take(2000)
        assert str(failure(server)).startswith("the service: the answers that are arriving take more than")
    assert call_json(server.url, what="it") == "x" * 2000


def test_json_of_very_many_values_is_refused_before_it_is_parsed(server: Server) -> None:
    server.then(Reply(body=b"[" + b"{}," * 2_000_000 + b"0]"))
    error = failure(server)
    assert type(error) is BusyError
    assert str(error) == "the service answered JSON of more than 1,000,000 values"


@pytest.mark.parametrize(
    "wrong", [truncated(ANSWER), hang_up(), reset()], ids=["truncated", "closed", "reset"]
)
def test_a_lost_line_is_busy(server: Server, wrong: Reply) -> None:
    server.then(wrong)
    error = failure(server)
    assert type(error) is BusyError
    assert str(error).startswith(f"the service at {server.url}/v1: ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b'{"a": ',
        b"\xff\xfe\xfa",
        b"[" * 100_000,
        b"[" * 900 + rb'"\ud800"' + b"]" * 900,
        b'{"a": 1} extra',
    ],
    ids=["empty", "html", "cut", "bytes", "deep", "deep and half", "extra"],
)
def test_what_is_not_json_is_busy(server: Server, content: bytes) -> None:
    server.then(Reply(body=content))
    error = failure(server)
    assert type(error) is BusyError
    assert "is not JSON" in str(error)
    assert len(str(error)) < 300


def test_half_a_surrogate_pair_arrives_as_nul_which_no_translation_has(server: Server) -> None:
    server.then(Reply(body=rb'{"text": "a\ud83d", "smile": "\ud83d\ude00"}'))
    assert call_json(server.url, what="it") == {"text": "a\0", "smile": "😀"}


@pytest.mark.parametrize("body", [{"text": "\ud800"}, {"n": float("nan")}])
def test_what_json_cannot_say_is_rejected_and_not_sent(server: Server, body: object) -> None:
    assert type(failure(server, body=body)) is RejectedError
    assert not server.seen


def test_redirects_are_not_followed(server: Server) -> None:
    with Server(json_reply(ANSWER)) as elsewhere:
        for code in (301, 302, 307, 308):
            server.then(Reply(status=code, headers={"Location": f"{elsewhere.url}/new?key=abc"}))
            error = failure(server, headers={"Authorization": Secret(KEY)})
            assert type(error) is ClosedError
            assert f"moved to {elsewhere.url}/new." in str(error)
        assert not elsewhere.seen


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://127.0.0.1/x", "it: ftp://127.0.0.1/x is no address of a web service"),
        ("127.0.0.1:80/x", "it: 127.0.0.1:80/x is no address of a web service"),
        ("", "it:  is no address of a web service"),
        ("http://127.0.0.1:port/x", "it: http://127.0.0.1:port/x is no address of a web service"),
        ("http://[::1/x", "it: http://[::1/x is no address of a web service"),
        ("http://no-such-host.invalid/x", "no-such-host.invalid"),
    ],
)
def test_an_address_that_leads_nowhere_is_closed(url: str, message: str) -> None:
    with pytest.raises(ServiceError) as raised:
        call_json(url, what="it", timeout=5)
    assert message in str(raised.value)


def test_nobody_there_is_closed() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(
            ClosedError, match=f"it: nobody answers at http://127.0.0.1:{port}/v1. Is it running?"
        ):
            call_json(f"http://127.0.0.1:{port}/v1", what="it")


def test_a_lost_connection_does_not_spoil_the_next_call(server: Server) -> None:
    server.then(json_reply(1), hang_up(), json_reply(2))
    assert call_json(server.url, what="it") == 1
    failure(server)
    assert call_json(server.url, what="it") == 2


def test_many_threads_get_their_own_answers(server: Server) -> None:
    server.always = lambda seen: json_reply(seen.body, delay=0.01)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: call_json(server.url, body=n, what="it"), range(100)))
    assert answers == list(range(100))


def echo_everything(seen: Any) -> dict[str, Any]:
    """What a careless service repeats in its errors."""
    return {"headers": dict(seen.headers), "query": dict(seen.query), "raw": seen.raw.decode()}


ECHOES: list[Callable[[Any], Reply]] = [
    lambda seen: status(401, {"error": {"message": f"bad key {KEY}", "code": KEY}}),
    lambda seen: status(400, {"error": f"bad key {KEY}"}),
    lambda seen: status(400, echo_everything(seen)),
    lambda seen: status(500, [{"message": f"bad key {KEY}"}]),
    lambda seen: Reply(status=400, body=json.dumps(echo_everything(seen)).replace("/", "\\/").encode()),
    lambda seen: Reply(status=403, body=f"no {KEY}".encode()),
    lambda seen: Reply(body=f"no JSON {KEY}".encode()),
    lambda seen: Reply(status=302, headers={"Location": f"https://user:{quote(KEY)}@example.com/?k=1"}),
    lambda seen: Reply(status=302, headers={"Location": f"https://user:{KEY}@example.com/?k={KEY}"}),
    lambda seen: hang_up(),
    lambda seen: truncated(echo_everything(seen)),
    lambda seen: json_reply(1, delay=30),
]


@pytest.mark.parametrize("echo", ECHOES)
def test_no_failure_shows_the_key(
    server: Server, echo: Callable[[Any], Reply], assert_hidden: Callable[..., None]
) -> None:
    server.then(echo)
    key = Secret(KEY)
    error = failure(
        server,
        body={"api_key": key},
        headers={"Authorization": Secret(f"Bearer {KEY}"), "X-Key": key},
        parameters={"key": key},
        timeout=0.5,
    )
    assert_hidden(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_a_call_that_works_logs_no_key(
    server: Server, assert_hidden: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    server.then(json_reply(1))
    call_json(server.url, parameters={"key": Secret(KEY)}, what="it")
    assert_hidden()
    assert any(record.name == "httpx" and record.levelno == logging.INFO for record in caplog.records)
    assert "key=[hidden]" in caplog.text


@pytest.mark.parametrize("key", ["s3cret-line\nbreak", "s3cret-non-ascii-…", "s3cret-\x00"])
def test_a_key_that_no_header_can_hold_is_closed_and_hidden(server: Server, key: str) -> None:
    error = failure(server, headers={"X-Key": Secret(key)})
    assert type(error) is ClosedError
    assert "s3cret" not in str(error)
    assert not server.seen


def test_an_error_shows_no_control_characters(server: Server) -> None:
    server.then(Reply(status=400, body=b"\x1b[31mred\x07\r\nline\x00"))
    assert str(failure(server)) == "the service answered 400: [31mred line"


@given(st.text())
def test_any_text_has_a_printable_excerpt(text: str) -> None:
    shown = excerpt(text)
    assert shown.isprintable()
    assert 0 < len(shown) <= 201


@given(st.text())
def test_any_text_can_be_shown_as_a_place(text: str) -> None:
    assert "?" not in place(text)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://api.example.com/v1/", "https://api.example.com/v1"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("https://example.com/v1?api-version=1", "https://example.com/v1?api-version=1"),
    ],
)
def test_an_address_is_taken_without_its_last_slash(url: str, shown: str) -> None:
    assert check_address(url, what="it") == shown


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8080", "it: 'localhost:8080' is no address. Write it as http://HOST:PORT/PATH."),
        ("ftp://example.com", "it: 'ftp://example.com' is no address. Write it as http://HOST:PORT/PATH."),
        ("http://", "it: 'http://' is no address. Write it as http://HOST:PORT/PATH."),
        ("http://h:port/v1", "it: 'http://h:port/v1' is no address. Write it as http://HOST:PORT/PATH."),
        ("//u:pw@h/?k=pw", "it: 'h/' is no address. Write it as http://HOST:PORT/PATH."),
        ("http://u:pw@h/", "it: remove the user name and password from the address of h."),
    ],
)
def test_an_address_that_cannot_be_used_is_told_at_once(url: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_address(url, what="it")
    assert str(raised.value) == message
