"""Documents for language models: what comes before, and several segments in one request."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.app.library import score
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, Output, Request, Segment
from mtassay.methods.choice import offers
from mtassay.methods.engine import EngineContext, execute
from mtassay.methods.invariance.invariance_answers import variant_of
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.systems.chat_translator import OpenAI
from mtassay.systems.live import ask_documents
from tests.systems.scripted import Script, Scripted
from tests.systems.server import Seen, Server

SOURCE = ["A dog came.", "It slept.", "It left.", "Another text.", "The end."]
DOCUMENTS = ["one", "one", "one", "two", "two"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scored(tmp_path: Path, server: Server, **options: object) -> dict[str, str | None]:
    (tmp_path / "documents.txt").write_text("\n".join(DOCUMENTS) + "\n", "utf-8")
    system = OpenAI(
        name="llm",
        pair=parse_pair("en-de"),
        model="m",
        url=f"{server.url}/v1",
        **options,  # type: ignore[arg-type]
    )
    run = score(
        {"llm": system},
        [[text.upper() for text in SOURCE]],
        SOURCE,
        langpair="en-de",
        documents=tmp_path / "documents.txt",
        metrics="chrf",
        samples=100,
        checks="none",
    )
    return {output.id: output.text for output in run.outputs["llm"]}


def messages(seen: Seen) -> str:
    return "\n".join(message["content"] for message in seen.body["messages"])


def test_the_context_holds_sentences_before_with_their_translations(tmp_path: Path) -> None:
    with Server(Scripted({"m": Script()})) as server:
        outputs = scored(tmp_path, server, before=1)
    assert list(outputs.values()) == [text.upper() for text in SOURCE]
    by_text = {seen.body["messages"][-1]["content"]: messages(seen) for seen in server.seen}
    assert "→" not in by_text["A dog came."] + by_text["Another text."]
    assert "It slept. → IT SLEPT." in by_text["It left."]
    assert "A dog came." not in by_text["It left."]
    assert "Another text. → ANOTHER TEXT." in by_text["The end."]


def test_a_document_goes_into_one_request(tmp_path: Path) -> None:
    with Server(Scripted({"m": Script()})) as server:
        outputs = scored(tmp_path, server, together=10)
    assert list(outputs.values()) == [text.upper() for text in SOURCE]
    sent = {seen.body["messages"][-1]["content"] for seen in server.seen}
    assert sent == {"[1] A dog came.\n[2] It slept.\n[3] It left.", "[1] Another text.\n[2] The end."}


class Numbers:
    """Answers requests with several texts as it is told, and a single text in capitals."""

    def __init__(self, reply: str, error: str | None = None) -> None:
        self.reply, self.error, self.alone = reply, error, list[str]()

    def __call__(self, requests: Sequence[Request]) -> list[Output]:
        return [self.answer(request) for request in requests]

    def answer(self, request: Request) -> Output:
        text = str(request.text)
        usage = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}}
        if "\n[2] " not in text:
            self.alone.append(text)
            return Output(request.id, text.upper(), meta=usage)
        if self.error:
            return Output(request.id, None, self.error, {**usage, "raw": self.reply})
        return Output(request.id, self.reply, meta=usage)


def together(texts: Sequence[str], model: Numbers) -> list[Output]:
    system = OpenAI(name="m", pair=parse_pair("en-de"), model="m", url="http://localhost:1/v1", together=9)
    requests = [Request(str(i), text) for i, text in enumerate(texts)]
    return ask_documents(system, requests, {request.id: "d" for request in requests}, model)


@pytest.mark.parametrize(
    ("reply", "alone"),
    [
        ("[1] ONE\n[2] TWO\n[3] THREE", ""),
        ("**[1]** ONE\n\n**[2]** TWO\n\n\\[3\\] THREE", ""),
        ("[1] ONE\n[3] THREE", "one two"),  # 1 may hold 2
        ("[1] [2] ONE TWO\n[3] THREE", "one two"),
        ("[1-2] ONE TWO\n[3] THREE", "one two"),
        ("[1] ONE [2] TWO [3] THREE", "one two three"),
        ("[1] ONE\n[1] TWO\n[2] TWO\n[3] THREE", "one"),
        ("[1] ONE\n[2]\n[3] THREE", "two"),
        ("ONE\nTWO\nTHREE", "one two three"),
    ],
)
def test_what_is_not_clearly_in_an_answer_is_asked_alone(reply: str, alone: str) -> None:
    model = Numbers(reply)
    outputs = together(["one", "two", "three"], model)
    assert [(o.id, o.text) for o in outputs] == [("0", "ONE"), ("1", "TWO"), ("2", "THREE")]
    assert model.alone == alone.split()
    # Every token is counted once, and what was asked with others has cost nothing more.
    assert sum(o.meta["usage"].get("prompt_tokens", 0) for o in outputs) == 10 * (1 + len(model.alone))


def test_a_request_that_was_refused_or_cut_off_is_asked_text_by_text() -> None:
    model = Numbers("[1] ONE\n[2] TW", "cut off at the limit of tokens: raise max_tokens")
    assert [output.text for output in together(["one", "two", "three"], model)] == ["ONE", "TWO", "THREE"]


def test_texts_keep_their_lines_and_the_numbers_that_are_theirs() -> None:
    texts = ["1. A list:\n- one\n- two", "see [12]", "[7] Smith"]
    model = Numbers("[1] 1. EINE LISTE:\n- EINS\n- ZWEI\n[2] siehe [12]\n[3] [7] Smith")
    outputs = together(texts, model)
    assert [o.text for o in outputs] == ["1. EINE LISTE:\n- EINS\n- ZWEI", "siehe [12]", "[7] Smith"]


def test_a_note_says_what_was_asked_alone_and_the_price_is_what_was_paid(tmp_path: Path) -> None:
    (tmp_path / "documents.txt").write_text("one\n" * len(SOURCE), "utf-8")
    script = Script(translate=lambda text: text.upper().replace("[2] ", ""), tokens=(100, 50))
    with Server(Scripted({"m": script})) as server:
        system = OpenAI(name="llm", pair=parse_pair("en-de"), model="m", url=f"{server.url}/v1", together=10)
        run = score(
            {"llm": system},
            [SOURCE],
            SOURCE,
            langpair="en-de",
            documents=tmp_path / "documents.txt",
            metrics="chrf",
            about={"llm": {"price": (1.0, 4.0)}},
        )
        calls = len(server.seen)
    assert calls == 3  # all together, then 1, which may hold 2, and 2
    assert any("2 of 5 texts could not be read" in note for note in run.result.notes)
    (offer,) = offers(run.record, None)
    assert offer.price == pytest.approx(calls * (100 + 4 * 50) / sum(map(len, SOURCE)))


def test_variants_are_compared_with_an_original_that_was_asked_as_they_are() -> None:
    original = Segment("1", "the small dog sleeps", document="d")
    segments = [Segment("0", "a text before", document="d"), original]
    segments.append(variant_of(original, Edit(4, 9, "small", "young", "ADJ"), 1))
    method = InvarianceMethod("en-de", structure="tokens", threshold=3, checks=())
    with Server(Scripted({"m": Script()})) as server:
        system = OpenAI(name="m", pair=parse_pair("en-de"), model="m", url=f"{server.url}/v1", before=1)
        execute(method, segments, [system])
    assert not any("→" in messages(seen) for seen in server.seen)


def test_a_dry_run_counts_what_the_model_reads_with_prompt_and_context() -> None:
    system = OpenAI(name="m", pair=parse_pair("en-de"), model="m", url="http://localhost:1/v1", before=1)
    requests = [Request(str(i), text) for i, text in enumerate(("one", "three"))]
    context = EngineContext(dry=True)
    ask_documents(system, requests, {"0": "d", "1": "d"}, lambda asked: context.ask(system, asked))
    with Server(Scripted({"m": Script()})) as server:
        system = dataclasses.replace(system, url=f"{server.url}/v1")
        ask_documents(system, requests, {"0": "d", "1": "d"}, system.translate)
        sent = sum(len(message["content"]) for seen in server.seen for message in seen.body["messages"])
    assert context.plans["m"].read == sent
    assert context.plans["m"].characters == len("onethree")
