"""Tests the comparisons of a table together as a family, so that a table rarely has false differences.

If each of the 36 pairs of nine equal systems is tested separately, some pairs nearly always look different.
Here, every trial swaps the outputs of all pairs on the same random half of the units, so the trials are
correlated as the comparisons are. A difference is compared with the largest difference of each trial: max-T,
stepping down from the largest difference (Westfall & Young 1993, algorithm 4.1; Romano & Wolf 2005). If
nothing differs, at most a share `alpha` of tables claims a difference. This is true for any pairs that are
selected afterwards, also for the best system against the others. A single comparison has the p-value of
approximate randomization with ties counted (Noreen 1989).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.runtime.processes import each_in_threads
from mtassay.stats.resampling import Aggregate, Floats, Swapping, mask_blocks, pair_differences

Trials = NDArray[np.float32]
"""(trials, comparisons): the differences after the swaps; each comparison is contiguous in memory."""
_SLACK = 1e-6  # relative rounding error allowed for equality with the observed difference
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Family:
    """p-values of comparisons that were tested together, and the critical value of a further one.

    `p` (comparisons,) is two-sided and adjusted: below `alpha` means different; nan if there was nothing to
    test. `critical` is in standard errors: the largest difference by chance, at the level `alpha`, among the
    comparisons that are not significant.
    """

    p: Floats
    critical: float


def family_of(observed: NDArray[Any], trials: NDArray[Any], *, alpha: float = 0.05) -> Family:
    """Adjust p-values of differences (comparisons,), given the differences after swaps (trials, comparisons).

    Differences are scaled by their spread over the trials. Differences that never change have p = 1.
    Undefined differences (nan) have p = nan and do not belong to the family.

    >>> alone = family_of(np.array([2.0]), np.array([[2.0], [-2.0], [0.0], [1.0]]))
    >>> float(alone.p[0])
    0.6
    """
    size = np.abs(np.asarray(observed, dtype=np.float64))
    spread = spreads(trials)
    tested = np.isfinite(size) & (spread > 0)
    p = np.where(np.isfinite(size), 1.0, np.nan)
    order = np.flatnonzero(tested)[np.argsort(-(size[tested] / spread[tested]), kind="stable")]
    if not len(order):
        return Family(p, 0.0)
    steps = size[order] / spread[order]
    beyond = np.empty(len(order))
    # From the smallest difference up: the largest of this one and all smaller ones, in each trial.
    largest = np.zeros(len(trials), dtype=np.float32)
    for place in reversed(range(len(order))):
        _raise(largest, trials, order[place], spread)
        beyond[place] = np.count_nonzero(largest >= steps[place] * (1 - _SLACK))
    adjusted = np.maximum.accumulate((beyond + 1) / (len(trials) + 1))
    p[order] = adjusted
    first_open = min(int(np.count_nonzero(adjusted < alpha)), len(order) - 1)
    by_chance = np.zeros(len(trials), dtype=np.float32)
    for comparison in order[first_open:]:
        _raise(by_chance, trials, comparison, spread)
    return Family(p, _quantile(by_chance, 1 - alpha))


def _quantile(values: NDArray[Any], share: float) -> float:
    """Same as `np.quantile`, which takes longer because it first loads masked arrays."""
    place = share * (len(values) - 1)
    low, high = np.sort(values)[[math.floor(place), math.ceil(place)]].tolist()
    return float(low + (place - math.floor(place)) * (high - low))


def spreads(trials: NDArray[Any]) -> Floats:
    """The spread of each comparison around 0 in the trials (trials, comparisons) that define it."""
    return np.array([_spread(column) for column in trials.T])


def _spread(differences: NDArray[Any]) -> float:
    """The spread of one comparison around 0 in the trials that define it; nan if no trial does."""
    known = differences[np.isfinite(differences)].astype(np.float64)
    return math.sqrt(known @ known / len(known)) if len(known) else math.nan


def _raise(largest: Trials, trials: NDArray[Any], comparison: int, spread: Floats) -> None:
    """Store the size of a scaled difference in each trial where it is the largest so far."""
    scaled = np.abs(trials[:, comparison]) / spread[comparison]
    np.fmax(largest, scaled.astype(np.float32), out=largest)  # undefined differences (nan) are left out


def separate(observed: NDArray[Any], trials: NDArray[Any]) -> Floats:
    """p-values (comparisons,) of approximate randomization with ties counted, separately by comparison.

    >>> separate(np.array([2.0, 0.0]), np.array([[2.0, 0], [-2.0, 0], [0.0, 0], [1.0, 0]])).tolist()
    [0.6, 1.0]
    """
    size = np.abs(np.asarray(observed, dtype=np.float64))
    beyond, defined = np.zeros(len(size)), np.zeros(len(size))
    for start in range(0, len(trials), _BLOCK):
        block = np.abs(trials[start : start + _BLOCK])
        beyond += (block >= size * (1 - _SLACK)).sum(axis=0)
        defined += (~np.isnan(block)).sum(axis=0)
    return np.where(np.isfinite(size) & (defined > 0), (beyond + 1) / (defined + 1), np.nan)


def swap_trials(
    statistics: Sequence[NDArray[Any]],
    aggregates: Sequence[Aggregate],
    *,
    trials: int = 10000,
    seed: int | None,
) -> list[Trials]:
    """Score differences of all pairs of systems (in the order of `combinations`) in every trial.

    Return one table of trials for each array of statistics (units, systems, columns) and its aggregate. All
    arrays have the same units and share the draws, which are the same as sacreBLEU's.
    """
    tables = [np.empty((trials, math.comb(array.shape[1], 2)), np.float32, order="F") for array in statistics]

    swapping = Swapping(statistics)

    def fill(part: tuple[int, NDArray[np.bool_]]) -> None:
        first, masks = part
        rows = slice(first, first + len(masks))
        for (kept, swapped), aggregate, table in zip(swapping.sums(masks), aggregates, tables, strict=True):
            column = 0
            for _, differences in pair_differences(kept, swapped, aggregate):
                table[rows, column : column + differences.shape[1]] = differences
                column += differences.shape[1]

    each_in_threads(fill, swapping.masks(trials, seed))
    return tables


@dataclass(frozen=True, slots=True, eq=False)
class PairedSums:
    """Values that add up to one score of two systems.

    `values` (units, 2, columns) has the statistics of both systems. `parts` has indices of units; with
    several parts, the score is the mean over the parts. Units with equal `units` are swapped together.
    """

    values: NDArray[Any]
    parts: Sequence[NDArray[np.int64]]
    aggregate: Aggregate
    units: NDArray[np.int64]

    def scores(self) -> Floats:
        """The scores of the first and the second system; nan without units."""
        parts = [part for part in self.parts if len(part)]
        if not parts:
            return np.full(2, np.nan)
        sums = np.stack([self.values[part].sum(axis=0, dtype=np.float64) for part in parts])
        return np.asarray(np.mean(self.aggregate(sums), axis=0), dtype=np.float64)


def paired_trials(rows: Sequence[PairedSums], *, trials: int = 10000, seed: int | None) -> Trials:
    """First minus second in every trial (trials, rows); a unit is swapped in all rows or in none.

    >>> values = np.array([[[1, 1], [0, 1]], [[1, 1], [1, 1]]])
    >>> row = PairedSums(values, [np.arange(2)], lambda sums: sums[..., 0] / sums[..., 1], np.arange(2))
    >>> sorted(set(paired_trials([row], trials=64, seed=1)[:, 0].tolist()))
    [-0.5, 0.5]
    """
    count = 1 + max((int(row.units.max(initial=-1)) for row in rows), default=-1)
    table = np.empty((trials, len(rows)), dtype=np.float32, order="F")
    prepared = [[_moving(row, part) for part in row.parts if len(part)] for row in rows]
    for done, kept in mask_blocks(count, trials, seed, row_bytes=8 * max(1, len(rows))):
        for number, (row, parts) in enumerate(zip(rows, prepared, strict=True)):
            differences = [
                np.asarray(row.aggregate(first) - row.aggregate(total - first), dtype=np.float64)
                for units, change, second, total in parts
                for first in [second + kept[:, units].astype(np.float64) @ change]
            ]
            table[done : done + len(kept), number] = np.mean(differences, axis=0) if differences else np.nan
    return table


def _moving(row: PairedSums, part: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Units of a part where the systems differ, the differences, the second system's sums, and both's."""
    values = row.values[part].astype(np.float64)
    change = values[:, 0] - values[:, 1]
    moving = np.flatnonzero(change.any(axis=1))
    return row.units[part[moving]], change[moving], values[:, 1].sum(axis=0), values.sum(axis=(0, 1))


