"""Every oddity of the scripted chat server is cleaned and reported, or named: live and from files."""

from __future__ import annotations

import pytest

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.data.registry import find, names
from mtassay.measures.check import CheckContext, Unit
from mtassay.measures.check_run import said
from mtassay.systems.chat_translator import OpenAI
from tests.systems.odd_server import ODDITIES, RIGHT, SOURCE, Oddity
from tests.systems.server import Server

CHECKS = names("check")
NOUNS = [
    ("house", "Das Haus"),
    ("garden", "Der Garten"),
    ("window", "Das Fenster"),
    ("letter", "Der Brief"),
    ("table", "Der Tisch"),
]
STATES = [
    ("small and quiet", "klein und ruhig"),
    ("not yet ready", "noch nicht fertig"),
    ("open today", "heute offen"),
]
ORDINARY = [
    Unit(
        f"{noun}-{state}-{n}",
        f"{german} ist {zustand}, sagt sie um {n} Uhr.",
        f"The {noun} is {state}, she says at {n} o'clock.",
    )
    for noun, german in NOUNS
    for state, zustand in STATES
    for n in (13, 14, 15)
]


@pytest.fixture
def server():  # type: ignore[no-untyped-def]
    with Server() as running:
        yield running


def named(unit: Unit, *, in_file: bool) -> set[str]:
    """The checks that speak of this unit, alone or in a file of ordinary ones."""
    units = [*ORDINARY, unit] if in_file else [unit]
    context = CheckContext("en", "de")
    spoke = set()
    for name in CHECKS:
        for alarm in find("check", name)().find(units, context):
            assert units[alarm.index] is unit, (name, units[alarm.index], alarm)
            spoke.add(name)
    return spoke


def test_there_are_enough_of_them_and_the_right_answer_is_none() -> None:
    assert len(ODDITIES) >= 30
    assert len({oddity.name for oddity in ODDITIES}) == len(ODDITIES)
    assert named(Unit("1", RIGHT, SOURCE), in_file=True) == set()
    assert named(Unit("1", RIGHT, SOURCE), in_file=False) == set()


@pytest.mark.parametrize("in_file", [True, False])
@pytest.mark.parametrize("oddity", [odd for odd in ODDITIES if odd.stored], ids=lambda odd: odd.name)
def test_from_a_file_it_is_named(oddity: Oddity, in_file: bool) -> None:
    unit = Unit("1", oddity.text or "", oddity.source)
    spoke = named(unit, in_file=in_file)
    if oddity.reason == "stop" or in_file:
        assert spoke & set(oddity.stored), spoke


@pytest.mark.parametrize("oddity", ODDITIES, ids=lambda odd: odd.name)
def test_live_it_is_cleaned_and_reported_or_named(
    oddity: Oddity, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server.then(oddity.reply)
    system = OpenAI(name="odd", pair=parse_pair("en-de"), model="odd", url=f"{server.url}/v1")
    (output,) = system.translate([Request("1", oddity.source)])
    text, facts = said(output)
    spoke = named(Unit("1", text, oddity.source, facts=facts), in_file=True)
    assert spoke & set(oddity.expected_live), (output, spoke)


def test_what_was_cleaned_is_said_and_the_rest_is_a_translation(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    oddity = next(odd for odd in ODDITIES if odd.name == "English preamble")
    server.then(oddity.reply)
    system = OpenAI(name="odd", pair=parse_pair("en-de"), model="odd", url=f"{server.url}/v1")
    (output,) = system.translate([Request("1", SOURCE)])
    text, facts = said(output)
    unit = Unit("1", text, SOURCE, facts=facts)
    assert text == RIGHT
    assert named(unit, in_file=True) == {"cleaned"}
    (alarm,) = find("check", "cleaned")().find([unit], CheckContext("en", "de"))
    assert alarm.message == "the adapter took off: preamble"
