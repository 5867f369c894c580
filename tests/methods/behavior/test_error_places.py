"""The places of errors, from findings that are there already."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Finding
from mtassay.methods.behavior.pass_rates import error_positions


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
        Finding("x", "a", "behavior", "pass", evidence={"capability": "noun"}),
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
