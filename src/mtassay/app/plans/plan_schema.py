"""What may stand in a plan: its keys with their meaning, and the JSON Schema that editors read.

What a step may say follows from the fields of its method, so that methods of other packages are in it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from mtassay.app.plans.plan_entries import kinds_of
from mtassay.data.formats.suite_items import Suite
from mtassay.data.method import Method
from mtassay.data.registry import each_named
from mtassay.data.settings import Option, options_of
from mtassay.runtime.executors import EXECUTORS

SECTIONS = {
    "pair": "The language pair: en-de.",
    "systems": "What is tested: by name a file of outputs, a folder of such files, or a live engine as "
    "scheme:rest. Where outputs differ by test set or suite: a mapping from its name to a file.",
    "test_sets": "Sources with references, by name: one file or folder that holds everything, or one each.",
    "suites": "Linguistic test suites, by name: a file, or the name of one that a language pack has.",
    "judges": "Metrics with their options, by a name that steps may use in their place.",
    "steps": "What is done, by name: a method and its parameters. A step called like a method is of it.",
    "budget": "What may be asked of each live engine, in all steps together, and what it costs.",
    "executor": "Where large work is computed: local, processes or ray.",
    "ray_address": "The Ray cluster for the executor ray, HOST:PORT; without it one is started.",
    "gates": "Rules that must hold; one that does not makes the exit code 1.",
    "baseline": "What gates compare with: a run, a system, or a file.",
    "report": "Where the report goes: a file that ends in .html or .md, or no. Default: beside the plan, "
    "called like it.",
}
TEST_SET = {
    "where": "Everything in one place: a JSONL, TSV, XML, TMX or XLIFF file, a folder in the layout of "
    "mt-metrics-eval, or a test set that sacreBLEU knows.",
    "source": "The file of sources.",
    "references": "One or more files of references; with 'where' the names of some of its references.",
    "documents": "Document id per line, or 'domain<TAB>document'.",
    "entities": "The reference with its named entities marked, for the metric nee.",
    "pair": "The language pair, where it is not that of the plan.",
}
STEP = {
    "method": "The method; by default what the step is called.",
    "test_set": "Which test set; needed where there are several.",
    "suite": "Which suite; needed where there are several.",
    "systems": "Which systems; by default all that can.",
}
BUDGET = {
    "max_calls": "Stop asking an engine after so many calls.",
    "max_characters": "Stop asking an engine after so many characters.",
    "max_seconds": "Give an engine no new calls after this time, in each step.",
    "prices": "What a million characters cost, by system, for --dry-run.",
    "currency": "In which currency: EUR.",
}

_TEXT: Mapping[str, Any] = {"type": "string"}
_TEXTS: Mapping[str, Any] = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_SWITCH: Mapping[str, Any] = {"enum": [True, False, "yes", "no"]}


@cache
def step_options(method: type[Method]) -> dict[str, Option]:
    """The parameters that a step of this method may have: its fields, and those of what it is made of."""
    options: dict[str, Option] = {}
    for f in fields(method):
        for kind in kinds_of(get_type_hints(method)[f.name]):
            if isinstance(kind, type) and is_dataclass(kind) and f.name not in STEP:
                options |= options_of(kind)
    return options | options_of(method, plain=True)


@cache
def suite_field(method: type[Method]) -> str:
    """The field of a method that is a suite; empty where it takes a test set."""
    hints = get_type_hints(method)
    return next((f.name for f in fields(method) if Suite in kinds_of(hints[f.name])), "")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of plans, with a step for every method that is installed."""
    methods: dict[str, type[Method]] = dict(each_named("method"))
    test_set: dict[str, Any] = {key: {**_TEXT, "description": about} for key, about in TEST_SET.items()}
    test_set["references"] = {**_TEXTS, "description": TEST_SET["references"]}
    numbers: dict[str, Mapping[str, Any]] = {
        "max_calls": {"type": "integer", "minimum": 0},
        "max_characters": {"type": "integer", "minimum": 0},
        "max_seconds": {"type": "number", "exclusiveMinimum": 0},
        "prices": _named({"type": "number", "minimum": 0}),
        "currency": _TEXT,
    }
    sections: dict[str, Mapping[str, Any]] = {
        "pair": _TEXT,
        "systems": _named({"anyOf": [_TEXT, _named(_TEXT)]}),
        "test_sets": _named({"anyOf": [_TEXT, _closed(test_set)]}),
        "suites": _named(_TEXT),
        "judges": _named(_TEXT),
        "steps": {
            "type": "object",
            # A step without `method` is of the method that it is called like.
            "properties": {name: _step(name, method, named=False) for name, method in methods.items()},
            "additionalProperties": {
                "anyOf": [_step(name, method, named=True) for name, method in methods.items()]
            },
        },
        "budget": _closed({key: {**numbers[key], "description": about} for key, about in BUDGET.items()}),
        "executor": {"enum": list(EXECUTORS)},
        "ray_address": _TEXT,
        "gates": {"type": "array", "items": {"anyOf": [_TEXT, {"type": "object"}]}},
        "baseline": {"anyOf": [_TEXT, _named(_TEXT)]},
        "report": {"anyOf": [_TEXT, _SWITCH]},
    }
    root = {key: {**sections[key], "description": about} for key, about in SECTIONS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A plan of mtassay",
        **_closed(root),
        "required": ["steps"],
    }


def _step(name: str, method: type[Method], *, named: bool) -> dict[str, Any]:
    """What a step of a method may say; `named` ones must say which method it is."""
    about = (method.__doc__ or "").strip().partition("\n")[0]
    properties: dict[str, Any] = {"method": {"const": name, "description": STEP["method"]}}
    target = "suite" if suite_field(method) else "test_set"
    properties[target] = {**_TEXT, "description": STEP[target]}
    properties["systems"] = {**_TEXTS, "description": STEP["systems"]}
    for key, option in step_options(method).items():
        properties.setdefault(key, _option(option))
    kind = {**_closed(properties), "description": about}
    if named:
        return {**kind, "required": ["method"]}
    return {"anyOf": [kind, {"type": "object", "required": ["method"]}, {"type": "null"}]}


def _option(option: Option) -> dict[str, Any]:
    """What the parameter of a method may be."""
    kinds = list(kinds_of(option.kind))
    choices = [choice for kind in kinds if isinstance(kind, tuple) for choice in kind]
    schema: dict[str, Any] = dict(_TEXT)
    if list in kinds:
        schema = dict(_TEXTS)
    elif choices:
        schema = {"enum": choices}
    elif int in kinds or float in kinds:
        schema = {"type": "number" if float in kinds else "integer"}
        schema |= {} if option.least is None else {"minimum": option.least}
        schema |= {} if option.most is None else {"maximum": option.most}
    elif bool in kinds:
        schema = dict(_SWITCH)
    elif str in kinds and Path not in kinds:
        schema = dict(_TEXTS)
    if option.told:
        schema["description"] = option.told
    if isinstance(option.default, str | int | float) and option.default != "":
        schema["default"] = option.default
    return schema


def _named(what: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": what}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}
