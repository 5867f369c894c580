"""XML elements with their places, so that one can be changed and the rest stays.

`xml_files` has parsed the file before, so the input here is well-formed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from mtassay.data.errors import InputError
from mtassay.data.formats.localisation import Content, open_content
from mtassay.data.formats.xml_files import parse_xml

_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_TOKEN = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(?P<cdata>.*?)\]\]>|<\?.*?\?>|<!DOCTYPE[^\[<>]*+(?:\[.*?\]\s*+)?+>"
    r"|</(?P<close>[^\s<>]++)\s*+>"
    r"""|<(?P<open>[^\s/<>!?]++)(?P<attributes>(?:[^"'/<>]++|/(?!>)|"[^"]*+"|'[^']*+')*+)(?P<empty>/?+)>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<![^\s"'])([^\s="']++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_REFERENCE = re.compile(r"&(?:#([0-9]+)|#x([0-9a-fA-F]+)|([^\s;&]+));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_BREAK = re.compile(r"(?<![ \t\r\n])[ \t]*+[\r\n][ \t\r\n]*+")
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True, eq=False)
class MarkupNode:
    """An element: the places of it and of its content, and its child elements."""

    name: str
    attributes: str
    start: int
    inside: int
    parent: MarkupNode | None = None
    inside_end: int = 0
    end: int = 0
    is_empty: bool = False
    """Whether it is an empty-element tag, `<target/>`."""
    children: list[MarkupNode] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute by its local name; empty if missing."""
        if name not in self.attributes:
            return ""
        for key, double, single in _ATTRIBUTE.findall(self.attributes):
            if key == name or key.rpartition(":")[2] == name:
                return resolve(double or single)
        return ""

    def inherited(self, name: str) -> str:
        """An attribute of the element or of its nearest ancestor that has it."""
        node: MarkupNode | None = self
        while node is not None:
            if value := node.get(name):
                return value
            node = node.parent
        return ""

    def child(self, name: str) -> MarkupNode | None:
        """The first child with this local name."""
        return next((child for child in self.children if child.name == name), None)

    def walk(self, *names: str) -> Iterator[MarkupNode]:
        """All elements below with one of these local names, in the order of the file."""
        waiting = list(reversed(self.children))
        while waiting:
            node = waiting.pop()
            if node.name in names:
                yield node
            waiting.extend(reversed(node.children))


def open_xml(data: bytes, path: str, *, entities: bool = False) -> Content:
    """Decode an XML file that is well-formed and, unless allowed, declares no entities."""
    parse_xml(data, path, entities=entities)
    declared = _DECLARED.match(data.lstrip()[:200])
    return open_content(
        data, path, declared=declared[1].decode() if declared else "", errors="xmlcharrefreplace"
    )


def read_nodes(content: Content, *roots: str) -> MarkupNode:
    """Read the root element with all below it; an `InputError` for any other root."""
    top = MarkupNode("", "", 0, 0)
    here = top
    for token in _TOKEN.finditer(content.text):
        if token["open"] is not None:
            name = token["open"].rpartition(":")[2]
            node = MarkupNode(name, token["attributes"], token.start(), token.end(), here)
            here.children.append(node)
            if token["empty"]:
                node.inside_end = node.end = token.end()
                node.is_empty = True
            else:
                here = node
        elif token["close"] is not None and here.parent is not None:
            here.inside_end, here.end = token.start(), token.end()
            here = here.parent
    root = top.children[0] if top.children else None
    if root is None or root.name not in roots or here is not top:
        found = f"<{root.name}>" if root else "no element"
        raise InputError(f"{found} is the root, expected <{roots[0]}>", path=content.path)
    root.parent = None
    return root


def resolve(text: str, keep: Callable[[str], None] | None = None) -> str:
    """Replace entities by characters. One that XML does not know stays unchanged and is passed to `keep`."""
    if "&" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match[3]:
            if match[3] in _NAMED:
                return _NAMED[match[3]]
        else:
            number = int(match[1]) if match[1] else int(match[2], 16)
            if 0 < number < 0x110000:
                return chr(number)
        if keep is not None:
            keep(match[0])
        return match[0]

    return _REFERENCE.sub(character, text)


def tidy_breaks(text: str) -> str:
    """Replace line breaks of the layout, with the spaces around them, by one space."""
    return _BREAK.sub(" ", text) if "\n" in text or "\r" in text else text


@dataclass(slots=True)
class Inline:
    """The content of an element as text: inline elements stay unchanged and are listed in `codes`.

    `literal` converts characters between tags, before entities are resolved; `opaque` names elements that
    are codes with all their content.
    """

    text: str
    codes: list[str]

    @classmethod
    def of(
        cls,
        source: str,
        node: MarkupNode,
        *,
        opaque: Collection[str] = (),
        literal: Callable[[str], str] | None = None,
    ) -> Inline:
        """The content between the tags of a node."""
        raw = source[node.inside : node.inside_end]
        if "<" not in raw:
            codes: list[str] = []
            return cls(resolve(literal(raw) if literal else raw, codes.append), codes)
        pieces: list[str] = []
        codes = []
        found = cls("", codes)
        at, position = 0, node.inside
        skip_until = -1
        ends = {child.start: child for child in node.walk(*opaque)} if any(n in raw for n in opaque) else {}
        for token in _TOKEN.finditer(raw):
            if token.start() < skip_until:
                at = max(at, token.end())
                continue
            between = raw[at : token.start()]
            if between:
                pieces.append(resolve(literal(between) if literal else between, codes.append))
            at = token.end()
            if token["cdata"] is not None:
                pieces.append(token["cdata"])
            elif token[0].startswith("<!--"):
                continue
            else:
                child = ends.get(position + token.start()) if token["open"] else None
                end = child.end - position if child else token.end()
                code = raw[token.start() : end]
                skip_until = at = end
                codes.append(code)
                pieces.append(code)
        if raw[at:]:
            pieces.append(resolve(literal(raw[at:]) if literal else raw[at:], codes.append))
        found.text = "".join(pieces)
        return found


def escape(text: str) -> str:
    """Escape characters as XML text; a `ValueError` for characters that XML forbids.

    >>> escape("a < b & c")
    'a &lt; b &amp; c'
    """
    if bad := _NOT_XML.search(text):
        raise ValueError(f"XML cannot hold the character U+{ord(bad[0]):04X}")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def write_inline(text: str, codes: Collection[str], literal: Callable[[str], str] = escape) -> str:
    """Convert a text to the content of an element: codes unchanged, the rest by `literal`.

    >>> write_inline('<g id="1">a & b</g> <i>', ['<g id="1">', "</g>"])
    '<g id="1">a &amp; b</g> &lt;i&gt;'
    """
    if not codes:
        return literal(text)
    pattern = re.compile("|".join(map(re.escape, sorted(set(codes), key=len, reverse=True))))
    pieces, at = [], 0
    is_open: list[str] = []
    for code in pattern.finditer(text):
        if text[at : code.start()]:
            pieces.append(literal(text[at : code.start()]))
        pieces.append(code[0])
        at = code.end()
        tag = _TOKEN.fullmatch(code[0])
        if tag and tag["open"] and not tag["empty"]:
            is_open.append(tag["open"])
        elif tag and tag["close"] and (not is_open or is_open.pop() != tag["close"]):
            raise ValueError(f"the inline code {code[0]} closes nothing here")
    if is_open:
        raise ValueError(f"the inline code <{is_open[-1]}> is not closed")
    pieces.append(literal(text[at:]) if text[at:] else "")
    return "".join(pieces)
