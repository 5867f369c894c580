"""Android's string resources: strings, plurals and arrays, with its own escapes and white space."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from mtassay.data.formats.localisation import Content, FileUnits, LocalisationFile, LocalisationFormat, Slot
from mtassay.data.formats.markup import Inline, MarkupNode, escape, open_xml, read_nodes, write_inline
from mtassay.data.formats.tables import FileTable
from mtassay.data.formats.xml_files import Element, XmlFormat
from mtassay.data.languages import Pair

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)|(\")|([ \t\r\n]+)", re.DOTALL)
_MEANINGS = {"n": "\n", "t": "\t"}
_REFERENCE = re.compile(r"\s*[@?](?:\+?[\w.]+:)?\w+/[\w.]+\s*")


class AndroidStrings(XmlFormat, LocalisationFormat):
    """`strings.xml` of Android."""

    name = "android"
    roots = ("resources",)
    roots_shown = "resources (Android)"
    is_monolingual = True

    def read_root(self, root: Element, path: str, pair: Pair | None) -> FileTable:
        """The texts in the order of the file, without untranslatable ones."""
        from lxml import etree

        # lxml has parsed it, but its tree lacks places in the text.
        data = etree.tostring(root.getroottree(), encoding="utf-8", xml_declaration=True)
        return self.table(self.open(data, path, pair))

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each `string`, and for each `item` of plurals (`KEY[few]`) and arrays (`KEY[0]`)."""
        content = open_xml(data, path, entities=True)
        root = read_nodes(content, "resources")
        units = FileUnits(content)
        comments = {m.end(): m[1].strip() for m in re.finditer(r"<!--(.*?)-->\s*", content.text, re.DOTALL)}
        for node in root.children:
            name = node.get("name")
            note = comments.get(node.start, "")
            if node.name not in ("string", "plurals", "string-array", "item"):
                continue
            if not name:
                raise content.error(f"<{node.name}> has no name", node.start)
            facts: dict[str, Any] = {}
            if node.get("translatable") == "false" or root.get("translatable") == "false":
                facts["translatable"] = False
            if node.name == "string" or (node.name == "item" and node.get("type") == "string"):
                _add(units, content, node, name, note, facts, "")
            for number, item in enumerate(node.children if node.name in ("plurals", "string-array") else ()):
                if item.name != "item":
                    continue
                quantity = item.get("quantity")
                own = {**facts, "plural": quantity} if quantity else facts
                _add(
                    units, content, item, f"{name}[{quantity or number}]", note, own, name if quantity else ""
                )
        return LocalisationFile(content, self.name, units, is_monolingual=True)


def _add(
    units: FileUnits,
    content: Content,
    node: MarkupNode,
    key: str,
    note: str,
    facts: dict[str, Any],
    group: str,
) -> None:
    inline = Inline.of(content.text, node, opaque=("g",))
    raw = content.text[node.inside : node.inside_end]
    facts = dict(facts)
    if "%" in raw and node.get("formatted") != "false":
        facts["syntax"] = "printf"
    if inline.codes:
        facts["codes"] = tuple(dict.fromkeys(inline.codes))
    if _REFERENCE.fullmatch(raw):
        facts["translatable"] = False
    text = _plain(inline)
    is_cdata = (
        raw.strip().startswith("<![CDATA[") and raw.count("<![CDATA[") == 1 and raw.strip().endswith("]]>")
    )
    is_quoted = len(raw) > 1 and raw[0] == raw[-1] == '"' and raw.count('"') == 2
    write = partial(_written, codes=tuple(inline.codes), is_cdata=is_cdata, is_quoted=is_quoted)
    if node.is_empty:
        tag = content.text[node.start : node.end].removesuffix("/>").rstrip()
        name = re.match(r"<([^\s/>]+)", tag)
        assert name is not None
        slot = Slot(node.start, node.end, lambda new: f"{tag}>{write(new)}</{name[1]}>")
    else:
        slot = Slot(node.inside, node.inside_end, write)
    units.add(key, None, text, node.start, note=note, facts=facts, slot=slot, group=group)


def _plain(inline: Inline) -> str:
    """The text that a user sees: escapes resolved, white space outside of quotes one space, ends trimmed."""
    if not inline.codes:
        return _resolved(inline.text)
    # A code may contain quotes and backslashes, which have no meaning here.
    parts = re.split(
        "(" + "|".join(map(re.escape, sorted(set(inline.codes), key=len, reverse=True))) + ")", inline.text
    )
    kept = "".join(part if i % 2 == 0 else "\ue000" for i, part in enumerate(parts))
    codes = iter(parts[1::2])
    return re.sub("\ue000", lambda _: next(codes), _resolved(kept))


def _resolved(text: str) -> str:
    if not re.search(r'[\\"\t\r\n]|  |^ | $', text):
        return text
    pieces: list[str] = []
    is_quoted, at = False, 0
    protected: set[int] = set()
    for match in _ESCAPE.finditer(text):
        pieces.append(text[at : match.start()])
        at = match.end()
        if match[1]:
            code = match[1]
            pieces.append(chr(int(code[1:], 16)) if len(code) == 5 else _MEANINGS.get(code, code))
            protected.add(len(pieces) - 1)
        elif match[2]:
            is_quoted = not is_quoted
        else:
            pieces.append(match[3] if is_quoted else " ")
            if is_quoted:
                protected.add(len(pieces) - 1)
    pieces.append(text[at:])
    for order in (range(len(pieces)), reversed(range(len(pieces)))):
        for i in order:
            if i in protected or pieces[i].strip(" "):
                break
            pieces[i] = ""
    return "".join(pieces)


def _written(text: str, *, codes: tuple[str, ...], is_cdata: bool, is_quoted: bool) -> str:
    is_spaced = text != text.strip(" ") or "  " in text
    quote = '"' if is_quoted or is_spaced else ""

    def literal(part: str) -> str:
        part = part.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        part = part.replace("\r", "\\u000d")
        part = part if is_quoted else part.replace("'", "\\'")
        if is_cdata:
            escape(part)
            return part.replace("]]>", "]]]]><![CDATA[>")
        return escape(part)

    written = literal(text) if is_cdata else write_inline(text, codes, literal)
    if written.startswith(("@", "?")) and not quote:
        written = "\\" + written
    return f"<![CDATA[{quote}{written}{quote}]]>" if is_cdata else f"{quote}{written}{quote}"
