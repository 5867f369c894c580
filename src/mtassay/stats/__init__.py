"""Statistics as pure functions on arrays: tests, intervals, clusters, ranks, correlation and agreement."""

from __future__ import annotations

from mtassay.stats.agreement import (
    agreement_interval,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
)
from mtassay.stats.changes import Change, change_interval
from mtassay.stats.comparison import (
    adjust,
    clusters,
    detectable_difference,
    holm,
    units_to_settle,
    win_counts,
)
from mtassay.stats.correlation import Grouped, grouped, kendall, pearson, prediction_error, spearman
from mtassay.stats.intervals import Interval, bootstrap_interval, fisher_interval, interval, wilson
from mtassay.stats.macro import (
    macro_average,
    macro_interval,
    macro_permutation_test,
    macro_t_test,
    macro_z_test,
)
from mtassay.stats.pairs import PairCounts, acc_eq, count_pairs, pairwise_accuracy, soft_pairwise_accuracy
from mtassay.stats.randomization import one_sided_permutation, paired_randomization
from mtassay.stats.ranks import average_ranks, rank_sum
from mtassay.stats.resampling import (
    Aggregate,
    bootstrap_scores,
    bootstrap_sums,
    default_seed,
    difference_standard_errors,
    fixed_seed,
    paired_bootstrap,
)
from mtassay.stats.shares import bootstrap_test, exact_test, t_test, z_test
from mtassay.stats.tails import coin_tail, incomplete_beta, normal_tail, t_tail

__all__ = [
    "Aggregate",
    "Change",
    "Grouped",
    "Interval",
    "PairCounts",
    "acc_eq",
    "adjust",
    "agreement_interval",
    "average_ranks",
    "bootstrap_interval",
    "bootstrap_scores",
    "bootstrap_sums",
    "bootstrap_test",
    "change_interval",
    "clusters",
    "cohen_kappa",
    "coin_tail",
    "count_pairs",
    "default_seed",
    "detectable_difference",
    "difference_standard_errors",
    "exact_test",
    "fisher_interval",
    "fixed_seed",
    "fleiss_kappa",
    "grouped",
    "holm",
    "incomplete_beta",
    "interval",
    "kendall",
    "krippendorff_alpha",
    "macro_average",
    "macro_interval",
    "macro_permutation_test",
    "macro_t_test",
    "macro_z_test",
    "normal_tail",
    "observed_agreement",
    "one_sided_permutation",
    "paired_bootstrap",
    "paired_randomization",
    "pairwise_accuracy",
    "pearson",
    "prediction_error",
    "rank_sum",
    "soft_pairwise_accuracy",
    "spearman",
    "t_tail",
    "t_test",
    "units_to_settle",
    "wilson",
    "win_counts",
    "z_test",
]
