"""Entities, errors and ratings as questions: which answers are valid, and what several come to."""

from __future__ import annotations

import json

import pytest

from mtassay.data.nouns import Output, Question, Result, Review, Run, Segment
from mtassay.data.questions import (
    COMMON_QUESTIONS,
    AnswerSpan,
    SpanAnswer,
    find_question,
    held_spans,
    span_answer,
)
from mtassay.data.subjects import Subject, answer_about, decide
from mtassay.review.pending import pending_in, questions_about

SUBJECT = Subject("1", ("Maria Silva is in Lisbon.",), ("Maria Silva está em Lisboa.",))
RUN = Run(
    "r1",
    "score",
    {},
    ["x", "y"],
    "2026-01-01",
    {},
    Result(),
    segments=[Segment("1", "One.", ("Um.", None, "Um.")), Segment("2", "Two.", ("Dois.", "Dois!"))],
    outputs={"x": [Output("1", "Um"), Output("2", "Dois")], "y": [Output("1", "Um"), Output("2", None)]},
)


def spans(*found: tuple[int, int, str] | tuple[int, int, str, str], score: float | None = None) -> str:
    return str(SpanAnswer(tuple(AnswerSpan(*span) for span in found), score))


@pytest.mark.parametrize(
    ("question", "written", "answer"),
    [
        ("da", " 87 ", "87"),
        ("da", "100.0", "100"),
        ("adequacy", "5", "5"),
        ("fluency", "U", "unsure"),
        ("entities", "none", '{"spans": []}'),
        ("entities", spans((0, 11, "PER")), '{"spans": [{"start": 0, "end": 11, "label": "PER"}]}'),
        # The order of the text, whatever the order of marking.
        ("entities", spans((20, 26, "LOC"), (0, 11, "PER")), spans((0, 11, "PER"), (20, 26, "LOC"))),
        (
            "esa",
            '{"score": 60, "spans": [{"severity": "major", "start": 0, "end": 5, "label": "error"}]}',
            '{"spans": [{"start": 0, "end": 5, "label": "error", "severity": "major"}], "score": 60}',
        ),
        # ESA has no categories: what is marked is an error, and in the source an omission.
        (
            "esa",
            '{"score": 60, "spans": [{"severity": "major", "start": 0, "end": 5}, '
            '{"severity": "major", "start": 0, "end": 5, "label": "error"}, '
            '{"severity": "minor", "start": 0, "end": 5, "side": "source"}]}',
            '{"spans": [{"start": 0, "end": 5, "label": "error", "severity": "major"}, '
            '{"start": 0, "end": 5, "label": "omission", "severity": "minor", "side": "source"}], '
            '"score": 60}',
        ),
    ],
)
def test_an_answer_has_one_form(question: str, written: str, answer: str) -> None:
    assert answer_about(find_question(question), written, SUBJECT) == answer


