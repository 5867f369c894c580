"""Gates do not fail on harmless rewriting, see what checks find, and show why they failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import mtassay as mt
from mtassay.changes.gate_checks import check_gates
from mtassay.data.nouns import Finding, Run

LINES = 300
REFERENCES = [f"you do not need the key number {n} for the blue door of the house" for n in range(LINES)]


def run_of(outputs: list[str], flagged: set[int] = frozenset(), severity: str = "major") -> Run:  # type: ignore[assignment]
    run = mt.score({"nmt": outputs}, [REFERENCES], metrics="bleu", samples=100, trials=100, checks="none")
    found = [
        Finding(str(n + 1), "nmt", "check:negation", "fail", evidence={"severity": severity}) for n in flagged
    ]
    return replace(run.record, id=f"r{len(flagged)}{hash(tuple(outputs))}", findings=found)


def gate(rules: list[str], old: Run, new: Run) -> Any:
    return check_gates(rules, {"score": new}, {"score": old}, trials=1000)


def contracted(count: int) -> list[str]:
    return [text.replace("do not", "don't") if n < count else text for n, text in enumerate(REFERENCES)]


def test_a_small_loss_is_within_the_margin_and_said() -> None:
    old, new = run_of(REFERENCES), run_of(contracted(6))
    report = gate(["bleu not significantly worse"], old, new)
    assert report.passed
    strict = gate(["bleu not significantly worse by more than 0"], old, new)
    assert not strict.passed
    assert "within the margin" not in strict.checks[0].measured


def test_a_loss_beyond_the_margin_fails_and_says_how_to_read_all_sentences() -> None:
    report = gate(["bleu not significantly worse"], run_of(REFERENCES), run_of(contracted(120)))
    (check,) = report.failed
    assert len(check.blocks) == 3
    assert check.more.startswith("117 more sentences: mtassay compare ")
    assert check.more in report.render().replace("\n", " ")


def test_a_tiny_loss_is_shown_with_enough_digits() -> None:
    report = gate(["bleu not significantly worse by more than 0"], run_of(REFERENCES), run_of(contracted(1)))
    (check,) = report.checks
    assert "0.0 (" not in check.measured
    assert "−0." in check.measured


def test_checks_that_flag_more_outputs_are_found_though_every_output_changed() -> None:
    old = run_of(REFERENCES, set(range(3)))
    new = run_of([f"well {text}" for text in REFERENCES], set(range(100, 120)))
    report = gate(["no check significantly more frequent"], old, new)
    (check,) = report.failed
    assert "% flagged by negation" in check.measured
    one = gate(["negation not significantly more frequent"], old, new)
    assert not one.passed
    same = gate(["no check significantly more frequent"], old, replace(old, id="other"))
    assert same.passed


def test_without_any_flag_no_check_is_more_frequent() -> None:
    old, new = run_of(REFERENCES), run_of(contracted(5))
    assert gate(["no check significantly more frequent"], old, new).passed


@pytest.mark.parametrize(
    ("rule", "passes"),
    [
        ("error <= 0", True),
        ("refused <= 0", True),
        ("missing <= 0", False),
        ("missing <= 2 %", True),
        ("critical <= 0", False),
        ("major <= 0", True),
        ("negation <= 1", True),
        ("negation <= 0", False),
        ("no new critical findings", False),
        ("no new major findings", True),
    ],
)
def test_missing_answers_and_severities_are_counted(rule: str, passes: bool) -> None:
    old = run_of(REFERENCES)
    new = run_of(["", *REFERENCES[1:]], {7}, "critical")
    assert gate([rule], old, new).passed == passes
