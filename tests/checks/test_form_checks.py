"""Checks of form find planted defects, with the right reason, and leave correct translations alone."""

from __future__ import annotations

from typing import Any

import pytest

from mtassay.data.registry import find, names
from mtassay.measures.check import SEVERITIES, Alarm, Check, CheckContext, Unit
from tests.checks.planted import CORRECT, DEFECTS

OURS = [name for name in names("check") if find("check", name).group in ("form", "style", "consistency")]


def alarms(check: Check, target: str, source: str, output: str, facts: dict[str, Any]) -> list[Alarm]:
    context = CheckContext("de" if target == "en" else "en", target)
    if not check.applies(context):
        return []
    return list(check.find([Unit("1", output, source, facts=facts)], context))


ROWS = [(name, *row) for name, rows in DEFECTS.items() for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_a_planted_defect_is_found_with_its_reason(row: tuple[Any, ...]) -> None:
    name, target, source, output, part, *facts = row
    found = alarms(find("check", name)(), target, source, output, facts[0] if facts else {})
    assert any(part in alarm.message for alarm in found), [alarm.message for alarm in found]
    for alarm in found:
        assert alarm.index == 0
        assert alarm.severity is None or alarm.severity in SEVERITIES
        for place in alarm.marks:
            text = source if place.side == "source" else output
            assert 0 <= place.start < place.end <= len(text), alarm


@pytest.mark.parametrize("row", CORRECT, ids=range(len(CORRECT)))
def test_a_correct_translation_has_no_alarm(row: tuple[Any, ...]) -> None:
    target, source, output, *facts = row
    found = {
        name: [
            alarm.message
            for alarm in alarms(find("check", name)(), target, source, output, facts[0] if facts else {})
        ]
        for name in OURS
        if name != "style"
    }
    assert not {name: messages for name, messages in found.items() if messages}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_a_fix_settles_its_alarm(row: tuple[Any, ...]) -> None:
    name, target, source, output, _, *facts = row
    check = find("check", name)()
    for alarm in alarms(check, target, source, output, facts[0] if facts else {}):
        if alarm.fix is not None:
            again = alarms(check, target, source, alarm.fix, facts[0] if facts else {})
            assert alarm.message not in [other.message for other in again]


@pytest.mark.parametrize("name", [name for name in OURS if name != "style"])
def test_what_a_reference_has_too_is_no_defect(name: str) -> None:
    for target, source, output, _, *facts in DEFECTS.get(name, [])[:3]:
        if name in ("text-length", "accelerators"):
            continue
        unit = Unit("1", output, source, references=(output,), facts=facts[0] if facts else {})
        assert not list(find("check", name)().find([unit], CheckContext("en", target)))


@pytest.mark.parametrize("name", [name for name in OURS if name != "style"])
@pytest.mark.parametrize(
    "text", ["", " ", "{", "%", "<", "&", "`", "{{{{", "'{", "[", "\ufffd", "\n", '"', "a" * 5000, "<b" * 900]
)
def test_no_text_breaks_a_check(name: str, text: str) -> None:
    check = find("check", name)()
    units = [
        Unit("1", text, "A {n, plural, other {#}} %s <b>x</b>"),
        Unit("2", "x", text),
        Unit("3", text, text),
    ]
    list(check.find(units, CheckContext("en", "de")))
    list(check.find(units, CheckContext(None, None)))


def test_a_habit_of_a_file_is_told_once() -> None:
    units = [Unit(str(i), f"Es ist {i}-mal fertig.", f"done {i} times") for i in range(30)]
    found = [a.message for a in find("check", "end-punctuation")().find(units, CheckContext("en", "de"))]
    assert found == ["The source has no full stop at the end, and so in 30 of 30 texts of this file"]
