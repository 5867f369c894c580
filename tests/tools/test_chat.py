"""The chat client: what it sends, how it reads replies, and which errors mean what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError
from mtassay.nlp.chat_models import ChatClient, ChatReply
from tests.systems.conftest import KEY
from tests.systems.server import Server, hang_up, json_reply, not_json, status, truncated

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def reply(content: Any = "Hallo", *, reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    """An answer as "The chat completion object" documents it."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m-2025-01-01",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": None, **message},
                "finish_reason": reason,
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    }


def test_a_request_is_as_documented(server: Server) -> None:
    server.then(json_reply(reply()))
    client = ChatClient(model="m", url=f"{server.url}/v1/")
    answer = client.complete(HELLO, temperature=0.5, seed=7)
    assert answer == ChatReply(
        text="Hallo",
        finish_reason="stop",
        usage={"prompt_tokens": 5, "completion_tokens": 2},
        model="m-2025-01-01",
    )
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.header("authorization") == f"Bearer {KEY}"
    assert seen.body == {"model": "m", "messages": HELLO, "temperature": 0.5, "seed": 7}


def test_what_is_none_is_not_sent(server: Server) -> None:
    server.then(json_reply(reply()))
    client = ChatClient(model="m", url=server.url, max_completion_tokens=9, reasoning_effort="low")
    client.complete(HELLO, temperature=None)
    assert server.seen[0].body == {
        "model": "m",
        "messages": HELLO,
        "max_completion_tokens": 9,
        "reasoning_effort": "low",
    }


def test_a_schema_is_sent_as_structured_output(server: Server) -> None:
    server.then(json_reply(reply('{"a": 1}')))
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    ChatClient(model="m", url=server.url).complete(HELLO, json_schema=schema)
    assert server.seen[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


def test_the_address_may_come_from_the_environment(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ChatClient(model="m").endpoint == "api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/api/v1?api-version=2")
    server.then(json_reply(reply()))
    client = ChatClient(model="m")
    client.complete(HELLO)
    assert (server.seen[0].path, server.seen[0].query) == ("/api/v1/chat/completions", {"api-version": ["2"]})
    assert client.endpoint == f"127.0.0.1:{server.port}/api/v1"


def test_a_server_on_this_machine_needs_no_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.then(json_reply(reply()))
    ChatClient(model="m", url=server.url).complete(HELLO)
    assert server.seen[0].header("authorization") is None


def test_another_host_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ClosedError, match="openai:m needs a key: set OTHER_KEY in the environment"):
        ChatClient(model="m", url="https://llm.example.com/v1", key="OTHER_KEY").complete(HELLO)


def test_another_variable_may_hold_the_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "another-key")
    server.then(json_reply(reply()))
    ChatClient(model="m", url=server.url, key="OTHER_KEY").complete(HELLO)
    assert server.seen[0].header("authorization") == "Bearer another-key"


def test_a_key_in_the_place_of_its_variable_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError) as raised:
        ChatClient(model="m", key="sk-abcdef")
    assert "sk-abcdef" not in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"model": ""}, "which model"), ({"model": "m", "url": "localhost:8080"}, "is no address")],
)
def test_a_mistake_is_told_before_any_call(fields: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ChatClient(**fields)


@pytest.mark.parametrize(
    ("answer", "text", "reason"),
    [
        (reply(""), "", "stop"),
        (reply(None, reason="content_filter"), "", "content_filter"),
        (reply("Hal", reason="length"), "Hal", "length"),
        (reply(None, refusal="I can't help with that."), "I can't help with that.", "refusal"),
        (reply([{"type": "text", "text": "Hal"}, {"type": "text", "text": "lo"}]), "Hallo", "stop"),
        (reply("Hallo", reason=None), "Hallo", None),
        ({"choices": [{"message": {"content": "Hallo"}}]}, "Hallo", None),
        ({"choices": [{"message": {"content": "Hallo"}}], "usage": 3, "model": 4}, "Hallo", None),
    ],
)
def test_a_reply_is_read(server: Server, answer: Any, text: str, reason: str | None) -> None:
    server.then(json_reply(answer))
    got = ChatClient(model="m", url=server.url).complete(HELLO)
    assert (got.text, got.finish_reason) == (text, reason)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [{}]},
        {"choices": [{"message": None}]},
        {"choices": ["Hallo"]},
        reply(3),
        reply({"text": "Hallo"}),
        reply([{"type": "text", "text": None}]),
    ],
)
def test_what_is_no_reply_is_busy(server: Server, answer: Any) -> None:
    server.then(json_reply(answer))
    with pytest.raises(BusyError, match=r"^openai:m (answered 0 replies|sent a reply that is not text)"):
        ChatClient(model="m", url=server.url).complete(HELLO)


def error(code: str | None, message: str = "because", kind: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@pytest.mark.parametrize(
    ("code", "answer", "kind"),
    [
        (401, error("invalid_api_key"), ClosedError),
        (403, error("unsupported_country_region_territory"), ClosedError),
        (403, error(None, "your input was flagged"), RejectedError),
        (404, error("model_not_found"), ClosedError),
        (400, error("context_length_exceeded"), RejectedError),
        (400, error("content_filter"), RejectedError),
        (400, error("unsupported_parameter"), ClosedError),
        (400, error("unsupported_value"), ClosedError),
        (400, error(None, "the request exceeds the context", "exceed_context_size_error"), RejectedError),
        (429, error("rate_limit_exceeded"), BusyError),
        (429, error("insufficient_quota"), ClosedError),
        (429, error(None, kind="insufficient_quota"), ClosedError),
        (500, error("server_error"), BusyError),
        (503, error(None, "Loading model", "unavailable_error"), BusyError),
        (400, {"error": {"code": {"a": 1}}}, RejectedError),
        (400, ["no"], RejectedError),
    ],
)
def test_documented_errors_have_their_kind(
    server: Server,
    code: int,
    answer: Any,
    kind: type[ServiceError],
) -> None:
    server.then(status(code, answer))
    with pytest.raises(ServiceError) as raised:
        ChatClient(model="m", url=server.url).complete(HELLO)
    assert type(raised.value) is kind


@pytest.mark.parametrize("wrong", [hang_up(), not_json(), truncated(reply()), json_reply(reply(), delay=30)])
def test_a_lost_line_is_busy_and_tried_once(server: Server, wrong: Any) -> None:
    server.then(wrong)
    with pytest.raises(BusyError):
        ChatClient(model="m", url=server.url, timeout=0.3).complete(HELLO)
    assert len(server.seen) == 1


def test_the_key_never_shows(server: Server, assert_hidden: Callable[..., None]) -> None:
    server.then(lambda seen: status(401, error(None, f"Incorrect API key provided: {KEY}")))
    client = ChatClient(model="m", url=server.url)
    with pytest.raises(ClosedError) as raised:
        client.complete(HELLO)
    assert_hidden(raised.value, client, client.endpoint)
