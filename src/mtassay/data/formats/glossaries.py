"""Glossaries from TBX, CSV, TSV and JSON: preferred, allowed and forbidden translations of terms."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple, get_args

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.jsonl import json_objects
from mtassay.data.formats.textfiles import check_columns, decode, load_json, not_csv, read_bytes, split_lines
from mtassay.data.formats.xml_files import (
    XML_LANG,
    Element,
    children,
    descendants,
    line_of,
    local_name,
    parse_xml,
)
from mtassay.data.languages import Language, parse_language

Status = Literal["preferred", "allowed", "forbidden", "do-not-translate"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Term:
    """One translation of one term.

    Args:
        source: The term in the source language; empty for a target term that is forbidden everywhere.
        target: Its translation; empty for a term that must not be translated.
        status: Whether this translation is preferred, allowed or forbidden; or `do-not-translate`.
        case: Whether case must match.
        source_language: The tag that the file states; empty means any language.
        target_language: The same for the translation.
        note: The note in the file.
    """

    source: str
    target: str = ""
    status: Status = "preferred"
    case: bool = False
    source_language: str = ""
    target_language: str = ""
    note: str = ""


@dataclass(frozen=True)
class Glossary:
    """All terms of some files, in order, without repetitions.

    >>> glossary = Glossary((Term("file", "Datei"), Term("file", "Fichier", target_language="fr")))
    >>> [term.target for term in glossary.for_pair("en", "de")]
    ['Datei']
    """

    terms: tuple[Term, ...]

    def for_pair(self, source: str | None, target: str | None) -> list[Term]:
        """The terms for two languages (tags, `None` if unknown), unless they state another language."""
        return [
            term
            for term in self.terms
            if _fits(term.source_language, source)
            and (term.status == "do-not-translate" or _fits(term.target_language, target))
        ]

    @cached_property
    def digest(self) -> str:
        """Changes when any term changes."""
        return hashlib.sha256(repr(self.terms).encode()).hexdigest()[:12]

    def __len__(self) -> int:
        return len(self.terms)


def _fits(stated: str, wanted: str | None) -> bool:
    return not stated or not wanted or parse_language(stated).matches(parse_language(wanted))


def read_glossaries(paths: Sequence[str | Path]) -> Glossary:
    """Read the terms of several files; the same term in two files counts once.

    TBX (any dialect) by its content; `.csv`, `.tsv` and `.txt` with named columns, or two columns without
    names; `.json`, an object of terms or a list of records. `.gz` is decompressed.

    Raises:
        InputError: A file cannot be read, is no glossary, or contradicts another one; names the line.
    """
    where: dict[Term, None] = {}
    verdicts: dict[tuple[str, ...], tuple[Term, str]] = {}
    for path in map(str, paths):
        count = 0
        for term, line in _read(path):
            count += 1
            here = f"{path} line {line}" if line else path
            key = (term.source, term.target, term.source_language, term.target_language)
            earlier, place = verdicts.setdefault(key, (term, here))
            if {earlier.status, term.status} > {"forbidden"}:
                message = (
                    f"{term.target!r} for {term.source!r} is {term.status}, but {earlier.status} in {place}"
                )
                raise InputError(message, path=path, line=line)
            where[term] = None
        if not count:
            raise InputError("no terms", path=path)
    return Glossary(tuple(where))


Rows = Iterator[tuple[Term, int | None]]


def _read(path: str) -> Rows:
    data = read_bytes(path)
    suffix = PurePath(path.removesuffix(".gz")).suffix.lower()
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if suffix in (".tbx", ".xml") or start.startswith(b"<"):
        return ((term, line) for line, terms in read_concepts(data, path) for term in _of_concept(terms, ""))
    if suffix == ".json":
        return _read_json(data, path)
    if suffix in (".csv", ".tsv", ".tab", ".txt"):
        return _read_table(data, path, suffix)
    raise InputError("a glossary is a .tbx, .csv, .tsv or .json file", path=path)


_STATUS_WORDS: dict[str, Status] = {
    **dict.fromkeys(("", "preferred", "approved", "standard", "yes", "ok", "valid"), "preferred"),
    **dict.fromkeys(("allowed", "admitted", "alternative", "variant", "synonym"), "allowed"),
    **dict.fromkeys(("forbidden", "deprecated", "superseded", "obsolete", "banned", "no"), "forbidden"),
    **dict.fromkeys(("donottranslate", "dnt", "nottranslated", "keep"), "do-not-translate"),
}
_YES = frozenset({"yes", "true", "1", "y", "x", "exact", "sensitive", "case-sensitive"})
_NO = frozenset({"", "no", "false", "0", "n", "any", "ignore", "insensitive", "case-insensitive"})


def _status(text: str, path: str, line: int | None) -> Status:
    word = "".join(letter for letter in text.lower() if letter.isalpha())
    # TBX writes preferredTerm-admn-sts, some tools "Preferred term".
    word = word.removesuffix("admnsts").removesuffix("term")
    if word == "standardized":
        word = "standard"
    if word not in _STATUS_WORDS:
        raise InputError(f"no status {text!r}. Available: {', '.join(STATUSES)}", path=path, line=line)
    return _STATUS_WORDS[word]


def _yes(text: str, path: str, line: int | None) -> bool:
    word = text.strip().lower()
    if word not in _YES | _NO:
        raise InputError(f"{text!r} is neither yes nor no", path=path, line=line)
    return word in _YES


# --- tables ------------------------------------------------------------------------------------------------

_COLUMNS = {
    **dict.fromkeys(("source", "source_term", "src", "term", "source_text"), "source"),
    **dict.fromkeys(("target", "target_term", "tgt", "trg", "translation", "target_text"), "target"),
    **dict.fromkeys(("status", "usage", "administrative_status"), "status"),
    **dict.fromkeys(("case", "case_sensitive", "casesensitive", "match_case"), "case"),
    **dict.fromkeys(("source_language", "source_lang", "src_lang", "sourcelanguage"), "source_language"),
    **dict.fromkeys(("target_language", "target_lang", "tgt_lang", "targetlanguage"), "target_language"),
    **dict.fromkeys(("note", "notes", "comment", "definition", "description"), "note"),
    **dict.fromkeys(("do_not_translate", "dnt", "donottranslate"), "do-not-translate"),
    **{status: status for status in ("preferred", "allowed", "forbidden")},
}


def _column(name: str) -> str:
    """The kind of a column: one of our names, a language tag such as `lang:de-AT`, or empty if not read."""
    plain = "_".join(name.strip().lower().replace("-", " ").replace("_", " ").split())
    if plain in _COLUMNS:
        return _COLUMNS[plain]
    if plain in ("id", "no"):  # a number far more often than Indonesian or Norwegian
        return ""
    language = _language(name.strip())
    return f"lang:{language.tag}" if language else ""


def _language(text: str) -> Language | None:
    try:
        return parse_language(text)
    except UsageError:
        return None


def _read_table(data: bytes, path: str, suffix: str) -> Rows:
    rows = list(_cells(data, path, suffix))
    if not rows:
        raise InputError("no terms", path=path)
    line, header = rows[0]
    columns = [_column(name) for name in header]
    named = [column for column in columns if column]
    if {"source", "target"} & set(named) or "do-not-translate" in named or len(set(named)) == len(header) > 1:
        check_columns([column or name for column, name in zip(columns, header, strict=True)], path)
        languages = [column for column in columns if column.startswith("lang:")]
        if "source" not in columns and "forbidden" not in columns and len(languages) < 2:
            message = (
                f"no column 'source' among {', '.join(header)}. Name the columns: source, target, status"
            )
            raise InputError(message, path=path, line=line)
        rows = rows[1:]
    elif len(header) in (1, 2):
        columns = ["source", "target"][: len(header)]
        if len(header) == 1:
            raise InputError("one column, expected a term and its translation", path=path, line=line)
    else:
        message = f"{len(header)} columns without names. Name them in the first line: source, target, status"
        raise InputError(message, path=path, line=line)
    for line, cells in rows:
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} columns, expected {len(columns)}", path=path, line=line)
        record = {column: cell.strip() for column, cell in zip(columns, cells, strict=True) if column}
        for term in _terms_of(record, path, line):
            yield term, line


def _cells(data: bytes, path: str, suffix: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with their first lines; blank rows are skipped."""
    if suffix != ".csv":
        for number, row in enumerate(split_lines(data, path), start=1):
            if row.strip():
                yield number, row.split("\t")
        return
    text = decode(data, path)
    first = text.lstrip().partition("\n")[0]
    # Spreadsheets in many European countries write semicolons.
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(not_csv(error), path=path, line=line) from None


