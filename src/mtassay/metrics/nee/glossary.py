"""Glossaries: names that are as good as each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from mtassay.errors import InputError, UsageError
from mtassay.formats.text import decode, read_bytes, split_lines
from mtassay.languages import parse_language
from mtassay.texts.normalisation import Normaliser

_ENTRIES = {"termEntry", "conceptEntry"}
_LANGUAGES = {"langSet", "langSec"}
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class NameGlossary:
    """For a normalised name, all texts that are accepted in its place."""

    def __init__(self, rows: Iterable[tuple[str, ...]], normaliser: Normaliser) -> None:
        self._variants: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            for text in row:
                self._variants.setdefault(tuple(normaliser.words(text)), []).extend(row)

    def variants(self, tokens: tuple[str, ...]) -> list[str]:
        """Texts that may stand for the name with these tokens; none where the glossary does not have it."""
        return self._variants.get(tokens, [])


def read_glossary(path: str, *, language: str = "") -> list[tuple[str, ...]]:
    """One tuple of interchangeable names per line of a TSV, or per entry of a TBX file.

    In a TSV, all names are in the target language. In TBX, only terms of `language` count, and all
    terms where it is "". Blank lines are passed over.
    """
    data = read_bytes(path)
    if PurePath(path).suffix.lower() in (".tbx", ".xml") or data.lstrip()[:5] == b"<?xml":
        return list(_read_tbx(data, path, language))
    rows = []
    for number, line in enumerate(split_lines(data, path), start=1):
        if line.strip():
            names = tuple(name.strip() for name in line.split("\t") if name.strip())
            if len(names) < 2:
                raise InputError("expected an entity, a tab and a variant", path=path, line=number)
            rows.append(names)
    return rows


def fingerprint(path: str) -> str:
    """The name of a file with the start of its SHA-256, so that a changed glossary shows."""
    return f"{PurePath(path).name}({hashlib.sha256(read_bytes(path)).hexdigest()[:8]})"


def _read_tbx(data: bytes, path: str, language: str) -> Iterator[tuple[str, ...]]:
    from lxml import etree

    decode(data, path)
    # A termbase has no business with entities, other files or the network.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"not XML: {error.msg}", path=path, line=error.lineno) from None
    entries = [node for node in root.iter(etree.Element) if _name(node) in _ENTRIES]
    if not entries:
        raise InputError("no termEntry or conceptEntry: this is not TBX", path=path)
    for entry in entries:
        terms = [
            " ".join("".join(term.itertext()).split())
            for part in entry.iter(etree.Element)
            if _name(part) in _LANGUAGES and _is_in(part.get(_XML_LANG), language)
            for term in part.iter(etree.Element)
            if _name(term) == "term"
        ]
        yield tuple(term for term in terms if term)


def _name(node: object) -> str:
    tag: str = node.tag  # type: ignore[attr-defined]
    return tag.rpartition("}")[2]


def _is_in(tag: str | None, language: str) -> bool:
    if not language or tag is None:
        return not language
    try:
        return parse_language(tag).matches(parse_language(language))
    except UsageError:
        return False
