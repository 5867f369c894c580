"""Issues, summaries and tables against labels show every number and fit a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mtassay.data.display import Point, Table
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Result, Run, Score, Segment
from mtassay.methods.invariance.evaluation import (
    Evaluation,
    _until,
    accuracy_table,
    evaluate,
    new_errors_table,
    sweep,
    sweep_figure,
    sweep_table,
    types_table,
    unreported_table,
)
from mtassay.methods.invariance.invariance_tables import (
    companion_table,
    corpus_table,
    issue_block,
    issues_in,
    issues_table,
    seconds_figure,
    summary_table,
    variant_lines,
)
from mtassay.methods.invariance.issues import Far, VariantRanking, stability
from mtassay.report.plots import draw
from mtassay.report.run_text import block_text, to_text, to_tsv


def variant(after: str, output: str, distance: float, *differences: str) -> dict[str, Any]:
    return {
        "id": f"7/1-{after}",
        "source": f"The {after} dog barked at the gate.",
        "output": output,
        "before": "small",
        "after": after,
        "distance": distance,
        "differences": list(differences),
    }


ISSUE = Finding(
    "7",
    "nmt",
    "invariance:dependency",
    "fail",
    7.0,
    {
        "status": "suspicious",
        "source": "The small dog barked at the gate.",
        "output": "O cachorro pequeno latiu no portão.",
        "threshold": 4,
        "compared": 9,
        "variants": [
            variant("young", "O jovem cachorro do portão foi latido.", 7.0, "case: 1 → 2", "aux:pass: 0 → 1"),
            variant("old", "O cachorro latiu.", 5.0),
        ],
        "filtered": [{"id": "7/1-new", "why": "paraphrase"}],
    },
)
CLEARED = Finding("8", "nmt", "invariance:dependency", "pass", 9.0, {**ISSUE.evidence, "status": "cleared"})
STABLE = Finding(
    "9", "nmt", "invariance:dependency", "pass", 2.0, {"status": "stable", "compared": 5, "threshold": 4}
)
LONG, FAILED = "it has more than 35 words", "the engine says no"
FINDINGS = [
    *(ISSUE, CLEARED, STABLE),
    Finding("10", "nmt", "invariance:dependency", "skipped", evidence={"reason": LONG}),
    Finding("11", "nmt", "output", "error", evidence={"reason": FAILED}),
    Finding("7/1-old", "nmt", "under-translation", "fail", 1.0, {"why": "'old' leaves no trace"}),
]
SCORES = [
    Score("stable", "nmt", "all", 100 / 3, 3),
    Score("flagged", "nmt", "under-translation", 100 / 26, 26),
]
RUN = Run("r1", "invariance", {}, ["nmt"], "2026-01-01", {}, Result(SCORES), FINDINGS)


def cells(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.cells()]


def test_an_issue_is_a_block_that_fits_the_terminal() -> None:
    assert block_text(issue_block(ISSUE), width=80, color=False).splitlines() == [
        "7 · nmt · suspicious · distance 7 (threshold 4), 2 of 9 variants shown",
        "  source   The [[small]] dog barked at the gate.",
        "  output   O cachorro pequeno latiu no portão.",
        "  small → young · distance 7",
        "  output   O [[jovem]] cachorro [[do]] portão [[foi latido]].",
        "  differs  case: 1 → 2; aux:pass: 0 → 1",
        "  small → old · distance 5",
        "  output   O cachorro latiu.",
    ]
    assert "nmt" not in block_text(issue_block(ISSUE, show_system=False), width=80, color=False)


def test_hostile_texts_cannot_steer_the_terminal_and_lines_stay_short() -> None:
    bad = "\x1b[2J\u202e" + "latiu " * 400
    entry = {**variant(bad, bad, 7.0, bad), "before": bad}
    hostile = Finding(
        bad, bad, "invariance:raw", "fail", 7.0, {**ISSUE.evidence, "output": bad, "variants": [entry]}
    )
    run = Run("r", "invariance", {}, [bad], "", {}, Result(), [hostile])
    tables = [
        to_text(issues_table(run), width=80, color=False),
        to_text(summary_table(run), width=80, color=False),
    ]
    block = block_text(issue_block(hostile), width=80, color=False)
    for text in (*tables, block):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert max(map(len, block.splitlines())) <= 80


def test_issues_come_farthest_first_those_that_people_cleared_included() -> None:
    assert [finding.case_id for finding in issues_in(RUN)] == ["8", "7"]
    rows = cells(issues_table(RUN))
    assert [row[0] for row in rows] == ["8", "7/1-young", "7/1-old", "7", "7/1-young", "7/1-old"]
    assert rows[4][3:5] == ["small → young", "7"]
    assert rows[4][6] == "O [[jovem]] cachorro [[do]] portão [[foi latido]]."


def test_an_issue_without_details_is_shown_all_the_same() -> None:
    bare = Finding(
        "1", "nmt", "invariance:raw", "fail", 5.0, {"status": "suspicious", "variants": [{"id": "1/a"}]}
    )
    assert block_text(issue_block(bare), width=80, color=False).startswith(
        "1 · nmt · suspicious · distance 5"
    )


def test_the_summary_drops_nothing() -> None:
    table = summary_table(RUN)
    # Three originals were compared (9 + 9 + 5 variants), two have an issue: 2/3, Wilson's interval 21 to 94.
    assert dict(zip(table.header, cells(table)[0], strict=True)) == {
        **{"System": "nmt", "originals": "5", "variants": "23", "issues": "2/3", "%": "66.7"},
        **{"95 %": "[21–94]", "cleared": "1", "skipped": "1", "failed": "1"},
    }
    notes = "\n".join(table.notes)
    assert f"nmt, skipped: {LONG} (1)." in notes
    assert f"nmt, failed: {FAILED} (1)." in notes
    assert "nmt, variants left out by a filter: paraphrase (2)." in notes


def test_many_reasons_are_counted_together() -> None:
    skipped = [
        Finding(str(i), "nmt", "invariance:raw", "skipped", evidence={"reason": f"reason {i}"})
        for i in range(9)
    ]
    table = summary_table(Run("r", "invariance", {}, ["nmt"], "", {}, Result(), skipped))
    assert table.notes[-1].endswith("reason 4 (1); other reasons (4).")
    assert cells(table)[0][3:6] == ["0/0", "–", ""]


def test_companions_are_counted_of_all_pairs() -> None:
    table = companion_table(RUN)
    assert table is not None
    # 1 of 26: 3.8 %, Wilson's interval 0.7 to 18.9.
    assert cells(table) == [["under-translation", "1", "3.8", "[1–19]"]]
    assert "nmt: 26" in table.notes[0]
    assert companion_table(Run("r", "invariance", {}, ["nmt"], "", {}, Result())) is None


def test_a_reason_is_one_line() -> None:
    assert view_of(RUN).why(ISSUE) == "distance 7, beyond the threshold of 4; 9 variants compared"
    assert view_of(RUN).why(STABLE) == "no variant beyond the threshold of 4; 5 variants compared"
    assert variant_lines(ISSUE)[2:] == ["small → old · distance 5", "  O cachorro latiu."]


RANKINGS = [
    VariantRanking(str(i), (Far(f"{i}a", i + 2.5), Far(f"{i}b", 3.0), Far(f"{i}c", 1.0))) for i in range(40)
]
LABELS = {
    **{str(i): "correct" for i in range(40)},
    **{f"{i}a": "under" if i < 22 else "correct" for i in range(38)},
    **{f"{i}b": "several" if i % 2 else "correct" for i in range(40)},
}


@pytest.fixture
def found() -> dict[str, Evaluation]:
    return {"nmt raw": evaluate(RANKINGS, LABELS, threshold=2, top=2)}


def test_top_k_accuracy_has_the_form_of_table_2(found: dict[str, Evaluation]) -> None:
    table = accuracy_table(found)
    assert list(table.header) == ["", "threshold", "issues", "top-1", "top-2"]
    # Top-1: 22 of 38 (38 and 39 are open). Top-2: 39b is wrong, so only 38 stays open; of 0 to 21 all are
    # wrong, of 22 to 39 the odd ones, which are 9.
    assert cells(table) == [["nmt raw", "2", "40", "57.9 [42–72] (22/38)", "79.5 [64–89] (31/39)"]]
    assert table.notes[-1] == (
        "nmt raw: undecided, too few labels: 2, 1 issues at top-1, 2; "
        # 22 of 40 and 24 of 40; 31 of 40 and 32 of 40.
        "lowest and highest possible accuracy: 55.0 to 60.0 (top-1), 77.5 to 80.0 (top-2)."
    )


def test_the_source_text_has_the_statistics_of_table_1() -> None:
    sources = ["The old dog barked.", "the dog slept", "A dog"]
    variants = [Segment("1/1", "The new dog barked.", tags={"original": "1"})]
    segments = [Segment(str(i), text) for i, text in enumerate(sources, start=1)]
    table = corpus_table([*segments, *variants])
    assert table is not None
    assert table.header == ["Sentences", "words each", "mean", "words", "distinct"]
    # The, old, dog, barked., the, slept, A
    assert cells(table) == [["3", "2–4", "3.0", "9", "7"]]
    assert corpus_table([Segment("1", "狗叫了。"), Segment("2", "狗睡了。")]) is None
    assert corpus_table([]) is None


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("politics", ["100", "4–32", "19.2", "1,918", "933"]),
        ("business", ["100", "4–33", "19.5", "1,949", "944"]),
    ],
)
def test_the_corpora_of_the_paper_have_the_statistics_it_printed(
    data_folder: Path, name: str, row: list[str]
) -> None:
    lines = (data_folder / "sit" / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    segments = [Segment(str(i), line) for i, line in enumerate(lines) if line.strip()]
    table = corpus_table(segments)
    assert table is not None
    assert cells(table) == [row]


def test_new_errors_and_types_have_the_form_of_tables_3_and_4(found: dict[str, Evaluation]) -> None:
    # Originals are all correct: 22 times "under", and with b 20 times "several".
    assert cells(new_errors_table(found)) == [["nmt raw", "0", "22", "42"]]
    types = types_table(found)
    assert types.header[-4:] == ["logic", "several", "wrong", "open"]
    assert [row[-3:] for row in cells(types)] == [["0", "22", "2"], ["20", "42", "2"]]


def test_the_unreported_stand_beside_the_reported(found: dict[str, Evaluation]) -> None:
    # Reported: a and b of all; 42 of 78 are wrong. Of the 40 unreported nobody labelled any.
    assert cells(unreported_table(found)) == [["nmt raw", "53.8 [43–64] (42/78)", "2", "– (0/0)", "40"]]


def test_a_long_sweep_is_thinned_out_from_end_to_end() -> None:
    points = sweep(RANKINGS, LABELS)
    table = sweep_table(points, most=5)
    assert len(table.rows) == 5
    assert cells(table)[0] == ["0", "40", "22", "38", "57.9 [42–72]", "2"]
    assert cells(table)[-1][0] == f"{points[-1].threshold:g}"
    assert table.notes[-1] == "Shown are 5 of 40 thresholds that make a difference."
    assert len(sweep_table(points, most=99).rows) == 40


def test_every_table_fits_and_can_be_written(found: dict[str, Evaluation]) -> None:
    for make in (accuracy_table, new_errors_table, types_table, unreported_table):
        table = make(found)
        assert max(map(len, to_text(table, width=80, color=False).splitlines())) <= 80
        assert len({line.count("\t") for line in to_tsv(table).splitlines()}) == 1
        assert make({}).rows == []


def test_the_sweep_is_drawn_with_what_is_undecided(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "a.svg"
    points = sweep(RANKINGS, LABELS)
    draw(sweep_figure(points, marks=(4, 15), title="nmt, raw", unit="characters"), path)
    shown = path.read_text(encoding="utf-8")
    for text in ("nmt, raw", "buggy issues", "top-1 accuracy (%)", "distance threshold (characters)"):
        assert text in shown, text
    assert "Up to 2 issues are undecided" in shown
    draw(sweep_figure([], title="nothing"), tmp_path / "b.svg")
    assert "nothing" in (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_the_last_level_is_drawn_to_the_largest_distance() -> None:
    points = [Point(0.0, 7.0), Point(4.0, 3.0)]
    assert _until(9.0, points) == [Point(0.0, 7.0), Point(4.0, 3.0), Point(9.0, 3.0)]
    assert _until(9.0, []) == []
    assert _until(4.0, points) == points


def test_steps_are_drawn_with_their_names_and_sums(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "a.svg"
    steps = {"raw": {"variants": 2.0, "distances": 0.5}, "dependency": {"variants": 2.0, "parsing": 3.25}}
    draw(seconds_figure(steps), path)
    shown = path.read_text(encoding="utf-8")
    for text in ("raw", "dependency", "variants", "distances", "parsing", "2.5 s", "5.2 s"):
        assert f">{text}<" in shown, text


def test_a_detector_of_phrases_that_had_none_was_not_run() -> None:
    def rows(phrases: int) -> list[list[str]]:
        result = stability(
            [ISSUE],
            {"nmt": {"pairs": 8, "phrases": phrases}},
            detector="invariance:dependency",
            companions=["numbers", "referential"],
            phrase_companions=["referential"],
            alpha=0.05,
            signature="",
        )
        shown = companion_table(Run("1", "invariance", {}, ["nmt"], "", {}, result))
        assert shown is not None
        return [line.split("\t")[:3] for line in to_tsv(shown).splitlines() if line.startswith(("n", "r"))]

    assert rows(0) == [["referential", "not run", ""]]  # no row for numbers, which flagged nothing
    assert rows(3) == []
