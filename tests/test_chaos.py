"""A short run of chaos; `python -m tests.chaos` is the long one."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("signals and limits of POSIX", allow_module_level=True)

from tests.chaos import chaos


def test_a_round_of_chaos_finds_nothing() -> None:
    tally = chaos(0, 7, texts=40)
    assert tally.answered
    assert not tally.findings, "\n".join(tally.lines())
