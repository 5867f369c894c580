"""YAML whose texts and mappings know their line, with every scalar as text."""

from __future__ import annotations

from typing import Any

import yaml

from mtassay.errors import InputError
from mtassay.formats.suite.yaml import compose

__all__ = ["LocatedDict", "LocatedText", "line_of", "load", "plain"]


class LocatedText(str):
    """A text that knows its line."""

    line: int | None = None


class LocatedDict(dict[str, Any]):
    """A mapping that knows its line."""

    line: int | None = None


def line_of(value: object) -> int | None:
    """Where a value begins; a list begins where its first entry does."""
    if isinstance(value, list):
        return line_of(value[0]) if value else None
    return getattr(value, "line", None)


def plain(value: Any) -> Any:
    """The same as ordinary texts, lists and mappings, without lines."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return {str(key): plain(inner) for key, inner in value.items()}


def load(text: str, *, path: str) -> Any:
    """Texts, lists and mappings. A key that stands twice and an anchor within itself are `InputError`s.

    >>> load("a: [no, 1.0]", path="x.yaml")
    {'a': ['no', '1.0']}
    """
    node = compose(text, path=path)
    try:
        return None if node is None else _value(node, path, {})
    except RecursionError:  # anchors can nest deeper than the text
        raise InputError("this YAML is nested too deeply", path=path) from None


def _value(node: Any, path: str, values_by_node: dict[int, Any]) -> Any:
    """The value of a node. Each node is read once, so that aliases cannot multiply."""
    line = node.start_mark.line + 1
    if id(node) in values_by_node:
        if values_by_node[id(node)] is None:
            raise InputError("this anchor contains itself", path=path, line=line)
        return values_by_node[id(node)]
    values_by_node[id(node)] = None
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = LocatedText(node.value)
        value.line = line
    elif isinstance(node, yaml.SequenceNode):
        value = [_value(child, path, values_by_node) for child in node.value]
    else:
        value = LocatedDict()
        value.line = line
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise InputError("a key must be a text", path=path, line=line)
            value[key.value] = _value(child, path, values_by_node)
    values_by_node[id(node)] = value
    return value
