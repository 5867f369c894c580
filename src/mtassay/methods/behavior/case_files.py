"""Reads and writes files of behavioural cases and of outputs: JSONL, or TSV with the same columns.

A case is `{id, capability, source, reference, edited_source, pseudo_reference, edit}`, and its outputs are
`{id, output, edited_output}`. If a file does not name the edit, the texts are compared to find it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from os import PathLike
from typing import Any, TextIO

from mtassay.data.errors import InputError
from mtassay.data.formats.jsonl import json_objects, write_jsonl
from mtassay.data.formats.segment_files import join, read_references, read_stream
from mtassay.data.formats.tables import Stream
from mtassay.data.formats.textfiles import (
    FilePath,
    check_characters,
    load_json,
    read_bytes,
    shown,
    split_lines,
)
from mtassay.data.languages import Pair, name_of
from mtassay.data.marks import plural
from mtassay.data.nouns import EDITED, Edit, RunContext, Segment, apply_edits
from mtassay.methods.behavior.pairs import BehaviorCase, edited_id, segments_of
from mtassay.nlp.identification import foreign_language, same_as, tokenization_of

_TEXTS = ("id", "capability", "source", "reference", "edited_source", "pseudo_reference")


def read_cases(path: FilePath) -> list[BehaviorCase]:
    """Read the cases of a file in order; it must have at least one, and no id twice.

    If `edit` is missing or has another form, the edit is computed from the differences of the two sources and
    of the two references. If the references have a different number of differences, the rest was adapted and
    the edit of the reference is unclear.
    """
    cases: dict[str, BehaviorCase] = {}
    for line, record in _records(path):
        case = _case(record, shown(path), line)
        if case.id in cases:
            raise InputError(f"two cases have the id '{case.id}'", path=shown(path), line=line)
        cases[case.id] = case
    if not cases:
        raise InputError("there is no case in it", path=shown(path))
    return list(cases.values())


def write_cases(where: FilePath | TextIO, cases: Iterable[BehaviorCase]) -> None:
    """One JSON record per case."""
    write_jsonl(where, map(case_record, cases))


def case_record(case: BehaviorCase) -> dict[str, Any]:
    """Convert a case to a JSON record; `edit` has the changes of the source and of the reference."""
    record: dict[str, Any] = {key: getattr(case, key) for key in _TEXTS}
    record["edit"] = {
        "source": [_edit_record(edit) for edit in case.changes],
        "reference": [_edit_record(edit) for edit in case.reference_changes],
    }
    record["segment"] = case.segment_id
    if case.provenance:
        record["provenance"] = dict(case.provenance)
    return record


def _edit_record(edit: Edit) -> dict[str, Any]:
    """Return an edit in the form that files have."""
    return {"start": edit.start, "end": edit.end, "before": edit.before, "after": edit.after}


def read_outputs(path: FilePath) -> dict[str, str | None]:
    """Read outputs by segment id: the case's id for its original, and with `/edited` for its edit.

    Records are `{id, output, edited_output}`, or `{id, output}` with both ids. `None` means that the system
    gave no output; cases that the file does not name are absent.
    """
    outputs: dict[str, str | None] = {}
    for line, record in _records(path):
        name = _text(record, "id", shown(path), line)
        texts_by_id = {
            key: None if record[column] is None else _text(record, column, shown(path), line)
            for key, column in ((name, "output"), (edited_id(name), "edited_output"))
            if column in record
        }
        if not texts_by_id:
            what = "there is neither 'output' nor 'edited_output'. Needed: id, output, edited_output"
            raise InputError(what, path=shown(path), line=line)
        for key, text in texts_by_id.items():
            if key in outputs:
                raise InputError(f"two outputs have the id '{key}'", path=shown(path), line=line)
            outputs[key] = text
    if not outputs:
        raise InputError("there is no output in it", path=shown(path))
    return outputs


def read_outputs_of(ids: Collection[str], path: FilePath, context: RunContext) -> dict[str, str | None]:
    """Read outputs for cases with these ids; report outputs of others, since a case without is skipped."""
    outputs = read_outputs(path)
    strange = list(dict.fromkeys(key.removesuffix(EDITED) for key in outputs if key not in ids))
    if not any(key in ids for key in outputs):
        raise InputError(f"no case has the id '{strange[0]}', nor any other id in it", path=path)
    if strange:
        context.note(f"{path}: {plural(len(strange), 'unknown case')} left out, the first '{strange[0]}'")
    return outputs


def read_material(source: Any, reference: Any, pair: Pair, context: RunContext) -> list[Segment]:
    """Read a parallel text from files or lists of texts; without a reference, both sides of cases.

    The input is a file of cases or plain segments. Texts in another language are reported, and two sides that
    seem to be swapped are an error.
    """
    if reference is None:
        if isinstance(source, str | PathLike):
            segments = [segment for case in read_cases(source) for segment in segments_of(case)]
            names = f"the source text of {source}", f"the reference text of {source}"
        else:
            segments, names = list(source), ("the source text", "the reference text")
    else:
        references = (
            read_references(reference, pair=pair)
            if isinstance(reference, str | PathLike)
            else [Stream("the reference", list(reference), None)]
        )
        first = (
            read_stream(source, role="source", pair=pair)
            if isinstance(source, str | PathLike)
            else Stream("the source", list(source), None)
        )
        segments, names = join(first, references), (first.path, references[0].path)
    codes = _other_languages(segments, pair)
    is_swapped = codes[0] in same_as(pair.target.code) and codes[1] in same_as(pair.source.code)
    if reference is not None and is_swapped:
        raise InputError(
            f"{names[0]} reads as {pair.target.name} and {names[1]} as {pair.source.name}: "
            "are `source` and `references` swapped, or the two languages of `langpair`?"
        )
    sides = [s.source for s in segments], [text for s in segments for text in s.references[:1]]
    for name, language, other, texts in zip(names, (pair.source, pair.target), codes, sides, strict=True):
        if other:
            context.note(f"{name} reads as {name_of(other)}, not {language.name}")
        if sign := tokenization_of(texts):
            context.note(sign.told_of(name, len(texts)))
    return segments


def _case(record: Mapping[str, Any], path: str, line: int) -> BehaviorCase:
    texts = {key: _text(record, key, path, line) for key in _TEXTS}
    if texts["id"].endswith(EDITED):
        raise InputError(f"an id may not end in '{EDITED}', which names its edit", path=path, line=line)
    provenance = record.get("provenance") or {}
    if not isinstance(provenance, dict):
        raise InputError("'provenance' must be an object", path=path, line=line)
    segment = record.get("segment")
    case = BehaviorCase(
        **texts,
        segment_id=texts["id"] if segment is None or segment == "" else str(segment),
        changes=_changes(record.get("edit"), "source", texts["source"], path, line),
        reference_changes=_changes(record.get("edit"), "reference", texts["reference"], path, line),
        provenance=provenance,
    )
    if case.changes and apply_edits(case.source, case.changes) != case.edited_source:
        raise InputError("'edit' does not make 'edited_source' of 'source'", path=path, line=line)
    return case if case.changes else _with_differences(case)


def _with_differences(case: BehaviorCase) -> BehaviorCase:
    changes = changes_between(case.source, case.edited_source)
    reference_changes = case.reference_changes or changes_between(case.reference, case.pseudo_reference)
    are_reliable = bool(case.reference_changes) or len(reference_changes) == len(changes)
    return replace(case, changes=changes, reference_changes=reference_changes if are_reliable else ())


def _changes(edit: Any, side: str, text: str, path: str, line: int) -> tuple[Edit, ...]:
    """Read the changes of one side, which must be in order and at the given places.

    Cases from other tools may describe edits differently, in words or lists; then the texts are compared.
    """
    records = edit.get(side) if isinstance(edit, dict) else None
    if not isinstance(records, list) or not all(isinstance(change, dict | list) for change in records):
        return ()
    changes = []
    done = 0
    for record in records:
        try:
            change = Edit(**record) if isinstance(record, dict) else Edit(*record)
            fits = text[change.start : change.end] == change.before and isinstance(change.after, str)
        except TypeError:
            fits = False
        if not fits or change.start < done:
            what = f"'edit' of the {side} must be changes {{start, end, before, after}} in order"
            raise InputError(f"{what}, where 'before' is in the {side}", path=path, line=line)
        changes.append(change)
        done = change.end
    return tuple(changes)


def _text(record: Mapping[str, Any], key: str, path: str, line: int) -> str:
    if key not in record:
        raise InputError(f"'{key}' is missing", path=path, line=line)
    value = record[key]
    if key == "id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or (key in ("id", "capability") and not value):
        raise InputError(f"'{key}' must be a text", path=path, line=line)
    return value


def _records(path: FilePath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read the records with their line numbers; a file that does not begin with `{` is a table."""
    name = shown(path)
    lines = split_lines(read_bytes(path), name)
    if not lines[0].lstrip().startswith("{"):
        yield from _rows(lines, name)
        return
    yield from json_objects(lines, name, refusal="this is no JSON object")


