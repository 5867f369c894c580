"""A parameter has one name: in a plan, in Python and on the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mtassay as mt
from mtassay.app.plans.plan import read_plan
from mtassay.data.settings import OLD_NAMES, options_of, with_new_names
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.methods.suite.suite_method import SuiteMethod
from mtassay.runtime.workspace import Workspace


@pytest.mark.parametrize("cls", [ScoreMethod, SuiteMethod, InvarianceMethod, BehaviorMethod, Recipe])
def test_an_option_is_called_as_its_field(cls: Any) -> None:
    options = options_of(cls)
    written = {name: option.flags[0].partition("/")[0] for name, option in options.items()}
    assert written == {name: f"--{name.replace('_', '-')}" for name in options}


def test_old_names_stand_for_fields_of_today() -> None:
    today = options_of(BehaviorMethod)
    assert all(new in today and old not in today for old, new in OLD_NAMES["behavior"].items())
    assert with_new_names("behavior", {"alpha": 0.8, "beta": 0.1}) == {"min_quality": 0.8, "max_change": 0.1}


def test_a_run_saved_under_an_old_name_opens_with_the_new_one(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    run = mt.score({"a": ["Oi."]}, [["Olá."]], metrics="chrf", samples=100)
    parameters = {"pair": "en-pt", "quality": {}, "alpha": 0.7, "beta": 0.2}
    Workspace(workspace).save_run(replace(run.record, method="behavior", parameters=parameters))
    assert mt.load(workspace=workspace).parameters["min_quality"] == 0.7
    assert "alpha" not in mt.load(workspace=workspace).parameters


def test_a_plan_with_an_old_name_is_read_as_one_with_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("en.txt", "pt.txt"):
        (tmp_path / name).write_text("Hi.\n")
    (tmp_path / "plan.yaml").write_text(
        "pair: en-pt\nsystems:\n  a: fake:upper\n"
        "test_sets:\n  news:\n    source: en.txt\n    references: pt.txt\n"
        "steps:\n  behavior:\n    quality: chrf\n    alpha: 0.6\n"
    )
    (step,) = read_plan(tmp_path / "plan.yaml").steps.values()
    assert step.parameters == {"quality": "chrf", "min_quality": 0.6}
