"""What an invariance run asks people: each pair of an issue once, and nothing of what the run found."""

from __future__ import annotations

from typing import Any

import pytest

from mtassay.data.nouns import DISPUTED, Finding, Output, Result, Run, Segment, Verdict
from mtassay.data.questions import find_question
from mtassay.data.subjects import Pending, Subject
from mtassay.review.pending import pending_in


def variant(original: str, after: str) -> Segment:
    edit = {"start": 2, "end": 7, "before": "small", "after": after}
    return Segment(f"{original}/1-{after}", f"A {after} dog.", tags={"original": original, "edit": edit})


SEGMENTS = [
    Segment("7", "A small dog."),
    *(variant("7", "young"), variant("7", "old"), variant("7", "red")),
    Segment("8", "A small cat."),
    variant("8", "big"),
]
OUTPUTS = {
    "x": [Output(segment.id, f"x {segment.source}") for segment in SEGMENTS],
    "y": [
        Output(segment.id, "x A old dog." if segment.id == "7/1-old" else f"y {segment.source}")
        for segment in SEGMENTS
    ],
}


def finding(case: str, system: str, status: str, *variants: str) -> Finding:
    verdict: Verdict = "pass" if status in ("stable", "cleared") else "fail"
    evidence: dict[str, Any] = {"status": status, "threshold": 4, "compared": 3}
    if variants:
        evidence["variants"] = [{"id": key, "distance": 9.0} for key in variants]
    return Finding(case, system, "invariance:dependency", verdict, 9.0, evidence)


def pending(*findings: Finding, disputed: tuple[Subject, ...] = ()) -> list[Pending]:
    run = Run("r1", "invariance", {}, ["x", "y"], "2026-01-01", {}, Result(), findings, SEGMENTS, OUTPUTS)
    return pending_in(run, disputed=disputed)


def asked(found: list[Pending]) -> list[tuple[str, tuple[str, ...], str]]:
    return [(each.subject.case_id, each.systems, each.status) for each in found]


def test_an_issue_asks_about_its_original_and_the_variants_shown_with_it() -> None:
    found = pending(finding("7", "x", "suspicious", "7/1-old", "7/1-young"), finding("8", "x", "stable"))
    # In the order of the segments; "old" has the same output in both systems, "red" is not shown.
    assert asked(found) == [
        ("7", ("x",), "suspicious"),
        ("7/1-young", ("x",), "suspicious"),
        ("7/1-old", ("x", "y"), "suspicious"),
    ]
    assert found[1].subject == Subject("7/1-young", ("A young dog.",), ("x A young dog.",))


def test_a_pair_of_two_issues_is_asked_about_once() -> None:
    found = pending(finding("7", "x", "suspicious", "7/1-old"), finding("7", "y", "suspicious", "7/1-old"))
    assert asked(found) == [
        ("7", ("x",), "suspicious"),
        ("7", ("y",), "suspicious"),
        ("7/1-old", ("x", "y"), "suspicious"),
    ]


@pytest.mark.parametrize("status", ["suspicious", "confirmed", "cleared"])
def test_what_others_said_of_an_issue_does_not_show(status: str) -> None:
    found = pending(finding("8", "y", status, "8/1-big"))
    assert asked(found) == [("8", ("y",), "suspicious"), ("8/1-big", ("y",), "suspicious")]
    assert all(each.evidence == {} for each in found)


def test_companions_and_missing_outputs_ask_nothing() -> None:
    companion = Finding("7/1-red", "x", "under-translation", "fail", 1.0, {"why": "'red' leaves no trace"})
    gone = Finding("8", "x", "output", "error", evidence={"reason": "the engine says no"})
    assert pending(companion, gone, finding("8", "y", "stable")) == []


def test_a_dispute_is_shown_even_about_a_variant_that_no_finding_names() -> None:
    red = Subject("7/1-red", ("A red dog.",), ("y A red dog.",))
    assert asked(pending(finding("7", "y", "stable"), disputed=(red,))) == [("7/1-red", ("y",), DISPUTED)]


def test_every_error_type_has_a_key_of_its_own() -> None:
    question = find_question("invariance")
    assert question.is_blind
    assert "".join(question.answers_by_key) == "cdomwlxu"
    assert question.read_answer("Mistranslation") == question.read_answer("w") == "mistranslation"
