"""Reads the segments of a test set from files of any format, and joins outputs to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.tables import FileTable, Format, Role, Stream, field_of
from mtassay.data.formats.textfiles import FilePath, read_bytes, read_lines, shown, split_lines
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment
from mtassay.data.registry import each, each_made

if TYPE_CHECKING:
    from mtassay.data.formats.localisation import LocalisationFile

_LINES = ".txt"
NOT_YET = {
    **dict.fromkeys([".resx", ".resw"], ".NET resource"),
    **dict.fromkeys([".srt", ".vtt"], "subtitle"),
    **dict.fromkeys([".yaml", ".yml"], "YAML"),
    **dict.fromkeys([".html", ".htm"], "HTML"),
    ".ftl": "Fluent",
}
"""Formats that mtassay cannot read yet, by the end of the name."""


def read_stream(path: FilePath, *, role: Role, pair: Pair | None = None, system: str | None = None) -> Stream:
    """Read a file's column of this role; the format follows from the name, else from the content.

    It reads the first of several references; `read_references` reads all. `system` names one of several
    outputs; a single output is read under any name.
    """
    streams = _streams(path, role=role, pair=pair)
    if role != "output" or len(streams) == 1:
        return streams[0]
    for stream in streams:
        if stream.name == system:
            return stream
    names = sorted(stream.name for stream in streams)
    if system is None:
        raise UsageError(f"{shown(path)}: it holds several systems. Choose one of: {', '.join(names)}.")
    some = ", ".join(f"'{name}={shown(path)}'" for name in names[:2])
    raise UsageError(
        f"{shown(path)}: no system {system!r}. Available: {', '.join(names)}. "
        f"Name those you mean: `systems=[{some}]`"
    )


def read_references(path: FilePath, *, pair: Pair | None = None) -> list[Stream]:
    """Read all references in a file, in order; at least one."""
    return _streams(path, role="reference", pair=pair)


def read_table(path: FilePath, *, pair: Pair | None = None) -> FileTable | None:
    """Read all columns of a file; `None` for plain lines, which do not state their role."""
    content = _Content(path)
    return None if content.format is None else content.format.read(content.data, content.path, pair)


def check_suffix(path: FilePath, *, lines: bool = False) -> None:
    """Refuse a file whose name has an unreadable format or, with `lines`, any format but plain lines."""
    suffix = _suffix(path)
    if lines and any(suffix in format_class.suffixes for format_class in each("format")):
        raise InputError("only plain lines are read here. Save its texts as .txt", path=shown(path))
    if suffix in NOT_YET:
        endings = dict.fromkeys(end for format_class in each("format") for end in format_class.suffixes)
        fix = "Convert it to one of these, or call it .txt if each line is a text"
        what = f"{NOT_YET[suffix]} files are not read. {fix}: {', '.join(endings)}"
        raise InputError(what, path=shown(path))


def _suffix(path: FilePath) -> str:
    return PurePath(shown(path).removesuffix(".gz")).suffix.lower()


class _Content:
    """Read the bytes of a file and find their format; `None` means plain lines."""

    def __init__(self, path: FilePath) -> None:
        self.path = shown(path)
        suffix = _suffix(path)
        self.format: Format | None = None
        others: list[Format] = []
        if suffix != _LINES:
            for known in each_made("format"):
                if suffix in known.suffixes:
                    self.format = known
                    break
                others.append(known)
        if self.format is None:
            check_suffix(path)
        self.data = read_bytes(path)
        if self.format is None:
            start = self.data[:4096].removeprefix(b"\xef\xbb\xbf")
            self.format = next((other for other in others if other.recognises(start)), None)

    def lines(self) -> Stream:
        return Stream(self.path, list(split_lines(self.data, self.path)), None)


def _streams(path: FilePath, *, role: Role, pair: Pair | None) -> list[Stream]:
    content = _Content(path)
    if content.format is None:
        return [content.lines()]
    table = content.format.read(content.data, content.path, pair)
    streams = table.streams(role)
    if not streams:
        roles = ", ".join(dict.fromkeys(column.role for column in table.columns))
        raise InputError(f"it holds no {role}, only {roles}", path=content.path)
    return streams


_Description = tuple[str | None, Mapping[str, Any]]


def read_segments(
    source: FilePath | None,
    references: Sequence[FilePath],
    *,
    documents: FilePath | None = None,
    pair: Pair | None = None,
) -> list[Segment]:
    """Read the segments of a test set, in the order of the first file with ids, else of the lines.

    Files with ids are joined by id, files of lines by position; the ids of lines are "1", "2" and so on.
    Each reference file contributes all its references. If several references come as lines (or TSV), an empty
    one beside a full one is missing (`None`).
    """
    streams = [stream for path in references for stream in read_references(path, pair=pair)]
    first = None if source is None else read_stream(source, role="source", pair=pair)
    return join(first, streams, documents=None if documents is None else read_documents(documents))


def read_outputs(
    path: FilePath, segments: Sequence[Segment], *, system: str | None = None, pair: Pair | None = None
) -> list[str | None]:
    """Read one output per segment, in their order; `None` if the file has none.

    A file with ids is joined by id, and an id that no segment has is an `InputError`. A file of lines must
    have as many lines as there are segments.
    """
    stream = read_stream(path, role="output", pair=pair, system=system)
    rest = segments[len(stream.texts) :] if stream.ids is None else ()
    if _is_blank([text for segment in rest for text in (segment.source, *segment.references)]):
        fix = f"The {_last(rest)} blank there: take the blank lines out"
        what = f"{len(stream.texts)} segments, but the test set has {len(segments)}. {fix}"
        raise InputError(what, path=stream.path)
    return align(stream, [segment.id for segment in segments], base="the test set")


def read_documents(path: FilePath) -> Stream:
    """Read one document id per line, or mt-metrics-eval's `domain<TAB>document`; empty means none."""
    cells = [line.rpartition("\t") for line in read_lines(path)]
    tags = [{"domain": domain} if domain else {} for domain, _, _ in cells]
    documents = [document or None for _, _, document in cells]
    return Stream(shown(path), list(documents), None, documents=documents, tags=list(tags))


