"""The format of a plan: its keys, and how each part of the file is read.

The keys of a step are the fields of its method, so that methods of other packages are included.
"""

from __future__ import annotations

import os
import re
import types
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import yaml

from mtassay.data.errors import InputError, MtassayError
from mtassay.data.formats.suite_items import Suite
from mtassay.data.formats.textfiles import FilePath, decode, read_bytes
from mtassay.data.formats.yaml_editing import compose
from mtassay.data.method import Method
from mtassay.data.registry import suggest
from mtassay.data.settings import Option, is_live, options_of
from mtassay.runtime.http_calls import learn_setting

SECTIONS = (
    *("pair", "pairs", "domains", "systems", "prompts", "test_sets", "suites", "judges", "steps", "stress"),
    *("budget", "priorities", "executor", "ray_address", "gates", "baseline", "report"),
)
TEST_SET = ("where", "source", "references", "documents", "entities", "pair")
PAIR = ("systems", "test_sets", "suites")
"""The sections that each of `pairs` may have."""
STEP = ("method", "test_set", "suite", "systems")
BUDGET = ("max_calls", "max_characters", "max_seconds", "prices", "currency")


@cache
def step_options(method: type[Method]) -> dict[str, Option]:
    """Return the parameters that a step of this method may have: its fields, and those of its parts."""
    options: dict[str, Option] = {}
    for f in fields(method):
        for kind in kinds_of(get_type_hints(method)[f.name]):
            if isinstance(kind, type) and is_dataclass(kind) and f.name not in STEP:
                options |= options_of(kind)
    return options | options_of(method, plain=True)


@cache
def suite_field(method: type[Method]) -> str:
    """Return the field of a method that is a suite; empty if it takes a test set."""
    hints = get_type_hints(method)
    return next((f.name for f in fields(method) if Suite in kinds_of(hints[f.name])), "")


_VARIABLE = re.compile(r"\$\$(?=\{)|\$\{(\w*)\}")
_SWITCHES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def read_entries(path: FilePath, *, called: str) -> PlanEntry:
    """Return the root of a YAML file, with the file's name for messages."""
    node = compose(decode(read_bytes(path), called), path=called)
    if not isinstance(node, yaml.MappingNode):
        raise InputError("this is no plan: it needs 'steps:' at the top", path=called, line=1)
    return PlanEntry(node, called, "the plan")


