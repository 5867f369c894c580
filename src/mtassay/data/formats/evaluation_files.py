"""Files to compare judges of outputs: flags of detectors, labels and thresholds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.jsonl import json_objects
from mtassay.data.formats.suite_files import write_text
from mtassay.data.formats.textfiles import FilePath, check_columns, check_file, load_json, read_lines, shown

_YES = frozenset({"1", "true", "yes"})
_NO = frozenset({"0", "false", "no", ""})


class FlagRow(NamedTuple):
    """One pair that a detector names. `is_flagged` is `None` if the file does not say."""

    id: str
    system: str
    score: float | None
    is_flagged: bool | None
    line: int


class LabelRow(NamedTuple):
    """A label of one pair, unchanged."""

    id: str
    system: str
    label: str
    line: int


def read_flags(path: FilePath) -> list[FlagRow]:
    """Read rows of `id`, with `system`, `score` and `flagged` if the file has them; no pair twice.

    Without a header the columns are id and score.
    """
    rows = []
    for line, record in _records(path, ("id", "score")):
        flagged = _text(record, "flagged").lower()
        if "flagged" in record and flagged not in _YES | _NO:
            raise InputError(f"'flagged' is {flagged!r}. Write 1 or 0", path=shown(path), line=line)
        rows.append(
            FlagRow(
                _id(record, path, line),
                _text(record, "system"),
                _flag_score(record, path, line),
                flagged in _YES if "flagged" in record else None,
                line,
            )
        )
    _refuse_twice(rows, path)
    return rows


def read_labels(path: FilePath) -> list[LabelRow]:
    """Read rows of `id` and `label`, with `system` if the file has it; an empty label is no label.

    Without a header the id is first and the label last, as in the critical errors of MLQE-PE.
    """
    rows = []
    for line, record in _records(path, ("id", "label")):
        if "label" not in record:
            raise InputError("there is no 'label'. Needed: id, label", path=shown(path), line=line)
        rows.append(LabelRow(_id(record, path, line), _text(record, "system"), _text(record, "label"), line))
    _refuse_twice(rows, path)
    return rows


def is_review_file(path: FilePath) -> bool:
    """Whether the file contains reviews, which have an answer and the texts it is about."""
    if not str(path).removesuffix(".gz").endswith((".tsv", ".jsonl")):
        return False
    first = read_lines(path)[0]
    if first.lstrip().startswith("{"):
        try:
            return {"answer", "case_id"} <= set(load_json(first))
        except ValueError:
            return False
    return {"answer", "case_id"} <= set(first.lower().split("\t"))


def _records(path: FilePath, plain: tuple[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records with their line numbers; `plain` names the first and the last column without a header."""
    lines = read_lines(path)
    if lines[0].lstrip().startswith("{"):
        yield from json_objects(lines, shown(path), refusal="this is no JSON object")
        return
    header = [cell.strip().lower() for cell in lines[0].split("\t")]
    named = "id" in header
    if named:
        check_columns(header, path)
    for number, line in enumerate(lines[1:] if named else lines, 2 if named else 1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} columns, expected {len(header)}", path=shown(path), line=number)
        if named:
            yield number, dict(zip(header, cells, strict=True))
        else:
            yield number, {plain[0]: cells[0]} | ({plain[1]: cells[-1]} if len(cells) > 1 else {})


def _id(record: Mapping[str, Any], path: FilePath, line: int) -> str:
    name = _text(record, "id")
    if not name:
        raise InputError("there is no 'id'", path=shown(path), line=line)
    return name


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value is None else str(value).strip()


def _flag_score(record: Mapping[str, Any], path: FilePath, line: int) -> float | None:
    text = _text(record, "score")
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"the score {text[:40]!r} is no number", path=shown(path), line=line)
    return score


def _refuse_twice(rows: Sequence[FlagRow | LabelRow], path: FilePath) -> None:
    lines: dict[tuple[str, str], int] = {}
    for row in rows:
        first = lines.setdefault((row.id, row.system), row.line)
        if first != row.line:
            what = f"'{row.id}' is on line {first} already. Add a column 'system', or keep one of them"
            raise InputError(what, path=shown(path), line=row.line)


_KIND = "mtassay thresholds"


@dataclass(frozen=True, slots=True)
class FoundThreshold:
    """The threshold of one judge: outputs with this score or a worse one are wrong.

    `threshold` is on the judge's own scale; `low_is_error` means that low scores are bad. `parameters` are
    parameters of a method that follow from it, such as alpha, and `quality` is the measure they concern.
    `known` says in words how good the judge is with it, and `origin` names the data that gave it.
    """

    judge: str
    threshold: float
    low_is_error: bool
    wished: float
    parameters: Mapping[str, float] = field(default_factory=dict)
    quality: str = ""
    known: str = ""
    origin: str = ""


def write_thresholds(path: Path, thresholds: Sequence[FoundThreshold]) -> None:
    """Write one JSON object, whole or not at all."""
    record = {"kind": _KIND, "thresholds": [asdict(entry) for entry in thresholds]}
    write_text(path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def read_thresholds(path: FilePath) -> dict[str, FoundThreshold]:
    """Read thresholds by the name of the judge; an `InputError` says what is wrong with the file."""
    try:
        check_file(path)
        record = load_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no such file", path=shown(path)) from None
    except (OSError, ValueError):
        raise InputError("this is no file that 'mtassay meta calibrate' wrote", path=shown(path)) from None
    entries = record.get("thresholds") if isinstance(record, dict) and record.get("kind") == _KIND else None
    if not isinstance(entries, list) or not entries:
        what = "there are no thresholds in it. 'mtassay meta calibrate -o FILE' writes some"
        raise InputError(what, path=shown(path))
    return {entry.judge: entry for entry in (_entry(record, path) for record in entries)}


def _entry(record: Any, path: FilePath) -> FoundThreshold:
    try:
        parameters = {str(name): float(value) for name, value in record["parameters"].items()}
        found = FoundThreshold(
            str(record["judge"]),
            float(record["threshold"]),
            bool(record["low_is_error"]),
            float(record["wished"]),
            parameters,
            str(record.get("quality", "")),
            str(record.get("known", "")),
            str(record.get("origin", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        what = "a threshold lacks judge, threshold, low_is_error, wished or parameters"
        raise InputError(what, path=shown(path)) from None
    if not all(map(math.isfinite, (found.threshold, found.wished, *parameters.values()))):
        raise InputError(f"the threshold of '{found.judge}' is no number", path=shown(path))
    return found
