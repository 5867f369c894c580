"""Correlations over translations for many resamples of segments at once, given how often each was drawn.

`x` and `y` are scores (systems, segments); `weights` (samples, segments) count how often a segment was
drawn. Every value is exactly the one of `mtassay.stats` on the drawn translations, all systems together.
Translations with nan on either side are left out; undefined values are nan.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.meta.rowwise import divided

Floats = NDArray[np.float64]

MOST_SEGMENTS = 4000
"""For how many segments all pairs of them can be looked at: time and memory grow with the square."""

_BLOCK = 2**23


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
    """Correlation of the ranks in each sample; the drawn translations are ranked anew."""
    rated = rated_translations(x, y)
    rows = max(1, _BLOCK // max(1, len(rated.x)))
    parts = []
    for start in range(0, len(weights), rows):
        drawn = weights[start : start + rows][:, rated.segment].astype(np.float64)
        first, second = _ranks(rated.x, drawn), _ranks(rated.y, drawn)
        parts.append(_weighted_correlation(first, second, drawn))
    return np.concatenate(parts) if parts else np.empty(0)


class PairTotals(NamedTuple):
    """Pairs of translations in each sample: all, tied in x, in y, in both; concordant less discordant."""

    total: Floats
    tied_x: Floats
    tied_y: Floats
    tied_both: Floats
    balance: Floats

    def kendall(self) -> Floats:
        """Tau-b."""
        scale = np.sqrt((self.total - self.tied_x) * (self.total - self.tied_y))
        return divided(self.balance, scale)

    def acc_eq(self) -> Floats:
        """Share of pairs ordered, or tied, alike."""
        untied = self.total - self.tied_x - self.tied_y + self.tied_both
        right = (untied + self.balance) / 2 + self.tied_both
        return divided(right, self.total)


def weighted_pairs(x: Floats, y: Floats, weights: NDArray[Any]) -> PairTotals:
    """Counts from which `kendall` and `acc_eq` follow, by matrices (segments, segments)."""
    unrated = np.isnan(x) | np.isnan(y)
    x, y = np.where(unrated, np.nan, x), np.where(unrated, np.nan, y)
    size = x.shape[1]
    tables = {name: np.zeros((size, size)) for name in ("tied_x", "tied_y", "tied_both", "balance")}
    for a in range(len(x)):
        for b in range(a, len(x)):
            for name, part in _compare(x[a], x[b], y[a], y[b]).items():
                tables[name] += part if a == b else part + part.T
    counts = (~unrated).sum(axis=0)
    drawn = weights.astype(np.float64)
    n = drawn @ counts
    # Each pair is counted in both directions, and each translation as a tie with itself.
    sums = {name: np.einsum("si,si->s", drawn @ table, drawn) for name, table in tables.items()}
    ties = {name: (sums[name] - n) / 2 for name in ("tied_x", "tied_y", "tied_both")}
    return PairTotals(n * (n - 1) / 2, **ties, balance=sums["balance"] / 2)


def _compare(xa: Floats, xb: Floats, ya: Floats, yb: Floats) -> dict[str, NDArray[np.int8]]:
    """For each translation of a and each of b: do they tie, and are they ordered alike (1) or not (-1)?

    nan equals, exceeds and falls below nothing, so the unrated count as 0 everywhere.
    """
    tied_x, tied_y = xa[:, None] == xb, ya[:, None] == yb
    x = (xa[:, None] > xb).astype(np.int8) - (xa[:, None] < xb)
    y = (ya[:, None] > yb).astype(np.int8) - (ya[:, None] < yb)
    return {
        "tied_x": tied_x.astype(np.int8),
        "tied_y": tied_y.astype(np.int8),
        "tied_both": (tied_x & tied_y).astype(np.int8),
        "balance": x * y,
    }


def _ranks(scores: Floats, drawn: Floats) -> Floats:
    """Mean rank, but for a constant, of each translation among the drawn ones, (samples, translations)."""
    values, place = np.unique(scores, return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place, minlength=len(values)))
    upto = np.cumsum(drawn[:, order], axis=1)[:, ends - 1]
    before = np.concatenate((np.zeros((len(drawn), 1)), upto[:, :-1]), axis=1)
    return np.asarray(((before + upto) / 2)[:, place], dtype=np.float64)


def _weighted_correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        n = weights.sum(axis=1, keepdims=True)
        x = x - (weights * x).sum(axis=1, keepdims=True) / n
        y = y - (weights * y).sum(axis=1, keepdims=True) / n
        covariance = (weights * x * y).sum(axis=1)
        scale = np.sqrt((weights * x * x).sum(axis=1)) * np.sqrt((weights * y * y).sum(axis=1))
        return np.where(scale > 1e-9, np.clip(covariance / scale, -1, 1), np.nan)
