"""What waits for a person, and for whom."""

from __future__ import annotations

from typing import Any

from mtassay.data.nouns import DISPUTED, Finding, Output, Result, Review, Run, Segment, Verdict
from mtassay.data.subjects import Subject, decide, subjects_in
from mtassay.review.pending import merge_pending, pending_in, waiting_for

SEGMENTS = [Segment("1", "Um.", ("One.",)), Segment("2", "Dois.")]
OUTPUTS = {
    "x": [Output("1", "Uno"), Output("2", "Two")],
    "y": [Output("1", "Uno"), Output("2", "Deux")],
    "z": [Output("1", "One"), Output("2", None, "no output")],
}


def finding(case: str, system: str, status: str, **evidence: Any) -> Finding:
    verdicts: dict[str, Verdict] = {"correct": "pass", "incorrect": "fail"}
    verdict = verdicts.get(status, "undecided")
    return Finding(case, system, "suite", verdict, evidence={"status": status, **evidence})


FINDINGS = [
    finding("1", "x", "undecided"),
    finding("2", "x", "conflict"),
    finding("1", "y", "undecided"),
    finding("2", "y", "incorrect", rules_say="undecided"),
    finding("1", "z", "correct"),
    Finding("2", "z", "output", "skipped"),
]
RUN = Run("r1", "suite", {}, ["x", "y", "z"], "2026-01-01", {}, Result(), FINDINGS, SEGMENTS, OUTPUTS)
UNO = Subject("1", ("Um.",), ("Uno",))
ONE = Subject("1", ("Um.",), ("One",))
TWO = Subject("2", ("Dois.",), ("Two",))
DEUX = Subject("2", ("Dois.",), ("Deux",))


def said(subject: Subject, reviewer: str, answer: str) -> Review:
    return Review(subject.id, "suite", answer, reviewer, at="2026-01-01T00:00:00+00:00")


def waiting(reviewer: str, *reviews: Review, double: bool = False) -> list[Subject]:
    decisions = decide(reviews)
    known = {subject.id: subject for subject in (UNO, ONE, TWO, DEUX)}
    disputed = [known[key] for (key, _), decision in decisions.items() if decision.is_disputed]
    pending = pending_in(RUN, disputed=disputed)
    return [each.subject for each in waiting_for(reviewer, pending, decisions, double=double)]


def test_equal_outputs_are_one_subject_with_all_their_systems() -> None:
    pending = pending_in(RUN)
    assert [(p.subject, p.status, p.systems) for p in pending] == [
        (UNO, "undecided", ("x", "y")),
        (TWO, "conflict", ("x",)),
        (DEUX, "undecided", ("y",)),
    ]


def test_what_concerns_most_systems_comes_first_and_what_others_settled_only_on_request() -> None:
    assert waiting("anna") == [UNO, TWO, DEUX]
    settled = said(UNO, "ben", "correct")
    assert waiting("anna", settled) == [TWO, DEUX]
    assert waiting("anna", settled, double=True) == [UNO, TWO, DEUX]


def test_nobody_is_asked_twice_not_even_after_unsure() -> None:
    assert waiting("anna", said(UNO, "anna", "unsure"), double=True) == [TWO, DEUX]
    assert waiting("ben", said(UNO, "anna", "unsure")) == [UNO, TWO, DEUX]


def test_a_dispute_is_shown_to_a_third_person_even_where_a_rule_had_decided() -> None:
    dispute = [said(ONE, "anna", "incorrect"), said(ONE, "ben", "correct")]
    assert ONE in waiting("carla", *dispute)
    assert ONE not in waiting("anna", *dispute)
    (third,) = [p for p in pending_in(RUN, disputed=[ONE]) if p.subject == ONE]
    assert third.status == DISPUTED


def test_runs_are_merged_and_their_systems_counted_once() -> None:
    found = [finding("1", "w", "undecided")]
    outputs = {"w": [Output("1", "Uno"), Output("2", "Two")]}
    more = pending_in(
        Run("r2", "suite", {}, ["x", "w"], "2026-01-02", {}, Result(), found, SEGMENTS, outputs)
    )
    merged = merge_pending([pending_in(RUN), more, more])
    assert [(p.subject, p.systems, p.run) for p in merged if p.subject == UNO] == [
        (UNO, ("x", "y", "w"), "r1")
    ]
    assert len(merged) == 3


def test_an_output_that_is_not_there_is_no_subject() -> None:
    assert ("2", "z") not in subjects_in(RUN)


def test_a_method_without_a_question_leaves_nothing_to_review() -> None:
    run = Run("r", "score", {}, ["x"], "2026-01-01", {}, Result(), FINDINGS, SEGMENTS, OUTPUTS)
    assert pending_in(run) == []
