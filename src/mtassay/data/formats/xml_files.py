"""Test sets in XML: WMT's and TMX, read without trusting the file."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.tables import ColumnRole, FileTable, Format, TableBuilder
from mtassay.data.formats.textfiles import decode
from mtassay.data.languages import Language, Pair, parse_language
from mtassay.data.registry import each_made

Element = Any
"""An lxml element; lxml has no types of its own."""

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# libxml2 stores element lines in 16 bits, so beyond that it can only say "somewhere later".
_LAST_KNOWN_LINE = 65535

_LINE_BREAK = re.compile(r"(?<![ \t\r\n])[ \t]*+[\r\n][ \t\r\n]*+")


class XmlFormat(Format):
    """An XML format, identified by its root element, since file names only say that it is XML."""

    @abstractmethod
    def read_root(self, root: Element, path: str, pair: Pair | None) -> FileTable:
        """Read a document with one of the `roots`."""

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        formats: list[Format] = [known for known in each_made("format") if known.roots]
        for other in formats:
            # SGML is often named XML and is not well-formed, so it must be recognised before parsing.
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
        roots = "|".join(map(re.escape, self.roots))
        return bool(re.match(rf"\s*<(\?xml\s|!DOCTYPE\s|({roots})[\s>])".encode(), start, re.IGNORECASE))


def parse_xml(data: bytes, path: str, *, entities: bool = False) -> Element:
    """Parse the root element. Refuse a document that declares or uses entities, unless `entities`."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        what = " ".join((error.msg or "no element").split())
        raise InputError(f"not well-formed XML: {what}", path=path, line=error.lineno or None) from None
    except (ValueError, LookupError) as error:
        raise InputError(f"not readable as XML: {error}", path=path) from None
    if entities:
        return root
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
    """The first line of an element, if the parser knows it."""
    line: int | None = element.sourceline
    return None if line is None or line >= _LAST_KNOWN_LINE else line


