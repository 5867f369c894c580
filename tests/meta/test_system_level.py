"""Agreement on systems: values checked by hand, and where their intervals come from."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

from mtassay.data.formats.score_files import ScoreColumn
from mtassay.data.nouns import Statistics
from mtassay.measures.nee import NEE
from mtassay.meta.rated_material import (
    Rater,
    RatingFrame,
    mean_of_rated,
    rater_from_column,
    rater_from_statistics,
)
from mtassay.meta.system_level import CORRELATIONS, Estimate, SystemLevel, drawable
from mtassay.stats.correlation import soft_pairwise_accuracy
from mtassay.stats.resampling import interval, one_sided_permutation

SYSTEMS = ["A", "B", "C", "D"]
PLAIN = RatingFrame(SYSTEMS, [])


def people(name: str, scores: list[float | None]) -> Rater:
    return rater_from_column(ScoreColumn(name, dict(zip(SYSTEMS, scores, strict=True))), PLAIN)


def by_name(estimates: list[Estimate]) -> dict[str, Estimate]:
    return {estimate.statistic: estimate for estimate in estimates}


def test_values_are_those_computed_by_hand() -> None:
    # x = 1 2 3 4, y = 1 3 2 4: r = 0.8; one of six pairs is ordered otherwise.
    found = by_name(SystemLevel(PLAIN).agreement(people("x", [1, 2, 3, 4]), people("y", [1, 3, 2, 4])))
    values = {name: estimate.value for name, estimate in found.items()}
    assert values == pytest.approx(
        {
            "pearson": 0.8,
            "spearman": 0.8,
            "kendall": 4 / 6,
            "pairwise_accuracy": 5 / 6,
            "soft_pairwise_accuracy": math.nan,
            "prediction_error": 36.0,
        },
        nan_ok=True,
    )
    assert (found["pearson"].n, found["pairwise_accuracy"].n) == (4, 6)


def test_pairs_that_people_tie_are_not_counted() -> None:
    found = by_name(SystemLevel(PLAIN).agreement(people("x", [1, 2, 3, 4]), people("y", [1, 1, 2, 4])))
    assert (found["pairwise_accuracy"].value, found["pairwise_accuracy"].n) == (1.0, 5)


def test_without_segments_systems_are_drawn_for_every_statistic() -> None:
    found = by_name(SystemLevel(PLAIN).agreement(people("x", [1, 2, 3, 4]), people("y", [1, 3, 2, 4])))
    assert {name: estimate.drawn for name, estimate in found.items()} == {
        **dict.fromkeys(CORRELATIONS, "systems"),
        "soft_pairwise_accuracy": "",
    }
    assert found["pearson"].low < 0.8 < found["pearson"].high
    assert found["soft_pairwise_accuracy"].reason == "no scores per segment: x"


def test_unrated_systems_are_left_out_and_are_not_zero() -> None:
    level = SystemLevel(PLAIN)
    found = level.agreement(people("x", [1, 2, 3, None]), people("y", [2, 4, 6, 0]))
    assert (found[0].value, found[0].n) == (pytest.approx(1.0), 3)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, None, None, None], [1, 2, 3, 4], "only one system has scores of both x and y"),
        ([None] * 4, [1, 2, 3, 4], "no system has scores of both x and y"),
        ([1, 2, 3, 4], [5, 5, 5, 5], "all 4 systems have the same score: y"),
    ],
)
def test_undefined_agreement_says_why(x: list[float | None], y: list[float | None], reason: str) -> None:
    for estimate in SystemLevel(PLAIN).agreement(people("x", x), people("y", y)):
        assert math.isnan(estimate.value)
        assert estimate.reason == reason


def test_a_metric_in_which_lower_is_better_is_turned() -> None:
    level = SystemLevel(PLAIN)
    errors = replace(people("ter", [9, 7, 5, 1]), higher_is_better=False)
    found = by_name(level.agreement(errors, people("y", [1, 2, 3, 4])))
    assert found["pairwise_accuracy"].value == 1
    assert found["pearson"].value > 0.9


def by_segment(name: str, rows: list[list[float | None]], frame: RatingFrame) -> Rater:
    cells = {
        system: dict(zip(frame.ids, row, strict=True)) for system, row in zip(SYSTEMS, rows, strict=True)
    }
    return rater_from_column(ScoreColumn(name, {}, cells), frame)


IDS = [str(i) for i in range(1, 31)]


def noisy(seed: int, *, spread: float = 1.0) -> list[list[float | None]]:
    rng = np.random.default_rng(seed)
    rows = np.arange(4)[:, None] * 2 + rng.normal(scale=spread, size=(4, 30))
    return [list(map(float, row)) for row in rows]


def test_with_segments_on_both_sides_segments_are_drawn() -> None:
    frame = RatingFrame(SYSTEMS, IDS)
    metric, human = by_segment("m", noisy(1), frame), by_segment("h", noisy(2), frame)
    assert drawable([metric, human]) == ("segments", "")
    found = by_name(SystemLevel(frame, samples=200, trials=200, drawn="segments").agreement(metric, human))
    assert {estimate.drawn for estimate in found.values()} == {"segments"}
    assert found["pearson"].low <= found["pearson"].value <= found["pearson"].high
    assert found["soft_pairwise_accuracy"].value > 0.95


def test_draws_without_any_rated_pair_of_systems_are_left_out_of_soft_accuracy() -> None:
    """People rated few segments of two systems: in some draws one of the two has no rating at all."""
    frame = RatingFrame(SYSTEMS, IDS[:4])
    unrated: list[float | None] = [None] * 4
    metric = by_segment("m", [[1, 2, 3, 4], [2, 3, 4, 6], unrated, unrated], frame)
    human = by_segment("h", [[1, None, None, None], [None, 2, 3, 5], unrated, unrated], frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        level = SystemLevel(frame, samples=200, trials=200, drawn="segments")
        found = by_name(level.agreement(metric, human))["soft_pairwise_accuracy"]
    # Both see the second system ahead, people unsurely: neither perfect agreement nor none.
    assert 0 < found.low <= found.value <= found.high <= 1


def test_the_interval_of_soft_accuracy_holds_what_a_test_in_each_draw_would_give() -> None:
    frame = RatingFrame(SYSTEMS, IDS)
    metric, human = by_segment("m", noisy(1, spread=9), frame), by_segment("h", noisy(2, spread=9), frame)
    level = SystemLevel(frame, samples=200, trials=500, drawn="segments")
    found = by_name(level.agreement(metric, human))["soft_pairwise_accuracy"]
    draws = np.random.default_rng(level.seed).integers(0, 30, size=(200, 30))
    values = []
    for places in draws:
        p = [
            one_sided_permutation(rater.units.statistics[places], mean_of_rated, trials=500, seed=1)
            for rater in (metric, human)
            if rater.units is not None
        ]
        values.append(soft_pairwise_accuracy(p[0], p[1]))
    assert (found.low, found.high) == pytest.approx(tuple(map(float, interval(np.array(values)))), abs=0.03)


def test_a_rater_agrees_with_itself_entirely() -> None:
    frame = RatingFrame(SYSTEMS, IDS)
    rows = noisy(1, spread=5)
    twins = [by_segment(name, rows, frame) for name in ("one", "two")]
    for name, estimate in by_name(SystemLevel(frame, 200, 200, drawn="segments").agreement(*twins)).items():
        best = 0.0 if name == "prediction_error" else 1.0
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((best, best, best), abs=1e-9)


def test_the_same_segments_are_drawn_for_both_sides() -> None:
    """Other segments on the two sides would blur the perfect agreement of the test above, and this one."""
    frame = RatingFrame(SYSTEMS, IDS)
    rows = noisy(1, spread=5)
    metric = by_segment("m", [[2 * (score or 0) + 1 for score in row] for row in rows], frame)
    level = SystemLevel(frame, samples=200, drawn="segments")
    estimate = level.agreement(metric, by_segment("h", rows, frame), soft=False)[0]
    assert estimate.low == pytest.approx(1.0)


def test_system_scores_that_segments_do_not_add_up_to_keep_segments_out() -> None:
    frame = RatingFrame(SYSTEMS, IDS)
    cells = {system: dict(zip(IDS, row, strict=True)) for system, row in zip(SYSTEMS, noisy(1), strict=True)}
    published = {"A": 10.0, "B": 30.0, "C": 20.0, "D": 40.0}
    bleu = rater_from_column(ScoreColumn("BLEU", published, cells), frame)
    human = by_segment("h", noisy(2), frame)
    assert drawable([human, bleu, human]) == ("systems", "BLEU")
    found = by_name(SystemLevel(frame, samples=200).agreement(bleu, human))
    assert bleu.points.tolist() == [10, 30, 20, 40]
    assert found["pearson"].drawn == "systems"
    # As at WMT, how sure a metric is rests on its segments, whatever its system scores are made of.
    assert found["soft_pairwise_accuracy"].value > 0.95


def test_a_metric_of_documents_draws_documents() -> None:
    """Documents are called like segments here, which must not confuse them."""
    documents = {segment_id: str(1 + i // 5) for i, segment_id in enumerate(IDS)}
    frame = RatingFrame(SYSTEMS, IDS, documents)
    rng = np.random.default_rng(3)
    measured = [
        Statistics(
            "nee",
            system,
            ["1", "2", "3", "4", "5", "6"],
            ["matched", "entities"],
            np.column_stack((rng.integers(0, 3, 6) + 2 * i, np.full(6, 9))),
        )
        for i, system in enumerate(SYSTEMS)
    ]
    metric = rater_from_statistics("nee", NEE(), measured, frame)
    assert metric.segments is None
    human = by_segment("h", noisy(2), frame)
    assert drawable([metric, human]) == ("documents", "")
    level = SystemLevel(frame, samples=200, trials=200, drawn="documents")
    found = by_name(level.agreement(metric, human))
    assert found["kendall"].drawn == "documents"
    assert found["soft_pairwise_accuracy"].value > 0.9
