"""The tables and blocks of a behavioural run say all that was counted, and mark the edit."""

from __future__ import annotations

from typing import Any

import pytest

from mtassay.data.display import Cell, Table
from mtassay.data.nouns import Cluster, Comparison, Finding, Result, Run, Score
from mtassay.methods.behavior.behavior_blocks import case_block, failures_in, failures_table, worth_a_look
from mtassay.methods.behavior.behavior_tables import (
    capabilities_in,
    pass_rate_table,
    position_table,
    ranked_systems,
    status_table,
)
from mtassay.methods.behavior.pass_rates import error_positions, pass_rates
from mtassay.report.run_text import block_text, to_text

EDIT = {
    "source": [[2, 7, "small", "young"]],
    "reference": [[7, 14, "pequeno", "jovem"]],
}


def finding(
    case: str,
    system: str = "nmt",
    status: str = "passed",
    *,
    capability: str = "adjective",
    qualities: tuple[float, float] = (0.9, 0.9),
    where: str = "",
) -> Finding:
    """What the judge says of one case."""
    verdicts: dict[str, Any] = {"passed": "pass", "undecided": "undecided"}
    evidence: dict[str, Any] = {
        "status": status,
        "capability": capability,
        "quality": qualities[0],
        "edited_quality": qualities[1],
        "source": "A small dog barked.",
        "output": "Um cão pequeno latiu.",
        "reference": "Um cão pequeno latiu.",
        "edited_source": "A young dog barked.",
        "edited_output": "Um jovem foi latido.",
        "pseudo_reference": "Um cão jovem latiu.",
        "edit": EDIT,
    }
    if where:
        evidence["where"] = where
    value = qualities[0] - qualities[1]
    return Finding(case, system, "behavior", verdicts.get(status, "fail"), value, evidence)


FINDINGS = [
    finding("1", status="edit broke it", qualities=(0.9, 0.4), where="at the edit"),
    finding("2", status="edit broke it", qualities=(0.9, 0.7), where="elsewhere"),
    finding("3", status="edit improved it", qualities=(0.8, 1.0), where="unknown", capability="noun"),
    finding("4", status="original is bad", qualities=(0.2, 0.3), where="unknown", capability="noun"),
    finding("5", capability="noun"),
    finding("6", status="undecided", capability="noun"),
    Finding("7", "nmt", "output", "error", evidence={"reason": "time-out", "capability": "noun"}),
    Finding("8", "nmt", "behavior", "skipped", evidence={"reason": "it has no edit", "capability": "noun"}),
    *(
        finding(str(number), "mt2", capability="adjective" if number < 3 else "noun")
        for number in range(1, 9)
    ),
]
COUNTS = {
    "nmt": {
        "cases": 8,
        "pass": 1,
        "fail": 4,
        "undecided": 1,
        "skipped": 1,
        "error": 1,
        "original is bad": 1,
        "edit broke it": 2,
        "edit improved it": 1,
    },
    "mt2": {"cases": 8, "pass": 8},
}
RESULT = pass_rates(FINDINGS, ["nmt", "mt2"], COUNTS)
RUN = Run("r1", "behavior", {}, ["nmt", "mt2"], "2026", {}, RESULT, FINDINGS)


def cell(table: Table, row: str, column: str) -> Cell:
    place = list(table.header).index(column)
    return next(cells[place] for cells in table.cells() if cells[0].text == row)


def test_pass_rates_have_their_n_and_interval_and_the_best_system_first() -> None:
    table = pass_rate_table(RESULT)
    assert list(table.header) == ["Capability", "n", "mt2", "nmt"]
    assert [cells[0].text for cells in table.cells()] == ["noun", "adjective", "all", "rank"]
    assert cell(table, "all", "nmt").text == "20.0 [4–62]"  # 1 of 5
    assert cell(table, "all", "n").text == "5–8"
    assert "nmt 16.7 [3–56] % of 6" in " ".join(table.notes)  # undecided


def test_what_a_reader_should_know_is_the_last_note() -> None:
    assert pass_rate_table(RESULT, caution="Beware.").notes[-1] == "Beware."
    assert "" not in pass_rate_table(RESULT).notes


def test_bold_are_the_best_and_those_not_significantly_worse_than_it() -> None:
    """Clusters chain systems: here all three are in one, although the last differs from the first."""
    rates = {"a": 90.0, "b": 80.0, "c": 70.0}
    scores = [
        Score("pass rate", system, "all", rate, 50, rate - 9, rate + 9) for system, rate in rates.items()
    ]
    comparisons = [
        Comparison("pass rate", "all", "a", "b", 10.0, 0.2),
        Comparison("pass rate", "all", "a", "c", 20.0, 0.001),
        Comparison("pass rate", "all", "b", "c", 10.0, 0.2),
    ]
    result = Result(scores, comparisons, [Cluster("pass rate", "all", 1, ("a", "b", "c"))])
    first, ranks = pass_rate_table(result, mark="*").cells()
    assert [(each.text[:5], each.strong) for each in first[2:]] == [
        ("90.0*", True),
        ("80.0*", True),
        ("70.0 ", False),
    ]
    assert [each.text for each in ranks[2:]] == ["1", "1", "1"]


