"""Pass rates are drawn with every number."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.nouns import Result, Score
from mtassay.methods.behavior.behavior_tables import rate_figure
from mtassay.report.plots import draw
from tests.report.test_behavior import RESULT

pytest.importorskip("matplotlib")


def test_pass_rates_have_every_capability_and_system(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    draw(rate_figure(RESULT, title="Rates"), path)
    shown = path.read_text(encoding="utf-8")
    for text in ("Rates", "adjective  (2)", "noun  (6)", "all  (8)", ">nmt<", ">mt2<"):
        assert text in shown, text


def test_an_interval_that_misses_its_value_by_a_rounding_error_is_drawn(tmp_path: Path) -> None:
    scores = [
        Score("pass rate", "nmt", "noun", 0.0, 47, 6.9e-14, 7.6),
        Score("pass rate", "nmt", "all", 100.0, 47, 92.4, 99.99999999999999),
    ]
    draw(rate_figure(Result(scores)), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").exists()
