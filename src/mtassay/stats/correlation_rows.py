"""Correlations of many resamples at once; `mtassay.stats.correlation` has those of a single one.

Two kinds of resamples. Where systems are drawn again, each is a row of two arrays: rows are short, and one
with nan has the value nan. Where segments are drawn again, translations stay where they are, and `weights`
(samples, segments) says how often each segment was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rowwise = Callable[[NDArray[Any], NDArray[Any]], Floats]

_BLOCK = 2**22
"""How many pairs of systems to look at together; bounds the memory."""


def pearson_rows(x: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Linear correlation of each row.

    >>> pearson_rows(np.array([[1, 2, 3], [1, 1, 1]]), np.array([[2, 4, 6], [1, 2, 3]])).round(6).tolist()
    [1.0, nan]
    """
    flat = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    first = x - x.mean(axis=1, keepdims=True)
    second = y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((first**2).sum(axis=1)) * np.sqrt((second**2).sum(axis=1))
    defined = ~flat & (scale > 0)
    values: Floats = np.clip(divided((first * second).sum(axis=1), np.where(defined, scale, 0)), -1, 1)
    return values


def spearman_rows(x: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Correlation of the ranks of each row."""
    return _blocks(lambda a, b: pearson_rows(_ranks(a), _ranks(b)), x, y)


def kendall_rows(x: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Kendall's tau-b of each row."""

    def block(a: NDArray[Any], b: NDArray[Any]) -> Floats:
        first, second = _signs(a), _signs(b)
        scale = np.sqrt(np.abs(first).sum(axis=1) * np.abs(second).sum(axis=1))
        return _ratio((first * second).sum(axis=1), scale, a, b)

    return _blocks(block, x, y)


def pairwise_accuracy_rows(x: NDArray[Any], y: NDArray[Any]) -> Floats:
    """Share of the pairs with unequal y that x orders in the same way, for each row."""

    def block(a: NDArray[Any], b: NDArray[Any]) -> Floats:
        first, second = _signs(a), _signs(b)
        return _ratio((first * second > 0).sum(axis=1), np.abs(second).sum(axis=1), a, b)

    return _blocks(block, x, y)


def acc_eq_rows(x: NDArray[Any], y: NDArray[Any], epsilon: float = 0.0) -> Floats:
    """Share of the pairs that x orders, or ties, as y does; scores of x at most `epsilon` apart are tied.

    >>> acc_eq_rows(np.array([[1.0, 2.0, 9.0]]), np.array([[0, 0, 5]]), 1.0).tolist()
    [1.0]
    """
    left, right = np.triu_indices(x.shape[1], 1)

    def block(a: NDArray[Any], b: NDArray[Any]) -> Floats:
        differences = a[:, left] - a[:, right]
        first = np.where(np.abs(differences) <= epsilon, 0, np.sign(differences))
        return _ratio((first == _signs(b)).sum(axis=1), np.full(len(a), len(left)), a, b)

    return _blocks(block, x, y)


def mean_of_defined(values: NDArray[Any], axis: int) -> Floats:
    """The mean along an axis without undefined values; nan where none is left."""
    defined = ~np.isnan(values)
    return divided(np.where(defined, values, 0.0).sum(axis=axis), defined.sum(axis=axis))


def divided(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """The quotient, nan where the divisor is not above 0."""
    quotient: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return quotient


def _signs(x: NDArray[Any]) -> Floats:
    """The order of each pair of columns, (rows, pairs): 1, 0 or -1."""
    left, right = np.triu_indices(x.shape[1], 1)
    signs: Floats = np.sign(x[:, left] - x[:, right])
    return signs


def _ranks(x: NDArray[Any]) -> Floats:
    """Mean ranks within each row; nan in a row spoils the whole of it."""
    below = np.sign(x[:, :, None] - x[:, None, :]).sum(axis=2)
    return np.asarray(below / 2 + (x.shape[1] + 1) / 2, dtype=np.float64)


def _ratio(part: NDArray[Any], whole: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> Floats:
    is_defined = ~(np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)) & (whole > 0)
    return divided(part, np.where(is_defined, whole, 0))


def _blocks(function: Rowwise, x: NDArray[Any], y: NDArray[Any]) -> Floats:
    rows = max(1, _BLOCK // max(1, x.shape[1] ** 2))
    parts = [function(x[i : i + rows], y[i : i + rows]) for i in range(0, len(x), rows)]
    return np.concatenate(parts) if parts else np.empty(0)


_CACHED = 2**16
"""How many numbers to work on together, so that they stay in the processor's cache."""


class RatedTranslations(NamedTuple):
    """The rated translations as flat arrays: scores of both raters, and which segment each belongs to."""

    x: Floats
    y: Floats
    segment: NDArray[np.int64]


def rated_translations(x: Floats, y: Floats) -> RatedTranslations:
    """Those that both raters scored."""
    rated = ~(np.isnan(x) | np.isnan(y))
    return RatedTranslations(x[rated], y[rated], np.nonzero(rated)[1])


def weighted_pearson(x: Floats, y: Floats, weights: NDArray[Any]) -> Floats:
    """Linear correlation in each sample."""
    rated = rated_translations(x, y)
    if not len(rated.x):
        return np.full(len(weights), np.nan)
    # Centring first keeps the differences of large sums exact.
    first, second = rated.x - rated.x.mean(), rated.y - rated.y.mean()
    ones = np.ones(len(first))
    moments = [ones, first, second, first * second, first**2, second**2]
    sums = [np.bincount(rated.segment, weights=m, minlength=weights.shape[1]) for m in moments]
    n, sx, sy, sxy, sxx, syy = (weights.astype(np.float64) @ np.column_stack(sums)).T
    with np.errstate(divide="ignore", invalid="ignore"):
        covariance = sxy - sx * sy / n
        spread_x, spread_y = sxx - sx * sx / n, syy - sy * sy / n
        # What is left of equal values is rounding.
        defined = (spread_x > 1e-12 * sxx) & (spread_y > 1e-12 * syy)
        return np.where(defined, np.clip(covariance / np.sqrt(spread_x * spread_y), -1, 1), np.nan)


def weighted_spearman(x: Floats, y: Floats, weights: NDArray[Any]) -> Floats:
    """Correlation of the ranks in each sample; the drawn translations are ranked again."""
    rated = rated_translations(x, y)
    if not len(rated.x):
        return np.full(len(weights), np.nan)
    # In the order of x the ranks of x are sums from the left.
    order = np.argsort(rated.x, kind="stable")
    segment = rated.segment[order]
    first, second = _Ranking.of(rated.x[order]), _Ranking.of(rated.y[order])
    rows = max(1, _CACHED // len(segment))
    parts = []
    for start in range(0, len(weights), rows):
        drawn = weights[start : start + rows].astype(np.float64)[:, segment]
        n = drawn.sum(axis=1)
        rank_x, spread_x = first.ranks(drawn, n)
        rank_y, spread_y = second.ranks(drawn, n)
        rank_x *= drawn
        covariance = np.einsum("ij,ij->i", rank_x, rank_y)
        scale = np.sqrt(np.maximum(spread_x, 0)) * np.sqrt(np.maximum(spread_y, 0))
        parts.append(np.clip(divided(covariance, np.where(scale > 1e-9, scale, 0)), -1, 1))
    return np.concatenate(parts)


class _Ranking(NamedTuple):
    """How to rank scores however often each was drawn: their order, their places, where each value ends.

    The order is `None` where they are in order already, and both of the others where all values differ.
    """

    order: NDArray[np.int64] | None
    place: NDArray[np.int64] | None
    ends: NDArray[np.int64] | None

    @classmethod
    def of(cls, scores: Floats) -> _Ranking:
        _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
        order = np.argsort(place, kind="stable")
        is_sorted = bool((np.diff(place) >= 0).all())
        all_differ = is_sorted and len(counts) == len(scores)
        return cls(
            None if is_sorted else order,
            None if all_differ else place,
            None if all_differ else np.cumsum(counts) - 1,
        )

    def ranks(self, drawn: Floats, n: Floats) -> tuple[Floats, Floats]:
        """Mean ranks less their mean (samples, translations), and in each sample their sum of squares."""
        upto = np.cumsum(drawn if self.order is None else drawn[:, self.order], axis=1)
        counts = drawn
        if self.ends is not None:
            upto = upto[:, self.ends]
            counts = np.diff(upto, axis=1, prepend=0)
        upto -= counts / 2
        upto -= n[:, None] / 2
        ranks = upto if self.place is None else upto[:, self.place]
        return ranks, (n**3 - np.einsum("ij,ij,ij->i", counts, counts, counts)) / 12
