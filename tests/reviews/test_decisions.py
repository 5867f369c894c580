"""What holds after several reviews, and what a review is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.nouns import UNSURE, Review
from mtassay.data.questions import all_questions, find_question
from mtassay.data.subjects import Subject, decide, review_now, subject_from
from mtassay.methods.suite.suite_method import QUESTION


def reviews(*answers: tuple[str, str]) -> list[Review]:
    """One review a minute of one subject: (reviewer, answer)."""
    return [
        Review("s", "suite", answer, reviewer, at=f"2026-01-01T00:{minute:02}:00+00:00")
        for minute, (reviewer, answer) in enumerate(answers)
    ]


@pytest.mark.parametrize(
    ("answers", "holds", "disputed"),
    [
        ([("anna", "correct")], "correct", False),
        ([("anna", "unsure")], None, False),
        ([("anna", "correct"), ("ben", "incorrect")], None, True),
        ([("anna", "correct"), ("ben", "unsure")], "correct", False),
        ([("anna", "correct"), ("ben", "incorrect"), ("carla", "incorrect")], "incorrect", False),
        ([("anna", "correct"), ("ben", "incorrect"), ("anna", "incorrect")], "incorrect", False),
        ([("anna", "correct"), ("anna", "unsure")], None, False),
    ],
)
def test_the_newest_answer_of_more_than_half_holds(
    answers: list[tuple[str, str]], holds: str | None, disputed: bool
) -> None:
    decision = decide(reviews(*answers))["s", "suite"]
    assert (decision.answer, decision.is_disputed) == (holds, disputed)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.sampled_from(["correct", "incorrect", UNSURE]),
            st.sampled_from(["", "2026-01-01T00:00:00+00:00", "9998-01-01T00:00:00+00:00"]),
        ),
        max_size=8,
    )
)
def test_what_came_last_counts_whatever_the_clock_said(said: list[tuple[str, str, str]]) -> None:
    given_ones = [Review("s", "suite", answer, reviewer, at=at) for reviewer, answer, at in said]
    in_order = reviews(*((reviewer, answer) for reviewer, answer, _ in said))
    assert [d.answer for d in decide(given_ones).values()] == [d.answer for d in decide(in_order).values()]


def test_the_newest_review_of_all_is_last() -> None:
    decision = decide(reviews(("anna", "correct"), ("ben", "correct"), ("anna", "incorrect")))["s", "suite"]
    assert list(decision.latest) == ["ben", "anna"]


def test_two_answers_in_a_moment_are_two_reviews() -> None:
    moments = {review_now("s", "suite", "correct", "anna").at for _ in range(50)}
    assert len(moments) == 50
    assert sorted(moments)[0].endswith("+00:00")


@given(st.text(), st.lists(st.none() | st.text(), min_size=1), st.lists(st.text(), min_size=1))
def test_a_subject_keeps_its_name_through_a_record(
    case: str, sources: list[str | None], outputs: list[str]
) -> None:
    subject = Subject(case, tuple(sources), tuple(outputs))
    again = subject_from({"case_id": case, "sources": sources, "outputs": outputs})
    assert again.id == subject.id
    assert Subject(case, tuple(sources), (*outputs, "more")).id != subject.id


def test_half_a_character_does_not_change_the_name_in_the_workspace() -> None:
    # The workspace keeps "?" for half a surrogate pair.
    assert Subject("1", ("a",), ("x\ud800",)).id == Subject("1", ("a",), ("x?",)).id


def test_every_question_leaves_the_common_keys_free() -> None:
    for question in all_questions().values():
        assert not set(question.keys) & set("unsbq")
        assert all(len(key) == 1 for key in question.keys)
    assert find_question(QUESTION).read_answer("I") == "incorrect"
    with pytest.raises(UsageError, match=r"No question 'x'\. Available: suite"):
        find_question("x")
