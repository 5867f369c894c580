"""Finds score thresholds for calling outputs wrong with a required precision.

If a threshold is chosen for its high precision on some labels, its precision on other labels is lower. So
precision is taken from a logistic curve that is fitted to the labels, and outputs that were not used for the
fit decide how strict the threshold must be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_RIDGE = 1e-2
_STEP = 0.02
_DOUBT = 5
"""Number of outputs with the usual share of errors added to those called wrong; few prove little."""
_LEAST = 0.2
"""Outputs with a lower probability of an error are never called wrong."""
FEWEST = 10
"""Number of outputs that must be called wrong to trust their precision."""


class FlaggedCounts(NamedTuple):
    """Counts of outputs: true positives, false positives, false negatives, true negatives."""

    hits: int
    alarms: int
    misses: int
    rest: int

    @classmethod
    def of(cls, flagged: NDArray[np.bool_], is_error: NDArray[np.bool_]) -> FlaggedCounts:
        """Count the outcomes."""
        cells = [(flagged, is_error), (flagged, ~is_error), (~flagged, is_error), (~flagged, ~is_error)]
        return cls(*(int((one & other).sum()) for one, other in cells))

    @property
    def precision(self) -> float:
        """Share of wrong outputs among those called wrong; nan if none was called wrong."""
        flagged = self.hits + self.alarms
        return self.hits / flagged if flagged else math.nan

    @property
    def recall(self) -> float:
        """Share of the wrong outputs that are called wrong; nan without wrong outputs."""
        wrong = self.hits + self.misses
        return self.hits / wrong if wrong else math.nan


def fit_logistic(features: ArrayLike, is_error: ArrayLike) -> Floats:
    """Fit the bias and the weights of a logistic model, with slight regularisation towards 0.

    `features` has the shape (outputs, features), or one feature for each output. If a kind of outputs is
    missing, the weights are 0.

    >>> weights = fit_logistic([0.0, 1.0, 2.0, 3.0], [False, False, True, True])
    >>> bool(weights[1] > 0), [round(float(p)) for p in logistic([0.0, 3.0], weights)]
    (True, [0, 1])
    """
    x = _columns(features)
    y = np.asarray(is_error, dtype=np.float64)
    middle, spread = x.mean(axis=0), x.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    design = np.column_stack([np.ones(len(x)), (x - middle) / spread])
    pull = _RIDGE * np.append(0.0, np.ones(x.shape[1]))
    weights = np.zeros(design.shape[1])
    if not 0 < y.sum() < len(y):
        return weights
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (y - p) - pull * weights
        curvature = (design * (p * (1 - p) + 1e-9)[:, None]).T @ design + np.diag(pull)
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    slopes = weights[1:] / spread
    return np.append(weights[0] - slopes @ middle, slopes)


def logistic(features: ArrayLike, weights: Floats) -> Floats:
    """The probability of an error according to a fitted model."""
    return np.asarray(1 / (1 + np.exp(-np.clip(weights[0] + _columns(features) @ weights[1:], -30, 30))))


def _columns(features: ArrayLike) -> Floats:
    x = np.asarray(features, dtype=np.float64)
    return x[:, None] if x.ndim == 1 else x


def folds_by_group(groups: Sequence[Any], count: int, *, seed: int | None) -> NDArray[np.int64]:
    """Assign a fold (from 0) to each output; a group is in one fold, and folds have about equal sizes."""
    ids: dict[Any, int] = {}
    codes = np.array([ids.setdefault(group, len(ids)) for group in groups], dtype=np.int64)
    order = np.random.default_rng(seed).permutation(len(ids))
    return np.asarray(order % count)[codes]


def threshold_for_precision(
    scores: ArrayLike,
    is_error: ArrayLike,
    groups: Sequence[Any],
    precision: float,
    *,
    folds: int = 5,
    seed: int | None = 12345,
) -> float | None:
    """The lowest score that calls an output wrong; `None` if this precision cannot be reached.

    A higher score means a more certain error; nan is never called wrong. The threshold is as strict as the
    precision on outputs of held-out groups requires. At least ten of these outputs must be called wrong. Five
    outputs with the usual share of errors are added, since few outputs prove little.
    """
    values, wrong = np.asarray(scores, dtype=np.float64), np.asarray(is_error, dtype=bool)
    scored = ~np.isnan(values)
    parts = folds_by_group(groups, folds, seed=seed)
    splits = [(scored & (parts != part), scored & (parts == part)) for part in range(folds)]
    level = precision
    while level < 1 - 1e-9:
        flagged = np.zeros(len(values), dtype=bool)
        for learn, held in splits:
            limit = _smooth_threshold(values[learn], wrong[learn], level)
            flagged |= held & (values >= limit)
        if flagged.sum() < FEWEST:
            return None
        hits, share = float(wrong[flagged].sum()), float(wrong[scored].mean())
        if (hits + _DOUBT * share) / (flagged.sum() + _DOUBT) >= precision:
            limit = _smooth_threshold(values[scored], wrong[scored], level)
            below = values[scored & (values < limit)]
            # Use the midpoint to the next score, so that the order of equal scores does not matter.
            middle = (limit + below.max()) / 2 if len(below) else limit
            return float(middle) if math.isfinite(limit) else None
        level += _STEP
    return None


def _smooth_threshold(scores: Floats, is_error: NDArray[np.bool_], precision: float) -> float:
    """The lowest score from which the mean probability of an error is high enough; infinite without one."""
    if not len(scores):
        return math.inf
    weights = fit_logistic(scores, is_error)
    if weights[1] < 0:
        return math.inf  # the judge is less often right when it is more certain
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    chances = logistic(ordered, weights)
    means = np.cumsum(chances) / np.arange(1, len(ordered) + 1)
    last = np.append(ordered[1:] != ordered[:-1], True)
    # If the judge exceeds the precision, it does not have to call right outputs wrong.
    good = np.flatnonzero(last & (means >= precision - 1e-12) & (chances >= min(_LEAST, precision / 2)))
    return float(ordered[good[-1]]) if len(good) else math.inf


def flag_held_out(
    scores: ArrayLike,
    is_error: ArrayLike,
    groups: Sequence[Any],
    precision: float,
    *,
    folds: int = 5,
    seed: int | None = 12345,
) -> NDArray[np.bool_]:
    """Mark the outputs called wrong, with thresholds for each fold from the other folds.

    So the label of an output never influences its own threshold.
    """
    values, wrong = np.asarray(scores, dtype=np.float64), np.asarray(is_error, dtype=bool)
    parts = folds_by_group(groups, folds, seed=None if seed is None else seed + 1)
    flagged = np.zeros(len(values), dtype=bool)
    for part in range(folds):
        learn, held = parts != part, parts == part
        own = [group for group, chosen in zip(groups, learn, strict=True) if chosen]
        limit = threshold_for_precision(values[learn], wrong[learn], own, precision, folds=folds, seed=seed)
        if limit is not None:
            flagged |= held & (values >= limit)
    return flagged
