"""Ratings of generated pairs: means, agreement, and a measure beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Edit, Review, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import review_now
from mtassay.methods.behavior.pair_quality import (
    PAIR_QUESTIONS,
    RatedPair,
    adequacy,
    agreement,
    cases_in,
    edited_pairs,
    mean_ratings,
    original_pairs,
    shuffled,
)
from mtassay.methods.behavior.pairs import BehaviorCase, segments_of
from mtassay.stats.rater_agreement import ordinal_alpha
from tests.methods.behavior.fakes import Memory, Shared


def case(name: str, *, segment: str = "7", after: str = "cat") -> BehaviorCase:
    return BehaviorCase(
        name,
        segment,
        "noun",
        "A dog.",
        "Um cão.",
        f"A {after}.",
        f"Um {after}.",
        (Edit(2, 5, "dog", after),),
        (Edit(3, 6, "cão", after),),
    )


PAIRS = [RatedPair(str(number), f"source {number}", f"target {number}") for number in range(4)]


def rated(question: str, pair: RatedPair, *answers: str) -> list[Review]:
    """Answers of raters a, b, … in this order; an empty one is none."""
    return [
        review_now(pair.subject.id, question, find_question(question).read_answer(answer), rater)
        for rater, answer in zip("abcde", answers, strict=False)
        if answer
    ]


def test_the_same_original_is_rated_once() -> None:
    cases = [case("7/1"), case("7/2", after="cow"), case("8/1", segment="8")]
    assert [pair.id for pair in original_pairs(cases)] == ["7", "8"]
    assert [(pair.source, pair.reference) for pair in edited_pairs(cases)] == [
        ("A cat.", "Um cat."),
        ("A cow.", "Um cow."),
        ("A cat.", "Um cat."),
    ]


def test_the_cases_of_a_run_are_those_it_was_made_from() -> None:
    cases = [case("7/1"), case("8/1", segment="8")]
    segments = [segment for each in cases for segment in segments_of(each)]
    assert cases_in([*segments, Segment("9", "no edit")]) == cases


def test_a_pair_counts_once_with_the_mean_of_its_raters() -> None:
    reviews = rated("ta", PAIRS[0], "3", "2") + rated("ta", PAIRS[1], "1") + rated("ta", PAIRS[2], "unsure")
    found = {score.name: score for score in mean_ratings({"llm": PAIRS}, reviews)}
    # 2.5 and 1, of two pairs.
    assert (found["ta"].value, found["ta"].n) == (1.75, 2)
    assert (found["ssf"].value, found["ssf"].n, found["ssf"].low) == (None, 0, None)


def test_the_newest_answer_of_a_rater_counts() -> None:
    reviews = [*rated("ta", PAIRS[0], "1"), *rated("ta", PAIRS[0], "3")]
    assert mean_ratings({"llm": PAIRS}, reviews, questions=["ta"])[0].value == 3.0


def test_the_interval_does_not_vanish_where_all_are_satisfied() -> None:
    reviews = [review for pair in PAIRS for review in rated("ssf", pair, "3")]
    (score,) = mean_ratings({"llm": PAIRS}, reviews, questions=["ssf"])
    # Wilson's interval of 4 in 4 begins at 0.5101.
    assert (score.value, score.low, score.high) == (3.0, pytest.approx(1 + 2 * 0.5101, abs=1e-3), 3.0)


@given(st.lists(st.sampled_from("123"), min_size=1, max_size=30))
def test_the_interval_holds_the_mean_and_stays_on_the_scale(answers: list[str]) -> None:
    pairs = [RatedPair(str(number), "s", "t") for number in range(len(answers))]
    reviews = [r for pair, answer in zip(pairs, answers, strict=True) for r in rated("tsf", pair, answer)]
    (score,) = mean_ratings({"llm": pairs}, reviews, questions=["tsf"])
    assert score.low is not None
    assert score.high is not None
    assert score.value == pytest.approx(np.mean([int(answer) for answer in answers]))
    assert 1 - 1e-9 <= score.low <= score.value <= score.high <= 3 + 1e-9


def test_agreement_is_on_pairs_that_two_rated_and_knows_the_order() -> None:
    table: Sequence[Sequence[str]] = [["1", "1"], ["3", "2"], ["2", "2"], ["3", ""]]
    reviews = [r for pair, answers in zip(PAIRS, table, strict=True) for r in rated("ta", pair, *answers)]
    found = {score.group: score for score in agreement(PAIRS, reviews)}
    assert found["ta"].n == 3
    assert found["ta"].value == pytest.approx(ordinal_alpha(np.array([[1, 3, 2], [1, 2, 2.0]])))
    assert (found["ssf"].value, found["ssf"].n) == (None, 0)


def test_agreement_is_undefined_where_all_say_the_same() -> None:
    reviews = [review for pair in PAIRS for review in rated("ta", pair, "3", "3")]
    found = {score.group: score for score in agreement(PAIRS, reviews)}
    assert (found["ta"].value, found["ta"].n) == (None, 4)


def test_adequacy_is_the_mean_of_each_set() -> None:
    sets = {
        "Ref": [RatedPair("1", "a b", "a b"), RatedPair("2", "a b", "a c")],  # 1 and 0.5
        "llm": [RatedPair("1", "a b", "c d"), RatedPair("2", "a b", "")],  # 0, and nothing to say
    }
    found = adequacy(sets, {"shared": Shared(against="source")}, Memory())
    assert [(s.name, s.system, s.value, s.n) for s in found] == [
        ("shared", "Ref", 0.75, 2),
        ("shared", "llm", 0.0, 1),
    ]


def test_a_measure_of_adequacy_may_not_read_references() -> None:
    with pytest.raises(UsageError, match="reads references"):
        adequacy({"llm": PAIRS}, {"shared": Shared()}, Memory())


def test_all_raters_get_one_order_whoever_made_the_pairs() -> None:
    assert shuffled(PAIRS, seed=1) == shuffled([*reversed(PAIRS), PAIRS[0]], seed=1)
    assert sorted(shuffled(PAIRS, seed=1)) == PAIRS
    assert len({tuple(shuffled(PAIRS, seed=seed)) for seed in range(10)}) > 1


@pytest.mark.parametrize("name", PAIR_QUESTIONS)
def test_every_question_about_pairs_has_three_answers_and_hides_who_made_them(name: str) -> None:
    question = find_question(name)
    assert [question.read_answer(key) for key in "123"] == ["unsatisfied", "fair", "satisfied"]
    assert question.is_blind
    assert not question.is_of_runs  # no run asks it about its outputs
