"""Entities as offsets beside the text: JSON, or one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from mtassay.errors import InputError
from mtassay.formats.entities.records import Annotation, Reading, Span


def parse_jsonl(lines: Sequence[str], path: str) -> list[Annotation]:
    """One annotation per line that is not blank, in order."""
    annotations = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            record = _load(line, path, first_line=number)
            annotations.append(_annotation(record, path, line=number, which=""))
    return annotations


def parse_json(lines: Sequence[str], path: str) -> list[Annotation]:
    """One annotation per element of the list that the file holds."""
    records = _load("\n".join(lines), path, first_line=1)
    if not isinstance(records, list):
        raise InputError(
            "expected a list of objects; one object per line is JSONL, name such a file .jsonl", path=path
        )
    return [
        _annotation(record, path, line=None, which=f"record {number}: ")
        for number, record in enumerate(records, start=1)
    ]


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list, complete."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _load(text: str, path: str, *, first_line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", path=path, line=first_line + error.lineno - 1) from None
    except (ValueError, RecursionError):
        raise InputError("not JSON that can be read", path=path, line=first_line) from None


def _annotation(record: Any, path: str, *, line: int | None, which: str) -> Annotation:
    def wrong(what: str) -> InputError:
        return InputError(which + what, path=path, line=line)

    if not isinstance(record, dict) or not isinstance(record.get("entities"), list):
        raise wrong('expected an object with "entities", a list')
    text, identity, reference = record.get("text"), record.get("id"), record.get("reference", 0)
    if text is not None and not isinstance(text, str):
        raise wrong('"text" is not a string')
    if not _is_count(reference):
        raise wrong('"reference" is not a number counted from 0')
    if identity is not None and (isinstance(identity, bool) or not isinstance(identity, str | int)):
        raise wrong('"id" is neither a string nor a whole number')
    spans = []
    for problem, span in map(_span, record["entities"]):
        if problem or span is None:
            raise wrong(problem)
        if text is not None and span.end is not None and span.end > len(text):
            raise wrong(
                f"entity {span.start}–{span.end} ends after the text, which has {len(text)} characters"
            )
        spans.append(span)
    if text is not None:
        try:
            spans = list(locate(spans, text))
        except ValueError as error:
            raise wrong(str(error)) from None
    return Annotation(
        line,
        [Reading(text, spans)],
        id=None if identity is None else str(identity),
        reference=reference,
        note=which.rstrip(": "),
    )


def _span(entity: Any) -> tuple[str, Span | None]:
    """What is wrong, or the span."""
    if not isinstance(entity, dict):
        return "an entity is not an object", None
    kind = entity.get("type", entity.get("label"))
    if not isinstance(kind, str) or not kind.strip():
        return f'entity {json.dumps(entity, ensure_ascii=False)} has no "type"', None
    start, end, text = entity.get("start"), entity.get("end"), entity.get("text")
    if text is not None and (not isinstance(text, str) or not text.strip()):
        return f'entity {json.dumps(entity, ensure_ascii=False)} has an empty "text"', None
    if start is None and end is None and text is not None:
        return "", Span(kind, None, None, text)
    if not _is_count(start) or not _is_count(end) or not start < end:
        return f'entity {json.dumps(entity, ensure_ascii=False)} needs whole numbers "start" < "end"', None
    return "", Span(kind, start, end, text)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def locate(spans: Sequence[Span], text: str) -> Iterator[Span]:
    """The spans with offsets. One given by text alone is its next occurrence; `ValueError` where none is."""
    after: dict[str, int] = {}
    for span in spans:
        if span.start is None or span.end is None:
            assert span.text is not None
            start = text.find(span.text, after.get(span.text, 0))
            if start < 0:
                again = " again" if span.text in after else ""
                raise ValueError(f"entity {span.text!r} does not occur{again} in the text")
            after[span.text] = start + len(span.text)
            yield span._replace(start=start, end=start + len(span.text))
        elif span.text is not None and text[span.start : span.end] != span.text:
            raise ValueError(
                f"characters {span.start}–{span.end} are {text[span.start : span.end]!r}, not {span.text!r}"
            )
        else:
            yield span
