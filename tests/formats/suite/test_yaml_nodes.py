"""YAML that is nested without end is an error and never a crash."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.yaml_editing import MAX_DEPTH, compose, suite_from_yaml, with_items

DEEP = {
    "lists": "'[' * 100_000",
    "mappings": "'{a: ' * 100_000",
    "dashes": "'- ' * 100_000 + 'a'",
    "keys": "'? ' * 100_000 + 'a'",
    "below a key": "'items:\\n  - ' + '[' * 100_000",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_endless_nesting_does_not_crash_the_process(text: str) -> None:
    program = f"""
from mtassay.data.errors import InputError
from mtassay.data.formats.yaml_editing import suite_from_yaml
try:
    suite_from_yaml({text}, path="x.yaml")
except InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "this YAML is nested too deeply: more than 100 lists or mappings" in done.stdout


@pytest.mark.parametrize(
    "read",
    [
        lambda text: suite_from_yaml(text, path="x.yaml"),
        lambda text: with_items(text, []),
    ],
    ids=["suite", "edit"],
)
def test_every_reader_has_the_same_limit(read: Callable[[str], Any]) -> None:
    with pytest.raises(InputError, match="line 2: this YAML is nested too deeply"):
        read("items:\n  " + "[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_the_limit_is_of_what_is_open_at_once() -> None:
    assert compose("[" * MAX_DEPTH + "]" * MAX_DEPTH, path="x.yaml") is not None
    assert len(compose("[" + "[], " * 1000 + "]", path="x.yaml").value) == 1000
    assert compose("a: '" + "[" * 1000 + "'", path="x.yaml") is not None