def join(
    source: Stream | None,
    references: Sequence[Stream],
    *,
    documents: Stream | None = None,
    keep_empty: bool = False,
) -> list[Segment]:
    """Make segments from columns as in `read_segments`. `keep_empty` keeps every empty reference."""
    streams = ([] if source is None else [source]) + list(references)
    if not streams:
        raise UsageError("Give a source file, a reference file or both.")
    base = next((stream for stream in streams if stream.ids is not None), streams[0])
    ids = base.ids if base.ids is not None else [str(i) for i in range(1, len(base.texts) + 1)]
    _check_ends(streams)
    sources = [None] * len(ids) if source is None else align(source, ids, base=base.path)
    columns = [align(stream, ids, base=base.path) for stream in references]
    says_missing = [keep_empty or stream.says_missing for stream in references]
    rows = _references(columns, says_missing) or [()] * len(ids)
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


def _check_ends(streams: Sequence[Stream]) -> None:
    """Refuse a file of lines that is longer than the shortest only by blank lines."""
    of_lines = [stream for stream in streams if stream.ids is None]
    shortest = min((len(stream.texts) for stream in of_lines), default=0)
    for stream in of_lines:
        if _is_blank(stream.texts[shortest:]):
            n = len(stream.texts)
            what = f"{n} segments, but others have {shortest}. {_why_unequal(stream, shortest)}"
            raise InputError(what, path=stream.path)


def align(stream: Stream, ids: Sequence[str], *, base: str) -> list[str | None]:
    """The texts of a stream in the order of `ids`: by id if it has ids, else by position."""
    places = _places(stream, ids, base)
    return stream.texts if places is None else [None if i is None else stream.texts[i] for i in places]


def _places(stream: Stream, ids: Sequence[str], base: str) -> list[int | None] | None:
    """The place of each id in the stream, `None` if missing; `None` as a whole if the orders are equal."""
    if stream.ids is None:
        if len(stream.texts) != len(ids):
            what = (
                f"{len(stream.texts)} segments, but {base} has {len(ids)}. {_why_unequal(stream, len(ids))}"
            )
            raise InputError(what, path=stream.path)
        return None
    if stream.ids == ids:
        return None
    base_ids = set(ids)
    stranger = next((name for name in stream.ids if name not in base_ids), None)
    if stranger is not None:
        what = f"id {stranger!r} is not in {base}, whose first id is {ids[0]!r}"
        raise InputError(what, path=stream.path)
    at = {name: i for i, name in enumerate(stream.ids)}
    return [at.get(name) for name in ids]


