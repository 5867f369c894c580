"""What the comparison table says of differences that no test set will settle."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Comparison, Result, Run, Score
from mtassay.methods.score.score_tables import comparison_table


def compared(more: int | None, p: float = 0.4) -> Run:
    scores = [Score("bleu", system, "all", 30.0, 100, 29.0, 31.0) for system in ("a", "b")]
    result = Result(scores, [Comparison("bleu", "all", "a", "b", 0.01, p, 1.0, more)])
    return Run("r", "score", {"test": "randomization"}, ["a", "b"], "2026-01-01", {}, result)


@pytest.mark.parametrize(
    ("more", "shown"),
    [(68_205_713, "more than a million"), (1_000_000, "1,000,000"), (2_345, "2,345"), (None, "–")],
)
def test_what_nobody_could_translate_is_not_counted_out(more: int | None, shown: str) -> None:
    table = comparison_table(compared(more))
    assert table is not None
    assert table.rows[0][-1] == shown


def test_a_significant_difference_needs_no_more_segments() -> None:
    table = comparison_table(compared(0, p=0.01))
    assert table is not None
    assert table.rows[0][-1] == "0"
