"""The keywords that type checkers know are the fields of the dataclasses behind them, with their types."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from functools import reduce
from operator import or_
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from mtassay import write_report
from mtassay.app import history, reports, settings_types
from mtassay.app import library as api
from mtassay.app.runs import RunSettings
from mtassay.app.settings_types import Names
from mtassay.data.display import Look
from mtassay.data.formats.suite_items import Suite
from mtassay.data.nouns import Generated
from mtassay.data.settings import options_of
from mtassay.measures.given_scores import SegmentScore
from mtassay.measures.metric import Metric
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.check.check_method import CheckMethod
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.methods.score.score_statistics import Correction, Ranks, Unit
from mtassay.methods.score.score_statistics import Test as ScoreTest
from mtassay.methods.suite.accuracy import Test as SuiteTest
from mtassay.methods.suite.suite_method import SuiteMethod
from mtassay.runtime.executors import Executor
from mtassay.systems.client import Tally

NAMES: dict[str, Any] = {
    "Tally": Tally, "Generated": Generated, "Executor": Executor, "Suite": Suite, "Recipe": Recipe,
    "Correction": Correction, "Ranks": Ranks, "Unit": Unit, "ScoreTest": ScoreTest, "SuiteTest": SuiteTest,
    "Metric": Metric, "Which": history.Which, "ReportForm": reports.ReportForm,
}  # fmt: skip
METRICS = eval(settings_types.Metrics, vars(settings_types), NAMES)
NAMES |= {"Metrics": METRICS, "SegmentScore": SegmentScore}
SCORE_METRICS = eval(settings_types.ScoreMetrics, vars(settings_types), NAMES)
NAMES |= {
    "ScoreMetrics": SCORE_METRICS,
    "AnySuite": eval(settings_types.AnySuite, vars(settings_types), NAMES),
}
MADE = ("left_out", "are_named")
"""Fields of a recipe that nobody gives."""


def parts(kind: Any) -> frozenset[Any]:
    """The members of a union, in no order."""
    if get_origin(kind) in (Union, type(int | str)):
        return frozenset().union(*map(parts, get_args(kind)))
    return frozenset([kind])


def accepted(cls: Any, *, without: tuple[str, ...] = ()) -> dict[str, frozenset[Any]]:
    """What may be given for each field: its type, and what its option takes; names also as one text."""
    hints = get_type_hints(cls, localns=NAMES)
    options = options_of(cls) if any(f.metadata for f in fields(cls)) else {}
    found = {}
    for f in fields(cls):
        kinds = set(parts(hints[f.name]))
        if f.name in options:
            kinds |= parts(options[f.name].kind)
        if Mapping[str, Metric] in kinds:
            kinds = kinds - {list[str]} | parts(SCORE_METRICS if f.name == "metrics" else METRICS)
        if {tuple[str, ...], list[str]} & kinds:
            kinds = kinds - {tuple[str, ...], list[str]} | parts(Names)
        if f.name not in without:
            found[f.name] = frozenset(kinds)
    return found


def keys(typed: Any) -> dict[str, frozenset[Any]]:
    return {name: parts(kind) for name, kind in get_type_hints(typed, localns=NAMES).items()}


RUN = accepted(RunSettings)
SCORE = accepted(ScoreMethod, without=("pair",))
CHECK = accepted(CheckMethod, without=("pair",))
SUITE = accepted(SuiteMethod, without=("suite",))
INVARIANCE = accepted(InvarianceMethod, without=("pair",))
RECIPE = accepted(Recipe, without=MADE)
# A recipe takes the name of its filter, and with a recipe the filter is its own.
BEHAVIOR = {**accepted(BehaviorMethod, without=("pair",)), **RECIPE}


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("RunOptions", RUN),
        ("ScoreOptions", RUN | SCORE),
        ("CheckOptions", RUN | CHECK),
        ("SuiteOptions", RUN | SUITE),
        ("InvarianceOptions", RUN | INVARIANCE),
        ("RecipeOptions", RUN | RECIPE),
        ("BehaviorOptions", RUN | BEHAVIOR),
        ("LookOptions", accepted(Look)),
    ],
)
def test_keywords_are_the_fields_of_their_dataclass(typed: str, wanted: dict[str, frozenset[Any]]) -> None:
    assert keys(getattr(settings_types, typed)) == wanted


def test_a_run_is_judged_again_with_the_fields_of_any_method() -> None:
    judged = keys(settings_types.JudgeOptions)
    methods = [SCORE, CHECK, SUITE, INVARIANCE, BEHAVIOR]
    for name in set().union(*methods):
        assert judged[name] == reduce(or_, (method[name] for method in methods if name in method)), name
    assert judged.keys() == RUN.keys() | {"pair", "suite"}.union(*methods)


def test_a_run_writes_its_report_with_the_keywords_of_write_report() -> None:
    hints = get_type_hints(write_report)
    parameters = inspect.signature(write_report).parameters.values()
    wanted = {p.name: parts(hints[p.name]) for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert keys(settings_types.ReportOptions) == wanted


def test_no_public_function_takes_whatever_it_is_given() -> None:
    given = (value for name, value in vars(api).items() if not name.startswith("_") and "_work" not in name)
    functions = list(filter(inspect.isfunction, given))
    loose = [
        function.__name__
        for function in functions
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.VAR_KEYWORD and p.annotation == "Any"
    ]
    assert loose == ["run"]  # whose overloads say what each method takes
