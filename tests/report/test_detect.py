"""The table of detectors shows every count, and says what is left out."""

from __future__ import annotations

from mtassay.meta.agreement_tables import detection_table
from mtassay.meta.detect import JudgedDetector, PairKey, detect
from mtassay.report.run_text import to_text

LABELS = {PairKey(str(number)): number < 5 for number in range(10)}
SCORES = {PairKey(str(number)): float(-number) for number in range(10)}
PLAIN = JudgedDetector(
    "plain", frozenset({PairKey("0"), PairKey("9"), PairKey("x")}), LABELS, silent={"skipped": 2}
)
SCORED = JudgedDetector("scored", frozenset({PairKey("0")}), LABELS, SCORES)


def test_every_share_shows_how_many_of_how_many() -> None:
    table = detection_table(detect([PLAIN]))
    assert list(table.header) == ["Judge", "flagged", "unlab.", "precision", "recall", "F1"]
    (row,) = table.cells()
    assert [cell.text for cell in row[:5]] == ["plain", "3", "1", "50.0 [9–91] (1/2)", "20.0 [4–62] (1/5)"]


def test_what_is_not_labelled_bounds_the_precision() -> None:
    notes = "\n".join(detection_table(detect([PLAIN])).notes)
    assert "1 of 3 flagged pairs have no label. Their labels would make the precision 33.3 to 66.7." in notes
    assert "plain: 2 skipped count as not flagged." in notes


def test_an_area_stands_only_where_there_are_scores() -> None:
    table = detection_table(detect([PLAIN, SCORED]))
    assert table.header[-1] == "AUC"
    assert [row[-1].text[:5] for row in table.cells()] == ["–", "1.000"]


def test_names_cannot_steer_the_terminal() -> None:
    evil = JudgedDetector("d\x1b[31m", frozenset(), LABELS)
    assert "\x1b" not in to_text(detection_table(detect([evil])), width=80, color=False)