@dataclass(frozen=True)
class PlanEntry:
    """A part of a YAML file: its node, its line, and the names of file and part for messages."""

    node: Any
    path: str
    name: str
    line: int = 1

    @property
    def is_empty(self) -> bool:
        """Whether it has no content."""
        return isinstance(self.node, yaml.ScalarNode) and not self.node.value and not self.node.style

    @property
    def is_text(self) -> bool:
        """Whether it is one value, and neither a list nor a mapping."""
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    def error(self, what: str) -> InputError:
        """Return a mistake in this part."""
        return InputError(what, path=self.path, line=self.line)

    def wrong(self, error: MtassayError) -> MtassayError:
        """Return an error of this part, of the same kind of exit code, with its place."""
        new = self.error(f"{self.name}: {error}")
        new.exit_code = error.exit_code
        return new

    def typed(self) -> Any:
        """Return it as YAML reads it: texts, numbers, lists and mappings."""
        return yaml.safe_load(yaml.serialize(self.node))

    # Mappings and lists ----------------------------------------------------------------------------------

    def parts(self, keys: Collection[str] | None = None) -> dict[str, PlanEntry]:
        """Return the parts of a mapping by their keys; with `keys`, any other key is a mistake."""
        if self.is_empty:
            return {}
        if not isinstance(self.node, yaml.MappingNode):
            raise self.error(f"{self.name} must be a mapping, as 'name: value', and is {self._kind}")
        parts = {}
        for key, value in self.node.value:
            line = int(key.start_mark.line) + 1
            place = PlanEntry(key, self.path, self.name, line)
            if not isinstance(key, yaml.ScalarNode) or not key.value:
                raise place.error(f"{self.name} has a key that is no name")
            if keys is not None and key.value not in keys:
                raise place.error(f"{self.name} has no '{key.value}'. {suggest(key.value, keys)}")
            name = key.value if self.name == "the plan" else f"{self.name}.{key.value}"
            parts[key.value] = PlanEntry(value, self.path, name, line)
        return parts

    def entries(self) -> list[PlanEntry]:
        """Return the entries of a list; one value is a list of itself, and an empty part an empty list."""
        if self.is_empty:
            return []
        if not self.is_list:
            return [self]
        return [
            PlanEntry(node, self.path, self.name, int(node.start_mark.line) + 1) for node in self.node.value
        ]

    def scalars(self) -> list[str]:
        """Return all single values in it, unchanged."""
        if self.is_text:
            return [str(self.node.value)]
        inside = self.entries() if self.is_list else self.parts().values()
        return [text for entry in inside for text in entry.scalars()]

    # Values ----------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return a text, with the values of the variables that it names; `$${` is `${` itself.

        Variables of an engine stay: opening it inserts the values, and nothing else has them.
        """
        if not self.is_text or self.is_empty:
            raise self.error(f"{self.name} must be a text, and is {self._kind}")
        return _VARIABLE.sub(self._variable, str(self.node.value))

    def texts(self) -> list[str]:
        """Return one text or a list of them."""
        return [entry.text() for entry in self.entries()]

    def choice(self, names: Collection[str], what: str, *, advice: str = "") -> str:
        """Return one of these names; `advice` says what to do about another one, if that is known."""
        name = self.text()
        if name not in names:
            raise self.error(f"{self.name}: there is no {what} '{name}'. {advice or suggest(name, names)}")
        return name

    def number(self, *, whole: bool = False, least: float | None = None, most: float | None = None) -> float:
        """Return a number within its bounds."""
        text = self.text()
        try:
            value: float = int(text.replace("_", "")) if whole else float(text)
        except ValueError:
            kind = "whole number" if whole else "number"
            raise self.error(f"{self.name} must be a {kind}, and is '{text}'") from None
        if value != value or value in (float("inf"), float("-inf")):
            raise self.error(f"{self.name} must be a number, and is '{text}'")
        if least is not None and value < least:
            raise self.error(f"{self.name} must be {least:g} or more, and is {text}")
        if most is not None and value > most:
            raise self.error(f"{self.name} must be {most:g} or less, and is {text}")
        return value

    def switch(self) -> bool:
        """Return yes or no."""
        text = self.text()
        if text.lower() not in _SWITCHES:
            raise self.error(f"{self.name} must be yes or no, and is '{text}'")
        return _SWITCHES[text.lower()]

    def place(self, what: str = "file", *, or_names: Collection[str] = (), advice: str = "") -> str:
        """Return the name of an existing file or folder, or one of these names; `advice` as in `choice`."""
        name = self.text()
        try:
            is_there = Path(name).exists()
        except (OSError, ValueError):
            is_there = False
        if not is_there and name not in or_names:
            choices = advice or suggest(name, [*or_names, *_near(name)])
            raise self.error(f"{self.name}: there is no {what} {name}. {choices}")
        return name

    def value(self, option: Option) -> Any:
        """Return the value of a method's option: a list if it takes several, a number within its bounds."""
        kinds = list(kinds_of(option.kind))
        if self.is_empty:
            raise self.error(f"{self.name} has no value: give one, or leave it out")
        if self.is_list and not all(entry.is_text for entry in self.entries()):
            return self.typed()
        if list in kinds:
            return self.texts()
        if self.is_list and str in kinds:
            return ",".join(self.texts())
        if choices := [str(choice) for kind in kinds if isinstance(kind, tuple) for choice in kind]:
            return self.choice(choices, "choice")
        if int in kinds or float in kinds:
            whole = float not in kinds
            number = self.number(whole=whole, least=option.least, most=option.most)
            return int(number) if whole else number
        if bool in kinds:
            return self.switch()
        return self.place() if Path in kinds else self.text()

    # Messages --------------------------------------------------------------------------------------------

    @property
    def _kind(self) -> str:
        if self.is_empty:
            return "empty"
        return "a list" if self.is_list else f"'{self.node.value}'" if self.is_text else "a mapping"

    def _variable(self, match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return "$"
        value = os.environ.get(name, "")
        if not value:
            near = [known for known in os.environ if not known.startswith("_")]
            fix = f"Set it: export {name}=…" if name else "Write ${NAME}"
            hint = suggest(name, near) if name else ""
            fix = f"{fix}. {hint}" if hint.startswith("Near") else fix
            raise self.error(f"{self.name}: the environment has no variable '{name}'. {fix}")
        kinds = match.string.partition("?")[0].split(":")[:-1]
        if "command" in kinds:
            learn_setting(name, value)
        elif name.isupper() and any(is_live(f"{kind}:") for kind in kinds):
            return match[0]
        return value


def kinds_of(hint: Any) -> Iterator[Any]:
    """Return the types that a hint allows, without `None`: `list` for several values, a tuple for choices.

    >>> list(kinds_of(int | None)), list(kinds_of(Literal["a", "b"])), list(kinds_of(list[str] | None))
    ([<class 'int'>], [('a', 'b')], [<class 'list'>])
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        for part in get_args(hint):
            yield from kinds_of(part)
    elif origin is Literal:
        yield get_args(hint)
    elif origin in (list, tuple):
        yield list
    elif hint is not type(None):
        yield hint


def _near(name: str) -> list[str]:
    """List the entries of a name's folder, as paths that begin like the name."""
    folder = Path(name).parent
    try:
        return [str(folder / entry.name) for entry in sorted(folder.iterdir()) if entry.name[0] != "."]
    except OSError:
        return []
