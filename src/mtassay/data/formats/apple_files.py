"""Apple's localisation files: `.strings`, `.stringsdict` and the string catalogue `.xcstrings`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.json_catalogues import JsonNode, read_json, writer
from mtassay.data.formats.localisation import (
    PLURALS,
    Content,
    FileUnits,
    LocalisationFile,
    LocalisationFormat,
    Slot,
    open_content,
)
from mtassay.data.languages import Pair, parse_language

_TOKEN = re.compile(
    r"""\s+|/\*(?P<note>.*?)\*/|//(?P<remark>[^\n]*)|"(?P<double>(?:[^"\\]|\\.)*)\""""
    r"""|(?P<sign>[=;])|(?P<word>[\w./:$-]+)|'(?P<single>(?:[^'\\]|\\.)*)'""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9a-fA-F]{4})|([0-7]{3})|(.))", re.DOTALL)
_MEANINGS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "\n"}
_WRITTEN = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Strings(LocalisationFormat):
    """`Localizable.strings`: keys and texts, also as a property list."""

    name = "strings"
    suffixes = (".strings",)
    is_monolingual = True

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each pair of key and text; the comment before it is its note."""
        if data.startswith(b"bplist"):
            raise InputError("a binary property list. Convert it: plutil -convert xml1 FILE", path=path)
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<plist", b"<!DOCTYPE plist")):
            return _property_list(data, path, self.name)
        content = open_content(data, path)
        units = FileUnits(content)
        at, note = 0, ""
        tokens: list[re.Match[str]] = []
        while at < len(content.text):
            token = _TOKEN.match(content.text, at)
            if token is None:
                raise content.error('expected "key" = "text";', at)
            at = token.end()
            if token["note"] is not None or token["remark"] is not None:
                note = (token["note"] or token["remark"] or "").strip()
            elif token["sign"] != ";" and not token[0].isspace():
                tokens.append(token)
            elif token["sign"] == ";":
                _add(units, tokens, note, content)
                tokens, note = [], ""
        if tokens:
            raise content.error("an entry without ; at its end", tokens[0].start())
        if not units:
            raise content.error('no "key" = "text"; in it')
        return LocalisationFile(content, self.name, units, is_monolingual=True)

    def recognises(self, start: bytes) -> bool:
        return re.match(rb'(?>\s|/\*.*?\*/|//[^\n]*\n)*+"[^"\n]*"\s*=\s*"', start, re.DOTALL) is not None


def _add(units: FileUnits, tokens: list[re.Match[str]], note: str, content: Content) -> None:
    # A key without a text is its own text.
    if len(tokens) not in (1, 3) or (len(tokens) == 3 and tokens[1]["sign"] != "="):
        raise content.error('expected "key" = "text";', tokens[0].start() if tokens else 0)
    key, value = _resolved(tokens[0]), _resolved(tokens[-1])
    facts = {"syntax": "printf"} if "%" in value else {}
    place = tokens[-1]
    slot = Slot(place.start(), place.end(), _written) if len(tokens) == 3 else None
    units.add(key, None, value, tokens[0].start(), note=note, facts=facts, slot=slot)


def _resolved(token: re.Match[str]) -> str:
    text = token["double"] if token["double"] is not None else token["word"] or token["single"] or ""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2]:
        return bytes([int(match[2], 8) & 255]).decode("latin-1")
    return _MEANINGS.get(match[3], match[3])


def _written(text: str) -> str:
    return '"' + "".join(_WRITTEN.get(character, character) for character in text) + '"'


class StringsDict(LocalisationFormat):
    """`Localizable.stringsdict`: plural forms in a property list."""

    name = "stringsdict"
    suffixes = (".stringsdict",)
    is_monolingual = True

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        return _property_list(data, path, self.name)


_FORMAT = "NSStringLocalizedFormatKey"


