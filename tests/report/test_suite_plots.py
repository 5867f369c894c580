"""Heat maps and lines over years are written, complete, and the same every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.core import Result, Run, Score, Segment
from mtassay.display import PLAIN, View
from mtassay.methods.suite.tables import accuracy_figure
from mtassay.methods.suite.year_tables import course_figure
from mtassay.report.figures import draw
from tests.report.test_accuracy import made_up
from tests.report.test_development import CHANGES, COURSES, Course

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
    draw(accuracy_figure(run_of(made_up("old", "new")), View(detail=True), title="A suite"), path)
    shown = drawn(path)
    for text in ("A suite", ">old<", ">new<", "Negation  (4)", "· Tense  (36)", "macro-average", ">62.5<"):
        assert text in shown, text
    assert "white is 100" in shown
    assert "1,040 of 2,000" in shown


def test_phenomena_of_the_same_name_keep_their_numbers() -> None:
    figure = accuracy_figure(run_of(made_up("old", "new")), View(detail=True))
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


@pytest.mark.parametrize("count", [1, 5, 20])
def test_every_line_is_named(tmp_path: Path, count: int) -> None:
    courses = [
        Course(
            f"system-{i}", 9, [Score("a", "", "1", 70.0 + i / 9, 9), Score("a", "", "3", None, 0)], CHANGES[0]
        )
        for i in range(count)
    ]
    draw(course_figure(courses, ["1", "2", "3"], note="So many items."), tmp_path / "a.svg")
    shown = drawn(tmp_path / "a.svg")
    assert all(f">system-{i}<" in shown for i in range(count))
    assert "So many items." in shown
    assert ("Bars: 95 % intervals" in shown) == (count <= 6)


def test_the_same_plot_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png"):
        draw(course_figure(COURSES, ["21", "22", "23"]), tmp_path / name)
    assert drawn(tmp_path / "a.svg") == drawn(tmp_path / "b.svg")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
