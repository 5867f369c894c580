"""A run of any method draws itself into one file, and shows its figures in a notebook."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mtassay.app import library, runs
from mtassay.data import nouns
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Result
from tests.report.test_accuracy import made_up
from tests.report.test_behavior import RESULT
from tests.report.test_suite_plots import run_of

pytest.importorskip("matplotlib")


def scored() -> runs.Run:
    outputs = {"a": ["Olá, mundo!", "Bom dia."], "b": ["Oi!", "Boa noite."]}
    return library.score(outputs, [["Olá, mundo!", "Bom dia."]], metrics="chrf,bleu", samples=100, quiet=True)


def drawn(run: runs.Run, path: Path, **view: bool) -> str:
    run.plot(path, **view)
    return path.read_text(encoding="utf-8")


def test_every_metric_has_its_figure_below_the_one_before(tmp_path: Path) -> None:
    shown = drawn(scored(), tmp_path / "a.svg")
    for text in (">chrF2<", ">BLEU<", ">a<", ">b<", "95 % bootstrap intervals, n = 2."):
        assert text in shown, text
    assert shown.count(">a<") == 2


def test_a_suite_draws_its_categories_or_its_phenomena(tmp_path: Path) -> None:
    run = runs.Run(run_of(made_up("old", "new")))
    shown = drawn(run, tmp_path / "a.svg")
    for text in (">old<", ">new<", "Negation  (4)", "macro-average  (1,040)", "The darker, the lower"):
        assert text in shown, text
    assert "· Tense" not in shown
    assert "· Tense  (36)" in drawn(run, tmp_path / "b.svg", detail=True)


def test_a_behavioural_run_draws_its_pass_rates(tmp_path: Path) -> None:
    run = runs.Run(nouns.Run("r", "behavior", {"pair": "en-pt"}, ["nmt", "mt2"], "", {}, RESULT))
    shown = drawn(run, tmp_path / "a.svg")
    for text in ("en-pt", "adjective  (2)", "all  (8)", ">nmt<", ">mt2<", "pass rate (%)"):
        assert text in shown, text


def test_a_run_without_figures_and_a_bad_ending_are_refused(tmp_path: Path) -> None:
    run = runs.Run(nouns.Run("r", "stranger", {}, ["nmt"], "", {}, Result()))
    with pytest.raises(UsageError, match="nothing to draw of a run of stranger"):
        run.plot(tmp_path / "a.svg")
    with pytest.raises(UsageError, match=r"written as \.svg or \.png"):
        run.plot(tmp_path / "a.pdf")


def test_a_notebook_shows_figures_where_they_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    run = scored()
    assert run._repr_html_().count("<svg") == 2
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "<svg" not in run._repr_html_()
    assert "<table>" in run._repr_html_()
