"""The tables of a suite: what is where, what is bold, and what the notes say."""

from __future__ import annotations

import pytest

from mtassay.data.display import Cell, Table
from mtassay.data.nouns import Cluster, Result, Score
from mtassay.methods.suite.suite_tables import accuracy_table, status_table, system_table
from mtassay.report.run_text import to_latex, to_markdown, to_text, to_tsv

EXACT = "items:fair|test:exact|alpha:0.05|samples:1000|seed:12345|version:mtassay-0"
COUNTS = {
    "old": {"correct": 1000, "incorrect": 400, "undecided": 200, "conflict": 0, "skipped": 400, "error": 0},
    "new": {"correct": 1200, "incorrect": 600, "undecided": 200, "conflict": 0, "skipped": 0, "error": 0},
}
PHENOMENA = {"Negation": "Negation", "Verbs › Tense": "Verbs", "Nouns › Tense": "Nouns"}

# Value and n of the two systems, and the systems of the best cluster.
ROWS: dict[tuple[str, str], tuple[float | None, float | None, int, tuple[str, ...]]] = {
    ("accuracy:phenomenon", "Negation"): (50.0, 100.0, 4, ("new", "old")),
    ("accuracy:phenomenon", "Verbs › Tense"): (75.0, 90.0, 36, ("new",)),
    ("accuracy:phenomenon", "Nouns › Tense"): (None, None, 0, ()),
    ("accuracy", "Negation"): (50.0, 100.0, 4, ("new", "old")),
    ("accuracy", "Verbs"): (75.0, 90.0, 36, ("new",)),
    ("accuracy", "Nouns"): (None, None, 0, ()),
    ("accuracy", "micro"): (72.5, 91.0, 1040, ("new",)),
    ("accuracy", "macro"): (62.5, 95.0, 1040, ("new",)),
}


def made_up(*systems: str, signature: str = EXACT, suffix: str = "", extra: int = 0) -> Result:
    """Scores as in ROWS; each system has `extra` more items than the one before."""
    scores, clusters = [], []
    for (name, group), (old, new, n, best) in ROWS.items():
        for place, system in enumerate(systems):
            value = {"old": old, "new": new}[system]
            ends = (None, None) if value is None else (value - (30 if n < 10 else 10), min(value + 5, 100))
            size = n + place * extra
            scores.append(Score(name + suffix, system, group, value, size, *ends, signature=signature))
        kept = [system for system in best if system in systems]
        rest = [system for system in systems if system not in kept and best]
        ranked = [(1, kept), (1 + len(kept), rest)]
        clusters += [Cluster(name + suffix, group, rank, tuple(part)) for rank, part in ranked if part]
    return Result(scores, clusters=clusters, counts={system: COUNTS[system] for system in systems})


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.cells()]


def test_categories_by_system_with_the_best_macro_average_first() -> None:
    table = accuracy_table(made_up("old", "new"))
    assert table.header == ["Category", "n", "new", "old"]
    assert texts(table) == [
        ["Negation", "4", "100.0", "50.0"],
        ["Verbs", "36", "90.0", "75.0"],
        ["Nouns", "0", "–", "–"],
        ["micro-average", "1,040", "91.0", "72.5"],
        ["macro-average", "1,040", "95.0", "62.5"],
    ]


def test_the_best_cluster_is_bold() -> None:
    strong = [[cell.strong for cell in row[2:]] for row in accuracy_table(made_up("old", "new")).cells()]
    assert strong == [[True, True], [True, False], [False, False], [True, False], [True, False]]


def test_a_mark_stands_behind_what_is_bold_and_keeps_numbers_in_line() -> None:
    table = accuracy_table(made_up("old", "new"), mark="*")
    assert texts(table)[:2] == [["Negation", "4", "100.0*", "50.0*"], ["Verbs", "36", "90.0*", "75.0 "]]
    assert "Bold (*): the best of the row" in " ".join(table.notes)


def test_phenomena_stand_below_their_category() -> None:
    table = accuracy_table(made_up("old", "new"), by="phenomenon", categories=PHENOMENA)
    assert table.header[0] == "Phenomenon"
    assert [row[0] for row in table.cells()] == [
        Cell("Negation", strong=True),
        Cell("· Negation"),
        Cell("Verbs", strong=True),
        Cell("· Tense"),
        Cell("Nouns", strong=True),
        Cell("· Tense"),
        Cell("micro-average"),
        Cell("macro-average"),
    ]
    assert texts(table)[3] == ["· Tense", "36", "90.0", "75.0"]


def test_intervals_follow_the_accuracies() -> None:
    rows = texts(accuracy_table(made_up("old", "new"), intervals=True))
    assert rows[1] == ["Verbs", "36", "90.0 [80–95] ", "75.0 [65–80] "]
    assert rows[0][2] == "100.0 [70–100]"