def _property_list(data: bytes, path: str, name: str) -> LocalisationFile:
    # Load the XML parser only for XML.
    from mtassay.data.formats.markup import Inline, MarkupNode, escape, open_xml, read_nodes

    content = open_xml(data, path)
    root = read_nodes(content, "plist")
    units = FileUnits(content)
    waiting: list[tuple[tuple[str, ...], MarkupNode]] = [((), n) for n in root.children if n.name == "dict"]
    while waiting:
        keys, node = waiting.pop()
        if node.name == "string":
            last = keys[-1]
            if name == "stringsdict" and last not in PLURALS and last != _FORMAT:
                continue
            text = Inline.of(content.text, node).text
            # A line break of the file is one character; an escaped carriage return is intended.
            if "&#" not in content.text[node.inside : node.inside_end]:
                text = text.replace("\r\n", "\n")
            facts: dict[str, Any] = {"syntax": "printf"} if "%" in text else {}
            if last == _FORMAT and re.fullmatch(r"(?:%#@\w+@\s*)+", text):
                facts["translatable"] = False
            is_plural = name == "stringsdict" and last in PLURALS
            if is_plural:
                facts["plural"] = last
            slot = Slot(node.inside, node.inside_end, escape)
            if node.is_empty:
                slot = Slot(node.start, node.end, lambda new: f"<string>{escape(new)}</string>")
            group = ".".join(keys[:-1]) if is_plural else ""
            units.add(".".join(keys), None, text, node.start, facts=facts, slot=slot, group=group)
        elif node.name == "dict":
            pairs = zip(node.children[::2], node.children[1::2], strict=False)
            inner = [((*keys, Inline.of(content.text, key).text), value) for key, value in pairs]
            waiting += reversed(inner)
    if not units:
        raise content.error("no texts in it")
    return LocalisationFile(content, name, units, is_monolingual=True)


class XcStrings(LocalisationFormat):
    """Apple's string catalogue, one file for all languages."""

    name = "xcstrings"
    suffixes = (".xcstrings",)

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each text of the source language; if it has no text, the key is the source.

        Variations are units with the path in brackets, as `KEY[plural.one]`.
        """
        content = open_content(data, path)
        root = read_json(content)
        strings = root.at("strings")
        source_tag = root.text("sourceLanguage")
        if strings is None or not isinstance(strings.value, dict) or not source_tag:
            raise content.error('no "sourceLanguage" and "strings" in it', 0)
        target_tag = _target_tag(strings, source_tag, pair, path)
        units = FileUnits(content)
        write = writer(content)
        for key, entry in strings.value.items():
            if not key:
                continue
            facts: dict[str, Any] = {} if "%" not in key else {"syntax": "printf"}
            if (node := entry.at("shouldTranslate")) and content.text[node.start : node.end] == "false":
                facts["translatable"] = False
            sources = dict(_string_units(entry.at("localizations", source_tag)))
            targets = dict(_string_units(entry.at("localizations", target_tag))) if target_tag else {}
            texts = {where: node.text("value") for where, node in sources.items()} or {"": key}
            note = entry.text("comment")
            for where in dict.fromkeys([*texts, *targets]):
                other = re.sub(r"[^.]+$", "other", where)
                source = texts.get(where, texts.get(other, texts.get("", key)))
                node = targets.get(where)
                value = node.at("value") if node else None
                more = dict(facts)
                if "%" in source:
                    more["syntax"] = "printf"
                if node and node.text("state"):
                    more["state"] = node.text("state")
                if where.rpartition(".")[2] in PLURALS and "plural" in where:
                    more["plural"] = where.rpartition(".")[2]
                target = (node.text("value") or None) if node else None
                slot = Slot(value.start, value.end, write) if value else None
                unit_key = f"{key}[{where}]" if where else key
                place = strings.keys.get(key, entry.start)
                units.add(unit_key, source, target, place, note=note, facts=more, slot=slot)
        if not units:
            raise content.error("no texts in it")
        insert = partial(_Additions(content, strings).edits, target_tag) if target_tag else None
        return LocalisationFile(content, self.name, units, languages=(source_tag, target_tag), insert=insert)


def _target_tag(strings: JsonNode, source: str, pair: Pair | None, path: str) -> str:
    """The target language: the pair's, as spelled in the file, or the only other one."""
    entries = strings.value.values() if isinstance(strings.value, dict) else ()
    tags: dict[str, None] = {}
    for entry in entries:
        node = entry.at("localizations")
        tags.update(dict.fromkeys(node.value if node and isinstance(node.value, dict) else ()))
    others = [tag for tag in tags if tag != source]
    if pair is None:
        if len(others) > 1:
            raise UsageError(f"{path}: say which language pair; it holds {', '.join(sorted(others))}.")
        return others[0] if others else ""
    for tag in others:
        with suppress(UsageError):
            if parse_language(tag).matches(pair.target):
                return tag
    return pair.target.tag


