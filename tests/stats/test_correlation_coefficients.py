"""Correlation coefficients and their groups: right where defined, nan and counted where not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.stats.correlation import Grouped, acc_eq, grouped, kendall, pearson, prediction_error, spearman

COEFFICIENTS = [pearson, spearman, kendall]
Coefficient = Callable[[object, object], float]
scores = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=40)


@pytest.mark.parametrize(
    ("coefficient", "expected"),
    # From SciPy's pearsonr, spearmanr and kendalltau; the sides hold ties.
    [(pearson, 0.8108700438028765), (spearman, 0.8013813714460625), (kendall, 0.6405126152203486)],
)
def test_coefficients_from_elsewhere(coefficient: Coefficient, expected: float) -> None:
    x, y = [1, 2, 2, 3, 5, 5, 5, 8], [2, 1, 2, 5, 5, 4, 9, 8]
    assert coefficient(x, y) == pytest.approx(expected, rel=1e-12)
    unrated = coefficient([*x, math.nan, 100], [*y, 3, math.nan])
    assert unrated == pytest.approx(expected, rel=1e-12)


def test_coefficients_by_hand() -> None:
    # Centred: -1.5 -.5 .5 1.5 and -15 5 -5 15: 40 / sqrt(5 · 500) = .8. One of six pairs is discordant.
    x, y = [1, 2, 3, 4], [10, 30, 20, 40]
    assert pearson(x, y) == pytest.approx(0.8)
    assert spearman(x, y) == pytest.approx(0.8)
    assert kendall(x, y) == pytest.approx((5 - 1) / 6)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1], [2]),
        ([1, 1, 1], [1, 2, 3]),
        ([1, 2, 3], [0.1, 0.1, 0.1]),
        ([1, math.nan, 3], [math.nan, 2, 4]),
    ],
)
def test_an_undefined_correlation_is_nan(coefficient: Coefficient, x: list[float], y: list[float]) -> None:
    assert math.isnan(coefficient(x, y))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_two_items_correlate_at_one_or_minus_one(coefficient: Coefficient) -> None:
    assert coefficient([1, 2], [5, 9]) == pytest.approx(1)
    assert coefficient([1, 2], [9, 5]) == pytest.approx(-1)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@settings(deadline=None)
@given(items=scores)
def test_coefficients_are_symmetric_odd_and_bounded(
    coefficient: Coefficient, items: list[tuple[int, int]]
) -> None:
    x, y = np.array(items).T
    value = coefficient(x, y)
    if not math.isnan(value):
        assert -1 <= value <= 1
    assert coefficient(y, x) == pytest.approx(value, nan_ok=True)
    assert coefficient(-x, y) == pytest.approx(-value, nan_ok=True)


@settings(deadline=None)
@given(items=scores)
def test_coefficients_equal_those_of_scipy(items: list[tuple[int, int]]) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    x, y = np.array(items).T
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert pearson(x, y) == pytest.approx(scipy_stats.pearsonr(x, y)[0])
        assert spearman(x, y) == pytest.approx(scipy_stats.spearmanr(x, y)[0])
        assert kendall(x, y) == pytest.approx(scipy_stats.kendalltau(x, y)[0])


def test_prediction_error_is_what_r_leaves_unexplained() -> None:
    assert prediction_error([1, 2], [3, 4]) == pytest.approx(0, abs=1e-9)
    assert prediction_error([1, 2], [4, 3]) == pytest.approx(0, abs=1e-9)
    # By hand: r² = 3² / (2 · 14 / 3) = 27 / 28.
    assert prediction_error([1, 2, 3], [1, 2, 4]) == pytest.approx(100 / 28)
    assert math.isnan(prediction_error([1, 1], [1, 2]))


METRIC = np.array([[1.0, 1.0, 5.0, 0.0], [2.0, 2.0, 5.0, 1.0], [3.0, 3.0, 6.0, 2.0]])
HUMAN = np.array([[1.0, 3.0, 7.0, math.nan], [2.0, 2.0, 7.0, math.nan], [3.0, 1.0, 7.0, 4.0]])


def test_groups_by_item_compare_systems_and_count_the_undefined() -> None:
    # Items 1 and 2 correlate at 1 and -1; item 3 ties in the human scores, item 4 has one rating.
    by_item = grouped(kendall, METRIC, HUMAN, by="item")
    assert by_item == Grouped(value=0.0, groups=2, skipped=2)
    np.testing.assert_array_equal(by_item.values, [1, -1, math.nan, math.nan])
    # Ties are predicted here: 1, 0 and, of the three ties of item 3, one.
    assert grouped(acc_eq, METRIC, HUMAN, by="item") == Grouped(pytest.approx(4 / 9), groups=3, skipped=1)


def test_groups_by_system_compare_items() -> None:
    by_system = grouped(kendall, METRIC, HUMAN, by="system")
    # Rows without nan: (1 1 5; 1 3 7), (2 2 5; 2 2 7), (3 3 6 2; 3 1 7 4).
    expected = [2 / math.sqrt(2 * 3), 1.0, (3 - 2) / math.sqrt(5 * 6)]
    assert by_system == Grouped(pytest.approx(sum(expected) / 3), groups=3, skipped=0)


def test_one_group_holds_all_rated_translations() -> None:
    rated = ~np.isnan(HUMAN)
    assert grouped(pearson, METRIC, HUMAN) == Grouped(
        pearson(METRIC[rated], HUMAN[rated]), groups=1, skipped=0
    )
    nobody = np.full_like(HUMAN, math.nan)
    none = grouped(pearson, METRIC, nobody)
    assert math.isnan(none.value)
    assert (none.groups, none.skipped) == (0, 1)


def test_an_unknown_grouping_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'segment'\. Available: item, none, system"):
        grouped(pearson, METRIC, HUMAN, by="segment")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="same shape"):
        grouped(pearson, METRIC, HUMAN[:2])