@pytest.mark.parametrize(
    ("question", "written", "why"),
    [
        ("da", "101", "whole number from 0 to 100"),
        ("da", "nan", "whole number from 0 to 100"),
        ("da", "50.5", "whole number"),
        ("adequacy", "0", "from 1 to 5"),
        ("adequacy", "good", "'good' is no answer"),
        ("entities", "Maria", "'Maria' is no answer"),
        ("entities", "[]", 'no list "spans"'),
        ("entities", '{"spans": [], "more": 1}', "'more', which is not a key"),
        ("entities", '{"spans": [{"start": 0, "end": 3, "label": "PERSON"}]}', "no label 'PERSON'"),
        ("entities", '{"spans": [{"start": 3, "end": 3, "label": "PER"}]}', '"start" < "end"'),
        ("entities", '{"spans": [{"start": true, "end": 3, "label": "PER"}]}', "whole numbers"),
        ("entities", '{"spans": [{"start": 20, "end": 28, "label": "LOC"}]}', "has 27 characters"),
        (
            "entities",
            '{"spans": [{"start": 0, "end": 3, "label": "PER", "x": 1}]}',
            "'x', which is not allowed",
        ),
        (
            "entities",
            '{"spans": [{"start": 0, "end": 3, "label": "PER"}], "score": 3}',
            'for no "score"',
        ),
        ("entities", '{"spans": [{"start": 0, "end": 3, "label": "PER", "severity": "x"}]}', "no severity"),
        (
            "entities",
            '{"spans": [{"start": 0, "end": 3, "label": "PER", "side": "source"}]}',
            "the source",
        ),
        (
            "entities",
            '{"spans": [{"start": 0, "end": 3, "label": "PER"}, {"start": 0, "end": 3, "label": "PER"}]}',
            "twice",
        ),
        ("mqm", '{"spans": [{"start": 0, "end": 3, "label": "other"}]}', "Available: neutral, minor, major"),
        ("mqm", '{"spans": [{"start": 0, "end": 3, "severity": "major"}]}', "0–3 of the target has no cat"),
        ("mqm", '{"spans": [{"start": 0, "end": 3, "label": "", "severity": "major"}]}', "Choose one: acc"),
        (
            "mqm",
            '{"spans": [{"start": 0, "end": 3, "label": "none", "severity": "major"}]}',
            "no label 'none'",
        ),
        ("mqm", '{"spans": [{"start": 0, "end": 3, "label": null, "severity": "major"}]}', "needs texts as"),
        ("mqm", ", 3: Maria", "has no category"),
        ("mqm", "3: Maria", "no label '3'"),
        ("entities", '{"spans": [{"start": 0, "end": 3}]}', "Choose one: PER, LOC"),
        ("esa", '{"spans": []}', '"score" from 0 to 100'),
        ("esa", '{"spans": [], "score": NaN}', "is no answer"),
        ("esa", '{"spans": [], "score": 101}', '"score" from 0 to 100'),
        ("entities", "[" * 100_000, "is no answer"),
    ],
)
def test_another_answer_is_refused_with_what_to_do(question: str, written: str, why: str) -> None:
    with pytest.raises(ValueError, match=why.replace('"', ".").replace("(", ".")):
        answer_about(find_question(question), written, SUBJECT)


def test_an_omission_is_marked_in_the_source() -> None:
    answer = '{"spans": [{"start": 15, "end": 24, "label": "accuracy/omission", "severity": "major"%s}]}'
    in_source = answer_about(find_question("mqm"), answer % ', "side": "source"', SUBJECT)
    assert span_answer(in_source).spans[0].side == "source"
    with pytest.raises(ValueError, match="ends after the source, which has 25"):
        answer_about(find_question("mqm"), answer.replace("24", "26") % ', "side": "source"', SUBJECT)


def said(reviewer: str, question: str, answer: str, *, minute: int = 0, final: bool = False) -> Review:
    at = f"2026-01-01T00:{minute:02}:00+00:00"
    return Review("s", question, answer, reviewer, at=at, is_adjudication=final)


def test_the_mean_of_ratings_holds_and_unsure_is_none() -> None:
    reviews = [said("anna", "da", "60"), said("ben", "da", "75"), said("carla", "da", "unsure")]
    decision = decide(reviews)["s", "da"]
    assert (decision.answer, decision.is_disputed) == ("67.5", False)


