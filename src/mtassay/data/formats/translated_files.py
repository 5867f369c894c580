"""Files that hold texts with their translations: what `check` reads, with the place of each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.localisation import LocalisationFile, format_of, read_localisation
from mtassay.data.formats.segment_files import join, read_table
from mtassay.data.formats.tables import FileTable, Stream
from mtassay.data.formats.textfiles import FilePath, read_bytes, shown, split_lines
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment

TRANSLATION = "translation"
"""What a translation is called where a file gives it no name."""


class TranslatedTexts(NamedTuple):
    """Segments, and by the name of each translation one text per segment; `None` where there is none.

    `languages` are source and target as the files state them, empty where they do not or do not agree.
    """

    segments: list[Segment]
    outputs: dict[str, list[str | None]]
    languages: tuple[str, str] = ("", "")


def read_translated(
    paths: Sequence[FilePath], *, source: FilePath | None = None, pair: Pair | None = None
) -> TranslatedTexts:
    """The texts and translations of these files, in order; `source` is for files of one language.

    The tags of a segment say where it is from: `file`, `key` and, where it is known, `line`; `facts` are what
    a localisation file says of the text. Of several files each id has its file before it, so that ids stay
    unique.

    Raises:
        InputError: A file is plain lines, or holds no source or no translation.
    """
    segments: list[Segment] = []
    columns: list[Mapping[str, str | None]] = []
    stated: set[tuple[str, str]] = set()
    for path in paths:
        own, outputs, languages = _read(path, pair, source)
        stated.add(languages)
        for number, segment in enumerate(own):
            place = {"file": shown(path), "key": segment.id, "line": segment.tags.get("line")}
            key = f"{shown(path)}:{segment.id}" if len(paths) > 1 else segment.id
            segments.append(segment._replace(id=key, tags={**segment.tags, **place}))
            columns.append({name: texts[number] for name, texts in outputs.items()})
    names = dict.fromkeys(name for column in columns for name in column)
    outputs = {name: [column.get(name) for column in columns] for name in names}
    return TranslatedTexts(segments, outputs, stated.pop() if len(stated) == 1 else ("", ""))


def _read(path: FilePath, pair: Pair | None, source: FilePath | None) -> TranslatedTexts:
    # A table may hold several systems and references, which only the reader of test sets knows.
    is_table = shown(path).removesuffix(".gz").endswith(".tsv")
    if not is_table and format_of(read_bytes(path), path) is not None:
        return _read_units(read_localisation(path, source, pair=pair), path)
    if source is not None:
        raise UsageError(f"Files bring their texts along: leave out the source file of {shown(path)}.")
    table = read_table(path, pair=pair)
    if table is None:
        raise InputError(
            "these are plain lines. Give sources and translations apart: -s SOURCE -t NAME=FILE",
            path=shown(path),
        )
    sources = table.only("source")
    translations = table.only("output") or table.only("target")
    references = table.only("reference") if translations else []
    translations = translations or table.only("reference")
    for what, streams in (("source", sources), ("translation", translations)):
        if not streams:
            roles = ", ".join(dict.fromkeys(column.role for column in table.columns))
            raise InputError(f"it holds no {what}, only {roles}", path=shown(path))
    segments = join(sources[0], references)
    outputs = {stream.name or TRANSLATION: stream.texts for stream in translations}
    lines = _lines(path, table, sources[0])
    if lines is not None:
        segments = [
            segment._replace(tags={**segment.tags, "line": line})
            for segment, line in zip(segments, lines, strict=True)
        ]
    return TranslatedTexts(segments, outputs)


def _read_units(file: LocalisationFile, path: FilePath) -> TranslatedTexts:
    """The texts of a localisation file that are to be translated; one nobody translated has no output."""
    units = [unit for unit in file.units if unit.is_translatable]
    if all(unit.source is None for unit in units):
        raise InputError(
            "it has one language only. Give the file with the sources: -s SOURCE", path=shown(path)
        )
    segments = [
        Segment(
            unit.id,
            unit.source,
            tags={
                "line": unit.line,
                "facts": {**unit.facts, **({"group": unit.group} if unit.group else {})},
            },
        )
        for unit in units
        if unit.source is not None
    ]
    outputs = [unit.target or None for unit in units if unit.source is not None]
    return TranslatedTexts(segments, {TRANSLATION: outputs}, file.languages)


def _lines(path: FilePath, table: FileTable, source: Stream) -> Sequence[Any] | None:
    """The line of each row, where each row of the file is a line; `None` where it is not known."""
    if not shown(path).endswith((".tsv", ".jsonl")):
        return None
    count = sum(bool(line.strip()) for line in split_lines(read_bytes(path), shown(path)))
    head = count - len(source.texts)
    return range(head + 1, count + 1) if head in (0, 1) else None
