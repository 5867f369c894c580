"""How accuracies move between two answers to the same items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.core import Case
from mtassay.methods.suite.accuracy import Grades, movements
from mtassay.stats import holm


def grades(rows: list[tuple[str, str]], *systems: str) -> Grades:
    """Rows of category and outcomes: + correct, - incorrect, ? not settled."""
    items = [
        Case(f"i{i}", f"i{i}", ("…",), tags={"category": c, "phenomenon": c}) for i, (c, _) in enumerate(rows)
    ]
    values = np.array([["?-+".index(mark) - 1 for mark in marks] for _, marks in rows], dtype=np.int8)
    return Grades(items, systems, values.reshape(len(rows), len(systems)))


def test_every_category_and_both_averages_are_there_in_order() -> None:
    found = movements(grades([("B", "++"), ("A", "-+"), ("A", "--"), ("A", "?+"), ("B", "+-")], "old", "new"))
    assert [(c.group, c.n, c.before, c.after, c.fixed, c.broken, c.wrong) for c in found] == [
        ("B", 2, 100.0, 50.0, 0, 1, 0),
        ("A", 2, 0.0, 50.0, 1, 0, 1),
        ("micro", 4, 50.0, 50.0, 1, 1, 1),
        ("macro", 4, 50.0, 50.0, 1, 1, 1),
    ]


def test_p_is_the_two_sided_exact_one() -> None:
    # 6 fixed, none broken: 2 / 2^6. The same the other way round.
    six = [("A", "-+")] * 6 + [("A", "++")] * 4
    assert movements(grades(six, "old", "new"), test="exact")[0].p == pytest.approx(2 / 64)
    assert movements(grades(six, "old", "new"))[0].p == pytest.approx(2 / 64, abs=0.006)
    back = [("A", "+-")] * 6 + [("A", "++")] * 4
    assert movements(grades(back, "old", "new"), test="exact")[0].p == pytest.approx(2 / 64)


def test_by_default_p_is_corrected_for_all_categories() -> None:
    six = [("A", "-+")] * 6 + [("A", "++")] * 4
    others = [(name, verdicts) for name in "BCDEF" for verdicts in ["-+"] * 4 + ["+-"] * 4]
    p = movements(grades([*six, *others], "old", "new"))[0].p
    assert p is not None
    assert 2 / 64 < p < 0.3


def test_p_is_never_more_than_one() -> None:
    assert movements(grades([("A", "++"), ("A", "-+"), ("A", "+-")], "old", "new"))[0].p == 1.0


def test_a_category_without_settled_items_has_no_numbers() -> None:
    nothing, *_, macro = movements(grades([("A", "?+"), ("B", "-+")], "old", "new"))
    assert (nothing.n, nothing.delta, nothing.low, nothing.p) == (0, None, None, None)
    assert (macro.n, macro.delta) == (1, 100.0)


@given(st.lists(st.tuples(st.sampled_from("AB"), st.text("+-?", min_size=2, max_size=2)), min_size=1))
def test_the_difference_is_that_of_the_two_accuracies(rows: list[tuple[str, str]]) -> None:
    for change in movements(grades(rows, "old", "new"), samples=100):
        assert (change.delta is None) == (change.n == 0)
        if change.delta is not None and change.before is not None and change.after is not None:
            assert change.delta == pytest.approx(change.after - change.before)
            if change.group not in ("macro",):
                assert change.delta == pytest.approx(100 * (change.fixed - change.broken) / change.n)


def test_holm_keeps_the_order_and_never_goes_down() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.02, 0.5]) == [0.03, 0.04, 0.5]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
