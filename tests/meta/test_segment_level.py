"""Agreement on translations: groupings, unrated ones, intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.data.formats.score_files import ScoreColumn
from mtassay.meta.correlate import CorrelationSettings, correlate
from mtassay.meta.rated_material import Rater, RatingFrame, rater_from_column
from mtassay.meta.system_level import STATISTICS, Grouping, SegmentLevel
from mtassay.stats import correlation as stats
from mtassay.stats.proportions import bootstrap_interval

FRAME = RatingFrame(["A", "B", "C"], ["1", "2", "3", "4"])
NAN = math.nan


def rater(name: str, rows: list[list[float]] | np.ndarray) -> Rater:
    values = np.array(rows, dtype=np.float64)
    return Rater(name, name, np.nanmean(values, axis=1), values)


METRIC = rater("bleu", [[1, 5, 3, 2], [2, 4, 9, 2], [3, 3, 1, 7]])
HUMAN = rater("mqm", [[-5, -1, NAN, 0], [-4, 0, NAN, 0], [-9, -2, NAN, 0]])


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_values_are_means_over_groups_without_the_unrated(grouping: Grouping) -> None:
    found = {e.statistic: e for e in SegmentLevel(grouping, samples=100).agreement(METRIC, HUMAN)}
    assert list(found) == list(STATISTICS)
    assert METRIC.segments is not None
    assert HUMAN.segments is not None
    for name in ("pearson", "spearman", "kendall", "acc_eq"):
        expected = stats.grouped(getattr(stats, name), METRIC.segments, HUMAN.segments, by=grouping)
        assert found[name].value == pytest.approx(expected.value)
        is_drawn = grouping == "item" or name in ("pearson", "spearman")
        assert found[name].drawn == ("segments" if is_drawn else "")


@pytest.mark.parametrize(
    ("grouping", "translations", "pairs", "groups"),
    # All translations of item 4 have the same human score, and nobody rated item 3.
    [("none", 9, 36, (1, 1)), ("item", 6, 9, (2, 3)), ("system", 9, 9, (3, 3))],
)
def test_n_is_what_a_number_rests_on(
    grouping: Grouping, translations: int, pairs: int, groups: tuple[int, int]
) -> None:
    found = {e.statistic: e for e in SegmentLevel(grouping, samples=100).agreement(METRIC, HUMAN)}
    assert {found[name].n for name in ("pearson", "spearman", "kendall", "prediction_error")} == {
        translations
    }
    assert found["acc_eq"].n == pairs
    assert (found["pearson"].groups, found["acc_eq"].groups) == groups


def test_accuracy_with_ties_takes_the_epsilon_that_makes_it_highest() -> None:
    """People tie what the metric distinguishes by 0.1, in one item; in the other both order alike."""
    metric = rater("m", [[1.0, 5.0], [1.1, 4.0], [1.2, 3.0]])
    human = rater("h", [[0.0, 3.0], [0.0, 2.0], [0.0, 1.0]])
    found = {e.statistic: e for e in SegmentLevel("item", samples=100).agreement(metric, human)}
    assert found["acc_eq"].value == pytest.approx(1.0)
    assert found["acc_eq"].epsilon == pytest.approx(0.2)
    assert (found["acc_eq"].low, found["acc_eq"].high) == (1.0, 1.0)
    assert math.isnan(found["kendall"].epsilon)


def test_items_with_gaps_are_compared_on_what_they_have() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 5, 30)).round(1)
    y[rng.random(y.shape) < 0.3] = NAN
    found = {
        e.statistic: e for e in SegmentLevel("item", samples=100).agreement(rater("m", x), rater("h", y))
    }
    for name in ("pearson", "spearman", "kendall"):
        expected = stats.grouped(getattr(stats, name), x, y, by="item")
        assert (found[name].value, found[name].groups) == (pytest.approx(expected.value), expected.groups)


def test_accuracy_with_ties_counted_by_hand() -> None:
    estimate = next(
        e for e in SegmentLevel("item", samples=100).agreement(METRIC, HUMAN) if e.statistic == "acc_eq"
    )
    # item 1: A<B right, A>C and B>C wrong; item 2: A<B wrong, A>C and B>C right; item 4: only A=B.
    assert estimate.value == pytest.approx((1 / 3 + 2 / 3 + 1 / 3) / 3)


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_intervals_are_those_of_drawing_columns(grouping: Grouping) -> None:
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(2, 4, 40))
    first, second = rater("m", x.tolist()), rater("h", (x + noise).round(1).tolist())
    assert first.segments is not None
    assert second.segments is not None
    found = {e.statistic: e for e in SegmentLevel(grouping, samples=150, seed=7).agreement(first, second)}
    for name in ("pearson", "spearman", *(["kendall", "acc_eq"] if grouping == "item" else [])):
        function = getattr(stats, name)
        expected = bootstrap_interval(
            lambda a, b, function=function: stats.grouped(function, a, b, by=grouping).value,
            [first.segments, second.segments],
            seed=7,
            samples=150,
        )
        assert (found[name].low, found[name].high) == pytest.approx(expected, abs=1e-9), name


def test_pairs_of_all_translations_have_no_interval() -> None:
    found = {e.statistic: e for e in SegmentLevel(samples=100).agreement(METRIC, HUMAN)}
    assert math.isnan(found["kendall"].low)
    assert "too many" in found["kendall"].reason
    assert not math.isnan(found["kendall"].value)
    assert not math.isnan(found["spearman"].low)


def test_people_without_scores_per_segment_leave_it_undefined() -> None:
    human = rater_from_column(ScoreColumn("z", {"A": 1.0, "B": 2.0, "C": 3.0}), FRAME)
    for estimate in SegmentLevel().agreement(METRIC, human):
        assert (math.isnan(estimate.value), estimate.reason) == (True, "no scores per segment: z")


def test_the_result_counts_what_was_not_rated_and_the_groups_left_out() -> None:
    settings = CorrelationSettings(level="segment", grouping="item", samples=100)
    found = correlate([METRIC], [HUMAN], frame=FRAME, settings=settings)
    assert found.result.counts == {
        "mqm": {"systems": 3, "unrated_systems": 0, "translations": 9, "unrated_translations": 3}
    }
    assert "Means over items: mqm 3, with a correlation 2." in found.notes
    assert found.result.scores[0].signature == "bs:100|seed:12345|grouping:item|interval:segments"
