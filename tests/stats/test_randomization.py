"""Permutation tests: all pairs at once give what one pair after the other gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from mtassay.stats import resampling
from mtassay.stats.family import separate, swap_trials
from mtassay.stats.resampling import one_sided_permutation, paired_randomization


def total(sums: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(sums[..., 0], dtype=np.float64)


def with_ties_counted(values: NDArray[Any], *, trials: int, seed: int) -> NDArray[np.float64]:
    """Two-sided p-values (systems, systems) of our own test."""
    first, second = np.triu_indices(values.shape[1], 1)
    scores = total(values.sum(axis=0))
    p = np.eye(values.shape[1])
    p[first, second] = p[second, first] = separate(
        scores[first] - scores[second], swap_trials([values], [total], trials=trials, seed=seed)[0]
    )
    return p


counts = arrays(
    np.int64, st.tuples(st.integers(1, 40), st.integers(1, 4), st.just(1)), elements=st.integers(0, 9)
)


def differences(values: NDArray[Any], a: int, b: int, trials: int, seed: int) -> NDArray[Any]:
    """Shuffled differences of one pair, written as plainly as possible."""
    kept = np.random.default_rng(seed).integers(2, size=(trials, len(values)), dtype=bool)
    first, second = values[:, a, 0], values[:, b, 0]
    return np.where(kept, first, second).sum(axis=1) - np.where(kept, second, first).sum(axis=1)


@settings(deadline=None)
@given(values=counts)
def test_all_pairs_at_once_equal_one_pair_after_the_other(values: NDArray[Any]) -> None:
    trials, seed = 70, 11
    p = paired_randomization(values, total, trials=trials, seed=seed)
    with_ties = with_ties_counted(values, trials=trials, seed=seed)
    one_sided = one_sided_permutation(values, total, trials=trials, seed=seed)
    observed = values[:, :, 0].sum(axis=0)
    for a in range(values.shape[1]):
        for b in range(values.shape[1]):
            delta = observed[a] - observed[b]
            shuffled = differences(values, min(a, b), max(a, b), trials, seed) * (1 if a < b else -1)
            if a == b or not shuffled.any():
                assert p[a, b] == 1
            else:
                assert p[a, b] == (np.sum(np.abs(shuffled) > abs(delta)) + 1) / (trials + 1)
                assert with_ties[a, b] == (np.sum(np.abs(shuffled) >= abs(delta)) + 1) / (trials + 1)
                assert one_sided[a, b] == (np.sum(shuffled >= delta) + 1) / (trials + 1)


@settings(deadline=None, max_examples=30)
@given(values=counts, block=st.integers(1, 3000), chunk=st.integers(1, 50))
def test_blocks_do_not_change_the_p_values(values: NDArray[Any], block: int, chunk: int) -> None:
    whole = paired_randomization(values, total, trials=100, seed=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "_BLOCK_BYTES", block)
        patch.setattr(resampling, "_CHUNK_UNITS", chunk)
        parts = paired_randomization(values, total, trials=100, seed=3)
    np.testing.assert_array_equal(parts, whole)


@settings(deadline=None)
@given(values=counts, data=st.data())
def test_the_order_of_systems_does_not_matter(values: NDArray[Any], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(values.shape[1])))
    for test in (paired_randomization, one_sided_permutation):
        p = test(values, total, trials=50, seed=5)
        moved = test(values[:, order], total, trials=50, seed=5)
        np.testing.assert_array_equal(moved, p[np.ix_(order, order)])


def test_one_unit_proves_nothing_once_ties_count() -> None:
    values = np.array([[[1.0], [0.0]]])
    # Every trial gives 1 or -1, never more than the observed 1.
    assert paired_randomization(values, total, trials=99, seed=1)[0, 1] == 0.01
    assert with_ties_counted(values, trials=99, seed=1)[0, 1] == 1


def test_five_wins_of_five_are_one_in_thirty_two() -> None:
    values = np.array([[[1.0], [0.0]]] * 5)
    p = one_sided_permutation(values, total, trials=20000, seed=1)
    assert p[0, 1] == pytest.approx(1 / 32, abs=0.005)
    assert p[1, 0] == 1
    two_sided = with_ties_counted(values, trials=20000, seed=1)
    assert two_sided[0, 1] == pytest.approx(2 / 32, abs=0.007)


def test_equal_systems_are_not_different_and_an_undefined_score_has_no_p_value() -> None:
    def mean(sums: NDArray[Any]) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1], dtype=np.float64)

    rated = np.array([[2.0, 1.0], [3.0, 1.0], [1.0, 1.0]])
    values = np.stack([rated, rated, np.zeros((3, 2))], axis=1)
    p = paired_randomization(values, mean, trials=40, seed=1)
    assert p[0, 1] == p[1, 0] == 1
    assert np.isnan(p[0, 2])
    assert np.isnan(p[2, 1])
    assert np.isnan(one_sided_permutation(values, mean, trials=40, seed=1)[2, 0])
