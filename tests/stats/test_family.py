"""Comparisons tested as one: equal to the definition, never below those alone, and right under the null."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from mtassay.stats.family import Row, compare_rows, family_of, separate, swap_trials


def plain_step_down(observed: NDArray[Any], trials: NDArray[Any]) -> list[float]:
    """Westfall & Young's algorithm 4.1, written as plainly as possible."""
    spread = np.sqrt((trials**2).mean(axis=0))
    moving = [i for i in range(len(observed)) if spread[i] > 0]
    order = sorted(moving, key=lambda i: -abs(observed[i]) / spread[i])
    p, least = [1.0] * len(observed), 0.0
    for place, i in enumerate(order):
        rest = order[place:]
        largest = [max(abs(trial[j]) / spread[j] for j in rest) for trial in trials]
        hits = sum(value >= abs(observed[i]) / spread[i] - 1e-6 for value in largest)
        least = max(least, (hits + 1) / (len(trials) + 1))
        p[i] = least
    return p


whole_numbers = arrays(np.int64, st.tuples(st.integers(2, 30), st.integers(2, 4)), elements=st.integers(0, 9))


def swapped(values: NDArray[Any], trials: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    statistics = values[:, :, None].astype(float)
    first, second = np.triu_indices(values.shape[1], 1)
    totals = values.sum(axis=0)
    (table,) = swap_trials([statistics], [lambda sums: sums[..., 0]], trials=trials, seed=seed)
    return totals[first] - totals[second], table


@settings(deadline=None, max_examples=60)
@given(values=whole_numbers)
def test_the_p_values_are_those_of_the_definition(values: NDArray[Any]) -> None:
    observed, trials = swapped(values, 60, 5)
    family = family_of(observed, trials)
    assert family.p.tolist() == pytest.approx(plain_step_down(observed, trials.astype(float)))
    assert (family.p >= separate(observed, trials) - 1e-12).all()


def test_one_comparison_is_a_family_of_its_own() -> None:
    observed, trials = swapped(np.array([[3, 1], [2, 2], [5, 1], [0, 1]]), 500, 1)
    assert family_of(observed, trials).p[0] == separate(observed, trials)[0]


def test_systems_that_never_differ_have_p_1_and_undefined_ones_none() -> None:
    family = family_of(np.array([0.0, np.nan, 2.0]), np.array([[0.0, 1.0, 2.0], [0.0, np.nan, -1.0]]))
    assert family.p[0] == 1
    assert np.isnan(family.p[1])
    assert family.p[2] == pytest.approx(2 / 3)


def test_of_two_systems_shares_are_compared_as_by_the_exact_test() -> None:
    rng = np.random.default_rng(3)
    outcomes = (rng.random((200, 2)) < [0.8, 0.68]).astype(float)
    wins, losses = int((outcomes[:, 0] > outcomes[:, 1]).sum()), int((outcomes[:, 0] < outcomes[:, 1]).sum())
    exact = (
        2 * sum(math.comb(wins + losses, k) for k in range(wins, wins + losses + 1)) / 2 ** (wins + losses)
    )
    pair = compare_rows(outcomes, [[np.arange(200)]], trials=50000, seed=1)
    assert pair.p[0, 0] == pytest.approx(exact, rel=0.1)
    assert pair.delta[0, 0] == pytest.approx((wins - losses) / 200)


def test_the_mean_of_the_parts_gives_every_part_the_same_weight_and_leaves_out_empty_ones() -> None:
    outcomes = np.array([[1, 0], [1, 1], [1, 1], [0, 0], [np.nan, 1]], dtype=float)
    row: Row = [np.array([0]), np.array([1, 2, 3]), np.array([4])]
    pair = compare_rows(outcomes, [row], seed=1, trials=100)
    assert pair.delta[0, 0] == 0.5  # of the parts 1 and 0
    assert pair.n[0, 0] == 4


outcomes_with_gaps = arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 1.0, 1.0, np.nan]),
)


