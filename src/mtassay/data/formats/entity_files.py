"""Puts annotation on the segments whose reference it annotates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from os import PathLike
from pathlib import PurePath

from mtassay.data.errors import InputError
from mtassay.data.formats.entity_markup import (
    Entity,
    MarkedSentence,
    MarkedSpan,
    carry_over,
    has_tags,
    is_json,
    locate,
    looks_like_iob,
    parse_inline,
    parse_iob,
    parse_json,
    parse_jsonl,
    without_space,
)
from mtassay.data.formats.textfiles import read_lines, shown
from mtassay.data.nouns import Segment

Parser = Callable[[Sequence[str], str], list[MarkedSentence]]

_IOB_NAMES = frozenset({".iob", ".iob2", ".bio", ".bioes", ".conll"})


def read_entities(
    path: str | PathLike[str], segments: Sequence[Segment], *, make_references: bool = False
) -> list[Segment]:
    """The segments, in order, with the entities of an annotation file attached.

    `tags["entities"]` is a tuple of `Entity`, by position; `tags["entities_reference"]` says which
    reference they stand in, counted from 0. A segment that the file does not annotate stays as it is,
    which differs from one annotated as having no entity.

    The annotated text must equal one of the segment's references up to white space. With
    `make_references`, a segment that has none gets the annotated text as its reference.
    """
    lines, name = read_lines(path), shown(path)
    parser = _parser(name, lines)
    annotations = parser(lines, name)
    attached = list(segments)
    for index, annotation in _assign(
        annotations, segments, name, gaps=parser is parse_iob and not make_references
    ):
        attached[index] = _attach(annotation, segments[index], name, make_references=make_references)
    return attached


def _parser(path: str, lines: Sequence[str]) -> Parser:
    suffix = PurePath(path.removesuffix(".gz")).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return parse_jsonl
    if suffix == ".json":
        return parse_json
    if suffix in _IOB_NAMES:
        return parse_iob
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{") and is_json(first):
        return parse_jsonl
    if first.lstrip().startswith("[") and is_json("\n".join(lines)):
        return parse_json
    if not any(map(has_tags, lines)) and looks_like_iob(lines):
        return parse_iob
    return lambda lines, _: parse_inline(lines)


def _assign(
    annotations: Sequence[MarkedSentence], segments: Sequence[Segment], path: str, *, gaps: bool
) -> list[tuple[int, MarkedSentence]]:
    """Which annotation belongs to which segment: by id where the file has ids, else by order.

    A format without empty sentences has `gaps`: it passes over segments whose references are all empty.
    """
    if any(annotation.id is not None for annotation in annotations):
        return _assign_by_id(annotations, segments, path)
    indices = [
        index for index, segment in enumerate(segments) if not gaps or any(map(_ink, segment.references))
    ]
    if len(annotations) != len(indices):
        raise InputError(
            f"{len(annotations)} annotated sentences for {len(indices)} segments;"
            " sentence 1 belongs to segment 1, and so on",
            path=path,
        )
    return list(zip(indices, annotations, strict=True))


def _assign_by_id(
    annotations: Sequence[MarkedSentence], segments: Sequence[Segment], path: str
) -> list[tuple[int, MarkedSentence]]:
    places = {segment.id: index for index, segment in enumerate(segments)}
    assigned: dict[int, MarkedSentence] = {}
    for annotation in annotations:
        if annotation.id is None:
            raise InputError("no id, although other records have one", path=path, line=annotation.line)
        if annotation.id not in places:
            raise InputError(f"no segment has the id {annotation.id!r}", path=path, line=annotation.line)
        if places[annotation.id] in assigned:
            raise InputError(f"segment {annotation.id!r} is annotated twice", path=path, line=annotation.line)
        assigned[places[annotation.id]] = annotation
    return sorted(assigned.items(), key=lambda item: item[0])


def _attach(annotation: MarkedSentence, segment: Segment, path: str, *, make_references: bool) -> Segment:
    text = annotation.readings[0].text
    if all(reference is None for reference in segment.references):
        if make_references and text is not None:
            segment = segment._replace(references=(text,))
        elif not text and not annotation.readings[0].spans:
            return segment
        else:
            raise InputError(
                f"segment {segment.id!r} has no reference to annotate", path=path, line=annotation.line
            )
    index, spans = _find_reference(annotation, segment, path)
    reference = segment.references[index]
    assert reference is not None
    entities: set[Entity] = set()
    for span in spans:
        if span.start is None or span.end is None or not reference[span.start : span.end].strip():
            raise InputError(f"an empty {span.type} entity", path=path, line=annotation.line)
        entities.add(Entity(reference[span.start : span.end], span.type, span.start, span.end))
    ordered = tuple(sorted(entities, key=lambda entity: (entity.start, -entity.end, entity.type)))
    tags = {"entities": ordered, "entities_reference": index, "entities_origin": "gold"}
    return segment._replace(tags={**segment.tags, **tags})


def _find_reference(
    annotation: MarkedSentence, segment: Segment, path: str
) -> tuple[int, Sequence[MarkedSpan]]:
    """Which reference the annotation is of, and its spans there."""
    if annotation.readings[0].text is None:
        return annotation.reference, _spans_of_reference(annotation, segment, path)
    for reading in annotation.readings:
        assert reading.text is not None
        for index, reference in enumerate(segment.references):
            if reference is not None and without_space(reference) == without_space(reading.text):
                return index, carry_over(reading.spans, reading.text, reference)
    raise InputError(_difference(annotation, segment), path=path, line=annotation.line)


def _spans_of_reference(annotation: MarkedSentence, segment: Segment, path: str) -> Sequence[MarkedSpan]:
    """Offsets that come without a text are taken at their word, as far as the reference reaches."""
    index = annotation.reference
    reference = segment.references[index] if index < len(segment.references) else None
    if reference is None:
        raise InputError(
            f"segment {segment.id!r} has no reference {index}, counted from 0",
            path=path,
            line=annotation.line,
        )
    for span in annotation.readings[0].spans:
        if span.end is not None and span.end > len(reference):
            what = f"entity {span.start}–{span.end} ends after the reference of segment {segment.id!r}"
            raise InputError(
                f"{what}, which has {len(reference)} characters", path=path, line=annotation.line
            )
    try:
        return list(locate(annotation.readings[0].spans, reference))
    except ValueError as error:
        raise InputError(f"segment {segment.id!r}: {error}", path=path, line=annotation.line) from None


def _difference(annotation: MarkedSentence, segment: Segment) -> str:
    """Where the annotated text leaves the reference that it follows longest."""
    text = annotation.readings[0].text or ""
    references = [reference for reference in segment.references if reference is not None]
    nearest = max(references, key=lambda reference: _common_ink(text, reference))
    ink = _common_ink(text, nearest)
    what = (
        f"the annotated text is no reference of segment {segment.id!r}:"
        f" it has {_excerpt(text, ink)} where the reference has {_excerpt(nearest, ink)}"
    )
    return f"{what} ({annotation.note})" if annotation.note else what


def _common_ink(one: str, other: str) -> int:
    """How many characters other than white space two texts share from the start."""
    pairs = zip(without_space(one), without_space(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _excerpt(text: str, ink: int) -> str:
    """The text after so many characters, from the start of that word."""
    places = [at for at, character in enumerate(text) if not character.isspace()]
    if ink >= len(places):
        return "its end"
    start = max(places[ink] - 12, text.rfind(" ", 0, places[ink] + 1) + 1)
    return repr(text[start : start + 25])


def _ink(reference: str | None) -> bool:
    return bool(reference and reference.strip())