def _texts(cell: str) -> list[str]:
    """Split a cell into terms at `|`."""
    return [text for part in cell.split("|") if (text := " ".join(part.split()))]


def _terms_of(record: Mapping[str, str], path: str, line: int | None) -> Iterator[Term]:
    """The terms of one row or record, whose keys are those of `_COLUMNS`, or languages."""
    status = _status(record.get("status", ""), path, line)
    if _yes(record.get("do-not-translate", ""), path, line):
        status = "do-not-translate"
    case = _yes(record.get("case", ""), path, line)
    note = record.get("note", "")
    stated = {key: record.get(key, "") for key in ("source_language", "target_language")}
    for key, tag in stated.items():
        if tag and _language(tag) is None:
            raise InputError(f"no language {tag!r} ({key.replace('_', ' ')})", path=path, line=line)
    by_language = {
        key.removeprefix("lang:"): _texts(cell) for key, cell in record.items() if key.startswith("lang:")
    }
    if "source" not in record and len(by_language) > 1:
        yield from _of_concept(
            [TbxTerm(tag, text, status, case) for tag, texts in by_language.items() for text in texts], note
        )
        return
    sources = _texts(record.get("source", ""))
    languages = (stated["source_language"], stated["target_language"])
    targets: list[tuple[str, Status, str]] = []
    if status != "do-not-translate":
        targets += [(text, status, languages[1]) for text in _texts(record.get("target", ""))]
        targets += [(text, status, tag) for tag, texts in by_language.items() for text in texts]
        for own in ("preferred", "allowed", "forbidden"):
            targets += [(text, _STATUS_WORDS[own], languages[1]) for text in _texts(record.get(own, ""))]
        if not targets:
            raise InputError("no translation. Write one, or status do-not-translate", path=path, line=line)
        if not sources and any(own != "forbidden" for _, own, _ in targets):
            raise InputError("no source term", path=path, line=line)
    elif not sources:
        raise InputError("no source term", path=path, line=line)
    for source in sources or [""]:
        if status == "do-not-translate":
            yield Term(source, "", status, case, *languages, note)
        for target, own_status, tag in targets:
            yield Term(source, target, own_status, case, languages[0], tag, note)


