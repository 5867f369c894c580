"""Challenge sets for metrics: pairs of one correct and one incorrect output, one JSON record a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mtassay.errors import InputError
from mtassay.formats.suite.files import write_text
from mtassay.formats.text import FilePath, read_lines, shown

__all__ = ["SIDES", "ChallengePair", "read_challenge", "write_challenge", "write_challenge_lines"]

SIDES = ("correct", "incorrect")
"""The two outputs of a pair, in the order of all files that have a line for each."""

LINE_FILES = ("source.txt", "output.txt", "reference.txt")
"""What `write_challenge_lines` writes."""

_TEXTS = ("id", "item", "category", "phenomenon", "source", "correct", "incorrect")


@dataclass(frozen=True, slots=True)
class ChallengePair:
    """A correct and an incorrect output of one item; `reference` is another correct one, or `None`.

    `origin` says for "reference", "correct" and "incorrect" where the text is from: any of "token",
    "review", "reference" and "output:SYSTEM".
    """

    id: str
    item: str
    category: str
    phenomenon: str
    source: str
    reference: str | None
    correct: str
    incorrect: str
    langpair: str = ""
    origin: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_challenge(path: FilePath) -> list[ChallengePair]:
    """The pairs of a file in their order: at least one, and no id twice. Blank lines are skipped."""
    pairs: dict[str, ChallengePair] = {}
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        pair = _pair(line, shown(path), number)
        if pair.id in pairs:
            raise InputError(f"a second pair has the id '{pair.id}'", path=shown(path), line=number)
        pairs[pair.id] = pair
    if not pairs:
        raise InputError("there is no pair in it", path=shown(path))
    return list(pairs.values())


def write_challenge(path: Path, pairs: Iterable[ChallengePair]) -> None:
    """One record per pair, whole or not at all."""
    write_text(path, "".join(f"{json.dumps(asdict(pair), ensure_ascii=False)}\n" for pair in pairs))


def write_challenge_lines(folder: Path, pairs: Sequence[ChallengePair]) -> None:
    """The files that other people's metrics read: `source.txt`, `output.txt` and `reference.txt`.

    Two lines for each pair, in the order of the pairs: the correct output, then the incorrect one. Line
    breaks within a text become spaces. The reference of a pair that has none is an empty line.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", path=folder) from None
    columns = [
        [text for pair in pairs for text in (pair.source, pair.source)],
        [text for pair in pairs for text in (pair.correct, pair.incorrect)],
        [text for pair in pairs for text in (pair.reference or "", pair.reference or "")],
    ]
    for name, texts in zip(LINE_FILES, columns, strict=True):
        write_text(folder / name, "".join(f"{' '.join(text.splitlines())}\n" for text in texts))


def _pair(line: str, path: str, number: int) -> ChallengePair:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(
            "this is no JSON object. A challenge set is made by 'mtassay suite challenge'",
            path=path,
            line=number,
        )
    for key in _TEXTS:
        if not isinstance(record.get(key), str):
            raise InputError(f"'{key}' must be a text", path=path, line=number)
    for key in ("reference", "langpair"):
        if not isinstance(record.get(key), str | None):
            raise InputError(f"'{key}' must be a text or null", path=path, line=number)
    return ChallengePair(
        **{key: record[key] for key in _TEXTS},
        reference=record.get("reference"),
        langpair=record.get("langpair") or "",
        origin=_origin(record.get("origin"), path, number),
    )


def _origin(value: Any, path: str, number: int) -> dict[str, list[str]]:
    value = {} if value is None else value
    if not isinstance(value, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in value.values()
    ):
        raise InputError("'origin' must hold a list of texts for each side", path=path, line=number)
    return value
