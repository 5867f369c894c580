"""Features of failures: numbers checked by hand, and a test that holds its level."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.stats import Deals, Incidence, deviances, odds_ratio


@pytest.mark.parametrize(
    ("failing", "having", "failures", "units"), [(8, 8, 30, 100), (12, 20, 50, 200), (6, 6, 20, 400)]
)
def test_a_deviance_is_near_the_quantile_of_the_exact_test(
    failing: int, having: int, failures: int, units: int
) -> None:
    tail = sum(
        math.comb(failures, k) * math.comb(units - failures, having - k)
        for k in range(failing, min(having, failures) + 1)
    ) / math.comb(units, having)
    z = float(deviances(np.array([failing]), np.array([having]), failures, units)[0])
    normal = math.erfc(z / math.sqrt(2)) / 2
    assert math.log10(normal) == pytest.approx(math.log10(tail), abs=0.35)


def test_what_failures_have_no_oftener_is_not_telling() -> None:
    assert deviances(np.array([0, 3, 1]), np.array([9, 10, 10]), 30, 100).tolist() == [0, 0, 0]


def test_deals_count_every_field_of_a_packed_number_right() -> None:
    """The largest deviance of one feature that all failures have is the same whatever is dealt: none."""
    failed = np.arange(50) < 10
    everything = Incidence.of([np.arange(50)])
    assert not Deals(failed, np.arange(50), 25, 1).maxima(everything).any()


def test_the_maxima_are_those_of_plain_permutations() -> None:
    rng = np.random.default_rng(1)
    features = [np.flatnonzero(rng.random(80) < 0.2) for _ in range(30)]
    failed = rng.random(80) < 0.3
    incidence = Incidence.of(features)
    having = np.array([len(units) for units in features])
    plain = [
        deviances(incidence.counts(rng.permutation(failed)), having, int(failed.sum()), 80).max()
        for _ in range(400)
    ]
    dealt = Deals(failed, np.arange(80), 400, 1).maxima(incidence)
    assert np.median(dealt) == pytest.approx(np.median(plain), abs=0.15)


def test_a_family_is_dealt_together() -> None:
    failed = np.array([True, True, False, False, True, False])
    families = np.array([0, 0, 1, 1, 2, 3])
    both = Incidence.of([np.array([0, 1]), np.array([2, 3])])
    having = np.array([2, 2])
    whole = float(deviances(np.array([2, 0]), having, 3, 6).max())
    assert set(Deals(failed, families, 50, 1).maxima(both).round(9)) == {round(whole, 9)}


def test_odds_grow_with_what_only_failures_have_and_stay_finite() -> None:
    some, (low, high) = odds_ratio(10, 100, 10, 100)
    assert (some, low < 1 < high) == (1.0, True)
    assert odds_ratio(20, 100, 0, 100)[0] > odds_ratio(10, 100, 0, 100)[0] > 1
    assert math.isfinite(odds_ratio(100, 100, 0, 100)[0])


def test_the_odds_of_a_rare_feature_that_no_pass_has_are_surely_higher() -> None:
    """(8.5 / 206.95) / (0.5 / 1783.95), where 10 · 8 / 1979 would be less than half a unit."""
    ratio, (low, _) = odds_ratio(8, 205, 0, 1774)
    assert ratio == pytest.approx(8.5 / 206.96 * 1783.96 / 0.5, rel=1e-3)
    assert low > 5
