"""Issues, summaries and tables show every number and fit a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mtassay.data.display import Table
from mtassay.data.method import view_of
from mtassay.data.nouns import Finding, Result, Run, Score, Segment
from mtassay.methods.invariance.invariance_tables import (
    companion_table,
    corpus_table,
    issue_block,
    issues_in,
    issues_table,
    summary_table,
    variant_lines,
)
from mtassay.methods.invariance.issues import stability
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
    assert cells(table) == [["under-translation", "1", "3.8", "[1–19]", "7/1-old"]]
    assert "nmt: 26" in table.notes[0]
    assert companion_table(Run("r", "invariance", {}, ["nmt"], "", {}, Result())) is None


def test_a_reason_is_one_line() -> None:
    assert view_of(RUN).why(ISSUE) == "distance 7, beyond the threshold of 4; 9 variants compared"
    assert view_of(RUN).why(STABLE) == "no variant beyond the threshold of 4; 5 variants compared"
    assert variant_lines(ISSUE)[2:] == ["small → old · distance 5", "  O cachorro latiu."]


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
