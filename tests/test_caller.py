"""The caller: what is asked, how often, how fast, and what becomes of failures."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import BusyError, ClosedError, RejectedError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request
from mtassay.runtime.workspace import StoredAnswer, Workspace
from mtassay.systems import client as caller
from mtassay.systems.client import Budget, Tally, translate_all
from mtassay.systems.fake import Fake
from mtassay.systems.live import Limits, LiveSystem

PAIR = parse_pair("en-de")


def requests(*texts: str) -> list[Request]:
    return [Request(f"id{i}", text) for i, text in enumerate(texts)]


def texts(outputs: Sequence[Output]) -> list[str | None]:
    return [output.text for output in outputs]


@dataclass(frozen=True, kw_only=True)
class Scripted(LiveSystem):
    """Does what a function says, and notes every batch."""

    scheme: ClassVar[str] = "scripted"
    subject: ClassVar[str] = ""
    name: str = "scripted"
    behave: Callable[[list[str]], list[str]]
    of_limits: Limits = field(default_factory=Limits)
    asked: list[list[str]] = field(default_factory=list)

    @property
    def signature(self) -> str:
        return "scripted"

    @property
    def limits(self) -> Limits:
        return self.of_limits

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        batch = [request.text or "" for request in requests]
        self.asked.append(batch)
        answers = self.behave(batch)
        return [Output(r.id, text) for r, text in zip(requests, answers, strict=False)]


def scripted(behave: Callable[[list[str]], list[str]], **limits: object) -> Scripted:
    return Scripted(pair=PAIR, behave=behave, of_limits=Limits(**limits))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "FIRST_WAIT", 0.001)


def test_equal_texts_are_asked_once_and_answers_keep_their_ids() -> None:
    fake = Fake(name="f", pair=PAIR, style="upper")
    outputs = translate_all(fake, requests("a", "b", "a", "a"))
    assert [(o.id, o.text) for o in outputs] == [("id0", "A"), ("id1", "B"), ("id2", "A"), ("id3", "A")]
    assert fake.counts.texts == 2


def test_a_request_without_source_is_not_asked() -> None:
    fake = Fake(name="f", pair=PAIR)
    (output,) = translate_all(fake, [Request("1", None)])
    assert output.error == "there is no source text to translate"
    assert fake.counts.calls == 0


def test_an_answer_is_asked_for_once_in_a_lifetime(tmp_path: Path) -> None:
    fake = Fake(name="f", pair=PAIR)
    first = translate_all(fake, requests("one two", "three"), answers=Workspace(tmp_path / "w.db"))
    again = translate_all(fake, requests("three", "one two"), answers=Workspace(tmp_path / "w.db"))
    assert texts(again) == texts(first)[::-1]
    assert fake.counts.texts == 2


def test_another_context_or_signature_is_another_question(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    fake = Fake(name="f", pair=PAIR)
    translate_all(fake, [Request("1", "a"), Request("2", "a", "context")], answers=workspace)
    assert fake.counts.texts == 2
    other = Fake(name="f", pair=PAIR, style="upper")
    translate_all(other, [Request("1", "a")], answers=workspace)
    assert other.counts.texts == 1


def test_batches_keep_within_both_limits() -> None:
    system = scripted(lambda batch: batch, batch=3, batch_characters=10, in_flight=1)
    translate_all(system, requests("aaaa", "bbbb", "cccc", "d", "e", "f", "g" * 50))
    assert system.asked == [["aaaa", "bbbb"], ["cccc", "d", "e"], ["f"], ["g" * 50]]


def test_no_more_calls_at_once_than_allowed() -> None:
    fake = Fake(name="f", pair=PAIR, delay=0.02, in_flight=3)
    translate_all(fake, requests(*map(str, range(30))))
    assert fake.counts.most_at_once == 3


def test_a_busy_service_is_asked_again() -> None:
    fake = Fake(name="f", pair=PAIR, style="copy", busy_every=2)
    assert texts(translate_all(fake, requests(*"abcdef"))) == list("abcdef")


def test_retry_after_holds_back_every_call() -> None:
    times: list[float] = []
    lock = threading.Lock()

    def behave(batch: list[str]) -> list[str]:
        with lock:
            times.append(time.monotonic())
            if len(times) == 1:
                raise BusyError("slow down", retry_after=0.3)
        return batch

    system = scripted(behave, in_flight=1)
    assert texts(translate_all(system, requests("a", "b", "c"))) == ["a", "b", "c"]
    assert min(times[1:]) - times[0] >= 0.3


@pytest.mark.parametrize("asked_for", [86_400, 1e10, 1e300, 253402300799 - 1.7e9])
def test_a_service_that_asks_for_ever_is_left_alone_for_the_time_of_one_call(asked_for: float) -> None:
    def behave(batch: list[str]) -> list[str]:
        raise BusyError("it answered 429", retry_after=asked_for)

    told: list[str] = []
    system = scripted(behave, attempts=3, timeout=0.05)
    (output,) = translate_all(
        system, requests("a"), report=lambda tally: told.append(tally.describe("engine"))
    )
    assert output.error == (
        f"it answered 429 (it asks to wait {asked_for:,.0f} s; the longest wait is 0.05 s)"
        if asked_for < 1e6
        else "it answered 429 (it asks to wait for more than 11 days; the longest wait is 0.05 s)"
    )
    assert "engine · it asks for a pause: 0.05 s" in told
    assert len(system.asked) == 3


@pytest.mark.parametrize("bad", ["\0", "a\0b", "\ud800", "a\udfffb"], ids=ascii)
def test_an_answer_that_no_file_can_hold_is_an_error_of_that_item(bad: str) -> None:
    system = scripted(lambda batch: [bad if text == "b" else text for text in batch], batch=3)
    outputs = translate_all(system, requests("a", "b", "c"))
    assert texts(outputs) == ["a", None, "c"]
    assert outputs[1].error == "the answer holds NUL or half a character, which no file of texts can hold"


def test_a_limit_of_calls_per_second_spreads_them() -> None:
    times: list[float] = []

    def behave(batch: list[str]) -> list[str]:
        times.append(time.monotonic())
        return batch

    translate_all(scripted(behave, in_flight=8, calls_per_second=50), requests(*map(str, range(11))))
    assert max(times) - min(times) >= 10 / 50 * 0.95


def test_a_batch_that_goes_on_failing_is_asked_item_by_item() -> None:
    def behave(batch: list[str]) -> list[str]:
        if "poison" in batch:
            raise BusyError("crashed")
        return [text.upper() for text in batch]

    system = scripted(behave, batch=10, attempts=2, in_flight=1)
    outputs = translate_all(system, requests("a", "poison", "b"))
    assert texts(outputs) == ["A", None, "B"]
    assert outputs[1].error == "crashed"
    assert [len(batch) for batch in system.asked] == [3, 3, 1, 1, 1]


@pytest.mark.parametrize("answers", [[], ["x"], ["x", "y", "z"]], ids=len)
def test_a_wrong_number_of_answers_never_shifts_a_row(answers: list[str]) -> None:
    def behave(batch: list[str]) -> list[str]:
        return [text.upper() for text in batch] if len(batch) == 1 else answers[: len(batch)][:1]

    system = scripted(behave, batch=2, attempts=2)
    assert texts(translate_all(system, requests("a", "b"))) == ["A", "B"]


def test_a_rejected_text_costs_one_error_and_no_second_try() -> None:
    def behave(batch: list[str]) -> list[str]:
        if any(len(text) > 3 for text in batch):
            raise RejectedError("too long")
        return batch

    system = scripted(behave, in_flight=1)
    outputs = translate_all(system, requests("ok", "much too long", "yes"))
    assert [o.error for o in outputs] == [None, "too long", None]
    assert len(system.asked) == 3


def test_a_closed_service_stops_everything_with_what_there_is() -> None:
    fake = Fake(name="f", pair=PAIR, closed_from=3, in_flight=1)
    outputs = translate_all(fake, requests(*"abcdefgh"))
    assert [o.error is None for o in outputs] == [True, True, *[False] * 6]
    assert fake.counts.calls == 3
    assert "closed from call 3" in (outputs[-1].error or "")


def test_a_service_that_is_down_is_given_up() -> None:
    system = scripted(_always_busy, attempts=2, in_flight=1)
    outputs = translate_all(system, requests(*map(str, range(100))))
    assert all(output.text is None for output in outputs)
    assert len(system.asked) <= 2 * caller.GIVE_UP_AFTER
    assert "given up after 5 failures in a row, the last: overload" in (outputs[-1].error or "")


def _always_busy(batch: list[str]) -> list[str]:
    raise BusyError("overload")


@pytest.mark.parametrize(
    ("budget", "answered", "reason"),
    [
        (Budget(calls=3), 3, "the budget of 3 calls is used up"),
        (Budget(calls=0), 0, "the budget of 0 calls is used up"),
        (Budget(characters=7), 3, "the budget of 7 characters is used up"),
    ],
)
def test_a_budget_stops_with_what_there_is(
    tmp_path: Path, budget: Budget, answered: int, reason: str
) -> None:
    workspace = Workspace(tmp_path / "w.db")
    fake = Fake(name="f", pair=PAIR, in_flight=1)
    texts_ = [f"{i:02}" for i in range(10)]
    outputs = translate_all(fake, requests(*texts_), answers=workspace, budget=budget)
    assert sum(output.error is None for output in outputs) == answered
    assert outputs[-1].error == reason
    # With more budget the same command goes on.
    again = translate_all(fake, requests(*texts_), answers=workspace)
    assert all(output.error is None for output in again)
    assert fake.counts.texts == 10


def test_no_call_begins_after_the_deadline() -> None:
    fake = Fake(name="f", pair=PAIR, delay=0.05, in_flight=1)
    outputs = translate_all(fake, requests(*map(str, range(100))), budget=Budget(seconds=0.2))
    assert fake.counts.calls <= 6  # none at all on a machine that is busy for 0.2 s
    assert outputs[-1].error == "the time of 0.2 s is used up"


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    fake = Fake(name="f", pair=PAIR, in_flight=1)

    def interrupt(tally: Tally) -> None:
        if tally.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        translate_all(fake, requests(*map(str, range(50))), answers=workspace, report=interrupt)
    answered = fake.counts.texts
    translate_all(fake, requests(*map(str, range(50))), answers=workspace)
    assert 5 <= answered < 50
    assert fake.counts.texts <= 50 + 1  # at most the one call that was under way is made again


def test_a_bug_in_an_adapter_keeps_its_traceback() -> None:
    def behave(batch: list[str]) -> list[str]:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        translate_all(scripted(behave), requests("a", "b"))


def test_progress_counts_done_cached_and_failed(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "w.db")
    fake = Fake(name="f", pair=PAIR, in_flight=1, fail_every=3)
    seen: list[tuple[int, int, int]] = []
    translate_all(fake, requests("a"), answers=workspace)
    translate_all(
        fake,
        requests("a", "b", "c", "a"),
        answers=workspace,
        report=lambda tally: seen.append((tally.done, tally.cached, tally.failed)),
    )
    assert seen[0] == (2, 2, 0)
    assert seen[-1] == (4, 2, 1)


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=12),
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(st.sampled_from(["ok", "busy", "short", "rejected", "closed"]), max_size=20),
)
def test_no_output_is_ever_another_texts(
    words: list[str], batch: int, in_flight: int, faults: list[str]
) -> None:
    script = itertools.chain(faults, itertools.repeat("ok"))
    lock = threading.Lock()

    def behave(texts: list[str]) -> list[str]:
        with lock:
            fault = next(script)
        if fault == "busy":
            raise BusyError("busy")
        if fault == "rejected":
            raise RejectedError("rejected")
        if fault == "closed":
            raise ClosedError("closed")
        return [f"<{text}>" for text in texts][: -1 if fault == "short" else None]

    outputs = translate_all(scripted(behave, batch=batch, in_flight=in_flight), requests(*words))
    assert [output.id for output in outputs] == [f"id{i}" for i in range(len(words))]
    for word, output in zip(words, outputs, strict=True):
        assert output.text == f"<{word}>" or (output.text is None and output.error)


def test_answers_may_be_kept_anywhere() -> None:
    class Shelf:
        def __init__(self) -> None:
            self.kept: dict[str, StoredAnswer] = {}

        newest_answer = 0

        def find_answers(self, keys: Sequence[str], *, since: int = 0) -> Mapping[str, StoredAnswer]:
            return {key: self.kept[key] for key in keys if key in self.kept}

        def keep_answers(
            self,
            signature: str,
            answers: Mapping[str, Output],
            *,
            requests: Mapping[str, Request],
            program: str = "",
        ) -> None:
            self.kept |= {key: StoredAnswer(output, "2026", program) for key, output in answers.items()}

        def claim(self, keys: Sequence[str]) -> set[str]:
            return set(keys)

        def release(self, keys: Iterable[str]) -> None:
            pass

    shelf = Shelf()
    translate_all(Fake(name="f", pair=PAIR), requests("a"), answers=shelf)
    assert len(shelf.kept) == 1


def test_ctrl_c_while_an_answer_is_stored_does_not_lose_it(tmp_path: Path) -> None:
    class Interrupted(Workspace):
        times = 0

        def keep_answers(self, signature: str, answers: Mapping[str, Output], **how: Any) -> None:
            self.times += 1
            if self.times == 3:
                raise KeyboardInterrupt
            super().keep_answers(signature, answers, **how)

    fake = Fake(name="f", pair=PAIR, in_flight=1)
    with pytest.raises(KeyboardInterrupt):
        translate_all(fake, requests("a", "b", "c"), answers=Interrupted(tmp_path / "w.db"))
    again = Fake(name="f", pair=PAIR, in_flight=1)
    translate_all(again, requests("a", "b", "c"), answers=Workspace(tmp_path / "w.db"))
    assert again.counts.texts == 0
