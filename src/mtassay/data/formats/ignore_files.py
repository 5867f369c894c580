"""Findings of checks to ignore: a list in YAML, with a reason for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import yaml

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.textfiles import FilePath, decode, read_bytes, shown
from mtassay.data.formats.yaml_editing import compose
from mtassay.data.registry import names

IGNORE_FILE = "mtassay-ignore.yaml"
"""The default file."""
_KEYS = ("file", "key", "check", "reason")


class Ignore(NamedTuple):
    """Findings to ignore, by file, key and check. Each may contain `*`; empty means any.

    >>> Ignore(file="de/*.tsv", check="numbers", reason="prices").fits("de/shop.tsv", "a.b", "numbers")
    True
    """

    file: str = ""
    key: str = ""
    check: str = ""
    reason: str = ""

    def fits(self, file: str, key: str, check: str) -> bool:
        """Whether it applies to this text and check."""
        both = ((self.file, file), (self.key, key), (self.check, check))
        return all(not pattern or fnmatchcase(text, pattern) for pattern, text in both)


def read_ignores(path: FilePath) -> list[Ignore]:
    """Read a file with a list of mappings with `file`, `key`, `check` and `reason`.

    Raises:
        InputError: An entry has another key, no reason, or no file, key or check.
    """
    name = shown(path)
    node = compose(decode(read_bytes(path), name), path=name)
    if not isinstance(node, yaml.SequenceNode):
        raise InputError("this is no list of what to ignore: begin each entry with '- check: …'", path=name)
    entries = []
    for entry in node.value:
        line = int(entry.start_mark.line) + 1
        try:
            entries.append(_ignore(yaml.safe_load(yaml.serialize(entry))))
        except UsageError as error:
            raise InputError(str(error), path=name, line=line) from None
    return entries


def ignores_of(entries: Iterable[Any]) -> list[Ignore]:
    """Read the same mappings from a plan; a `UsageError` says what is wrong."""
    return [entry if isinstance(entry, Ignore) else _ignore(entry) for entry in entries]


def _ignore(entry: Any) -> Ignore:
    if not isinstance(entry, Mapping):
        raise UsageError(f"An entry of what to ignore is {entry!r}. Write 'check: numbers' and 'reason: …'.")
    for key in entry:
        if key not in _KEYS:
            raise UsageError(f"An entry of what to ignore has no '{key}'. Available: {', '.join(_KEYS)}.")
    values = {key: str(value) for key, value in entry.items() if value is not None}
    if not values.get("reason", "").strip():
        raise UsageError("An entry of what to ignore has no reason. Add 'reason: …'.")
    if not values.keys() & {"file", "key", "check"}:
        raise UsageError("An entry of what to ignore says not what: add 'file', 'key' or 'check'.")
    if not any(fnmatchcase(name, values.get("check", "*")) for name in names("check")):
        raise UsageError(f"An entry of what to ignore is about {values['check']!r}, which is no check.")
    return Ignore(**values)
