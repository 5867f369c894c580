"""Which systems differ: scores with intervals, all pairs tested, and clusters (Koehn 2004)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay import stats
from mtassay.core import Cluster, Comparison, Result, Score, Statistics
from mtassay.methods.score.tables import WHOLE
from mtassay.metrics.base import Metric

__all__ = ["Correction", "MetricColumn", "SystemTests", "Test"]

Test = Literal["randomization", "bootstrap", "sacrebleu-randomization"]
Correction = Literal["max-t", "none", "bonferroni", "holm", "bh"]


@dataclass(frozen=True, slots=True)
class SystemTests:
    """How systems are compared; the fields are those of `ScoreMethod`."""

    test: Test
    correction: Correction
    alpha: float
    samples: int
    trials: int
    seed: int | None

    def compare(
        self, tables: Sequence[Sequence[Statistics]], metrics: Mapping[str, Metric], labels: Mapping[str, str]
    ) -> list[Result]:
        """One result per table of statistics. Tables of the same units share their resamples."""
        stacked = [np.stack([entry.values for entry in table], axis=1) for table in tables]
        resampled: dict[int, NDArray[np.float64]] = {}
        for size in {len(values) for values in stacked}:
            same = [i for i, values in enumerate(stacked) if len(values) == size]
            sums = stats.bootstrap_sums([stacked[i] for i in same], samples=self.samples, seed=self.seed)
            resampled.update(zip(same, sums, strict=True))
        columns = [
            MetricColumn.of(table, metrics[table[0].metric], values, resampled[i])
            for i, (table, values) in enumerate(zip(tables, stacked, strict=True))
        ]
        return self.conclude(columns, labels)

    def conclude(self, columns: Sequence[MetricColumn], labels: Mapping[str, str]) -> list[Result]:
        """One result per column."""
        tested = self._tested(columns)
        return [
            self._result(column, tests, labels[column.metric_name])
            for column, tests in zip(columns, tested, strict=True)
        ]

    def _tested(self, columns: Sequence[MetricColumn]) -> list[_Tests]:
        """The tests of all pairs in each column; with max-t, what is shown in one table is a family."""
        if not columns or len(columns[0].systems) < 2:
            return [_Tests(np.empty(0), 0.0) for _ in columns]
        swaps = self._swaps(columns) if self.test == "randomization" else {}
        if self.correction != "max-t":
            return [self._tested_alone(column, swaps.get(i)) for i, column in enumerate(columns)]
        tests: dict[int, _Tests] = {}
        shown_together: dict[tuple[str, str], list[int]] = {}
        for i, column in enumerate(columns):
            # All metrics are in one table; the groups of each metric are in one of their own.
            key = (WHOLE, "") if column.group == WHOLE else ("", column.metric_name)
            shown_together.setdefault(key, []).append(i)
        for places in shown_together.values():
            family = stats.family_of(
                np.concatenate([columns[i].differences for i in places]),
                np.concatenate([swaps[i] for i in places], axis=1),
                alpha=self.alpha,
            )
            parts = np.split(family.p, np.cumsum([len(columns[i].differences) for i in places])[:-1])
            tests |= {i: _Tests(p, family.critical) for i, p in zip(places, parts, strict=True)}
        return [tests[i] for i in range(len(columns))]

    def _tested_alone(self, column: MetricColumn, swaps: NDArray[np.float32] | None) -> _Tests:
        """The tests of the pairs of one column, corrected for their number."""
        pairs = column.pairs
        matrix = np.eye(len(column.systems))
        if swaps is not None:
            matrix[pairs] = matrix.T[pairs] = stats.separate(column.differences, swaps)
        elif self.test == "bootstrap":
            matrix = stats.paired_bootstrap(column.points, column.resampled)
        else:
            matrix = stats.paired_randomization(
                column.values, column.metric.aggregate, trials=self.trials, seed=self.seed
            )
        p = stats.adjust(matrix, method=self.correction)[pairs]
        found = int(np.count_nonzero(p < self.alpha))
        return _Tests(p, stats.critical_value(self.alpha, method=self.correction, tests=len(p), found=found))

    def _swaps(self, columns: Sequence[MetricColumn]) -> dict[int, NDArray[np.float32]]:
        """The differences of all pairs in every trial. Columns of the same units share their draws."""
        swaps: dict[int, NDArray[np.float32]] = {}
        for size in {len(column.values) for column in columns}:
            same = [i for i, column in enumerate(columns) if len(column.values) == size]
            tables = stats.swap_trials(
                [columns[i].values for i in same],
                [columns[i].metric.aggregate for i in same],
                trials=self.trials,
                seed=self.seed,
            )
            swaps.update(zip(same, tables, strict=True))
        return swaps

    def _result(self, column: MetricColumn, tests: _Tests, label: str) -> Result:
        """Scores, all pairs and clusters of one column."""
        names = {"name": column.metric_name, "group": column.group}
        metric, points, systems = column.metric, column.points, column.systems
        low, high = stats.interval(column.resampled)
        scores = [
            Score(
                **names,
                system=system,
                value=_defined(points[i]),
                n=metric.size(column.sums[i], column.units),
                low=_defined(low[i]),
                high=_defined(high[i]),
                signature=column.signatures[i],
                label=label,
                decimals=metric.decimals,
            )
            for i, system in enumerate(systems)
        ]
        if len(systems) == 1:
            return Result(scores)
        p = np.eye(len(systems))
        p[column.pairs] = p.T[column.pairs] = tests.p
        errors = stats.difference_standard_errors(column.resampled)
        comparisons = [
            Comparison(
                **names,
                a=systems[a],
                b=systems[b],
                delta=_defined(points[a] - points[b]),
                p=_defined(p[a, b]),
                detectable=_defined(stats.detectable_difference(errors[a, b], critical=tests.critical)),
                more=0
                if p[a, b] < self.alpha
                # `None` where the tests do not agree.
                else stats.units_to_settle(
                    points[a] - points[b], errors[a, b], column.units, critical=tests.critical
                )
                or None,
            )
            for a, b in combinations(range(len(systems)), 2)
        ]
        ranked = np.argsort(-points if metric.higher_is_better else points, kind="stable")
        grouped = stats.clusters(ranked.tolist(), p, alpha=self.alpha)
        clusters = [
            Cluster(**names, rank=1 + sum(map(len, grouped[:i])), systems=tuple(systems[j] for j in members))
            for i, members in enumerate(grouped)
        ]
        return Result(scores, comparisons, clusters)


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """All systems under one metric in one group: sums of statistics (systems, columns) and what follows.

    The statistics themselves (units, systems, columns) are there for the tests that swap them.
    """

    metric_name: str
    group: str
    metric: Metric
    systems: Sequence[str]
    signatures: Sequence[str]
    units: int
    sums: NDArray[np.float64]
    points: NDArray[np.float64]
    resampled: NDArray[np.float64]
    values: NDArray[Any]

    @classmethod
    def of(
        cls, table: Sequence[Statistics], metric: Metric, values: NDArray[Any], resampled_sums: NDArray[Any]
    ) -> MetricColumn:
        sums = values.sum(axis=0, dtype=np.float64)
        return cls(
            table[0].metric,
            table[0].group,
            metric,
            [entry.system for entry in table],
            [entry.signature for entry in table],
            len(values),
            sums,
            metric.aggregate(sums),
            metric.aggregate(resampled_sums),
            values,
        )

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of all pairs of systems, in the order of `combinations`."""
        return np.triu_indices(len(self.systems), 1)

    @property
    def differences(self) -> NDArray[np.float64]:
        """First minus second, for all pairs."""
        first, second = self.pairs
        return self.points[first] - self.points[second]


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """p-values of all pairs, and how many standard errors a further difference would have to reach."""

    p: NDArray[np.float64]
    critical: float


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
