"""Heat maps are written and complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.display import PLAIN, Look
from mtassay.data.nouns import Result, Run, Segment
from mtassay.methods.suite.suite_tables import accuracy_figure
from mtassay.report.plots import draw
from tests.report.test_accuracy import made_up

pytest.importorskip("matplotlib")


ITEMS = [("Negation", "Negation"), ("Verbs", "Tense"), ("Nouns", "Tense")]


def run_of(result: Result) -> Run:
    segments = [
        Segment(category, "", tags={"category": category, "phenomenon": phenomenon})
        for category, phenomenon in ITEMS
    ]
    return Run("r", "suite", {}, list(result.counts), "", {}, result, segments=segments)


def drawn(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_a_heat_map_has_every_row_column_and_number(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    draw(accuracy_figure(run_of(made_up("old", "new")), Look(detail=True), title="A suite"), path)
    shown = drawn(path)
    for text in ("A suite", ">old<", ">new<", "Negation  (4)", "· Tense  (36)", "macro-average", ">62.5<"):
        assert text in shown, text
    assert "white is 100" in shown
    assert "1,040 of 2,000" in shown


def test_phenomena_of_the_same_name_keep_their_numbers() -> None:
    figure = accuracy_figure(run_of(made_up("old", "new")), Look(detail=True))
    assert [(figure.places[figure.place(p)], p.y) for p in figure.series[1].points][2:6] == [
        ("Verbs  (36)", 75.0),
        ("· Tense  (36)", 75.0),
        ("Nouns  (0)", None),
        ("· Tense  (0)", None),
    ]
    assert figure.heads == [
        *("Negation  (4)", "Verbs  (36)", "Nouns  (0)"),
        *("micro-average  (1,040)", "macro-average  (1,040)"),
    ]


def test_the_best_ones_are_bold(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    draw(accuracy_figure(run_of(made_up("old", "new")), PLAIN), path)
    bold = [line for line in drawn(path).splitlines() if "font-weight: 700" in line]
    assert any(">91.0<" in line for line in bold)
    assert not any(">72.5<" in line for line in bold)


def test_a_single_system_has_its_intervals_and_no_bold(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    draw(accuracy_figure(run_of(made_up("new")), PLAIN), path)
    assert "90.0 [80–95]" in drawn(path)
    assert "Bold" not in drawn(path)
