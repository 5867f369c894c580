"""Stress sets of a plan: texts on which language models go wrong, with the verdicts of checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.app.plans.plan import read_plan, stress_sets
from mtassay.app.plans.plan_runs import run_plan
from mtassay.data.errors import InputError
from tests.systems.scripted import Script, Scripted
from tests.systems.server import Server

LANGUAGES = {"en", "de", "fr", "es", "pt", "zh"}


def german(text: str) -> str:
    """Our own translation, which is the set in German."""
    sets = [texts for texts in stress_sets().values() if "de" in texts]
    return next(de for texts in sets for en, de in zip(texts["en"], texts["de"], strict=False) if en == text)


def obeying(text: str) -> str:
    if "banana" in text:
        return "banana"
    return "Sure! Here is a poem about cats: cats are fine." if "poem" in text else german(text)


def plan(folder: Path, url: str, *, stress: str = "[injection]", pair: str = "en-de") -> Path:
    path = folder / "mtassay.yaml"
    path.write_text(
        f"pair: {pair}\nsystems:\n  good: openai:good?url={url}/v1\n  bad: openai:bad?url={url}/v1\n"
        f"  old: old.txt\nstress: {stress}\nsteps: {{}}\nreport: no\n",
        "utf-8",
    )
    (folder / "old.txt").write_text("Haus.\n", "utf-8")
    return path


def test_there_are_eight_injections_in_six_languages() -> None:
    injections = stress_sets()["injection"]
    assert set(injections) == LANGUAGES
    assert {len(set(texts)) for texts in injections.values()} == {8}


def test_who_obeys_is_flagged_more_than_who_translates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    models = {"good": Script(translate=german), "bad": Script(translate=obeying)}
    with Server(Scripted(models)) as server:
        done = run_plan(plan(tmp_path, server.url))
    assert [step.name for step in done.steps] == ["stress-injection"]
    run = done.runs["stress-injection"]
    assert run.systems == ["good", "bad"]
    assert len(run.outputs["bad"]) == 8
    critical = {
        system: {
            f.case_id for f in run.findings if f.system == system and f.evidence["severity"] == "critical"
        }
        for system in run.systems
    }
    assert critical == {"good": set(), "bad": {"1", "2", "7"}}


GOOD = {
    "code": [
        "Führe `pip install numpy` aus und öffne die Datei `setup.py`.",
        "Die Funktion gibt `None` zurück, wenn die Liste leer ist: `if not items: return None`.",
        "Setze die Variable PATH_TO_DATA, bevor du den Server startest.",
        "Drücke Ctrl+S zum Speichern; das Protokoll ist in /var/log/app.log.",
    ],
    "lists": [
        "Einkaufen:\n- Milch\n- zwei Laibe Brot\n- sechs Eier",
        "1. Öffne die Kiste.\n2. Nimm die Lampe heraus.\n3. Stecke sie ein.",
        "Montag: geschlossen\nDienstag: 9 bis 12\nMittwoch: 14 bis 18",
    ],
    "delicate": [
        "Der Arzt erklärte, wie die Überdosis den Patienten getötet hatte.",
        "Der Roman beschreibt den Mord an einem König und die Folter seiner Diener.",
        "Rauchen und Alkohol in der Schwangerschaft schaden dem Kind.",
        "Die Soldaten verbrannten das Dorf und erschossen die Männer.",
        "Er wurde verhaftet, weil er nahe der Schule Drogen verkauft hatte.",
    ],
    "short": ["Ja.", "Zurück", "OK", "Ausverkauft!", "Nr. 5", "Vorsicht, Stufe"],
    "emoji": [
        "Bis morgen 😀",
        "Gut gemacht! 🎉🎉",
        "Ich liebe dieses Lied ❤️ so sehr",
        "Party um 8 🍕🎂 bring einen Freund mit",
    ],
    "mixed": [
        "Er bestellte eine Bratwurst und sagte „Guten Appetit“ zu seinen Nachbarn.",
        "Der Film Amélie beginnt mit den Worten „Le trois septembre“.",
        "Sie schrieb mir „muchas gracias“ unter das Foto.",
        "Auf dem Etikett steht 有机, und der Preis ist fünf Euro.",
    ],
}
BAD: dict[str, Callable[[str, str], str]] = {
    "code": lambda source, good: re.sub("`|PATH_TO_DATA|/var/log/app.log", "", good),
    "lists": lambda source, good: re.sub(r"\n[-\d. ]*", " ", good),
    "delicate": lambda source, good: "I'm sorry, but I can't help with that.",
    "short": lambda source, good: f'"{source}" can be translated as "{good}" in German.',
    "emoji": lambda source, good: re.sub(r"\s*[^\w\s.,!äöüß]+", "", good),
    "mixed": lambda source, good: source,
}


@pytest.mark.parametrize("name", GOOD)
def test_each_set_finds_what_it_is_for_and_nothing_in_a_good_translation(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    good = dict(zip(map(str, stress_sets()[name]["en"]), GOOD[name], strict=True))
    models = {"good": Script(translate=lambda text: good[text])}
    models["bad"] = Script(translate=lambda text: BAD[name](text, good[text]))
    with Server(Scripted(models)) as server:
        run = run_plan(plan(tmp_path, server.url, stress=f"[{name}]")).runs[f"stress-{name}"]
    flagged = {
        system: {f.case_id for f in run.findings if f.system == system and f.verdict == "fail"}
        for system in run.systems
    }
    assert flagged == {"good": set(), "bad": {str(i + 1) for i in range(len(good))}}


def test_every_set_is_asked_its_own_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Server(Scripted({"good": Script(), "bad": Script()})) as server:
        path = plan(tmp_path, server.url, stress="[short, emoji, mixed]")
        runs = run_plan(path).runs
        assert [len(runs[f"stress-{name}"].segments) for name in ("short", "emoji", "mixed")] == [6, 4, 4]
        asked = len(server.seen)
        assert [step.state for step in run_plan(path).steps] == ["unchanged"] * 3
        assert len(server.seen) == asked == 2 * (6 + 4 + 4)


def test_a_set_without_texts_in_the_language_is_a_mistake_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = plan(tmp_path, "http://localhost:1", stress="[code]", pair="de-en")
    with pytest.raises(InputError, match=r"line 6: the stress set 'code' has no texts in 'de': en"):
        read_plan(path)


def test_noisy_texts_are_compared_with_clean_ones_beyond_what_changes_anyway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clean = {noisy: text for text, noisy in stress_sets()["noise"]["en"]}
    assert len(clean) == 12

    def understanding(text: str) -> str:
        return clean.get(text, text).upper()

    models = {
        "good": Script(translate=understanding, noise=0.2),
        "bad": Script(translate=str.upper, noise=0.2),
    }
    with Server(Scripted(models)) as server:
        run = run_plan(plan(tmp_path, server.url, stress="[noise]")).runs["stress-noise"]
        assert len(server.seen) == 2 * 24 * 5
    failed = {
        name: sum(f.system == name and f.verdict == "fail" for f in run.findings) for name in run.systems
    }
    assert failed["good"] <= 1  # of 12, at a level of 5 %
    assert failed["bad"] >= 8
