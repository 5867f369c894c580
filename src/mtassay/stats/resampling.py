"""Bootstrap resamples and approximate randomization, equal to sacreBLEU's draws.

Statistics have the shape (units, systems, columns) and must be finite; `aggregate` turns sums (…, columns)
into scores (…). sacreBLEU sums in single precision. We sum in double precision, where whole numbers are
exact, so a p-value can differ from sacreBLEU's only if its rounding decides a tie.

Each trial swaps the outputs of two systems on a random half of the units. The random numbers are the same as
sacreBLEU's, and all pairs of systems share them.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.runtime.processes import each_in_threads

Floats = NDArray[np.float64]
Aggregate = Callable[[NDArray[Any]], NDArray[np.floating[Any]]]

_BLOCK_BYTES = 64 * 2**20
# Largest product at once. For larger ones, the C library returns the memory each time and clears it again.
_CHUNK_BYTES = 16 * 2**20
_CHUNK_UNITS = 4096
_EXACT = 2**24


def default_seed() -> int | None:
    """Return sacreBLEU's seed: SACREBLEU_SEED of the environment (`None` for "none"), or 12345.

    `None` means a new seed for each draw. In sacreBLEU's paired tests, 0 means the same; here, 0 is a seed.
    """
    text = os.environ.get("SACREBLEU_SEED", "12345")
    if text.lower() == "none":
        return None
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise UsageError(f"SACREBLEU_SEED is {text!r}. Set it to a whole number from 0 up, or to none.")
    return seed


def chosen_seed(chosen: int | None = None) -> int | None:
    """Return the chosen or the default seed; `None` if every draw needs a new seed."""
    return default_seed() if chosen is None else chosen


def fixed_seed(chosen: int | None = None) -> int:
    """Return the chosen or the default seed; if there is none, a random seed for all draws."""
    seed = chosen_seed(chosen)
    return secrets.randbits(31) if seed is None else seed


def counted_units(statistics: NDArray[Any], aggregate: Aggregate) -> NDArray[np.bool_]:
    """Return which units (units, systems) count for each system.

    For a metric that is a mean, a row of zeros gives nan, which means that this unit has no score. For other
    metrics, such as BLEU, every unit counts.

    >>> def mean(sums):
    ...     return sums[..., 0] / sums[..., 1]
    >>> counted_units(np.array([[[3.0, 1], [0, 0]], [[0, 1], [2, 1]]]), mean).tolist()
    [[True, False], [True, True]]
    """
    with np.errstate(all="ignore"):
        is_undefined = np.isnan(aggregate(np.zeros((1, statistics.shape[-1])))).all()
    return np.asarray(statistics.any(axis=-1) if is_undefined else np.ones(statistics.shape[:-1], dtype=bool))


def bootstrap_sums(
    statistics: Sequence[NDArray[Any]], *, samples: int = 1000, seed: int | None
) -> list[Floats]:
    """Return sums of every resample: one array (samples, …) for each array (units, …), in order.

    All arrays have the same units and share the draws, so several metrics need only one pass. Resamples are
    the same as sacreBLEU's (`default_rng(seed).choice(n, size=(samples, n))`). Without units, the sums are 0.
    """
    n = _common_length(statistics)
    columns = [array.reshape(n, int(np.prod(array.shape[1:]))) for array in statistics]
    sums = [np.empty((samples, part.shape[1]), order="F") for part in columns]

    def fill(block: tuple[int, NDArray[np.uint8]]) -> None:
        start, counts = block
        for total, part in zip(sums, weighted_sums(counts, columns), strict=True):
            total[start : start + len(counts)] = part

    each_in_threads(fill, _count_blocks(n, samples, seed))
    return [shaped(total, array.shape[1:]) for total, array in zip(sums, statistics, strict=True)]


def bootstrap_scores(
    statistics: NDArray[Any], aggregate: Aggregate, *, samples: int = 1000, seed: int | None
) -> Floats:
    """Scores (samples, systems) of every resample; for several metrics at once see `bootstrap_sums`."""
    (sums,) = bootstrap_sums([statistics], samples=samples, seed=seed)
    return np.asarray(aggregate(sums), dtype=np.float64)


def paired_bootstrap(scores: NDArray[Any], resampled: NDArray[Any]) -> Floats:
    """Two-sided p-values (systems, systems) of the paired bootstrap test as in sacreBLEU and Moses.

    `scores` (systems,) are the scores on the whole set and `resampled` (samples, systems) those of the
    resamples. p is (c + 1) / (samples + 1), where c counts resamples with |d| - mean |d| > |d of the whole
    set|. Resamples without a defined score (nan) are left out of their pairs. A pair without resamples, or
    without a defined score on the whole set, has p = nan. The diagonal is 1. Two systems that never differ
    also have p = 1 (sacreBLEU calls them significantly different).
    """
    rows = np.ascontiguousarray(np.asarray(resampled, dtype=np.float64).T)
    whole = np.asarray(scores, dtype=np.float64)
    p = np.eye(len(rows))
    for a in range(len(rows) - 1):
        for b in range(a + 1, len(rows)):
            differences = np.abs(rows[b] - rows[a])
            defined = differences[~np.isnan(differences)]
            observed = abs(whole[a] - whole[b])
            if not len(defined) or np.isnan(observed):
                p[a, b] = p[b, a] = np.nan
            elif observed == 0 and not defined.any():
                p[a, b] = p[b, a] = 1.0
            else:
                beyond = np.count_nonzero(defined - defined.mean() > observed)
                p[a, b] = p[b, a] = (beyond + 1) / (len(defined) + 1)
    return p


def difference_standard_errors(resampled: NDArray[Any]) -> Floats:
    """Standard errors (systems, systems) of the paired differences, from resampled scores (samples, systems).

    The diagonal is 0. Undefined (nan) resamples are left out; the error is nan if fewer than two are left.
    """
    rows = np.ascontiguousarray(np.asarray(resampled, dtype=np.float64).T)
    errors = np.zeros((len(rows), len(rows)))
    for a in range(len(rows) - 1):
        for b in range(a + 1, len(rows)):
            differences = rows[b] - rows[a]
            defined = differences[~np.isnan(differences)]
            errors[a, b] = errors[b, a] = defined.std(ddof=1) if len(defined) > 1 else np.nan
    return errors


def block_rows(n: int, *, row_bytes: int = 0) -> int:
    """How many resamples of `n` units to have in memory at a time, if each needs another `row_bytes`."""
    # A byte for each unit, and eight bytes for each unit of the chunk that is being multiplied.
    return max(
        1,
        min(_BLOCK_BYTES // max(1, n, row_bytes), _CHUNK_BYTES // max(1, 8 * min(n, _CHUNK_UNITS))),
    )


def weighted_sums(
    weights: NDArray[Any], columns: Sequence[NDArray[Any]], *, most: int | None = None
) -> list[Floats]:
    """Compute `weights @ part` for each part, in chunks of units to avoid a large copy.

    Each column is contiguous, since scores are computed by column for all resamples at once. Weights are
    whole numbers whose sum is `most`, by default the number of weights. If no sum of a chunk can need more
    than 24 bits, single precision is exact, and twice as fast.
    """
    widths = [part.shape[1] for part in columns]
    sums = np.zeros((sum(widths), len(weights)))
    if most is None:
        most = min(weights.shape[1], _CHUNK_UNITS) if weights.dtype == np.bool_ else weights.shape[1]
    kind = (
        np.float32 if all(_is_whole(part, below=_EXACT // max(1, most)) for part in columns) else np.float64
    )
    for start in range(0, weights.shape[1], _CHUNK_UNITS):
        chunk = slice(start, start + _CHUNK_UNITS)
        right = np.concatenate([part[chunk] for part in columns], axis=1, dtype=kind)
        sums += np.matmul(right.T, weights[:, chunk].T.astype(kind))
    return [part.T for part in np.split(sums, np.cumsum(widths)[:-1])]


def shaped(sums: Floats, shape: tuple[int, ...]) -> Floats:
    """Return sums (rows, columns) with contiguous columns as a view with the shape (rows, *shape)."""
    return np.moveaxis(sums.T.reshape(*shape, len(sums)), -1, 0)


def _is_whole(part: NDArray[Any], *, below: int) -> bool:
    is_whole = np.issubdtype(part.dtype, np.integer) or part.dtype == np.bool_
    return bool(is_whole and (not part.size or max(int(part.max()), -int(part.min())) < below))


def _count_blocks(n: int, samples: int, seed: int | None) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Draw units: yield the number of a block's first sample, and its counts of each unit (samples, n).

    There are at least four blocks, so that one is multiplied while the next is drawn.
    """
    rng = np.random.default_rng(seed)
    rows = max(1, min(block_rows(n), -(-samples // 4)))
    for start in range(0, samples, rows):
        # A byte is enough: the probability that n draws have a unit 256 times is below 1e-500.
        counts = np.zeros((min(rows, samples - start), n), dtype=np.uint8)
        if n:
            # Row by row, the stream is the same as of one large draw, and the counters stay in the cache.
            for row in counts:
                row[:] = np.bincount(rng.integers(0, n, size=n), minlength=n)
        yield start, counts


def _common_length(statistics: Sequence[NDArray[Any]]) -> int:
    lengths = {len(array) for array in statistics}
    if len(lengths) != 1:
        raise ValueError(f"statistics must be arrays of the same units, got lengths {sorted(lengths)}")
    return lengths.pop()


def paired_randomization(
    statistics: NDArray[Any], aggregate: Aggregate, *, trials: int = 10000, seed: int | None
) -> Floats:
    """Two-sided p-values (systems, systems) of approximate randomization, exactly as sacreBLEU's.

    p is (c + 1) / (trials + 1), where c counts trials with a larger difference than the observed one. Trials
    with an equal difference are not counted, so two systems that differ on a single unit are significantly
    different. Prefer the test of `family`, which counts such trials.

    Trials without a defined score (nan) are left out of their pairs. A pair without trials, or without a
    defined score on the whole set, has p = nan. The diagonal and systems that never differ have p = 1.
    """
    systems = statistics.shape[1]
    scores = np.asarray(aggregate(statistics.sum(axis=0, dtype=np.float64)), dtype=np.float64)
    beyond = np.zeros((systems, systems))
    defined = np.zeros((systems, systems))
    moved = np.zeros((systems, systems), dtype=bool)
    for a, differences in swapped_differences(statistics, aggregate, trials, seed):
        size = np.abs(differences)
        observed = np.abs(scores[a] - scores[a + 1 :])
        beyond[a, a + 1 :] += (size > observed).sum(axis=0)
        defined[a, a + 1 :] += (~np.isnan(size)).sum(axis=0)
        moved[a, a + 1 :] |= (size != 0).any(axis=0)
    p = _share(beyond, defined)
    p[~moved & (scores[:, None] == scores) & (defined > 0)] = 1.0
    p[np.isnan(scores[:, None] - scores)] = np.nan
    upper = np.triu(p, 1)
    return upper + upper.T + np.eye(systems)


def one_sided_permutation(
    statistics: NDArray[Any], aggregate: Aggregate, *, trials: int = 1000, seed: int | None
) -> Floats:
    """One-sided p-values (systems, systems): small if the row's score is greater than the column's.

    This is the test of `paired_randomization` with the same draws, but c counts trials whose difference is at
    least the observed one: p = (c + 1) / (trials + 1). The diagonal is 1; p is nan as in
    `paired_randomization`. An unrated unit can be a row of zeros if one column counts the rated units.
    """
    systems = statistics.shape[1]
    scores = np.asarray(aggregate(statistics.sum(axis=0, dtype=np.float64)), dtype=np.float64)
    beyond = np.zeros((systems, systems))
    defined = np.zeros((systems, systems))
    for a, differences in swapped_differences(statistics, aggregate, trials, seed):
        observed = scores[a] - scores[a + 1 :]
        slack = _slack(observed)
        beyond[a, a + 1 :] += (differences >= observed - slack).sum(axis=0)
        beyond[a + 1 :, a] += (differences <= observed + slack).sum(axis=0)
        valid = (~np.isnan(differences)).sum(axis=0)
        defined[a, a + 1 :] += valid
        defined[a + 1 :, a] += valid
    p = _share(beyond, defined)
    p[np.isnan(scores[:, None] - scores)] = np.nan
    np.fill_diagonal(p, 1.0)
    return p


def permutation_deviation(
    statistics: NDArray[Any], aggregate: Aggregate, *, trials: int = 1000, seed: int | None
) -> Floats:
    """The spread of differences (systems, systems) around 0 in the trials of `one_sided_permutation`.

    p-values are approximately normal with this deviation, which saves time if many are needed.
    """
    systems = statistics.shape[1]
    squares = np.zeros((systems, systems))
    defined = np.zeros((systems, systems))
    for a, differences in swapped_differences(statistics, aggregate, trials, seed):
        squares[a, a + 1 :] += np.nansum(differences**2, axis=0)
        defined[a, a + 1 :] += (~np.isnan(differences)).sum(axis=0)
    deviation = np.sqrt(np.divide(squares, defined, out=np.full_like(squares, np.nan), where=defined > 0))
    upper = np.triu(deviation, 1)
    return upper + upper.T


def swapped_differences(
    statistics: NDArray[Any], aggregate: Aggregate, trials: int, seed: int | None
) -> Iterator[tuple[int, Floats]]:
    """Yield, by block of trials and system, its scores minus each later system's (trials, later)."""
    swapping = Swapping([statistics])
    for _, masks in swapping.masks(trials, seed):
        yield from pair_differences(*swapping.sums(masks)[0], aggregate)


class Swapping:
    """Sums of the kept and the swapped units of trials, for arrays of the same units."""

    def __init__(self, statistics: Sequence[NDArray[Any]]) -> None:
        self._units = _common_length(statistics)
        self._shapes = [array.shape[1:] for array in statistics]
        columns = [array.reshape(self._units, int(np.prod(array.shape[1:]))) for array in statistics]
        self._distinct, self._places = _distinct_columns(columns)
        self._totals = [array.sum(axis=0, dtype=np.float64) for array in statistics]

    def masks(self, trials: int, seed: int | None) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield blocks of trials: the first trial's number, and which units keep their system in each."""
        row_bytes = 8 * sum(map(len, self._places))
        return mask_blocks(self._units, trials, seed, row_bytes=row_bytes)

    def sums(self, masks: NDArray[np.bool_]) -> list[tuple[Floats, Floats]]:
        """Return the kept and the swapped sums (trials of the block, systems, columns) for each array."""
        sums = np.concatenate([part.T for part in weighted_sums(masks, self._distinct)])
        kept = [
            shaped(sums[places].T, shape) for places, shape in zip(self._places, self._shapes, strict=True)
        ]
        return [(part, total - part) for part, total in zip(kept, self._totals, strict=True)]


def _distinct_columns(
    columns: Sequence[NDArray[Any]],
) -> tuple[list[NDArray[Any]], list[NDArray[np.int64]]]:
    """Keep only distinct columns, and return the index of each column among them.

    For example, counts in a reference are the same for all systems: a quarter of BLEU's and chrF's columns.
    """
    numbers: dict[tuple[str, bytes], int] = {}
    distinct, places = [], []
    for part in columns:
        new, numbered = [], []
        for place, column in enumerate(part.T):
            key = (part.dtype.char, hashlib.blake2b(column.tobytes()).digest())
            if key not in numbers:
                numbers[key] = len(numbers)
                new.append(place)
            numbered.append(numbers[key])
        distinct.append(part[:, new])
        places.append(np.array(numbered, dtype=np.int64))
    return distinct, places


def pair_differences(kept: Floats, swapped: Floats, aggregate: Aggregate) -> Iterator[tuple[int, Floats]]:
    """Yield, for each system, its scores minus each later system's, after the swaps (trials, later)."""
    for a in range(kept.shape[1] - 1):
        first = np.asarray(aggregate(kept[:, a, None] + swapped[:, a + 1 :]), dtype=np.float64)
        second = np.asarray(aggregate(swapped[:, a, None] + kept[:, a + 1 :]), dtype=np.float64)
        yield a, first - second


def mask_blocks(
    n: int, trials: int, seed: int | None, *, row_bytes: int
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Draw which units keep their system, in blocks (trials, n).

    Each block comes with the number of its first trial.
    """
    rng = np.random.default_rng(seed)
    # The generator makes 32 bits at a time, so blocks of 32 rows give the same stream as one large draw.
    # There are at least eight blocks, so that cores have about equal work.
    rows = 32 * max(1, min(block_rows(n, row_bytes=row_bytes), trials // 8) // 32)
    for start in range(0, trials, rows):
        yield start, rng.integers(2, size=(min(rows, trials - start), n), dtype=bool)


def _share(beyond: Floats, defined: Floats) -> Floats:
    return np.where(defined > 0, (beyond + 1) / (defined + 1), np.nan)


def _slack(observed: Floats) -> Floats:
    """The rounding error allowed for equality with the observed difference."""
    return 1e-9 * np.maximum(1.0, np.abs(observed))


class StreamedSums:
    """Adds up statistics of `units` units block by block, in total and in every resample.

    >>> sums = StreamedSums(3, samples=2, seed=1)
    >>> for block in (np.array([[1], [1]]), np.array([[1]])):
    ...     sums.add([block])
    >>> sums.totals[0].tolist(), sums.resampled[0].tolist()
    ([3.0], [[3.0], [3.0]])
    """

    def __init__(self, units: int, *, samples: int = 1000, seed: int | None) -> None:
        self.totals: list[Floats] = []
        """Of each array, the sums (…) over the units of all blocks so far."""
        self.resampled: list[Floats] = []
        """Of each array, the sums (samples, …) of every resample."""
        self.units = 0
        """The number of units so far."""
        self._expected = units
        self._open = np.full(samples, units, dtype=np.int64)  # remaining draws of each sample
        self._rng = np.random.default_rng(seed)

    def add(self, statistics: Sequence[NDArray[Any]]) -> None:
        """Add the next units: an array (units, …) for each metric, with the same units in all."""
        n = len(statistics[0])
        if self.units + n > self._expected:
            raise ValueError(f"{self._expected} units were announced, and there are more")
        if not n:
            return
        # Each remaining unit has the same share of the remaining draws.
        draws = self._rng.binomial(self._open, n / (self._expected - self.units))
        self._open -= draws
        self.units += n
        if not self.totals:
            self.totals = [np.zeros(array.shape[1:]) for array in statistics]
            self.resampled = [
                shaped(np.zeros((len(draws), int(np.prod(array.shape[1:]))), order="F"), array.shape[1:])
                for array in statistics
            ]
        for total, array in zip(self.totals, statistics, strict=True):
            total += array.sum(axis=0, dtype=np.float64)
        columns = [array.reshape(n, -1) for array in statistics]
        rows = block_rows(n)
        for start in range(0, len(draws), rows):
            some = draws[start : start + rows]
            counts = np.empty((len(some), n), dtype=np.uint8)
            for row, size in zip(counts, some.tolist(), strict=True):
                row[:] = np.bincount(self._rng.integers(0, n, size=size), minlength=n)
            parts = weighted_sums(counts, columns, most=int(some.max()))
            for resampled, part, array in zip(self.resampled, parts, statistics, strict=True):
                resampled[start : start + rows] += shaped(part, array.shape[1:])


def interval(resampled: NDArray[Any], *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Percentile bounds (low, high) of resampled scores (samples, …), a pair for each column.

    The bounds are the same order statistics as in sacreBLEU: at 95 % and for 1000 sorted scores, the scores
    with the index 25 from both ends, counted from 0. Undefined scores (nan) are left out; if all are
    undefined, both bounds are nan.

    >>> low, high = interval(np.arange(1000.0)[::-1])
    >>> float(low), float(high)
    (25.0, 974.0)
    """
    ordered = np.sort(np.asarray(resampled, dtype=np.float64), axis=0)  # nan is sorted last
    if not len(ordered):
        return np.full(ordered.shape[1:], np.nan), np.full(ordered.shape[1:], np.nan)
    defined = len(ordered) - np.isnan(ordered).sum(axis=0, keepdims=True)
    # The small term corrects the rounding of 1 - level: 1000 scores at 90 % mean index 50, not 49.
    low = np.floor(defined * (1 - level) / 2 + 1e-9).astype(np.int64)
    high = np.maximum(defined - low - 1, 0)
    low = np.minimum(low, high)
    bounds = (np.take_along_axis(ordered, place, axis=0)[0] for place in (low, high))
    return next(bounds), next(bounds)
