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

from mtassay.detectors.judge import Weights

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


def test_it_learns_from_no_line_that_is_kept_for_tests(recipe: ModuleType) -> None:
    lines = (FOLDER.parent.parent / "demo" / "judging" / "en.txt").read_text(encoding="utf-8").splitlines()
    learned = {item.source for item in recipe.read_all()}
    assert len(learned.intersection(lines[: recipe.LAST])) == 301  # readers dispute the other nine
    assert learned.isdisjoint(lines[recipe.LAST :])


def test_it_learns_from_no_rule_based_engine(recipe: ModuleType) -> None:
    assert {row["engine"] for row in recipe.read_judging()} == {recipe.PACKAGED, recipe.RAW}


def test_thresholds_keep_what_they_promise(recipe: ModuleType) -> None:
    # 40 of the 50 highest are wrong (80 %), and 10 of the 50 lowest (20 %).
    scores = np.linspace(1, 0, 100)
    wrong = np.array(([True] * 4 + [False]) * 10 + ([False] * 4 + [True]) * 10)
    fail, passes = recipe.thresholds(scores, wrong)
    assert wrong[scores >= fail].mean() == pytest.approx(0.8)
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
