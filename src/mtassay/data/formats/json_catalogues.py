"""Catalogues of texts in JSON: flat, nested (i18next and Vue), and Flutter's ARB."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mtassay.data.errors import InputError
from mtassay.data.formats.localisation import (
    Content,
    FileUnits,
    LocalisationFile,
    LocalisationFormat,
    Slot,
    open_content,
)
from mtassay.data.formats.textfiles import MAX_DEPTH
from mtassay.data.languages import Pair

_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(
    r'[ \t\r\n]*(?:"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"|([{}\[\],:])'
    r"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-]))"
)


@dataclass(slots=True)
class JsonNode:
    """A value and its place: a text, an object or a list; other kinds have no value here."""

    start: int
    end: int = 0
    value: str | dict[str, JsonNode] | list[JsonNode] | None = None
    keys: dict[str, int] = field(default_factory=dict)
    """The start of each key of an object."""

    def at(self, *path: str) -> JsonNode | None:
        """The value at these keys."""
        node: JsonNode | None = self
        for key in path:
            node = node.value.get(key) if node is not None and isinstance(node.value, dict) else None
        return node

    def text(self, *path: str) -> str:
        """The text at these keys; empty if there is none."""
        node = self.at(*path)
        return node.value if node is not None and isinstance(node.value, str) else ""


def read_json(content: Content) -> JsonNode:
    """Read the object in a JSON file, with places. A repeated key is kept as `KEY#2`."""
    text = content.text
    root = JsonNode(0)
    stack: list[tuple[JsonNode, str]] = []
    here, at = root, 0
    expects_key = False
    repeated: dict[tuple[int, str], int] = {}

    def fail(place: int, what: str = "this is not JSON") -> InputError:
        return content.error(what, min(place, len(text)))

    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            raise fail(_end_of_space(text, at))
        at = token.end()
        string, sign = token[1], token[2]
        if expects_key and not (sign == "}" and not here.value):
            if string is None or not isinstance(here.value, dict):
                raise fail(token.start(1) if string is not None else at)
            key = _string(string)
            if key in here.value:
                place = (id(here), key)
                repeated[place] = repeated.get(place, 1) + 1
                key += f"#{repeated[place]}"
            colon = _TOKEN.match(text, at)
            if colon is None or colon[2] != ":":
                raise fail(at)
            at = colon.end()
            child = JsonNode(at)
            here.value[key] = child
            here.keys[key] = token.start(1) - 1
            stack.append((here, key))
            here, expects_key = child, False
            continue
        if sign in ("{", "["):
            if len(stack) > MAX_DEPTH:
                raise fail(at, f"nested too deeply: more than {MAX_DEPTH} lists or objects")
            here.start = at - 1
            if sign == "{":
                here.value, expects_key = {}, True
                continue
            items: list[JsonNode] = []
            here.value = items
            if (closed := _TOKEN.match(text, at)) and closed[2] == "]":
                at = here.end = closed.end()
            else:
                child = JsonNode(at)
                items.append(child)
                stack.append((here, ""))
                here = child
                continue
        elif string is not None:
            here.start, here.end, here.value = token.start(1) - 1, at, _string(string)
        elif sign == "}" and expects_key:
            expects_key = False
            here.end = at
        elif sign is None:
            here.start, here.end = token.start(3), at
        else:
            raise fail(at)
        # `here` is complete: continue with the next outer level that is not.
        while stack:
            here, _ = stack.pop()
            token = _TOKEN.match(text, at)
            if token is None or token[2] is None:
                raise fail(_end_of_space(text, at))
            at = token.end()
            if token[2] == "," and isinstance(here.value, dict):
                if (ahead := _TOKEN.match(text, at)) and ahead[2] == "}":
                    raise fail(at, "a comma before }, which JSON does not allow")
                expects_key = True
                break
            if token[2] == "," and isinstance(here.value, list):
                child = JsonNode(at)
                here.value.append(child)
                stack.append((here, ""))
                here = child
                break
            if token[2] != ("}" if isinstance(here.value, dict) else "]"):
                raise fail(at)
            here.end = at
        else:
            if _end_of_space(text, at) != len(text):
                raise fail(at, "something follows the JSON value")
            if not isinstance(root.value, dict):
                raise content.error("expected a JSON object of keys and texts", 0)
            return root


def _end_of_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _string(raw: str) -> str:
    return str(json.loads(f'"{raw}"')) if "\\" in raw else raw


def _write(text: str, *, ascii_only: bool, escapes_slash: bool = False) -> str:
    written = json.dumps(text, ensure_ascii=ascii_only)
    return written.replace("/", "\\/") if escapes_slash else written


def writer(content: Content) -> Callable[[str], str]:
    """The function that writes texts as this file does: with `\\uXXXX` or `\\/` if used everywhere."""
    ascii_only = (
        content.text.isascii() and re.search(r"\\u(?!00[01])[0-9a-fA-F]{4}", content.text) is not None
    )
    return partial(_write, ascii_only=ascii_only, escapes_slash="\\/" in content.text)


def _texts(node: JsonNode, path: str = "") -> Iterator[tuple[str, JsonNode]]:
    """All texts below a node with their paths, in the order of the file."""
    waiting: list[tuple[str, JsonNode]] = [(path, node)]
    while waiting:
        where, node = waiting.pop()
        if isinstance(node.value, str):
            yield where, node
        elif isinstance(node.value, dict):
            start = f"{where}." if where else ""
            waiting += [(f"{start}{key}", child) for key, child in reversed(node.value.items())]
        elif isinstance(node.value, list):
            waiting += [(f"{where}[{i}]", child) for i, child in reversed([*enumerate(node.value)])]


_ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")
_VUE = re.compile(r"@(?:\.\w+)?:[\w(]|\{\s*'|\S \| \S")
_SUFFIX = re.compile(r"(.+)_(?:ordinal_)?(zero|one|two|few|many|other)")
_DESCRIBED = ("message", "defaultMessage")


class JsonCatalogue(LocalisationFormat):
    """JSON of keys and texts, flat or nested."""

    name = "json"
    suffixes = (".json",)
    is_monolingual = True

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each text; its key is the path, as `menu.file[0]`.

        Objects with a `message` or `defaultMessage` have only that text, as in browser extensions.
        """
        content = open_content(data, path)
        root = read_json(content)
        values = root.value if isinstance(root.value, dict) else {}
        if any(key == "@@locale" for key in values):
            return arb_file(content, root)
        units = FileUnits(content)
        write = writer(content)
        described = next((d for d in _DESCRIBED if values and all(v.at(d) for v in values.values())), "")
        texts = [*_texts(root)]
        syntax = _syntax(node.value for _, node in texts if isinstance(node.value, str))
        keys = {key for key, _ in texts}
        for key, node in texts:
            note = ""
            if described:
                if key.rpartition(".")[2] != described:
                    continue
                key = key.removesuffix(f".{described}")
                note = values[key].text("description") if key in values else ""
            own = "icu" if _ICU.search(str(node.value)) else syntax
            facts: dict[str, Any] = {"syntax": own} if own else {}
            plural = _SUFFIX.fullmatch(key)
            group = ""
            if plural and f"{key.removesuffix(plural[2])}other" in keys:
                facts["plural"], group = plural[2], plural[1]
            elif syntax == "i18next" and key.endswith("_plural"):
                facts["plural"], group = "other", key.removesuffix("_plural")
            slot = Slot(node.start, node.end, write)
            units.add(
                key or '""', None, str(node.value), node.start, note=note, facts=facts, slot=slot, group=group
            )
        if not units:
            raise content.error("no texts in it")
        return LocalisationFile(content, self.name, units, is_monolingual=True)


