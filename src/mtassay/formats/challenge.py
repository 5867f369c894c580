"""Challenge sets, and the scores that metrics gave to them elsewhere."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.errors import InputError
from mtassay.formats.jsonl import json_objects
from mtassay.formats.suite.files import write_text
from mtassay.formats.text import FilePath, read_lines, shown

__all__ = [
    "SIDES",
    "ChallengePair",
    "SidedScores",
    "read_challenge",
    "read_challenge_scores",
    "write_challenge",
    "write_challenge_lines",
]


SIDES = ("correct", "incorrect")
"""The two outputs of a pair, in the order of all files that have a line for each."""

_REFUSAL = "this is no JSON object. A challenge set is made by 'mtassay suite challenge'"
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
    for number, record in json_objects(read_lines(path), shown(path), refusal=_REFUSAL):
        pair = _pair(record, shown(path), number)
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


def _pair(record: Mapping[str, Any], path: str, number: int) -> ChallengePair:
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


_HEADER = ["id", "side", "score"]


class SidedScores(NamedTuple):
    """One score per pair for either side, in the order of the pairs; nan where there is none."""

    correct: list[float]
    incorrect: list[float]


def read_challenge_scores(path: FilePath, pairs: Sequence[ChallengePair]) -> SidedScores:
    """The scores of a file, in one of two forms.

    A table with the header `id`, `side`, `score` (tab-separated; `side` is correct or incorrect) in any
    order; a row that is not there means no score. Or one score a line and nothing else, two lines for each
    pair in the order of the challenge set: the correct output, then the incorrect one. An empty score, or
    nan, means none.
    """
    lines = read_lines(path)
    if "\t" in lines[0]:
        return _from_table(lines, shown(path), pairs)
    if len(lines) != 2 * len(pairs):
        raise InputError(
            f"{len(lines):,} lines, but {len(pairs):,} pairs need {2 * len(pairs):,}: two each, "
            "the correct output first",
            path=shown(path),
        )
    scores = [_score(line, shown(path), number) for number, line in enumerate(lines, 1)]
    return SidedScores(scores[::2], scores[1::2])


def _from_table(lines: Sequence[str], path: str, pairs: Sequence[ChallengePair]) -> SidedScores:
    header = [name.strip().lower() for name in lines[0].split("\t")]
    if sorted(header) != sorted(_HEADER):
        raise InputError(f"the columns must be {', '.join(_HEADER)}", path=path, line=1)
    places = {pair.id: place for place, pair in enumerate(pairs)}
    scores = {side: [math.nan] * len(pairs) for side in SIDES}
    scored: set[tuple[str, str]] = set()
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} columns, expected {len(header)}", path=path, line=number)
        row = dict(zip(header, cells, strict=True))
        key = (row["id"], row["side"].strip().lower())
        if key[0] not in places:
            raise InputError(f"no pair has the id '{key[0]}'", path=path, line=number)
        if key[1] not in SIDES:
            raise InputError(f"the side is '{row['side']}', not correct or incorrect", path=path, line=number)
        if key in scored:
            raise InputError(f"a second score of '{key[0]}', {key[1]}", path=path, line=number)
        scored.add(key)
        scores[key[1]][places[key[0]]] = _score(row["score"], path, number)
    return SidedScores(scores["correct"], scores["incorrect"])


def _score(text: str, path: str, line: int) -> float:
    if not text.strip():
        return math.nan
    try:
        score = float(text)
    except ValueError:
        raise InputError(f"'{text.strip()[:40]}' is no number", path=path, line=line) from None
    if math.isinf(score):
        raise InputError("an infinite score cannot be compared", path=path, line=line)
    return score
