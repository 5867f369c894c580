"""Score thresholds from which outputs are called wrong, with a required precision.

A threshold that was chosen where precision is high on some labels has a lower one on others. So precision is
read from a logistic curve through the labels, not from the labels themselves, and outputs that the curve did
not see decide how strict the threshold must be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_RIDGE = 1e-2
_STEP = 0.02
_DOUBT = 5
"""Outputs with the usual share of errors that are added to those called wrong: few prove little."""
_LEAST = 0.2
"""Less likely errors are never called wrong, at any precision."""
FEWEST = 10
"""Outputs that must be called wrong before their precision says anything."""


class FlaggedCounts(NamedTuple):
    """Counts of outputs: called wrong rightly, called wrong falsely, missed, and neither."""

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
        """Share of the outputs called wrong that are wrong; nan if none was called wrong."""
        flagged = self.hits + self.alarms
        return self.hits / flagged if flagged else math.nan

    @property
    def recall(self) -> float:
        """Share of the wrong outputs that are called wrong; nan without wrong outputs."""
        wrong = self.hits + self.misses
        return self.hits / wrong if wrong else math.nan


def fit_logistic(features: ArrayLike, is_error: ArrayLike) -> Floats:
    """The bias and the weights of a logistic model, with a slight pull towards 0.

    `features` are (outputs, features), or one feature for each output. Without both kinds of outputs the
    weights are 0.

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
    """A fold for each output, from 0; outputs of one group share a fold, and folds are equally large."""
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

    A higher score is a more certain error; nan is never called wrong. The threshold is as strict as the
    precision on outputs of held-out groups requires. At least ten of these must be called wrong; five with
    the usual share of errors are added, since few prove little.
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
            # Use the middle to the next score, so that the order of equal scores does not matter.
            middle = (limit + below.max()) / 2 if len(below) else limit
            return float(middle) if math.isfinite(limit) else None
        level += _STEP
    return None


def _smooth_threshold(scores: Floats, is_error: NDArray[np.bool_], precision: float) -> float:
    """The lowest score from which the mean probability of an error is high enough; infinite for none."""
    if not len(scores):
        return math.inf
    weights = fit_logistic(scores, is_error)
    if weights[1] < 0:
        return math.inf  # the more certain the judge, the less often it is right
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    chances = logistic(ordered, weights)
    means = np.cumsum(chances) / np.arange(1, len(ordered) + 1)
    last = np.append(ordered[1:] != ordered[:-1], True)
    # A judge so good that precision is left over need not call right outputs wrong.
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
    """Mark outputs called wrong, with each fold's threshold taken from the other folds.

    So no output's label influences the threshold that judges it.
    """
    values, wrong = np.asarray(scores, dtype=np.float64), np.asarray(is_error, dtype=bool)
    parts = folds_by_group(groups, folds, seed=None if seed is None else seed + 1)
    flagged = np.zeros(len(values), dtype=bool)
    for learn, held in _splits(parts, folds):
        own = [group for group, chosen in zip(groups, learn, strict=True) if chosen]
        limit = threshold_for_precision(values[learn], wrong[learn], own, precision, folds=folds, seed=seed)
        if limit is not None:
            flagged |= held & (values >= limit)
    return flagged


def _splits(parts: NDArray[np.int64], folds: int) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    for part in range(folds):
        yield parts != part, parts == part
