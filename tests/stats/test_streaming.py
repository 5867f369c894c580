"""Resamples of blocks that come one after the other have the distribution of resamples of all units."""

from __future__ import annotations

import numpy as np
import pytest

from mtassay.stats.resampling import StreamedSums, bootstrap_sums

RNG = np.random.default_rng(7)
VALUES = RNG.integers(0, 9, size=(300, 2, 3))


def streamed(sizes: list[int], *, samples: int = 4000, seed: int = 1) -> StreamedSums:
    sums = StreamedSums(sum(sizes), samples=samples, seed=seed)
    start = 0
    for size in sizes:
        block = VALUES[start : start + size]
        sums.add([block, np.ones((size, 1), int)])
        start += size
    return sums


@pytest.mark.parametrize("sizes", [[300], [100, 100, 100], [1, 250, 0, 49], [7] * 42 + [6]])
def test_every_resample_has_as_many_units_as_there_are(sizes: list[int]) -> None:
    sums = streamed(sizes, samples=200)
    assert sums.totals[0].tolist() == VALUES.sum(axis=0).tolist()
    assert set(sums.resampled[1].ravel()) == {300.0}


@pytest.mark.parametrize("sizes", [[100, 100, 100], [1, 250, 49]])
def test_sums_of_resamples_spread_as_those_of_all_units_together(sizes: list[int]) -> None:
    resampled = streamed(sizes).resampled[0].reshape(4000, -1)
    values = VALUES.reshape(300, -1)
    # The mean of a resampled sum is the sum, its covariance n times that of one draw.
    expected = 300 * np.cov(values.T, ddof=0)
    deviation = np.sqrt(np.diag(expected))
    assert np.abs(resampled.mean(axis=0) - values.sum(axis=0)).max() < 4 * deviation.max() / np.sqrt(4000)
    assert np.abs(np.cov(resampled.T) - expected).max() < 0.1 * expected.max()
    (other,) = bootstrap_sums([VALUES], samples=4000, seed=2)
    shares = (0.025, 0.25, 0.5, 0.75, 0.975)
    ours, theirs = (np.quantile(part.reshape(4000, -1), shares, axis=0) for part in (resampled, other))
    # The difference of two outer quantiles of 4,000 values each has a standard error of 0.06 deviations.
    assert np.abs(ours - theirs).max() < 0.25 * deviation.max()


def test_how_often_a_block_is_drawn_is_binomial() -> None:
    sums = StreamedSums(100, samples=20000, seed=3)
    for marked in (0, 1, 0):
        size = (30, 20, 50)[sums.units // 30 if sums.units < 50 else 2]
        sums.add([np.full((size, 1), marked)])
    drawn = sums.resampled[0][:, 0]
    assert abs(drawn.mean() - 20) < 0.1
    assert abs(drawn.var() - 100 * 0.2 * 0.8) < 0.5


def test_equal_seeds_give_equal_resamples_and_too_many_units_are_refused() -> None:
    assert np.array_equal(streamed([150, 150]).resampled[0], streamed([150, 150]).resampled[0])
    sums = streamed([300], samples=10)
    with pytest.raises(ValueError, match="300 units were announced"):
        sums.add([VALUES[:1], np.ones((1, 1), int)])
