"""Corrections as training data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TextIO, get_args

from mtassay import __version__
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.jsonl import json_objects, write_jsonl
from mtassay.data.formats.segment_files import read_segments
from mtassay.data.formats.tables import join_cell, split_cell
from mtassay.data.formats.textfiles import (
    FilePath,
    open_for_writing,
    read_bytes,
    shown,
    split_lines,
    write_lines,
)
from mtassay.data.formats.xml_files import XML_LANG
from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit, Segment
from mtassay.meta.repair.corrections import Correction, WrongOutput
from mtassay.nlp.links import Links, WordAligner, open_aligner
from mtassay.runtime.workspace import Workspace

COLUMNS = ("id", "source", "output", "correction", "by", "error")
"""What a correction is made of; `error` may be missing, and so may `id`, which is then the line's number."""

_NEEDED = ("source", "correction", "by")


def read_corrections(path: FilePath) -> list[Correction]:
    """The corrections of a file, in its order; a bad row is an `InputError` with its line.

    `by` says who corrected: a person's name, or "engine NAME". `output` may be empty. A row whose correction
    is empty is one that nobody has corrected yet: it is left out.
    """
    name = shown(path)
    ending = name.removesuffix(".gz")
    data = read_bytes(path)
    if ending.endswith(".tsv"):
        records = _from_tsv(data, name)
    elif ending.endswith((".jsonl", ".ndjson")):
        records = json_objects(split_lines(data, name), name)
    else:
        raise UsageError(f"{name}: a file of corrections ends in .jsonl or .tsv.")
    corrections = []
    first: dict[str, int] = {}
    for line, record in records:
        if "correction" in record and not str(record["correction"] or "").strip():
            continue
        correction = _correction(record, name, line)
        if correction.id in first:
            what = f"duplicate id {correction.id!r} (first on line {first[correction.id]})"
            raise InputError(what, path=name, line=line)
        first[correction.id] = line
        corrections.append(correction)
    if not corrections:
        raise InputError("it holds no correction", path=name)
    return corrections


def _correction(record: Mapping[str, Any], path: str, line: int) -> Correction:
    values = {key: record[key] for key in COLUMNS if record.get(key) is not None}
    for key, value in values.items():
        if key == "id" and isinstance(value, int) and not isinstance(value, bool):
            values[key] = str(value)
        elif not isinstance(value, str):
            raise InputError(f"'{key}' must be a text", path=path, line=line)
    for key in _NEEDED:
        if not values.get(key, "").strip():
            what = "'by' is empty: write who corrected it, or 'engine NAME'" if key == "by" else f"no '{key}'"
            raise InputError(f"{what}. Needed: {', '.join(_NEEDED)}", path=path, line=line)
    return Correction(**{"id": str(line), "output": "", **values})


def _from_tsv(data: bytes, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    header, *lines = split_lines(data, path)
    columns = [column.strip().lower() for column in header.split("\t")]
    if missing := [name for name in _NEEDED if name not in columns]:
        what = f"there is no column '{missing[0]}'. Needed: {', '.join(_NEEDED)}"
        raise InputError(what, path=path, line=1)
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=number)
        texts = (split_cell(cell)[0] or "" for cell in cells)
        yield number, dict(zip(columns, texts, strict=True))


