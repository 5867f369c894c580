"""Which differences of a metric mean nothing: ties calibrated as at WMT since 2023.

Deutsch et al. (2023), "Ties Matter": a metric that never ties cannot agree with people who often do. So two
scores of a metric count as tied where they differ by at most epsilon, and epsilon is the difference at which
the accuracy with ties, `acc_eq`, is highest. mt-metrics-eval does the same (`KendallWithTiesOpt`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import UsageError
from mtassay.stats.correlation import acc_eq, complete_pairs

__all__ = ["TieCalibration", "calibrate_ties"]

Floats = NDArray[np.float64]

_FEW_BINS, _MANY_BINS = 2**10, 2**16
_MANY_PAIRS = 2**20
_BLOCK = 2**18
_ROUNDING = 1e-11


class TieCalibration(NamedTuple):
    """The highest accuracy with ties and the least `epsilon` that gives it; nan where no group has a pair.

    The accuracy is the mean over `groups` groups, which have `pairs` pairs in all.
    """

    value: float
    epsilon: float
    groups: int
    pairs: int


class _Group(NamedTuple):
    """One group in ascending order of the metric; `ranks` say what people think, equal ones tie."""

    scores: Floats
    ranks: NDArray[np.int32]
    weight: float


def calibrate_ties(
    metric: NDArray[Any], human: NDArray[Any], *, by: Literal["none", "item", "system"] = "none"
) -> TieCalibration:
    """The epsilon for scores (systems, items); `by` as in `grouped`: "item" is what WMT does.

    Candidates are 0 and all differences within a group. One epsilon serves all groups. Translations with nan
    on either side are left out, and so are groups of fewer than two.

    >>> calibrate_ties(np.array([[0, 2, 6, 8]]), np.array([[1, 1, 1, 4]]))
    TieCalibration(value=0.6666666666666666, epsilon=4.0, groups=1, pairs=6)
    """
    sides = _sides(metric, human, by)
    groups = _groups(sides)
    pairs = sum(math.comb(len(group.scores), 2) for group in groups)
    if not groups:
        return TieCalibration(math.nan, math.nan, 0, 0)
    accuracies = [acc_eq(x, y) for x, y in sides]
    start = float(np.nanmean(accuracies))
    widest = max(float(group.scores[-1] - group.scores[0]) for group in groups)
    if widest == 0:
        return TieCalibration(start, 0.0, len(groups), pairs)
    bins = _MANY_BINS if pairs > _MANY_PAIRS else _FEW_BINS
    scale = (bins - 1) / widest
    rises, falls = np.zeros(bins), np.zeros(bins)
    for weight, became_right, became_wrong in _blocks(groups):
        rises += weight * np.bincount(_places(became_right, scale), minlength=bins)
        falls += weight * np.bincount(_places(became_wrong, scale), minlength=bins)
    after = start + np.cumsum(rises - falls)
    before = np.concatenate(([start], after[:-1]))
    # Within a bin no more can be gained than its rises: only few bins can hold the maximum.
    is_open = (rises > 0) & (before + rises >= max(start, after.max()) - _ROUNDING)
    epsilons, found = _candidates(groups, scale, is_open, before)
    values = np.concatenate(([start], found))
    best = int(np.argmax(values >= values.max() - _ROUNDING))
    epsilon = float(epsilons[best - 1]) if best else 0.0
    return TieCalibration(float(values[best]), epsilon, len(groups), pairs)


def _sides(metric: NDArray[Any], human: NDArray[Any], by: str) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    if metric.shape != human.shape:
        raise ValueError(f"metric and human need the same shape, got {metric.shape} and {human.shape}")
    if by == "none":
        return [(metric.ravel(), human.ravel())]
    if by == "item":
        return list(zip(metric.T, human.T, strict=True))
    if by == "system":
        return list(zip(metric, human, strict=True))
    raise UsageError(f"No grouping {by!r}. Available: item, none, system.")


def _groups(sides: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> list[_Group]:
    rated = [pair for x, y in sides if len((pair := complete_pairs(x, y))[0]) > 1]
    groups = []
    for x, y in rated:
        order = np.argsort(x, kind="stable")
        ranks = np.unique(y, return_inverse=True)[1][order].astype(np.int32)
        groups.append(_Group(x[order], ranks, 1 / (math.comb(len(x), 2) * len(rated))))
    return groups


def _blocks(groups: Sequence[_Group]) -> Iterator[tuple[float, Floats, Floats]]:
    """Some rows of a group at a time: its weight, and the differences of pairs that a tie would change.

    First those that people tie, and which a tie of the metric makes right; then those that are ordered as
    people order them, and which it makes wrong.
    """
    for scores, ranks, weight in groups:
        start, n = 0, len(scores)
        while start < n:
            stop = min(n, start + max(1, _BLOCK // (n - start)))
            differences = scores[start:] - scores[start:stop, None]
            # In ascending order every pair comes once with a difference above 0, unless the metric ties it.
            is_pair = differences > 0
            own = ranks[start:stop, None]
            yield (
                weight,
                differences[is_pair & (ranks[start:] == own)],
                differences[is_pair & (ranks[start:] > own)],
            )
            start = stop


def _places(differences: Floats, scale: float) -> NDArray[np.int32]:
    return (differences * scale).astype(np.int32)


def _candidates(
    groups: Sequence[_Group], scale: float, is_open: NDArray[np.bool_], before: Floats
) -> tuple[Floats, Floats]:
    """All differences in open bins, ascending, with the accuracy at each."""
    parts, signs = [np.empty(0)], [np.empty(0)]
    for weight, became_right, became_wrong in _blocks(groups):
        for sign, differences in ((weight, became_right), (-weight, became_wrong)):
            chosen = differences[is_open[_places(differences, scale)]]
            parts.append(chosen)
            signs.append(np.full(len(chosen), sign))
    differences, gains = np.concatenate(parts), np.concatenate(signs)
    order = np.argsort(differences, kind="stable")
    differences, gains = differences[order], gains[order]
    places = _places(differences, scale)
    total = np.cumsum(gains)
    first = np.searchsorted(places, places)
    values = before[places] + total - (total - gains)[first]
    last = np.append(differences[1:] != differences[:-1], True)[: len(differences)]
    return differences[last], values[last]
