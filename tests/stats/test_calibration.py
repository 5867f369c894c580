"""Thresholds for a wished precision: met on labels that had no part in them, or refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.stats.thresholds import (
    FlaggedCounts,
    fit_logistic,
    flag_held_out,
    folds_by_group,
    logistic,
    threshold_for_precision,
)


def drawn(n: int, slope: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and errors whose logit is `slope` times the score."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    return scores, rng.random(n) < 1 / (1 + np.exp(-slope * scores))


def test_a_logistic_model_finds_the_weights_that_made_the_labels() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(20_000, 2))
    y = rng.random(20_000) < 1 / (1 + np.exp(-(0.5 + 2 * x[:, 0] - 1 * x[:, 1])))
    assert fit_logistic(x, y) == pytest.approx([0.5, 2, -1], abs=0.08)
    assert logistic([[0.0, 0.0]], np.array([0.0, 1.0, 1.0])) == pytest.approx([0.5])


def test_labels_of_one_kind_and_equal_scores_make_no_weight() -> None:
    assert list(fit_logistic([1.0, 2.0], [True, True])) == [0, 0]
    assert fit_logistic([1.0, 1.0], [True, False])[1] == pytest.approx(0)


def test_outputs_of_one_source_are_in_one_fold() -> None:
    groups = [f"s{n // 3}" for n in range(90)]
    folds = folds_by_group(groups, 5, seed=1)
    assert all(len({folds[i] for i in range(90) if groups[i] == group}) == 1 for group in groups)
    assert sorted(np.bincount(folds)) == [18] * 5


@pytest.mark.parametrize("wish", [0.7, 0.8, 0.9])
def test_a_wish_that_can_be_met_is_met_on_other_labels(wish: float) -> None:
    others, truth = drawn(50_000, 3.0, 999)
    met = []
    for seed in range(20):
        scores, errors = drawn(200, 3.0, seed)
        limit = threshold_for_precision(scores, errors, range(200), wish)
        if limit is not None:
            met.append(truth[others >= limit].mean())
    assert len(met) >= 18
    assert np.mean(met) == pytest.approx(wish, abs=0.04)


def test_a_judge_that_knows_nothing_gets_no_threshold() -> None:
    refused = 0
    for seed in range(20):
        scores, errors = drawn(150, 0.0, seed)
        refused += threshold_for_precision(scores, errors, range(150), 0.8) is None
    assert refused == 20


def test_a_judge_that_is_upside_down_gets_none_either() -> None:
    scores, errors = drawn(300, -4.0, 3)
    assert threshold_for_precision(scores, errors, range(300), 0.6) is None


def test_a_wish_below_the_share_of_errors_flags_all() -> None:
    scores, errors = drawn(200, 0.3, 8)
    limit = threshold_for_precision(scores, errors, range(200), 0.2)
    assert limit == scores.min()


def test_what_has_no_score_is_never_called_wrong() -> None:
    scores, errors = drawn(200, 4.0, 1)
    scores[::10] = math.nan
    flagged = flag_held_out(scores, errors, range(200), 0.8)
    assert flagged.any()
    assert not flagged[::10].any()


def test_held_out_counts_are_those_of_the_four_cells() -> None:
    cells = FlaggedCounts.of(np.array([1, 1, 1, 0, 0], bool), np.array([1, 1, 0, 1, 0], bool))
    assert cells == (2, 1, 1, 1)
    assert (cells.precision, cells.recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert math.isnan(FlaggedCounts(0, 0, 0, 3).precision)