def _syntax(texts: Iterable[str]) -> str:
    """The kind of placeholders in the texts of a file; empty if there are none."""
    joined = "\n".join(text for text in texts if "{" in text or "@:" in text or " | " in text)
    if "{{" in joined or "$t(" in joined:
        return "i18next"
    if _ICU.search(joined):
        return "icu"
    if _VUE.search(joined):
        return "vue"
    return "brace" if re.search(r"\{\s*\w[\w.-]*\s*\}", joined) else ""


class Arb(LocalisationFormat):
    """Flutter's Application Resource Bundle."""

    name = "arb"
    suffixes = (".arb",)
    is_monolingual = True

    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """A unit for each key that does not begin with `@`; `@key` has its description."""
        content = open_content(data, path)
        return arb_file(content, read_json(content))


def arb_file(content: Content, root: JsonNode) -> LocalisationFile:
    """The units of an ARB file."""
    units = FileUnits(content)
    write = writer(content)
    values = root.value if isinstance(root.value, dict) else {}
    for key, node in values.items():
        if key.startswith("@") or not isinstance(node.value, str):
            continue
        note = root.text(f"@{key}", "description")
        slot = Slot(node.start, node.end, write)
        units.add(key, None, node.value, node.start, note=note, facts={"syntax": "icu"}, slot=slot)
    if not units:
        raise content.error("no texts in it")
    return LocalisationFile(
        content, "arb", units, is_monolingual=True, languages=("", root.text("@@locale").replace("_", "-"))
    )
