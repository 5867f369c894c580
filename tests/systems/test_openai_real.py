"""A real llama.cpp server with a real, very small model (SmolLM2 135M) behind the `openai` system."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from mtassay.data.errors import RejectedError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.nlp.chat_models import ChatClient
from mtassay.systems.chat_translator import OpenAI
from tests.systems.tiny_models import chat_model

pytestmark = pytest.mark.slow

SEGMENTS = ["Good morning.", "The cat is on the table.", "Where is the station?", "Thank you very much."]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the server listens."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="needs the package xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(chat_model())
    parameters.verbosity = -1
    parameters.n_ctx = 2048
    parameters.n_parallel = 2
    # Several threads wait for each other in a loop: on a machine that is busy, minutes for seconds of work.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


def make(address: str, **options: object) -> OpenAI:
    settings = {"model": "smollm2", "url": address, "max_tokens": 80, "seed": 1, **options}
    return OpenAI(name="llm", pair=parse_pair("en-fr"), **settings)  # type: ignore[arg-type]


def test_every_text_gets_a_translation_or_a_reason(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    system = make(address)
    requests = [Request(str(number), text) for number, text in enumerate(SEGMENTS)]
    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(lambda request: system.translate([request])[0], requests))
    assert [output.id for output in outputs] == ["0", "1", "2", "3"]
    for output in outputs:
        assert (output.text is None) != (output.error is None)
        assert output.meta["usage"]["completion_tokens"] > 0
        assert output.meta["model"].endswith(".gguf")
        assert "/" not in output.meta["model"]


def test_a_limit_of_tokens_is_an_error_with_the_raw_text(address: str) -> None:
    (output,) = make(address, max_tokens=2).translate(
        [Request("1", "The weather is fine and we go swimming.")]
    )
    assert output.text is None
    assert output.error is not None
    assert output.error.startswith("cut off")
    assert output.meta["raw"]


def test_a_text_that_is_too_long_is_rejected(address: str) -> None:
    with pytest.raises(RejectedError, match="exceed_context_size_error"):
        make(address).translate([Request("1", "word " * 5000)])


def test_a_schema_is_kept(address: str) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 30}},
        "required": ["city"],
        "additionalProperties": False,
    }
    client = ChatClient(model="smollm2", url=address, max_tokens=60)
    reply = client.complete(
        [{"role": "user", "content": "Name a city, in JSON."}], seed=1, json_schema=schema
    )
    assert list(json.loads(reply.text)) == ["city"]
