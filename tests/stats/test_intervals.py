"""Intervals: order statistics as in sacreBLEU, Fisher's z, Wilson's score interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.stats.correlation import pearson
from mtassay.stats.proportions import bootstrap_interval, wilson
from mtassay.stats.resampling import interval


@pytest.mark.parametrize(
    ("samples", "level", "low", "high"),
    [
        (1000, 0.95, 25, 974),  # 1000 // 40 = 25 from either end
        (1000, 0.90, 50, 949),
        (1000, 0.99, 5, 994),
        (39, 0.95, 0, 38),  # fewer than 40: the extremes
        (40, 0.95, 1, 38),
        (1, 0.95, 0, 0),
    ],
)
def test_bounds_are_order_statistics(samples: int, level: float, low: int, high: int) -> None:
    shuffled = np.random.default_rng(0).permutation(samples).astype(float)
    assert interval(shuffled, level=level) == (low, high)


@settings(deadline=None)
@given(st.integers(1, 3000))
def test_ninety_five_percent_is_one_fortieth_from_either_end(samples: int) -> None:
    assert interval(np.arange(float(samples))) == (samples // 40, samples - samples // 40 - 1)


def test_each_column_has_its_own_bounds_and_leaves_out_its_own_undefined_scores() -> None:
    resampled = np.array([[1, np.nan, np.nan], [2, 5, np.nan], [3, 4, np.nan]])
    low, high = interval(resampled)
    np.testing.assert_array_equal(low, [1, 4, np.nan])
    np.testing.assert_array_equal(high, [3, 5, np.nan])


def test_without_samples_there_is_no_interval() -> None:
    low, high = interval(np.empty((0, 2)))
    assert np.isnan([low, high]).all()


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0000),
    ],
)
def test_wilson_intervals_from_the_literature(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_a_share_of_nothing_has_no_interval() -> None:
    assert all(math.isnan(bound) for bound in wilson(0, 0))


@settings(deadline=None)
@given(st.integers(1, 500), st.data())
def test_wilson_holds_the_share_within_zero_and_one(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n + 1e-12
    assert successes / n - 1e-12 <= high <= 1


def test_units_are_drawn_together_along_the_axis() -> None:
    x = np.arange(12.0)
    assert bootstrap_interval(pearson, [x, 2 * x + 1], seed=1, samples=50) == pytest.approx((1, 1))
    table = np.stack([x, -x])

    def rows_cancel(scores: np.ndarray) -> float:
        return float(scores.sum())

    assert bootstrap_interval(rows_cancel, [table], seed=1, samples=50) == (0, 0)
    low, high = bootstrap_interval(rows_cancel, [table], seed=1, samples=50, axis=0)
    assert (low, high) == (-132, 132)  # both rows may be the same one: ±2 · 66


def test_undefined_draws_are_left_out_and_no_units_give_no_interval() -> None:
    two = np.array([1.0, 2.0])  # half of the draws hold one item twice, where r is undefined
    assert bootstrap_interval(pearson, [two, two], seed=1, samples=50) == pytest.approx((1, 1))
    assert all(math.isnan(b) for b in bootstrap_interval(pearson, [two[:0], two[:0]], seed=1))
    with pytest.raises(ValueError, match="same units"):
        bootstrap_interval(pearson, [two, two[:1]], seed=1)


@given(st.integers(1, 5000), st.data())
def test_a_wilson_interval_holds_its_share(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.sampled_from([0, n]) | st.integers(0, n))
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1


def test_nothing_of_forty_seven_has_a_lower_end_of_nothing() -> None:
    assert wilson(0, 47).low == 0.0
    assert wilson(47, 47).high == 1.0
