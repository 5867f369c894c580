"""Significant differences: scores with intervals, all pairs tested, and ranks (Koehn 2004; Hsu 1981)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import check_suffix
from mtassay.data.formats.textfiles import check_text, text_blocks
from mtassay.data.nouns import Cluster, Comparison, Result, RunContext, Score, Segment, Statistics
from mtassay.measures.check import CheckContext
from mtassay.measures.check_run import choose_checks, count_checks, run_checks, units_of
from mtassay.measures.corpus import Corpus, measure_at_once
from mtassay.measures.metric import Metric
from mtassay.methods.score.score_tables import WHOLE
from mtassay.stats import resampling
from mtassay.stats.comparisons import (
    Losses,
    adjust,
    clusters,
    critical_value,
    detectable_difference,
    least_p,
    losses_by_p,
    ranks,
    units_to_settle,
)
from mtassay.stats.family import family_of, separate, swap_trials

Test = Literal["randomization", "bootstrap", "sacrebleu-randomization"]
Correction = Literal["max-t", "none", "bonferroni", "holm", "bh"]
Ranks = Literal["best", "wmt-clusters"]
Unit = Literal["document", "segment"]
LEAST_DOCUMENTS = 6
"""With fewer documents, no difference can be significant at 5 % by swapping them."""


@dataclass(frozen=True, slots=True)
class SystemTests:
    """Settings of comparisons; the fields are those of `ScoreMethod`.

    `documents` has the document of each unit if whole documents are drawn. `unanswered` has the segments that
    a system left without an answer; such a system has no rank unless `rank_incomplete`.
    """

    test: Test
    correction: Correction
    alpha: float
    samples: int
    trials: int
    seed: int | None
    ranks: Ranks = "best"
    rank_incomplete: bool = False
    documents: Mapping[str, str] = field(default_factory=dict)
    unanswered: Mapping[str, Collection[str]] = field(default_factory=dict)

    def compare(
        self, tables: Sequence[Sequence[Statistics]], metrics: Mapping[str, Metric], labels: Mapping[str, str]
    ) -> list[Result]:
        """Return one result per table of statistics. Tables with the same units share their resamples."""
        stacked = [np.stack([entry.values for entry in table], axis=1) for table in tables]
        parts = [
            [values, *_pair_values(values, metrics[table[0].metric])]
            for table, values in zip(tables, stacked, strict=True)
        ]
        drawn = [
            drawn_together(own, table[0].ids, self.documents)
            for table, own in zip(tables, parts, strict=True)
        ]
        resampled: dict[int, list[NDArray[np.float64]]] = {}
        for size in {len(own[0]) for own in drawn}:
            same = [i for i, own in enumerate(drawn) if len(own[0]) == size]
            sums = iter(
                resampling.bootstrap_sums(
                    [array for i in same for array in drawn[i]], samples=self.samples, seed=self.seed
                )
            )
            resampled |= {i: [next(sums) for _ in drawn[i]] for i in same}
        lacking = frozenset(unit for units in self.unanswered.values() for unit in units)
        columns = [
            MetricColumn.of(table, metrics[table[0].metric], parts[i], drawn[i], resampled[i], lacking)
            for i, table in enumerate(tables)
        ]
        return self.conclude(columns, labels)

    def conclude(self, columns: Sequence[MetricColumn], labels: Mapping[str, str]) -> list[Result]:
        """Return one result per column."""
        tested = self._tested(columns)
        return [
            self._result(column, tests, labels[column.metric_name])
            for column, tests in zip(columns, tested, strict=True)
        ]

    def _tested(self, columns: Sequence[MetricColumn]) -> list[_Tests]:
        """Test all pairs in each column; all values shown in one table are tested together."""
        if not columns or len(columns[0].systems) < 2:
            return [_Tests(np.empty(0), 0.0, np.zeros((1, 1), dtype=bool)) for _ in columns]
        swaps = self._swaps(columns) if self.test == "randomization" else {}
        shown_together: dict[tuple[str, str], list[int]] = {}
        for i, column in enumerate(columns):
            # All metrics share a table; the groups of each metric have a table of their own.
            key = (WHOLE, "") if column.group == WHOLE else ("", column.metric_name)
            shown_together.setdefault(key, []).append(i)
        tests: dict[int, _Tests] = {}
        for places in shown_together.values():
            p_values, critical = self._p_values([columns[i] for i in places], [swaps.get(i) for i in places])
            for own, i, limit in zip(p_values, places, critical, strict=True):
                column = columns[i]
                if self.test == "randomization" and least_p(len(column.values)) >= self.alpha:
                    own[:] = np.nan  # so few units can never differ significantly
                sign = 1 if column.metric.higher_is_better else -1
                lost = losses_by_p(sign * column.differences, own, len(column.systems), alpha=self.alpha)
                tests[i] = _Tests(own, limit, lost)
        return [tests[i] for i in range(len(columns))]

    def _p_values(
        self, columns: Sequence[MetricColumn], swaps: Sequence[NDArray[np.float32] | None]
    ) -> tuple[list[NDArray[np.float64]], list[float]]:
        """p-values of all pairs in each column, and the standard errors of a difference to be significant."""
        if self.correction != "max-t":
            alone = [self._tested_alone(column, own) for column, own in zip(columns, swaps, strict=True)]
            return [p for p, _ in alone], [critical for _, critical in alone]
        family = family_of(
            np.concatenate([column.differences for column in columns]),
            np.concatenate([own for own in swaps if own is not None], axis=1),
            alpha=self.alpha,
        )
        ends = np.cumsum([len(column.differences) for column in columns])[:-1]
        return np.split(family.p, ends), [family.critical] * len(columns)

    def _tested_alone(
        self, column: MetricColumn, swaps: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.float64], float]:
        """Test the pairs of one column, and correct for their number."""
        pairs = column.pairs
        matrix = np.eye(len(column.systems))
        if swaps is not None:
            matrix[pairs] = matrix.T[pairs] = separate(column.differences, swaps)
        elif column.pairwise:
            matrix[pairs] = matrix.T[pairs] = [self._sacrebleu_p(pair)[0, 1] for pair in column.pairwise]
        else:
            matrix = self._sacrebleu_p(column)
        p = adjust(matrix, method=self.correction)[pairs]
        found = int(np.count_nonzero(p < self.alpha))
        return p, critical_value(self.alpha, method=self.correction, tests=len(p), found=found)

    def _sacrebleu_p(self, column: MetricColumn) -> NDArray[np.float64]:
        """p-values (systems, systems) of one of sacreBLEU's tests."""
        if self.test == "bootstrap":
            return resampling.paired_bootstrap(column.points, column.resampled)
        return resampling.paired_randomization(
            column.values, column.metric.aggregate, trials=self.trials, seed=self.seed
        )

    def _swaps(self, columns: Sequence[MetricColumn]) -> dict[int, NDArray[np.float32]]:
        """The differences of all pairs in every trial. Columns with the same units share their draws."""
        swaps: dict[int, NDArray[np.float32]] = {}
        for size in {len(column.values) for column in columns}:
            same = [i for i, column in enumerate(columns) if len(column.values) == size]
            parts = [part for i in same for part in columns[i].pairwise or [columns[i]]]
            tables = iter(
                swap_trials(
                    [part.values for part in parts],
                    [part.metric.aggregate for part in parts],
                    trials=self.trials,
                    seed=self.seed,
                )
            )
            for i in same:
                own = [next(tables) for _ in columns[i].pairwise or [columns[i]]]
                swaps[i] = np.concatenate(own, axis=1) if len(own) > 1 else own[0]
        return swaps

    def _result(self, column: MetricColumn, tests: _Tests, label: str) -> Result:
        """Return the scores, comparisons and ranks of one column."""
        names = {"name": column.metric_name, "group": column.group}
        metric, points, systems = column.metric, column.points, column.systems
        low, high = resampling.interval(column.resampled)
        comparable = points if column.common is None else metric.aggregate(column.common)
        common_n = (
            None if column.common is None else max(metric.size(s, column.common_units) for s in column.common)
        )
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
                common=None if column.common is None else _defined(comparable[i]),
                common_n=common_n,
                answered=None if column.answered is None else _defined(column.answered[i]),
                answered_n=column.answered_n,
            )
            for i, system in enumerate(systems)
        ]
        if len(systems) == 1:
            return Result(scores)
        p = np.eye(len(systems))
        p[column.pairs] = p.T[column.pairs] = tests.p
        has_rank = [self._has_rank(column, i, system) for i, system in enumerate(systems)]
        differences = np.zeros(p.shape)
        differences[column.pairs] = column.differences
        sign = 1 if metric.higher_is_better else -1
        if not metric.is_given:
            # No system may gain from missing answers, so such a lead is neither tested nor a win.
            leads = sign * (differences - differences.T) > 0
            untested = leads & ~np.array(has_rank)[:, None]
            p[untested | untested.T] = np.nan
            tests.lost[untested.T] = False
        errors = column.standard_errors
        least = np.vectorize(partial(detectable_difference, critical=tests.critical))(errors)
        # Differences that are large but not significant: the tests do not agree.
        least[(np.abs(differences) >= least) & ~(p < self.alpha)] = np.nan
        comparisons = [
            Comparison(
                **names,
                a=systems[a],
                b=systems[b],
                delta=_defined(differences[a, b]),
                p=_defined(p[a, b]),
                detectable=_defined(least[a, b]),
                more=0
                if p[a, b] < self.alpha
                else units_to_settle(differences[a, b], errors[a, b], pair.units, critical=tests.critical)
                or None,
                n=metric.size(pair.sums[0 if column.pairwise else a], pair.units),
                better=systems[b] if tests.lost[a, b] else systems[a] if tests.lost[b, a] else "",
            )
            for (a, b), pair in zip(
                combinations(range(len(systems)), 2), column.pairwise or repeat(column), strict=False
            )
        ]
        if self.ranks == "wmt-clusters":
            grouped = _wmt_clusters(column, comparable, differences, p, alpha=self.alpha)
        else:
            ranked = [i for i, is_ranked in enumerate(has_rank) if is_ranked]
            lost = tests.lost[np.ix_(ranked, ranked)]
            grouped = [
                (rank, [ranked[i] for i in members])
                for rank, members in ranks([sign * float(comparable[i]) for i in ranked], lost)
            ]
        clustered = [
            Cluster(**names, rank=rank, systems=tuple(systems[j] for j in members))
            for rank, members in grouped
        ]
        return Result(scores, comparisons, clustered)

    def _has_rank(self, column: MetricColumn, place: int, system: str) -> bool:
        """Whether a system answered all texts and is rated on all units that others are rated on."""
        if self.rank_incomplete:
            return True
        return not self.unanswered.get(system) and (column.is_complete is None or column.is_complete[place])


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """All systems under one metric in one group: summed statistics (systems, columns) and derived values.

    `values` (units, systems, columns) has the statistics of the units to draw and swap: segments or whole
    documents. If systems are scored on different units, `pairwise` has each pair on the units that both have,
    `common` has the sums over the `common_units` that all have, and `is_complete` says which systems have all
    units. `answered` has the scores on the `answered_n` units that all systems answered.
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
    pairwise: Sequence[MetricColumn] = ()
    common: NDArray[np.float64] | None = None
    common_units: int = 0
    is_complete: NDArray[np.bool_] | None = None
    answered: NDArray[np.float64] | None = None
    answered_n: int | None = None

    @classmethod
    def of(
        cls,
        table: Sequence[Statistics],
        metric: Metric,
        parts: Sequence[NDArray[Any]],
        drawn: Sequence[NDArray[Any]],
        resampled_sums: Sequence[NDArray[Any]],
        lacking: Collection[str] = (),
    ) -> MetricColumn:
        """Make a column from the statistics of all systems and of each pair (see `_pair_values`).

        `drawn` has the same statistics by drawn unit, and `lacking` the units that a system did not answer.
        """
        values = parts[0]
        sums = values.sum(axis=0, dtype=np.float64)
        column = cls(
            table[0].metric,
            table[0].group,
            metric,
            [entry.system for entry in table],
            [entry.signature for entry in table],
            len(values),
            sums,
            metric.aggregate(sums),
            metric.aggregate(resampled_sums[0]),
            drawn[0],
        )
        # Given scores have no answers; their units without a rating are left out below.
        if lacking and not metric.is_given:
            kept = np.array([unit not in lacking for unit in table[0].ids])
            answered = values[kept].sum(axis=0, dtype=np.float64)
            column = replace(
                column,
                answered=metric.aggregate(answered),
                answered_n=max(metric.size(own, int(kept.sum())) for own in answered),
            )
        if len(parts) == 1:
            return column
        pairwise = [
            replace(cls.of(pair, metric, [part], [swapped], [own]), units=int(part.any(axis=(1, 2)).sum()))
            for pair, part, swapped, own in zip(
                combinations(table, 2), parts[1:], drawn[1:], resampled_sums[1:], strict=True
            )
        ]
        counted = resampling.counted_units(values, metric.aggregate)
        by_all, by_any = counted[:, counted.any(axis=0)].all(axis=1), counted.any(axis=1)
        column = replace(column, pairwise=pairwise, is_complete=counted.sum(axis=0) == by_any.sum())
        if (by_all == by_any).all():
            return column  # all scored systems are scored on the same units
        common = values[by_all].sum(axis=0, dtype=np.float64)
        return replace(column, common=common, common_units=int(by_all.sum()))

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The indices of all pairs of systems, in the order of `combinations`."""
        return np.triu_indices(len(self.systems), 1)

    @property
    def differences(self) -> NDArray[np.float64]:
        """First minus second, for all pairs."""
        if self.pairwise:
            return np.concatenate([pair.differences for pair in self.pairwise])
        first, second = self.pairs
        return self.points[first] - self.points[second]

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """The standard errors of the differences (systems, systems)."""
        if not self.pairwise:
            return resampling.difference_standard_errors(self.resampled)
        errors = np.zeros((len(self.systems), len(self.systems)))
        errors[self.pairs] = [pair.standard_errors[0, 1] for pair in self.pairwise]
        return errors


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """p-values of all pairs, the standard errors that make a difference significant, and who lost to whom."""

    p: NDArray[np.float64]
    critical: float
    lost: Losses


