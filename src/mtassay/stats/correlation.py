"""Agreement of two rankings or scores: correlation, ranks, pairs, areas under curves.

All functions leave out items with nan (unrated) on either side. A correlation is nan (never 0) for fewer than
two items or if all values of a side are equal. Two items always correlate at 1 or -1.

Areas use Obuchowski (1997), "Nonparametric analysis of clustered ROC curve data": the method of DeLong et al.
(1988), with the placements of each cluster summed. It needs no resampling and can compare curves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtassay.data.errors import UsageError
from mtassay.stats import correlation_rows as rows
from mtassay.stats.proportions import Interval, effective_trials, small_sample_factor, wilson


def average_ranks(x: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1 (smallest) up; equal values share the mean of their ranks; nan has the rank nan.

    >>> average_ranks([10, 30, 20, 30]).tolist()
    [1.0, 3.5, 2.0, 3.5]
    """
    values = np.asarray(x, dtype=np.float64)
    ranks = np.full(values.shape, np.nan)
    rated = ~np.isnan(values)
    _, place, counts = np.unique(values[rated], return_inverse=True, return_counts=True)
    ranks[rated] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def rank_sum(x: ArrayLike, y: ArrayLike) -> float:
    """One-sided p-value that `x` tends to be greater than `y`: Wilcoxon's rank-sum test (Mann-Whitney).

    It uses the normal approximation with correction for ties and continuity, and gives the same number as R's
    `wilcox.test(x, y, alternative="greater", exact=FALSE)`. Unrated values (nan) are left out. The result is
    nan if one side is empty or all values are equal.

    >>> round(rank_sum([3, 4, 5], [1, 2, 3]), 6)
    0.060592
    """
    first, second = _rated(x), _rated(y)
    m, n = len(first), len(second)
    if m == 0 or n == 0:
        return math.nan
    both = np.concatenate([first, second])
    u = float(average_ranks(both)[:m].sum()) - m * (m + 1) / 2
    tied = np.unique(both, return_counts=True)[1].astype(np.float64)
    ties = float((tied**3 - tied).sum())
    variance = m * n / 12 * ((m + n + 1) - ties / ((m + n) * (m + n - 1)))
    if variance <= 0 or len(tied) == 1:
        return math.nan
    z = (u - m * n / 2 - 0.5) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))


