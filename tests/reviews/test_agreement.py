"""Agreement of reviewers, on numbers small enough to check by hand."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Review
from mtassay.data.questions import AnswerSpan, SpanAnswer
from mtassay.data.subjects import Subject, decide
from mtassay.review.reviewer_agreement import AgreementCoefficient, agreements, agreements_by

ANSWERS = {"c": "correct", "i": "incorrect", "u": "unsure"}


def measured(**rows: str) -> dict[tuple[str, int], AgreementCoefficient]:
    """One letter for each subject and reviewer, a dot for none; by measure and number of reviewers."""
    reviews = [
        Review(f"s{place}", "suite", ANSWERS[letter], reviewer, at="2026-01-01T00:00:00+00:00")
        for reviewer, row in rows.items()
        for place, letter in enumerate(row)
        if letter in ANSWERS
    ]
    return {(entry.measure, len(entry.reviewers)): entry for entry in agreements(decide(reviews), "suite")}


def test_two_reviewers_by_hand() -> None:
    found = measured(anna="ccii", ben="ciii")
    # They agree on 3 of 4; by chance on 1/2 · 1/4 + 1/2 · 3/4 = 1/2; so kappa = (3/4 - 1/2) / (1 - 1/2).
    assert found["agreement", 2].value == 0.75
    assert found["cohen", 2].value == pytest.approx(0.5)
    # Labels are 3 of 8 and 5 of 8: Fleiss' chance is 34/64, so (48 - 34) / (64 - 34).
    assert found["fleiss", 2].value == pytest.approx(14 / 30)
    # Krippendorff: 2 disagreeing ratings of 8; by chance 2 · 3 · 5 / 7; so 1 - 2 / (30 / 7).
    assert found["krippendorff", 2].value == pytest.approx(1 - 14 / 30)
    for entry in found.values():
        assert entry.n == 4
        assert entry.low is not None
        assert entry.high is not None
        assert entry.low <= (entry.value or 0) <= entry.high


def test_unsure_is_no_rating() -> None:
    assert measured(anna="cciiu", ben="ciiic") == measured(anna="ccii.", ben="ciii.")


def test_fleiss_needs_the_same_number_of_ratings_and_says_so() -> None:
    found = measured(anna="ccii", ben="ciii", carla="cc..")
    assert found["fleiss", 3].value is None
    assert found["fleiss", 3].remark == "not given: subjects have from 2 to 3 ratings"
    assert found["krippendorff", 3].value is not None
    assert found["agreement", 3].n == 4


def test_one_label_only_is_undefined_and_strangers_have_nothing_in_common() -> None:
    same = measured(anna="ccc", ben="ccc")
    assert (same["agreement", 2].value, same["cohen", 2].value) == (1.0, None)
    assert same["cohen", 2].remark == "undefined: all ratings are the same"
    apart = measured(anna="cc..", ben="..ci")
    assert (apart["agreement", 2].n, apart["agreement", 2].value) == (0, None)
    assert apart["krippendorff", 2].remark == "undefined: no subject in common"


def test_one_reviewer_agrees_with_nobody() -> None:
    assert measured(anna="ci") == {}


def rated(question: str, **rows: list[object]) -> dict[str, AgreementCoefficient]:
    reviews = [
        Review(TEXTS[place].id, question, str(answer), reviewer, at="2026-01-01T00:00:00+00:00")
        for reviewer, row in rows.items()
        for place, answer in enumerate(row)
    ]
    subjects = {subject.id: subject for subject in TEXTS}
    return {entry.measure: entry for entry in agreements(decide(reviews), question, subjects=subjects)}


TEXTS = [Subject(str(place), ("1234567890",), ("abcde",)) for place in range(4)]


def test_ratings_agree_within_the_tolerance_and_alpha_is_that_of_intervals() -> None:
    found = rated("adequacy", anna=[1, 2, 3, 5], ben=[1, 3, 5, 5])
    assert found["agreement"].value == 0.75  # 3 and 5 are two apart, where one is allowed
    # Squared differences: observed 2 (1 + 4) / 8; all ratings have the sum 25 and squares 99, so by chance
    # 2 (8 * 99 - 25²) / (8 * 7).
    assert found["krippendorff"].value == pytest.approx(1 - (2 * 5 / 8) / (2 * 167 / 56))
    assert "fleiss" not in found


def test_spans_agree_by_character_and_texts_are_what_is_counted() -> None:
    def span(start: int, end: int) -> SpanAnswer:
        return SpanAnswer((AnswerSpan(start, end, "PER"),))

    found = rated("entities", anna=[span(0, 2), SpanAnswer()], ben=[span(0, 3), SpanAnswer()])
    # Of ten characters in two texts they differ on one.
    assert (found["agreement"].value, found["agreement"].n) == (pytest.approx(0.9), 2)
    # Labelled PER are 2 and 3 of 10: by chance they agree on .06 + .56.
    assert found["cohen"].value == pytest.approx((0.9 - 0.62) / 0.38)


def test_groups_have_their_own_agreement() -> None:
    reviews = [
        Review(f"s{place}", "suite", answer, reviewer, at="2026-01-01T00:00:00+00:00")
        for reviewer, row in {"anna": "ccii", "ben": "cicc"}.items()
        for place, answer in enumerate(ANSWERS[letter] for letter in row)
    ]
    groups = {"Negation": {"s0", "s1"}, "Tense": {"s2", "s3"}, "Other": {"s9"}}
    found = agreements_by(decide(reviews), "suite", groups)
    shares = {name: [e.value for e in found[name] if e.measure == "agreement"] for name in groups}
    assert shares == {"Negation": [0.5], "Tense": [0.0], "Other": []}
