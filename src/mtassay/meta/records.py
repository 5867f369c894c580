"""Rows of a score file, whatever its syntax: who was rated, on which segment, with which values."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mtassay.errors import InputError
from mtassay.formats import ErrorSpan
from mtassay.meta.mqm import mqm_score

MISSING = ("", "none", "na", "nan", "n/a", "null", "-")
_SYSTEM = ("system", "sys", "sysid", "system_id", "model")
_ID = ("id", "segment", "seg", "sid", "segid", "seg_id", "segment_id", "item")


@dataclass(frozen=True, slots=True)
class Record:
    """One row; `id` is `None` in a file of scores for whole systems."""

    line: int
    system: str
    id: str | None
    values: dict[str, Any]


def delimited_records(lines: Sequence[str], path: str) -> list[Record]:
    """Rows under a header, with tabs, commas, semicolons or spaces between cells."""
    header = lines[0]
    separator = next((mark for mark in "\t,;" if mark in header), None)
    rows = _csv(lines, separator) if separator else [(i, line.split()) for i, line in enumerate(lines, 1)]
    names = [name.strip() for name in rows[0][1]]
    system_at = _find(names, _SYSTEM)
    if system_at is None:
        raise InputError(
            "the first line must name the columns: system, id, and the scores", path=path, line=1
        )
    id_at = _find(names, _ID)
    records = []
    for number, cells in rows[1:]:
        if not any(cells):
            continue
        if len(cells) != len(names):
            raise InputError(f"{len(cells)} cells, expected {len(names)}", path=path, line=number)
        values = {name: cells[i] for i, name in enumerate(names) if i not in (system_at, id_at)}
        segment_id = None if id_at is None else cells[id_at].strip()
        records.append(Record(number, cells[system_at].strip(), segment_id, values))
    return _checked(records, path)


def json_records(lines: Sequence[str], path: str) -> list[Record]:
    """JSON Lines with `system`, `id` and scores; `errors` becomes a score.

    An object `scores` holds more scores by name. Of a record with `errors`, a `score` of its own is the
    rating (ESA, called `esa`); otherwise the errors are weighed (called `mqm`).
    """
    records = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            records.append(_json_record(line, path, number))
    return _checked(records, path)


def _json_record(line: str, path: str, number: int) -> Record:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("not JSON", path=path, line=number) from None
    if not isinstance(value, dict):
        raise InputError("not a JSON object, which begins with {", path=path, line=number)
    names = list(value)
    system_at, id_at = _find(names, _SYSTEM), _find(names, _ID)
    if system_at is None:
        raise InputError("the record names no system", path=path, line=number)
    system = value.pop(names[system_at])
    segment_id = None if id_at is None else value.pop(names[id_at])
    nested = value.pop("scores", None) or {}
    if not isinstance(nested, dict):
        raise InputError("'scores' must be an object of names and numbers", path=path, line=number)
    value |= nested
    if "errors" in value:
        errors = value.pop("errors")
        if "score" in value:
            value["esa"] = value.pop("score")
        else:
            value["mqm"] = None if errors is None else _weigh(errors, path, number)
    return Record(number, str(system), None if segment_id is None else str(segment_id), value)


def _weigh(errors: object, path: str, line: int) -> float:
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        raise InputError("'errors' must be a list of {start, end, severity, category}", path=path, line=line)
    spans = []
    for error in errors:
        score = error.get("score")
        if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
            raise InputError("the 'score' of an error must be a number", path=path, line=line)
        spans.append(ErrorSpan(0, 0, str(error.get("category", "")), str(error.get("severity", "")), score))
    try:
        return mqm_score(spans)
    except InputError as error:
        raise InputError(str(error), path=path, line=line) from None


def _csv(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    if separator == "\t":  # tab-separated files know no quotes
        return [(number, line.split("\t")) for number, line in enumerate(lines, start=1)]
    reader = csv.reader(lines, delimiter=separator)
    return [(reader.line_num, row) for row in reader]


def _find(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((i for wish in known for i, name in enumerate(names) if name.strip().lower() == wish), None)


def _checked(records: list[Record], path: str) -> list[Record]:
    if not records:
        raise InputError("no scores in it", path=path)
    with_id = [record for record in records if record.id is not None]
    if with_id and len(with_id) < len(records):
        line = next(record.line for record in records if record.id is None)
        raise InputError("no id, although other records have one", path=path, line=line)
    for record in records:
        if not record.system or record.id == "":
            raise InputError("the system or the id is empty", path=path, line=record.line)
    if not with_id:
        system, count = Counter(record.system for record in records).most_common(1)[0]
        if count > 1:
            raise InputError(
                f"{count} rows for system {system!r}, but no column 'id' to tell its segments apart",
                path=path,
            )
    return records
