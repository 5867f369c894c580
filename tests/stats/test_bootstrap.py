"""The bootstrap: same draws as sacreBLEU, the same numbers in any blocks, for any order of systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.stats import resampling
from mtassay.stats.resampling import (
    bootstrap_scores,
    bootstrap_sums,
    default_seed,
    difference_standard_errors,
    paired_bootstrap,
)


def ratio(sums: NDArray[Any]) -> NDArray[np.float64]:
    """Matches per length: the first column over the second; nan without length."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)


counts = arrays(
    np.int64,
    st.tuples(st.integers(1, 40), st.integers(1, 4), st.just(2)),
    elements=st.integers(0, 1000),
)


@pytest.mark.parametrize("n", [1, 2, 3, 255, 256, 1999, 5000])
def test_resamples_are_those_of_one_call_of_choice(n: int) -> None:
    values = np.random.default_rng(0).integers(0, 100, size=(n, 2, 3))
    drawn = np.random.default_rng(7).choice(n, size=(20, n), replace=True)
    (sums,) = bootstrap_sums([values], samples=20, seed=7)
    np.testing.assert_array_equal(sums, values[drawn].sum(axis=1))


@settings(deadline=None)
@given(values=counts, block=st.integers(1, 300), chunk=st.integers(1, 50))
def test_blocks_do_not_change_the_sums(values: NDArray[Any], block: int, chunk: int) -> None:
    (whole,) = bootstrap_sums([values], samples=17, seed=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "_BLOCK_BYTES", block)
        patch.setattr(resampling, "_CHUNK_UNITS", chunk)
        (parts,) = bootstrap_sums([values], samples=17, seed=3)
    np.testing.assert_array_equal(parts, whole)


@settings(deadline=None)
@given(values=counts)
def test_metrics_in_one_pass_get_the_sums_they_get_alone(values: NDArray[Any]) -> None:
    lengths = values[:, :, 1].astype(np.float64)
    both = bootstrap_sums([values, lengths], samples=9, seed=1)
    np.testing.assert_array_equal(both[0], bootstrap_sums([values], samples=9, seed=1)[0])
    np.testing.assert_array_equal(both[1], bootstrap_sums([lengths], samples=9, seed=1)[0])
    np.testing.assert_array_equal(both[0][:, :, 1], both[1])


def test_metrics_with_other_units_cannot_share_draws() -> None:
    with pytest.raises(ValueError, match=r"\[2, 3\]"):
        bootstrap_sums([np.ones((2, 1)), np.ones((3, 1))], seed=1)


def test_no_units_sum_to_zero() -> None:
    assert bootstrap_sums([np.ones((0, 2, 3))], samples=5, seed=1)[0].tolist() == np.zeros((5, 2, 3)).tolist()


def test_the_same_seed_gives_the_same_scores_and_another_seed_others() -> None:
    values = np.random.default_rng(0).integers(1, 100, size=(50, 2, 2))
    first, again, other = (bootstrap_scores(values, ratio, samples=10, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_paired_bootstrap_by_hand() -> None:
    # |d| = 2, 1, 6, 3 with mean 3; less the mean: -1, -2, 3, 0. One exceeds the observed 2: p = (1 + 1) / 5.
    resampled = np.array([[10, 12], [10, 11], [10, 16], [10, 13]])
    np.testing.assert_array_equal(paired_bootstrap([10, 12], resampled), [[1, 0.4], [0.4, 1]])


def test_systems_that_never_differ_are_not_significantly_different() -> None:
    resampled = np.array([[10, 10], [12, 12], [11, 11]])
    np.testing.assert_array_equal(paired_bootstrap([11, 11], resampled), np.ones((2, 2)))


def test_undefined_resamples_are_left_out_of_their_pairs_only() -> None:
    resampled = np.array([[10, 12, 10], [10, 11, np.nan], [10, 16, 10], [10, 13, 10]])
    p = paired_bootstrap([10, 12, 10], resampled)
    assert p[0, 1] == 0.4
    # Left: |d| = 2, 6, 3 with mean 11/3; only 6 - 11/3 exceeds 2.
    assert p[1, 2] == p[2, 1] == 0.5


def test_an_undefined_score_has_no_p_value() -> None:
    resampled = np.array([[10.0, np.nan, 11.0], [11.0, np.nan, 10.0]])
    p = paired_bootstrap([10, np.nan, 10], resampled)
    assert np.isnan(p[0, 1])
    assert np.isnan(p[2, 1])
    assert not np.isnan(p[0, 2])


@settings(deadline=None)
@given(values=counts, data=st.data())
def test_the_order_of_systems_does_not_matter(values: NDArray[Any], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(values.shape[1])))
    p, moved = (
        paired_bootstrap(ratio(part.sum(axis=0)), bootstrap_scores(part, ratio, samples=50, seed=5))
        for part in (values, values[:, order])
    )
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(moved, p[np.ix_(order, order)])


def test_standard_errors_are_those_of_paired_differences() -> None:
    # Differences 1, 2, 3: standard deviation 1, far less than that of either system.
    resampled = np.array([[10, 11], [20, 22], [30, 33]])
    np.testing.assert_allclose(difference_standard_errors(resampled), [[0, 1], [1, 0]])
    assert np.isnan(difference_standard_errors(np.array([[1, np.nan], [2, 3]]))[0, 1])


@pytest.mark.parametrize(
    ("text", "seed"), [(None, 12345), ("7", 7), ("0", 0), ("none", None), ("None", None), (" 42 ", 42)]
)
def test_the_seed_comes_from_where_sacrebleu_reads_it(
    text: str | None, seed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    if text is not None:
        monkeypatch.setenv("SACREBLEU_SEED", text)
    assert default_seed() == seed


@pytest.mark.parametrize("text", ["x", "", "1.5", "-3"])
def test_a_seed_that_is_no_number_is_one_clear_line(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", text)
    with pytest.raises(UsageError, match=r"SACREBLEU_SEED is .*whole number"):
        default_seed()
