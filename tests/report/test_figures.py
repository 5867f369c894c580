"""Plots are written, complete, and the same every time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mtassay.data.display import Figure, Point, Series
from mtassay.data.errors import InputError, MissingExtraError, UsageError
from mtassay.report.plots import check_plot, draw, figure_html

pytest.importorskip("matplotlib")

LINES = Figure(
    "lines",
    [
        Series("adequacy", [Point(1, 5.0, 4.0, 7.0, strong=True), Point(2, 6.0, 5.0, 8.0), Point(3, None)]),
        Series("fluency", [Point(1, 9.0), Point(2, 6.1), Point(3, 4.0)]),
    ],
    title="T",
    x_label="n-gram length",
    y_label="prediction error (%)",
    note="n",
)


def scatter(*points: Point) -> Figure:
    return Figure("scatter", [Series("", points)], "Pearson 0.94", x_label="BLEU", y_label="adequacy")


PANEL = scatter(Point(10, 1, label="A"), Point(20, 2, label="B"), Point(20, 2.01, label="C"))


@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("A.PNG", b"\x89PNG")]
)
def test_the_ending_decides_the_format(tmp_path: Path, name: str, start: bytes) -> None:
    draw(LINES, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
    draw(Figure("panels", panels=[PANEL, PANEL, PANEL], columns=2), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_everything_is_named_in_the_plot_itself(tmp_path: Path) -> None:
    draw(LINES, tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for text in ("adequacy", "fluency", "n-gram length", "prediction error (%)"):
        assert text in drawn
    draw(Figure("panels", panels=[PANEL]), tmp_path / "b.svg")
    drawn = (tmp_path / "b.svg").read_text(encoding="utf-8")
    for text in ("BLEU", "adequacy", "Pearson 0.94", ">A<", ">B<", ">C<"):
        assert text in drawn


def test_the_same_plot_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        draw(PANEL, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_one_point_and_many_nameless_ones_can_be_drawn(tmp_path: Path) -> None:
    alone = scatter(Point(1, 1, label="A"))
    crowd = scatter(*(Point(i % 7, i % 5) for i in range(500)))
    draw(Figure("panels", panels=[alone, None, crowd, scatter()], columns=2), tmp_path / "a.png")


def test_figures_stand_one_below_the_other(tmp_path: Path) -> None:
    draw(
        [LINES, Figure("dots", [Series("BLEU", [Point("nmt", 31.2, 30.1, 32.4)])], "Scores")],
        tmp_path / "a.svg",
    )
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for text in (">T<", ">Scores<", ">fluency<", ">nmt<"):
        assert text in drawn


def test_series_of_one_name_look_the_same_and_are_named_once(tmp_path: Path) -> None:
    dot = [Series("use", [Point(2, 1.0, strong=True)]), Series("length", [Point(1, 2.0, strong=True)])]
    draw(Figure("steps", [Series("use", [Point(1, 1.0), Point(3, 2.0)]), *dot]), tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawn.count(">use<") == drawn.count(">length<") == 1


def test_rows_of_the_same_name_are_told_apart_by_their_number(tmp_path: Path) -> None:
    for kind in ("heat", "dots", "bars"):
        twice = Figure(kind, [Series("a", [Point(0, 10.0), Point(1, 90.0)])], rows=["tense", "tense"])
        draw(twice, tmp_path / f"{kind}.svg")
        assert (tmp_path / f"{kind}.svg").read_text(encoding="utf-8").count(">tense<") == 2
    assert all(f">{n}<" in (tmp_path / "heat.svg").read_text(encoding="utf-8") for n in ("10.0", "90.0"))


def test_names_are_no_formulas_and_nothing_can_be_drawn_too(tmp_path: Path) -> None:
    draw([Figure("dots", [Series("$a^$", [Point("$\\x", 1.0)])]), Figure("panels")], tmp_path / "a.svg")
    assert ">$a^$<" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_maps_side_by_side_have_the_same_shades(tmp_path: Path) -> None:
    maps = [Figure("heat", [Series("a", [Point("r", value)])], f"map {value:g}") for value in (10.0, 90.0)]
    draw(Figure("panels", panels=maps, columns=2), tmp_path / "a.svg")
    assert "white is 90, the darkest 10." in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_a_figure_can_stand_in_a_page() -> None:
    written = figure_html(LINES)
    assert written.startswith("<svg")
    assert written.rstrip().endswith("</svg>")
    assert ">adequacy<" in written


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
