"""Gettext's PO and POT: entries as they are written, of which only `msgstr` changes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mtassay.data.formats.localisation import (
    Content,
    FileUnits,
    LocalisationFile,
    LocalisationFormat,
    Slot,
    open_content,
)
from mtassay.data.languages import Pair

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
        # Whether long texts are wrapped: a string that goes on in the next line and does not end in \n.
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
        """As gettext does: a line for each line of the text; long ones are wrapped where the file does so."""
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
