"""The interval of a change between two answers to the same items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats.proportions import change_interval, macro_average


def test_one_category_gives_the_interval_of_bonett_and_price() -> None:
    # By hand: shares 7/42 and 3/42, difference 4/42, variance (10/42 - (4/42)^2) / 42, times 1.96.
    low, high = change_interval([6], [2], [40])
    assert (float(low), float(high)) == pytest.approx((-0.04950, 0.23998), abs=1e-4)


def test_where_nothing_moved_the_interval_is_around_none_and_has_a_width() -> None:
    low, high = change_interval([0, 0], [0, 0], [10, 30])
    assert float(low) == -float(high)
    assert 0.05 < float(high) < 0.2


def test_a_category_without_items_is_left_out() -> None:
    with_gap = change_interval([3, 0], [1, 0], [20, 0])
    assert [float(end) for end in with_gap] == [float(end) for end in change_interval([3], [1], [20])]


def test_without_items_there_is_no_interval() -> None:
    assert all(np.isnan(end) for end in change_interval([0], [0], [0]))


COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=6)


@given(COUNTS)
def test_the_other_way_round_is_the_negative(rows: list[tuple[int, int, int]]) -> None:
    gained, lost, same = np.array(rows).T
    n = gained + lost + same + 1
    low, high = change_interval(gained, lost, n)
    assert (-high, -low) == pytest.approx(change_interval(lost, gained, n))
    assert -1 <= low <= high <= 1


def test_it_holds_the_truth_as_often_as_it_says() -> None:
    sizes = np.array([32, 18, 5, 200])
    up, down = np.array([0.1, 0.0, 0.2, 0.03]), np.array([0.05, 0.1, 0.0, 0.02])
    rng = np.random.default_rng(5)
    draws = np.stack(
        [rng.multinomial(n, [a, b, 1 - a - b], size=4000) for n, a, b in zip(sizes, up, down, strict=True)], 1
    )
    low, high = change_interval(draws[..., 0], draws[..., 1], sizes)
    truth = float(macro_average(up, np.ones(4)) - macro_average(down, np.ones(4)))
    assert 0.94 <= np.mean((low <= truth) & (truth <= high)) <= 0.995