def _wmt_clusters(
    column: MetricColumn,
    comparable: NDArray[np.float64],
    differences: NDArray[np.float64],
    p: NDArray[np.float64],
    *,
    alpha: float,
) -> list[tuple[int, list[int]]]:
    """Ranks as at WMT: a new rank begins if all systems above differ from all systems below."""
    sign = 1 if column.metric.higher_is_better else -1
    ranked = np.argsort(-sign * comparable, kind="stable")
    if column.pairwise:
        # The order and a difference may use different units, so they may contradict each other.
        p = np.where(sign * (differences - differences.T) > 0, p, 1.0)
        ranked = ranked[np.isfinite(comparable[ranked])]
    grouped = clusters(ranked.tolist(), p, alpha=alpha)
    return [(1 + sum(map(len, grouped[:i])), members) for i, members in enumerate(grouped)]


def drawn_together(
    parts: Sequence[NDArray[Any]], ids: Sequence[str], documents: Mapping[str, str]
) -> list[NDArray[Any]]:
    """Sum statistics (units, …) by document; without documents, they are unchanged."""
    if not documents:
        return list(parts)
    _, places = np.unique([documents.get(unit, unit) for unit in ids], return_inverse=True)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(places.max(initial=-1) + 1))
    return [np.add.reduceat(part[order], starts, axis=0, dtype=_wide(part)) for part in parts]