def _string_units(node: JsonNode | None, path: str = "") -> Iterator[tuple[str, JsonNode]]:
    """Each `stringUnit` of a localisation, with the variations that lead to it."""
    if node is None or not isinstance(node.value, dict):
        return
    if (unit := node.at("stringUnit")) is not None:
        yield path, unit
    start = f"{path}." if path else ""
    for name, values in (node.at("variations") or JsonNode(0, value={})).value.items():  # type: ignore[union-attr]
        for value, child in values.value.items() if isinstance(values.value, dict) else ():
            yield from _string_units(child, f"{start}{name}.{value}")
    for name, child in (node.at("substitutions") or JsonNode(0, value={})).value.items():  # type: ignore[union-attr]
        yield from _string_units(child, f"{start}substitutions.{name}")


class _Additions:
    """Adds a language to entries of a string catalogue, in the layout that the file has."""

    def __init__(self, content: Content, strings: JsonNode) -> None:
        assert isinstance(strings.value, dict)
        self.content, self.strings, self.entries = content, strings, strings.value
        self.write: Callable[[str], str] = writer(content)
        style = re.search(r'"(\s*:\s*)', content.text)
        self.colon = style[1] if style else " : "
        self.line_break = "\r\n" if "\r\n" in content.text else "\n"
        self.step = self.indent(content.text.find('"')) or "  "

    def indent(self, place: int) -> str:
        """The indentation before the first place of a line."""
        blank = self.content.text[self.content.text.rfind("\n", 0, place) + 1 : place]
        return "" if blank.strip() else blank

    def edits(self, tag: str, targets: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
        """One edit for each entry."""
        by_key: dict[str, dict[str, str]] = {}
        for unit_id, target in targets.items():
            key, where = unit_id, ""
            if key not in self.entries:
                key, _, where = unit_id.rpartition("[")
            by_key.setdefault(key, {})[where.removesuffix("]")] = target
        for key, texts in by_key.items():
            entry, indent = self.entries[key], self.indent(self.strings.keys[key])
            value: dict[str, Any] = {}
            for where, target in texts.items():
                node = value
                parts = where.split(".") if where else []
                if "substitutions" in parts:
                    raise InputError(f"'{key}': add its substitutions in Xcode first", path=self.content.path)
                for name, case in zip(parts[::2], parts[1::2], strict=True):
                    node = node.setdefault("variations", {}).setdefault(name, {}).setdefault(case, {})
                node["stringUnit"] = {"state": "translated", "value": target}
            holder = entry.at("localizations")
            if holder is None:
                yield self.added(entry, "localizations", {tag: value}, indent)
            else:
                yield self.added(holder, tag, value, indent + self.step)

    def added(self, node: JsonNode, key: str, value: Any, outer: str) -> tuple[int, int, str]:
        """Insert a key into an object, in alphabetical order."""
        assert isinstance(node.value, dict)
        indent = outer + self.step
        pair = f"{self.write(key)}{self.colon}{self.dump(value, indent)}"
        later = next((name for name in node.value if name > key), None)
        if later is not None:
            return node.keys[later], node.keys[later], f"{pair},{self.line_break}{indent}"
        if node.value:
            at = [*node.value.values()][-1].end
            return at, at, f",{self.line_break}{indent}{pair}"
        return node.start, node.end, f"{{{self.line_break}{indent}{pair}{self.line_break}{outer}}}"

    def dump(self, value: Any, indent: str) -> str:
        """Write a value in the style of the file."""
        if isinstance(value, str):
            return self.write(value)
        inner = [
            f"{indent}{self.step}{self.write(key)}{self.colon}{self.dump(child, indent + self.step)}"
            for key, child in value.items()
        ]
        return f"{{{self.line_break}{f',{self.line_break}'.join(inner)}{self.line_break}{indent}}}"
