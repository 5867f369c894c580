"""Metrics judged on a challenge set: pairwise accuracy, ties, and areas under the ROC curve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.formats.evaluation_files import ChallengePair
from mtassay.data.nouns import Result, Score
from mtassay.measures.chrf import ChrF
from mtassay.measures.ter import TER
from mtassay.meta.challenge import ChallengeSettings, Kind, MetricScores, between_kinds, pairwise
from mtassay.meta.estimation import discrimination
from mtassay.meta.measurement import measure_pairs
from mtassay.stats.proportions import exact_test, wilson

pytestmark = pytest.mark.filterwarnings("error")
BASED, FREE = "accuracy:reference-based", "accuracy:reference-free"


def pair(number: int, item: str, category: str = "C", reference: str | None = "r") -> ChallengePair:
    return ChallengePair(
        f"{item}:{number}",
        item,
        category,
        "P",
        "s",
        reference,
        f"{item} right {number}",
        f"{item} wrong {number}",
    )


def metric(name: str, marks: str, kind: Kind = "reference-based") -> MetricScores:
    """One mark per pair: + right, = tie, - wrong, ? no score."""
    correct = [{"+": 1.0, "=": 0.0, "-": -1.0, "?": math.nan}[mark] for mark in marks]
    return MetricScores(name, name.upper(), kind, np.array(correct), np.zeros(len(marks)))


def score(result: Result, name: str, system: str, group: str = "micro") -> Score:
    return next(s for s in result.scores if (s.name, s.system, s.group) == (name, system, group))


def test_with_one_pair_an_item_it_is_the_plain_share_with_wilsons_interval() -> None:
    pairs = [pair(1, f"i{i}") for i in range(10)]
    found = score(pairwise(pairs, [metric("m", "++++++++=-")], ChallengeSettings()), BASED, "m")
    low, high = wilson(8, 10)
    assert (found.value, found.n) == (80.0, 10)
    assert (found.low, found.high) == pytest.approx((100 * low, 100 * high))


def test_ties_are_not_right_are_shown_and_count_nothing_in_kendall() -> None:
    pairs = [pair(1, f"i{i}") for i in range(4)]
    result = pairwise(pairs, [metric("m", "+==-")], ChallengeSettings())
    assert score(result, BASED, "m").value == 25.0
    assert score(result, "ties", "m").value == 50.0
    assert score(result, "kendall", "m").value == 0.0  # (1 right - 1 wrong) / 4


def test_every_item_counts_the_same_however_many_pairs_it_has() -> None:
    pairs = [*(pair(i, "many") for i in range(4)), pair(1, "one")]
    found = score(pairwise(pairs, [metric("m", "+++-+")], ChallengeSettings()), BASED, "m")
    assert (found.value, found.n) == (87.5, 2)  # the mean of 3/4 and 1


@given(st.lists(st.sampled_from("+-"), min_size=2, max_size=12))
def test_pairs_that_say_the_same_add_no_certainty(marks: list[str]) -> None:
    once = [pair(1, f"i{i}") for i in range(len(marks))]
    thrice = [pair(number, f"i{i}") for i in range(len(marks)) for number in range(3)]
    repeated = "".join(mark * 3 for mark in marks)
    a = score(pairwise(once, [metric("m", "".join(marks))], ChallengeSettings()), BASED, "m")
    b = score(pairwise(thrice, [metric("m", repeated)], ChallengeSettings()), BASED, "m")
    assert (b.value, b.n, b.low, b.high) == pytest.approx((a.value, a.n, a.low, a.high))


def test_the_micro_average_counts_items_and_the_macro_average_categories() -> None:
    pairs = [pair(1, "a", "A"), *(pair(1, f"b{i}", "B") for i in range(4))]
    result = pairwise(pairs, [metric("m", "-++++")], ChallengeSettings())
    values = {s.group: (s.value, s.n) for s in result.scores if s.name == BASED}
    assert values == {"A": (0.0, 1), "B": (100.0, 4), "micro": (80.0, 5), "macro": (50.0, 5)}


def test_pairs_without_a_score_are_left_out_and_the_size_says_so() -> None:
    pairs = [pair(1, "a", "A"), pair(1, "b", "B"), pair(2, "b", "B")]
    result = pairwise(pairs, [metric("m", "??+")], ChallengeSettings())
    assert score(result, BASED, "m", "A") == Score(BASED, "m", "A", None, 0)
    assert (score(result, BASED, "m").value, score(result, BASED, "m").n) == (100.0, 1)


def test_the_best_of_a_kind_is_found_with_the_exact_paired_test() -> None:
    pairs = [pair(1, f"i{i}") for i in range(10)]
    metrics = [
        metric("good", "+++++++++-"),
        metric("bad", "-----+++-+"),
        metric("alone", "-" * 10, "reference-free"),
    ]
    result = pairwise(pairs, metrics, ChallengeSettings())
    comparison = next(c for c in result.comparisons if c.group == "micro")
    assert (comparison.name, comparison.a, comparison.b, comparison.delta) == (BASED, "good", "bad", 50.0)
    assert comparison.p == pytest.approx(float(exact_test(6, 1)))  # 6 right by good alone, 1 by bad alone
    clusters = {(c.rank, c.systems) for c in result.clusters if c.group == "micro" and c.name == BASED}
    assert clusters == {(1, ("good", "bad"))}  # 8 / 128 = 0.0625


def test_several_pairs_an_item_are_compared_by_item() -> None:
    # Twelve items of three pairs; by pairs the difference would be beyond doubt, by items it is 2 to 0.
    pairs = [pair(number, f"i{i}") for i in range(12) for number in range(3)]
    good = "+++" * 11 + "++-"
    bad = "---" * 2 + "+++" * 9 + "++-"
    result = pairwise(pairs, [metric("good", good), metric("bad", bad)], ChallengeSettings(samples=4000))
    comparison = next(c for c in result.comparisons if c.group == "micro")
    assert comparison.p == pytest.approx(0.25, abs=0.03)  # both of two coins show the same side


def test_rows_can_be_phenomena() -> None:
    result = pairwise([pair(1, "a"), pair(1, "b")], [metric("m", "+-")], ChallengeSettings(by="phenomenon"))
    assert [s.group for s in result.scores if s.name == BASED] == ["P", "micro", "macro"]


def test_the_best_with_a_reference_is_compared_with_the_best_without_on_common_items() -> None:
    pairs = [pair(1, f"i{i}", reference="r" if i < 8 else None) for i in range(10)]
    metrics = [
        metric("ref", "++++++++??"),
        metric("worse", "---------?"),
        metric("qe", "--------++", "reference-free"),
    ]
    settings = ChallengeSettings()
    found = between_kinds(pairs, metrics, pairwise(pairs, metrics, settings), settings)
    assert found is not None
    assert (found.a, found.b, found.delta, found.p) == ("ref", "qe", 100.0, pytest.approx(0.5**8))


def test_one_kind_alone_is_compared_with_nothing() -> None:
    pairs = [pair(1, "a")]
    metrics = [metric("m", "+")]
    assert (
        between_kinds(pairs, metrics, pairwise(pairs, metrics, ChallengeSettings()), ChallengeSettings())
        is None
    )


def free(name: str, correct: list[float], incorrect: list[float]) -> MetricScores:
    return MetricScores(name, name, "reference-free", np.array(correct), np.array(incorrect))


def test_quality_estimation_is_judged_over_all_outputs_of_a_category() -> None:
    pairs = [pair(1, "a", "A"), pair(1, "b", "A"), pair(1, "c", "B")]
    # In every pair the correct one is higher, yet across items of A one of four comparisons is not.
    result = discrimination(pairs, [free("q", [9, 3, 2], [5, 1, 1])], ChallengeSettings())
    assert {s.group: (s.value, s.n) for s in result.scores} == {
        "A": (0.75, 4),
        "B": (1.0, 2),
        "micro": (pytest.approx(7 / 9), 6),  # of 9 comparisons, 3 is below 5 and so is 2
        "macro": (0.875, 6),
    }


def test_an_output_in_several_pairs_counts_once() -> None:
    twice = [ChallengePair(f"a:{i}", "a", "A", "P", "s", None, "right", f"wrong {i}") for i in range(2)]
    result = discrimination(twice, [free("q", [3, 3], [1, 4])], ChallengeSettings())
    found = score(result, "auc", "q")
    assert (found.value, found.n) == (0.5, 3)


def test_the_better_estimation_is_found_and_outputs_without_a_score_are_left_out() -> None:
    rng = np.random.default_rng(7)
    pairs = [pair(1, f"i{i}") for i in range(60)]
    noise = rng.normal(size=(4, 60))
    good = free("good", list(noise[0] + 2), list(noise[1]))
    poor = free("poor", [math.nan, *noise[2][1:]], list(noise[3]))
    result = discrimination(pairs, [poor, good], ChallengeSettings())
    assert score(result, "auc", "poor").n == 119
    assert [c.systems for c in result.clusters if c.group == "micro"] == [("good",), ("poor",)]
    assert next(c.p for c in result.comparisons if c.group == "micro") < 1e-6


def test_nothing_to_estimate_is_an_empty_result() -> None:
    assert discrimination([pair(1, "a")], [], ChallengeSettings()) == Result()


PAIRS = [
    ChallengePair("1", "a", "A", "P", "s", "the cat sat", "the cat sat down", "a dog ran"),
    ChallengePair("2", "b", "A", "P", "s", None, "x", "y"),
]


@pytest.mark.parametrize("measured", [ChrF(), TER()], ids=lambda m: m.name)
def test_metrics_score_pairs_with_a_reference_and_higher_is_always_better(measured: ChrF | TER) -> None:
    (found,) = measure_pairs({"m": measured}, PAIRS)
    assert found.kind == "reference-based"
    assert found.correct[0] > found.incorrect[0]
    assert found.missing == 1
    assert math.isnan(found.correct[1])


def test_a_metric_that_reads_references_needs_one() -> None:
    with pytest.raises(UsageError, match="metric 'chrf' reads references, and no pair has one"):
        measure_pairs({"chrf": ChrF()}, PAIRS[1:])
