"""Where two systems differ, with numbers that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.chrf import ChrF
from mtassay.measures.metric import Metric
from mtassay.measures.ter import TER
from mtassay.methods.score.differences import (
    NgramDifference,
    PairStatistics,
    Wins,
    compare_ngrams,
    compare_segments,
    most_telling,
    scores_by_length,
    words_by_frequency,
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


def words(*lines: str) -> list[list[str]]:
    return [line.split() for line in lines]


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


def test_an_ngram_is_right_as_often_as_the_reference_has_it() -> None:
    # the the the | the cat: 'the' is right twice at most, as it is twice in the reference.
    found = compare_ngrams([words("the cat the dog")], words("the the the"), words("the cat"))
    assert {(d.words, d.first, d.second, d.references) for d in found} == {
        (("the",), 2, 1, 2),
        (("cat",), 0, 1, 1),
        (("the", "cat"), 0, 1, 1),
    }


def test_ngrams_are_counted_over_all_segments_and_do_not_reach_beyond_one() -> None:
    references = words("a b", "c d", "a b")
    found = {d.words: d[1:] for d in compare_ngrams([references], words("a b", "c d", "x"), references)}
    assert found[("a", "b")] == (1, 2, 2)
    assert found[("c", "d")] == (1, 1, 1)
    assert ("b", "c") not in found


def test_with_several_references_the_one_that_has_most_counts() -> None:
    references = [words("a a", "b"), words("a", "")]
    found = {d.words: d[1:] for d in compare_ngrams(references, words("a a a", "b"), words("a", "a"))}
    assert found == {("a",): (2, 1, 2), ("b",): (1, 0, 1), ("a", "a"): (1, 0, 1)}


def test_ngrams_have_four_words_at_most_and_no_unknown_ones() -> None:
    line = words("a b c d e")
    found = compare_ngrams([line], words("a b x d e"), line)
    assert max(len(d.words) for d in found) == 4
    assert {d.words for d in found if d.first} == {("a",), ("b",), ("d",), ("e",), ("a", "b"), ("d", "e")}


def test_no_words_give_no_ngrams() -> None:
    assert compare_ngrams([words("", "")], words("a", ""), words("", "b")) == []


def test_ngrams_are_ranked_by_the_smoothed_ratio() -> None:
    often = NgramDifference(("x",), 1, 8, 9)  # 9/11
    seldom = NgramDifference(("y",), 0, 2, 9)  # 3/4
    always = NgramDifference(("z",), 0, 9, 9)  # 10/11
    assert most_telling([seldom, often, always], count=2) == [always, often]
    assert most_telling([d.reversed for d in (seldom, often, always)], count=2) == []


def test_lengths_have_scores_of_their_own() -> None:
    both = pair(Mean(), [10, 20, 60], [30, 40, 50])
    short, long = scores_by_length(both, {"1": 9, "2": 3, "3": 60}, samples=100, seed=1)
    assert (short.label, short.n, short.first.value, short.second.value) == ("0–9", 2, 15, 35)
    assert short.difference == (20, 20, 20)  # of both segments, so of every resample
    assert (short.first.low, short.first.high) == (10, 20)
    assert (long.label, long.n, long.difference.value) == ("60+", 1, -10)


def test_the_borders_of_lengths_are_those_of_compare_mt() -> None:
    both = pair(Mean(), [1, 1, 1], [1, 1, 1])
    found = scores_by_length(both, {"1": 9, "2": 10, "3": 19}, samples=100, seed=1)
    assert [(bucket.label, bucket.n) for bucket in found] == [("0–9", 1), ("10–19", 2)]


def test_words_are_scored_by_how_frequent_they_are() -> None:
    # 'the' is in the references four times, 'cat' and 'dog' once. The first output has the cat right and
    # 'the' three times, of which two are right: F1 of 'the' is 2·2/(3+4), of the single words 2·1/(1+2).
    references, first = words("the cat the dog", "the the"), words("the the the cat", "x")
    second = words("the dog the cat", "the the")
    frequencies = {"the": 4, "cat": 1, "dog": 1}
    once, four = words_by_frequency(references, first, second, frequencies=frequencies, samples=100, seed=1)
    assert (once.label, once.n, four.label, four.n) == ("1", 2, "4", 4)
    assert once.first.value == pytest.approx(100 * 2 / 3)
    assert four.first.value == pytest.approx(100 * 4 / 7)
    assert (once.second.value, four.second.value) == (100, 100)
    assert four.difference.value == pytest.approx(100 * 3 / 7)
    assert four.difference.low <= four.difference.value <= four.difference.high


def test_words_that_a_training_text_lacks_are_a_part_of_their_own() -> None:
    lines = words("rare the")
    none, many = words_by_frequency(
        lines, lines, words("the"), frequencies={"the": 5000}, samples=100, seed=1
    )
    assert (none.label, none.n, none.first.value, none.second.value) == ("0", 1, 100, 0)
    assert (many.label, many.second.value) == ("1,000+", 100)


def test_real_metrics_fit() -> None:
    segments = list(SEGMENTS.values())
    texts = {"a": [s.references[0] or "" for s in segments], "b": ["x"] * len(segments)}
    metrics = {"ter": TER(), "chrf": ChrF()}
    entries = [entry for metric in metrics.values() for entry in metric.measure(segments, texts)]
    pairs = PairStatistics.of(entries, metrics, ("b", "a"))
    _, second, wins = compare_segments(pairs, SEGMENTS, OUTPUTS, count=1)
    assert wins == Wins(0, 5, 0)
    assert second[0].scores == {"ter": (100, 0), "chrf": (0, 100)}
