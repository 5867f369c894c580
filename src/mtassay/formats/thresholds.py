"""Files of thresholds that were found for judges, as `mtassay meta calibrate` writes them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mtassay.errors import InputError
from mtassay.formats.suite.files import write_text
from mtassay.formats.text import FilePath, shown

__all__ = ["FoundThreshold", "read_thresholds", "write_thresholds"]

_KIND = "mtassay thresholds"


@dataclass(frozen=True, slots=True)
class FoundThreshold:
    """The threshold of one judge: outputs with this score, or a worse one, are called wrong.

    `threshold` is on the judge's own scale; `low_is_error` says that low scores are the bad ones.
    `parameters` are those of a method that follow from it, as alpha, and `quality` is the measure they are
    about. `known` says in words how well the judge
    does with it, and `origin` what it was found on.
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
    """One JSON object, whole or not at all."""
    record = {"kind": _KIND, "thresholds": [asdict(entry) for entry in thresholds]}
    write_text(path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def read_thresholds(path: FilePath) -> dict[str, FoundThreshold]:
    """By the name of the judge; an `InputError` says what is wrong with the file."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no such file", path=shown(path)) from None
    except (OSError, ValueError, RecursionError):
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
