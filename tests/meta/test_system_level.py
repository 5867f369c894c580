"""Agreement on systems: values checked by hand, and where their intervals come from."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mtassay.core import Statistics
from mtassay.meta.estimation import Estimate
from mtassay.meta.rater import Rater, RatingFrame, rater_from_column, rater_from_statistics
from mtassay.meta.scores import ScoreColumn
from mtassay.meta.system_level import SystemLevel
from mtassay.metrics.nee import NEE

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
    assert {estimate.n for estimate in found.values()} == {4}


def test_without_segments_pearson_has_fishers_interval_and_the_others_draw_systems() -> None:
    found = by_name(SystemLevel(PLAIN).agreement(people("x", [1, 2, 3, 4]), people("y", [1, 3, 2, 4])))
    assert {name: estimate.drawn for name, estimate in found.items()} == {
        "pearson": "fisher",
        "spearman": "systems",
        "kendall": "systems",
        "pairwise_accuracy": "systems",
        "soft_pairwise_accuracy": "",
        "prediction_error": "fisher",
    }
    # tanh(atanh(0.8) ± 1.95996 / sqrt(4 - 3))
    assert found["pearson"].low == pytest.approx(math.tanh(math.atanh(0.8) - 1.959964), abs=1e-6)
    assert found["pearson"].high == pytest.approx(math.tanh(math.atanh(0.8) + 1.959964), abs=1e-6)
    # An interval of r that holds 0 allows for no prediction at all.
    assert found["prediction_error"].high == 100
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
    found = by_name(SystemLevel(frame, samples=200, trials=200).agreement(metric, human))
    assert found["pearson"].drawn == "segments"
    assert found["pearson"].low <= found["pearson"].value <= found["pearson"].high
    assert found["soft_pairwise_accuracy"].drawn == "systems"
    assert found["soft_pairwise_accuracy"].value > 0.95


def test_a_rater_agrees_with_itself_entirely() -> None:
    frame = RatingFrame(SYSTEMS, IDS)
    rows = noisy(1, spread=5)
    twins = [by_segment(name, rows, frame) for name in ("one", "two")]
    for name, estimate in by_name(SystemLevel(frame, samples=200, trials=200).agreement(*twins)).items():
        best = 0.0 if name == "prediction_error" else 1.0
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((best, best, best), abs=1e-9)


def test_the_same_segments_are_drawn_for_both_sides() -> None:
    """Other segments on the two sides would blur the perfect agreement of the test above, and this one."""
    frame = RatingFrame(SYSTEMS, IDS)
    rows = noisy(1, spread=5)
    metric = by_segment("m", [[2 * (score or 0) + 1 for score in row] for row in rows], frame)
    estimate = SystemLevel(frame, samples=200).agreement(metric, by_segment("h", rows, frame), soft=False)[0]
    assert estimate.low == pytest.approx(1.0)


def test_system_scores_that_segments_do_not_add_up_to_keep_segments_out() -> None:
    frame = RatingFrame(SYSTEMS, IDS)
    cells = {system: dict(zip(IDS, row, strict=True)) for system, row in zip(SYSTEMS, noisy(1), strict=True)}
    published = {"A": 10.0, "B": 30.0, "C": 20.0, "D": 40.0}
    bleu = rater_from_column(ScoreColumn("BLEU", published, cells), frame)
    found = by_name(SystemLevel(frame, samples=200).agreement(bleu, by_segment("h", noisy(2), frame)))
    assert bleu.points.tolist() == [10, 30, 20, 40]
    assert found["pearson"].drawn == "fisher"
    assert found["soft_pairwise_accuracy"].reason == "system scores are no means of segment scores: BLEU"


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
    found = by_name(
        SystemLevel(frame, samples=200, trials=200).agreement(metric, by_segment("h", noisy(2), frame))
    )
    assert found["kendall"].drawn == "documents"
    assert found["soft_pairwise_accuracy"].value > 0.9


def test_three_systems_are_too_few_for_fishers_interval_and_that_is_said() -> None:
    found = by_name(SystemLevel(PLAIN).agreement(people("x", [1, 2, 3, None]), people("y", [1, 3, 2, 4])))
    assert found["pearson"].value == pytest.approx(0.5)
    assert math.isnan(found["pearson"].low)
    assert found["pearson"].reason == "Fisher's z needs four systems"
