"""One-tailed tests of two shares and of two macro averages, their tails, and intervals of a macro average."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats.proportions import (
    macro_average,
    macro_interval,
    macro_z_test,
    z_test,
)
from mtassay.stats.tails import incomplete_beta, normal_tail, t_tail

pytestmark = pytest.mark.filterwarnings("error")

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("t", "freedom", "tail"),
    [
        # scipy 1.17.1, scipy.stats.t.sf; the first is exactly 1/2 - atan(0.5)/π.
        (0.5, 1, 0.35241638234956674),
        (2, 3.5, 0.06306926128795672),
        (-1.3, 7, 0.8826160823038114),
        (1.96, 30, 0.029671156448025246),
        (3.2, 150, 0.0008386875468726058),
        (1.6449, 100000, 0.04999678900506893),
        (12, 4, 0.0001382142742514865),
        (0.001, 2, 0.49964644669779507),
        (0, 5, 0.5),
        (math.inf, 5, 0),
        (-math.inf, 5, 1),
    ],
)
def test_tails_of_students_t(t: float, freedom: float, tail: float) -> None:
    assert float(t_tail(t, freedom)) == pytest.approx(tail, rel=1e-10)


@pytest.mark.parametrize(
    ("a", "b", "x", "value"),
    [
        # scipy 1.17.1, scipy.special.betainc; the last is 0.9^5.
        (2, 3, 0.4, 0.5248),
        (0.5, 0.5, 0.3, 0.36901011956554536),
        (50, 0.5, 0.97, 0.08169933372182264),
        (1000, 1200, 0.47, 0.9271006085939566),
        (5, 1, 0.9, 0.59049),
    ],
)
def test_incomplete_beta(a: float, b: float, x: float, value: float) -> None:
    assert float(incomplete_beta(a, b, x, 1 - x)) == pytest.approx(value, rel=1e-10)


@given(st.floats(0.1, 1000), st.floats(0.1, 1000), st.floats(0, 1))
def test_the_two_tails_of_a_beta_distribution_make_one(a: float, b: float, x: float) -> None:
    both = incomplete_beta(a, b, x, 1 - x) + incomplete_beta(b, a, 1 - x, x)
    assert float(both) == pytest.approx(1, abs=1e-10)


def test_tails_of_nothing_are_undefined() -> None:
    assert np.isnan(t_tail([1, 1, math.nan], [0, math.nan, 3])).all()
    assert np.isnan(normal_tail(math.nan))


def test_z_by_hand() -> None:
    # Shares 0.9 and 0.7, pooled 0.8: standard error sqrt(0.16 · 2/50) = 0.08, z = 2.5, tail 0.0062097.
    assert float(z_test(45, 50, 35, 50)) == pytest.approx(0.0062096653)


@given(COUNTS, COUNTS)
def test_with_one_category_the_macro_z_test_is_the_z_test(a: tuple[int, int], b: tuple[int, int]) -> None:
    macro = macro_z_test(*([count] for count in (*a, *b)))
    assert float(macro) == pytest.approx(float(z_test(*a, *b)), abs=1e-12)


def test_macro_z_by_hand() -> None:
    # Differences 0.2 and 0: mean 0.1. Variances 0.16 · 2/50 and 0.25 · 2/100, over 2²: 0.00285, z = 1.87317.
    p = macro_z_test([45, 50], [50, 100], [35, 50], [50, 100])
    assert float(p) == pytest.approx(float(normal_tail(0.1 / math.sqrt(0.00285))))


@pytest.mark.parametrize("test", [z_test])
@given(a=COUNTS, b=COUNTS)
def test_the_two_directions_make_one(
    test: Callable[..., np.ndarray], a: tuple[int, int], b: tuple[int, int]
) -> None:
    forth, back = float(test(*a, *b)), float(test(*b, *a))
    if math.isnan(forth):
        assert a[1] + b[1] < 3
    elif (a[0] + b[0]) in (0, a[1] + b[1]):
        assert (forth, back) == (1, 1)  # nothing differs
    else:
        assert forth + back == pytest.approx(1)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (z_test(0, 0, 1, 2), math.nan),
        (z_test(5, 5, 7, 7), 1),
        (z_test(0, 5, 0, 7), 1),
        (macro_z_test([], [], [], []), math.nan),
        (macro_z_test([0], [0], [1], [2]), math.nan),
        (macro_z_test([5, 2], [5, 2], [4, 3], [4, 3]), 1),
    ],
)
def test_degenerate_inputs(p: np.ndarray, expected: float) -> None:
    assert float(p) == pytest.approx(expected, nan_ok=True)


def test_arrays_are_tested_entry_by_entry() -> None:
    p = z_test([45, 5, 0], [50, 5, 0], [35, 5, 0], [50, 5, 0])
    assert p.tolist() == pytest.approx([0.0062096653, 1, math.nan], nan_ok=True)
    p = macro_z_test([[45, 50], [1, 1]], [50, 100], [35, 50], [50, 100])
    assert p.shape == (2,)


def test_macro_average_leaves_out_empty_categories() -> None:
    assert macro_average([[1, 0, 9], [0, 0, 0]], [[2, 0, 10], [0, 0, 0]]).tolist() == pytest.approx(
        [0.7, math.nan], nan_ok=True
    )


def test_macro_interval_by_hand() -> None:
    # One right and one wrong more for each: 9/12 and 11/12, mean 10/12. Their variances 0.015625 and
    # 0.0063657 make 0.0054977 for the mean; 1.959964 · 0.0741465 = 0.1453242.
    low, high = macro_interval([8, 10], [10, 10])
    assert (float(low), float(high)) == pytest.approx((0.6880091, 0.9786575), abs=2e-7)


@given(st.lists(COUNTS, min_size=1, max_size=8))
def test_the_macro_interval_holds_the_average_and_has_a_width(counts: list[tuple[int, int]]) -> None:
    correct, n = zip(*counts, strict=True)
    low, high = macro_interval(correct, n)
    value = float(macro_average(correct, n))
    assert 0 <= float(low) <= value + 1e-12
    assert value - 1e-12 <= float(high) <= 1
    assert float(high) - float(low) > 0.01


def test_nineteen_of_twenty_macro_intervals_hold_the_truth() -> None:
    # 14 categories as uneven as real ones, near 100 %; 2,000 draws put the share within 0.01 of 0.95.
    rng = np.random.default_rng(1)
    sizes = np.array([17, 20, 25, 30, 36, 48, 57, 59, 65, 74, 77, 83, 154, 400])
    truth = np.linspace(0.85, 0.995, 14)
    low, high = macro_interval(rng.binomial(sizes, truth, size=(2000, 14)), sizes)
    held = float(((low <= truth.mean()) & (truth.mean() <= high)).mean())
    assert held == pytest.approx(0.95, abs=0.015)


def test_no_items_have_no_interval() -> None:
    low, high = macro_interval([0, 0], [0, 0])
    assert math.isnan(low)
    assert math.isnan(high)
