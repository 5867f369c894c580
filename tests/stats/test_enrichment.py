"""Features of failures: numbers checked by hand, and a test that holds its level."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.stats.enrichment import Deals, Incidence, deviances, least_failing, odds_ratio


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


def test_so_many_failures_make_a_feature_as_telling_and_one_less_does_not() -> None:
    having = np.array([1, 2, 8, 10, 40, 100])
    for deviance in (0.5, 3.0, 4.5, 50.0):
        least = least_failing(having, 30, 100, deviance)
        can = least <= np.minimum(having, 30)
        assert (deviances(least, having, 30, 100)[can] >= deviance).all()
        assert (deviances(least - 1, having, 30, 100) < deviance).all()
    assert least_failing(having, 30, 100, 50.0).tolist() == [2, 3, 9, 11, 31, 31]


def test_deals_count_every_field_of_a_packed_number_right() -> None:
    """One feature that all outputs have is as telling whatever is dealt: not at all."""
    failed = np.arange(50) < 10
    everything = Incidence.of([np.arange(50)])
    deals = Deals(failed, np.arange(50), 25, 1)
    assert (deals.reaching(everything, 0.0), deals.reaching(everything, 0.01)) == (25, 0)


def test_deals_reach_what_plain_permutations_reach() -> None:
    rng = np.random.default_rng(1)
    features = [np.flatnonzero(rng.random(80) < 0.2) for _ in range(30)]
    failed = rng.random(80) < 0.3
    incidence = Incidence.of(features)
    having = np.array([len(units) for units in features])
    # Every output is a family of its own, so that a deal is one permutation of the same generator.
    again = np.random.default_rng(1)
    plain = [
        deviances(incidence.counts(failed[again.permutation(80)]), having, int(failed.sum()), 80).max()
        for _ in range(400)
    ]
    for deviance in (1.5, 2.0, 2.5, 3.0):
        dealt = Deals(failed, np.arange(80), 400, 1).reaching(incidence, deviance)
        assert dealt == sum(largest >= deviance for largest in plain)


def test_deals_end_once_enough_have_reached_it() -> None:
    failed = np.arange(50) < 10
    one = Incidence.of([np.arange(5)])
    deals = Deals(failed, np.arange(50), 900, 1)
    assert deals.reaching(one, 0.0) == 900
    assert 20 < deals.reaching(one, 0.0, most=20) < 60


def test_a_family_is_dealt_together() -> None:
    failed = np.array([True, True, False, False, True, False])
    families = np.array([0, 0, 1, 1, 2, 3])
    both = Incidence.of([np.array([0, 1]), np.array([2, 3])])
    whole = float(deviances(np.array([2, 0]), np.array([2, 2]), 3, 6).max())
    deals = Deals(failed, families, 50, 1)
    assert (deals.reaching(both, whole - 1e-9), deals.reaching(both, whole + 1e-9)) == (50, 0)


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
