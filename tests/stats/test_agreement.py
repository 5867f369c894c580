"""Agreement between raters: published worked examples, missing ratings, undefined cases, intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats.rater_agreement import Measure, estimate_agreement, estimate_kappa, ordinal_alpha


def values(rows: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Ratings as numbers; other labels get numbers of their own."""
    codes: dict[Any, float] = {}
    return np.array(
        [
            [
                np.nan if x is None else codes.setdefault(x, len(codes)) if isinstance(x, str) else x
                for x in row
            ]
            for row in rows
        ],
        dtype=np.float64,
    )


def measured(name: Measure, rows: Any, **how: Any) -> float:
    return estimate_agreement(values(rows), samples=1, **how)[name].value


observed_agreement = partial(measured, "agreement")
fleiss_kappa = partial(measured, "fleiss")
alpha_of_labels = partial(measured, "krippendorff")
alpha_of_numbers = partial(measured, "krippendorff", level="interval")


def alpha_of_ranks(rows: Any) -> float:
    return ordinal_alpha(values(rows))


def cohen_kappa(*rows: Any) -> float:
    return estimate_kappa(*values(rows), samples=1).value


NO = None

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section D: 4 observers, 12 units.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
    [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
]
# How many of 14 raters gave each of 10 units each of 5 labels: the worked example of "Fleiss' kappa" in
# Wikipedia, which gives 0.210.
FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


@pytest.mark.parametrize(
    ("function", "alpha"), [(alpha_of_labels, 0.743), (alpha_of_ranks, 0.815), (alpha_of_numbers, 0.849)]
)
def test_alpha_of_krippendorffs_four_observers(function: Callable[[Any], float], alpha: float) -> None:
    assert function(FOUR_OBSERVERS) == pytest.approx(alpha, abs=5e-4)


def test_alpha_of_krippendorffs_two_observers_and_ten_units() -> None:
    # Krippendorff (2011), section A, binary data: alpha = 0.095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert alpha_of_labels([first, second]) == pytest.approx(0.095, abs=5e-4)


def test_kappa_of_fleiss_example() -> None:
    rows = [[label for label, n in enumerate(unit) for _ in range(n)] for unit in FOURTEEN_RATERS]
    assert fleiss_kappa(np.array(rows).T) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(
    ("both_yes", "yes_no", "no_yes", "both_no", "kappa"),
    [
        # By hand; for the first: observed 35/50, chance 0.5 · 0.6 + 0.5 · 0.4 = 0.5, so 0.2 / 0.5.
        (20, 5, 10, 15, 0.4),
        (45, 15, 25, 15, 0.130435),  # observed 0.60, chance 0.54: 3/23
        (25, 35, 5, 35, 0.259259),  # observed 0.60, chance 0.46: 7/27
    ],
)
def test_cohens_kappa_of_a_two_by_two_table(
    both_yes: int, yes_no: int, no_yes: int, both_no: int, kappa: float
) -> None:
    a = ["yes"] * (both_yes + yes_no) + ["no"] * (no_yes + both_no)
    b = ["yes"] * both_yes + ["no"] * yes_no + ["yes"] * no_yes + ["no"] * both_no
    assert cohen_kappa(a, b) == pytest.approx(kappa, abs=1e-6)


def test_a_unit_that_one_rater_left_out_counts_for_nothing_between_two() -> None:
    a, b = ["yes", "no", "no", "yes", None], ["yes", "no", "yes", None, "no"]
    assert cohen_kappa(a, b) == pytest.approx(cohen_kappa(a[:3], b[:3]))
    for function in (observed_agreement, fleiss_kappa, alpha_of_labels):
        assert function([a, b]) == pytest.approx(function([a[:3], b[:3]]))


