"""Two versions of one system: what became of each item, and the gate."""

from __future__ import annotations

from typing import Literal

import pytest

from mtassay.core import Case, Finding, Verdict
from mtassay.methods.suite.method import DETECTOR
from mtassay.methods.suite.versions import Step, gate, steps

VERDICTS = {"c": "correct", "i": "incorrect", "u": "undecided", "x": "conflict", "s": "skipped", "e": "error"}


def findings(statuses: str, system: str) -> list[Finding]:
    found = []
    for number, letter in enumerate(statuses):
        if letter in "se":
            verdict: Literal["skipped", "error"] = "skipped" if letter == "s" else "error"
            found.append(Finding(f"i{number}", system, "missing", verdict))
        else:
            settled: dict[str, Verdict] = {"c": "pass", "i": "fail"}
            evidence = {"status": VERDICTS[letter]}
            found.append(
                Finding(f"i{number}", system, DETECTOR, settled.get(letter, "undecided"), evidence=evidence)
            )
    return found


def walk(old: str, new: str, categories: str = "") -> list[Step]:
    """Statuses by their first letters (x for conflict), and categories of one letter."""
    cases = [
        Case(f"i{i}", f"i{i}", ("…",), tags={"category": c, "phenomenon": c})
        for i, c in enumerate(categories or "A" * len(old))
    ]
    return steps(cases, findings(old, "old"), findings(new, "new"))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("c", "c", "still right"),
        ("i", "i", "still wrong"),
        ("i", "c", "fixed"),
        ("c", "i", "broken"),
        ("c", "u", "newly open"),
        ("i", "x", "newly open"),
        ("u", "c", "newly settled"),
        ("x", "i", "newly settled"),
        ("u", "x", "still open"),
        ("c", "s", "lost"),
        ("u", "e", "lost"),
        ("s", "i", "found"),
        ("s", "e", "still open"),
    ],
)
def test_what_became_of_an_item(old: str, new: str, kind: str) -> None:
    (step,) = walk(old, new)
    assert step.kind == kind
    assert step.statuses == (VERDICTS[old], VERDICTS[new])


@pytest.mark.parametrize(
    ("old", "new", "passed"),
    [("ci", "cc", True), ("ccc", "cui", False), ("cu", "us", True), ("c", "s", False), ("c", "e", False)],
)
def test_the_strict_gate_fails_if_anything_broke_or_is_lost(old: str, new: str, passed: bool) -> None:
    assert gate(walk(old, new), "any").passed is passed


def test_the_strict_gate_says_how_many() -> None:
    assert gate(walk("cccc", "iise"), "any").why == "2 broken, 2 correct before without an output"


def test_the_lenient_gate_fails_only_if_significantly_worse() -> None:
    # All items and their one category are two tests: 5 broken give 2 / 2^5 = 0.0625, 6 give 0.03125.
    assert gate(walk("c" * 5, "i" * 5), "significant").passed
    failed = gate(walk("c" * 6, "i" * 6), "significant")
    assert not failed.passed
    assert failed.why == "significantly worse (all items: 6 broken, 0 fixed; A: 6 broken, 0 fixed)"
    assert gate(walk("c" * 6 + "i" * 3, "i" * 6 + "c" * 3), "significant").passed
    assert gate(walk("c" * 6, "i" * 6), "significant", alpha=0.01).passed


def test_a_category_can_fail_while_all_items_do_not() -> None:
    # 9 broken in A: 3 / 2^9 corrected for three tests at most; overall 9 broken and 9 fixed.
    found = gate(walk("c" * 9 + "i" * 9, "i" * 9 + "c" * 9, "A" * 9 + "B" * 9), "significant")
    assert found.why == "significantly worse (A: 9 broken, 0 fixed)"


def test_a_version_without_outputs_does_not_pass() -> None:
    assert not gate(walk("c" * 9, "s" * 9), "significant").passed
    assert gate([], "significant").passed
