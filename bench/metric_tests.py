"""How often the tests between metrics claim a difference where there is none.

Two real metrics exchange their scores on a random half of the segments, so that neither is better; then each
test compares them, many times over. Needs the folder `wmt23-mtme` under MTASSAY_DATA.

    python bench/metric_tests.py --rounds 300
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

import numpy as np

from mtassay.data.languages import parse_pair
from mtassay.meta.rated_material import material_from_folder, rater_from_column
from mtassay.meta.significance import PairOutcomes, Swaps, TranslationGroups, standardized
from mtassay.stats import correlation, proportions

PAIRS = [("COMET-refA", "BLEURT-20-refA"), ("BLEU-refA", "chrF-refA"), ("COMET-refA", "chrF-refA")]


def main() -> None:
    """Print the share of rounds in which the better of two equal metrics is significantly better."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--trials", type=int, default=200)
    arguments = parser.parse_args()
    folder = Path(os.environ["MTASSAY_DATA"]) / "wmt23-mtme"
    material = material_from_folder(
        folder, parse_pair("en-de"), humans=["mqm"], metric_scores=["all"], with_outputs=False
    )
    raters = {c.name: rater_from_column(c, material.frame) for c in (*material.metrics, *material.humans)}
    tables = {name: rater.segments for name, rater in raters.items() if rater.segments is not None}
    rated = ~np.isnan(tables["mqm"]).any(axis=0)
    human = tables["mqm"][:, rated]
    groups = TranslationGroups.of(human, "none")
    rng = np.random.default_rng(1)
    claims: Counter[tuple[str, str]] = Counter()
    for number in range(arguments.rounds):
        first, second = (standardized(tables[name][:, rated]) for name in PAIRS[number % len(PAIRS)])
        keeps = rng.integers(2, size=human.shape[1], dtype=bool)
        one, other = np.where(keeps, first, second), np.where(keeps, second, first)
        outcomes = [
            PairOutcomes.of(side, human, correlation.calibrate_ties(side, human, by="item").epsilon)
            for side in (one, other)
        ]
        for test in ("randomization", "wmt"):
            swaps = Swaps(test, arguments.trials, seed=number)
            # The one that is ahead is tested, so the smaller of both p-values counts.
            p = {
                "acc_eq by item": min(a.swap(b, swaps) for a, b in (outcomes, outcomes[::-1])),
                "pearson": min(groups.swap(a, b, swaps) for a, b in ((one, other), (other, one))),
            }
            claims.update((test, name) for name, value in p.items() if value <= 0.05)
    for test in ("randomization", "wmt"):
        for name in ("acc_eq by item", "pearson"):
            wrong = claims[test, name]
            low, high = proportions.wilson(wrong, arguments.rounds)
            share = 100 * wrong / arguments.rounds
            print(
                f"{test:14} {name:15} {share:5.1f} % [{100 * low:.0f}–{100 * high:.0f}], n {arguments.rounds}"
            )


if __name__ == "__main__":
    main()