def test_a_single_system_has_its_interval_beside_it_and_nothing_bold() -> None:
    table = accuracy_table(made_up("new"))
    assert table.header == ["Category", "n", "accuracy", "95 % interval"]
    assert texts(table)[1] == ["Verbs", "36", "90.0", "[80–95]"]
    assert not any(cell.strong for row in table.cells() for cell in row)
    notes = " ".join(table.notes)
    assert "Accuracy in percent of the settled items: 1,040 of 2,000." in notes
    assert "Bold" not in notes
    assert "95 % intervals: Wilson's" in notes


def test_the_notes_say_which_items_which_test_and_how_sure() -> None:
    notes = accuracy_table(made_up("old", "new")).notes
    assert notes == [
        "Accuracy in percent. All systems are compared on the same items, which are settled for all of "
        "them: 1,040 of 2,000.",
        "Categories without such items are not in the macro-average: Nouns.",
        "Bold: the best of the row, and all not significantly worse (one-tailed exact test, "
        "not corrected, p < 0.05).",
        "95 % intervals reach up to ±7.5 points for the macro-average, ±17.5 for Negation.",
    ]


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (
            "items:fair|test:z|alpha:0.01",
            "z-test, as in Macketanz et al. 2022, not corrected, p < 0.01)",
        ),
        ("items:settled|test:z|alpha:0.05", "not the same items, so compare with care"),
    ],
)
def test_the_notes_follow_the_signature(signature: str, words: str) -> None:
    assert words in " ".join(accuracy_table(made_up("old", "new", signature=signature)).notes)


def test_unequal_numbers_of_items_show_as_a_range() -> None:
    table = accuracy_table(made_up("old", "new", signature="items:settled|test:z|alpha:0.05", extra=3))
    assert [row[1] for row in texts(table)] == ["4–7", "36–39", "0–3", "1,040–1,043", "1,040–1,043"]


def test_columns_can_be_chosen_and_cut() -> None:
    result = made_up("old", "new")
    assert accuracy_table(result, systems=["old", "new"]).header == ["Category", "n", "old", "new"]
    table = accuracy_table(result, most=1)
    assert table.header == ["Category", "n", "accuracy", "95 % interval"]
    assert "Shown are the first 1 of 2 systems." in table.notes


def test_scores_of_another_name_are_found_by_their_suffix() -> None:
    table = accuracy_table(made_up("old", "new", suffix=":settled"), suffix=":settled", by="phenomenon")
    assert texts(table)[0] == ["Negation", "4", "100.0", "50.0"]


def test_systems_by_average() -> None:
    table = system_table(made_up("old", "new"))
    assert table.header == ["System", "n", "macro", "95 %", "#", "micro", "95 %", "#"]
    assert texts(table) == [
        ["new", "1,040", "95.0", "[85–100]", "1", "91.0", "[81–96]", "1"],
        ["old", "1,040", "62.5", "[52–68]", "2", "72.5", "[62–78]", "2"],
    ]
    assert system_table(made_up("new")).header == ["System", "n", "macro", "95 %", "micro", "95 %"]


def test_verdicts_by_system() -> None:
    table = status_table(COUNTS)
    assert table.header == ["System", "items", "correct", "incorrect", "undecided", "%", "skipped"]
    assert texts(table) == [
        ["old", "2,000", "1,000", "400", "200", "12.5", "400"],  # 200 of 1,600 outputs
        ["new", "2,000", "1,200", "600", "200", "10.0", "0"],
    ]
    assert table.notes == ["Undecided: no rule applies; %: its share of the outputs. Skipped: no output."]


def test_a_system_without_outputs_has_no_share() -> None:
    assert texts(status_table({"lost": {"skipped": 3}})) == [["lost", "3", "0", "0", "0", "–", "3"]]
    assert texts(status_table({"lost": {}})) == [["lost", "0", "0", "0", "0", "–"]]


@pytest.mark.parametrize("intervals", [False, True])
@pytest.mark.parametrize("systems", [("old", "new"), ("new",)])
def test_every_way_of_writing_holds_every_row(systems: tuple[str, ...], intervals: bool) -> None:
    table = accuracy_table(made_up(*systems), by="phenomenon", categories=PHENOMENA, intervals=intervals)
    rows = len(table.rows)
    assert len(to_tsv(table).splitlines()) == 1 + rows
    assert sum(line.startswith("|") for line in to_markdown(table).splitlines()) == 2 + rows
    assert to_latex(table).count("\\\\") == 1 + rows
    assert all(len(line) <= 80 for line in to_text(table, width=80, color=False).splitlines())


def test_a_long_name_goes_on_below_with_an_indent() -> None:
    table = Table(["Phenomenon", "n"], [["· Extended adjective construction", "4"], ["· Comma", "5"]])
    assert to_text(table, width=60, color=False).splitlines()[2:] == [
        "· Extended adjective  4",
        "  construction",
        "· Comma               5",
    ]
