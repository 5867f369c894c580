"""The JSON Schema of plans follows from the fields of the methods, and says what the reader says."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, cast

import pytest

from mtassay.app.plans.discovery import Discovery, FoundSuite, FoundTestSet
from mtassay.app.plans.drafts import plan_text
from mtassay.app.plans.plan_schema import PlanEntry, json_schema, read_entries, step_options, suite_field
from mtassay.data.method import Method
from mtassay.data.registry import find, names
from mtassay.data.settings import options_of
from mtassay.methods.behavior.recipe import Recipe
from tests.plans.test_mistakes import GOOD


def step_schema(name: str) -> dict[str, Any]:
    """What the schema says of steps of a method."""
    kinds = json_schema()["properties"]["steps"]["additionalProperties"]["anyOf"]
    return next(kind for kind in kinds if kind["properties"]["method"]["const"] == name)


@pytest.mark.parametrize("name", names("method"))
def test_every_option_of_a_method_is_a_key_of_its_steps(name: str) -> None:
    method = cast("type[Method]", find("method", name))
    properties = step_schema(name)["properties"]
    assert set(options_of(method)) <= set(properties)
    assert ("suite" in properties) == any(f.name == "suite" for f in fields(method))
    assert step_schema(name)["additionalProperties"] is False


def test_what_a_method_is_made_of_is_there_too() -> None:
    assert set(options_of(Recipe)) <= set(step_schema("behavior")["properties"])


def test_bounds_choices_and_defaults_are_those_of_the_fields() -> None:
    properties = step_schema("score")["properties"]
    assert properties["samples"]["minimum"] == 100
    assert properties["samples"]["default"] == 1000
    assert properties["alpha"]["maximum"] == 0.5
    assert properties["test"]["enum"][0] == "randomization"
    assert properties["seed"]["type"] == "integer"


def test_a_step_of_a_suite_has_no_test_set() -> None:
    assert suite_field(cast("type[Method]", find("method", "suite"))) == "suite"
    assert "test_set" not in step_schema("suite")["properties"]
    assert "suite" not in step_schema("score")["properties"]


def test_steps_have_no_option_that_the_reader_refuses() -> None:
    for name in names("method"):
        keys = set(step_schema(name)["properties"]) - {"method", "test_set", "suite", "systems"}
        assert keys <= set(step_options(cast("type[Method]", find("method", name))))


DRAFT = Discovery(
    pair="en-pt",
    test_sets=[FoundTestSet("news", 3, "en-pt", source="s.txt", references=("r.txt",), has_references=True)],
    suites=[FoundSuite("no", "on.yaml", "en-pt", frozenset("a"))],
    engines={"nmt": "fake:"},
)


@pytest.mark.parametrize(
    ("text", "is_good"),
    [
        (GOOD, True),
        (plan_text(DRAFT), True),
        (GOOD.replace("pair:", "par:"), False),
        (GOOD.replace("metrics:", "metric:"), False),
        (GOOD.replace("metrics: [bleu, strict]", "samples: 3"), False),
        (GOOD.replace("score:", "first:"), False),
        (GOOD.replace("score:", "first:").replace("metrics:", "method: score\n    metrics:"), True),
        (GOOD.replace("max_calls: 10", "max_calls: -1"), False),
    ],
)
def test_editors_find_the_same_mistakes(text: str, is_good: bool, tmp_path: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="it is in the extra 'dev'")
    path = tmp_path / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    schema = json.loads(json.dumps(json_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert jsonschema.Draft202012Validator(schema).is_valid(_typed(read_entries(path, called="x"))) == is_good


def _typed(entry: PlanEntry) -> Any:
    """A plan as an editor reads it: numbers are numbers."""
    if entry.is_list:
        return [_typed(part) for part in entry.entries()]
    if not entry.is_text:
        return {key: _typed(part) for key, part in entry.parts().items()}
    text = str(entry.node.value)
    return None if entry.is_empty else int(text) if text.lstrip("-").isdigit() else text