def _of_concept(terms: Sequence[TbxTerm], note: str) -> Iterator[Term]:
    """Pair each term of a concept with the terms of its other languages; these decide the status."""
    for tag, source, own, own_case in terms:
        if own == "do-not-translate":
            yield Term(source, "", own, own_case, tag, "", note)
            continue
        for other, target, status, case in terms:
            if _language(other) != _language(tag) and status != "do-not-translate":
                yield Term(source, target, status, case, tag, other, note)


# --- JSON --------------------------------------------------------------------------------------------------


def _read_json(data: bytes, path: str) -> Rows:
    try:
        content = load_json(decode(data, path))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", path=path, line=error.lineno) from None
    if isinstance(content, dict):
        records: Iterable[Any] = (_named(source, value) for source, value in content.items())
    elif isinstance(content, list):
        records = content
    else:
        raise InputError('not a glossary. Write {"term": "translation"}', path=path)
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise InputError(f"term {number} is not an object such as {{source, target}}", path=path)
        cells = {_column(key): _cell(value, key, path) for key, value in record.items()}
        try:
            terms = list(_terms_of(cells, path, None))
        except InputError as error:
            what = str(error).removeprefix(f"{path}: ")
            raise InputError(f"term {cells.get('source') or number}: {what}", path=path) from None
        for term in terms:
            yield term, None


def _named(source: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"source": source, **value}
    if value is None:
        return {"source": source, "status": "do-not-translate"}
    return {"source": source, "target": value}


def _cell(value: Any, key: str, path: str) -> str:
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return "|".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{key!r} must be a text or a list of texts", path=path)
    return value


# --- TBX ---------------------------------------------------------------------------------------------------

_STATUS_NOTES = frozenset({"administrativestatus", "normativeauthorization", "status", "usagestatus"})
_CASE_NOTES = frozenset({"casesensitive", "case", "casesensitivity", "matchcase"})
_KEEP_NOTES = frozenset({"donottranslate", "dnt", "nontranslatable"})


class TbxTerm(NamedTuple):
    """A term of a concept, in the language of this tag."""

    language: str
    text: str
    status: Status = "preferred"
    case: bool = False


