"""Suites as files: our YAML, edited in place, and the DFKI's JSON, read only."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_items import (
    RULE_FIELDS,
    Item,
    Rule,
    RuleField,
    Suite,
    check_length,
    item_record,
    rule_record,
    suite_from_dfki,
)
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    decode,
    load_json,
    open_for_writing,
    read_bytes,
    shown,
)
from mtassay.data.formats.yaml_editing import (
    suite_from_yaml,
    with_entries,
    with_fields,
    with_items,
    with_macro,
    yaml_text,
)
from mtassay.data.language_packs import missing_pack, pack_files

# Reading suites.

OWN_ENDINGS = (".yaml", ".yml")
ENDINGS = (*OWN_ENDINGS, ".json")


def own_suites() -> dict[str, Path]:
    """The suites of installed language packs, by name."""
    return pack_files("suites")


def suite_advice(name: str) -> str:
    """Advice on a missing suite: the pack to install, or the available suites."""
    if install := missing_pack("suites", name):
        return install
    return f"Suites of language packs: {', '.join(own_suites()) or 'none is installed'}."


def suite_path(where: FilePath) -> Path:
    """The file of a suite: the given file, or that of a language pack by its name."""
    path = Path(where)
    if not path.exists() and str(where) in own_suites():
        return own_suites()[str(where)]
    if not path.exists():
        raise UsageError(f"There is no suite file {where}. {suite_advice(str(where))}")
    return path


def read_suite(where: FilePath) -> Suite:
    """Read the suite in a file or, if there is no such file, that of a language pack by name (`en-pt`).

    Ids may repeat here: before judging, check them with `mtassay.methods.suite`.
    """
    path = suite_path(where)
    ending = path.name.removesuffix(".gz")
    if not ending.endswith(ENDINGS):
        raise InputError(f"a suite file ends in {', '.join(ENDINGS)}", path=shown(where))
    return parse_suite(read_bytes(path), Path(ending).suffix, path=shown(where))


def parse_suite(data: bytes, ending: str, *, path: str) -> Suite:
    """Parse the content of a suite file with this ending; `path` is for messages."""
    text = decode(data, path)
    if ending == ".json":
        suite = suite_from_dfki(_parsed(text, path), path=path)
    else:
        suite = suite_from_yaml(text, path=path)
    check_length(suite)
    return suite


def _parsed(text: str, path: str) -> Any:
    try:
        record = load_json(text, partial(json.loads, object_pairs_hook=partial(_object, path=path)))
        check_characters(record if "\\u" in text else None)
        return record
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON ({error.msg})", path=path, line=error.lineno) from None
    except ValueError as error:
        raise InputError(f"this is not usable JSON ({error})", path=path) from None


def _object(pairs: list[tuple[str, Any]], *, path: str) -> dict[str, Any]:
    """Make a JSON object. Refuse a repeated key, which would silently lose a rule."""
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        name = f" in the item '{record['id']}'" if "id" in record else ""
        raise InputError(f"the key '{twice}' occurs twice{name}; join the two", path=path)
    return record


def write_suite(where: FilePath, suite: Suite) -> None:
    """Write a suite as YAML. If killed, it leaves the old file or the new one."""
    check_ending(Path(where))
    write_text(Path(where), yaml_text(suite))


def copy_suite(where: FilePath, target: Path) -> Suite:
    """Copy the suite of a file or a language pack to a new file; comments of YAML stay."""
    check_ending(target)
    suite, path = read_suite(where), suite_path(where)
    is_yaml = path.name.removesuffix(".gz").endswith(OWN_ENDINGS)
    write_text(target, decode(read_bytes(path), str(path)) if is_yaml else yaml_text(suite))
    return suite


def check_ending(path: Path) -> None:
    """Refuse a name that does not mean YAML."""
    if path.suffix not in OWN_ENDINGS:
        raise UsageError(f"{path}: a suite is written as {' or '.join(OWN_ENDINGS)}.")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with open_for_writing(path) as handle:
        handle.write(text)


# Editing suite files in place: add items, add and remove rules, set fields. All else stays unchanged.

NewRules = Mapping[str, Sequence[tuple[RuleField, Rule]]]


def add_items(where: FilePath, items: Sequence[Item] | Callable[[Suite], Sequence[Item]]) -> Suite:
    """Append items with new ids to a suite file; return the new suite.

    A function makes the items from the locked suite, so that free ids stay free.
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
    """Append rules to the lists of items, by id; return the new suite.

    An item with new rules loses its approver, since the approval was of the old rules.
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
    """Set fields of items (`{"item-1": {"approver": "ana"}}`), texts or lists; return the new suite."""

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
    """Set a macro of a suite; return the new suite. Approvals stay: `suite check` reviews them."""

    def change(suite: Suite) -> Suite:
        return replace(suite, macros={**suite.macros, name: pattern})

    return _change(where, change, lambda text, suite: with_macro(text, name, pattern))


def editable(where: FilePath) -> Path:
    """The file of a suite, if it can be edited: not in a language pack and not compressed."""
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


def _change(where: FilePath, change: Callable[[Suite], Suite], edit: Callable[[str, Suite], str]) -> Suite:
    """Read, edit, check and write a file, locked against other processes."""
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
                "the layout of this file does not allow an edit that leaves other lines alone. "
                "Edit it by hand, or rewrite it with mtassay suite convert",
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
    lists = {n: (*getattr(item, n), *(rule for kind, rule in new if kind == n)) for n in RULE_FIELDS}
    return replace(item, **lists, approver="" if new else item.approver)  # type: ignore[arg-type]


def _with_changed(suite: Suite, changed: Mapping[str, Item]) -> Suite:
    return replace(suite, items=tuple(changed.get(item.id, item) for item in suite.items))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the file against our other processes. A killed process releases the lock; no lock file remains."""
    try:
        import fcntl
    except ImportError:  # not on Windows, which relies on the comparison before writing
        yield
        return
    while True:
        with path.open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # The previous holder of the lock may have replaced the file that we waited for.
            if os.fstat(handle.fileno()).st_ino == path.stat().st_ino:
                yield
                return