def _rows(lines: Sequence[str], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    columns = [column.strip() for column in lines[0].split("\t")]
    if "id" not in columns:
        what = "the file must hold JSON records, or begin with the names of its columns: id, …"
        raise InputError(what, path=path, line=1)
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
        record: dict[str, Any] = dict(zip(columns, cells, strict=True))
        for key in ("edit", "provenance"):
            if record.get(key):
                record[key] = _cell(record[key], key, path, number)
        yield number, record


def _cell(text: str, key: str, path: str, line: int) -> Any:
    try:
        value = load_json(text)
        check_characters(value if "\\u" in text else None)
        return value
    except ValueError:
        if key == "edit":
            return text
        raise InputError(f"'{key}' must be JSON, or empty", path=path, line=line) from None


# A character of a script without spaces is a word of its own.
_PIECE = re.compile(r"[⺀-鿿가-힯豈-﫿]|[^\W⺀-鿿가-힯豈-﫿]+|\s+|.", re.DOTALL)


def changes_between(before: str, after: str) -> tuple[Edit, ...]:
    """The edits that turn `before` into `after`, in order, by whole words (characters in Chinese, Japanese).

    Edits with only a space between them are joined.

    >>> changes_between("A small dog barks", "A very young cat barks")
    (Edit(start=2, end=11, before='small dog', after='very young cat', pos=''),)
    """
    pieces, others = _PIECE.findall(before), _PIECE.findall(after)
    starts, other_starts = _starts(pieces), _starts(others)
    hunks: list[tuple[int, int, int, int]] = []
    for kind, i, j, k, m in SequenceMatcher(None, pieces, others, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        hunk = (starts[i], starts[j], other_starts[k], other_starts[m])
        if hunks and before[hunks[-1][1] : hunk[0]].isspace():
            hunk = (hunks[-1][0], hunk[1], hunks[-1][2], hunk[3])
            hunks.pop()
        hunks.append(hunk)
    return tuple(Edit(i, j, before[i:j], after[k:m]) for i, j, k, m in hunks)


def _starts(pieces: Sequence[str]) -> list[int]:
    starts, place = [], 0
    for piece in pieces:
        starts.append(place)
        place += len(piece)
    return [*starts, place]


def _other_languages(segments: Sequence[Segment], pair: Pair) -> tuple[str, str]:
    """The languages of the sources and references, if they certainly differ from the language pair."""
    references = [text for segment in segments for text in segment.references[:1]]
    return (
        foreign_language([segment.source for segment in segments], pair.source.code),
        foreign_language(references, pair.target.code),
    )