def segment_spread(table: Sequence[Statistics], metric: Metric, samples: int, seed: int | None) -> float:
    """Half the width of the first system's interval if single segments are drawn."""
    (sums,) = resampling.bootstrap_sums([table[0].values], samples=samples, seed=seed)
    low, high = resampling.interval(metric.aggregate(sums))
    return float(high - low) / 2


def _wide(part: NDArray[Any]) -> Any:
    return np.int64 if np.issubdtype(part.dtype, np.integer) or part.dtype == np.bool_ else np.float64


def _pair_values(values: NDArray[Any], metric: Metric) -> list[NDArray[Any]]:
    """The statistics (units, 2, columns) of each pair on the units that both have; other units are zero.

    Empty if all systems have the same units, since one array is then enough for all pairs.
    """
    counted = resampling.counted_units(values, metric.aggregate)
    if (counted.all(axis=1) == counted.any(axis=1)).all():
        return []
    return [
        np.where((counted[:, a] & counted[:, b])[:, None, None], values[:, [a, b]], values.dtype.type(0))
        for a, b in combinations(range(values.shape[1]), 2)
    ]


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def group_statistics(measured: Statistics, segments: Sequence[Segment], by: str | None) -> list[Statistics]:
    """Return the statistics of each group of segments; units without this tag are in no group."""
    if by is None:
        return []
    tags = {s.id: s.document if by == "document" else s.tags.get(by) for s in segments}
    # In a metric that counts per document, a unit has the name of its document.
    tags |= {s.document: tags[s.id] for s in segments if s.document is not None}
    rows: dict[str, list[int]] = {}
    for row, unit in enumerate(measured.ids):
        if tags.get(unit) is not None:
            rows.setdefault(str(tags[unit]), []).append(row)
    if not rows:
        raise UsageError(f"No segment has a '{by}'. Give the segments documents with `documents`.")
    return [
        replace(measured, ids=[measured.ids[i] for i in chosen], values=measured.values[chosen], group=group)
        for group, chosen in rows.items()
    ]


