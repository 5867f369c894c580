"""Reads scores by people or other programs, in the formats of the field, as columns."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.jsonl import json_objects
from mtassay.data.formats.test_sets import ErrorSpan, Scores, read_ratings, read_scores
from mtassay.data.formats.textfiles import load_json, not_csv, read_lines

NON_TRANSLATION = 25.0
MAJOR = 5.0
MINOR = 1.0
MINOR_PUNCTUATION = 0.1
_BY_SEVERITY = {"major": MAJOR, "minor": MINOR, "neutral": 0.0, "no-error": 0.0}
_FREE = ("source issue", "source error", "creative reinterpretation")


def mqm_score(errors: Iterable[ErrorSpan]) -> float:
    """Minus the sum of the errors' weights, so that higher is better and 0 is free of errors.

    An error with a `score` weighs that much. Otherwise a non-translation weighs 25, a major error 5, a
    minor one 1, minor punctuation 0.1. Neutral ones, faults of the source and creative reinterpretations
    weigh nothing.

    >>> mqm_score([ErrorSpan(0, 4, "accuracy/omission", "major"), ErrorSpan(9, 10, "Punctuation", "minor")])
    -5.1
    """
    return 0.0 - sum(weight(error) for error in errors)


def weight(error: ErrorSpan) -> float:
    """The weight of one error, 0 or more."""
    if error.score is not None:
        return error.score
    category = error.category.lower().replace("_", " ")
    severity = error.severity.lower()
    if severity not in _BY_SEVERITY:
        severities = ", ".join(_BY_SEVERITY)
        raise InputError(
            f"an error of severity {error.severity!r} has no weight. Known: {severities}; or give it a score"
        )
    if any(free in category for free in _FREE):
        return 0.0
    if "non-translation" in category.replace(" ", "-"):
        return NON_TRANSLATION
    if severity == "minor" and "punctuation" in category:
        return MINOR_PUNCTUATION
    return _BY_SEVERITY[severity]


MISSING = ("", "none", "na", "nan", "n/a", "null", "-")
_SYSTEM = ("system", "sys", "sysid", "system_id", "model")
_ID = ("id", "segment", "seg", "sid", "segid", "seg_id", "segment_id", "item")
_SOURCE = ("source", "src")
_RATERS = ("rater", "annotator", "user", "login")
_OUTPUT = ("output", "mt", "hypothesis", "translation", "tgt", "target")


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """One row; `id` is `None` in files of scores for whole systems or for texts.

    `texts` are the source and the output if the row has them; then it need not name a system. `errors` are
    the marked errors, if the row has their places.
    """

    line: int
    system: str
    id: str | None
    values: dict[str, Any]
    texts: tuple[str, str] | None = None
    errors: Sequence[ErrorSpan] | None = None


def delimited_records(lines: Sequence[str], path: str) -> list[ScoreRecord]:
    """Read rows under a header, with tabs, commas, semicolons or spaces between cells.

    Rows with a category and a severity are errors (WMT's MQM): their weights become a score `mqm`.
    """
    header = lines[0]
    separator = next((mark for mark in "\t,;" if mark in header), None)
    split = [(number, line.split()) for number, line in enumerate(lines, 1)]
    rows = _csv(lines, separator, path) if separator else split
    names = [name.strip() for name in rows[0][1]]
    system_at, id_at = _find(names, _SYSTEM), _find(names, _ID)
    text_at = [_find(names, _SOURCE), _find(names, _OUTPUT)]
    if system_at is None and None in text_at:
        raise InputError(
            "the first line must name the columns: system, id and the scores; or source, output and the "
            "scores",
            path=path,
            line=1,
        )
    records = []
    errors: dict[tuple[str, ...], tuple[ScoreRecord, list[ErrorSpan]]] = {}
    by_name = [name.lower() for name in names]
    for number, cells in rows[1:]:
        if not any(cells):
            continue
        if len(cells) != len(names):
            raise InputError(f"{len(cells)} cells, expected {len(names)}", path=path, line=number)
        values = {name: cells[i] for i, name in enumerate(names) if i not in (system_at, id_at)}
        segment_id = None if id_at is None or system_at is None else cells[id_at].strip()
        system = "" if system_at is None else cells[system_at].strip()
        source, output = ("" if at is None else cells[at] for at in text_at)
        texts = None if None in text_at else (source, output)
        record = ScoreRecord(number, system, segment_id, values, texts)
        if not {"category", "severity"} <= {*by_name}:
            records.append(record)
            continue
        # WMT's MQM: a row for each error, which is marked in the texts.
        own = dict(zip(by_name, cells, strict=True))
        plain = tuple(re.sub(r"</?v>", "", text) for text in (source, output))
        key = (system, segment_id or "", own.get("rater", ""), *plain)
        values = {"rater": own.get("rater", "")}
        first = replace(record, values=values, texts=(plain[0], plain[1]) if texts else None)
        _, marked = errors.setdefault(key, (first, []))
        marked.append(ErrorSpan(0, 0, own["category"], own["severity"]))
    for record, marked in errors.values():
        try:
            records.append(replace(record, values={**record.values, "mqm": mqm_score(marked)}))
        except InputError as error:
            raise InputError(str(error), path=path, line=record.line) from None
    return _checked(records, path)


def json_records(lines: Sequence[str], path: str) -> list[ScoreRecord]:
    """Read JSON Lines with `system`, `id` and scores; `errors` becomes a score.

    An object `scores` has more scores by name. In a record with `errors`, a `score` is the rating (ESA,
    called `esa`); without one, the errors are weighed (called `mqm`).
    """
    records = [_json_record(value, path, number) for number, value in json_objects(lines, path)]
    return _checked(records, path)


def comet_records(lines: Sequence[str], path: str) -> list[ScoreRecord]:
    """Read the output of `comet-score --to_json`: by file of outputs, each segment's texts and score."""
    try:
        systems = load_json("\n".join(lines))
    except ValueError as error:
        raise InputError(f"not JSON ({error})", path=path) from None
    records = []
    for file, rows in systems.items() if isinstance(systems, dict) else ():
        for number, row in enumerate(rows if isinstance(rows, list) else (), start=1):
            if not isinstance(row, dict):
                raise InputError(f"row {number} of {file!r} is no object", path=path)
            values = {name: value for name, value in row.items() if name != "errors"}
            records.append(ScoreRecord(number, Path(file).stem, str(number), values, _texts(row, list(row))))
    return _checked(records, path)


def _json_record(value: dict[str, Any], path: str, number: int) -> ScoreRecord:
    names = list(value)
    system_at, id_at = _find(names, _SYSTEM), _find(names, _ID)
    texts = _texts(value, names)
    if system_at is None and texts is None:
        raise InputError("the record names no system, nor a source and an output", path=path, line=number)
    system = "" if system_at is None else value.pop(names[system_at])
    segment_id = None if id_at is None or system_at is None else value.pop(names[id_at])
    nested = value.pop("scores", None) or {}
    if not isinstance(nested, dict):
        raise InputError("'scores' must be an object of names and numbers", path=path, line=number)
    value |= nested
    spans = None
    if "errors" in value:
        errors = value.pop("errors")
        spans = _spans(errors)
        if "score" in value:
            value["esa"] = value.pop("score")
        else:
            value["mqm"] = None if errors is None else _weigh(errors, path, number)
    segment = None if segment_id is None else str(segment_id)
    return ScoreRecord(number, str(system), segment, value, texts, spans)


def _spans(errors: object) -> list[ErrorSpan] | None:
    """The places of errors; `None` if one lacks a place."""
    spans = []
    for error in errors if isinstance(errors, list) else [None]:
        marked: dict[str, Any] = error if isinstance(error, dict) else {}
        start, end = marked.get("start"), marked.get("end")
        if type(start) is not int or type(end) is not int:
            return None
        spans.append(ErrorSpan(start, end, "", str(marked.get("severity", ""))))
    return spans


def _texts(value: Mapping[str, Any], names: Sequence[str]) -> tuple[str, str] | None:
    source_at, output_at = _find(names, _SOURCE), _find(names, _OUTPUT)
    if source_at is None or output_at is None:
        return None
    source, output = value[names[source_at]], value[names[output_at]]
    return (source, output) if isinstance(source, str) and isinstance(output, str) else None


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


def _csv(lines: Sequence[str], separator: str, path: str) -> list[tuple[int, list[str]]]:
    if separator == "\t":  # tab-separated files have no quotes
        return [(number, line.split("\t")) for number, line in enumerate(lines, start=1)]
    reader = csv.reader(lines, delimiter=separator)
    try:
        return [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError(not_csv(error), path=path, line=reader.line_num) from None


def _find(names: Sequence[str], words: Sequence[str]) -> int | None:
    return next((i for word in words for i, name in enumerate(names) if name.strip().lower() == word), None)


def _checked(records: list[ScoreRecord], path: str) -> list[ScoreRecord]:
    if not records:
        raise InputError("no scores in it", path=path)
    with_id = [record for record in records if record.id is not None]
    if with_id and len(with_id) < len(records):
        line = next(record.line for record in records if record.id is None)
        raise InputError("this record has no id, but other records have one", path=path, line=line)
    for record in records:
        if (not record.system and record.texts is None) or record.id == "":
            raise InputError("the system or the id is empty", path=path, line=record.line)
    if not any(name.lower() in _RATERS for name in records[0].values):
        lines: dict[tuple[str, str | None], int] = {}
        for record in with_id:
            first = lines.setdefault((record.system, record.id), record.line)
            if first != record.line:
                raise InputError(
                    f"segment {record.id!r} of system {record.system!r} has a score in line {first} already: "
                    "delete one, or name who gave them in a column 'rater'",
                    path=path,
                    line=record.line,
                )
    if not with_id and any(record.texts is None for record in records):
        system, count = Counter(record.system for record in records).most_common(1)[0]
        if count > 1:
            raise InputError(
                f"{count} rows for system {system!r}, but no column 'id' to tell its segments apart",
                path=path,
            )
    return records


_SUFFIX = re.compile(r"\.\d+$")
_Value = TypeVar("_Value")
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """Scores of systems, and of their segments by id. `None` and absence mean unrated, not 0.

    Either part may be empty. `by_text` has scores by system ("" if none is named), source and output, if the
    file has the texts; `spans` has the marked errors, if the file has their places.
    """

    name: str
    by_system: Mapping[str, float | None] = field(default_factory=dict)
    by_segment: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    by_text: Mapping[tuple[str, str, str], float | None] = field(default_factory=dict)
    spans: Mapping[str, Mapping[str, Sequence[ErrorSpan] | None]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def systems(self) -> list[str]:
        """All that are named, in order."""
        of_texts = dict.fromkeys(system for system, *_ in self.by_text if system)
        return list(dict.fromkeys([*self.by_system, *self.by_segment, *of_texts]))


def column_of(name: str, scores: Mapping[str, Any], ids: Sequence[str] = ()) -> ScoreColumn:
    """Scores not from a file: for each system a number, a list of numbers per segment, or numbers by id.

    `None` means unrated. Without `ids`, segments are called "1", "2" and so on.

    >>> column_of("mqm", {"A": [-1.0, None], "B": -3.5})  # doctest: +ELLIPSIS
    ScoreColumn(name='mqm', by_system={'B': -3.5}, by_segment={'A': {'1': -1.0, '2': None}}, ...)
    """
    by_system: dict[str, float | None] = {}
    by_segment: dict[str, Mapping[str, float | None]] = {}
    for system, values in scores.items():
        if values is None or isinstance(values, int | float):
            by_system[system] = values
        elif isinstance(values, Mapping):
            by_segment[system] = values
        elif ids and len(values) != len(ids):
            raise InputError(f"'{name}' has {len(values):,} scores of {system} for {len(ids):,} segments")
        else:
            by_segment[system] = dict(zip(ids or _positions(len(values)), values, strict=True))
    return ScoreColumn(name, by_system, by_segment)


def match_systems(theirs: Iterable[str], ours: Collection[str]) -> dict[str, str]:
    """Map names to our systems: the same name, or the one without a numeric suffix.

    WMT numbers its systems in files of human scores. Unmatched names are not in the result.

    >>> match_systems(["Online-Y.3", "HUMAN-B", "v1.2"], ["Online-Y", "v1.2", "v1"])
    {'Online-Y.3': 'Online-Y', 'v1.2': 'v1.2'}
    """
    theirs = list(theirs)
    exact = {name: name for name in theirs if name in ours}
    shortened = {name: _SUFFIX.sub("", name) for name in theirs if name not in exact}
    rest = {name: short for name, short in shortened.items() if short in ours and short not in exact}
    for name, short in rest.items():
        twin = next((other for other, twin in rest.items() if twin == short and other != name), None)
        if twin is not None:
            raise UsageError(f"Both {name!r} and {twin!r} could be the system {short!r}. Rename one.")
    return {name: (exact | rest)[name] for name in theirs if name in exact or name in rest}


def renamed(column: ScoreColumn, names: Mapping[str, str]) -> ScoreColumn:
    """The column with our names for its systems, without unknown systems."""

    def ours(part: Mapping[str, _Value]) -> dict[str, _Value]:
        return {names[name]: value for name, value in part.items() if name in names}

    by_system, by_segment, spans = ours(column.by_system), ours(column.by_segment), ours(column.spans)
    return replace(column, by_system=by_system, by_segment=by_segment, spans=spans)


def merged(columns: Iterable[ScoreColumn]) -> list[ScoreColumn]:
    """Join columns of the same name if one has the scores of systems and the other those of segments."""
    by_name: dict[str, ScoreColumn] = {}
    for column in columns:
        earlier = by_name.setdefault(column.name, column)
        if earlier is column:
            continue
        if (earlier.by_system and column.by_system) or (earlier.by_segment and column.by_segment):
            raise UsageError(f"Two files have scores called {column.name!r}. Rename one.")
        by_name[column.name] = ScoreColumn(
            column.name, earlier.by_system or column.by_system, earlier.by_segment or column.by_segment
        )
    return list(by_name.values())


def chosen(columns: Sequence[ScoreColumn], wanted: Sequence[str], *, what: str) -> list[ScoreColumn]:
    """The wanted columns, in the order wanted; all columns if none are named.

    Case does not matter, nor does WMT's suffix `.SCR`.
    """
    if not wanted:
        return list(columns)
    by_name = {column.name: column for column in columns}
    by_name |= {plain_name(column.name): column for column in reversed(columns)}
    missing = next((name for name in wanted if name not in by_name and plain_name(name) not in by_name), None)
    if missing is not None:
        names = ", ".join(column.name for column in columns) or "none"
        raise UsageError(f"No {what} called {missing!r}. Available: {names}.")
    picked = [by_name.get(name) or by_name[plain_name(name)] for name in wanted]
    return list({column.name: column for column in picked}.values())


def plain_name(name: str) -> str:
    """The form in which names are compared.

    >>> plain_name("Z.SCR")
    'z'
    """
    return name.lower().removesuffix(".scr")


_BOOKKEEPING = {
    *("n", "n.all", "count", "line", *_RATERS, "doc", "document", "docid"),
    *("doc_id", "domain", "ref", "reference", *_SOURCE, *_OUTPUT),
}
"""Columns that may contain numbers but are not scores; `--human` can still name one."""


def read_score_file(path: str, *, ids: Sequence[str], wanted: Sequence[str] = ()) -> list[ScoreColumn]:
    """Read all scores in a file, one column per name; `wanted` names are read even if they look odd.

    `ids` are the segments' ids, for files that have only positions; the default ids are positions from 1.
    Several ratings of one translation are averaged if a column names the raters.
    """
    lines = read_lines(path)
    first = lines[0]
    if path.endswith(".json"):
        return _from_records(comet_records(lines, path), path, wanted)
    if first.lstrip().startswith("{"):
        return _from_records(json_records(lines, path), path, wanted)
    second = first.split("\t", 1)[-1].strip()
    if "\t" in first and (second.startswith("{") or path.endswith(".rating")):
        return [_from_ratings(path, lines, ids)]
    if _is_plain(first):
        return [_from_pairs(path, lines, ids)]
    return _from_records(delimited_records(lines, path), path, wanted)


def column_from_ratings(
    name: str, ratings: dict[str, list[list[ErrorSpan] | None]], ids: Sequence[str], *, path: str
) -> ScoreColumn:
    """Error spans as MQM scores; `None` stays unrated."""
    try:
        scores = {
            system: [None if errors is None else mqm_score(errors) for errors in column]
            for system, column in ratings.items()
        }
    except InputError as error:
        raise InputError(str(error), path=path) from None
    spans = {system: dict(zip(ids, column, strict=True)) for system, column in ratings.items()}
    return replace(column_from_scores(name, scores, ids), spans=spans)


def column_from_scores(name: str, scores: Scores, ids: Sequence[str]) -> ScoreColumn:
    """Scores for each segment, by position."""
    return ScoreColumn(
        name, by_segment={system: dict(zip(ids, column, strict=True)) for system, column in scores.items()}
    )


def _is_plain(line: str) -> bool:
    """Whether a line is `SYSTEM SCORE`, not a header."""
    cells = line.split("\t") if "\t" in line else line.split()
    return len(cells) == 2 and (cells[1].strip() == "None" or _is_number(cells[1]))


def _from_pairs(path: str, lines: Sequence[str], ids: Sequence[str]) -> ScoreColumn:
    units = _units(lines, ids)
    scores = read_scores(Path(path), units=units)
    name = _name(path)
    if units == 1:
        return ScoreColumn(name, by_system={system: column[0] for system, column in scores.items()})
    return column_from_scores(name, scores, ids or _positions(units))


def _from_ratings(path: str, lines: Sequence[str], ids: Sequence[str]) -> ScoreColumn:
    units = len(ids) or _units(lines, ids)
    ratings = read_ratings(Path(path), units=units)
    return column_from_ratings(_name(path), ratings, ids or _positions(units), path=path)


def _units(lines: Sequence[str], ids: Sequence[str]) -> int:
    """The number of lines each system should have: one, or one per segment."""
    most = max(Counter(line.split(None, 1)[0] if line.strip() else "" for line in lines).values())
    return 1 if most == 1 else len(ids) or most


def _positions(count: int) -> list[str]:
    return [str(i) for i in range(1, count + 1)]


def _name(path: str) -> str:
    """The name of scores in a file that does not state it: `en-de.mqm.seg.score` has `mqm`."""
    name = re.sub(r"(\.(sys|seg|doc|domain))?\.(score|rating|txt|tsv|csv)$", "", Path(path).name)
    return re.sub(r"^[a-z]{2,3}-[a-z]{2,3}\.", "", name) or name


def _from_records(records: list[ScoreRecord], path: str, wanted: Sequence[str]) -> list[ScoreColumn]:
    columns = []
    for name in dict.fromkeys(name for record in records for name in record.values):
        if not _holds_scores(name, records, wanted):
            continue
        rated = [(record, _score(record, name, path)) for record in records]
        by_segment: dict[str, dict[str, float | None]] = {}
        for (system, segment_id), score in means(((r.system, r.id), s) for r, s in rated if r.id).items():
            by_segment.setdefault(system, {})[segment_id] = score
        whole = ((r.system, s) for r, s in rated if r.id is None and r.texts is None)
        texts = (((r.system, *r.texts), s) for r, s in rated if r.texts)
        spans: dict[str, dict[str, Sequence[ErrorSpan] | None]] = {}
        for record in records if name in ("mqm", "esa") else ():
            if record.id is not None and record.errors is not None:
                spans.setdefault(record.system, {})[record.id] = record.errors
        columns.append(ScoreColumn(name, means(whole), by_segment, means(texts), spans))
    if not columns:
        raise InputError("no column holds numbers, so there are no scores", path=path)
    return columns


def means(ratings: Iterable[tuple[_Key, float | None]]) -> dict[_Key, float | None]:
    """The mean of all ratings of one unit; `None` if nobody rated it."""
    cells: dict[_Key, list[float]] = {}
    for key, score in ratings:
        cells.setdefault(key, []).extend([] if score is None else [score])
    return {key: fmean(cell) if cell else None for key, cell in cells.items()}


def _holds_scores(name: str, records: Sequence[ScoreRecord], wanted: Sequence[str]) -> bool:
    """Whether a column is wanted by name, or its first rating is a number."""
    if name.lower() in {wish.lower() for wish in wanted}:
        return True
    if name.lower() in _BOOKKEEPING:
        return False
    values = (record.values.get(name) for record in records)
    first = next((value for value in values if not _is_missing(value)), None)
    return first is not None and not isinstance(first, bool) and _is_number(first)


def _score(record: ScoreRecord, name: str, path: str) -> float | None:
    value = record.values.get(name)
    if _is_missing(value):
        return None
    if isinstance(value, bool) or not _is_number(value):
        shown = json.dumps(value, ensure_ascii=False)
        raise InputError(f"{name!r} is {shown}, neither a number nor None", path=path, line=record.line)
    return float(value)  # type: ignore[arg-type]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING)


def _is_number(value: object) -> bool:
    try:
        return abs(float(value)) < float("inf")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
