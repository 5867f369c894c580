"""Stress sets of a plan: texts on which language models go wrong, with the verdicts of checks."""

from __future__ import annotations

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
