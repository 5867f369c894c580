"""A server for every test that asks for one, and keys that must never show."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from urllib.parse import quote, quote_plus

import pytest

from tests.systems.server import Server

KEY = "sk-Te5t+key/that=must&never show"
"""Has characters that JSON, URLs and whitespace clean-up treat in their own ways."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on loopback that answers as the test says."""
    with Server() as running:
        yield running


@pytest.fixture
def assert_hidden(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., None]]:
    """A check that no given object shows the key, and that it was neither logged nor printed."""
    caplog.set_level(logging.DEBUG)

    def check(*things: object, key: str = KEY) -> None:
        captured = capfd.readouterr()
        shown = [captured.out, captured.err, caplog.text]
        for thing in things:
            shown += [str(thing), repr(thing)]
            if isinstance(thing, BaseException):
                shown += [repr(cause) for cause in (thing.__cause__,) if cause]
        forms = {key, quote(key), quote(key, safe=""), quote_plus(key)}
        for text in shown:
            assert not [form for form in forms if form in text]

    yield check
    check()
