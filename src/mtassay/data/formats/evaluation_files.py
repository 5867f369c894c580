"""Challenge sets, and the scores that metrics gave to them elsewhere."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.jsonl import json_objects
from mtassay.data.formats.suite_files import write_text
from mtassay.data.formats.textfiles import FilePath, check_columns, check_file, load_json, read_lines, shown

SIDES = ("correct", "incorrect")
"""The two outputs of a pair, in the order of all files that have a line for each."""

_REFUSAL = "this is no JSON object. A challenge set is made by 'mtassay meta challenge SUITE -o FILE'"
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


_YES = frozenset({"1", "true", "yes"})
_NO = frozenset({"0", "false", "no", ""})


class FlagRow(NamedTuple):
    """One pair that a detector names. `is_flagged` is `None` where the file does not say."""

    id: str
    system: str
    score: float | None
    is_flagged: bool | None
    line: int


class LabelRow(NamedTuple):
    """What somebody says of one pair, word for word."""

    id: str
    system: str
    label: str
    line: int


def read_flags(path: FilePath) -> list[FlagRow]:
    """Rows of `id`, with `system`, `score` and `flagged` where the file has them; no pair twice.

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
    """Rows of `id` and `label`, with `system` where the file has it; an empty label is no label.

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
    """Whether the file holds reviews, which have an answer and the texts it is about."""
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