def _why_unequal(stream: Stream, expected: int) -> str:
    """Advice for a file with another number of lines."""
    rest = stream.texts[expected:]
    if _is_blank(rest):
        return f"Its {_last(rest)} blank: take the blank lines out"
    if len(rest) == 1 and any(field_of(cell).role for cell in (stream.texts[0] or "").split("\t")):
        return "Its first line names columns: call the file .tsv"
    return "Both need the same lines in order"


def _is_blank(texts: Sequence[str | None]) -> bool:
    return bool(texts) and not any(text and text.strip() for text in texts)


def _last(texts: Sequence[object]) -> str:
    return "last line is" if len(texts) == 1 else f"last {len(texts)} lines are"


def _references(
    columns: Sequence[Sequence[str | None]], says_missing: Sequence[bool]
) -> list[tuple[str | None, ...]]:
    """The references of each segment. An empty line beside a full one means a missing translation."""
    rows = list(zip(*columns, strict=True))
    if len(columns) < 2 or all(says_missing):
        return rows
    return [
        tuple(
            text or None if not is_explicit else text
            for text, is_explicit in zip(row, says_missing, strict=True)
        )
        if "" in row and any(row)
        else row
        for row in rows
    ]


def _descriptions(stream: Stream | None, ids: Sequence[str], base: str) -> list[_Description]:
    """Document and tags of each segment, as far as the stream has them."""
    nothing: _Description = (None, {})
    if stream is None:
        return [nothing] * len(ids)
    documents = stream.documents or [None] * len(stream.texts)
    tags = stream.tags or [{}] * len(stream.texts)
    descriptions = list(zip(documents, tags, strict=True))
    places = _places(stream, ids, base)
    return descriptions if places is None else [nothing if i is None else descriptions[i] for i in places]


TRANSLATION = "translation"
"""Default name of a translation without a name in its file."""


class TranslatedTexts(NamedTuple):
    """Segments, and for each translation by name one text per segment; `None` if missing.

    `languages` are source and target as the files state them, empty if not stated or not equal.
    """

    segments: list[Segment]
    outputs: dict[str, list[str | None]]
    languages: tuple[str, str] = ("", "")


def read_translated(
    paths: Sequence[FilePath], *, source: FilePath | None = None, pair: Pair | None = None
) -> TranslatedTexts:
    """Read the texts and translations of these files, in order; `source` is for files of one language.

    The tags of a segment state its origin: `file`, `key` and, if known, `line`; `facts` are properties stated
    in a localisation file. With several files, each id starts with its file, so that ids stay unique.

    Raises:
        InputError: A file is plain lines, or has no source or no translation.
        UsageError: The files state several target languages.
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
    own_source, own_target = ({side for side in sides if side} for sides in zip(*stated, strict=True))
    if len(own_target) > 1:
        several = ", ".join(sorted(own_target))
        raise UsageError(f"These files are in several languages ({several}). Check one language at a time.")
    source_tag = own_source.pop() if len(own_source) == 1 else ""
    return TranslatedTexts(segments, outputs, (source_tag, next(iter(own_target), "")))


def _read(path: FilePath, pair: Pair | None, source: FilePath | None) -> TranslatedTexts:
    from mtassay.data.formats.localisation import format_of, read_localisation  # slow to load

    # A table may have several systems and references; only the reader of test sets handles these.
    is_table = shown(path).removesuffix(".gz").endswith(".tsv")
    if not is_table and format_of(read_bytes(path), path) is not None:
        return _read_units(read_localisation(path, source, pair=pair), path)
    if source is not None:
        raise UsageError(f"These files contain the sources too: leave out the source file of {shown(path)}.")
    table = read_table(path, pair=pair)
    if table is None:
        raise InputError(
            "these are plain lines. Give sources and translations separately: -s SOURCE -t NAME=FILE",
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
    """The translatable texts of a localisation file; an untranslated one has no output."""
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
    """The line of each row, if each row of the file is a line; `None` if unknown."""
    if not shown(path).endswith((".tsv", ".jsonl")):
        return None
    count = sum(bool(line.strip()) for line in split_lines(read_bytes(path), shown(path)))
    head = count - len(source.texts)
    return range(head + 1, count + 1) if head in (0, 1) else None
