"""XLIFF 1.2 and 2.x: bilingual files of translation tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mtassay.errors import InputError
from mtassay.formats.markup import Element, XmlFormat, children, descendants, flat_text, language_of, line_of
from mtassay.formats.table import Table, TableBuilder
from mtassay.languages import Pair

# What these hold in XLIFF 1.2 is native markup; "g", "mrk" and, in 2.x, "pc" hold text.
_CODES = frozenset({"bpt", "ept", "it", "ph"})
_UNTRANSLATED = frozenset({"new", "needs-translation", "initial"})


class _Unit(NamedTuple):
    id: str
    element: Element
    state: str
    """Of an empty target: whether it is a translation or just not done yet."""


class Xliff(XmlFormat):
    """Files of units with a source and a target."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")
    roots = ("xliff",)

    def read_root(self, root: Element, path: str, pair: Pair | None) -> Table:
        """One row per `trans-unit` (1.2) or `segment` (2.x), with the id `FILE:UNIT` or `FILE:UNIT:SEGMENT`.

        A unit without `target` is untranslated: its text is missing. So it is where the target is empty and
        its state says that nobody translated it. Files in other languages than the pair's are left out.
        """
        table = TableBuilder(path, says_missing=True)
        seen: set[str] = set()
        for number, file in enumerate(descendants(root, "file"), start=1):
            source, target = _languages(root, file)
            if not _fits(source, target, pair):
                seen.add(f"{source or '?'}:{target or '?'}")
                continue
            document = file.get("original") or file.get("id") or str(number)
            for unit in _units(file, path):
                line = line_of(unit.element)
                texts = {
                    name: next(iter(children(unit.element, name)), None) for name in ("source", "target")
                }
                if texts["source"] is None:
                    raise InputError("a unit without source", path=path, line=line)
                row = table.row(f"{document}:{unit.id}", line=line, document=document, must_be_new=True)
                table.put(row, "source", flat_text(texts["source"], codes=_CODES), line=line)
                table.put(row, "target", _target(texts["target"], unit.state), line=line)
        built = table.build()
        if not built.columns:
            what = f"no segments for {pair}; it holds {', '.join(sorted(seen))}" if seen else "no segments"
            raise InputError(what, path=path)
        return built


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


def _target(element: Element | None, state: str) -> str | None:
    text = None if element is None else flat_text(element, codes=_CODES)
    return None if not text and state in _UNTRANSLATED else text
