"""XLIFF 1.2 and 2.x: units with source and target, whose inline codes and layout stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.localisation import Content, FileUnits, LocalisationFile, LocalisationFormat, Slot
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

_UNTRANSLATED = frozenset({"new", "needs-translation", "initial"})


class _Unit(NamedTuple):
    id: str
    element: Element
    state: str
    """Of an empty target: whether it is a translation or just not done yet."""


class Xliff(XmlFormat, LocalisationFormat):
    """Files of units with a source and a target."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")
    roots = ("xliff",)

    def read_root(self, root: Element, path: str, pair: Pair | None) -> FileTable:
        """One row per `trans-unit` (1.2) or `segment` (2.x), with the id `FILE:UNIT` or `FILE:UNIT:SEGMENT`.

        A unit without `target` is untranslated: its text is missing. So it is where the target is empty and
        its state says that nobody translated it. Files in other languages than the pair's are left out.
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
                texts = {
                    name: next(iter(children(unit.element, name)), None) for name in ("source", "target")
                }
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
"""What these hold is code, not text."""


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
