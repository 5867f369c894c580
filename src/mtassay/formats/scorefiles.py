"""Score and rating files of mt-metrics-eval: one line per system and unit, grouped by system."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.errors import InputError
from mtassay.formats.text import read_lines

Scores = dict[str, list[float | None]]
"""For each system one score per unit, in the order of the units. `None` means unrated, which is not 0."""


class ErrorSpan(NamedTuple):
    """One error that a person marked: characters `start` to `end` (exclusive) of the output.

    With `is_source_error` they are characters of the source. `score` is the weight of the error:
    higher is worse, `None` where nobody gave one.
    """

    start: int
    end: int
    category: str
    severity: str
    score: float | None = None
    is_source_error: bool = False


def read_scores(path: Path, *, units: int) -> Scores:
    """The scores of a file with lines `SYSTEM SCORE`, which must have `units` lines for each system."""
    scores: Scores = {}
    for number, (system, score) in _rows(path, "SYSTEM<TAB>SCORE"):
        scores.setdefault(system, []).append(_score(score, path, number))
    _check_units(scores, units, path)
    return scores


def read_domain_scores(path: Path, *, domains: Sequence[str]) -> Scores:
    """The scores of a file with lines `DOMAIN SYSTEM SCORE`, in the order of `domains`."""
    scores: Scores = {}
    filled: set[tuple[str, str]] = set()
    for number, (domain, system, score) in _rows(path, "DOMAIN<TAB>SYSTEM<TAB>SCORE"):
        if domain not in domains:
            known = ", ".join(domains) or "none"
            raise InputError(
                f"domain {domain!r} is not among the documents'. Those: {known}", path=path, line=number
            )
        if (domain, system) in filled:
            raise InputError(f"a second score of {system!r} for {domain!r}", path=path, line=number)
        filled.add((domain, system))
        row = scores.setdefault(system, [None] * len(domains))
        row[domains.index(domain)] = _score(score, path, number)
    return scores


def read_ratings(path: Path, *, units: int) -> dict[str, list[list[ErrorSpan] | None]]:
    """For each system one list of errors per segment: empty is free of errors, `None` is unrated."""
    ratings: dict[str, list[list[ErrorSpan] | None]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        system, tab, rest = line.partition("\t")
        if not tab:
            raise InputError("expected SYSTEM<TAB>RATING", path=path, line=number)
        # Some files name the rater in a third column.
        ratings.setdefault(system, []).append(_errors(rest.partition("\t")[0], path, number))
    _check_units(ratings, units, path)
    return ratings


def _rows(path: Path, shape: str) -> list[tuple[int, list[str]]]:
    width = shape.count("<TAB>") + 1
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) != width:
            raise InputError(f"expected {shape}", path=path, line=number)
        rows.append((number, cells))
    return rows


def _check_units(values: dict[str, list[Any]], units: int, path: Path) -> None:
    for system, column in values.items():
        if len(column) != units:
            raise InputError(f"{len(column)} lines for system {system!r}, expected {units}", path=path)


def _score(text: str, path: Path, line: int) -> float | None:
    if text.strip() == "None":
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{text!r} is neither a number nor None", path=path, line=line)
    return score


def _errors(text: str, path: Path, line: int) -> list[ErrorSpan] | None:
    if text.strip() in ("None", "null"):
        return None
    try:
        rating = json.loads(text)
        errors = rating["errors"] if isinstance(rating, dict) else rating
        return [_error(error) for error in errors]
    except (ValueError, KeyError, TypeError, RecursionError):
        expected = '{"errors": [{"start", "end", "category", "severity", "score"}]}, or None'
        raise InputError(f"not a rating, which is {expected}", path=path, line=line) from None


def _error(error: Any) -> ErrorSpan:
    start, end, score = error["start"], error["end"], error.get("score")
    if not (type(start) is int and type(end) is int and 0 <= start <= end):
        raise ValueError("span")
    return ErrorSpan(
        start,
        end,
        str(error["category"]),
        str(error["severity"]),
        None if score is None else float(score),
        bool(error.get("is_source_error", False)),
    )