BLOCK = 65536
"""Number of lines in memory at a time."""


class StreamedFiles:
    """Files with parallel lines: source, references, and the outputs of each system."""

    def __init__(self, source: str | None, references: Sequence[str], outputs: Mapping[str, str]) -> None:
        self._source, self._references, self.outputs = source, references, outputs

    @property
    def references(self) -> int:
        """Count the references."""
        return len(self._references)

    def count(self) -> int:
        """Count the lines; `InputError` if the files differ in number or a file is not text."""
        for path in self._paths:
            if path.endswith(".gz"):
                raise InputError("`stream=True` reads plain text: decompress it first", path=path)
            check_suffix(path, lines=True)
            if path.startswith(("/dev/", "/proc/")):
                raise InputError(
                    "--stream reads twice, but this can be read only once: save it in a file", path=path
                )
        counts = {path: check_text(path) for path in self._paths}
        short, long = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
        if counts[short] != counts[long]:
            raise InputError(f"{counts[short]:,} lines, and {long} has {counts[long]:,}", path=short)
        return counts[short]

    def blocks(self) -> Iterator[Corpus]:
        """Yield the texts of counted files, `BLOCK` lines at a time."""
        done = 0
        for parts in zip(*(text_blocks(path, BLOCK) for path in self._paths), strict=True):
            first = 0 if self._source is None else 1
            source: Sequence[str | None] = parts[0] if first else [None] * len(parts[0])
            references = list(zip(*parts[first : first + len(self._references)], strict=True))
            segments = [
                Segment(str(number), text, texts)
                for number, (text, texts) in enumerate(zip(source, references, strict=True), done + 1)
            ]
            outputs = parts[first + len(self._references) :]
            yield Corpus(segments, dict(zip(self.outputs, outputs, strict=True)))
            done += len(segments)

    @property
    def _paths(self) -> list[str]:
        source = [] if self._source is None else [self._source]
        return [*source, *self._references, *self.outputs.values()]


