"""Pass rates and thresholds are drawn with every number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mtassay.data.nouns import Result, Score
from mtassay.methods.behavior.behavior_tables import rate_figure, sweep_figure
from mtassay.methods.behavior.pass_rates import sweep
from mtassay.report.plots import draw
from tests.report.test_behavior import FINDINGS, RESULT, finding

pytest.importorskip("matplotlib")


def test_pass_rates_have_every_capability_and_system(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    draw(rate_figure(RESULT, title="Rates"), path)
    shown = path.read_text(encoding="utf-8")
    for text in ("Rates", "adjective  (2)", "noun  (6)", "all  (8)", ">nmt<", ">mt2<"):
        assert text in shown, text


def test_every_system_has_its_heat_map(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    scores = sweep([f for f in FINDINGS if f.verdict != "skipped"], [0.5, 0.85], [0.1, 0.3])
    draw(sweep_figure(scores, chosen="alpha=0.85|beta=0.3", title="Sweep"), path)
    shown = path.read_text(encoding="utf-8")
    for text in ("Sweep", ">nmt<", ">mt2<", ">66.7<", ">100.0<", "Framed", "the darkest 30"):
        assert text in shown, text


def test_plots_are_the_same_every_time(tmp_path: Path) -> None:
    scores = sweep([finding("1"), finding("2", "b")], [0.5], [0.1])
    for name in ("a.svg", "b.svg"):
        draw(sweep_figure(scores), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_what_has_no_rate_is_a_dash(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    draw(sweep_figure([Score("pass rate", "nmt", "alpha=0.5|beta=0.1", None, 0)]), path)
    assert ">–<" in path.read_text(encoding="utf-8")


def test_a_note_stays_within_a_narrow_plot_and_speaks_of_a_frame_only_where_there_is_one(
    tmp_path: Path,
) -> None:
    scores = sweep([finding("1")], [0.5], [0.1])
    shown = {}
    for chosen in ("alpha=0.5|beta=0.1", "alpha=0.7|beta=0.1"):
        draw(sweep_figure(scores, chosen=chosen), tmp_path / "a.svg")
        shown[chosen] = (tmp_path / "a.svg").read_text(encoding="utf-8")
    framed, unframed = shown.values()
    assert "Framed" in framed
    assert "of the run.<" in framed
    assert "Framed" not in unframed
    lines = [text for text in re.findall(">([^<>]+)</", framed) if "lower" in text or "Framed" in text]
    assert len(lines) == 2, "a plot of 4.6 inches has no room for all of it in one line"


def test_an_interval_that_misses_its_value_by_a_rounding_error_is_drawn(tmp_path: Path) -> None:
    scores = [
        Score("pass rate", "nmt", "noun", 0.0, 47, 6.9e-14, 7.6),
        Score("pass rate", "nmt", "all", 100.0, 47, 92.4, 99.99999999999999),
    ]
    draw(rate_figure(Result(scores)), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").exists()
