"""The recipe of what the Portuguese pack adds to the judge: what it learns from."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
    # The one that is in both is left out of the test.
    assert learned.intersection(recipe._lines(kept / "en.txt")) == {"Text me when you get home, okay?"}
