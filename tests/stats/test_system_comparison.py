"""Corrections, clusters, wins, and how much data a difference needs."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.stats.comparisons import (
    adjust,
    clusters,
    critical_value,
    detectable_difference,
    units_to_settle,
    win_counts,
)


def symmetric(upper: list[float], systems: int) -> NDArray[Any]:
    p = np.eye(systems)
    p[np.triu_indices(systems, 1)] = upper
    return np.maximum(p, p.T)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("none", [0.01, 0.04, 0.03, 0.005, 0.5, 0.02]),
        ("bonferroni", [0.06, 0.24, 0.18, 0.03, 1, 0.12]),
        # Ascending .005 .01 .02 .03 .04 .5, times 6 5 4 3 2 1, never less than before.
        ("holm", [0.05, 0.09, 0.09, 0.03, 0.5, 0.08]),
        # Ascending, times 6/1 6/2 6/3 6/4 6/5 6/6, never more than after.
        ("bh", [0.03, 0.048, 0.045, 0.03, 0.5, 0.04]),
    ],
)
def test_corrections_by_hand(method: str, expected: list[float]) -> None:
    p = symmetric([0.01, 0.04, 0.03, 0.005, 0.5, 0.02], 4)
    np.testing.assert_allclose(adjust(p, method=method), symmetric(expected, 4))


def test_an_undefined_p_value_stays_undefined_and_is_no_comparison() -> None:
    p = symmetric([0.02, math.nan, 0.03], 3)
    p[0, 2] = p[2, 0] = math.nan
    np.testing.assert_allclose(adjust(p, method="bonferroni")[0, 1], 0.04)
    np.testing.assert_array_equal(np.isnan(adjust(p, method="holm")), np.isnan(p))


def test_an_unknown_correction_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'bonferoni'\. Available: bh, bonferroni, holm, none"):
        adjust(np.eye(2), method="bonferoni")


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_corrections_keep_order_and_symmetry_and_never_make_p_smaller(upper: list[float]) -> None:
    p = symmetric(upper, 4)
    holm, bonferroni, bh = (adjust(p, method=method) for method in ("holm", "bonferroni", "bh"))
    for adjusted in (holm, bonferroni, bh):
        np.testing.assert_array_equal(adjusted, adjusted.T)
        assert (adjusted >= p - 1e-15).all()
        assert (np.diff(adjusted[np.triu_indices(4, 1)][np.argsort(upper, kind="stable")]) >= -1e-15).all()
    assert (bh <= holm + 1e-15).all()
    assert (holm <= bonferroni + 1e-15).all()


@pytest.mark.parametrize(
    ("order", "significant", "expected"),
    [
        ([0, 1, 2], [], [[0, 1, 2]]),
        ([0, 1, 2], [(0, 1), (0, 2)], [[0], [1, 2]]),
        ([2, 0, 1], [(2, 0), (2, 1), (0, 1)], [[2], [0], [1]]),
        # 0 beats 2, but 1 does not: no line can be drawn above 2.
        ([0, 1, 2], [(0, 2)], [[0, 1, 2]]),
        ([0, 1, 2], [(0, 2), (1, 2)], [[0, 1], [2]]),
        ([0], [], [[0]]),
        ([], [], []),
    ],
)
def test_clusters_are_parted_where_all_above_beat_all_below(
    order: list[int], significant: list[tuple[int, int]], expected: list[list[int]]
) -> None:
    p = np.ones((3, 3))
    for a, b in significant:
        p[a, b] = p[b, a] = 0.001
    assert clusters(order, p) == expected


def test_an_undefined_p_value_parts_nothing() -> None:
    assert clusters([0, 1], np.array([[1, math.nan], [math.nan, 1]])) == [[0, 1]]


def test_alpha_itself_is_not_significant() -> None:
    assert clusters([0, 1], symmetric([0.05], 2)) == [[0, 1]]


def test_wins_count_rows_that_beat_columns() -> None:
    p = np.array([[0.0, 0.01, 0.04], [0.99, 0.0, math.nan], [0.96, 0.2, 0.0]])
    assert win_counts(p).tolist() == [2, 0, 0]
    assert win_counts(p, alpha=0.02).tolist() == [1, 0, 0]


def test_the_detectable_difference_is_two_point_eight_standard_errors() -> None:
    # 1.959964 + 0.841621
    assert detectable_difference(1.0) == pytest.approx(2.801585, abs=1e-6)
    strict = critical_value(0.01)
    assert detectable_difference(2.0, critical=strict, power=0.9) == pytest.approx(
        2 * (2.575829 + 1.281552), abs=1e-5
    )


@pytest.mark.parametrize(
    ("method", "found", "level"),
    [
        ("none", 3, 0.05),
        ("bonferroni", 3, 0.05 / 10),
        ("holm", 3, 0.05 / 7),  # the next of Holm's steps
        ("bh", 3, 0.05 * 4 / 10),
        ("holm", 10, 0.05),
    ],
)
def test_a_correction_asks_more_of_the_next_difference(method: str, found: int, level: float) -> None:
    critical = critical_value(0.05, method=method, tests=10, found=found)
    assert critical == pytest.approx(NormalDist().inv_cdf(1 - level / 2))


@pytest.mark.parametrize(
    ("delta", "error", "n", "more"),
    [
        (1.0, 1.0, 1000, 6849),  # 1000 · 2.801585² = 7848.9
        (-1.0, 1.0, 1000, 6849),
        (2.0, 1.0, 1000, 0),  # beyond 1.96 standard errors: significant already
        (3.0, 1.0, 1000, 0),
        (1.0, 0.0, 1000, 0),
        (0.0, 1.0, 1000, None),
        (0.0, 0.0, 1000, None),
        (math.nan, 1.0, 1000, None),
        (1.0, math.nan, 1000, None),
        (1.0, 1.0, 0, 0),
    ],
)
def test_units_to_settle_a_difference(delta: float, error: float, n: int, more: int | None) -> None:
    assert units_to_settle(delta, error, n) == more


@settings(deadline=None)
@given(st.floats(0.01, 1.9), st.integers(10, 10000))
def test_with_that_many_more_the_difference_is_detectable(delta: float, n: int) -> None:
    more = units_to_settle(delta, 1.0, n)
    assert more is not None
    assert detectable_difference(math.sqrt(n / (n + more))) <= delta * (1 + 1e-9)
    assert detectable_difference(math.sqrt(n / (n + more - 1))) > delta * (1 - 1e-9)
