"""Tests between metrics: what is swapped, what p counts, and who gets which rank."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

from mtassay.meta.correlate import CorrelationSettings, correlate
from mtassay.meta.rated_material import Rater, RatingFrame
from mtassay.meta.significance import (
    Contender,
    PairOutcomes,
    Swaps,
    TranslationGroups,
    assign_ranks,
    rank_metrics,
    swap_systems,
)
from mtassay.stats import correlation
from mtassay.stats import correlation_rows as resampled

MANY = 20000
RNG = np.random.default_rng(11)
HUMAN = RNG.integers(-4, 1, size=(4, 5)).astype(float)
GOOD = HUMAN + RNG.normal(scale=0.8, size=HUMAN.shape)
POOR = HUMAN + RNG.normal(scale=3.0, size=HUMAN.shape)


def z(scores: np.ndarray) -> np.ndarray:
    return (scores - scores.mean()) / scores.std()


def wmt(trials: int = MANY) -> Swaps:
    return Swaps("wmt", trials)


def test_systems_swapped_in_every_way_give_the_p_of_many_random_swaps() -> None:
    better, worse = np.array([1.0, 2, 3, 5, 4]), np.array([2.0, 1, 5, 3, 4])
    human = np.array([1.0, 2, 3, 4, 5])
    first, second = z(better), z(worse)
    observed = correlation.pearson(first, human) - correlation.pearson(second, human)
    differences = []
    for keep in product([True, False], repeat=5):
        one, other = np.where(keep, first, second), np.where(keep, second, first)
        differences.append(correlation.pearson(one, human) - correlation.pearson(other, human))
    one_sided = float(np.mean(np.array(differences) >= observed - 1e-9))
    two_sided = float(np.mean(np.abs(differences) >= abs(observed) - 1e-9))
    found = swap_systems(better, worse, human, resampled.pearson_rows, wmt())
    assert found == pytest.approx(one_sided, abs=0.015)
    found = swap_systems(better, worse, human, resampled.pearson_rows, Swaps(trials=MANY))
    assert found == pytest.approx(two_sided, abs=0.015)


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
@pytest.mark.parametrize("test", ["wmt", "randomization"])
def test_pearson_over_translations_is_swapped_as_said(grouping: str, test: str) -> None:
    """One after the other: WMT swaps single translations, we all translations of a segment."""
    first, second = z(GOOD), z(POOR)

    def difference(keep: np.ndarray) -> float:
        sides = np.where(keep, first, second), np.where(keep, second, first)
        one, other = (
            correlation.grouped(correlation.pearson, side, HUMAN, by=grouping).value for side in sides
        )
        return one - other

    observed = difference(np.ones(HUMAN.shape, dtype=bool))
    rng = np.random.default_rng(3)
    shape = HUMAN.shape if test == "wmt" else HUMAN.shape[1:]
    differences = np.array(
        [difference(np.broadcast_to(rng.random(shape) < 0.5, HUMAN.shape)) for _ in range(2000)]
    )
    if test == "randomization":
        differences, observed = np.abs(differences), abs(observed)
    expected = float(np.mean(differences >= observed - 1e-9))
    found = TranslationGroups.of(HUMAN, grouping).swap(GOOD, POOR, Swaps(test, 2000))
    assert found == pytest.approx(expected, abs=0.05)


def test_outcomes_of_pairs_are_swapped_one_by_one_at_wmt_and_item_by_item_here() -> None:
    epsilons = [correlation.calibrate_ties(metric, HUMAN, by="item").epsilon for metric in (GOOD, POOR)]
    tables = [
        np.array(
            [
                [
                    (HUMAN[a, s] == HUMAN[b, s])
                    if abs(metric[a, s] - metric[b, s]) <= epsilon
                    else (metric[a, s] - metric[b, s]) * (HUMAN[a, s] - HUMAN[b, s]) > 0
                    for a, b in combinations(range(4), 2)
                ]
                for s in range(5)
            ]
        ).astype(float)
        for metric, epsilon in zip((GOOD, POOR), epsilons, strict=True)
    ]
    change = tables[0] - tables[1]
    observed = change.mean()
    assert observed > 0
    rng = np.random.default_rng(4)
    outcomes = [PairOutcomes.of(metric, HUMAN, e) for metric, e in zip((GOOD, POOR), epsilons, strict=True)]
    single = (change * rng.choice([-1, 1], size=(MANY, *change.shape))).mean(axis=(1, 2))
    expected = np.mean(single >= observed - 1e-9)
    assert outcomes[0].swap(outcomes[1], wmt()) == pytest.approx(expected, abs=0.015)
    whole = (change * rng.choice([-1, 1], size=(MANY, 5, 1))).mean(axis=(1, 2))
    expected = np.mean(np.abs(whole) >= observed - 1e-9)
    assert outcomes[0].swap(outcomes[1], Swaps(trials=MANY)) == pytest.approx(expected, abs=0.015)


def test_a_metric_never_differs_from_itself() -> None:
    for swaps in (wmt(100), Swaps(trials=100)):
        assert TranslationGroups.of(HUMAN, "none").swap(GOOD, GOOD, swaps) == 1
        outcomes = PairOutcomes.of(GOOD, HUMAN, 0.0)
        assert outcomes.swap(outcomes, swaps) == 1


def test_a_rank_ends_where_a_metric_is_worse_than_any_of_it() -> None:
    p = np.ones((5, 5))
    p[0, 2] = 0.05  # the third is worse than the first: a new rank
    p[1, 3] = 0.01  # of a rank above, which is over
    p[2, 4] = 0.04
    assert assign_ranks(p) == [1, 1, 2, 2, 3]
    assert assign_ranks(np.ones((0, 0))) == []


def test_our_test_is_corrected_for_the_number_of_pairs_and_wmts_is_not() -> None:
    contenders = [Contender(name, value, value) for name, value in (("a", 0.9), ("b", 0.8), ("c", 0.7))]
    by_test = {
        test: rank_metrics("mqm", "pearson", contenders, lambda a, b: 0.02, Swaps(test))
        for test in ("wmt", "randomization")
    }
    assert [c.p for c in by_test["wmt"][0]] == [0.02] * 3
    assert [c.p for c in by_test["randomization"][0]] == pytest.approx([0.06] * 3)
    assert [(c.rank, c.systems) for c in by_test["wmt"][1]] == [(1, ("a",)), (2, ("b",)), (3, ("c",))]
    assert [(c.rank, c.systems) for c in by_test["randomization"][1]] == [(1, ("a", "b", "c"))]


def rater(name: str, segments: np.ndarray) -> Rater:
    return Rater(name, name, np.nanmean(segments, axis=1), segments)


@pytest.mark.parametrize(
    ("level", "statistics"),
    [
        ("system", ["pearson", "spearman", "kendall", "pairwise_accuracy"]),
        ("segment", ["pearson", "acc_eq"]),
    ],
)
def test_people_are_not_ranked_among_metrics_and_a_clearly_better_metric_is_ahead(
    level: str, statistics: list[str]
) -> None:
    rng = np.random.default_rng(8)
    truth = 0.5 * np.arange(8)[:, None] + rng.normal(scale=2, size=(8, 80))
    human = rater("mqm", truth.round())
    other = rater("da", truth + rng.normal(size=truth.shape))
    metrics = [
        rater("good", truth + rng.normal(scale=0.1, size=truth.shape)),
        rater("noise", rng.normal(size=truth.shape)),
    ]
    frame = RatingFrame([f"s{i}" for i in range(8)], [str(i) for i in range(80)])
    settings = CorrelationSettings(level=level, grouping="item", samples=100, trials=400)
    found = correlate([*metrics, human, other], [human, other], frame=frame, settings=settings).result
    assert list(dict.fromkeys(c.group for c in found.comparisons)) == statistics
    assert {(c.a, c.b) for c in found.comparisons} == {("good", "noise")}
    assert all(c.p is not None and not math.isnan(c.p) for c in found.comparisons)
    last = [
        c for c in found.clusters if c.name == "mqm" and c.group == statistics[0 if level == "system" else -1]
    ]
    assert [(c.rank, c.systems) for c in last] == [(1, ("good",)), (2, ("noise",))]
