"""Other thresholds and the places of errors, from findings that are there already."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.nouns import Finding
from mtassay.methods.behavior.pass_rates import error_positions, sweep
from mtassay.methods.behavior.verdict_thresholds import STATUSES, judge_pair


def measured(system: str, quality: float | None, edited: float, capability: str = "noun") -> Finding:
    evidence = {"quality": quality, "edited_quality": edited, "capability": capability}
    return Finding("x", system, "behavior", "pass", evidence=evidence)


FINDINGS = [
    measured("a", 0.9, 0.9),
    measured("a", 0.7, 0.9),
    measured("a", 0.9, 0.8, "verb"),
    measured("a", None, 0.8),
    Finding("y", "a", "behavior", "skipped", evidence={"reason": "none", "capability": "noun"}),
]


def test_every_pair_of_thresholds_has_a_rate() -> None:
    scores = {score.group: (score.value, score.n) for score in sweep(FINDINGS, [0.5, 0.8], [0.05, 0.2])}
    assert scores == {
        "alpha=0.5|beta=0.05": (pytest.approx(100 / 3), 3),
        "alpha=0.5|beta=0.2": (100.0, 3),
        "alpha=0.8|beta=0.05": (pytest.approx(100 / 3), 3),
        "alpha=0.8|beta=0.2": (pytest.approx(200 / 3), 3),
    }


def test_a_sweep_can_count_losses_only_and_one_capability_only() -> None:
    (signed,) = sweep(FINDINGS, [0.5], [0.05], signed=True)
    assert (signed.value, signed.n) == (pytest.approx(200 / 3), 3)
    (verbs,) = sweep(FINDINGS, [0.5], [0.05], capabilities=["verb"])
    assert (verbs.value, verbs.n) == (0.0, 1)


def test_an_edit_that_was_ignored_fails_whatever_the_thresholds() -> None:
    evidence = {"quality": 1.0, "edited_quality": 1.0, "capability": "noun", "status": "edit ignored"}
    findings = [measured("a", 0.9, 0.9), Finding("z", "a", "behavior", "fail", evidence=evidence)]
    for signed in (True, False):
        assert [(s.value, s.n) for s in sweep(findings, [0.0, 0.9], [1.0], signed=signed)] == [(50.0, 2)] * 2


def test_a_system_without_qualities_has_no_rate() -> None:
    (score,) = sweep(FINDINGS[4:], [0.5], [0.05])
    assert (score.value, score.n) == (None, 0)


levels = st.floats(0, 1)


@given(levels, levels, levels, levels, st.booleans())
def test_a_sweep_says_what_the_judge_says(
    quality: float, edited: float, alpha: float, beta: float, signed: bool
) -> None:
    (score,) = sweep([measured("a", quality, edited)], [alpha], [beta], signed=signed)
    judged = judge_pair(quality, edited, alpha=alpha, beta=beta, signed=signed)
    assert (score.value == 100.0) is (STATUSES[judged.status] == "pass")


def failed(where: str, status: str = "edit broke it", capability: str = "noun") -> Finding:
    evidence = {"where": where, "status": status, "capability": capability}
    return Finding("x", "a", "behavior", "fail", evidence=evidence)


def test_errors_at_the_edit_are_a_share_of_those_whose_place_is_known() -> None:
    findings = [
        failed("at the edit"),
        failed("elsewhere"),
        failed("elsewhere", capability="verb"),
        failed("unknown"),
        failed("at the edit", "original is bad"),
        measured("a", 1, 1),
    ]
    shares = {score.group: (score.value, score.n) for score in error_positions(findings)}
    assert shares == {"all": (pytest.approx(100 / 3), 3), "noun": (50.0, 2), "verb": (0.0, 1)}


def test_places_of_errors_are_by_capability_in_the_usual_order() -> None:
    failed = [
        Finding(name, system, "behavior", "fail", evidence={"capability": name, "where": "elsewhere"})
        for system, name in (("a", "ner"), ("a", "verb"), ("b", "adverb"))
    ]
    assert [(score.group, score.system) for score in error_positions(failed)] == [
        *(("all", "a"), ("all", "b"), ("verb", "a"), ("adverb", "b"), ("ner", "a"))
    ]
