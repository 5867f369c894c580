"""Scores that a metric of somebody else gave to the outputs of a challenge set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from mtassay.errors import InputError
from mtassay.formats.challenge import SIDES, ChallengePair
from mtassay.formats.text import FilePath, read_lines, shown

__all__ = ["SidedScores", "read_challenge_scores"]

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
    found = {side: [math.nan] * len(pairs) for side in SIDES}
    seen: set[tuple[str, str]] = set()
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
        if key in seen:
            raise InputError(f"a second score of '{key[0]}', {key[1]}", path=path, line=number)
        seen.add(key)
        found[key[1]][places[key[0]]] = _score(row["score"], path, number)
    return SidedScores(found["correct"], found["incorrect"])


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
