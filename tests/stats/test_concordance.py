"""Agreement of weighted labels and of clusters, and an interval that is that of plain resampling."""

from __future__ import annotations

import numpy as np
import pytest

from mtassay.stats.rater_agreement import Measure, estimate_agreement, estimate_kappa


def ratings(raters: int, units: int, labels: int, *, missing: float = 0.0, seed: int = 1) -> np.ndarray:
    """Raters who often say the same; some ratings are missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=units)
    found = np.where(rng.random((raters, units)) < 0.7, truth, rng.integers(labels, size=(raters, units)))
    return np.where(rng.random((raters, units)) < missing, np.nan, found.astype(float))


@pytest.mark.parametrize("name", ["fleiss", "krippendorff"])
def test_the_interval_is_that_of_drawing_units_one_by_one(name: Measure) -> None:
    values = ratings(3, 80, 3)
    found = estimate_agreement(values, samples=4000)[name]
    draws = np.random.default_rng(2).integers(80, size=(2000, 80))
    drawn = [estimate_agreement(values[:, draw], samples=1)[name].value for draw in draws]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.02)


def test_weighted_kappa_by_hand() -> None:
    # Differences 0, 1, 0, 2: their squares have the mean 5/4. By chance: E(a²) + E(b²) - 2 E(a) E(b).
    a, b = np.array([1, 2, 3, 4.0]), np.array([1, 3, 3, 2.0])
    chance = 30 / 4 + 23 / 4 - 2 * (10 / 4) * (9 / 4)
    assert estimate_kappa(a, b, weighted=True).value == pytest.approx(1 - (5 / 4) / chance)


def test_clusters_count_once_and_widen_the_interval() -> None:
    values = ratings(2, 20, 2)
    repeated, groups = np.repeat(values, 10, axis=1), np.repeat(np.arange(20), 10)
    apart = estimate_agreement(repeated)["krippendorff"]
    together = estimate_agreement(repeated, clusters=groups)["krippendorff"]
    assert together.value == pytest.approx(apart.value)
    assert (apart.n, together.n) == (200, 20)
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_nothing_rated_twice_and_one_label_are_undefined() -> None:
    alone = np.array([[0.0, np.nan], [np.nan, 1.0]])
    assert estimate_agreement(alone)["krippendorff"].n == 0
    same = estimate_agreement(np.zeros((2, 5)))
    assert np.isnan(same["fleiss"].value)
    assert same["agreement"].value == 1.0
    assert np.isnan(estimate_kappa(np.zeros(5), np.zeros(5)).value)
