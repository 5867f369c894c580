"""Suites in YAML: read with every scalar as text and the line of every item, written for readable diffs."""

from __future__ import annotations

from functools import partial
from typing import Any

import yaml

from mtassay.errors import InputError
from mtassay.formats.suite.nouns import Suite
from mtassay.formats.suite.records import header_record, item_from_record, item_record, suite_from_header
from mtassay.formats.suite.yaml_nodes import Loader, compose, not_yaml

__all__ = ["suite_from_yaml", "yaml_text"]

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def suite_from_yaml(text: str, *, path: str) -> Suite:
    """The suite in a YAML text; `path` is for messages."""
    try:
        node = compose(text, path=path)
        if not isinstance(node, yaml.MappingNode):
            raise InputError("this is no suite: it needs 'items:' at the top", path=path, line=1)
        record = {key.value: value for key, value in node.value}
        plain = partial(Loader("").construct_object, deep=True)
        header = {key: plain(value) for key, value in record.items() if key != "items"}
        nodes = record.get("items")
        if not isinstance(nodes, yaml.SequenceNode):
            if nodes is None or nodes.value:
                raise InputError("this is no suite: it needs a list 'items:' at the top", path=path, line=1)
            nodes = yaml.SequenceNode("", [])
        items = [
            item_from_record(
                plain(each),
                path=path,
                line=each.start_mark.line + 1,
                langpair=str(header.get("langpair", "")),
                author=str(header.get("author", "")),
            )
            for each in nodes.value
        ]
    except yaml.YAMLError as error:
        raise not_yaml(error, path=path) from None
    except RecursionError:
        raise InputError("this YAML is nested too deeply", path=path) from None
    return suite_from_header(header, items, path=path)


def yaml_text(suite: Suite) -> str:
    """The whole file, one key a line."""
    header = header_record(suite)
    head = _dump(header) if header else ""
    items = "".join(_dump([item_record(item, suite)]) for item in suite.items)
    return f"{head}items:{' []' if not items else ''}\n{items}"


def _dump(value: Any) -> str:
    return str(yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=2**20, indent=2))
