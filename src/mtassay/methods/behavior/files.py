"""Files of behavioural cases and of what a system made of them: JSONL, or TSV with the same columns.

A case is `{id, capability, source, reference, edited_source, pseudo_reference, edit}`, its outputs are
`{id, output, edited_output}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TextIO

from mtassay.errors import InputError
from mtassay.formats.jsonl import write_jsonl
from mtassay.formats.text import FilePath, read_bytes, shown, split_lines
from mtassay.methods.behavior.differences import changes_between
from mtassay.methods.behavior.nouns import EDITED, BehaviorCase, Change, apply_changes, edited_id

__all__ = ["case_record", "read_cases", "read_outputs", "write_cases", "write_outputs"]

_TEXTS = ("id", "capability", "source", "reference", "edited_source", "pseudo_reference")


def read_cases(path: FilePath) -> list[BehaviorCase]:
    """The cases of a file in their order: at least one, and no id twice.

    A case that has no `edit`, or one described in another way, gets the differences of its two sources, and
    those of its references where there are as many: more would mean that the rest was adapted, and nobody can
    say which one is the edit.
    """
    cases: dict[str, BehaviorCase] = {}
    for line, record in _records(path):
        case = _case(record, shown(path), line)
        if case.id in cases:
            raise InputError(f"a second case has the id '{case.id}'", path=shown(path), line=line)
        cases[case.id] = case
    if not cases:
        raise InputError("there is no case in it", path=shown(path))
    return list(cases.values())


def write_cases(where: FilePath | TextIO, cases: Iterable[BehaviorCase]) -> None:
    """One JSON record per case."""
    write_jsonl(where, map(case_record, cases))


def case_record(case: BehaviorCase) -> dict[str, Any]:
    """A case as a JSON record; `edit` has the changes of the source and of the reference."""
    record: dict[str, Any] = {key: getattr(case, key) for key in _TEXTS}
    record["edit"] = {
        "source": [change._asdict() for change in case.changes],
        "reference": [change._asdict() for change in case.reference_changes],
    }
    record["segment"] = case.segment_id
    if case.provenance:
        record["provenance"] = dict(case.provenance)
    return record


def read_outputs(path: FilePath) -> dict[str, str | None]:
    """The outputs of a file by segment id: the case's own for its original, with `/edited` for its edit.

    Records are `{id, output, edited_output}`, or `{id, output}` with both ids. `None` means that the
    system gave no output; nothing is said of cases that the file does not name.
    """
    outputs: dict[str, str | None] = {}
    for line, record in _records(path):
        name = _text(record, "id", shown(path), line)
        found = {
            key: _optional(record, column, shown(path), line)
            for key, column in ((name, "output"), (edited_id(name), "edited_output"))
            if column in record
        }
        if not found:
            what = "there is neither 'output' nor 'edited_output'. Needed: id, output, edited_output"
            raise InputError(what, path=shown(path), line=line)
        for key, text in found.items():
            if key in outputs:
                raise InputError(f"a second output has the id '{key}'", path=shown(path), line=line)
            outputs[key] = text
    if not outputs:
        raise InputError("there is no output in it", path=shown(path))
    return outputs


def write_outputs(
    where: FilePath | TextIO, cases: Sequence[BehaviorCase], outputs: Mapping[str, str | None]
) -> None:
    """One JSON record per case, from outputs by segment id; `null` where there is none."""
    write_jsonl(
        where,
        (
            {"id": c.id, "output": outputs.get(c.id), "edited_output": outputs.get(edited_id(c.id))}
            for c in cases
        ),
    )


def _case(record: Mapping[str, Any], path: str, line: int) -> BehaviorCase:
    texts = {key: _text(record, key, path, line) for key in _TEXTS}
    if texts["id"].endswith(EDITED):
        raise InputError(f"an id may not end in '{EDITED}', which names its edit", path=path, line=line)
    provenance = record.get("provenance") or {}
    if not isinstance(provenance, dict):
        raise InputError("'provenance' must be an object", path=path, line=line)
    segment = record.get("segment")
    case = BehaviorCase(
        **texts,
        segment_id=texts["id"] if segment is None or segment == "" else str(segment),
        changes=_changes(record.get("edit"), "source", texts["source"], path, line),
        reference_changes=_changes(record.get("edit"), "reference", texts["reference"], path, line),
        provenance=provenance,
    )
    if case.changes and apply_changes(case.source, case.changes) != case.edited_source:
        raise InputError("'edit' does not make 'edited_source' of 'source'", path=path, line=line)
    return case if case.changes else _with_differences(case)


def _with_differences(case: BehaviorCase) -> BehaviorCase:
    changes = changes_between(case.source, case.edited_source)
    found = case.reference_changes or changes_between(case.reference, case.pseudo_reference)
    known = bool(case.reference_changes) or len(found) == len(changes)
    return replace(case, changes=changes, reference_changes=found if known else ())


def _changes(edit: Any, side: str, text: str, path: str, line: int) -> tuple[Change, ...]:
    """The changes of one side, which must be in order and where they say.

    Who made cases elsewhere may describe edits otherwise, in words or lists; then the texts tell.
    """
    given = edit.get(side) if isinstance(edit, dict) else None
    if not isinstance(given, list) or not all(isinstance(change, dict | list) for change in given):
        return ()
    changes = []
    done = 0
    for record in given:
        try:
            change = Change(**record) if isinstance(record, dict) else Change(*record)
            fits = text[change.start : change.end] == change.before and isinstance(change.after, str)
        except TypeError:
            fits = False
        if not fits or change.start < done:
            what = f"'edit' of the {side} must be changes {{start, end, before, after}} in order"
            raise InputError(f"{what}, where 'before' stands in the {side}", path=path, line=line)
        changes.append(change)
        done = change.end
    return tuple(changes)


def _text(record: Mapping[str, Any], key: str, path: str, line: int) -> str:
    if key not in record:
        raise InputError(f"'{key}' is missing", path=path, line=line)
    value = record[key]
    if key == "id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or (key in ("id", "capability") and not value):
        raise InputError(f"'{key}' must be a text", path=path, line=line)
    return value


def _optional(record: Mapping[str, Any], key: str, path: str, line: int) -> str | None:
    return None if record[key] is None else _text(record, key, path, line)


def _records(path: FilePath) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records with their line numbers. A file that does not begin with `{` is a table with a header."""
    name = shown(path)
    lines = split_lines(read_bytes(path), name)
    if not lines[0].lstrip().startswith("{"):
        yield from _rows(lines, name)
        return
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise InputError("this is no JSON object", path=name, line=number)
        yield number, record


def _rows(lines: Sequence[str], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    columns = [column.strip() for column in lines[0].split("\t")]
    if "id" not in columns:
        what = "the file must hold JSON records, or begin with the names of its columns: id, …"
        raise InputError(what, path=path, line=1)
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
        record: dict[str, Any] = dict(zip(columns, cells, strict=True))
        for key in ("edit", "provenance"):
            if record.get(key):
                record[key] = _cell(record[key], key, path, number)
        yield number, record


def _cell(text: str, key: str, path: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if key == "edit":
            return text
        raise InputError(f"'{key}' must be JSON, or empty", path=path, line=line) from None
