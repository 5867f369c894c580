"""Joins columns of text into the segments of a test set, and outputs to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mtassay.core import Segment
from mtassay.errors import InputError, UsageError
from mtassay.formats.streams import read_references, read_stream
from mtassay.formats.table import Stream
from mtassay.formats.text import FilePath, read_lines, shown
from mtassay.languages import Pair

_Description = tuple[str | None, Mapping[str, Any]]


def read_segments(
    source: FilePath | None,
    references: Sequence[FilePath],
    *,
    documents: FilePath | None = None,
    pair: Pair | None = None,
) -> list[Segment]:
    """The segments of a test set, in the order of the first file that has ids, else of the lines.

    Files with ids are joined by id, files of lines by position, and the ids of lines are "1", "2" and so on.
    Each reference file contributes all its references. Where several references come as lines (or TSV),
    an empty one beside a full one is missing (`None`).
    """
    streams = [stream for path in references for stream in read_references(path, pair=pair)]
    first = None if source is None else read_stream(source, role="source", pair=pair)
    return join(first, streams, documents=None if documents is None else read_documents(documents))


def read_outputs(
    path: FilePath, segments: Sequence[Segment], *, system: str | None = None, pair: Pair | None = None
) -> list[str | None]:
    """One output per segment, in their order; `None` where the file has none for it.

    A file with ids is joined by id, and an id that no segment has is an `InputError`. A file of lines must
    have as many lines as there are segments.
    """
    stream = read_stream(path, role="output", pair=pair, system=system)
    return align(stream, [segment.id for segment in segments], base="the test set")


def read_documents(path: FilePath) -> Stream:
    """One document id per line, or `domain<TAB>document` as mt-metrics-eval has it; empty means none."""
    cells = [line.rpartition("\t") for line in read_lines(path)]
    tags = [{"domain": domain} if domain else {} for domain, _, _ in cells]
    documents = [document or None for _, _, document in cells]
    return Stream(shown(path), list(documents), None, documents=documents, tags=list(tags))


def join(
    source: Stream | None, references: Sequence[Stream], *, documents: Stream | None = None
) -> list[Segment]:
    """Segments from columns; see `read_segments` for the rules."""
    streams = ([] if source is None else [source]) + list(references)
    if not streams:
        raise UsageError("Give a source file, a reference file or both.")
    base = next((stream for stream in streams if stream.ids is not None), streams[0])
    ids = base.ids if base.ids is not None else [str(i) for i in range(1, len(base.texts) + 1)]
    sources = [None] * len(ids) if source is None else align(source, ids, base=base.path)
    columns = [align(stream, ids, base=base.path) for stream in references]
    rows = _references(columns, [stream.says_missing for stream in references]) or [()] * len(ids)
    described = next((stream for stream in streams if stream.documents or stream.tags), None)
    descriptions = _descriptions(described, ids, base.path)
    if documents is not None:
        overlay = _descriptions(documents, ids, base.path)
        descriptions = [
            (document, {**old, **new})
            for (_, old), (document, new) in zip(descriptions, overlay, strict=True)
        ]
    return [
        Segment(segment_id, text, row, document, tags)
        for segment_id, text, row, (document, tags) in zip(ids, sources, rows, descriptions, strict=True)
    ]


def align(stream: Stream, ids: Sequence[str], *, base: str) -> list[str | None]:
    """The texts of a stream in the order of `ids`: by id where it has ids, else by position."""
    places = _places(stream, ids, base)
    return stream.texts if places is None else [None if i is None else stream.texts[i] for i in places]


def _places(stream: Stream, ids: Sequence[str], base: str) -> list[int | None] | None:
    """Where the stream has each id, `None` where nowhere; `None` for all if both have the same order."""
    if stream.ids is None:
        if len(stream.texts) != len(ids):
            what = (
                f"{len(stream.texts)} segments, but {base} has {len(ids)}. Both need the same lines in order"
            )
            raise InputError(what, path=stream.path)
        return None
    if stream.ids == ids:
        return None
    known = set(ids)
    stranger = next((name for name in stream.ids if name not in known), None)
    if stranger is not None:
        what = f"id {stranger!r} is not in {base}, whose first id is {ids[0]!r}"
        raise InputError(what, path=stream.path)
    at = {name: i for i, name in enumerate(stream.ids)}
    return [at.get(name) for name in ids]


def _references(
    columns: Sequence[Sequence[str | None]], says_missing: Sequence[bool]
) -> list[tuple[str | None, ...]]:
    """The references of each segment. An empty line beside a full one means that nobody translated it."""
    rows = list(zip(*columns, strict=True))
    if len(columns) < 2 or all(says_missing):
        return rows
    return [
        tuple(text or None if not said else text for text, said in zip(row, says_missing, strict=True))
        if "" in row and any(row)
        else row
        for row in rows
    ]


def _descriptions(stream: Stream | None, ids: Sequence[str], base: str) -> list[_Description]:
    """Document and tags of each segment, as far as the stream knows them."""
    nothing: _Description = (None, {})
    if stream is None:
        return [nothing] * len(ids)
    documents = stream.documents or [None] * len(stream.texts)
    tags = stream.tags or [{}] * len(stream.texts)
    known = list(zip(documents, tags, strict=True))
    places = _places(stream, ids, base)
    return known if places is None else [nothing if i is None else known[i] for i in places]
