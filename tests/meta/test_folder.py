"""The material of an analysis from a folder of mt-metrics-eval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.meta.rated_material import RatedMaterial, material_from_folder

FILES = {
    "sources/en-de.txt": "one\ntwo\n",
    "references/en-de.refA.txt": "eins\nzwei\n",
    "references/en-de.refB.txt": "eine\nzwo\n",
    "documents/en-de.docs": "news\td1\nnews\td1\n",
    "system-outputs/en-de/X.txt": "eins\nzwei\n",
    "system-outputs/en-de/Y.txt": "ein\nzweite\n",
    "system-outputs/en-de/refA.txt": "eins\nzwei\n",
    "system-outputs/en-de/refB.txt": "eine\nzwo\n",
    "human-scores/en-de.mqm.sys.score": "X\t-1\nY\t-3\nrefA\t0\nrefB\t-0.5\n",
    "human-scores/en-de.mqm.seg.score": "X\t-2\nX\tNone\nY\t-3\nY\tNone\nrefB\t-1\nrefB\t0\n",
    "human-scores/en-de.esa.sys.score": "X\t90\nGone\t50\n",
    "human-scores/en-de.mqm.merged.seg.rating": 'X\t{"errors": []}\nX\tNone\n',
    "metric-scores/en-de/COMET-refA.sys.score": "X\t0.9\nY\t0.8\nrefB\t0.7\n",
    "metric-scores/en-de/COMET-refB.sys.score": "X\t0.9\nY\t0.85\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "wmt"


def take(folder: Path, **options: Any) -> RatedMaterial:
    return material_from_folder(folder, parse_pair("en-de"), **options)


def test_references_are_no_systems_unless_one_asks(folder: Path) -> None:
    assert take(folder).systems == ["X", "Y"]
    assert take(folder, with_humans=True).systems == ["X", "Y", "refB"]
    assert take(folder, with_humans=True, references=["refB"]).systems == ["X", "Y", "refA"]
    assert "Left out as human translations: refB (--with-humans takes them in)." in take(folder).notes


def test_the_first_reference_is_used_unless_one_names_others(folder: Path) -> None:
    assert [segment.references for segment in take(folder).segments] == [("eins",), ("zwei",)]
    both = take(folder, references=["refB", "refA"]).segments
    assert [segment.references for segment in both] == [("eine", "eins"), ("zwo", "zwei")]
    assert take(folder).facts == ["en-de", "2 segments", "reference refA"]


def test_scores_are_taken_on_both_levels_and_none_is_unrated(folder: Path) -> None:
    [mqm] = take(folder, humans=["mqm"]).humans
    assert mqm.by_system == {"X": -1.0, "Y": -3.0}
    assert mqm.by_segment == {"X": {"1": -2.0, "2": None}, "Y": {"1": -3.0, "2": None}}
    [merged] = take(folder, humans=["mqm.merged"]).humans
    assert merged.by_segment == {"X": {"1": 0.0, "2": None}}


def test_what_does_not_match_is_said(folder: Path) -> None:
    notes = take(folder, humans=["esa"]).notes
    assert "Also in esa, but not here: Gone." in notes
    assert "Without scores in esa: Y." in notes


def test_metric_scores_may_leave_out_the_reference_in_use(folder: Path) -> None:
    assert [column.name for column in take(folder, metric_scores=["COMET"]).metrics] == ["COMET-refA"]
    other = take(folder, metric_scores=["COMET"], references=["refB"])
    assert [column.name for column in other.metrics] == ["COMET-refB"]
    every = take(folder, metric_scores=["all"])
    assert [column.name for column in every.metrics] == ["COMET-refA", "COMET-refB"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"humans": ["da"]}, "No human scores for en-de called 'da'. Available: esa, mqm, mqm.merged."),
        ({"references": ["refC"]}, "No reference for en-de called 'refC'. Available: refA, refB."),
        ({"systems": ["Z"]}, "No system called 'Z'. Available: X, Y."),
        ({"systems": ["refA"]}, "'refA' cannot be scored: it is the reference in use."),
        ({"systems": ["refB"]}, "'refB' cannot be scored: it is a reference: add --with-humans."),
        ({"exclude": ["X", "Y"]}, "no system is left."),
        ({"metric_scores": ["BLEURT"]}, "No metric scores for en-de called 'BLEURT'."),
        ({"humans": ["esa"], "systems": ["Y"]}, "esa rates none of these systems: Y."),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_ones(
    folder: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        take(folder, **options)
    assert message in str(caught.value)
