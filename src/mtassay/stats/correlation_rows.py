"""Correlations of many resamples at once; `mtassay.stats.correlation` correlates single samples.

If systems are resampled, each resample is a (short) row of two arrays. A row with nan has the value nan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rowwise = Callable[[NDArray[Any], NDArray[Any]], Floats]

_BLOCK = 2**22
"""Number of pairs of systems to compare at a time; bounds the memory."""


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
    """Share of the pairs that x orders or ties as y does; scores of x at most `epsilon` apart are ties.

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
    """The mean along an axis without undefined values; nan if all are undefined."""
    defined = ~np.isnan(values)
    return divided(np.where(defined, values, 0.0).sum(axis=axis), defined.sum(axis=axis))


def divided(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """The quotient; nan unless the divisor is above 0."""
    quotient: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return quotient


def _signs(x: NDArray[Any]) -> Floats:
    """The order of each pair of columns, (rows, pairs): 1, 0 or -1."""
    left, right = np.triu_indices(x.shape[1], 1)
    signs: Floats = np.sign(x[:, left] - x[:, right])
    return signs


def _ranks(x: NDArray[Any]) -> Floats:
    """Mean ranks within each row; a row with nan is all nan."""
    below = np.sign(x[:, :, None] - x[:, None, :]).sum(axis=2)
    return np.asarray(below / 2 + (x.shape[1] + 1) / 2, dtype=np.float64)


def _ratio(part: NDArray[Any], whole: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> Floats:
    is_defined = ~(np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)) & (whole > 0)
    return divided(part, np.where(is_defined, whole, 0))


def _blocks(function: Rowwise, x: NDArray[Any], y: NDArray[Any]) -> Floats:
    rows = max(1, _BLOCK // max(1, x.shape[1] ** 2))
    parts = [function(x[i : i + rows], y[i : i + rows]) for i in range(0, len(x), rows)]
    return np.concatenate(parts) if parts else np.empty(0)