Row = Sequence[NDArray[np.int64]]
"""Indices of the items of one share, by part. With several parts, it is the mean of their shares."""


@dataclass(frozen=True, slots=True)
class ShareDifferences:
    """Differences of all pairs of systems in all rows, in the order of `combinations`.

    `delta` (rows, pairs) is the first system's share minus the second's, -1 to 1, and `p` its p-value. `n` is
    the number of items settled for both systems; if it is 0, `delta` and `p` are nan.
    """

    delta: Floats
    p: Floats
    n: NDArray[np.int64]

    def p_matrix(self, row: int, systems: int) -> Floats:
        """The p-values of a row as a symmetric matrix (systems, systems), with 1 on the diagonal."""
        pairs = np.triu_indices(systems, 1)
        matrix = np.eye(systems)
        matrix[pairs] = matrix.T[pairs] = self.p[row]
        return matrix


def compare_rows(
    outcomes: NDArray[Any],
    rows: Sequence[Row],
    *,
    units: Sequence[object] | None = None,
    trials: int = 10000,
    seed: int | None = 12345,
    alpha: float = 0.05,
) -> ShareDifferences:
    """Compare all pairs of systems by their shares of passed items, in all rows as one family.

    Outcomes (items, systems) are 1 for passed, 0 for failed and nan for not settled. Items of one unit, such
    as tests made from one sentence, are swapped together; by default, each item is a unit.

    >>> outcomes = np.array([[1, 0], [1, 0], [1, 1], [0, np.nan]])
    >>> pair = compare_rows(outcomes, [[np.arange(4)]], seed=1)
    >>> float(pair.delta[0, 0]), int(pair.n[0, 0]), round(float(pair.p[0, 0]), 1)
    (0.6666666666666666, 3, 0.5)
    """
    values = np.asarray(outcomes, dtype=np.float64)
    first, second = np.array(list(combinations(range(values.shape[1]), 2)), dtype=np.int64).reshape(-1, 2).T
    differences = values[:, first] - values[:, second]
    both = ~np.isnan(differences)
    differences[~both] = 0.0
    unit_of = _places(units) if units is not None else np.arange(len(values))
    shape = (len(rows), len(first))
    delta, n, p = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
    changes = []
    for number, row in enumerate(rows):
        items = np.unique(np.concatenate([*row, np.empty(0, dtype=np.int64)]))
        n[number] = both[items].sum(axis=0)
        delta[number], weighted = _weighted(row, items, differences, both)
        changes.append(_distinct(unit_of[items], weighted, is_whole=len(row) == 1))
    family = family_of(
        np.concatenate([part.observed for part in changes] or [np.empty(0)]),
        _signed_sums(changes, int(unit_of.max(initial=-1)) + 1, trials=trials, seed=seed),
        alpha=alpha,
    )
    column = 0
    for number, part in enumerate(changes):
        found = family.p[column : column + len(part.observed)][part.places]
        p[number] = np.where(n[number] > 0, found, np.nan)
        column += len(part.observed)
    return ShareDifferences(delta, p, n)


