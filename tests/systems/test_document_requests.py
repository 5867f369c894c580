"""Documents for language models: what comes before, and several segments in one request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.app.library import score
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request
from mtassay.systems.chat_translator import OpenAI
from mtassay.systems.live import ask_documents, read_numbered
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


def test_what_is_missing_in_an_answer_is_asked_alone() -> None:
    asked: list[str] = []

    class Model(OpenAI):
        pass

    def ask(requests: Sequence[Request]) -> list[Output]:
        asked.extend(str(request.text) for request in requests)
        return [
            Output(r.id, "[1] EINS\n[3] DREI" if str(r.text).startswith("[") else str(r.text).upper())
            for r in requests
        ]

    system = Model(name="m", pair=parse_pair("en-de"), model="m", url="http://localhost:1/v1", together=3)
    requests = [Request(str(i), text) for i, text in enumerate(["one", "two", "three"])]
    outputs = ask_documents(system, requests, dict.fromkeys("012", "d"), ask)
    assert [(o.id, o.text) for o in outputs] == [("0", "EINS"), ("1", "TWO"), ("2", "DREI")]
    assert asked == ["[1] one\n[2] two\n[3] three", "two"]


def test_a_number_that_stands_twice_is_no_answer() -> None:
    assert read_numbered("[1] a\n[1] b\n[2] c\nd", 2) == [None, "c\nd"]