def _rated(x: ArrayLike) -> NDArray[Any]:
    values = np.asarray(x, dtype=np.float64).ravel()
    return values[~np.isnan(values)]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of pairs of items: same order, opposite order, tied only in x, only in y, or in both."""

    concordant: int
    discordant: int
    tied_x: int
    tied_y: int
    tied_both: int

    @property
    def total(self) -> int:
        return self.concordant + self.discordant + self.tied_x + self.tied_y + self.tied_both


_FEW_ITEMS = 32
"""Up to this number of items, comparing every pair is faster."""


def count_pairs(x: ArrayLike, y: ArrayLike) -> PairCounts:
    """Count all pairs of items in O(n log² n) time; items with nan on either side are left out.

    >>> count_pairs([1, 2, 3, 3], [1, 3, 2, 2])
    PairCounts(concordant=3, discordant=2, tied_x=0, tied_y=0, tied_both=1)
    """
    first, second = complete_pairs(x, y)
    if len(first) <= _FEW_ITEMS:
        return _count_few_pairs(first, second)
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    total = len(first) * (len(first) - 1) // 2
    in_x, in_y = _tied(first), _tied(np.sort(second))
    same = np.flatnonzero((np.diff(first) != 0) | (np.diff(second) != 0)) + 1
    in_both = _pairs_within(np.diff(np.concatenate([[0], same, [len(first)]])))
    # Sorted by x, then by y, so that a pair with a tie in x is never an inversion of y.
    discordant = _inversions(np.unique(second, return_inverse=True)[1])
    concordant = total - in_x - in_y + in_both - discordant
    return PairCounts(concordant, discordant, in_x - in_both, in_y - in_both, in_both)


def _count_few_pairs(x: NDArray[Any], y: NDArray[Any]) -> PairCounts:
    """Count pairs like `count_pairs`, by comparing every pair."""
    left, right = np.triu_indices(len(x), 1)
    # 3 × the order in x + the order in y, from -4 to 4.
    in_x, in_y = (np.int8(1) * (z[left] > z[right]) - (z[left] < z[right]) for z in (x, y))
    counts = np.bincount(3 * in_x + in_y + 4, minlength=9).tolist()
    discordant, tied_x, tied_y = counts[2] + counts[6], counts[3] + counts[5], counts[1] + counts[7]
    return PairCounts(counts[0] + counts[8], discordant, tied_x, tied_y, counts[4])


def pairwise_accuracy(metric: ArrayLike, human: ArrayLike) -> float:
    """Share of pairs that the metric orders as people do (Kocmi et al. 2021); 0.5 is chance, 1 perfect.

    Pairs with a tie in the human scores have no right order and are left out; if only the metric ties, it is
    wrong. Items with nan in either score are left out; the result is nan if no pair remains.

    >>> pairwise_accuracy([30, 31, 29], [0.1, 0.2, 0.3])
    0.3333333333333333
    """
    pairs = count_pairs(metric, human)
    judged = pairs.concordant + pairs.discordant + pairs.tied_x
    return pairs.concordant / judged if judged else math.nan


def acc_eq(metric: ArrayLike, human: ArrayLike) -> float:
    """Share of pairs that the metric orders or ties as people do (Deutsch et al. 2023).

    Only equal scores are ties here; `calibrate_ties` finds which differences should count as ties. It is
    meant for segments, where human ties are frequent and worth predicting, and counts all pairs. Items with
    nan in either score are left out; the result is nan for fewer than two items.

    >>> acc_eq([1, 1, 2], [0, 0, 5])
    1.0
    """
    pairs = count_pairs(metric, human)
    return (pairs.concordant + pairs.tied_both) / pairs.total if pairs.total else math.nan


def soft_pairwise_accuracy(metric_p: NDArray[Any], human_p: NDArray[Any]) -> float:
    """Mean of 1 - |p of metric - p of people| over pairs of systems (Thompson et al. 2024); 1 is perfect.

    Both arguments are one-sided p-values (systems, systems) from `one_sided_permutation`. Both orders of each
    pair count, so the order of systems does not matter. Pairs with a nan are left out; the result is nan if
    no pair remains.
    """
    distances = np.abs(np.asarray(metric_p, dtype=np.float64) - np.asarray(human_p, dtype=np.float64))
    distances = distances[~np.eye(len(distances), dtype=bool)]
    distances = distances[~np.isnan(distances)]
    return float(1 - distances.mean()) if len(distances) else math.nan


def complete_pairs(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sides as flat arrays, without items that are nan on either side."""
    first = np.asarray(x, dtype=np.float64).ravel()
    second = np.asarray(y, dtype=np.float64).ravel()
    if len(first) != len(second):
        raise ValueError(f"both sides need the same items, got {len(first)} and {len(second)}")
    complete = ~(np.isnan(first) | np.isnan(second))
    return first[complete], second[complete]


def _tied(ascending: NDArray[Any]) -> int:
    return _pairs_within(np.unique(ascending, return_counts=True)[1])


def _pairs_within(sizes: NDArray[Any]) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(values: NDArray[Any]) -> int:
    """Count the pairs of whole numbers (from 0) that are in descending order.

    In such a pair, the highest differing bit is first 1 and then 0. Numbers with equal higher bits are kept
    together, in their original order. So going down bit by bit counts each pair once.
    """
    inversions = 0
    for bit in range(int(values.max(initial=0)).bit_length() - 1, -1, -1):
        prefix = values >> (bit + 1)
        bits = (values >> bit) & 1
        ones = np.cumsum(bits)
        starts = np.flatnonzero(np.diff(prefix, prepend=-1))
        before_group = (ones - bits)[starts]
        sizes = np.diff(np.append(starts, len(values)))
        inversions += int((ones - np.repeat(before_group, sizes))[bits == 0].sum())
        values = values[np.argsort(values >> bit, kind="stable")]
    return inversions


Correlation = Callable[[NDArray[Any], NDArray[Any]], float]