def local_name(element: Element) -> str:
    """The tag without its namespace: `{urn:…}source` is `source`."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def children(element: Element, *names: str) -> list[Element]:
    """The direct children with one of these local names, in order."""
    return [*element.iterchildren(*(f"{{*}}{name}" for name in names))]


def descendants(element: Element, name: str) -> list[Element]:
    """All elements below with this local name, in document order."""
    return [child for child in element.iter(f"{{*}}{name}") if child is not element]


def flat_text(element: Element, *, path: str, unit: str) -> str:
    """All text in an element, on one line; `path` and `unit` are for messages.

    Inline elements give their content: words of the sentence, or code of the original file, unchanged. An
    empty one is an `InputError`, because the text would lose its meaning.
    """
    return tidy("".join(_pieces(element, path, unit)))


def tidy(text: str) -> str:
    r"""Make one line: a line break with the spaces around it becomes one space, and the ends are trimmed.

    >>> tidy("\n  one\n    two  three ")
    'one two  three'
    """
    return _LINE_BREAK.sub(" ", text).strip(" \t\r\n")


def language_of(tag: str | None) -> Language | None:
    """The language that a file states; `None` if it states none or an unknown one."""
    try:
        return parse_language(tag) if tag else None
    except UsageError:
        return None


# These elements mark a place or words of the text and have no own text.
_MARKS = frozenset({"mrk", "sm", "em", "hi", "sub"})


def _pieces(element: Element, path: str, unit: str) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        is_element = isinstance(child.tag, str)  # not a processing instruction
        inside = "".join(_pieces(child, path, unit)) if is_element else ""
        if not inside and not (is_element and local_name(child) in _MARKS):
            number = f' id="{child.get("id")}"' if child.get("id") else ""
            shown = f"<{local_name(child)}{number}/>" if is_element else f"<?{child.target}?>"
            what = f"unit '{unit}': {shown} holds no text, and would be lost"
            raise InputError(f"{what}. Write the text that it means there", path=path, line=line_of(child))
        yield inside
        yield child.tail or ""


_ROLES: dict[str, ColumnRole] = {"src": "source", "ref": "reference", "hyp": "output"}


class WmtXml(XmlFormat):
    """A `dataset` of documents."""

    name = "wmt"
    suffixes = (".xml",)
    roots = ("dataset",)
    roots_shown = "dataset (WMT)"

    def read_root(self, root: Element, path: str, pair: Pair | None) -> FileTable:
        """One row per `seg`, with the id `DOCUMENT:SEGMENT`, in the order of the file.

        Texts in languages other than the pair's are left out. Attributes of the document (`domain`,
        `origlang`, `testsuite`) and the id of its `collection` become tags.
        """
        table = TableBuilder(path, says_missing=True)
        other_languages: set[str] = set()
        for document in descendants(root, "doc"):
            document_id = document.get("id")
            if not document_id:
                raise InputError("doc without id", path=path, line=line_of(document))
            tags = {
                key: document.get(key) for key in ("domain", "origlang", "testsuite") if document.get(key)
            }
            collection = next(document.iterancestors("collection"), None)
            if collection is not None and collection.get("id"):
                tags["collection"] = collection.get("id")
            for tag, role in _ROLES.items():
                for version in descendants(document, tag):
                    stated = version.get("lang") or version.get("language")
                    if not _is_wanted(stated, pair, role):
                        other_languages.add(stated)
                        continue
                    name = (
                        "" if role == "source" else version.get("translator") or version.get("system") or ""
                    )
                    for segment in descendants(version, "seg"):
                        line = line_of(segment)
                        segment_id = segment.get("id")
                        if not segment_id:
                            raise InputError("seg without id", path=path, line=line)
                        unit = f"{document_id}:{segment_id}"
                        row = table.row(unit, line=line, document=document_id, tags=tags)
                        text = flat_text(segment, path=path, unit=unit)
                        table.put(row, role, text, line=line, name=name)
        built = table.build()
        if not built.columns:
            hint = f"; it holds {', '.join(sorted(other_languages))}" if other_languages else ""
            raise InputError(f"no segments{f' for {pair}' if pair else ''}{hint}", path=path)
        return built


def _is_wanted(stated: str | None, pair: Pair | None, role: ColumnRole) -> bool:
    language = language_of(stated)
    if pair is None or language is None:
        return True
    wanted: Language = pair.source if role == "source" else pair.target
    return language.matches(wanted)


class Tmx(XmlFormat):
    """FileUnits with a variant for each language."""

    name = "tmx"
    suffixes = (".tmx",)
    roots = ("tmx",)

    def read_root(self, root: Element, path: str, pair: Pair | None) -> FileTable:
        """One row per unit that has the pair's source or target; its id is `tuid`, else its number.

        If several variants of a unit fit a language, the one with the same tag counts, else the first.
        """
        units = descendants(root, "tu")
        if pair is None:
            languages = sorted({tag for unit in units for v in children(unit, "tuv") if (tag := _tag(v))})
            raise UsageError(
                f"{path}: a TMX file needs a language pair; it holds {', '.join(languages) or 'none'}."
            )
        table = TableBuilder(path, says_missing=True)
        tags: set[str] = set()
        for number, unit in enumerate(units, start=1):
            variants = [(_tag(variant), variant) for variant in children(unit, "tuv")]
            tags.update(tag for tag, _ in variants)
            source, target = _best(variants, pair.source), _best(variants, pair.target)
            if source is None and target is None:
                continue
            line = line_of(unit)
            unit_id = unit.get("tuid") or str(number)
            row = table.row(unit_id, line=line, must_be_new=True)
            table.put(row, "source", _text(source, path, unit_id), line=line)
            table.put(row, "target", _text(target, path, unit_id), line=line)
        built = table.build()
        if not built.columns:
            raise InputError(
                f"no segments for {pair}; it holds {', '.join(sorted(tags)) or 'none'}", path=path
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


def _text(variant: Element | None, path: str, unit: str) -> str | None:
    if variant is None:
        return None
    segment = next(iter(children(variant, "seg")), None)
    if segment is None:
        raise InputError("tuv without seg", path=path, line=line_of(variant))
    return flat_text(segment, path=path, unit=unit)


_SGM_ROLES: dict[str, ColumnRole] = {"srcset": "source", "refset": "reference", "tstset": "output"}

_START = re.compile(rb"\s*(<!doctype[^>]*>\s*)?<(mteval|srcset|refset|tstset)[\s>]", re.IGNORECASE)
# Text may hold a bare "<" or "&", so whatever is inside a seg is text, unless it opens the next seg.
_TOKEN = re.compile(
    r"<seg(?P<blank>\s[^<>]*)/>"
    r"|<seg(?P<seg>\s[^<>]*)?>(?P<text>.*?)</seg\s*>"
    r"|<(?P<open>srcset|refset|tstset|doc)(?P<attributes>\s[^<>]*)?>"
    r"|</(?P<close>srcset|refset|tstset|doc)\s*>"
    r"|(?P<broken><seg[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_NEXT_SEGMENT = re.compile(r"<seg[\s>]", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))""")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Sgm(Format):
    """Sets of documents with segments, by their tags."""

    name = "sgm"
    suffixes = (".sgm", ".sgml")
    roots = ("srcset", "refset", "tstset", "mteval")
    roots_shown = "srcset, refset, tstset"

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        """One row per `seg`, with the id `DOCUMENT:SEGMENT`, in the order of the file.

        A reference is named by its `refid` or `sysid`, an output by its `sysid`, on the document or the set.
        The five entities of XML and the numeric ones are resolved; `origlang` and `genre` become tags.
        """
        text = decode(data, path)
        table = TableBuilder(path, says_missing=True)
        role: ColumnRole | None = None
        the_set: dict[str, str] = {}
        document: dict[str, str] = {}
        line, counted = 1, 0
        for token in _TOKEN.finditer(text):
            line += text.count("\n", counted, token.start())
            counted = token.start()
            if token["open"]:
                attributes = _attributes(token["attributes"])
                if token["open"].lower() == "doc":
                    document = attributes
                else:
                    role, the_set, document = _SGM_ROLES[token["open"].lower()], attributes, {}
            elif token["close"]:
                document = {}
                if token["close"].lower() != "doc":
                    role = None
            elif token["broken"] or _NEXT_SEGMENT.search(token["text"] or ""):
                raise InputError("this seg is not closed", path=path, line=line)
            elif role is None:
                raise InputError("a seg outside of srcset, refset and tstset", path=path, line=line)
            else:
                segment_id = _attributes(token["seg"] or token["blank"]).get("id")
                if not segment_id:
                    raise InputError("seg without id", path=path, line=line)
                document_id = document.get("docid") or None
                tags = {key: document[key] for key in ("origlang", "genre") if document.get(key)}
                row_id = f"{document_id}:{segment_id}" if document_id else segment_id
                row = table.row(row_id, line=line, document=document_id, tags=tags)
                content = tidy(_resolve(token["text"] or ""))
                table.put(row, role, content, line=line, name=_name(role, document, the_set))
        built = table.build()
        if not built.columns:
            raise InputError("no seg in a srcset, refset or tstset", path=path)
        return built

    def recognises(self, start: bytes) -> bool:
        return _START.match(start) is not None


def _attributes(text: str | None) -> dict[str, str]:
    return {
        match[1].lower(): _resolve(match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE.finditer(text or "")
    }


def _name(role: ColumnRole, document: dict[str, str], the_set: dict[str, str]) -> str:
    keys = {"source": (), "reference": ("refid", "sysid"), "output": ("sysid",)}
    for key in keys.get(role, ()):
        name = document.get(key) or the_set.get(key)
        if name:
            return name
    return ""


def _resolve(text: str) -> str:
    """Replace entities by characters; a number that is not a character stays unchanged."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return _CHARACTERS[entity[1]]
    number = int(entity[2]) if entity[2] else int(entity[3], 16)
    is_character = 0 < number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_character else entity[0]
