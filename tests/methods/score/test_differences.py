"""Where two systems differ, with numbers that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np

from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.chrf import ChrF
from mtassay.measures.metric import Metric
from mtassay.measures.ter import TER
from mtassay.methods.score.differences import (
    PairStatistics,
    Wins,
    compare_segments,
)


class Mean(Metric):
    """The mean of one number per unit."""

    name = "mean"

    def signature(self, segments, *, extra=None):  # type: ignore[no-untyped-def]
        return ""

    def measure(self, segments, outputs):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def aggregate(self, sums):  # type: ignore[no-untyped-def]
        with np.errstate(invalid="ignore"):
            return sums[..., 0] / sums[..., 1]


class Errors(Mean):
    """The same, the lower the better."""

    higher_is_better = False


def pair(metric: Metric, first: list[float], second: list[float], name: str = "m") -> PairStatistics:
    """Both systems with these scores, of the units 1, 2, …; nan is a unit that counts nothing."""
    ids = [str(number + 1) for number in range(len(first))]
    entries = [
        Statistics(
            name, system, ids, ["sum", "n"], np.array([[0, 0] if math.isnan(v) else [v, 1] for v in row])
        )
        for system, row in (("a", first), ("b", second))
    ]
    (both,) = PairStatistics.of(entries, {name: metric}, ("a", "b"))
    return both


SEGMENTS = {str(number): Segment(str(number), f"s{number}", (f"r{number}",)) for number in range(1, 6)}
OUTPUTS = [{id_: f"{system}{id_}" for id_ in SEGMENTS} for system in "ab"]


def test_the_largest_difference_comes_first_each_way_and_ties_are_neither() -> None:
    both = pair(Mean(), [10, 50, 30, 70, math.nan], [60, 50, 90, 40, 5])
    first, second, wins = compare_segments([both], SEGMENTS, OUTPUTS, count=5)
    assert [(d.segment.id, d.gain) for d in second] == [("3", 60), ("1", 50)]
    assert [(d.segment.id, d.gain) for d in first] == [("4", -30)]
    assert wins == Wins(first=1, second=2, ties=1)  # of the fifth segment nothing can be said
    assert (second[0].outputs, second[0].scores) == (("a3", "b3"), {"m": (30, 90)})


def test_only_as_many_are_given_as_are_wanted_and_equal_ones_in_order() -> None:
    both = pair(Mean(), [0, 0, 0, 0], [10, 20, 20, 20])
    _, second, wins = compare_segments([both], SEGMENTS, OUTPUTS, count=2)
    assert [d.segment.id for d in second] == ["2", "3"]
    assert wins.second == 4


def test_where_low_scores_are_good_the_lower_one_is_better() -> None:
    first, second, _ = compare_segments([pair(Errors(), [20, 50], [30, 10])], SEGMENTS, OUTPUTS, count=5)
    assert [(d.segment.id, d.gain) for d in first] == [("1", -10)]
    assert [(d.segment.id, d.gain) for d in second] == [("2", 40)]


def test_other_metrics_tell_what_they_say_of_the_segment() -> None:
    other = pair(Mean(), [1, math.nan], [2, 3], name="other")
    _, second, _ = compare_segments([pair(Mean(), [0, 0], [5, 9]), other], SEGMENTS, OUTPUTS, count=5)
    assert [d.scores for d in second] == [{"m": (0, 9)}, {"m": (0, 5), "other": (1, 2)}]


def test_real_metrics_fit() -> None:
    segments = list(SEGMENTS.values())
    texts = {"a": [s.references[0] or "" for s in segments], "b": ["x"] * len(segments)}
    metrics = {"ter": TER(), "chrf": ChrF()}
    entries = [entry for metric in metrics.values() for entry in metric.measure(segments, texts)]
    pairs = PairStatistics.of(entries, metrics, ("b", "a"))
    _, second, wins = compare_segments(pairs, SEGMENTS, OUTPUTS, count=1)
    assert wins == Wins(0, 5, 0)
    assert second[0].scores == {"ter": (100, 0), "chrf": (0, 100)}