@dataclass(frozen=True, slots=True)
class Grouped:
    """The mean over `groups` groups; another `skipped` groups had no defined value. nan if all were skipped.

    `values` has one entry for each group, in order (nan if undefined); resampling them gives an interval.
    """

    value: float
    groups: int
    skipped: int
    values: tuple[float, ...] = field(default=(), repr=False, compare=False)


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Linear correlation, from -1 to 1.

    >>> round(pearson([1, 2, 3], [2, 4, 7]), 6)
    0.993399
    """
    first, second = complete_pairs(x, y)
    return float(rows.pearson_rows(first[None], second[None])[0]) if len(first) else math.nan


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Correlation of the ranks, from -1 to 1; equal values share their mean rank.

    >>> round(spearman([1, 2, 3, 4], [10, 30, 20, 40]), 6)
    0.8
    """
    first, second = complete_pairs(x, y)
    return pearson(average_ranks(first), average_ranks(second))


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b, from -1 to 1: concordant minus discordant pairs, corrected for ties on both sides.

    >>> round(kendall([1, 2, 3, 4], [10, 30, 20, 40]), 6)
    0.666667
    """
    pairs = count_pairs(x, y)
    untied = pairs.concordant + pairs.discordant
    scale = math.sqrt(untied + pairs.tied_x) * math.sqrt(untied + pairs.tied_y)
    if scale == 0:
        return math.nan
    return max(-1.0, min(1.0, (pairs.concordant - pairs.discordant) / scale))


def prediction_error(x: ArrayLike, y: ArrayLike) -> float:
    """Percentage of the variance that a linear prediction does not explain: 100 · (1 - r²).

    >>> round(prediction_error([1, 2, 3], [2, 4, 7]), 2)
    1.32
    """
    return 100 * (1 - pearson(x, y) ** 2)


def _prediction_error_rows(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    return 100 * (1 - rows.pearson_rows(x, y) ** 2)


class Coefficient(NamedTuple):
    """A statistic of two sides, for two vectors or for each row of two arrays."""

    value: Correlation
    rows: rows.Rowwise


COEFFICIENTS: Mapping[str, Coefficient] = {
    "pearson": Coefficient(pearson, rows.pearson_rows),
    "spearman": Coefficient(spearman, rows.spearman_rows),
    "kendall": Coefficient(kendall, rows.kendall_rows),
    "pairwise_accuracy": Coefficient(pairwise_accuracy, rows.pairwise_accuracy_rows),
    "prediction_error": Coefficient(prediction_error, _prediction_error_rows),
}
"""Every measure of agreement between two sides, by its name."""


def grouped(
    correlation: Correlation,
    metric: NDArray[Any],
    human: NDArray[Any],
    *,
    by: Literal["none", "item", "system"] = "none",
) -> Grouped:
    """Segment-level correlation of scores (systems, items); `correlation` is any function of two arrays here.

    `by` chooses the groups: "none" makes all translations one group, "item" groups the translations of a
    segment, and "system" those of a system. The value is the unweighted mean over groups. Groups whose value
    is undefined are left out of the mean and counted in `skipped`.
    """
    values = np.array([correlation(x, y) for x, y in _sides(metric, human, by)], dtype=np.float64)
    defined = values[~np.isnan(values)]
    mean = float(defined.mean()) if len(defined) else math.nan
    return Grouped(mean, len(defined), len(values) - len(defined), tuple(values.tolist()))


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AUC:
    """The probability that a positive scores above a negative (ties count half); nan without both kinds.

    `positive` and `negative` have, for each cluster, how far the placements of its outputs are from their
    expectation. `clusters` counts all clusters, clusters with positives, and clusters with negatives.
    """

    value: float
    positives: int
    negatives: int
    positive: Floats
    negative: Floats
    clusters: tuple[int, int, int]

    @property
    def variance(self) -> float:
        return auc_covariance(self, self)

    @property
    def trials(self) -> float:
        """The number of independent trials with the same variance as the area.

        If all positives are above (or below) all negatives, the variance is 0. Then it is the number of
        clusters with the rarer kind.
        """
        rarer = min(self.clusters[1:])
        trials = effective_trials(self.value, self.variance, least=min(1, rarer), otherwise=rarer)
        return trials if trials == rarer else trials * small_sample_factor(rarer)

    def interval(self) -> Interval:
        """Wilson's 95 % interval of the area, with the number of trials that gives the same variance.

        Both ends are nan if a kind of outputs is missing.
        """
        if math.isnan(self.value):
            return Interval(math.nan, math.nan)
        low, high = wilson(self.value * self.trials, self.trials)
        return Interval(min(low, self.value), max(high, self.value))


def auc(scores: ArrayLike, is_positive: ArrayLike, clusters: ArrayLike) -> AUC:
    """Compute the area from a score, a kind and a cluster (numbers from 0) per output; none may be nan.

    >>> auc([3, 2, 2, 1], [True, True, False, False], [0, 1, 0, 1]).value
    0.875
    """
    values = np.asarray(scores, dtype=np.float64)
    positive = np.asarray(is_positive, dtype=bool)
    codes = np.asarray(clusters, dtype=np.int64)
    m, n = int(positive.sum()), int((~positive).sum())
    size = int(codes.max(initial=-1)) + 1
    some, others = (np.bincount(codes[kind], minlength=size) > 0 for kind in (positive, ~positive))
    counts = (int((some | others).sum()), int(some.sum()), int(others.sum()))
    if not m or not n:
        return AUC(math.nan, m, n, np.zeros(size), np.zeros(size), counts)
    overall = average_ranks(values)
    # Ranks minus ranks within the own kind: the number of negatives below each positive, and vice versa.
    above = (overall[positive] - average_ranks(values[positive])) / n
    below = 1 - (overall[~positive] - average_ranks(values[~positive])) / m
    value = float(above.mean())
    sums = np.zeros((2, size))
    np.add.at(sums[0], codes[positive], above - value)
    np.add.at(sums[1], codes[~positive], below - value)
    return AUC(value, m, n, sums[0], sums[1], counts)


def auc_covariance(a: AUC, b: AUC) -> float:
    """Covariance of two areas over the same outputs; nan with fewer than two clusters of either kind."""
    both, positive, negative = a.clusters
    if positive < 2 or negative < 2:
        return math.nan
    m, n = a.positives, a.negatives
    first = positive / (positive - 1) * float(a.positive @ b.positive) / m**2
    second = negative / (negative - 1) * float(a.negative @ b.negative) / n**2
    cross = both / (both - 1) * float(a.positive @ b.negative + a.negative @ b.positive) / (m * n)
    return max(first + second + cross, 0.0) if a is b else first + second + cross


_FEW_BINS, _MANY_BINS = 2**10, 2**16
_MANY_PAIRS = 2**20
_BLOCK = 2**18
_ROUNDING = 1e-11


class TieCalibration(NamedTuple):
    """The highest accuracy with ties and its smallest `epsilon`; nan if no group has a pair.

    The accuracy is the mean over `groups` groups with a total of `pairs` pairs.
    """

    value: float
    epsilon: float
    groups: int
    pairs: int


class _Group(NamedTuple):
    """A group in ascending order of the metric; `ranks` are human ranks, and equal ranks are ties."""

    scores: Floats
    ranks: NDArray[np.int32]
    weight: float


def calibrate_ties(
    metric: NDArray[Any], human: NDArray[Any], *, by: Literal["none", "item", "system"] = "none"
) -> TieCalibration:
    """Find the best epsilon for scores (systems, items); `by` is as in `grouped`, and WMT uses "item".

    Candidates are 0 and all differences within a group. All groups share one epsilon. Translations with nan
    on either side and groups with fewer than two translations are left out.

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
    # Within a bin, the gain is at most its number of rises, so only few bins can have the maximum.
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
    """Yield a group's weight, and differences of pairs whose result would change if the metric tied them.

    Each block covers some rows. The first array is of pairs that people tie: a tie of the metric is right.
    The second array is of pairs that the metric orders as people do: a tie is wrong.
    """
    for scores, ranks, weight in groups:
        start, n = 0, len(scores)
        while start < n:
            stop = min(n, start + max(1, _BLOCK // (n - start)))
            differences = scores[start:] - scores[start:stop, None]
            # In ascending order, every pair has a difference above 0 once, unless the metric ties it.
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
    """All differences in open bins, ascending, with the accuracy at each difference."""
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
