"""Plots are written, complete, and the same every time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mtassay.errors import InputError, MissingExtraError, UsageError
from mtassay.report.labels import spread
from mtassay.report.plots import Dot, Line, LinePoint, Panel, check_plot, plot_lines, plot_panels

pytest.importorskip("matplotlib")

LINES = [
    Line("adequacy", [LinePoint(1, 5.0, 4.0, 7.0), LinePoint(2, 6.0, 5.0, 8.0), LinePoint(3, None)]),
    Line("fluency", [LinePoint(1, 9.0), LinePoint(2, 6.1), LinePoint(3, 4.0)]),
]
PANEL = Panel("BLEU", "adequacy", "Pearson 0.94", [Dot("A", 10, 1), Dot("B", 20, 2), Dot("C", 20, 2.01)])


@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("A.PNG", b"\x89PNG")]
)
def test_the_ending_decides_the_format(tmp_path: Path, name: str, start: bytes) -> None:
    plot_lines(tmp_path / name, LINES, x_label="n", y_label="error", title="t", note="n")
    assert (tmp_path / name).read_bytes().startswith(start)
    plot_panels(tmp_path / name, [[PANEL, PANEL], [PANEL]])
    assert (tmp_path / name).read_bytes().startswith(start)


def test_everything_is_named_in_the_plot_itself(tmp_path: Path) -> None:
    plot_lines(tmp_path / "a.svg", LINES, x_label="n-gram length", y_label="prediction error (%)", title="T")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for text in ("adequacy", "fluency", "n-gram length", "prediction error (%)"):
        assert text in drawn
    plot_panels(tmp_path / "b.svg", [[PANEL]])
    drawn = (tmp_path / "b.svg").read_text(encoding="utf-8")
    for text in ("BLEU", "adequacy", "Pearson 0.94", ">A<", ">B<", ">C<"):
        assert text in drawn


def test_the_same_plot_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        plot_panels(tmp_path / name, [[PANEL]])
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_one_point_and_many_nameless_ones_can_be_drawn(tmp_path: Path) -> None:
    alone = Panel("x", "y", "t", [Dot("A", 1, 1)])
    crowd = Panel("x", "y", "t", [Dot("", i % 7, i % 5) for i in range(500)], named=False)
    plot_panels(tmp_path / "a.png", [[alone, crowd, Panel("x", "y", "t", [])]])


def test_other_endings_and_missing_folders_are_refused_beforehand(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"written as \.svg or \.png"):
        check_plot(tmp_path / "a.pdf")
    with pytest.raises(InputError, match="no such folder"):
        check_plot(tmp_path / "none" / "a.svg")


def test_without_matplotlib_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[plot\]'"):
        check_plot(tmp_path / "a.svg")


@pytest.mark.parametrize(
    ("heights", "expected"),
    [([], []), ([3.0], [3.0]), ([2.0, 2.0, 2.0], [1.0, 2.0, 3.0]), ([0.0, 0.9, 1.8], [-0.1, 0.9, 1.9])],
)
def test_names_of_lines_are_moved_apart(heights: list[float], expected: list[float]) -> None:
    assert spread(heights, gap=1.0) == pytest.approx(expected)
