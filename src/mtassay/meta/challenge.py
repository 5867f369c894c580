"""How often a metric prefers the correct output of a pair (Macketanz et al. 2022, section 4.3).

Pairs of one item are not independent, so the item is the unit: its value is the share of its pairs in which
the correct output scores strictly higher. A tie is not right; it is counted apart. Every item counts the
same, however many pairs it has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.formats.evaluation_files import ChallengePair
from mtassay.data.nouns import Comparison, Result, Score
from mtassay.stats import proportions
from mtassay.stats.comparisons import MACRO, MICRO, Compare, defined, exact, joined, permutation, ranked
from mtassay.stats.proportions import effective_trials, small_sample_factor

Floats = NDArray[np.float64]
Kind = Literal["reference-based", "reference-free"]
KINDS: tuple[Kind, ...] = ("reference-based", "reference-free")
ACCURACY, TIES, KENDALL = "accuracy", "ties", "kendall"


@dataclass(frozen=True, slots=True, eq=False)
class MetricScores:
    """What one metric gave to both outputs of each pair; higher is better, nan means no score."""

    name: str
    label: str
    kind: Kind
    correct: Floats
    incorrect: Floats
    signature: str = ""

    @property
    def missing(self) -> int:
        """How many pairs it cannot be judged by."""
        return int(np.isnan(self.correct - self.incorrect).sum())


@dataclass(frozen=True, slots=True)
class ChallengeSettings:
    """What makes a row, and how metrics are compared."""

    by: Literal["category", "phenomenon"] = "category"
    alpha: float = 0.05
    samples: int = 1000
    seed: int | None = 12345


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Shares (items, metrics) of an item's pairs, -1 where a metric has none; and how many pairs it has."""

    shares: Floats
    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, items: NDArray[np.int64], values: Floats) -> _Table:
        """From the item (whole numbers from 0 up) and the values (pairs, metrics) of each pair, or nan."""
        scored = ~np.isnan(values)
        sums = np.zeros((int(items.max(initial=-1)) + 1, values.shape[1]))
        counts = np.zeros(sums.shape, dtype=np.int64)
        np.add.at(sums, items, np.where(scored, values, 0.0))
        np.add.at(counts, items, scored)
        return cls(np.where(counts > 0, sums / np.maximum(counts, 1), -1.0), counts)

    def of_items(self, rows: Sequence[int]) -> _Table:
        """The same for some of the items."""
        return _Table(self.shares[rows], self.pairs[rows])


def item_codes(pairs: Sequence[ChallengePair]) -> tuple[NDArray[np.int64], list[ChallengePair]]:
    """A whole number from 0 up for the item of each pair, and the first pair of each item."""
    first: dict[str, ChallengePair] = {}
    for pair in pairs:
        first.setdefault(pair.item, pair)
    places = {item: place for place, item in enumerate(first)}
    return np.array([places[pair.item] for pair in pairs], dtype=np.int64), list(first.values())


def grouped(keys: Sequence[str]) -> dict[str, list[list[int]]]:
    """The rows of each group in order of appearance, as one part; then all rows, and all groups as parts."""
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return {
        **{key: [part] for key, part in rows.items()},
        MICRO: [list(range(len(keys)))],
        MACRO: [*rows.values()],
    }


