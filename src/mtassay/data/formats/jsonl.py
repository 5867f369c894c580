"""JSON Lines: one record per line, ours, COMET's or MetricX's."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, TextIO

from mtassay.data.errors import InputError
from mtassay.data.formats.tables import EXPECTED, ColumnRole, FileTable, Format, TableBuilder, field_of
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    load_json,
    open_for_writing,
    split_lines,
)
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import json_text
from mtassay.data.nouns import Segment

PARTS = "_#_"
"""Separator in the document names of WMT25."""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")


# One decoder for all lines: making one takes longer than reading a record.
_DECODER = json.JSONDecoder(parse_constant=_refuse)


class JsonLines(Format):
    """One JSON object per line."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        """One row per record; with a `system` key, one record per segment and system.

        `null` and an absent key mean a missing text, `""` an empty text. Blank lines are skipped. If a file
        has several language pairs, such as WMT25's, only records of `pair` are read.
        """
        table: TableBuilder | None = None
        pairs = set()
        has_ids = False
        positions: Counter[str | None] = Counter()
        for number, line in enumerate(split_lines(data, path), start=1):
            if not line or line.isspace():
                continue
            record = _Record(_parse(line, path, number), path, number)
            if record.pair is not None:
                if pair is not None and record.pair != pair:
                    continue
                pairs.add(record.pair)
                if len(pairs) > 1:
                    raise record.error("the file has several language pairs: say which one, `langpair`")
            if table is None:
                has_ids = record.id is not None
                table = TableBuilder(path, says_missing=True, has_ids=has_ids)
            elif has_ids != (record.id is not None):
                raise record.error("all records must have an id, or none")
            positions[record.system] += 1
            row = table.row(
                record.id if record.id is not None else str(positions[record.system]),
                line=number,
                document=record.document,
                tags=record.tags,
                must_be_new=record.system is None,
            )
            for role, name, text in record.texts:
                is_output = role == "output"
                name = name or record.system or "" if is_output else name
                may_repeat = record.system is not None and not is_output
                table.put(row, role, text, line=number, name=name, may_repeat=may_repeat)
        if table is None:
            raise InputError("no records", path=path)
        built = table.build()
        if not built.columns:
            raise InputError(
                f"no record has a text. Known keys: id, {EXPECTED}, references, outputs", path=path
            )
        return built

    def recognises(self, start: bytes) -> bool:
        return re.match(rb'\s*\{\s*"', start) is not None


def json_objects(
    lines: Iterable[str], path: str, *, refusal: str = ""
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with any keys, each with its line number; blank lines are skipped.

    `refusal` is the error message for lines that are not objects; by default the exact fault.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = load_json(line)
        except ValueError:
            raise InputError(refusal or "this is not JSON", path=path, line=number) from None
        try:
            check_characters(record if "\\u" in line else None)
        except ValueError as error:
            raise InputError(str(error), path=path, line=number) from None
        if not isinstance(record, dict):
            what = refusal or "not a JSON object, which begins with {"
            raise InputError(what, path=path, line=number)
        yield number, record


def write_jsonl(where: FilePath | TextIO, records: Iterable[Mapping[str, Any] | Segment]) -> None:
    """Write one JSON object per line, in UTF-8. Segments are written as `read_test_set` reads them.

    JSON has no NaN and no infinity, so both are written as `null`.
    """
    with open_for_writing(where) as handle:
        for record in records:
            shown = segment_record(record) if isinstance(record, Segment) else dict(record)
            handle.write(f"{json_text(shown)}\n")


def segment_record(segment: Segment, *, outputs: Mapping[str, str | None] | None = None) -> dict[str, Any]:
    """A segment as a JSON record, without missing fields.

    >>> segment_record(Segment("7", "Hello", ("Hallo", None)), outputs={"A": "Hallo!"})
    {'id': '7', 'source': 'Hello', 'references': ['Hallo', None], 'outputs': {'A': 'Hallo!'}}
    """
    record: dict[str, Any] = {"id": segment.id}
    if segment.source is not None:
        record["source"] = segment.source
    if segment.references:
        record["references"] = list(segment.references)
    if segment.document is not None:
        record["document"] = segment.document
    if segment.tags:
        record["tags"] = dict(segment.tags)
    if outputs is not None:
        record["outputs"] = dict(outputs)
    return record


class _Record:
    """The values of one line, checked and sorted by kind."""

    def __init__(self, values: dict[str, Any], path: str, line: int) -> None:
        self.path, self.line = path, line
        self.id: str | None = None
        self.document: str | None = None
        self.system: str | None = None
        self.pair: Pair | None = None
        self.tags: dict[str, Any] = {}
        self.texts: list[tuple[ColumnRole, str, str | None]] = []
        if "src_text" in values and PARTS in str(values.get("doc_id")):
            values = self._of_wmt(values)
        for key, value in values.items():
            field = field_of(key)
            if key in ("references", "refs"):
                for i, text in enumerate(self._checked(value, list, key, "a list"), start=1):
                    self._add("reference", str(i), text, key)
            elif key == "outputs":
                for name, text in self._checked(value, dict, key, "an object").items():
                    self._add("output", name, text, key)
            elif key == "tags":
                self.tags.update(self._checked({} if value is None else value, dict, key, "an object"))
            elif field.role:
                self._add(field.role, field.name, value, key)
            elif field.kind == "tag":
                self.tags[key] = value
            elif field.kind == "id":
                self.id = self._label(value, key)
            elif field.kind == "document":
                self.document = self._label(value, key) or None
            else:
                self.system = self._label(value, key) or None

    def _of_wmt(self, values: dict[str, Any]) -> dict[str, Any]:
        """Convert a record of WMT25 to our keys; its `doc_id` is `en-de_DE_#_news_#_NAME_#_NUMBER`."""
        told, domain, *rest = values["doc_id"].split(PARTS)
        self.pair = parse_pair(told.partition("_")[0])
        texts = values.get("tgt_text") or {}
        references = [text for name, text in texts.items() if name.startswith("ref")]
        return {
            "id": values["doc_id"],
            "document": PARTS.join([told, domain, *rest[:1]]),
            "source": values["src_text"],
            **({"references": references} if references else {}),
            "outputs": {name: text for name, text in texts.items() if not name.startswith("ref")},
            "domain": domain,
        }

    def error(self, what: str) -> InputError:
        return InputError(what, path=self.path, line=self.line)

    def _add(self, role: ColumnRole, name: str, text: object, key: str) -> None:
        if text is not None and not isinstance(text, str):
            raise self.error(f"{key!r} must hold a string or null")
        self.texts.append((role, name, text))

    def _checked(self, value: Any, kind: type, key: str, expected: str) -> Any:
        if not isinstance(value, kind):
            raise self.error(f"{key!r} must be {expected}")
        return value

    def _label(self, value: object, key: str) -> str | None:
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"{key!r} must be a string or a whole number")
        return str(value)


def _parse(line: str, path: str, number: int) -> dict[str, Any]:
    try:
        record = load_json(line, _DECODER.decode)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} (column {error.colno})", path=path, line=number) from None
    except ValueError as error:
        raise InputError(f"not usable JSON: {error}", path=path, line=number) from None
    try:
        check_characters(record if "\\u" in line else None)
    except ValueError as error:
        raise InputError(str(error), path=path, line=number) from None
    if not isinstance(record, dict):
        raise InputError("not a JSON object, which begins with {", path=path, line=number)
    return record
