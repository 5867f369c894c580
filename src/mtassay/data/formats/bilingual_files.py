"""Bilingual files in which only the translations change: gettext's PO and XLIFF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.localisation import (
    Content,
    FileUnits,
    LocalisationFile,
    LocalisationFormat,
    Slot,
    open_content,
)
from mtassay.data.formats.markup import Inline, MarkupNode, open_xml, read_nodes, tidy_breaks, write_inline
from mtassay.data.formats.tables import FileTable, TableBuilder
from mtassay.data.formats.xml_files import (
    Element,
    XmlFormat,
    children,
    descendants,
    flat_text,
    language_of,
    line_of,
)
from mtassay.data.languages import Pair

# Gettext's PO and POT: only `msgstr` changes in the entries.

_CHARSET = re.compile(rb"charset=([A-Za-z0-9_.:-]+)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_KEYWORD = re.compile(r"\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d+)\])?)\s*(?=\")")
_STRING = re.compile(r'\s*"((?:[^"\\\r\n]|\\.)*)"[ \t\r\f]*\n?\Z')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = {"\\": "\\\\", '"': '\\"', **{meaning: f"\\{letter}" for letter, meaning in _MEANINGS.items()}}
_SYNTAX = {
    "c-format": "printf", "objc-format": "printf", "php-format": "printf", "qt-format": "printf",
    "java-printf-format": "printf", "python-format": "python", "python-brace-format": "brace",
    "java-format": "java", "icu-message-format": "icu", "perl-brace-format": "brace",
}  # fmt: skip
# Gettext numbers the forms in the order of CLDR's categories; which ones there are depends on the language.
_CATEGORIES = {
    1: ("other",), 2: ("one", "other"), 3: ("one", "few", "other"), 4: ("one", "two", "few", "other"),
    5: ("one", "two", "few", "many", "other"), 6: ("zero", "one", "two", "few", "many", "other"),
}  # fmt: skip
_MANY = frozenset({"be", "pl", "ru", "uk"})
_WIDTH = 76


class Po(LocalisationFormat):
    """Gettext's catalogues of messages."""

    name = "po"
    suffixes = (".po", ".pot")

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each `msgstr`; its key is the `msgid`, after `msgctxt|` where there is one.

        The unit of a plural form is `KEY[NUMBER]`; the source of the form for one is `msgid`, that of all
        others `msgid_plural`. Obsolete entries (`#~`) and the header are no units.
        """
        charset = _CHARSET.search(data[:20000])
        declared = charset[1].decode() if charset else ""
        content = open_content(data, path, declared="" if declared == "CHARSET" else declared)
        return _Reader(content).file(self.name)

    def recognises(self, start: bytes) -> bool:
        return re.match(rb'(?:\s|#[^\n]*\n)*+msg(?:id|ctxt)\s+"', start) is not None


@dataclass(slots=True)
class _Field:
    text: list[str] = field(default_factory=list)
    start: int = 0
    end: int = 0

    @property
    def value(self) -> str:
        return _resolve("".join(self.text))


@dataclass(slots=True)
class _Entry:
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fields: dict[str, _Field] = field(default_factory=dict)
    start: int = -1


class _Reader:
    def __init__(self, content: Content) -> None:
        self.content = content
        self.units = FileUnits(content)
        self.break_ = "\r\n" if "\r\n" in content.text else "\n"
        # Whether long texts are wrapped: a string continues in the next line without ending in \n.
        self.wraps = re.search(r'[^n\\"]"[ \t]*\r?\n[ \t]*"', content.text) is not None
        self.header = ""
        self.count = 0

    def file(self, name: str) -> LocalisationFile:
        entry = _Entry()
        here: _Field | None = None
        for match in _LINE.finditer(self.content.text):
            line = match[0]
            stripped = line.strip()
            if not stripped:
                here = None
            elif stripped.startswith("#"):
                if entry.fields:
                    self.finish(entry)
                    entry = _Entry()
                here = None
                if stripped.startswith("#,"):
                    entry.flags += [flag.strip() for flag in stripped[2:].split(",")]
                elif stripped.startswith("#."):
                    entry.notes.append(stripped[2:].strip())
            else:
                keyword = _KEYWORD.match(line)
                if keyword is not None:
                    name_ = keyword[1]
                    if name_ in entry.fields or (name_ in ("msgid", "msgctxt") and "msgid" in entry.fields):
                        self.finish(entry)
                        entry = _Entry()
                    here = entry.fields[name_] = _Field(start=match.start() + keyword.end())
                    entry.start = match.start() if entry.start < 0 else entry.start
                string = _STRING.match(line, keyword.end() if keyword else 0)
                if string is None or here is None:
                    what = (
                        "expected msgid, msgstr or a text in quotes"
                        if keyword is None
                        else "a text without end"
                    )
                    raise self.content.error(what, match.start())
                here.text.append(string[1])
                here.end = match.start() + string.end(1) + 1
        if entry.fields:
            self.finish(entry)
        if not self.count:
            raise self.content.error("no msgid and msgstr in it")
        language = re.search(r"^Language:[ \t]*([A-Za-z_@.-]+)", self.header, re.MULTILINE)
        return LocalisationFile(
            self.content, name, self.units, languages=("", language[1] if language else "")
        )

    def finish(self, entry: _Entry) -> None:
        fields = entry.fields
        if "msgid" not in fields or not any(name.startswith("msgstr") for name in fields):
            missing = "msgid" if "msgid" not in fields else "msgstr"
            raise self.content.error(f"an entry without {missing}", entry.start)
        self.count += 1
        msgid = fields["msgid"].value
        if not msgid and "msgctxt" not in fields:
            self.header = self.header or fields.get("msgstr", _Field()).value
            return
        key = f"{fields['msgctxt'].value}|{msgid}" if "msgctxt" in fields else msgid
        facts: dict[str, Any] = {}
        for flag in entry.flags:
            if flag in _SYNTAX:
                facts["syntax"] = _SYNTAX[flag]
            elif flag == "fuzzy":
                facts["fuzzy"] = True
            elif flag.startswith("max-length:") and flag[11:].isdecimal():
                facts["max_length"] = int(flag[11:])
        note = "\n".join(entry.notes)
        plural = fields["msgid_plural"].value if "msgid_plural" in fields else None
        forms = [name for name in fields if name.startswith("msgstr")]
        for number, name in enumerate(forms):
            place = fields[name]
            target = place.value
            more, source, unit_key, group = facts, msgid, key, ""
            if plural is not None:
                category = self.category(number, len(forms))
                more = {**facts, "plural": category}
                source = msgid if number == 0 and len(forms) > 1 else plural
                unit_key, group = f"{key}[{number}]", key
            indent = len(name) + 1
            slot = Slot(place.start, place.end, partial(self.write, indent=indent))
            self.units.add(
                unit_key, source, target or None, entry.start, note=note, facts=more, slot=slot, group=group
            )

    def category(self, number: int, forms: int) -> str:
        match = re.search(r"^Language:[ \t]*([a-z]+)", self.header, re.MULTILINE)
        names = _CATEGORIES.get(forms, ())
        if forms == 3 and match and match[1] in _MANY:
            names = ("one", "few", "many")
        return names[number] if number < len(names) else "other"

    def write(self, text: str, *, indent: int) -> str:
        """Write a text as gettext does: line by line, with long lines wrapped if the file does so."""
        lines = re.findall(r"[^\n]*\n|[^\n]+", text) or [""]
        written = ["".join(_WRITTEN.get(c, c) for c in line) for line in lines]
        is_short = not self.wraps or len(written[0]) + indent + 2 <= _WIDTH + 3
        if len(written) == 1 and is_short:
            return f'"{written[0]}"'
        if self.wraps:
            written = [piece for line in written for piece in _wrapped(line)]
        return self.break_.join(['""', *(f'"{line}"' for line in written)])


def _wrapped(line: str) -> list[str]:
    pieces, here = [], ""
    for word in re.findall(r"(?:[^\s\\]|\\.)*\s*", line):
        if here and len(here) + len(word) > _WIDTH:
            pieces.append(here)
            here = ""
        here += word
    return [*pieces, here] if here else pieces


def _resolve(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "01234567":
        return chr(int(code, 8))
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return _MEANINGS.get(code, code)


# XLIFF 1.2 and 2.x: units with source and target; inline codes and layout stay unchanged.

_UNTRANSLATED = frozenset({"new", "needs-translation", "initial"})


class _Unit(NamedTuple):
    id: str
    element: Element
    state: str
    """Of an empty target: whether it is a translation or unfinished."""


class Xliff(XmlFormat, LocalisationFormat):
    """Files of units with a source and a target."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")
    roots = ("xliff",)

    def read_root(self, root: Element, path: str, pair: Pair | None) -> FileTable:
        """One row per `trans-unit` (1.2) or `segment` (2.x), with the id `FILE:UNIT` or `FILE:UNIT:SEGMENT`.

        A unit without `target` is untranslated: its text is missing. The same holds for an empty target whose
        state says that it is untranslated. Files in other languages than the pair's are left out.
        """
        table = TableBuilder(path, says_missing=True)
        other_pairs: set[str] = set()
        for number, file in enumerate(descendants(root, "file"), start=1):
            source, target = _languages(root, file)
            if not _fits(source, target, pair):
                other_pairs.add(f"{source or '?'}:{target or '?'}")
                continue
            document = file.get("original") or file.get("id") or str(number)
            for unit in _units(file, path):
                line = line_of(unit.element)
                texts = {n: next(iter(children(unit.element, n)), None) for n in ("source", "target")}
                if texts["source"] is None:
                    raise InputError("a unit without source", path=path, line=line)
                unit_id = f"{document}:{unit.id}"
                row = table.row(unit_id, line=line, document=document, must_be_new=True)
                source_text = flat_text(texts["source"], path=path, unit=unit_id)
                table.put(row, "source", source_text, line=line)
                target_text = (
                    None if texts["target"] is None else flat_text(texts["target"], path=path, unit=unit_id)
                )
                is_missing = not target_text and unit.state in _UNTRANSLATED
                table.put(row, "target", None if is_missing else target_text, line=line)
        built = table.build()
        if not built.columns:
            what = (
                f"no segments for {pair}; it holds {', '.join(sorted(other_pairs))}"
                if other_pairs
                else "no segments"
            )
            raise InputError(what, path=path)
        return built

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each `trans-unit` or `segment`, as in `read_root`; inline elements as written."""
        content = open_xml(data, path)
        root = read_nodes(content, "xliff")
        units = FileUnits(content)
        stated = ("", "")
        others: set[str] = set()
        for number, file in enumerate(root.walk("file"), start=1):
            source = file.get("source-language") or root.get("srcLang")
            target = file.get("target-language") or root.get("trgLang")
            if not _fits(source, target, pair):
                others.add(f"{source or '?'}:{target or '?'}")
                continue
            stated = (stated[0] or source, stated[1] or target)
            document = file.get("original") or file.get("id") or str(number)
            for unit in file.walk("trans-unit", "unit"):
                _add(units, unit, document, content)
        if not units:
            held = f" for {pair}; it holds {', '.join(sorted(others))}" if others else ""
            raise InputError(f"no segments{held}", path=path)
        return LocalisationFile(content, self.name, units, languages=stated)


_OPAQUE = frozenset({"ph", "bpt", "ept", "it", "ut"})
"""Elements with code, not text, inside."""


def _add(units: FileUnits, unit: MarkupNode, document: str, content: Content) -> None:
    unit_id = unit.get("id")
    if not unit_id:
        raise content.error("a unit without id", unit.start)
    segments = [child for child in unit.children if child.name == "segment"]
    parts = [(unit_id, unit)] if unit.name == "trans-unit" else []
    for number, segment in enumerate(segments, start=1):
        whole = f"{unit_id}:{segment.get('id') or number}" if len(segments) > 1 else unit_id
        parts.append((whole, segment))
    facts: dict[str, Any] = {}
    if unit.inherited("translate") == "no":
        facts["translatable"] = False
    if (length := _max_length(unit)) is not None:
        facts["max_length"] = length
    notes = unit.child("notes") or unit
    note = "\n".join(Inline.of(content.text, n).text for n in notes.children if n.name == "note")
    for name, part in parts:
        source, target = part.child("source"), part.child("target")
        if source is None:
            raise content.error("a unit without source", part.start)
        state = (target or part).get("state") if unit.name == "trans-unit" else part.get("state")
        state = state or ("initial" if unit.name == "unit" else "new" if target is None else "")
        own = {**facts, "state": state} if state else dict(facts)
        keeps_space = source.inherited("space") == "preserve"
        source_text, codes = _text(content.text, source, keeps_space)
        target_text, more = _text(content.text, target, keeps_space) if target else (None, [])
        if codes or more:
            own["codes"] = tuple(dict.fromkeys([*codes, *more]))
        if not target_text and state in _UNTRANSLATED:
            target_text = None
        write = partial(_written, codes=(*codes, *more), keeps_space=keeps_space)
        slot = _slot(content.text, source, target, part.child("seg-source"), write)
        units.add(f"{document}:{name}", source_text, target_text, part.start, note=note, facts=own, slot=slot)


def _max_length(unit: MarkupNode) -> int | None:
    """`maxwidth` of 1.2 unless in pixels and similar, or the restriction of 2.x."""
    if width := unit.get("maxwidth"):
        return int(width) if width.isdecimal() and unit.get("size-unit") in ("", "char") else None
    limit = unit.get("sizeRestriction").rpartition(",")[2].strip()
    return int(limit) if limit.isdecimal() else None


_LAYOUT = re.compile(r"\s*[\r\n]")


def _text(text: str, node: MarkupNode, keeps_space: bool) -> tuple[str, list[str]]:
    literal = (lambda raw: raw.replace("\r\n", "\n")) if keeps_space else tidy_breaks
    inline = Inline.of(text, node, opaque=_OPAQUE, literal=literal)
    if not keeps_space:
        if _LAYOUT.match(text, node.inside, node.inside_end):
            inline.text = inline.text.removeprefix(" ")
        if re.search(r"[\r\n][ \t]*\Z", text[node.inside : node.inside_end][-200:]):
            inline.text = inline.text.removesuffix(" ")
    return inline.text, inline.codes


def _written(target: str, *, codes: tuple[str, ...], keeps_space: bool) -> str:
    written = write_inline(target, codes)
    return written if keeps_space else written.replace("\n", "&#10;")


def _slot(
    text: str, source: MarkupNode, target: MarkupNode | None, segmented: MarkupNode | None, write: Any
) -> Slot:
    if target is not None and not target.is_empty:
        return Slot(target.inside, target.inside_end, write)
    if target is not None:
        tag = text[target.start : target.end].removesuffix("/>").rstrip()
        name = re.match(r"<([^\s/>]+)", tag)
        assert name is not None
        return Slot(target.start, target.end, lambda new: f"{tag}>{write(new)}</{name[1]}>")
    before = text[max(0, source.start - 500) : source.start]
    layout = re.search(r"(\r?\n[ \t]*)\Z", before)
    at = max(source.end, segmented.end if segmented else 0)
    prefix = text[source.start + 1 : text.index("source", source.start)]
    tag = f"{prefix}target"
    return Slot(at, at, lambda new: f"{layout[1] if layout else ''}<{tag}>{write(new)}</{tag}>")


def _languages(root: Element, file: Element) -> tuple[str | None, str | None]:
    """Source and target as the file states them: on `file` in 1.2, on `xliff` in 2.x."""
    return (
        file.get("source-language") or root.get("srcLang"),
        file.get("target-language") or root.get("trgLang"),
    )


def _fits(source: str | None, target: str | None, pair: Pair | None) -> bool:
    if pair is None:
        return True
    stated = ((language_of(source), pair.source), (language_of(target), pair.target))
    return all(language is None or language.matches(wanted) for language, wanted in stated)


def _units(file: Element, path: str) -> Iterator[_Unit]:
    for unit in file.iter("{*}trans-unit", "{*}unit"):
        unit_id = unit.get("id")
        if not unit_id:
            raise InputError("a unit without id", path=path, line=line_of(unit))
        segments = children(unit, "segment")
        for number, segment in enumerate(segments, start=1):
            part = segment.get("id") or str(number)
            whole = f"{unit_id}:{part}" if len(segments) > 1 else unit_id
            yield _Unit(whole, segment, segment.get("state") or "initial")
        if unit.tag.endswith("trans-unit"):
            target = next(iter(children(unit, "target")), None)
            yield _Unit(unit_id, unit, "new" if target is None else target.get("state") or "")