def read_concepts(data: bytes, path: str) -> Iterator[tuple[int | None, list[TbxTerm]]]:
    """The concepts of a TBX file, of 2008 (`martif`) or 2019 (`tbx`) in both styles, with their lines."""
    root = parse_xml(data, path)
    entries = descendants(root, "conceptEntry") + descendants(root, "termEntry")
    if not entries:
        message = f"<{local_name(root)}> has no conceptEntry or termEntry: this is not TBX"
        raise InputError(message, path=path, line=line_of(root))
    for entry in entries:
        terms = []
        for section in children(entry, "langSec", "langSet"):
            tag = section.get(XML_LANG) or ""
            if _language(tag) is None:
                message = f"no language {tag!r}" if tag else "a language section without xml:lang"
                raise InputError(message, path=path, line=line_of(section))
            terms += [_tbx_term(g, tag, path) for g in children(section, "termSec", "tig", "ntig", "term")]
        yield line_of(entry), terms


def _tbx_term(group: Element, tag: str, path: str) -> TbxTerm:
    words = [group] if local_name(group) == "term" else descendants(group, "term")
    text = " ".join("".join(words[0].itertext()).split()) if words else ""
    if not text:
        raise InputError("an empty term", path=path, line=line_of(group))
    term = TbxTerm(tag, text)
    for note in group.iter("{*}*"):
        # In the newer style the kind of a note is its name, <min:administrativeStatus>.
        kind = (note.get("type") or local_name(note)).replace("-", "").replace("_", "").lower()
        value = "".join(note.itertext()).strip()
        if kind in _STATUS_NOTES:
            term = term._replace(status=_status(value, path, line_of(note)))
        elif kind in _CASE_NOTES:
            term = term._replace(case=_yes(value, path, line_of(note)))
        elif kind in _KEEP_NOTES and _yes(value, path, line_of(note)):
            term = term._replace(status="do-not-translate")
    return term


# --- terms of each segment ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class SegmentTerms:
    """Terms for each segment of a test set, by the segment's source text or id."""

    by_source: Mapping[str, tuple[Term, ...]]
    by_id: Mapping[str, tuple[Term, ...]]

    def of(self, segment_id: str, source: str | None) -> tuple[Term, ...] | None:
        """The terms of a segment; `None` if it is not in the file."""
        # Ids are often just line numbers, so a unique source identifies its segment better.
        return self.by_source.get(source or "", self.by_id.get(segment_id))

    @cached_property
    def digest(self) -> str:
        """Changes when any term changes."""
        content = repr((sorted(self.by_source.items()), sorted(self.by_id.items())))
        return hashlib.sha256(content.encode()).hexdigest()[:12]


def read_segment_terms(path: str, *, column: str = "terms") -> SegmentTerms:
    """Read a JSON Lines file of records with a `source` or an `id`, and terms: `{"file": "Datei"}`.

    WMT25's terminology task has this form, with the columns `proper` and `random`. Ids decide for repeated
    sources.
    """
    by_source: dict[str, tuple[Term, ...]] = {}
    by_id: dict[str, tuple[Term, ...]] = {}
    repeated: set[str] = set()
    for line, record in json_objects(split_lines(read_bytes(path), path), path):
        given = record.get(column)
        if not isinstance(given, dict):
            keys = [key for key, value in record.items() if isinstance(value, dict)]
            what = f"Columns with terms: {', '.join(keys)}" if keys else 'Write {"term": "translation"}'
            raise InputError(f"no terms in column {column!r}. {what}", path=path, line=line)
        terms: list[Term] = []
        for source, value in given.items():
            cells = {_column(key): _cell(cell, key, path) for key, cell in _named(source, value).items()}
            terms += _terms_of(cells, path, line)
        if isinstance(record.get("source"), str):
            repeated |= {record["source"]} & by_source.keys()
            by_source[record["source"]] = tuple(terms)
        if record.get("id") is not None:
            by_id[str(record["id"])] = tuple(terms)
        if "source" not in record and "id" not in record:
            raise InputError("a record without source and id", path=path, line=line)
    if not by_id and repeated:
        raise InputError(f"the source {min(repeated)[:60]!r} occurs twice; give ids", path=path)
    known = {source: terms for source, terms in by_source.items() if source not in repeated}
    return SegmentTerms(known, by_id)