def plain_differences(
    outcomes: NDArray[Any], rows: list[Row], units: list[int], masks: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The difference of every pair in every row, and in every trial: item by item, as defined."""
    observed, trials = [], []
    for row in rows:
        for a, b in combinations(range(outcomes.shape[1]), 2):
            parts = [[i for i in part if not np.isnan(outcomes[i, a] - outcomes[i, b])] for part in row]
            signs = np.vstack([np.ones(len(units)), np.where(masks, 1, -1)[:, units]])
            shares = [
                [sum(sign[i] * (outcomes[i, a] - outcomes[i, b]) for i in part) / len(part) for sign in signs]
                for part in parts
                if part
            ]
            first, *others = np.mean(shares, axis=0) if shares else [np.nan] * len(signs)
            observed.append(first)
            trials.append(others)
    count = len(masks)
    return np.array(observed), np.array(trials).reshape(len(observed), count).T


@settings(deadline=None, max_examples=60)
@given(outcomes=outcomes_with_gaps, data=st.data())
def test_shares_have_the_p_values_of_all_their_pairs_and_rows_one_by_one(
    outcomes: NDArray[Any], data: st.DataObject
) -> None:
    items = len(outcomes)
    units = data.draw(st.lists(st.integers(0, 5), min_size=items, max_size=items))
    units = [sorted(set(units)).index(unit) for unit in units]
    middle = items // 2
    parts = [np.arange(middle), np.arange(middle, items)]
    rows: list[Row] = [*([part] for part in parts), [np.arange(items)], parts]
    order = list(dict.fromkeys(units))  # units are numbered in order of appearance
    masks = np.random.default_rng(7).integers(2, size=(60, len(order)), dtype=bool)
    observed, trials = plain_differences(outcomes, rows, [order.index(unit) for unit in units], masks)
    known = np.isfinite(observed)
    compared = compare_rows(outcomes, rows, units=units, trials=60, seed=7)
    assert compared.delta.ravel() == pytest.approx(observed, nan_ok=True)
    assert np.isnan(compared.p.ravel()[~known]).all()
    plain = plain_step_down(np.round(observed[known], 9), np.round(trials[:, known], 9))
    assert compared.p.ravel()[known].tolist() == pytest.approx(plain)


def test_items_of_one_sentence_are_swapped_together() -> None:
    outcomes = np.array([[1, 0]] * 12, dtype=float)
    rows: list[Row] = [[np.arange(12)]]
    assert compare_rows(outcomes, rows, trials=5000, seed=1).p[0, 0] < 0.01
    # Twelve tests made from two sentences are two observations.
    assert compare_rows(outcomes, rows, units=["a"] * 6 + ["b"] * 6, trials=5000, seed=1).p[0, 0] > 0.4


@pytest.mark.parametrize("systems", [2, 6])
def test_equal_systems_are_told_apart_in_one_table_of_twenty_at_most(systems: int) -> None:
    """Five categories and both averages; the shares are those of easy and hard items."""
    rng = np.random.default_rng(systems)
    categories = [np.arange(start, start + 20) for start in range(0, 100, 20)]
    rows: list[Row] = [*([part] for part in categories), [np.arange(100)], categories]
    claims = 0
    for table in range(200):
        ease = rng.beta(2, 1, size=(100, 1))
        outcomes = (rng.random((100, systems)) < ease).astype(float)
        claims += bool((compare_rows(outcomes, rows, trials=300, seed=table).p < 0.05).any())
    assert claims <= 19  # 10 expected; more than 19 has a probability of 0.002


def test_a_real_difference_is_found_among_many_systems() -> None:
    rng = np.random.default_rng(1)
    shares = [0.9, *[0.7] * 8]
    outcomes = (rng.random((400, 9)) < shares).astype(float)
    p = compare_rows(outcomes, [[np.arange(400)]], seed=1, trials=2000).p[0]
    found = {pair for pair, value in zip(combinations(range(9), 2), p, strict=True) if value < 0.05}
    assert found == {(0, other) for other in range(1, 9)}
