"""Agreement between raters of the same units: observed, Cohen's and Fleiss' kappa, Krippendorff's alpha.

Ratings have one row for each rater and one column for each unit; nan means that this rater did not rate this
unit. Labels are numbers. 1 is full agreement, 0 is agreement by chance, and below 0 is systematic
disagreement. A coefficient is undefined (nan) if nothing was rated twice. It is also undefined if all ratings
are equal, since agreement then cannot be distinguished from chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.resampling import interval

Floats = NDArray[np.float64]


def ordinal_alpha(values: Floats) -> float:
    """Krippendorff's alpha (2011) of ranked labels; the distance of two is the number of ratings between.

    >>> round(ordinal_alpha(np.array([[1, 2, 3, np.nan], [1, 2, 4, 4]])), 4)
    0.9495
    """
    values = values[:, (~np.isnan(values)).sum(axis=0) >= 2]
    sizes = (~np.isnan(values)).sum(axis=0)
    total = int(sizes.sum())
    # The sum of (x - y)² over all pairs is 2 · (n · sum of x² - (sum of x)²); the mean is subtracted first.
    places = _middle_ranks(values)
    places = places - (np.nansum(places) / total if total else 0.0)
    observed = 2 * (sizes * np.nansum(places**2, axis=0) - np.nansum(places, axis=0) ** 2)
    expected = 2 * total * float(np.nansum(places**2))
    if len(np.unique(values[~np.isnan(values)])) < 2:
        return math.nan
    return 1 - (total - 1) * float((observed / (sizes - 1)).sum()) / expected


def _middle_ranks(values: Floats) -> Floats:
    """Replace each rating by the number of ratings with a lower label, plus half of those with its label."""
    rated = ~np.isnan(values)
    _, codes, sizes = np.unique(values[rated], return_inverse=True, return_counts=True)
    ranks = np.full(values.shape, np.nan)
    ranks[rated] = (np.cumsum(sizes) - sizes / 2)[codes]
    return ranks


Measure = Literal["agreement", "fleiss", "krippendorff"]
Aggregate = Callable[[Floats], Floats]
"""Turns sums (…, columns) into coefficients (…); nan if undefined."""


class AgreementEstimate(NamedTuple):
    """A coefficient on `n` clusters with the ends of its 95 % interval; nan if undefined."""

    value: float
    low: float
    high: float
    n: int


def estimate_agreement(
    ratings: Floats,
    *,
    level: Literal["nominal", "interval"] = "nominal",
    clusters: Sequence[int] | NDArray[Any] | None = None,
    samples: int = 1000,
    seed: int | None = 12345,
) -> dict[Measure, AgreementEstimate]:
    """Agreement of all raters: observed, Fleiss' kappa of labels, and both kinds of Krippendorff's alpha.

    >>> found = estimate_agreement(np.array([[0, 0, 1, 1], [0, 1, 1, 1.0]]))
    >>> [round(found[name].value, 4) for name in ("agreement", "fleiss", "krippendorff")]
    [0.75, 0.4667, 0.5333]
    """
    rated = (~np.isnan(ratings)).sum(axis=0) >= 2
    values, groups = ratings[:, rated], _groups(ratings.shape[1], clusters)[rated]
    if level == "interval":
        return {"krippendorff": _estimate(_interval_sums(values), groups, _interval_alpha, samples, seed)}
    counts = _counts(values)
    sizes = counts.sum(axis=1)
    squares = (counts**2).sum(axis=1)
    agreeing = (squares - sizes) / (sizes * (sizes - 1))
    observed = np.column_stack([np.ones(len(sizes)), agreeing])
    fleiss = np.column_stack([observed, counts / sizes[:, None]])
    alpha = np.column_stack([sizes, (sizes**2 - squares) / (sizes - 1), counts])
    return {
        "agreement": _estimate(observed, groups, _mean, samples, seed),
        "fleiss": _estimate(fleiss, groups, _fleiss, samples, seed),
        "krippendorff": _estimate(alpha, groups, _nominal_alpha, samples, seed),
    }


def estimate_kappa(
    first: Floats,
    second: Floats,
    *,
    weighted: bool = False,
    clusters: Sequence[int] | NDArray[Any] | None = None,
    samples: int = 1000,
    seed: int | None = 12345,
) -> AgreementEstimate:
    """Cohen's kappa of two raters on units that both rated; `weighted` weights by squared differences.

    >>> round(estimate_kappa(np.array([0, 0, 1, 1.0]), np.array([0, 1, 1, 1.0])).value, 6)
    0.5
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    groups = _groups(len(first), clusters)[both]
    a, b = first[both], second[both]
    if weighted:
        sums = np.column_stack([np.ones(len(a)), a, b, a**2, b**2, a * b])
        return _estimate(sums, groups, _weighted_kappa, samples, seed)
    labels, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    marks = np.eye(len(labels))[codes.reshape(-1)]
    sums = np.column_stack([np.ones(len(a)), a == b, marks[: len(a)], marks[len(a) :]])
    return _estimate(sums, groups, _kappa, samples, seed)