def score_stream(
    files: StreamedFiles,
    metrics: Mapping[str, Metric],
    labels: Mapping[str, str],
    how: SystemTests,
    context: RunContext,
    *,
    pair: tuple[str, str] | None,
    checks: Sequence[str],
    extra: Mapping[str, object],
) -> Result:
    """Return the results of `ScoreMethod` without findings and segment scores, which are not stored.

    Outputs are compared by the paired bootstrap, since intervals need its resamples too.
    """
    check_context = CheckContext(*(pair or (None, None)))
    chosen = choose_checks(checks, (), check_context).checks
    for name, metric in metrics.items():
        if not metric.cacheable or metric.reads_ids or metric.asks_models:
            raise UsageError(
                f"`stream=True`: metric '{name}' needs all segments at once. Leave out `stream` or it."
            )
    total = files.count()
    sums = resampling.StreamedSums(total, samples=how.samples, seed=how.seed)
    counts = {system: Counter[str](error=0, refused=0, missing=0) for system in files.outputs}
    unanswered: dict[str, set[str]] = {}
    signatures: dict[str, str] = {}
    for corpus in files.blocks():
        context.progress("lines", sums.units, total)
        for name, metric in metrics.items():
            if corpus.usable(name, metric) is not corpus:
                raise UsageError(
                    f"`stream=True`: metric '{name}' needs something that some lines do not have."
                )
            signatures[name] = metric.signature(corpus.segments, extra=extra)
        measured = measure_at_once([(metric, corpus) for metric in metrics.values()])
        stacked = [np.stack([entry.values for entry in own], axis=1) for own in measured]
        for (name, metric), values in zip(metrics.items(), stacked, strict=True):
            if not resampling.counted_units(values, metric.aggregate).all():
                raise UsageError(
                    f"`stream=True`: metric '{name}' has no score for some lines. Leave out `stream` or it."
                )
        sums.add(stacked)
        units = {name: units_of(corpus.segments, texts) for name, texts in corpus.outputs.items()}
        for system, found in run_checks(chosen, units, check_context).items():
            counts[system].update(count_checks(found))
        for system, absent in corpus.unanswered.items():
            counts[system]["missing"] += len(absent)
            unanswered.setdefault(system, set()).update(absent)
    columns = [
        MetricColumn(
            name,
            WHOLE,
            metric,
            list(files.outputs),
            [signatures[name]] * len(files.outputs),
            sums.units,
            totals,
            metric.aggregate(totals),
            metric.aggregate(resampled),
            np.empty((0, 0, 0)),
        )
        for (name, metric), totals, resampled in zip(
            metrics.items(), sums.totals, sums.resampled, strict=True
        )
    ]
    results = replace(how, unanswered=unanswered).conclude(columns, labels)
    basis: dict[str, Any] = {"streamed": {"segments": sums.units, "references": files.references}}
    if unanswered:
        lacking = {system: len(units) for system, units in unanswered.items()}
        basis["unanswered"] = {"of": sums.units, "systems": lacking, "ranked": how.rank_incomplete}
    shown_counts: dict[str, dict[str, Any]] = {
        system: {**found, "segments": sums.units} for system, found in counts.items()
    }
    return Result(
        scores=[score for result in results for score in result.scores],
        comparisons=[comparison for result in results for comparison in result.comparisons],
        clusters=[cluster for result in results for cluster in result.clusters],
        counts=shown_counts,
        basis=basis,
    )
