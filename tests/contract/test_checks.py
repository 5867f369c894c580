"""What every check keeps: all that are registered are checked; add a row to EXAMPLES for what it finds."""

from __future__ import annotations

import pickle
import time

import pytest

from mtassay.data.registry import find, make, names, ours, tags
from mtassay.measures.check import GROUPS, SEVERITIES, Check, CheckContext, Unit
from mtassay.measures.check_run import choose_checks, run_checks

PAIR = ("en", "pt")
PERFECT = [
    ("A dog sees 350 houses in Rio.", "Um cão vê 350 casas no Rio."),
    ("Open the file <b>{name}</b>.", "Abra o arquivo <b>{name}</b>."),
    ("See https://www.a.example/x for more.", "Veja mais em https://www.a.example/x."),
    ("We have to decide what to do with the old house.", "Temos de decidir o que fazer com a casa velha."),
    ("She never sleeps here.", "Ela nunca dorme aqui."),
]
EXAMPLES = {
    "empty": ("A dog sees houses.", ""),
    "untranslated": ("We have closed the shop today.", "We have closed the shop today."),
    "wrong-language": (
        "We have to decide what to do with the old house.",
        "Wir müssen entscheiden, was wir mit dem alten Haus machen.",
    ),
    "placeholders": ("Open {name} now.", "Abra agora."),
    "tags": ("Open <b>it</b> now.", "Abra agora."),
    "urls": ("See www.a.example for more.", "Veja mais."),
    "numbers": ("He has 4700 houses.", "Ele tem casas."),
    "negation": ("She sleeps here.", "Ela não dorme aqui."),
    "untranslated-words": ("She cleans the kitchen.", "Ela limpa a kitchen."),
    "doubled-words": ("She cleans it.", "Ela limpa limpa a casa."),
}
"""A source and an output in which a check finds something."""
HOSTILE = [
    part * (20000 // len(part))
    for part in ("a", "{", "<", "%", "1,", "( ", "não ", "{a", "<a ", "a.a@", "\u0301", "漢字", "{{}", "ab ")
]


def context() -> CheckContext:
    return CheckContext(*PAIR)


@pytest.fixture(params=names("check"))
def check(request: pytest.FixtureRequest) -> Check:
    made: Check = make("check", str(request.param))
    return made


@pytest.mark.parametrize("name", names("check"))
def test_it_says_what_it_is(name: str) -> None:
    kind = find("check", name)
    assert kind.id == name
    assert name == name.lower()
    assert " " not in name
    assert kind.group in GROUPS
    assert kind.severity in SEVERITIES
    assert kind.scope in ("unit", "file")
    assert kind.about
    assert "\n" not in kind.about
    assert (kind.__doc__ or "").strip().partition("\n")[0]
    assert kind.needs <= {"source", "reference", "terms", "style", "document"}
    assert name not in ours()["check"] or tags("check")[name] == {kind.group, kind.severity}


def test_it_goes_to_another_process(check: Check) -> None:
    assert pickle.loads(pickle.dumps(check)).id == check.id


def test_perfect_translations_raise_no_alarm(check: Check) -> None:
    units = [Unit(str(n), output, source) for n, (source, output) in enumerate(PERFECT)]
    if check.applies(context()):
        assert list(check.find(units, context())) == []


def test_nothing_is_found_in_nothing(check: Check) -> None:
    assert list(check.find([], context())) == []


def test_what_it_is_for_is_found_and_told(check: Check) -> None:
    if check.id not in EXAMPLES:
        pytest.skip("its own tests show what it finds")
    if not check.applies(context()):
        pytest.skip("it needs a language pack")
    source, output = EXAMPLES[check.id]
    around = [Unit(f"x{n}", good, text) for n, (text, good) in enumerate(PERFECT)]
    (finding,) = run_checks([check], {"s": [*around, Unit("1", output, source)]}, context())["s"]
    assert (finding.case_id, finding.detector, finding.verdict) == ("1", f"check:{check.id}", "fail")
    assert finding.evidence["why"]
    assert "\n" not in finding.evidence["why"]
    assert finding.evidence["severity"] in SEVERITIES


@pytest.mark.parametrize("languages", [PAIR, ("en", "de"), ("zh", "en"), ("en", "qaa"), (None, None)])
def test_marks_are_places_in_the_texts_and_only_empty_speaks_of_nothing(
    check: Check, languages: tuple[str | None, str | None]
) -> None:
    here = CheckContext(*languages)
    texts = [*PERFECT, *EXAMPLES.values(), ("", ""), ("a", ""), ("İ{x} ß 7", "i̇{y}"), ("\ud800", "\ud800")]
    units = [Unit(str(n), output, source) for n, (source, output) in enumerate(texts)]
    if not check.applies(here):
        return
    for finding in run_checks([check], {"s": units}, here)["s"]:
        unit = units[int(finding.case_id)]
        assert unit.output.strip() or check.id == "empty"
        for mark in finding.evidence.get("marks", ()):
            text = (unit.source or "") if mark["side"] == "source" else unit.output
            assert 0 <= mark["start"] < mark["end"] <= len(text), (finding, text)


def test_hostile_texts_take_time_in_proportion_to_their_length(check: Check) -> None:
    here = context()
    if not check.applies(here):
        return
    for text in HOSTILE:
        units = [Unit("1", text, text[:-1]), Unit("2", text[:-2], "A dog sees houses in 1998.")]
        began = time.monotonic()
        list(check.find(units, here))
        # Linear ones take some hundredths of a second; a quadratic one takes minutes.
        assert time.monotonic() - began < 10, (check.id, text[:10])


def test_all_can_be_chosen_together() -> None:
    chosen = choose_checks("all", (), context())
    assert {check.id for check in chosen.checks} | chosen.not_run.keys() == set(names("check"))
