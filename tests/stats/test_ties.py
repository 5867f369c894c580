"""Ties calibrated: every difference tried, as in the plain definition and as mt-metrics-eval has it."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats import correlation
from mtassay.stats import correlation as ties

NAN = math.nan
By = Literal["none", "item", "system"]


def accuracy(metric: np.ndarray, human: np.ndarray, epsilon: float) -> float:
    """One pair after the other; nan without pairs."""
    right = []
    rated = [(m, h) for m, h in zip(metric, human, strict=True) if not math.isnan(m + h)]
    for (m, h), (n, i) in combinations(rated, 2):
        ties_metric = abs(m - n) <= epsilon
        right.append(h == i if ties_metric else (m - n) * (h - i) > 0)
    return float(np.mean(right)) if right else NAN


def every_epsilon(metric: np.ndarray, human: np.ndarray, by: By) -> tuple[float, float]:
    rows = {"none": [(metric.ravel(), human.ravel())], "item": zip(metric.T, human.T, strict=True)}
    groups = list(rows.get(by, zip(metric, human, strict=True)))
    differences = {0.0}
    for x, y in groups:
        rated = x[~np.isnan(x + y)]
        differences |= {abs(float(a - b)) for a, b in combinations(rated, 2)}
    best = (-1.0, NAN)
    for epsilon in sorted(differences):
        values = [accuracy(x, y, epsilon) for x, y in groups]
        defined = [value for value in values if not math.isnan(value)]
        if defined and np.mean(defined) > best[0] + 1e-12:
            best = (float(np.mean(defined)), epsilon)
    return best if best[0] >= 0 else (NAN, NAN)


SCORE = st.one_of(st.integers(-3, 3).map(float), st.just(NAN))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    systems, items = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    table = st.lists(st.lists(SCORE, min_size=items, max_size=items), min_size=systems, max_size=systems)
    return np.array(draw(table)), np.array(draw(table))


@given(tables(), st.sampled_from(["none", "item", "system"]))
def test_no_epsilon_is_better_and_none_that_is_as_good_is_smaller(
    drawn: tuple[np.ndarray, np.ndarray], by: By
) -> None:
    found = correlation.calibrate_ties(*drawn, by=by)
    assert (found.value, found.epsilon) == pytest.approx(every_epsilon(*drawn, by), nan_ok=True)


@pytest.mark.parametrize("by", ["none", "item", "system"])
def test_looking_closer_only_where_it_pays_finds_the_same(by: By, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few bins every one holds many differences, and with small blocks rows come in parts."""
    monkeypatch.setattr(ties, "_FEW_BINS", 7)
    monkeypatch.setattr(ties, "_BLOCK", 40)
    rng = np.random.default_rng(5)
    human = rng.integers(-3, 1, size=(6, 9)).astype(float)
    metric = human + rng.normal(scale=2, size=human.shape)
    found = correlation.calibrate_ties(metric, human, by=by)
    assert (found.value, found.epsilon) == pytest.approx(every_epsilon(metric, human, by))
    assert found.epsilon > 0


def test_the_example_of_mt_metrics_eval_gives_its_numbers() -> None:
    """The matrices, the epsilon and the accuracy of its `tau_optimization_test.py`."""
    metric = [[0, 5, 2, 3, 2], [NAN, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [NAN] * 5]
    human = [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, NAN, 3, 2], [NAN] * 5]
    found = correlation.calibrate_ties(np.array(metric), np.array(human), by="system")
    assert found == (pytest.approx(0.4916666666666668), 1.0, 4, 32)


def test_without_a_pair_there_is_nothing_to_calibrate() -> None:
    found = correlation.calibrate_ties(np.array([[1.0, NAN]]), np.array([[1.0, 2.0]]))
    assert math.isnan(found.value)
    assert (found.groups, found.pairs) == (0, 0)
