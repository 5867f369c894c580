"""Reads YAML into nodes that know their place, and refuses what would crash the reader."""

from __future__ import annotations

from typing import Any

import yaml

from mtassay.errors import InputError

__all__ = ["MAX_DEPTH", "Loader", "compose", "not_yaml"]

# With the base loader `no` is a word and not a falsehood, and a date is what was written.
Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

MAX_DEPTH = 100
"""Lists and mappings within each other. Nodes are made by recursion in C, which has no net to fall into."""


def compose(text: str, *, path: str) -> Any:
    """The root node of a YAML text, `None` if there is nothing in it; `path` is for messages.

    >>> compose("a: [no, 1.0]", path="x.yaml").value[0][1].value[0].value
    'no'
    """
    try:
        _check_depth(text, path)
        return yaml.compose(text, Loader)
    except yaml.YAMLError as error:
        raise not_yaml(error, path=path) from None


def not_yaml(error: yaml.YAMLError, *, path: str) -> InputError:
    """The same error in one line."""
    problem = " ".join(str(getattr(error, "problem", None) or error).split())
    mark = getattr(error, "problem_mark", None)
    return InputError(f"this is not YAML ({problem})", path=path, line=mark.line + 1 if mark else None)


def _check_depth(text: str, path: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                what = f"this YAML is nested too deeply: more than {MAX_DEPTH} lists or mappings"
                mark = event.start_mark
                raise InputError(what, path=path, line=mark.line + 1 if mark else None)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
