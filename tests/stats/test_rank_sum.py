"""Ranks and the rank-sum test, down to the published p-values of WMT22."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.stats.comparisons import clusters, win_counts
from mtassay.stats.correlation import average_ranks, rank_sum

small = st.lists(st.integers(0, 6), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([], []),
        ([5], [1]),
        ([1, 2, 2, 3, 5, 5, 5, 8], [1, 2.5, 2.5, 4, 6, 6, 6, 8]),
        ([3, math.nan, 1, 3], [2.5, math.nan, 1, 2.5]),
        ([math.inf, -math.inf, 0], [3, 1, 2]),
    ],
)
def test_equal_values_share_the_mean_of_their_ranks(values: list[float], ranks: list[float]) -> None:
    np.testing.assert_array_equal(average_ranks(values), ranks)


def test_the_rank_sum_by_hand() -> None:
    # Ranks 3.5 5 6 against 1 2 3.5: U = 14.5 - 6 = 8.5 of 9, expected 4.5, less 0.5 for continuity.
    # One tie of two: variance 9/12 · (7 - 6/30) = 5.1.
    z = 3.5 / math.sqrt(5.1)
    assert rank_sum([3, 4, 5], [1, 2, 3]) == pytest.approx(0.5 * math.erfc(z / math.sqrt(2)), rel=1e-12)


@pytest.mark.parametrize(
    ("x", "y", "p"),
    [
        # From SciPy's mannwhitneyu(method="asymptotic"), which makes the same corrections.
        ([1, 2, 2, 3, 5, 5, 5, 8], [2, 1, 2, 5, 5, 4, 9, 8], 0.6467422756389075),
        ([2, 1, 2, 5, 5, 4, 9, 8], [1, 2, 2, 3, 5, 5, 5, 8], 0.3939813183464976),
        ([2, 1, math.nan, 2, 5, 5, 4, 9, 8], [1, 2, 2, 3, 5, 5, 5, 8, math.nan], 0.3939813183464976),
    ],
)
def test_p_values_from_elsewhere(x: list[float], y: list[float], p: float) -> None:
    assert rank_sum(x, y) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize(("x", "y"), [([], [1]), ([1], []), ([2, 2], [2]), ([math.nan], [1]), ([0.1], [0.1])])
def test_nothing_to_rank_has_no_p_value(x: list[float], y: list[float]) -> None:
    assert math.isnan(rank_sum(x, y))


@settings(deadline=None)
@given(small, small)
def test_p_depends_on_order_alone(x: list[int], y: list[int]) -> None:
    p = rank_sum(x, y)
    grown = rank_sum([v**3 for v in x], [v**3 for v in y])
    assert p == grown or (math.isnan(p) and math.isnan(grown))


@settings(deadline=None)
@given(small, small)
def test_the_same_as_scipy(x: list[int], y: list[int]) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    if len(set(x + y)) > 1:
        expected = scipy_stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic").pvalue
        # SciPy cuts p off at 1.
        assert rank_sum(x, y) == pytest.approx(expected, rel=1e-9)


@pytest.fixture(scope="module")
def wmt22(data_folder: Path) -> tuple[list[str], np.ndarray, np.ndarray, list[int], list[tuple[str, bool]]]:
    """Systems in published order, published and own p-values, published wins, and where clusters end."""
    folder = data_folder / "wmt22" / "de-en" / "human"
    ratings = defaultdict(list)
    with (folder / "seg-scores.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter=" "):
            ratings[row["SYS"]].append(float(row["Z.SCR"]))
    with (folder / "wilcoxon.csv").open(encoding="utf-8") as file:
        header, *rows = [line.split() for line in file if line.strip()]
    published = np.array([[float(cell) for cell in row[1:]] for row in rows])
    own = np.array([[rank_sum(ratings[a], ratings[b]) for b in header] for a in header])
    with (folder / "clusters.csv").open(encoding="utf-8") as file:
        table = [
            row for row in csv.DictReader(file, delimiter=" ") if (row["SRC"], row["TRG"]) == ("de", "en")
        ]
    wins = {row["SYSTEM"]: int(row["WINS"]) for row in table}
    ends = [(row["SYSTEM"], row["END_OF_CLUSTER"] == "True") for row in table]
    return header, published, own, [wins[name] for name in header], ends


def test_the_published_p_values_of_wmt22_come_out_to_the_last_digits(wmt22: tuple) -> None:
    _, published, own, _, _ = wmt22
    printed = published != 0.12  # a filler for "not significant"
    assert printed.sum() == 24
    np.testing.assert_allclose(own[printed], published[printed], rtol=1e-9)
    assert (own[~printed] >= 0.05).all()


def test_the_published_wins_and_clusters_of_wmt22_come_out(wmt22: tuple) -> None:
    names, _, own, wins, ends = wmt22
    assert win_counts(own).tolist() == wins
    found = clusters([names.index(name) for name, _ in ends], own)
    assert [(names[i], i == cluster[-1]) for cluster in found for i in cluster] == ends
