"""The area under the ROC curve for outputs in clusters, and what clustered shares are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats.correlation import auc, auc_covariance
from mtassay.stats.proportions import effective_trials, small_sample_factor, wilson

pytestmark = pytest.mark.filterwarnings("error")

Outputs = list[tuple[int, bool, int]]
"""Score, whether correct, and item."""
outputs = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 5)), min_size=1, max_size=30)


def columns(rows: Outputs) -> tuple[list[int], list[bool], list[int]]:
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


@given(outputs)
def test_the_area_is_the_share_of_pairs_in_order_and_ties_count_half(rows: Outputs) -> None:
    scores, correct, _ = columns(rows)
    wins = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, is_a in zip(scores, correct, strict=True)
        if is_a
        for b, is_b in zip(scores, correct, strict=True)
        if not is_b
    ]
    found = auc(*columns(rows))
    if wins:
        assert found.value == pytest.approx(sum(wins) / len(wins))
    else:
        assert math.isnan(found.value)
        assert all(map(math.isnan, found.interval()))


@given(outputs)
def test_an_interval_lies_within_0_and_1_and_holds_the_area(rows: Outputs) -> None:
    found = auc(*columns(rows))
    if not math.isnan(found.value):
        low, high = found.interval()
        assert 0 <= low <= found.value <= high <= 1


def test_without_clusters_the_variance_is_that_of_delong() -> None:
    # By hand: placements 1 and 0.75 on either side, mean 0.875, so each side gives 0.03125 / 2.
    found = auc([3, 2, 2, 1], [True, True, False, False], [0, 1, 2, 3])
    assert found.value == 0.875
    assert found.variance == pytest.approx(0.03125)


def test_outputs_of_one_item_that_move_together_make_the_area_surer() -> None:
    # Each item lifts both of its outputs, so chance in items falls out of the comparison.
    lifts = np.arange(8.0)
    scores = np.concatenate([lifts + 1.5, lifts])
    correct = np.repeat([True, False], 8)
    together = auc(scores, correct, np.tile(np.arange(8), 2))
    apart = auc(scores, correct, np.arange(16))
    assert together.value == apart.value
    assert together.variance < apart.variance


def test_doubling_every_output_within_its_item_adds_no_certainty() -> None:
    rows: Outputs = [(4, True, 0), (1, False, 0), (3, True, 1), (3, False, 1), (1, True, 2), (2, False, 2)]
    once, twice = auc(*columns(rows)), auc(*columns(rows * 2))
    assert twice.value == pytest.approx(once.value)
    assert twice.variance == pytest.approx(once.variance)


def test_a_perfect_area_is_as_sure_as_its_items_are_many() -> None:
    scores, correct, items = [2, 2, 2, 1, 1, 1], [True] * 3 + [False] * 3, [0, 1, 2, 0, 1, 2]
    assert auc(scores, correct, items).interval() == wilson(3, 3)


def test_one_item_says_nothing_about_the_variance() -> None:
    found = auc([2, 1], [True, False], [0, 0])
    assert math.isnan(found.variance)
    assert found.interval() == wilson(1, 1)


@given(outputs)
def test_a_score_has_no_difference_from_itself(rows: Outputs) -> None:
    a, b = auc(*columns(rows)), auc(*columns(rows))
    variance = a.variance + b.variance - 2 * auc_covariance(a, b)
    assert math.isnan(a.variance) or variance == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("share", "variance", "most", "trials"),
    [
        (0.5, 0.025, math.inf, 10),  # 0.25 / 0.025
        (0.5, 0.25, math.inf, 4),  # never fewer than the items
        (0.5, 0.001, 40, 40),  # never more than the pairs
        (0.5, 0.0, math.inf, 4),
        (0.5, math.nan, math.inf, 4),
        (1.0, 0.0, math.inf, 4),
    ],
)
def test_effective_trials_lie_between_items_and_pairs(
    share: float, variance: float, most: float, trials: float
) -> None:
    assert effective_trials(share, variance, least=4, most=most) == pytest.approx(trials)


def test_few_clusters_widen_as_students_t_does() -> None:
    # Tables give 2.776 for 4 degrees of freedom and 1.960 for the normal distribution.
    assert small_sample_factor(5) == pytest.approx((1.960 / 2.776) ** 2, abs=1e-3)
    assert small_sample_factor(1) == 1
