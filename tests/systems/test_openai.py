"""Chat models as translators: prompts sent, replies judged, failures named."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import BusyError, ClosedError, InputError, RejectedError, ServiceError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request
from mtassay.systems.chat_translator import OpenAI
from tests.systems.conftest import KEY
from tests.systems.server import Reply, Seen, Server, hang_up, json_reply, not_json, status, truncated


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def make(url: str | None = None, *, pair: str = "en-de", **options: Any) -> OpenAI:
    return OpenAI(name="gpt", pair=parse_pair(pair), url=url, **{"model": "m", **options})


def says(content: str | None, *, reason: str = "stop", model: str = "m", **message: Any) -> Reply:
    return json_reply(
        {
            "model": model,
            "choices": [{"message": {"content": content, **message}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2},
        }
    )


def ask(server: Server, reply: Reply, *, text: str = "Good day.", **options: Any) -> Output:
    server.then(reply)
    (output,) = make(f"{server.url}/v1", **options).translate([Request("7", text)])
    assert output.id == "7"
    return output


def test_one_text_is_one_call_with_the_default_prompt(server: Server) -> None:
    assert ask(server, says("Guten Tag.")) == Output(
        "7", "Guten Tag.", None, {"usage": {"prompt_tokens": 5, "completion_tokens": 2}}
    )
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.header("authorization") == f"Bearer {KEY}"
    assert seen.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You are a helpful assistant that translates English to German."},
            {"role": "user", "content": "Good day."},
        ],
        "temperature": 0.0,
    }


def test_options_reach_the_model(server: Server, tmp_path: Path) -> None:
    prompt, shots = tmp_path / "prompt.txt", tmp_path / "shots.tsv"
    prompt.write_text("${source_name} > ${target_name}: ${text}", encoding="utf-8")
    shots.write_text("One.\tEins.\n", encoding="utf-8")
    ask(
        server,
        says("Guten Tag."),
        temperature=None,
        seed=3,
        max_completion_tokens=50,
        reasoning_effort="low",
        prompt=str(prompt),
        shots=str(shots),
    )
    assert server.seen[0].body == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "English > German: One."},
            {"role": "assistant", "content": "Eins."},
            {"role": "user", "content": "English > German: Good day."},
        ],
        "seed": 3,
        "max_completion_tokens": 50,
        "reasoning_effort": "low",
    }


def test_context_goes_into_the_prompt(server: Server) -> None:
    server.then(says("Eins."))
    make(server.url).translate([Request("1", "One.", "Zero.")])
    system, user = server.seen[0].body["messages"]
    assert system["content"].endswith("Zero.")
    assert user["content"] == "One."


@pytest.mark.parametrize(
    ("pair", "asked"),
    [
        ("en-pt-BR", "English to Portuguese (Brazil)"),
        ("zh-Hant:en", "Chinese (Traditional) to English"),
        ("hsb-de", "Upper Sorbian to German"),
    ],
)
def test_languages_are_asked_for_by_name(server: Server, pair: str, asked: str) -> None:
    ask(server, says("x"), pair=pair)
    assert asked in server.seen[0].body["messages"][0]["content"]


def test_several_requests_keep_their_order(server: Server) -> None:
    server.always = lambda seen: says(seen.body["messages"][-1]["content"].upper())
    requests = [Request("1", "one"), Request("2", ""), Request("3", None), Request("4", "four")]
    outputs = make(server.url).translate(requests)
    assert [(output.id, output.text, output.error) for output in outputs] == [
        ("1", "ONE", None),
        ("2", "", None),
        ("3", None, "no source text"),
        ("4", "FOUR", None),
    ]
    assert len(server.seen) == 2


def test_what_was_taken_off_is_on_record(server: Server) -> None:
    raw = 'Sure! Here is the translation:\n"Guten Tag."'
    output = ask(server, says(raw))
    assert output.text == "Guten Tag."
    assert output.meta["cleaned"] == ["preamble", "quotes"]
    assert output.meta["raw"] == raw


def test_nothing_is_taken_off_unless_wanted(server: Server) -> None:
    output = ask(server, says(' "Guten Tag."'), clean=False)
    assert output.text == ' "Guten Tag."'
    assert not {"cleaned", "raw"} & set(output.meta)


def test_the_model_that_really_answered_is_on_record(server: Server) -> None:
    assert ask(server, says("Guten Tag.", model="m-2025-08-07")).meta["model"] == "m-2025-08-07"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (
            says("I'm sorry, but I can't assist with that."),
            "refused: I'm sorry, but I can't assist with that.",
        ),
        (says(None, refusal="I won't."), "refused: I won't."),
        (says(None, reason="content_filter"), "refused: a content filter stopped the reply"),
        (says("Gut", reason="content_filter"), "refused: a content filter stopped the reply"),
        (says(""), "refused: the reply is empty"),
        (says("Translation:"), "refused: the reply is empty"),
        (says("<think>Hm."), "refused: the reply is empty"),
        (
            says("Gut", reason="length"),
            "cut off at the limit of tokens: raise max_tokens",
        ),
        (says(None, reason="tool_calls"), "the model called a tool instead of translating"),
        (
            status(400, {"error": {"message": "The prompt was filtered", "code": "content_filter"}}),
            "refused: openai:m answered 400: The prompt was filtered (content_filter)",
        ),
    ],
)
def test_what_is_no_translation_is_an_error_of_that_request(server: Server, reply: Reply, error: str) -> None:
    output = ask(server, reply)
    assert (output.text, output.error) == (None, error)


def test_the_raw_reply_of_an_error_is_on_record(server: Server) -> None:
    assert ask(server, says("Gut", reason="length")).meta["raw"] == "Gut"


def test_of_several_replies_the_first_by_its_number_counts(server: Server) -> None:
    replies = [{"index": number, "message": {"content": f"Antwort {number}"}} for number in (1, 0, 2)]
    assert ask(server, json_reply({"choices": replies})).text == "Antwort 0"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (status(401, {"error": {"message": f"bad key {KEY}", "code": "invalid_api_key"}}), ClosedError),
        (status(404, {"error": {"message": "no model", "code": "model_not_found"}}), ClosedError),
        (status(429, {"error": {"code": "insufficient_quota"}}), ClosedError),
        (status(429, retry_after=2), BusyError),
        (status(400, {"error": {"code": "context_length_exceeded", "message": "too long"}}), RejectedError),
        (status(503), BusyError),
        (json_reply({"choices": []}), BusyError),
        (truncated({"choices": []}), BusyError),
        (not_json(), BusyError),
        (hang_up(), BusyError),
        (json_reply({}, delay=30), BusyError),
    ],
)
def test_a_failed_call_is_raised_once_and_hides_the_key(
    server: Server, reply: Reply, kind: type[ServiceError], assert_hidden: Callable[..., None]
) -> None:
    server.then(reply)
    system = make(server.url, timeout=2)
    with pytest.raises(ServiceError) as raised:
        system.translate([Request("1", "One.")])
    assert type(raised.value) is kind
    assert len(server.seen) == 1
    assert_hidden(raised.value, system, system.signature)


def test_a_service_that_repeats_the_headers_leaks_no_key(
    server: Server, assert_hidden: Callable[..., None]
) -> None:
    def echo(seen: Seen) -> Reply:
        return status(400, {"error": {"message": f"headers: {dict(seen.headers)}"}})

    server.then(echo)
    with pytest.raises(RejectedError) as raised:
        make(server.url).translate([Request("1", "One.")])
    assert_hidden(raised.value)


def test_the_signature_names_all_that_changes_an_answer(tmp_path: Path) -> None:
    signature = make().signature
    assert signature.startswith(
        "openai|model:m|endpoint:api.openai.com/v1|source:en|target:de|temperature:0.0|"
    )
    shots = tmp_path / "shots.tsv"
    shots.write_text("One.\tEins.\n", encoding="utf-8")
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("${text}", encoding="utf-8")
    others = [
        make("http://localhost:8080/v1?key=1"),
        make(pair="en-pt"),
        make(pair="en-pt-BR"),
        make(model="n"),
        make(temperature=None),
        make(temperature=1.0),
        make(seed=0),
        make(max_tokens=10),
        make(max_completion_tokens=10),
        make(reasoning_effort="low"),
        make(prompt=str(prompt)),
        make(shots=str(shots)),
        make(clean=False),
    ]
    signatures = [signature, *(other.signature for other in others)]
    assert len(set(signatures)) == len(signatures)
    assert "?key" not in others[0].signature
    assert make(in_flight=1, timeout=5, key="OTHER").signature == signature


def test_a_changed_prompt_file_changes_the_signature(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("${text}", encoding="utf-8")
    before = make(prompt=str(prompt)).signature
    prompt.write_text("Please: ${text}", encoding="utf-8")
    assert make(prompt=str(prompt)).signature != before


def test_limits_are_one_text_per_call() -> None:
    limits = make(in_flight=3, timeout=9).limits
    assert (limits.batch, limits.in_flight, limits.timeout) == (1, 3, 9)
    assert make().limits.in_flight == 8


def test_a_system_can_travel_to_another_process() -> None:
    system = make()
    assert pickle.loads(pickle.dumps(system)) == system


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"model": ""}, UsageError, "which model"),
        ({"url": "localhost:1"}, UsageError, "is no address"),
        ({"key": "sk-something"}, UsageError, "key names a variable"),
        ({"prompt": "nowhere.txt"}, InputError, "nowhere.txt: cannot be read"),
        ({"shots": "nowhere.tsv"}, InputError, "nowhere.tsv: cannot be read"),
        ({"in_flight": 0}, UsageError, "must be more than 0"),
        ({"timeout": 0.0}, UsageError, "must be more than 0"),
    ],
)
def test_a_mistake_is_told_before_any_call(
    options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        make(**options)


@pytest.mark.parametrize(
    ("model", "given", "sent"),
    [
        ("gpt-5-mini", 0.0, None),
        ("o3", 0.0, None),
        ("o4-mini", 0.0, None),
        ("gpt-5-mini", 1.0, 1.0),
        ("gpt-4o", 0.0, 0.0),
        ("gpt-50b-chat", 0.0, 0.0),
        ("olmo", 0.0, 0.0),
    ],
)
def test_reasoning_models_get_no_default_temperature(model: str, given: float, sent: float | None) -> None:
    system = OpenAI(name="m", pair=parse_pair("en-de"), model=model, temperature=given)
    assert system.temperature == sent
