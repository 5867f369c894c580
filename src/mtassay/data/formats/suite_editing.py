"""Changes suite files in place: items and rules come, rules go, fields are set. All else stays as it was.

Only the lines concerned change; the DFKI's JSON is read and never edited.
After an edit the new text is read again: unless exactly the wanted change has happened, the file is left
alone. Two processes that edit one file wait for each other.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import own_suites, parse_suite, write_text
from mtassay.data.formats.suite_items import (
    RULE_FIELDS,
    Item,
    Rule,
    RuleField,
    Suite,
    item_record,
    rule_record,
)
from mtassay.data.formats.textfiles import FilePath, decode, read_bytes
from mtassay.data.formats.yaml_editing import with_entries, with_fields, with_items, with_macro

NewRules = Mapping[str, Sequence[tuple[RuleField, Rule]]]


def add_items(where: FilePath, items: Sequence[Item] | Callable[[Suite], Sequence[Item]]) -> Suite:
    """Put items at the end of a suite file; gives the suite afterwards. An id must be new.

    A function makes the items for the suite as it is while nobody else can edit it, so that ids which it
    finds free stay free.
    """
    new: list[Item] = []

    def change(suite: Suite) -> Suite:
        new[:] = items(suite) if callable(items) else items
        ids = Counter(item.id for item in (*suite.items, *new))
        if twice := [item.id for item in new if ids[item.id] > 1]:
            raise UsageError(f"There is an item '{twice[0]}' already in {where}. Choose another id.")
        return replace(suite, items=(*suite.items, *new))

    def edit(text: str, suite: Suite) -> str:
        return with_items(text, [item_record(item, suite) for item in new])

    return _change(where, change, edit)


def add_rules(where: FilePath, rules: NewRules) -> Suite:
    """Put rules at the end of the lists of items, by id; gives the suite afterwards.

    What was approved is another thing now, so that an item with new rules loses its approver.
    """

    def change(suite: Suite) -> Suite:
        return _with_changed(suite, {key: _added(_item_by_id(suite, key), new) for key, new in rules.items()})

    entries: dict[str, dict[str, list[Any]]] = {
        key: {
            name: [rule_record(rule, name) for kind, rule in new if kind == name]
            for name in RULE_FIELDS
            if any(kind == name for kind, _ in new)
        }
        for key, new in rules.items()
    }

    def edit(text: str, suite: Suite) -> str:
        approved = [item.id for item in suite.items if item.approver and entries.get(item.id)]
        return with_fields(with_entries(text, entries), {key: {"approver": ""} for key in approved})

    return _change(where, change, edit)


def set_fields(where: FilePath, fields: Mapping[str, Mapping[str, Any]]) -> Suite:
    """Set fields of items (`{"item-1": {"approver": "ana"}}`), texts or lists; gives the suite afterwards."""

    def change(suite: Suite) -> Suite:
        changed = {key: replace(_item_by_id(suite, key), **values) for key, values in fields.items()}
        return _with_changed(suite, changed)

    written = {
        key: {
            name: value
            if isinstance(value, str)
            else [rule_record(entry, name) if isinstance(entry, Rule) else entry for entry in value]
            for name, value in values.items()
        }
        for key, values in fields.items()
    }
    return _change(where, change, lambda text, suite: with_fields(text, written))


def set_macro(where: FilePath, name: str, pattern: str) -> Suite:
    """Set a macro of a suite; gives the suite afterwards. Approvals stay: `suite check` looks at them."""

    def change(suite: Suite) -> Suite:
        return replace(suite, macros={**suite.macros, name: pattern})

    return _change(where, change, lambda text, suite: with_macro(text, name, pattern))


def editable(where: FilePath) -> Path:
    """The file behind a name, if it can be edited: no suite of a language pack, nothing compressed."""
    path = Path(where)
    if not path.exists():
        if str(where) in own_suites():
            raise UsageError(
                f"{where} comes with a language pack. Make it yours first:"
                f" mtassay suite convert {where} {where}.yaml"
            )
        raise UsageError(f"There is no suite file {where}. Make one: mtassay suite add {where} -l SRC-TGT")
    if path.suffix == ".json":
        raise UsageError(
            f"{where}: the DFKI's format is only read. "
            "Convert it first: mtassay suite convert IN.json OUT.yaml"
        )
    if path.name.endswith(".gz"):
        raise UsageError(f"{where} is compressed. Unpack it first: gunzip {where}")
    return path.resolve()


def _change(
    where: FilePath,
    change: Callable[[Suite], Suite],
    edit: Callable[[str, Suite], str],
) -> Suite:
    """Read, edit, check and write, while no other process does."""
    path = editable(where)
    with _locked(path):
        data = read_bytes(path)
        text, mark = decode(data, str(where)), "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
        suite = parse_suite(data, path.suffix, path=str(where))
        edited = change(suite)
        new = edit(text, suite)
        try:
            is_right = parse_suite(new.encode(), path.suffix, path=str(where)) == edited
        except InputError:
            is_right = False
        if not is_right:
            raise InputError(
                "this file is laid out in a way that cannot be edited without touching other lines. "
                "Edit it by hand, or write it again: mtassay suite convert",
                path=where,
            )
        if read_bytes(path) != data:
            raise InputError(
                "somebody else has just changed the file. Run the same command again", path=where
            )
        mode = path.stat().st_mode
        write_text(path, mark + new)
        path.chmod(mode)
    return replace(edited, path=str(where))


def _item_by_id(suite: Suite, item_id: str) -> Item:
    matches = [item for item in suite.items if item.id == item_id]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError(
            f"two items have the id '{item_id}'. Rename one first", path=suite.path, line=matches[1].line
        )
    raise UsageError(f"No item '{item_id}' in {suite.path}.")


def _added(item: Item, new: Sequence[tuple[RuleField, Rule]]) -> Item:
    lists = {
        name: (*getattr(item, name), *(rule for kind, rule in new if kind == name)) for name in RULE_FIELDS
    }
    return replace(item, **lists, approver="" if new else item.approver)  # type: ignore[arg-type]


def _with_changed(suite: Suite, changed: Mapping[str, Item]) -> Suite:
    return replace(suite, items=tuple(changed.get(item.id, item) for item in suite.items))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other process of ours edits the file. A kill releases the lock; no lock file is left."""
    try:
        import fcntl
    except ImportError:  # not on Windows; there the comparison before writing has to do
        yield
        return
    while True:
        with path.open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Who held the lock before may have put a new file in the place of the one that was waited for.
            if os.fstat(handle.fileno()).st_ino == path.stat().st_ino:
                yield
                return
