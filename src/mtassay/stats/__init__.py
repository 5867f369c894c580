"""Statistics as pure functions on arrays: resampling tests, intervals, clusters, ranks and correlation."""

from __future__ import annotations

from mtassay.stats.comparison import (
    adjust,
    clusters,
    detectable_difference,
    units_to_settle,
    win_counts,
)
from mtassay.stats.correlation import Grouped, grouped, kendall, pearson, prediction_error, spearman
from mtassay.stats.intervals import Interval, bootstrap_interval, fisher_interval, interval, wilson
from mtassay.stats.pairs import PairCounts, acc_eq, count_pairs, pairwise_accuracy, soft_pairwise_accuracy
from mtassay.stats.randomization import one_sided_permutation, paired_randomization
from mtassay.stats.ranks import average_ranks, rank_sum
from mtassay.stats.resampling import (
    Aggregate,
    bootstrap_scores,
    bootstrap_sums,
    default_seed,
    difference_standard_errors,
    paired_bootstrap,
)

__all__ = [
    "Aggregate",
    "Grouped",
    "Interval",
    "PairCounts",
    "acc_eq",
    "adjust",
    "average_ranks",
    "bootstrap_interval",
    "bootstrap_scores",
    "bootstrap_sums",
    "clusters",
    "count_pairs",
    "default_seed",
    "detectable_difference",
    "difference_standard_errors",
    "fisher_interval",
    "grouped",
    "interval",
    "kendall",
    "one_sided_permutation",
    "paired_bootstrap",
    "paired_randomization",
    "pairwise_accuracy",
    "pearson",
    "prediction_error",
    "rank_sum",
    "soft_pairwise_accuracy",
    "spearman",
    "units_to_settle",
    "wilson",
    "win_counts",
]
