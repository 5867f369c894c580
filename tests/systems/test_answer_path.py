"""Where translations are in an answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.systems.http_server import look_up, parse_path

ANSWER = {"data": {"texts": ["eins", "zwei"], "items": [{"t": "a"}, {"t": "b"}]}, "0": "zero"}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("data.texts", ["eins", "zwei"]),
        ("$.data.texts", ["eins", "zwei"]),
        ("data.texts[1]", "zwei"),
        ("data.texts[*]", ["eins", "zwei"]),
        ("data.items[*].t", ["a", "b"]),
        ("$", ANSWER),
        ("0", "zero"),
    ],
)
def test_a_path_leads_to_a_place(path: str, found: Any) -> None:
    steps = parse_path(path)
    assert steps is not None
    assert look_up(ANSWER, steps) == found


def test_a_path_may_begin_with_a_list() -> None:
    steps = parse_path("[*].translations[0].text")
    assert steps is not None
    assert look_up([{"translations": [{"text": "eins"}]}], steps) == ["eins"]


@pytest.mark.parametrize(
    "path", ["", ".a", "a.", "a..b", "$a", "a[b]", "a[", "a]", "a[*]b", "a[*].b[*]", "a b", "a[-1]", "*"]
)
def test_what_is_no_path(path: str) -> None:
    assert parse_path(path) is None


@pytest.mark.parametrize(
    "path", ["nothing", "data[0]", "data.texts.a", "data.texts[2]", "data[*]", "data.items[*].u"]
)
def test_a_place_that_is_not_there(path: str) -> None:
    steps = parse_path(path)
    assert steps is not None
    with pytest.raises(KeyError):
        look_up(ANSWER, steps)


@given(st.text(alphabet="ab.[]*$01 "))
def test_any_text_is_a_path_or_is_not(text: str) -> None:
    steps = parse_path(text)
    assert steps is None or all(isinstance(step, str | int) for step in steps)
