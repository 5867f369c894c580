"""Agreement between raters of the same units: observed, Cohen's and Fleiss' kappa, Krippendorff's alpha.

Ratings have one row for each rater and one entry for each unit, in the same order; `None` (or nan in an
array) means that this rater did not rate this unit. Labels are anything that can be compared for equality,
and numbers at the ordinal and interval level. 1 is full agreement, 0 what chance would give, and less than
0 is systematic disagreement. nan means undefined: nothing was rated twice, or all ratings are one and the
same label, so that nothing tells agreement from chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import UsageError
from mtassay.stats.proportions import Interval, bootstrap_interval

__all__ = ["agreement_interval", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "observed_agreement"]

Floats = NDArray[np.float64]
Labels = Sequence[Hashable | None] | NDArray[Any]
Ratings = Sequence[Labels] | NDArray[Any]


def observed_agreement(ratings: Ratings) -> float:
    """Share of pairs of ratings of one unit that agree, from 0 to 1: the mean over units rated twice or more.

    With two raters this is the share of units on which they agree (percent agreement). It makes no
    allowance for chance.

    >>> observed_agreement([["yes", "yes", "no", None], ["yes", "no", "no", "no"]])
    0.6666666666666666
    """
    counts = _label_counts(_numbers(ratings))
    return float(_unit_agreement(counts).mean()) if len(counts) else math.nan


def cohen_kappa(a: Labels, b: Labels) -> float:
    """Cohen's kappa (1960) of two raters, on the units that both rated.

    Chance is what two raters with these shares of labels would agree on; each keeps its own shares.

    >>> round(cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"]), 6)
    0.5
    """
    both = _numbers([a, b])
    first, second = both[:, ~np.isnan(both).any(axis=0)]
    labels, codes = np.unique([first, second], return_inverse=True)
    if len(labels) < 2:
        return math.nan
    shares = [np.bincount(row, minlength=len(labels)) / len(first) for row in codes.reshape(2, -1)]
    chance = float(shares[0] @ shares[1])
    return (float((first == second).mean()) - chance) / (1 - chance)


def fleiss_kappa(ratings: Ratings) -> float:
    """Fleiss' kappa (1971) of any number of raters; who rated what does not matter.

    Units with fewer than two ratings are left out. Where units have unequal numbers of ratings, each unit
    counts once, in the observed agreement and in the shares of labels (as in Gwet 2014).

    >>> round(fleiss_kappa([["a", "a", "b"], ["a", "b", "b"], ["a", "b", "b"]]), 4)
    0.55
    """
    counts = _label_counts(_numbers(ratings))
    if (counts.sum(axis=0) > 0).sum() < 2:
        return math.nan
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float(shares @ shares)
    return (float(_unit_agreement(counts).mean()) - chance) / (1 - chance)


def krippendorff_alpha(
    ratings: Ratings, *, level: Literal["nominal", "ordinal", "interval"] = "nominal"
) -> float:
    """Krippendorff's alpha (2011) of any number of raters with any number of missing ratings.

    `level` says how far two labels are apart: "nominal" equal or not; "ordinal" by how many ratings lie
    between them; "interval" by their squared difference. Units with fewer than two ratings are left out.

    >>> round(krippendorff_alpha([[1, 2, 3, None], [1, 2, 4, 4]], level="interval"), 6)
    0.878049
    """
    values = _numbers(ratings, numeric=level != "nominal")
    values = values[:, (~np.isnan(values)).sum(axis=0) >= 2]
    sizes = (~np.isnan(values)).sum(axis=0)
    total = int(sizes.sum())
    if level == "nominal":
        counts = _label_counts(values)
        squares, all_squares = (counts**2).sum(axis=1), float((counts.sum(axis=0) ** 2).sum())
        observed, expected = sizes**2 - squares, total**2 - all_squares
    elif level in ("ordinal", "interval"):
        # Summed over all pairs, (x - y)² is n · sum of x² - (sum of x)², twice; the mean is taken off first.
        places = _middle_ranks(values) if level == "ordinal" else values
        places = places - (np.nansum(places) / total if total else 0.0)
        observed = 2 * (sizes * np.nansum(places**2, axis=0) - np.nansum(places, axis=0) ** 2)
        expected = 2 * total * float(np.nansum(places**2))
    else:
        raise UsageError(f"No level {level!r}. Available: interval, nominal, ordinal.")
    if len(np.unique(values[~np.isnan(values)])) < 2:
        return math.nan
    return 1 - (total - 1) * float((observed / (sizes - 1)).sum()) / float(expected)


def agreement_interval(
    function: Callable[[NDArray[Any]], float],
    ratings: Ratings,
    *,
    samples: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of an agreement, drawing units anew with all their ratings.

    `function` is one of this module, or any other of ratings (raters, units). Draws for which it is undefined
    are left out. Labels reach it as numbers, nan for `None`.

    >>> low, high = agreement_interval(fleiss_kappa, [["a", "b"] * 20, ["a", "b"] * 19 + ["b", "b"]])
    >>> round(low, 2), round(high, 2)
    (0.85, 1.0)
    >>> low, high = agreement_interval(lambda two: cohen_kappa(*two), [["a", "b"] * 20, ["a", "b"] * 20])
    >>> low, high
    (1.0, 1.0)
    """
    return bootstrap_interval(function, [_numbers(ratings)], samples=samples, seed=seed, level=level)


def _numbers(ratings: Ratings, *, numeric: bool = False) -> Floats:
    """Ratings (raters, units) as numbers, nan where missing; other labels get numbers of their own."""
    if isinstance(ratings, np.ndarray) and ratings.dtype.kind in "fiub":
        return ratings.astype(np.float64)
    rows = [list(row) for row in ratings]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"all raters need the same units, got {[len(row) for row in rows]}")
    labels = [label for row in rows for label in row if label is not None]
    codes: dict[Hashable, float] = {}
    if not all(isinstance(label, int | float | np.number | np.bool_) for label in labels):
        if numeric:
            raise ValueError("ratings must be numbers at the ordinal and interval level")
        codes = {label: float(code) for code, label in enumerate(dict.fromkeys(labels))}
    values = np.full((len(rows), len(rows[0]) if rows else 0), np.nan)
    for number, row in enumerate(rows):
        for unit, label in enumerate(row):
            if label is not None:
                values[number, unit] = codes[label] if codes else label
    return values


def _label_counts(values: Floats) -> Floats:
    """How often each unit got each label (units, labels); units with fewer than two ratings are left out."""
    values = values[:, (~np.isnan(values)).sum(axis=0) >= 2]
    rated = ~np.isnan(values)
    labels, codes = np.unique(values[rated], return_inverse=True)
    counts = np.zeros((values.shape[1], len(labels)))
    np.add.at(counts, (np.nonzero(rated)[1], codes), 1.0)
    return counts


def _unit_agreement(counts: Floats) -> Floats:
    """Share of agreeing pairs of ratings, for each unit."""
    sizes = counts.sum(axis=1)
    return np.asarray(((counts**2).sum(axis=1) - sizes) / (sizes * (sizes - 1)))


def _middle_ranks(values: Floats) -> Floats:
    """Each rating as the number of ratings below its label and half of those with it."""
    rated = ~np.isnan(values)
    _, codes, sizes = np.unique(values[rated], return_inverse=True, return_counts=True)
    ranks = np.full(values.shape, np.nan)
    ranks[rated] = (np.cumsum(sizes) - sizes / 2)[codes]
    return ranks