def test_one_system_has_no_bold_and_no_rank() -> None:
    alone = pass_rates([f for f in FINDINGS if f.system == "nmt"], ["nmt"], {"nmt": COUNTS["nmt"]})
    table = pass_rate_table(alone)
    assert [row[0].text for row in table.cells()] == ["noun", "adjective", "all"]
    assert not any(each.strong for row in table.cells() for each in row[1:])
    assert not any("Bold" in note for note in table.notes)


def test_a_single_capability_needs_no_row_for_all() -> None:
    result = pass_rates(FINDINGS[:2], ["nmt"], {"nmt": {}})
    assert capabilities_in(result) == ["adjective"]
    assert ranked_systems(result) == ["nmt"]


def test_a_rate_of_nothing_is_a_dash() -> None:
    result = pass_rates([finding("1", status="undecided")], ["nmt"], {"nmt": {}})
    assert cell(pass_rate_table(result), "adjective", "nmt").text.startswith("–")


def test_every_case_is_in_the_table_of_statuses() -> None:
    table = status_table(RUN)
    kinds = ["passed", "bad original", "broke", "improved", "undecided", "skipped", "failed"]
    assert list(table.header) == ["System", "cases", *kinds]
    for row in table.cells():
        assert sum(int(each.text) for each in row[2:]) == int(row[1].text) == 8
    assert any("nmt, failed: time-out (1)." in note for note in table.notes)
    assert any("nmt, skipped: it has no edit (1)." in note for note in table.notes)


def test_error_positions_leave_out_bad_originals_and_say_what_is_unknown() -> None:
    table = position_table(error_positions(FINDINGS), FINDINGS)
    assert table is not None
    assert cell(table, "adjective", "nmt").text == "50.0 [9–91] (2)"
    assert cell(table, "noun", "nmt").text == "– (0)"
    assert "the place is unknown: nmt 1." in table.notes[-1]
    assert position_table(error_positions([]), []) is None


def test_failures_begin_with_what_the_edit_broke_most() -> None:
    assert [each.case_id for each in failures_in(RUN)] == ["1", "2", "3", "4"]


def test_worth_a_look_is_what_failed_and_then_what_is_undecided() -> None:
    assert [each.case_id for each in worth_a_look(RUN)] == ["1", "2", "3", "4", "6"]


def test_a_failure_shows_both_sides_with_the_edit_marked() -> None:
    block = block_text(case_block(FINDINGS[0]), width=80, color=False)
    lines = block.splitlines()
    assert lines[0] == "1 · nmt · adjective · edit broke it · at the edit · quality 0.90 → 0.40"
    assert lines[1] == "  source     A [[small]] dog barked."
    assert lines[2] == "  reference  Um cão [[pequeno]] latiu."
    assert lines[4] == "  edited     A [[young]] dog barked."
    assert lines[5] == "  pseudo-ref Um cão [[jovem]] latiu."
    assert "[[" in lines[6]
    assert "nmt" not in block_text(case_block(FINDINGS[0], show_system=False), width=80, color=False)


def test_a_bad_original_says_nothing_of_where() -> None:
    assert "elsewhere" not in block_text(
        case_block(finding("4", status="original is bad", where="elsewhere")), width=80, color=False
    )


@pytest.mark.parametrize("width", [40, 80])
def test_blocks_fit_the_terminal(width: int) -> None:
    block = block_text(case_block(FINDINGS[0]), width=width, color=False)
    assert max(len(line) for line in block.splitlines()) <= width + 4  # marks may stand out


def test_texts_of_engines_cannot_steer_the_terminal() -> None:
    evil = finding("1\x1b[2J", status="edit broke it")
    evil = Finding(evil.case_id, "n\x1b[31m", evil.detector, "fail", 1.0, evil.evidence)
    run = Run("r", "behavior", {}, [evil.system], "", {}, Result(), [evil])
    shown = block_text(case_block(evil), width=80, color=False) + to_text(
        failures_table(run), width=80, color=False
    )
    assert "\x1b" not in shown


def test_the_table_of_failures_has_at_most_so_many_of_each_system() -> None:
    table = failures_table(RUN, most=3)
    assert table.title == "Failed cases: 4, shown: 3"
    assert [row[0].text for row in table.cells()] == ["1", "2", "3"]


def test_the_table_of_failures_has_a_row_for_each() -> None:
    table = failures_table(RUN)
    assert table.title == "Failed cases: 4"
    assert [row[0].text for row in table.cells()] == ["1", "2", "3", "4"]
    assert cell(table, "1", "pseudo-reference").text == "Um cão [[jovem]] latiu."
