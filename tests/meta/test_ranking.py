"""Ranking by human scores: the rank-sum test, wins and clusters of WMT."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.formats.score_files import ScoreColumn, read_score_file
from mtassay.meta.rated_material import rank_systems


def column(**scores: list[float | None]) -> ScoreColumn:
    by_segment = {name: {str(i): value for i, value in enumerate(row)} for name, row in scores.items()}
    return ScoreColumn("z", by_segment=by_segment)


def test_a_new_rank_begins_where_all_above_beat_all_below() -> None:
    high, low = [float(i) for i in range(50, 90)], [float(i) for i in range(40)]
    result = rank_systems(column(worst=low, first=high, second=[x - 0.5 for x in high]), seed=1)
    assert [(cluster.rank, cluster.systems) for cluster in result.clusters] == [
        (1, ("first", "second")),
        (3, ("worst",)),
    ]
    assert {system: counts["wins"] for system, counts in result.counts.items()} == {
        "first": 1,
        "second": 1,
        "worst": 0,
    }


def test_unrated_segments_count_for_nothing() -> None:
    result = rank_systems(column(a=[1.0, None, 3.0], b=[0.0, 1.0, None]), seed=1)
    assert [(score.system, score.value, score.n) for score in result.scores] == [("a", 2.0, 2), ("b", 0.5, 2)]


def test_one_system_cannot_be_ranked() -> None:
    with pytest.raises(UsageError, match="z rates the segments of 1 systems; ranking needs two or more"):
        rank_systems(column(a=[1.0], b=[None]), seed=1)


def test_wins_and_clusters_of_wmt22_are_the_published_ones(data_folder: Path) -> None:
    folder = data_folder / "wmt22" / "de-en" / "human"
    scores = {c.name: c for c in read_score_file(str(folder / "seg-scores.csv"), ids=(), wanted=["Z.SCR"])}
    result = rank_systems(scores["Z.SCR"], seed=12345)
    with (folder / "clusters.csv").open(encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file, delimiter=" ") if (r["SRC"], r["TRG"]) == ("de", "en")]
    assert [score.system for score in result.scores] == [row["SYSTEM"] for row in rows]
    assert [result.counts[row["SYSTEM"]]["wins"] for row in rows] == [int(row["WINS"]) for row in rows]
    ranks = {system: cluster.rank for cluster in result.clusters for system in cluster.systems}
    assert [ranks[row["SYSTEM"]] for row in rows] == [int(row["CLUSTER_START"]) for row in rows]
