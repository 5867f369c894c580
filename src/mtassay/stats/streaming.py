"""Bootstrap resamples of any number of units in bounded memory: blocks of units come, and are forgotten.

Drawing n of n units with replacement is the same as first drawing how many of the n come from each block, and
then so many of each block: both give every unit the same chance in each draw. The first is a multinomial
distribution, whose parts are binomial given those before. So the resamples have the distribution of those of
`bootstrap_sums`, exactly, though not its draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.stats.resampling import Floats, block_rows, shaped, weighted_sums

__all__ = ["StreamedSums"]


class StreamedSums:
    """Sums of the statistics of `units` units, and of the same in every resample, block by block.

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
        """How many units there were so far."""
        self._expected = units
        self._open = np.full(samples, units, dtype=np.int64)  # what is still to be drawn in each sample
        self._rng = np.random.default_rng(seed)

    def add(self, statistics: Sequence[NDArray[Any]]) -> None:
        """The next units: an array (units, …) for each metric, with the same units in all."""
        n = len(statistics[0])
        if self.units + n > self._expected:
            raise ValueError(f"{self._expected} units were announced, and there are more")
        if not n:
            return
        # Of what is left to draw, each unit that is left has the same share.
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
