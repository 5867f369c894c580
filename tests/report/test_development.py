"""The tables of development over years and of two versions."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mtassay.core import Score
from mtassay.display import Cell, Table
from mtassay.methods.suite.item_tables import GroupOutput, ItemOutputs, item_block, item_rows, items_table
from mtassay.methods.suite.version_tables import (
    StepShown,
    category_table,
    status_matrix,
    step_block,
    step_table,
)
from mtassay.methods.suite.year_tables import GroupRow, best_table, change_table, course_table, group_table
from mtassay.report.table import to_latex, to_markdown, to_text
from mtassay.stats import AccuracyChange
from tests.report.test_accuracy import made_up

GROUPS = [
    GroupRow("old", 18, "A", {"correct": 1000, "incorrect": 5, "skipped": 2}, ("B", "C")),
    GroupRow("new", 1, "Z", {"correct": 7, "undecided": 1}),
]
CHANGES = [
    AccuracyChange("Negation", 10, 50.0, 50.0, 0.0, -20.0, 20.0, 1.0, 0, 0, 5),
    AccuracyChange("Verbs", 1000, 80.0, 83.0, 3.0, 1.0, 5.0, 0.004, 40, 10, 160),
    AccuracyChange("Nouns", 0, None, None, None, None, None, None, 0, 0, 0),
    AccuracyChange("micro", 1010, 79.7, 82.7, 2.97, 1.0, 5.0, 0.004, 40, 10, 165),
    AccuracyChange("macro", 1010, 65.0, 66.5, 1.5, -1.0, 4.0, 0.3, 40, 10, 165),
]


@dataclass(frozen=True)
class Course:
    system: str
    n: int
    points: list[Score]
    change: AccuracyChange


COURSES = [
    Course(
        "A", 90, [Score("a", "A", "21", 80.0, 90, 75.0, 85.0), Score("a", "A", "23", 83.0, 90)], CHANGES[1]
    ),
    Course("B", 90, [Score("a", "B", "22", 70.0, 90), Score("a", "b", "23", 70.0, 90)], CHANGES[0]),
]


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.cells()]


def strong(table: Table) -> list[str]:
    return [cell.text for row in table.cells() for cell in row if cell.strong]


def test_groups_with_their_best_system_and_its_verdicts() -> None:
    table = group_table(GROUPS, chosen="Best: so and so.")
    assert table.header == ["Group", "systems", "best", "correct", "incorrect", "undecided", "skipped"]
    assert texts(table) == [["old", "18", "A", "1,000", "5", "0", "2"], ["new", "1", "Z", "7", "0", "1", "0"]]
    assert table.notes == ["Best: so and so.", "Not significantly worse than the best: old B, C."]


def test_the_best_systems_stand_in_the_order_of_their_groups() -> None:
    table = best_table(made_up("old", "new"), GROUPS, title="T")
    assert table.header == ["Category", "n", "old", "new"]
    assert table.notes[0] == "The best system of each group: old A, new Z."
    assert best_table(made_up("old", "new"), GROUPS, phenomena={}).header[0] == "Phenomenon"


def test_only_significant_changes_are_shown_and_the_averages() -> None:
    table = change_table(CHANGES, corrected=[1.0, 0.008, None], alpha=0.05, test="exact")
    assert texts(table) == [
        ["Verbs", "1,000", "+3.0", "[+1.0, +5.0]", "40", "10", "0.004"],
        ["micro-average", "1,010", "+3.0", "[+1.0, +5.0]", "40", "10", "0.004"],
        ["macro-average", "1,010", "+1.5", "[−1.0, +4.0]", "40", "10", "0.300"],
    ]
    assert strong(table) == ["+3.0", "+3.0"]
    assert table.notes[0] == (
        "The other 1 of 2 categories did not change significantly (two-sided exact paired test, p < 0.05). "
        "Corrected for 2 tests (Holm), Verbs changed significantly."
    )


def test_the_note_says_if_nothing_changed_or_nothing_holds() -> None:
    nothing = change_table(CHANGES, corrected=[1.0, 0.008, None], alpha=0.001, test="z")
    assert nothing.notes[0] == "None of the 2 categories changed significantly (two-sided z-test, p < 0.001)."
    weak = change_table(CHANGES, corrected=[1.0, 0.06, None], alpha=0.05, test="exact")
    assert "Corrected for 2 tests (Holm), none did significantly." in weak.notes[0]


def test_systems_over_time_with_gaps() -> None:
    table = course_table(COURSES, ["21", "22", "23"], items="fair", total=100, alpha=0.05, test="exact")
    assert table.header == ["System", "n", "21", "22", "23", "change", "95 %", "p"]
    assert texts(table) == [
        ["A", "90", "80.0", "–", "83.0", "+3.0", "[+1.0, +5.0]", "0.004"],
        ["B", "90", "–", "70.0", "70.0", "0.0", "[−20.0, +20.0]", "1"],
    ]
    assert strong(table) == ["+3.0"]
    assert "settled for every one of them: 90 of 100" in table.notes[0]
    assert table.notes[-1] == "95 % intervals of the averages reach up to ±5.0 points."
    own = course_table(COURSES, ["21", "23"], items="settled", total=100, alpha=0.05, test="z")
    assert "compare along a line only" in own.notes[0]


ITEM = ItemOutputs(
    "i1",
    "False friends",
    "Nouns",
    "Er las Novellen.",
    ["Novellen"],
    [
        GroupOutput("2021", "A", "incorrect", "He read novels."),
        GroupOutput("2022", "A", "correct", "He read novellas."),
        GroupOutput("2023", "", "absent", None),
    ],
)


def test_one_item_over_years_in_a_terminal() -> None:
    assert item_block(ITEM, width=80, color=False).splitlines() == [
        "i1 · False friends › Nouns",
        "  source  Er las [[Novellen]].",
        "  2021    incorrect  He read novels.",
        "  2022    correct    He read novellas.",
        "  2023    absent     –",
    ]
    assert "\x1b[" in item_block(ITEM, width=80, color=True)


def test_items_side_by_side_with_correct_outputs_bold() -> None:
    table = items_table([ITEM, ITEM], title="Outputs of A")
    assert table.header == ["", "Nouns (False friends)", "Nouns (False friends)"]
    assert [row[0].text for row in table.cells()] == [
        "Test item",
        "2021 output",
        "2022 output",
        "2023 output",
    ]
    assert table.cells()[2][1] == Cell("He read novellas.", strong=True)
    assert not table.cells()[1][1].strong
    assert item_rows([ITEM]).rows[0][-3:] == ["A", "incorrect", "He read novels."]


STEP = StepShown(
    *("i1", "Verbs", "Tense", "broken", "Er las.", ["las"], ("correct", "incorrect")),
    *("He read it.", "He reads it.", "matches positive regex read", "matches negative regex reads"),
)


def test_a_broken_item_shows_what_differs_and_why() -> None:
    assert step_block(STEP, ("old", "new"), width=80, color=False).splitlines() == [
        "i1 · Verbs › Tense",
        "  source  Er [[las]].",
        "  old     He [[read]] it.",
        "  new     He [[reads]] it.",
        "  why     matches negative regex reads",
    ]
    assert texts(step_table([STEP], ("old", "new"), title=""))[0][3:5] == [
        "He [[read]] it.",
        "He [[reads]] it.",
    ]


def test_statuses_before_and_after() -> None:
    pairs = {("correct", "incorrect"): 2, ("correct", "correct"): 1, ("incorrect", "undecided"): 1000}
    table = status_matrix(pairs, ("old", "new"))
    assert table.header == ["old \\ new", "correct", "incorrect", "undecided", "all"]
    assert texts(table) == [
        ["correct", "1", "2", "0", "3"],
        ["incorrect", "0", "0", "1,000", "1,000"],
        ["all", "1", "2", "1,000", "1,003"],
    ]


def test_kinds_are_counted_by_category_and_those_that_nobody_has_are_left_out() -> None:
    kinds = {"Negation": {"still right": 5, "lost": 1}, "Verbs": {"still right": 8}}
    table = category_table(CHANGES, kinds, names=("old", "new"), alpha=0.05, test="exact")
    assert table.header == ["Category", "n", "change", "95 %", "fixed", "broken", "p", "right", "lost"]
    assert [row[-2:] for row in texts(table)] == [["5", "1"], ["8", "0"], ["13", "1"], ["13", "1"], ["", ""]]


@pytest.mark.parametrize(
    "table",
    [
        group_table(GROUPS, chosen=""),
        change_table(CHANGES, corrected=[1.0, 0.008, None], alpha=0.05, test="exact"),
        course_table(COURSES, ["21", "22", "23"], items="fair", total=100, alpha=0.05, test="exact"),
    ],
)
def test_every_table_fits_a_narrow_terminal_and_every_format(table: Table) -> None:
    assert all(len(line) <= 80 for line in to_text(table, width=80, color=False).splitlines())
    assert to_markdown(table).count("\n|") >= len(table.rows)
    assert "−" not in to_latex(table)