ExportFormat = Literal["jsonl", "tsv", "tmx", "hf"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def format_of(path: FilePath) -> ExportFormat:
    """What the ending of a file is for; the shape of Hugging Face has none of its own.

    >>> format_of("fixes.tmx"), format_of("fixes.jsonl.gz")
    ('tmx', 'jsonl')
    """
    ending = PurePath(str(path).removesuffix(".gz")).suffix.lower().removeprefix(".")
    for name in FORMATS:
        if ending == name != "hf":
            return name
    raise UsageError(f"{path}: its ending says no format. Take .jsonl, .tsv or .tmx, or add --as FORMAT.")


def check_export(form: ExportFormat, pair: Pair | None) -> None:
    """An error where a format needs to know the languages and does not."""
    if pair is None and form in ("tmx", "hf"):
        raise UsageError(f"The format '{form}' names the languages: add `langpair='SRC-TGT'`.")


def export(
    where: FilePath | TextIO,
    corrections: Sequence[Correction],
    form: ExportFormat,
    *,
    pair: Pair | None = None,
) -> None:
    """Write corrections in their order. `tmx` and `hf` name the languages, so they need the pair.

    JSONL and TSV keep everything, TMX who corrected and the kind of error, and `hf` the two texts alone. In
    TSV cells are written as in sheets of reviews; in TMX what XML cannot hold becomes a space.
    """
    check_export(form, pair)
    if form == "jsonl":
        write_jsonl(where, map(asdict, corrections))
    elif form == "tsv":
        _write_table(where, map(asdict, corrections))
    elif pair is not None:
        writer: Callable[[FilePath | TextIO, Sequence[Correction], Pair], None] = (
            _write_tmx if form == "tmx" else _write_hf
        )
        writer(where, corrections, pair)


def write_sheet(where: FilePath | TextIO, wrong: Iterable[WrongOutput]) -> None:
    """Write a sheet of wrong outputs, to fill in the columns 'correction' and 'by'."""
    _write_table(where, ({**entry._asdict(), "correction": "", "by": ""} for entry in wrong))


def _write_table(where: FilePath | TextIO, rows: Iterable[Mapping[str, str]]) -> None:
    """Cells that a spreadsheet would change, as a formula, have a backslash before them."""
    lines = ("\t".join(join_cell([row[column]]) for column in COLUMNS) for row in rows)
    write_lines(where, ["\t".join(COLUMNS), *lines])


def _write_hf(where: FilePath | TextIO, corrections: Sequence[Correction], pair: Pair) -> None:
    source, target = pair.source.tag, pair.target.tag
    write_jsonl(where, ({"translation": {source: c.source, target: c.correction}} for c in corrections))


def _write_tmx(where: FilePath | TextIO, corrections: Sequence[Correction], pair: Pair) -> None:
    from lxml import etree

    root = etree.Element("tmx", version="1.4")
    etree.SubElement(
        root,
        "header",
        {
            "creationtool": "mtassay",
            "creationtoolversion": __version__,
            "segtype": "sentence",
            "o-tmf": "mtassay",
            "adminlang": "en",
            "srclang": pair.source.tag,
            "datatype": "plaintext",
        },
    )
    body = etree.SubElement(root, "body")
    for correction in corrections:
        unit = etree.SubElement(body, "tu", tuid=_xml(correction.id))
        for name, text in (("x-by", correction.by), ("x-error", correction.error)):
            if text:
                etree.SubElement(unit, "prop", type=name).text = _xml(text)
        for language, text in ((pair.source, correction.source), (pair.target, correction.correction)):
            variant = etree.SubElement(unit, "tuv", {XML_LANG: language.tag})
            etree.SubElement(variant, "seg").text = _xml(text)
    etree.indent(root)
    with open_for_writing(where) as handle:
        handle.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        handle.write(etree.tostring(root, encoding="unicode") + "\n")


def _xml(text: str) -> str:
    return _NO_XML.sub(" ", text)


_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")


class GlossaryEntry(NamedTuple):
    """A source phrase and what it is always translated to."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class RepairGlossary:
    """Fixed mappings in the order of the corrections, each once: words first, then sentences.

    `unclear` source phrases have more than one translation among the corrections, so none is fixed.
    `is_aligned` says whether words could be looked for.
    """

    words: list[GlossaryEntry]
    sentences: list[GlossaryEntry]
    unclear: list[str]
    is_aligned: bool = False


def edits_in(segments: Iterable[Segment]) -> dict[str, Edit]:
    """The edits that made segments, by their ids; who was not made by the edit of one place is not there.

    >>> edit = {"start": 2, "end": 7, "before": "small", "after": "young"}
    >>> edits_in([Segment("7/1-young", tags={"original": "7", "edit": edit})])["7/1-young"].after
    'young'
    """
    edits = {}
    for segment in segments:
        edit = segment.tags.get("edit")
        if edit is None:
            continue
        if (
            not isinstance(edit, Mapping)
            or not all(type(edit.get(key)) is int for key in ("start", "end"))
            or not all(isinstance(edit.get(key), str) for key in ("before", "after"))
        ):
            raise InputError("'edit' must have start, end, before and after")
        pos = edit.get("pos")
        edits[segment.id] = Edit(
            edit["start"], edit["end"], edit["before"], edit["after"], pos if isinstance(pos, str) else ""
        )
    return edits


def glossary_of(
    corrections: Sequence[Correction],
    variants: FilePath | Workspace | None = None,
    *,
    pair: Pair | None = None,
) -> RepairGlossary:
    """What can be mapped, with the edits of a file of variants, or of all runs of a workspace.

    Words need the edits and the language pair, for which there is an aligner.
    """
    segments: list[Segment] = []
    if isinstance(variants, Workspace):
        segments = [segment for run in variants.runs() for segment in variants.segments(run.id)]
    elif variants is not None:
        segments = read_segments(variants, [])
    edits = edits_in(segments)
    aligner = open_aligner(pair) if edits and pair is not None else None
    return make_glossary(corrections, edits=edits, aligner=aligner)


def make_glossary(
    corrections: Sequence[Correction],
    *,
    edits: Mapping[str, Edit] | None = None,
    aligner: WordAligner | None = None,
) -> RepairGlossary:
    """What can be mapped. `edits` has the edits that made variants, by id.

    The edited word is mapped where the aligner links it to neighbouring words of the correction and the wrong
    output lacks them: then this word is what went wrong. Without `edits` or `aligner` only sentences are.
    """
    edited = [(c, edits[c.id]) for c in corrections if c.id in edits] if edits and aligner else []
    words: list[GlossaryEntry] = []
    if edited and aligner is not None:
        split = [(_words(c.source), _words(c.correction)) for c, _ in edited]
        links = aligner.align(split)
        for (correction, edit), (left, right), linked in zip(edited, split, links, strict=True):
            target = _translation_of(edit, left, right, linked, correction)
            if target is not None and not _holds(correction.output, target):
                words.append(GlossaryEntry(edit.after, target))
    sentences = [GlossaryEntry(_flat(c.source), _flat(c.correction)) for c in corrections]
    unclear = [*_ambiguous(words), *_ambiguous(sentences)]
    return RepairGlossary(_clear(words, unclear), _clear(sentences, unclear), unclear, aligner is not None)


def write_glossary(where: FilePath | TextIO, glossary: RepairGlossary) -> None:
    """One mapping per line: source phrase, tab, target phrase."""
    write_lines(where, (f"{source}\t{target}" for source, target in (*glossary.words, *glossary.sentences)))


def _translation_of(
    edit: Edit, left: Sequence[str], right: Sequence[str], links: Links, correction: Correction
) -> str | None:
    """What the edited word became, as it is in the correction; `None` where the links do not show it."""
    places = [match.start() for match in _WORD.finditer(correction.source)]
    if edit.start not in places or left[places.index(edit.start)] != edit.after:
        return None
    linked = sorted(target for source, target in links if source == places.index(edit.start))
    if not linked or linked[-1] - linked[0] + 1 != len(linked):
        return None
    others = {target for source, target in links if source != places.index(edit.start)}
    if others & set(linked):
        return None
    spans = [match.span() for match in _WORD.finditer(correction.correction)]
    return correction.correction[spans[linked[0]][0] : spans[linked[-1]][1]]


def _clear(entries: Sequence[GlossaryEntry], unclear: Sequence[str]) -> list[GlossaryEntry]:
    return [entry for entry in dict.fromkeys(entries) if entry.source not in unclear]


def _ambiguous(entries: Sequence[GlossaryEntry]) -> list[str]:
    targets: dict[str, set[str]] = {}
    for source, target in entries:
        targets.setdefault(source, set()).add(target)
    return [source for source, translations in targets.items() if len(translations) > 1]


def _holds(text: str, phrase: str) -> bool:
    words, wanted = [w.lower() for w in _words(text)], [w.lower() for w in _words(phrase)]
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _flat(text: str) -> str:
    return " ".join(text.split())
