"""Agreement on pairs: counts, pairwise accuracy, with ties, and soft."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.stats.correlation import (
    PairCounts,
    acc_eq,
    count_pairs,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)

scores = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=60)


@settings(deadline=None)
@given(scores)
def test_counts_are_those_of_looking_at_every_pair(items: list[tuple[int, int]]) -> None:
    signs = [(np.sign(a[0] - b[0]), np.sign(a[1] - b[1])) for a, b in combinations(items, 2)]
    assert count_pairs([x for x, _ in items], [y for _, y in items]) == PairCounts(
        concordant=sum(x * y > 0 for x, y in signs),
        discordant=sum(x * y < 0 for x, y in signs),
        tied_x=sum(x == 0 and y != 0 for x, y in signs),
        tied_y=sum(x != 0 and y == 0 for x, y in signs),
        tied_both=sum(x == 0 and y == 0 for x, y in signs),
    )


def test_many_items_are_counted_too() -> None:
    n = 100_000
    x = np.arange(n)
    assert count_pairs(x, x[::-1]).discordant == n * (n - 1) // 2
    assert count_pairs(x, x).concordant == n * (n - 1) // 2


@pytest.mark.parametrize(
    ("metric", "human", "accuracy", "with_ties"),
    [
        ([1, 2, 3], [10, 20, 30], 1, 1),
        ([3, 2, 1], [10, 20, 30], 0, 0),
        ([1, 2, 3], [10, 30, 20], 2 / 3, 2 / 3),
        ([1, 1, 2], [10, 20, 30], 2 / 3, 2 / 3),  # a tie of the metric is wrong where people see a difference
        ([1, 2, 3], [10, 10, 30], 1, 2 / 3),  # a tie of people has no right order
        ([1, 1, 3], [10, 10, 30], 1, 1),
        ([1, 1], [5, 5], math.nan, 1),
        ([1, 2, 3], [10, math.nan, 30], 1, 1),
        ([1], [1], math.nan, math.nan),
        ([], [], math.nan, math.nan),
    ],
)
def test_accuracy_by_hand(metric: list[float], human: list[float], accuracy: float, with_ties: float) -> None:
    assert pairwise_accuracy(metric, human) == pytest.approx(accuracy, nan_ok=True)
    assert acc_eq(metric, human) == pytest.approx(with_ties, nan_ok=True)


def test_sides_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 1"):
        count_pairs([1, 2], [1])


def test_soft_accuracy_is_one_less_the_mean_distance_of_p_values() -> None:
    human = np.array([[1, 0.1, 0.2], [0.9, 1, 0.5], [0.8, 0.5, 1]])
    metric = np.array([[0, 0.3, 0.2], [0.7, 0, 0.1], [0.8, 0.9, 0]])
    # Distances 0.2, 0 and 0.4 for the three pairs, in both orders; the diagonal is none.
    assert soft_pairwise_accuracy(metric, human) == pytest.approx(0.8)
    assert soft_pairwise_accuracy(human, human) == 1
    assert soft_pairwise_accuracy(metric.T, human.T) == pytest.approx(0.8)


def test_undefined_p_values_are_left_out_of_soft_accuracy() -> None:
    human = np.array([[1, 0.1, 0.2], [0.9, 1, 0.5], [0.8, 0.5, 1]])
    metric = np.array([[1, 0.3, math.nan], [0.7, 1, math.nan], [math.nan, math.nan, 1]])
    assert soft_pairwise_accuracy(metric, human) == pytest.approx(0.8)
    assert math.isnan(soft_pairwise_accuracy(np.ones((1, 1)), np.ones((1, 1))))
