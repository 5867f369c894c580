"""Translation memories in TMX 1.4: each unit holds one segment in several languages."""

from __future__ import annotations

from mtassay.errors import InputError, UsageError
from mtassay.formats.markup import (
    XML_LANG,
    Element,
    XmlFormat,
    children,
    descendants,
    flat_text,
    language_of,
    line_of,
)
from mtassay.formats.table import Table, TableBuilder
from mtassay.languages import Language, Pair

# Elements that hold native markup ("bpt" is "begin paired tag" and so on); "hi" holds text.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})


class Tmx(XmlFormat):
    """Units with a variant for each language."""

    name = "tmx"
    suffixes = (".tmx",)
    roots = ("tmx",)

    def read_root(self, root: Element, path: str, pair: Pair | None) -> Table:
        """One row per unit that has the pair's source or target; its id is `tuid`, else its number.

        Where a unit has several variants that fit a language, the one with the same tag counts, else the
        first.
        """
        units = descendants(root, "tu")
        if pair is None:
            languages = sorted(
                {tag for unit in units for variant in children(unit, "tuv") if (tag := _tag(variant))}
            )
            raise UsageError(
                f"{path}: a TMX file needs a language pair; it holds {', '.join(languages) or 'none'}."
            )
        table = TableBuilder(path, says_missing=True)
        seen: set[str] = set()
        for number, unit in enumerate(units, start=1):
            variants = [(_tag(variant), variant) for variant in children(unit, "tuv")]
            seen.update(tag for tag, _ in variants)
            source, target = _best(variants, pair.source), _best(variants, pair.target)
            if source is None and target is None:
                continue
            line = line_of(unit)
            row = table.row(unit.get("tuid") or str(number), line=line, must_be_new=True)
            table.put(row, "source", _text(source, path), line=line)
            table.put(row, "target", _text(target, path), line=line)
        built = table.build()
        if not built.columns:
            raise InputError(
                f"no segments for {pair}; it holds {', '.join(sorted(seen)) or 'none'}", path=path
            )
        return built


def _tag(variant: Element) -> str:
    """The language as the file writes it; TMX before 1.4 had `lang` without namespace."""
    return variant.get(XML_LANG) or variant.get("lang") or ""


def _best(variants: list[tuple[str, Element]], wanted: Language) -> Element | None:
    fitting = [
        (language, v) for tag, v in variants if (language := language_of(tag)) and language.matches(wanted)
    ]
    exact = [variant for language, variant in fitting if language == wanted]
    return next(iter(exact), fitting[0][1] if fitting else None)


def _text(variant: Element | None, path: str) -> str | None:
    if variant is None:
        return None
    segment = next(iter(children(variant, "seg")), None)
    if segment is None:
        raise InputError("tuv without seg", path=path, line=line_of(variant))
    return flat_text(segment, codes=_CODES)
