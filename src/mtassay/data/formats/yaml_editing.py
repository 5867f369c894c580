"""Edits YAML in place: comments and order stay.

Places come from the marks of `compose`. These functions edit as far as the layout allows; callers must
read the result again and compare it with the intended suite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import yaml

from mtassay.data.errors import InputError
from mtassay.data.formats.suite_items import (
    RULE_FIELDS,
    Suite,
    header_record,
    item_from_record,
    item_record,
    suite_from_header,
)

# With the base loader, `no` is a word, not false, and a date stays text.
Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

MAX_DEPTH = 100
"""Largest depth of lists and mappings. PyYAML makes nodes by recursion in C, which can crash."""


def compose(text: str, *, path: str) -> Any:
    """Parse the root node of a YAML text, `None` if it is empty; `path` is for messages.

    A repeated key in one mapping is an `InputError`: YAML would silently take the last.

    >>> compose("a: [no, 1.0]", path="x.yaml").value[0][1].value[0].value
    'no'
    """
    try:
        _check_depth(text, path)
        root = yaml.compose(text, Loader)
    except yaml.YAMLError as error:
        raise not_yaml(error, path=path) from None
    _check_keys(root, path, {})
    return root


def not_yaml(error: yaml.YAMLError, *, path: str) -> InputError:
    """The same error in one line."""
    problem = " ".join(str(getattr(error, "problem", None) or error).split())
    mark = getattr(error, "problem_mark", None)
    hint = next((hint for words, hint in _HINTS.items() if words in problem), "")
    return InputError(f"this is not YAML ({problem}){hint}", path=path, line=mark.line + 1 if mark else None)


_BEGINNING = ". A text that begins with one of [ { * & ! | > % @ ` needs quotes: put it in single quotes"
_HINTS = {
    "mapping values are not allowed": ". If a colon belongs to a text or pattern, put it in single quotes",
    "cannot start any token": _BEGINNING,
    "expected alphabetic or numeric": _BEGINNING,
    "undefined alias": _BEGINNING,
    "did not find expected ',' or": _BEGINNING,
    "did not find expected '-' indicator": _BEGINNING,
    "did not find expected key": _BEGINNING,
    "did not find expected node content": _BEGINNING,
    "undefined tag handle": _BEGINNING,
}
"""The usual cause of a YAML error in a file of patterns, and the remedy."""


def _check_keys(node: Any, path: str, seen: dict[int, bool]) -> None:
    """Refuse a repeated key in a mapping, and an alias inside its own anchor.

    Each node is checked once, despite aliases; `seen` says whether all inside a node was checked.
    """
    if id(node) in seen:
        if not seen[id(node)]:
            what = "an alias (*) is inside of what it is for, without end; write the text itself"
            raise InputError(what, path=path, line=node.start_mark.line + 1)
        return
    seen[id(node)] = False
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            _check_keys(child, path, seen)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, child in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode):
                if key.value in lines:
                    what = f"the key '{key.value}' occurs twice, first on line {lines[key.value]}"
                    raise InputError(f"{what}; join the two", path=path, line=line)
                lines[key.value] = line
            _check_keys(child, path, seen)
    seen[id(node)] = True


def _check_depth(text: str, path: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                what = f"this YAML is nested too deeply: more than {MAX_DEPTH} lists or mappings"
                mark = event.start_mark
                raise InputError(what, path=path, line=mark.line + 1 if mark else None)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


_WholeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def suite_from_yaml(text: str, *, path: str) -> Suite:
    """Read the suite in a YAML text; `path` is for messages."""
    try:
        node = compose(text, path=path)
        if not isinstance(node, yaml.MappingNode):
            raise InputError("this is no suite: it needs 'items:' at the top", path=path, line=1)
        record = {key.value: value for key, value in node.value}
        plain = partial(Loader("").construct_object, deep=True)
        header = {key: plain(value) for key, value in record.items() if key != "items"}
        nodes = record.get("items")
        if not isinstance(nodes, yaml.SequenceNode):
            if nodes is None or nodes.value:
                raise InputError("this is no suite: it needs a list 'items:' at the top", path=path, line=1)
            nodes = yaml.SequenceNode("", [])
        items = [
            item_from_record(
                plain(item_node),
                path=path,
                line=item_node.start_mark.line + 1,
                langpair=str(header.get("langpair", "")),
                author=str(header.get("author", "")),
            )
            for item_node in nodes.value
        ]
    except yaml.YAMLError as error:
        raise not_yaml(error, path=path) from None
    except RecursionError:
        raise InputError("this YAML is nested too deeply", path=path) from None
    return suite_from_header(header, items, path=path)


def yaml_text(suite: Suite) -> str:
    """Write the whole file, one key per line."""
    header = header_record(suite)
    head = _dump_whole(header) if header else ""
    items = "".join(_dump_whole([item_record(item, suite)]) for item in suite.items)
    return f"{head}items:{' []' if not items else ''}\n{items}"


def _dump_whole(value: Any) -> str:
    return str(
        yaml.dump(value, Dumper=_WholeDumper, allow_unicode=True, sort_keys=False, width=2**20, indent=2)
    )


Entries = Mapping[str, Sequence[Any]]
"""Entries to append to lists of an item: texts, or mappings as in `records.rule_record`."""

_ORDER = ("id", "langpair", "category", "phenomenon", "source", "focus", *RULE_FIELDS, "references")
_ORDER = (*_ORDER, "context", "note", "author", "approver")


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def with_items(text: str, records: Sequence[Mapping[str, Any]]) -> str:
    """Append items to the list of items."""
    page = _Page(text)
    items, key = page.items, page.key
    if isinstance(items, yaml.SequenceNode) and items.flow_style and items.value:
        last = items.value[-1].end_mark.index
        return page.edited([_Edit(last, last, "".join(f", {_flow(record)}" for record in records))])
    lines = [line for record in records for line in page.block([record], page.dash).splitlines()]
    if isinstance(items, yaml.SequenceNode) and items.value:
        return page.edited([page.after(page.end_of(items), lines)])
    # The list is empty: `items:` or `items: []`. The brackets go, a comment after them stays.
    return page.edited([_Edit(key.end_mark.index + 1, items.end_mark.index, ""), page.after(items, lines)])


def with_entries(text: str, entries: Mapping[str, Entries]) -> str:
    """Append entries to lists, by the id of the item; missing lists are made."""
    page = _Page(text)
    edits = []
    for item_id, lists in entries.items():
        for name in sorted(lists, key=_ORDER.index):
            if lists[name]:
                edits += page.append(page.item(item_id), name, list(lists[name]))
    return page.edited(edits)


def with_fields(text: str, fields: Mapping[str, Mapping[str, Any]]) -> str:
    """Set fields of items, by the id of the item and the name of the field."""
    page = _Page(text)
    edits = []
    for item_id, values in fields.items():
        for name in sorted(values, key=_ORDER.index):
            edits.append(page.set(page.item(item_id), name, values[name]))
    return page.edited(edits)


def with_macro(text: str, name: str, pattern: str) -> str:
    """Set a macro: change its line, or add a line after the others."""
    page = _Page(text)
    macros = next((value for key, value in page.root.value if key.value == "macros"), None)
    if not isinstance(macros, yaml.MappingNode):
        start = page.key.start_mark.index
        return page.edited([_Edit(start, start, _dump({"macros": {name: pattern}}, 2))])
    return page.edited([page.set(macros, name, pattern)])


class _Page:
    """A YAML text with its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        root = compose(text, path="the suite")
        assert isinstance(root, yaml.MappingNode)
        self.root = root
        self.key, self.items = next((key, value) for key, value in root.value if key.value == "items")
        block = isinstance(self.items, yaml.SequenceNode) and not self.items.flow_style
        self.dash = self.items.start_mark.column if block else 2
        self.indent = self._usual_indent(0 if block and self.dash == 0 else 2)

    def _usual_indent(self, default: int) -> int:
        """The indentation of a list's dashes from their key in this file."""
        for node in self.items.value or ():
            for key, value in node.value:
                if isinstance(value, yaml.SequenceNode) and not value.flow_style:
                    return int(value.start_mark.column - key.start_mark.column)
        return default

    def item(self, item_id: str) -> Any:
        return next(
            node
            for node in self.items.value
            if any(k.value == "id" and v.value == item_id for k, v in node.value)
        )

    def append(self, item: Any, name: str, entries: list[Any]) -> list[_Edit]:
        """Append entries to a list of an item."""
        field = next(((key, value) for key, value in item.value if key.value == name), None)
        if field is None:
            return [self._new_key(item, name, entries)]
        key, value = field
        column = key.start_mark.column + self.indent
        if isinstance(value, yaml.SequenceNode) and value.flow_style:
            inside = ", ".join(map(_flow, entries))
            if not value.value:
                return [_Edit(value.end_mark.index - 1, value.end_mark.index - 1, inside)]
            last = value.value[-1].end_mark.index
            return [_Edit(last, last, f", {inside}")]
        if isinstance(value, yaml.SequenceNode):
            lines = self.block(entries, value.start_mark.column).splitlines()
            return [self.after(self.end_of(value), lines)]
        old = [] if isinstance(value, yaml.ScalarNode) and not value.value else [_plain(value)]
        start, end = key.end_mark.index, value.end_mark.index
        colon = self.text.index(":", start) + 1
        if item.flow_style:
            return [_Edit(colon, end, f" {_flow([*old, *entries])}")]
        if isinstance(value, yaml.ScalarNode) and value.style not in ("|", ">"):
            written = self.text[value.start_mark.index : end]
            if "\n" not in written:  # one line: it stays unchanged, after a dash
                first = f"{self.newline}{' ' * column}- {written}" if old else ""
                lines = self.block(entries, column).splitlines()
                return [_Edit(colon, end, first), self.after(value, lines)]
        lines = self.block([*old, *entries], column).splitlines()
        stop = self.after(self.end_of(value), lines)
        return [_Edit(colon, stop.start, self.newline), _Edit(stop.start, stop.start, stop.text)]

    def set(self, item: Any, name: str, value: Any) -> _Edit:
        """Set a field of an item to a text or a list; unchanged entries of a list keep their lines."""
        key, current = next((pair for pair in item.value if pair[0].value == name), (None, None))
        if key is None or current is None:
            return self._new_key(item, name, value)
        start, end = current.start_mark.index, current.end_mark.index
        if isinstance(value, str) or item.flow_style or getattr(current, "flow_style", False):
            return _Edit(start, end, _flow(value) if end > start else f" {_flow(value)}")
        colon = self.text.index(":", key.end_mark.index) + 1
        if not value:
            return _Edit(colon, self.end_of(current), f" []{self.newline}")
        is_list = isinstance(current, yaml.SequenceNode)
        column = current.start_mark.column if is_list else key.start_mark.column + self.indent
        stay = self._entry_lines(current) if is_list else []
        lines = [
            next((lines for old, lines in stay if old == new), None) or self.block([new], column)
            for new in value
        ]
        first = self.text[colon : self._line_start(current)] if is_list else self.newline
        text = first + self.newline.join(lines)
        return _Edit(colon, self.end_of(current), text + self.newline * is_list)

    def _entry_lines(self, node: Any) -> list[tuple[Any, str]]:
        """The entries of a list below its key, each with its lines and the comments above them."""
        ends = [self.after(self.end_of(entry), []).start for entry in node.value]
        starts = [self._line_start(node), *ends[:-1]]
        return [
            (_plain(entry), self.text[start:end].rstrip("\r\n"))
            for entry, start, end in zip(node.value, starts, ends, strict=True)
        ]

    def _line_start(self, node: Any) -> int:
        return self.text.rfind("\n", 0, node.start_mark.index) + 1

    def _new_key(self, item: Any, name: str, value: Any) -> _Edit:
        """Add a field, after those that precede it in our own order."""
        if item.flow_style:
            last = item.value[-1][1].end_mark.index
            return _Edit(last, last, f", {name}: {_flow(value)}")
        earlier = _ORDER[: _ORDER.index(name)] if name in _ORDER else [key.value for key, _ in item.value]
        before = [node for key, node in item.value if key.value in earlier]
        lines = _dump({name: value}, self.indent).splitlines()
        column = " " * item.start_mark.column
        return self.after(self.end_of(before[-1]), [column + line for line in lines])

    def block(self, entries: Sequence[Any], column: int) -> str:
        """Write entries of a list, one or more lines each, with their dashes in this column."""
        lines = _dump(list(entries), self.indent).splitlines()
        shift = min((len(line) - len(line.lstrip()) for line in lines[:1]), default=0)
        return "\n".join(" " * column + line[shift:] for line in lines)

    def end_of(self, node: Any) -> int:
        """The end of the text of a node, without following blank lines and comments."""
        end = int(node.end_mark.index)
        if isinstance(node, yaml.ScalarNode):
            text = self.text[node.start_mark.index : end]
            # Blank lines after a text of many lines belong to it only if it keeps them (`|+`).
            blank = len(text) - len(text.rstrip()) if node.style in ("|", ">") else 0
            return end - max(blank - 1, 0) if "\n\n" not in node.value[-2:] else end
        if node.flow_style:
            return end
        lines = self.text[node.start_mark.index : end].splitlines(keepends=True)
        while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            end -= len(lines.pop())
        # An apparent comment may be the end of a text with many lines.
        parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
        return max(end, *(self.end_of(part) for part in parts[-1:]))

    def after(self, place: Any, lines: Sequence[str]) -> _Edit:
        """Add lines below the line of a place (a node or an index)."""
        index = place if isinstance(place, int) else int(place.end_mark.index)
        text = self.newline.join(lines) + self.newline
        if index and self.text[index - 1] == "\n":
            return _Edit(index, index, text)
        end = self.text.find("\n", index) + 1
        if not end:
            return _Edit(len(self.text), len(self.text), self.newline + text)
        return _Edit(end, end, text)

    def edited(self, edits: Sequence[_Edit]) -> str:
        """The text after all edits; edits of one place keep their order."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: edit.start)[::-1]:
            text = text[: edit.start] + edit.text + text[edit.end :]
        return text


class _Dumper(yaml.SafeDumper):
    """Writes lists with more indentation than their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        return super().increase_indent(flow, False)


def _dump(value: Any, indent: int, **style: Any) -> str:
    dumper = _Dumper if indent else yaml.SafeDumper
    return str(yaml.dump(value, Dumper=dumper, allow_unicode=True, sort_keys=False, width=2**20, **style))


def _flow(value: Any) -> str:
    """Write a value on one line, as inside brackets."""
    return _dump([value], 0, default_flow_style=True).strip()[1:-1]


def _plain(node: Any) -> Any:
    return Loader("").construct_object(node, deep=True)
