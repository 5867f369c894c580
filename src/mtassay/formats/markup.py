"""XML read safely: no entities, no network, no external files, and errors that name the line."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Any

from mtassay.errors import InputError, UsageError
from mtassay.formats.table import Format, Table
from mtassay.languages import Language, Pair, parse_language
from mtassay.registry import each

Element = Any
"""An lxml element; lxml has no types of its own."""

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# libxml2 stores element lines in 16 bits, so beyond that it can only say "somewhere later".
_LAST_KNOWN_LINE = 65535

_LINE_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t\r\n]*")


class XmlFormat(Format):
    """XML, which its root element tells: the name of a file only says that it is XML of some format."""

    @abstractmethod
    def read_root(self, root: Element, path: str, pair: Pair | None) -> Table:
        """All that a document with one of the `roots` holds."""

    def read(self, data: bytes, path: str, pair: Pair | None) -> Table:
        """By the format that has the root element, this one or another."""
        formats: list[Format] = [format_class() for format_class in each("format") if format_class.roots]
        for other in formats:
            # SGML often has the name of XML and is not well-formed, so it must be known before it is parsed.
            if not isinstance(other, XmlFormat) and other.recognises(data):
                return other.read(data, path, pair)
        root = parse_xml(data, path)
        name = local_name(root)
        for other in formats:
            if name in other.roots:
                if isinstance(other, XmlFormat):
                    return other.read_root(root, path, pair)
                return other.read(data, path, pair)
        *most, last = ", ".join(other.roots_shown or ", ".join(other.roots) for other in formats).split(", ")
        raise InputError(
            f"<{name}> is not read. The root must be {', '.join(most)} or {last}",
            path=path,
            line=root.sourceline,
        )

    def recognises(self, start: bytes) -> bool:
        """By the root element, or as XML, of which `read` finds out the format."""
        roots = "|".join(map(re.escape, self.roots))
        return bool(re.match(rf"\s*<(\?xml\s|({roots})[\s>])".encode(), start, re.IGNORECASE))


def parse_xml(data: bytes, path: str) -> Element:
    """The root element. A document that declares or uses entities of its own is refused."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        what = " ".join((error.msg or "no element").split())
        raise InputError(f"not well-formed XML: {what}", path=path, line=error.lineno or None) from None
    except (ValueError, LookupError) as error:
        raise InputError(f"not readable as XML: {error}", path=path) from None
    document_type = root.getroottree().docinfo.internalDTD
    if document_type is not None and next(document_type.iterentities(), None) is not None:
        raise InputError("it declares entities, which are not read. Replace them by their text", path=path)
    for entity in root.iter(etree.Entity):
        raise InputError(
            f"entity {entity.text} is not defined. Write the character itself",
            path=path,
            line=line_of(entity),
        )
    return root


def line_of(element: Element) -> int | None:
    """The line an element begins on, where the parser knows it."""
    line: int | None = element.sourceline
    return None if line is None or line >= _LAST_KNOWN_LINE else line


def local_name(element: Element) -> str:
    """The tag without its namespace: `{urn:…}source` is `source`."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def children(element: Element, *names: str) -> list[Element]:
    """The direct children with one of these local names, in order."""
    return [child for child in element if local_name(child) in names]


def descendants(element: Element, name: str) -> list[Element]:
    """All elements below with this local name, in document order."""
    return [child for child in element.iter(f"{{*}}{name}") if child is not element]


def flat_text(element: Element, *, codes: frozenset[str] = frozenset()) -> str:
    """All text inside, without the elements named in `codes`, which hold native markup rather than text.

    What a `sub` inside such an element holds is text again (TMX 1.4 and XLIFF 1.2 agree on this).
    """
    return tidy("".join(_pieces(element, codes)))


def tidy(text: str) -> str:
    r"""One line: a line break with the blanks around it becomes a space, and the ends are trimmed.

    >>> tidy("\n  one\n    two  three ")
    'one two  three'
    """
    return _LINE_BREAK.sub(" ", text).strip(" \t\r\n")


def language_of(tag: str | None) -> Language | None:
    """The language a file states, `None` where it states none or one that we do not know."""
    try:
        return parse_language(tag) if tag else None
    except UsageError:
        return None


def _pieces(element: Element, codes: frozenset[str], *, is_code: bool = False) -> list[str]:
    pieces = [] if is_code else [element.text or ""]
    for child in element:
        name = local_name(child)
        pieces += _pieces(child, codes, is_code=name in codes or (is_code and name != "sub"))
        if not is_code:
            pieces.append(child.tail or "")
    return pieces
