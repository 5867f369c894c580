"""The SGML of NIST and of WMT test sets before 2021, which is not well-formed XML and is read by its tags."""

from __future__ import annotations

import re

from mtassay.errors import InputError
from mtassay.formats.table import ColumnRole, FileTable, Format, TableBuilder
from mtassay.formats.text import decode
from mtassay.formats.xml import tidy
from mtassay.languages import Pair

_ROLES: dict[str, ColumnRole] = {"srcset": "source", "refset": "reference", "tstset": "output"}

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
    """Sets of documents of segments, by their tags."""

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
                    role, the_set, document = _ROLES[token["open"].lower()], attributes, {}
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
        """By the first tag."""
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
    """Entities to characters; a number that is no character stays as it is written."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return _CHARACTERS[entity[1]]
    number = int(entity[2]) if entity[2] else int(entity[3], 16)
    is_character = 0 < number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_character else entity[0]
