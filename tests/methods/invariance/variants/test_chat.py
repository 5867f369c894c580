"""A chat model as the source of substitutes: what it is asked, what is taken, what the annotator refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment
from mtassay.methods.engine import EngineContext
from mtassay.methods.invariance.invariance_answers import edit_of
from mtassay.methods.invariance.substitutes import Candidate, Substituter, WordPlace, open_substituter
from mtassay.methods.invariance.variants import VariantSettings, generate
from mtassay.runtime.workspace import Workspace
from mtassay.systems import client as caller
from tests.fake_annotator import FakeAnnotator
from tests.systems.server import Reply, Seen, Server, hang_up, json_reply, not_json

ANNOTATOR = FakeAnnotator("en", pos={"the": "DET", "sees": "VERB", "runs": "VERB", "a": "DET"})
TEXT = "The Dog sees the cat ."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(caller, "FIRST_WAIT", 0.001)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Server() as running:
        yield running


def says(content: str) -> Reply:
    return json_reply({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]})


def words(*listed: str) -> Reply:
    return says(json.dumps({"words": listed}))


def masked_in(seen: Seen) -> str:
    """The word that a request asks to replace."""
    found = re.search(r"\[\[(\w+)\]\]", seen.body["messages"][0]["content"])
    assert found is not None
    return found.group(1)


def opened(server: Server) -> Substituter:
    return open_substituter(f"llm:openai:m?url={server.url}/v1", "en")


def place(token: int) -> WordPlace:
    [sentence] = ANNOTATOR.annotate([TEXT])
    return WordPlace(sentence, token)


def test_each_place_is_asked_about_and_gets_its_own_words(server: Server) -> None:
    given = {"Dog": words("hen", "Dog", "guinea pig", "hen", "cow", "owl"), "cat": words("mouse")}
    server.always = lambda seen: given[masked_in(seen)]
    dog, cat = opened(server).substitutes([place(1), place(4)], count=2)
    assert dog == [Candidate("Hen", 0.0), Candidate("Cow", -1.0)]  # one word each, none twice, not itself
    assert cat == [Candidate("mouse", 0.0)]
    body = next(seen.body for seen in server.seen if masked_in(seen) == "Dog")
    assert "Give 2 other English words" in body["messages"][0]["content"]
    assert body["messages"][0]["content"].endswith("\n\nThe [[Dog]] sees the cat .")
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["words"]
    assert body["temperature"] == 0


@pytest.mark.parametrize(
    "reply",
    [
        says("mouse, rat and others"),
        says('{"words": "mouse"}'),
        says('{"words": ["mouse", 3]}'),
        says('{"words": []}'),
        words("cat", "CAT"),
        words("two words", "x1"),
        says('{"words": ["mou'),
        says('["mouse"]'),
        says('The sentence says {"words": ["mouse"]}. I refuse.'),
        says('{"words": ["mouse"]} {"words": ["rat"]}'),
        says("I cannot do that."),
        says(""),
        not_json(),
        hang_up(),
    ],
)
def test_a_place_without_a_usable_reply_has_no_words_and_is_told(server: Server, reply: Reply) -> None:
    server.always = lambda seen: reply if masked_in(seen) == "cat" else words("hen")
    context = EngineContext(None, lambda step, done, total: None)
    found = opened(server).lent(context).substitutes([place(4), place(1), place(4)], count=3)
    assert found == [[], [Candidate("Hen", 0.0)], []]
    assert "no words for 2 of 3 places" in context.notes[0]


def test_the_model_is_told_what_was_wrong(server: Server) -> None:
    server.then(words("cat"), words("mouse"))
    assert opened(server).substitutes([place(4)], count=3) == [[Candidate("mouse", 0.0)]]
    assert "there is no other single word in it" in server.seen[1].body["messages"][2]["content"]


def test_the_annotator_checks_what_the_model_says(server: Server, tmp_path: Path) -> None:
    """`runs` is a verb, `dog` is there already: neither becomes a variant."""
    server.always = words("runs", "dog", "hen")
    segments = [Segment("1", "The dog sees a cat .")]
    for _ in range(2):
        context = EngineContext(Workspace(tmp_path / "workspace.db"), lambda step, done, total: None)
        made = generate(segments, ANNOTATOR, opened(server).lent(context), VariantSettings())
        assert [(edit_of(s.tags).before, edit_of(s.tags).after) for s in made[1:]] == [
            ("dog", "hen"),
            ("cat", "hen"),
        ]
    assert len(server.seen) == 2  # one for a place, and none for the second run


def test_what_is_no_chat_model_is_told_at_once() -> None:
    with pytest.raises(UsageError, match="is no chat model"):
        open_substituter("llm:deepl:", "en")
    with pytest.raises(UsageError, match="No system 'nobody'"):
        open_substituter("llm:nobody:m", "en")
