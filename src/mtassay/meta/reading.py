"""Reads files of scores: mt-metrics-eval, tables with a header, JSON Lines, error spans."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from mtassay.errors import InputError
from mtassay.formats import ErrorSpan, read_lines
from mtassay.formats.mtme import Scores, read_ratings, read_scores
from mtassay.meta.columns import ScoreColumn
from mtassay.meta.mqm import mqm_score
from mtassay.meta.records import MISSING, Record, delimited_records, json_records

_BOOKKEEPING = {
    *("n", "n.all", "count", "line", "rater", "annotator", "user", "login", "doc", "document", "docid"),
    *("doc_id", "domain", "src", "source", "ref", "reference", "tgt", "target", "output", "mt", "hypothesis"),
}
"""Columns that may hold numbers and yet are no scores; `--human` can still ask for one."""


def read_score_file(path: str, *, ids: Sequence[str], wanted: Sequence[str] = ()) -> list[ScoreColumn]:
    """All scores in a file, one column for each name; `wanted` are names to take even if they look odd.

    `ids` are those of the segments, for files that know them by position only; without, positions from 1
    are the ids. Several ratings of one translation are averaged.
    """
    lines = read_lines(path)
    first = lines[0]
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
    return column_from_scores(name, scores, ids)


def column_from_scores(name: str, scores: Scores, ids: Sequence[str]) -> ScoreColumn:
    """Scores for each segment, by position."""
    return ScoreColumn(
        name, by_segment={system: dict(zip(ids, column, strict=True)) for system, column in scores.items()}
    )


def _is_plain(line: str) -> bool:
    """Whether this is a line `SYSTEM SCORE` rather than a header."""
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
    """How many lines each system should have: one, or one per segment."""
    most = max(Counter(line.split(None, 1)[0] if line.strip() else "" for line in lines).values())
    return 1 if most == 1 else len(ids) or most


def _positions(count: int) -> list[str]:
    return [str(i) for i in range(1, count + 1)]


def _name(path: str) -> str:
    """What the scores of a file are called that does not say: `en-de.mqm.seg.score` holds `mqm`."""
    name = re.sub(r"(\.(sys|seg|doc|domain))?\.(score|rating|txt|tsv|csv)$", "", Path(path).name)
    return re.sub(r"^[a-z]{2,3}-[a-z]{2,3}\.", "", name) or name


def _from_records(records: list[Record], path: str, wanted: Sequence[str]) -> list[ScoreColumn]:
    per_segment = records[0].id is not None
    columns = []
    for name in dict.fromkeys(name for record in records for name in record.values):
        if not _holds_scores(name, records, wanted):
            continue
        ratings: dict[tuple[str, str], list[float]] = {}
        for record in records:
            cell = ratings.setdefault((record.system, record.id or ""), [])
            score = _score(record, name, path)
            cell += [] if score is None else [score]
        scores = {key: fmean(cell) if cell else None for key, cell in ratings.items()}
        if per_segment:
            by_segment: dict[str, dict[str, float | None]] = {}
            for (system, segment_id), score in scores.items():
                by_segment.setdefault(system, {})[segment_id] = score
            columns.append(ScoreColumn(name, by_segment=by_segment))
        else:
            columns.append(
                ScoreColumn(name, by_system={system: score for (system, _), score in scores.items()})
            )
    if not columns:
        raise InputError("no column holds numbers, so there are no scores", path=path)
    return columns


def _holds_scores(name: str, records: Sequence[Record], wanted: Sequence[str]) -> bool:
    """A wished column, or one whose first rating is a number."""
    if name.lower() in {wish.lower() for wish in wanted}:
        return True
    if name.lower() in _BOOKKEEPING:
        return False
    values = (record.values.get(name) for record in records)
    first = next((value for value in values if not _is_missing(value)), None)
    return first is not None and not isinstance(first, bool) and _is_number(first)


def _score(record: Record, name: str, path: str) -> float | None:
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