@pytest.mark.parametrize(
    ("answers", "held"),
    [
        ([spans((0, 5, "PER"))], spans((0, 5, "PER"))),
        # Both mark Silva; Maria is marked by one of two, which is no majority.
        ([spans((0, 11, "PER")), spans((6, 11, "PER"))], spans((6, 11, "PER"))),
        ([spans((0, 11, "PER")), spans((0, 11, "ORG"))], spans()),
        ([spans((0, 11, "PER")), spans((0, 11, "PER")), spans()], spans((0, 11, "PER"))),
        # Two names side by side stay two, as in Chinese, where most say so.
        ([spans((0, 2, "PER"), (2, 4, "PER"))] * 2, spans((0, 2, "PER"), (2, 4, "PER"))),
        ([spans((0, 4, "PER")), spans((0, 2, "PER"), (2, 4, "PER"))], spans((0, 4, "PER"))),
        # Of two severities the milder, of three the middle one.
        ([spans((0, 2, "error", "major")), spans((0, 2, "error", "minor"))], spans((0, 2, "error", "minor"))),
        (
            [spans((0, 2, "error", word)) for word in ("major", "minor", "major")],
            spans((0, 2, "error", "major")),
        ),
        ([spans(score=60), spans((0, 2, "error", "minor"), score=80)], spans(score=70)),
    ],
)
def test_of_spans_holds_what_most_mark_by_character(answers: list[str], held: str) -> None:
    assert held_spans(answers) == held


def test_an_adjudication_holds_whatever_reviewers_say_before_or_after() -> None:
    reviews = [
        said("anna", "suite", "correct"),
        said("ben", "suite", "correct", minute=1),
        said("dora", "suite", "incorrect", minute=2, final=True),
        said("carla", "suite", "correct", minute=3),
    ]
    decision = decide(reviews)["s", "suite"]
    assert (decision.answer, decision.is_adjudicated, list(decision.voices)) == ("incorrect", True, ["dora"])
    # It is no rating: agreement is that of those who could not see each other's answers.
    assert set(decision.ratings) == {"anna", "ben", "carla"}


def test_an_unsure_adjudicator_settles_nothing_and_two_that_differ_leave_a_dispute() -> None:
    reviews = [said("anna", "suite", "correct"), said("dora", "suite", "unsure", final=True)]
    assert decide(reviews)["s", "suite"].answer == "correct"
    both = [said("dora", "suite", "correct", final=True), said("emil", "suite", "incorrect", final=True)]
    assert decide([said("anna", "suite", "correct"), *both])["s", "suite"].answer is None


@pytest.mark.parametrize(
    ("question", "answers", "differ"),
    [
        ("suite", ["correct", "correct"], False),
        ("suite", ["correct", "incorrect", "correct"], True),
        ("adequacy", ["3", "4"], False),
        ("adequacy", ["3", "5"], True),
        ("entities", [spans((0, 5, "PER")), spans((0, 5, "PER"))], False),
        ("entities", [spans((0, 5, "PER")), spans((0, 5, "LOC"))], True),
        ("esa", [spans(score=50), spans(score=60)], False),
        ("esa", [spans(score=50), spans(score=61)], True),
    ],
)
def test_answers_that_are_far_apart_need_somebody_to_settle_them(
    question: str, answers: list[str], differ: bool
) -> None:
    assert find_question(question).differ(answers) is differ


def test_any_run_can_be_rated_and_equal_outputs_come_once() -> None:
    assert [q.name for q in questions_about(RUN)] == list(COMMON_QUESTIONS)
    waiting = pending_in(RUN, question=COMMON_QUESTIONS["da"])
    assert [(p.subject.outputs, p.systems) for p in waiting] == [(("Um",), ("x", "y")), (("Dois",), ("x",))]


def test_entities_are_asked_about_each_reference_once() -> None:
    waiting = pending_in(RUN, question=COMMON_QUESTIONS["entities"])
    assert [(p.subject.case_id, p.subject.outputs) for p in waiting] == [
        ("1", ("Um.",)),
        ("2", ("Dois.",)),
        ("2", ("Dois!",)),
    ]


def test_a_plain_question_of_a_plug_in_takes_finite_numbers_only() -> None:
    question = Question("length", "How long?", kind="number")
    assert question.read_answer("3.50") == "3.5"
    for word in ("nan", "inf", "long"):
        with pytest.raises(ValueError, match="no number"):
            question.read_answer(word)


def test_an_answer_is_json_that_any_program_reads() -> None:
    assert json.loads(spans((0, 5, "PER"))) == {"spans": [{"start": 0, "end": 5, "label": "PER"}]}