@dataclass(frozen=True, slots=True, eq=False)
class _Changes:
    """Differences between pairs of systems in one row, without repetition.

    With forty systems, hundreds of pairs differ on the same few items. They have the same trials, since the
    family scales differences. `places` (pairs,) has the index of each pair in `values` (changes, units);
    `units` are the units on which any pair differs.
    """

    units: NDArray[np.int64]
    values: NDArray[Any]
    places: NDArray[np.int64]

    @property
    def observed(self) -> Floats:
        return np.asarray(self.values.sum(axis=1, dtype=np.float64))


def _weighted(
    row: Row, items: NDArray[np.int64], differences: Floats, both: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """The differences of the pairs in a row, and the contribution of each item, on any scale.

    A single part counts whole items. Several parts have equal weights, and empty parts have none.
    """
    if len(row) == 1:
        weighted, sizes = differences[items], both[items].sum(axis=0)
        return np.where(sizes > 0, weighted.sum(axis=0) / np.maximum(sizes, 1), np.nan), weighted
    weighted = np.zeros((len(items), differences.shape[1]))
    filled = np.zeros(differences.shape[1])
    for part in row:
        sizes = both[part].sum(axis=0)
        weighted[np.searchsorted(items, part)] += differences[part] / np.maximum(sizes, 1)
        filled += sizes > 0
    return np.where(filled > 0, weighted.sum(axis=0) / np.maximum(filled, 1), np.nan), weighted


def _distinct(unit_of: NDArray[np.int64], weighted: Floats, *, is_whole: bool) -> _Changes:
    """Sum contributions (items, pairs) by unit, and drop changes equal or opposite to another pair's."""
    units, places = np.unique(unit_of, return_inverse=True)
    if len(units) == len(unit_of):
        by_unit = weighted[np.argsort(unit_of)]
    else:
        by_unit = np.zeros((len(units), weighted.shape[1]))
        np.add.at(by_unit, places, weighted)
    moving = (by_unit != 0).any(axis=1)
    columns = by_unit[moving].T
    if columns.size:
        leading = np.take_along_axis(columns, (columns != 0).argmax(axis=1)[:, None], axis=1)
        columns = np.where(leading < 0, -columns, columns) + 0.0  # avoid -0.0, which has different bytes
    known: dict[bytes, int] = {}
    pairs = np.array([known.setdefault(column.tobytes(), len(known)) for column in columns], dtype=np.int64)
    firsts = np.unique(pairs, return_index=True)[1]
    # Single precision is exact for these whole numbers, and twice as fast.
    values = columns[firsts].astype(np.float32 if is_whole else np.float64)
    return _Changes(units[moving], values, pairs)


def _signed_sums(changes: Sequence[_Changes], count: int, *, trials: int, seed: int | None) -> Trials:
    """Sum the changes of all rows in every trial, with the opposite sign for random units."""
    table = np.empty((trials, sum(len(part.observed) for part in changes)), dtype=np.float32, order="F")

    def fill(block: tuple[int, NDArray[np.bool_]]) -> None:
        start, masks = block
        kept = np.ascontiguousarray(masks.T)
        column = 0
        for part in changes:
            sums = part.values @ kept[part.units].astype(part.values.dtype)
            # Twice the kept part minus the whole, since swapped units change their sign.
            signed = 2 * sums - part.observed[:, None]
            table[start : start + len(masks), column : column + len(signed)] = signed.T
            column += len(signed)

    each_in_threads(fill, mask_blocks(count, trials, seed, row_bytes=4 * table.shape[1]))
    return table


def _places(units: Sequence[object]) -> NDArray[np.int64]:
    """Number each unit, in order of appearance."""
    numbers = {unit: place for place, unit in enumerate(dict.fromkeys(units))}
    return np.array([numbers[unit] for unit in units], dtype=np.int64)