def pairwise(
    pairs: Sequence[ChallengePair], metrics: Sequence[MetricScores], settings: ChallengeSettings
) -> Result:
    """Pairwise accuracy in percent of every metric in each group, then "micro" and "macro".

    Scores are named "accuracy:reference-based" or "accuracy:reference-free", by what the metric reads, with
    the metric as `system`, and n is the number of items. "ties" is the share of pairs with equal scores, in
    percent, and "kendall" (right − wrong) / all, from −1 to 1, with ties in "all" only. Comparisons and
    clusters are within one kind, by the exact paired test where every item has one pair, else by a paired
    permutation test over items, which the macro average always has.
    """
    codes, first = item_codes(pairs)
    groups = grouped([getattr(pair, settings.by) for pair in first])
    results = []
    for kind in KINDS:
        chosen = [metric for metric in metrics if metric.kind == kind]
        if not chosen:
            continue
        above = np.stack([metric.correct - metric.incorrect for metric in chosen], axis=1)
        for name, values in (
            (f"{ACCURACY}:{kind}", np.where(np.isnan(above), np.nan, above > 0)),
            (TIES, np.where(np.isnan(above), np.nan, above == 0)),
            (KENDALL, (np.sign(above) + 1) / 2),
        ):
            table = _Table.of(codes, values)
            for group, parts in groups.items():
                tables = [table.of_items(rows) for rows in parts]
                scores = [_score(name, group, metric, i, tables) for i, metric in enumerate(chosen)]
                results.append(Result(scores))
                if name.startswith(ACCURACY) and len(chosen) > 1:
                    compare = _comparison([part.shares for part in tables], settings)
                    results.append(ranked(scores, compare, alpha=settings.alpha))
    return joined(results)


def between_kinds(
    pairs: Sequence[ChallengePair],
    metrics: Sequence[MetricScores],
    result: Result,
    settings: ChallengeSettings,
) -> Comparison | None:
    """The best metric of the one kind against the best of the other, on the items that both can be judged by.

    The best have the highest micro averages; `a` is the better of the two on their common items. `None`
    where there is only one kind, or no common item.
    """
    best = []
    for kind in KINDS:
        micro_scores = [
            score
            for score in result.scores
            if (score.name, score.group) == (f"{ACCURACY}:{kind}", MICRO) and score.value is not None
        ]
        if not micro_scores:
            return None
        name = max(micro_scores, key=lambda score: score.value or 0.0).system
        best.append(next(metric for metric in metrics if metric.name == name))
    above = np.stack([metric.correct - metric.incorrect for metric in best], axis=1)
    common = np.flatnonzero(~np.isnan(above).any(axis=1))
    if not len(common):
        return None
    codes, _ = item_codes([pairs[place] for place in common.tolist()])
    shares = _Table.of(codes, (above[common] > 0).astype(np.float64)).shares
    means = 100 * shares.mean(axis=0)
    a, b = (0, 1) if means[0] >= means[1] else (1, 0)
    p = float(_comparison([shares], settings)(a, [b])[0])
    return Comparison(ACCURACY, MICRO, best[a].name, best[b].name, float(means[a] - means[b]), p)


def _score(name: str, group: str, metric: MetricScores, column: int, tables: Sequence[_Table]) -> Score:
    """The mean over items, or over parts of such means; the interval needs no draws."""
    means, trials, n = [], [], 0
    for table in tables:
        shares = table.shares[:, column]
        counted = shares >= 0
        size = int(counted.sum())
        if size:
            variance = float(shares[counted].var(ddof=1)) / size if size > 1 else math.nan
            variance /= small_sample_factor(size)
            mean = float(shares[counted].mean())
            most = float(table.pairs[:, column].sum())
            means.append(mean)
            trials.append(effective_trials(mean, variance, least=size, most=most))
            n += size
    value = float(np.mean(means)) if means else math.nan
    correct = np.array(means) * trials
    if len(means) == 1:
        low, high = proportions.wilson(float(correct[0]), trials[0])
    else:
        low, high = map(float, proportions.macro_interval(correct, np.array(trials)))
    scale, shift = (2.0, -1.0) if name == KENDALL else (100.0, 0.0)
    value, low, high = (scale * number + shift for number in (value, low, high))
    return Score(name, metric.name, group, defined(value), n, defined(low), defined(high), metric.signature)


def _comparison(parts: Sequence[Floats], settings: ChallengeSettings) -> Compare:
    if len(parts) == 1 and np.isin(parts[0], (-1, 0, 1)).all():
        return exact(parts[0])
    return permutation(parts, samples=settings.samples, seed=settings.seed)
