"""The recipe of the judge's weights: what it learns from, what its records are of, and who may write them."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mtassay.measures.judge import Weights

FOLDER = Path(__file__).resolve().parent.parent.parent / "models" / "judge"


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judge_recipe", FOLDER / "train.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def row(engine: str, source: str, answer: str) -> dict[str, str]:
    return {"engine": engine, "source": source, "reference": "r", "output": engine, "answer": answer}


def test_an_output_that_the_package_leaves_as_it_was_counts_for_both_engines(recipe: ModuleType) -> None:
    rows = [
        row(recipe.RAW, "same", "right"),
        row(recipe.RAW, "changed", "right"),
        row(recipe.PACKAGED, "changed", "wrong"),
        row(recipe.RAW, "changed and disputed", "wrong"),
        row(recipe.PACKAGED, "changed and disputed", "disputed"),
    ]
    assert [(item.source, item.engines, item.wrong) for item in recipe._natural(rows)] == [
        ("same", (recipe.PACKAGED, recipe.RAW), False),
        ("changed", (recipe.RAW,), False),
        ("changed", (recipe.PACKAGED,), True),
        ("changed and disputed", (recipe.RAW,), True),
    ]


def test_it_learns_from_no_sentence_that_is_kept_for_tests(recipe: ModuleType) -> None:
    kept = FOLDER.parent.parent / "demo" / "judging" / "held-out-2"
    assert kept not in recipe.JUDGING
    learned = {item.source for item in recipe.read_all()}
    for folder, settled in zip(recipe.JUDGING, (301, 196), strict=True):  # readers dispute the others
        assert len(learned.intersection(recipe._lines(folder / "en.txt"))) == settled
    # The one that stands in both is left out by bench/judging.py.
    assert learned.intersection(recipe._lines(kept / "en.txt")) == {"Text me when you get home, okay?"}


def test_variants_are_in_the_fold_of_their_sentence(recipe: ModuleType) -> None:
    folder = recipe.JUDGING[-1]
    sources = set(recipe._lines(folder / "en.txt"))
    variants = recipe.read_variants(folder)
    assert any(item.source != item.group for item in variants)
    assert {item.group for item in variants} <= sources


def test_it_learns_from_no_rule_based_engine(recipe: ModuleType) -> None:
    rows = [row for folder in recipe.JUDGING for row in recipe.read_judging(folder)]
    assert {row["engine"] for row in rows} == {recipe.PACKAGED, recipe.RAW}


def test_without_a_reference_few_references_are_called_wrong(recipe: ModuleType) -> None:
    scores, wrong = np.linspace(1, 0, 100), np.array([True] * 50 + [False] * 50)
    lenient, _ = recipe.thresholds(scores, wrong)
    strict, _ = recipe.thresholds(scores, wrong, least=0.9)
    assert lenient < 0.9 == strict
    assert all(item.references == () and not item.wrong for item in recipe.read_references())


def test_thresholds_keep_what_they_promise(recipe: ModuleType) -> None:
    # 39 of the 50 highest are wrong (78 %), and 10 of the 50 lowest (20 %).
    scores = np.linspace(1, 0, 100)
    wrong = np.array([True, True, True, True, False] * 10 + [False, False, False, False, True] * 10)
    wrong[48] = False
    fail, passes = recipe.thresholds(scores, wrong)
    assert wrong[scores >= fail].mean() == pytest.approx(recipe.PRECISION)
    assert (scores >= fail).sum() == 50
    assert 0 < passes <= fail
    assert wrong[scores < passes].mean() <= 0.25


def test_records_of_a_test_are_told_instead_of_cross_validated_ones(
    recipe: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "weights.json"
    old = {"engine": "nmt", "n": 9, "wrong": 5, "failed": 4, "caught": 3, "undecided": 1}
    weights = {"bias": 0.5, "clues": {}, "fail": 0.6, "passes": 0.2, "records": [old], "tested": False}
    path.write_text(json.dumps({"reference": weights}))
    recipe.tell(path, {"reference": [old | {"n": 7}]})
    (told,) = map(Weights.of, json.loads(path.read_text()).values())
    assert told.records[0]._asdict() == old | {"n": 7}
    assert told.tested
    assert asdict(told)["bias"] == 0.5
