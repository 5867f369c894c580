"""The fake system does what it says, and so can replace an engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request
from mtassay.systems.fake import Fake

PAIR = parse_pair("en-de")
ONE = [Request("1", "a b")]


@pytest.mark.parametrize(("style", "expected"), [("reverse", "b a"), ("upper", "A B"), ("copy", "a b")])
def test_a_style_is_a_predictable_translation(style: str, expected: str) -> None:
    fake = Fake(name="f", pair=PAIR, style=style)  # type: ignore[arg-type]
    assert fake.translate(ONE) == [Output("1", expected)]
    assert f"answers:{style}" in fake.signature


def test_a_function_may_respond() -> None:
    fake = Fake(name="f", pair=PAIR, respond=len_as_text)
    assert [output.text for output in fake.translate([*ONE, Request("2", "")])] == ["3", "0"]
    assert "len_as_text" in fake.signature


def test_a_request_without_text_has_no_translation() -> None:
    assert Fake(name="f", pair=PAIR).translate([Request("1", None)])[0].error == "no source text"


def test_faults_come_at_their_calls() -> None:
    fake = Fake(name="f", pair=PAIR, busy_every=2, fail_every=3, closed_from=5)
    happened = []
    for _ in range(6):
        try:
            fake.translate(ONE)
        except (BusyError, RejectedError, ClosedError) as error:
            happened.append(type(error).__name__)
        else:
            happened.append("fine")
    assert happened == ["fine", "BusyError", "RejectedError", "BusyError", "ClosedError", "ClosedError"]
    assert fake.counts.calls == 6


def test_a_busy_answer_says_when_to_come_back() -> None:
    with pytest.raises(BusyError) as caught:
        Fake(name="f", pair=PAIR, busy_every=1, retry_after=1.5).translate(ONE)
    assert caught.value.retry_after == 1.5


def test_a_lost_output_is_missing() -> None:
    fake = Fake(name="f", pair=PAIR, lose_every=2, batch=2)
    assert [len(fake.translate([*ONE, Request("2", "c")])) for _ in range(4)] == [2, 1, 2, 1]


def test_counts_are_right_with_many_threads() -> None:
    fake = Fake(name="f", pair=PAIR, busy_every=2, delay=0.001)
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: _asks(fake), range(200)))
    assert (fake.counts.calls, fake.counts.texts, outcomes.count(True)) == (200, 200, 100)
    assert 1 <= fake.counts.most_at_once <= 8


def test_limits_are_options() -> None:
    limits = Fake(name="f", pair=PAIR, batch=7, in_flight=2, calls_per_second=3.5).limits
    assert (limits.batch, limits.in_flight, limits.calls_per_second) == (7, 2, 3.5)


def test_faults_do_not_change_the_signature() -> None:
    assert Fake(name="f", pair=PAIR, busy_every=2).signature == Fake(name="g", pair=PAIR).signature


def test_never_is_none_and_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="busy_every is 0"):
        Fake(name="f", pair=PAIR, busy_every=0)


def len_as_text(text: str) -> str:
    return str(len(text))


def _asks(fake: Fake) -> bool:
    try:
        fake.translate(ONE)
    except BusyError:
        return False
    return True
