"""Which verdicts changed between two judgements."""

from __future__ import annotations

from mtassay.core import Finding, Output
from mtassay.methods.suite.rejudgement import StatusChange, compare


def judged(item: str, system: str, status: str, why: str = "") -> Finding:
    return Finding(item, system, "suite", evidence={"status": status, "why": why})


def test_only_what_changed_is_named_and_equal_outputs_once() -> None:
    old = [judged("1", "a", "undecided", "no rule applies"), judged("1", "b", "undecided", "no rule applies")]
    old += [judged("2", "a", "correct"), judged("2", "b", "incorrect")]
    new = [judged("1", "a", "correct", "matches x"), judged("1", "b", "correct", "matches x")]
    new += [judged("2", "a", "correct"), judged("2", "b", "incorrect")]
    outputs = {"a": [Output("1", "X.")], "b": [Output("1", "X.")]}
    found = compare(old, new, outputs)
    assert found.changes == (
        StatusChange("1", "X.", ("a", "b"), "undecided", "correct", "no rule applies", "matches x"),
    )
    assert found.old["a"] == {"undecided": 1, "correct": 1}
    assert found.new["a"] == {"correct": 2}
    assert found.old["b"] == {"undecided": 1, "incorrect": 1}


def test_what_only_one_side_judged_is_not_counted() -> None:
    found = compare([judged("1", "a", "correct")], [judged("2", "a", "correct")], {})
    assert (found.changes, dict(found.new)) == ((), {})


def test_an_output_that_is_not_there_has_the_verdict_for_a_status() -> None:
    gone = Finding("1", "a", "output", "skipped", evidence={"reason": "no stored output"})
    (change,) = compare([gone], [judged("1", "a", "correct")], {}).changes
    assert (change.old, change.old_why, change.output) == ("skipped", "no stored output", None)


def test_changes_come_in_the_order_of_items() -> None:
    old = [judged(item, system, "undecided") for system in "ab" for item in "12"]
    new = [judged("1", "a", "undecided"), judged("2", "a", "correct"), judged("1", "b", "correct")]
    assert [(change.item, change.systems) for change in compare(old, new, {}).changes] == [
        ("1", ("b",)),
        ("2", ("a",)),
    ]