def _estimate(
    sums: Floats, groups: NDArray[Any], aggregate: Aggregate, samples: int, seed: int | None
) -> AgreementEstimate:
    """The coefficient of all units, with its percentile bootstrap interval over clusters."""
    _, places = np.unique(groups, return_inverse=True)
    n = int(places.max()) + 1 if len(places) else 0
    if not n:
        return AgreementEstimate(math.nan, math.nan, math.nan, 0)
    rows = np.zeros((n, sums.shape[1]))
    np.add.at(rows, places.reshape(-1), sums)
    value = float(aggregate(rows.sum(axis=0)))
    if n < 2:  # resampling a single cluster always gives itself, which says nothing
        return AgreementEstimate(value, math.nan, math.nan, n)
    # Clusters with equal sums can be counted together, and labels give only few different sums.
    kinds, times = np.unique(rows, axis=0, return_counts=True)
    draws = np.random.default_rng(seed).multinomial(n, times / n, size=samples)
    low, high = interval(aggregate(draws @ kinds), level=0.95)
    return AgreementEstimate(value, float(low), float(high), n)


def _groups(units: int, clusters: Sequence[int] | NDArray[Any] | None) -> NDArray[Any]:
    return np.arange(units) if clusters is None else np.asarray(clusters)


def _counts(values: Floats) -> Floats:
    """Count how often each unit got each label (units, labels)."""
    rated = ~np.isnan(values)
    labels, codes = np.unique(values[rated], return_inverse=True)
    counts = np.zeros((values.shape[1], len(labels)))
    np.add.at(counts, (np.nonzero(rated)[1], codes.reshape(-1)), 1.0)
    return counts


def _interval_sums(values: Floats) -> Floats:
    middle = float(np.nanmean(values)) if values.size else 0.0
    centred = values - middle
    sizes = (~np.isnan(values)).sum(axis=0).astype(np.float64)
    total, squares = np.nansum(centred, axis=0), np.nansum(centred**2, axis=0)
    return np.column_stack([sizes, (sizes * squares - total**2) / (sizes - 1), total, squares])


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The ratio; nan if the denominator is 0 except for rounding."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(np.abs(denominator) > 1e-9, numerator / denominator, np.nan))


def _mean(sums: Floats) -> Floats:
    return _ratio(sums[..., 1], sums[..., 0])


def _fleiss(sums: Floats) -> Floats:
    n = sums[..., :1]
    chance = ((sums[..., 2:] / n) ** 2).sum(axis=-1)
    return _ratio(sums[..., 1] / sums[..., 0] - chance, 1 - chance)


def _nominal_alpha(sums: Floats) -> Floats:
    total = sums[..., 0]
    return 1 - _ratio((total - 1) * sums[..., 1], total**2 - (sums[..., 2:] ** 2).sum(axis=-1))


def _interval_alpha(sums: Floats) -> Floats:
    total = sums[..., 0]
    return 1 - _ratio((total - 1) * sums[..., 1], total * sums[..., 3] - sums[..., 2] ** 2)


def _kappa(sums: Floats) -> Floats:
    n, same = sums[..., 0], sums[..., 1]
    half = 2 + (sums.shape[-1] - 2) // 2
    chance = (sums[..., 2:half] * sums[..., half:]).sum(axis=-1) / n**2
    return _ratio(same / n - chance, 1 - chance)


def _weighted_kappa(sums: Floats) -> Floats:
    n, a, b, aa, bb, ab = (sums[..., column] for column in range(6))
    apart = (aa + bb - 2 * ab) / n
    return 1 - _ratio(apart, (aa + bb) / n - 2 * a * b / n**2)