def test_units_with_unequal_numbers_of_ratings_count_once_each() -> None:
    # Agreement 1 of 1 pair and 1 of 3 pairs: mean 2/3. Shares of x: (1 + 2/3) / 2 = 5/6, so chance is 26/36.
    ratings = [["x", "x"], ["x", "x"], [None, "y"]]
    assert observed_agreement(ratings) == pytest.approx(2 / 3)
    assert fleiss_kappa(ratings) == pytest.approx((2 / 3 - 26 / 36) / (10 / 36))


FUNCTIONS = [
    observed_agreement,
    fleiss_kappa,
    lambda ratings: cohen_kappa(*ratings),
    alpha_of_labels,
    alpha_of_ranks,
    alpha_of_numbers,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("ratings", [[[], []], [[1, None], [None, 2]], [[None], [None]]])
def test_without_two_ratings_of_one_unit_agreement_is_undefined(
    function: Callable[[Any], float], ratings: Any
) -> None:
    assert math.isnan(function(ratings))


@pytest.mark.parametrize("function", FUNCTIONS[1:])
def test_a_single_label_tells_nothing_about_chance(function: Callable[[Any], float]) -> None:
    assert math.isnan(function([[1, 1, 1], [1, 1, None]]))
    assert observed_agreement([[1, 1, 1], [1, 1, None]]) == 1


@pytest.mark.parametrize("function", FUNCTIONS)
@given(labels=st.lists(st.integers(0, 4), min_size=2).filter(lambda labels: len(set(labels)) > 1))
def test_full_agreement_is_one(function: Callable[[Any], float], labels: list[int]) -> None:
    assert function([labels, labels]) == pytest.approx(1)


RATINGS = st.lists(
    st.lists(st.sampled_from([None, 1, 2, 4]), min_size=3, max_size=3), min_size=1, max_size=12
)


@given(units=RATINGS, data=st.data())
def test_the_order_of_units_and_raters_does_not_matter(units: list[list[int | None]], data: Any) -> None:
    ratings = [list(row) for row in zip(*data.draw(st.permutations(units)), strict=True)]
    plain = [list(row) for row in zip(*units, strict=True)]
    for function in (observed_agreement, fleiss_kappa, *FUNCTIONS[3:]):
        assert function(data.draw(st.permutations(ratings))) == pytest.approx(function(plain), nan_ok=True)


@given(units=RATINGS)
def test_names_of_nominal_labels_do_not_matter(units: list[list[int | None]]) -> None:
    plain = [list(row) for row in zip(*units, strict=True)]
    named = [[None if label is None else f"label {label}" for label in row] for row in plain]
    for function in (observed_agreement, fleiss_kappa, alpha_of_labels):
        assert function(named) == pytest.approx(function(plain), nan_ok=True)


@given(units=RATINGS)
def test_ordinal_alpha_knows_order_only(units: list[list[int | None]]) -> None:
    plain = [list(row) for row in zip(*units, strict=True)]
    stretched = [[None if label is None else label**3 for label in row] for row in plain]
    assert alpha_of_ranks(stretched) == pytest.approx(alpha_of_ranks(plain), nan_ok=True)


def test_the_interval_holds_the_agreement_and_narrows_with_more_units() -> None:
    ratings = values([["a", "b", "a", "b", "a"] * 8, ["a", "b", "b", "b", "a"] * 8])
    few = estimate_agreement(ratings)["krippendorff"]
    many = estimate_agreement(np.tile(ratings, 9))["krippendorff"]
    assert few.low < many.low < few.value < many.high < few.high
    # Nine times the units: a third of the width.
    assert (many.high - many.low) / (few.high - few.low) == pytest.approx(1 / 3, abs=0.05)


def test_the_interval_of_cohens_kappa_takes_two_rows() -> None:
    rows = values([[1, 0, 1, 0] * 10, [1, 0, 1, 1] * 10])
    found = estimate_kappa(*rows, seed=7)
    assert found.low < found.value < found.high
    assert estimate_kappa(*rows, seed=7) == found
