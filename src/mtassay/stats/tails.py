"""Tails of the normal and Student's t distribution for arrays, exact to at least 10 digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_TINY = 1e-300
_PRECISION = 1e-15
_MOST_STEPS = 100_000


def normal_tail(z: ArrayLike) -> Floats:
    """Probability that a standard normal variable exceeds `z`; nan for nan.

    >>> round(float(normal_tail(1.6448536269514722)), 12)
    0.05
    """
    values = np.asarray(z, dtype=np.float64)
    tails = [math.erfc(value / math.sqrt(2)) / 2 for value in values.ravel().tolist()]
    return np.array(tails).reshape(values.shape)


def t_tail(t: ArrayLike, freedom: ArrayLike) -> Floats:
    """Probability that Student's t with this many degrees of freedom (> 0, any real) exceeds `t`.

    nan if an argument is nan or the degrees are not above 0; t may be infinite.

    >>> round(float(t_tail(1.8124611228107335, 10)), 12)
    0.05
    """
    values, degrees = np.broadcast_arrays(
        np.asarray(t, dtype=np.float64), np.asarray(freedom, dtype=np.float64)
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        squares = values**2 / degrees
        inside = np.where(np.isinf(squares), 1.0, squares / (1 + squares))
        outside = 1 / (1 + squares)
    half = incomplete_beta(degrees / 2, 0.5, outside, inside) / 2
    return np.where(values > 0, half, 1 - half)


def incomplete_beta(a: ArrayLike, b: ArrayLike, x: ArrayLike, y: ArrayLike) -> Floats:
    """The regularised incomplete beta function I_x(a, b), from 0 to 1, by its continued fraction.

    `y` is 1 - x, given so that no digits are lost for x near 1. nan unless a, b > 0 and 0 <= x <= 1.
    """
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (a, b, x, y)))
    shape = arrays[0].shape
    first, second, left, right = (array.ravel() for array in arrays)
    valid = (first > 0) & (second > 0) & (left >= 0) & (right >= 0)
    first, second, left, right = (
        np.where(valid, array, fill)
        for array, fill in zip((first, second, left, right), (1.0, 1.0, 0.5, 0.5), strict=True)
    )
    # The fraction converges fast below about the mean of the distribution; above it, use the other tail.
    turned = left > (first + 1) / (first + second + 2)
    below = _lower_tail(
        np.where(turned, second, first),
        np.where(turned, first, second),
        np.where(turned, right, left),
        np.where(turned, left, right),
    )
    values = np.where(turned, 1 - below, below)
    return np.where(valid, values, np.nan).reshape(shape)


def _lower_tail(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """I_x(a, b) for an x that is not much above the mean a / (a + b)."""
    return np.clip(_density(a, b, x, y) / a * _fraction(a, b, x), 0.0, 1.0)


def _density(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """x^a · y^b / B(a, b), computed so that large a and b cancel before rounding (Loader 2000)."""
    total = a + b
    excess = x * b - y * a  # x · total - a
    power = a * _log_ratio(x * total / a, excess / a) + b * _log_ratio(y * total / b, -excess / b)
    rest = _stirling_rest(total) - _stirling_rest(a) - _stirling_rest(b)
    return np.asarray(np.sqrt(a / total * b / (2 * math.pi)) * np.exp(power + rest))


def _log_ratio(ratio: Floats, excess: Floats) -> Floats:
    """Logarithm of a ratio; the ratio's excess over 1 is also given, since it is more precise if small."""
    near = np.abs(excess) < 0.5
    with np.errstate(divide="ignore"):
        return np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(ratio))


def _stirling_rest(value: Floats) -> Floats:
    """log Γ(value) minus Stirling's approximation."""
    large = np.maximum(value, 10.0)
    square = large**-2
    series = 1 / 12 - square * (
        1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * 691 / 360360)))
    )
    rest = series / large
    for place in np.flatnonzero(value < 10):
        v = float(value[place])
        rest[place] = math.lgamma(v) - (v - 0.5) * math.log(v) + v - 0.5 * math.log(2 * math.pi)
    return rest


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction of the incomplete beta function by Lentz's method, for all entries at once."""
    result = np.empty_like(a)
    places = np.arange(len(a))
    c = np.ones_like(a)
    d = 1 / _off_zero(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, _MOST_STEPS):
        if not len(places):
            break
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _off_zero(1 + term * d)
            c = _off_zero(1 + term / c)
            value = value * c * d
        done = np.abs(c * d - 1) < _PRECISION
        if done.any():
            result[places[done]] = value[done]
            places = places[~done]
            a, b, x, c, d, value = (array[~done] for array in (a, b, x, c, d, value))
    result[places] = value
    return result


def _off_zero(value: Any) -> Floats:
    return np.where(np.abs(value) < _TINY, _TINY, value)
