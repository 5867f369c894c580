"""A parameter has one name: in a plan, in Python and on the command line."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import mtassay as mt
from mtassay.app.plans.plan import read_plan
from mtassay.data.errors import InputError, PluginWarning
from mtassay.data.settings import options_of
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.methods.suite.suite_method import SuiteMethod

STORED = Path(__file__).resolve().parents[1] / "frozen" / "workspace-0.1.sqlite.gz"


@pytest.mark.parametrize("cls", [ScoreMethod, SuiteMethod, InvarianceMethod, BehaviorMethod, Recipe])
def test_an_option_is_called_as_its_field(cls: Any) -> None:
    options = options_of(cls)
    written = {name: option.flags[0].partition("/")[0] for name, option in options.items()}
    assert written == {name: f"--{name.replace('_', '-')}" for name in options}


def test_a_run_of_an_earlier_version_opens_with_the_names_of_today(tmp_path: Path) -> None:
    (tmp_path / "w.db").write_bytes(gzip.decompress(STORED.read_bytes()))
    with pytest.warns(PluginWarning, match="is upgraded"):
        parameters = mt.load("20261116-192717-ef12", workspace=tmp_path / "w.db").parameters
    assert {"min_quality", "max_change"} <= parameters.keys()
    assert not {"alpha", "beta"} & parameters.keys()


def test_a_plan_with_an_old_name_says_in_one_line_what_to_change(
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
    with pytest.raises(InputError, match=r"line 11: steps\.behavior has no 'alpha'\. Available: ") as error:
        read_plan(tmp_path / "plan.yaml")
    assert "\n" not in str(error.value)
