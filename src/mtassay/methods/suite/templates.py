"""What a template file is made of: slots with records, tables of forms, templates of items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

import yaml

from mtassay.data.errors import InputError
from mtassay.data.formats.suite_items import Suite
from mtassay.data.formats.yaml_editing import compose

__all__ = [
    "Argument",
    "Call",
    "Columns",
    "Condition",
    "FormTable",
    "InflectedForm",
    "ItemTemplate",
    "LocatedDict",
    "LocatedText",
    "Placeholder",
    "SlotRecord",
    "TemplateFile",
    "line_of",
    "load",
    "parse",
    "parse_condition",
    "plain",
    "slots_in",
    "slug",
    "unique_slugs",
]


class LocatedText(str):
    """A text that knows its line."""

    line: int | None = None


class LocatedDict(dict[str, Any]):
    """A mapping that knows its line."""

    line: int | None = None


def line_of(value: object) -> int | None:
    """Where a value begins; a list begins where its first entry does."""
    if isinstance(value, list):
        return line_of(value[0]) if value else None
    return getattr(value, "line", None)


def plain(value: Any) -> Any:
    """The same as ordinary texts, lists and mappings, without lines."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return {str(key): plain(inner) for key, inner in value.items()}


def load(text: str, *, path: str) -> Any:
    """Texts, lists and mappings. A key that stands twice and an anchor within itself are `InputError`s.

    >>> load("a: [no, 1.0]", path="x.yaml")
    {'a': ['no', '1.0']}
    """
    node = compose(text, path=path)
    try:
        return None if node is None else _value(node, path, {})
    except RecursionError:  # anchors can nest deeper than the text
        raise InputError("this YAML is nested too deeply", path=path) from None


def _value(node: Any, path: str, values_by_node: dict[int, Any]) -> Any:
    """The value of a node. Each node is read once, so that aliases cannot multiply."""
    line = node.start_mark.line + 1
    if id(node) in values_by_node:
        if values_by_node[id(node)] is None:
            raise InputError("this anchor contains itself", path=path, line=line)
        return values_by_node[id(node)]
    values_by_node[id(node)] = None
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = LocatedText(node.value)
        value.line = line
    elif isinstance(node, yaml.SequenceNode):
        value = [_value(child, path, values_by_node) for child in node.value]
    else:
        value = LocatedDict()
        value.line = line
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise InputError("a key must be a text", path=path, line=line)
            value[key.value] = _value(child, path, values_by_node)
    values_by_node[id(node)] = value
    return value


_NO_WORD = re.compile(r"[\W_]+")


def slug(text: str) -> str:
    """Words in lower case with hyphens between them; letters of all scripts stay.

    >>> slug("Transitive - simple past")
    'transitive-simple-past'
    """
    return _NO_WORD.sub("-", text.lower()).strip("-") or "x"


def unique_slugs(forms: Sequence[Sequence[str]]) -> list[str]:
    """One for each, from its first form; what is taken gets a number, in order.

    >>> unique_slugs([["You"], ["you"], ["he"]])
    ['you', 'you-2', 'he']
    """
    names: list[str] = []
    for form in forms:
        name, number = slug(form[0]), 1
        while (candidate := name if number == 1 else f"{name}-{number}") in names:
            number += 1
        names.append(candidate)
    return names


# A macro, a class of characters such as \p{Lu}, or a placeholder.
_BRACES = re.compile(r"""\{\{.{0,200}?\}\}|\\[pP]\{[^{}]*\}|\{(?P<inside>[^\W\d][^{}]*|['"][^{}]*)\}""")
_VALUE = re.compile(
    r"""\s*(?:(?P<quote>['"])(?P<literal>.*?)(?P=quote)|(?P<slot>[\w-]+)(?:\.(?P<column>[\w-]+))?)\s*"""
)
_CALL = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\((?P<arguments>[^()]*)\))?\s*")
_REFERENCE = re.compile(r"[^\W\d][\w-]*\.[\w-]+")


@dataclass(frozen=True, slots=True)
class Argument:
    """Any of these choices; with `negated`, none of them."""

    choices: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    name: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A slot and column, or a literal text, passed through functions.

    `quantified` says that the expression goes on with `?`, `*`, `+` or `{`, which must hold for all of it.
    """

    text: str
    slot: str = ""
    column: str = ""
    literal: str | None = None
    calls: tuple[Call, ...] = ()
    quantified: bool = False


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[str | Placeholder, ...]:
    """The text in pieces; a `ValueError` says what is wrong with a placeholder.

    >>> [piece if isinstance(piece, str) else (piece.slot, piece.column) for piece in parse("{a.en} .{2}!")]
    [('a', 'en'), ' .{2}!']
    """
    pieces: list[str | Placeholder] = []
    done = 0
    for match in _BRACES.finditer(text):
        if match["inside"] is None:
            continue
        pieces.append(text[done : match.start()])
        done = match.end()
        pieces.append(_placeholder(match["inside"], quantified=text[done : done + 1] in tuple("?*+{")))
    pieces.append(text[done:])
    return tuple(piece for piece in pieces if piece != "")


def _placeholder(inside: str, *, quantified: bool) -> Placeholder:
    value = _VALUE.match(inside)
    if value is None or (value.end() < len(inside) and inside[value.end()] != "|"):
        raise ValueError(
            f"'{{{inside}}}' is no placeholder. Write {{slot.column}} or {{slot.column|function}}"
        )
    calls = []
    place = value.end()
    while place < len(inside):
        call = _CALL.match(inside, place + 1)
        if call is None or (call.end() < len(inside) and inside[call.end()] != "|"):
            raise ValueError(f"'{{{inside}}}': write |function or |function(argument, argument)")
        calls.append(Call(call["name"], _arguments(call["arguments"])))
        place = call.end()
    return Placeholder(
        inside, value["slot"] or "", value["column"] or "", value["literal"], tuple(calls), quantified
    )


def _arguments(text: str | None) -> tuple[Argument, ...]:
    return tuple(_argument(part) for part in text.split(",")) if text and text.strip() else ()


def _argument(text: str) -> Argument:
    """`not A or B` means neither.

    >>> _argument("not present or future")
    Argument(choices=('present', 'future'), negated=True)
    """
    words = text.split()
    negated = words[:1] == ["not"]
    rest = " ".join(words[1:] if negated else words)
    return Argument(tuple(choice.strip() for choice in rest.split(" or ")), negated)


def slots_in(text: str, slots: tuple[str, ...]) -> Iterator[str]:
    """The slots that a text uses, in order, with repetitions. A `ValueError` names one that is unknown."""
    for piece in parse(text):
        if isinstance(piece, str):
            continue
        if piece.literal is None:
            yield known_slot(piece.slot, slots)
        for call in piece.calls:
            for choice in (choice for argument in call.arguments for choice in argument.choices):
                if choice in slots:
                    yield choice
                elif _REFERENCE.fullmatch(choice):
                    yield known_slot(choice.partition(".")[0], slots)


def known_slot(name: str, slots: tuple[str, ...]) -> str:
    """The name, or a `ValueError` with those that there are."""
    if name not in slots:
        raise ValueError(f"no slot '{name}'. Available: {', '.join(slots) or 'none'}")
    return name


_BETWEEN = re.compile(r"[\s;,]+")


def features_of(text: str) -> frozenset[str]:
    """Features are words in any order, with spaces or, as in UniMorph, semicolons between them."""
    return frozenset(word for word in _BETWEEN.split(text) if word)


@dataclass(frozen=True, slots=True)
class InflectedForm:
    """One form of a lemma."""

    features: frozenset[str]
    form: str


@dataclass(frozen=True, slots=True)
class FormTable:
    """The forms of each lemma, in the order of the file."""

    name: str
    entries: Mapping[str, Sequence[InflectedForm]]

    def __call__(self, lemma: str, arguments: Sequence[Argument]) -> list[str]:
        """The forms with these features; entries with more features count where none has just these.

        With a negated argument: those of the forms that no entry with its features has, whatever the rest of
        that entry, so that another tense that looks the same is no mistake. Only then may there be none.
        """
        if lemma not in self.entries:
            lemmas = ", ".join(list(self.entries)[:8])
            raise ValueError(f"the table '{self.name}' has no '{lemma}'. It has: {lemmas}")
        entries = self.entries[lemma]
        wanted = list(_combined(arguments))
        unwanted = [features_of(text) for a in arguments if a.negated for text in a.choices]
        if unwanted:
            out = {e.form for e in entries if any(features <= e.features for features in unwanted)}
            some = [e.form for e in entries if any(want <= e.features for want in wanted)]
            if not out or not some:
                raise ValueError(self._lacking(lemma, arguments))
            return _unique(form for form in some if form not in out)
        forms = [form for features in wanted for form in _with(entries, features)]
        if not forms:
            raise ValueError(self._lacking(lemma, arguments))
        return _unique(forms)

    def _lacking(self, lemma: str, arguments: Sequence[Argument]) -> str:
        asked = ", ".join(" or ".join(argument.choices) for argument in arguments)
        features = sorted({feature for entry in self.entries[lemma] for feature in entry.features})
        return (
            f"the table '{self.name}' has no form of '{lemma}' for '{asked}'. Features: {', '.join(features)}"
        )


def _combined(arguments: Sequence[Argument]) -> Iterator[frozenset[str]]:
    """One set of features for each way to take one choice of each argument that is not negated."""
    choices = [argument.choices for argument in arguments if not argument.negated]
    for chosen in product(*choices):
        yield frozenset().union(*map(features_of, chosen))


def _with(entries: Sequence[InflectedForm], features: frozenset[str]) -> list[str]:
    exact = [entry.form for entry in entries if entry.features == features]
    return exact or [entry.form for entry in entries if features <= entry.features]


def _unique(forms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(forms))


Columns = Mapping[str, Mapping[str, tuple[str, ...]]]
"""For each slot the columns of the record at hand."""

_COMPARISON = re.compile(r"(?P<left>[\w-]+(?:\.[\w-]+)?)\s*(?P<operator>!=|=)\s*(?P<right>\S.*)")


@dataclass(frozen=True, slots=True)
class _Value:
    """A slot's column, or a literal text where `slot` is empty."""

    slot: str
    text: str

    def forms(self, columns: Columns) -> Sequence[str]:
        """The texts it stands for; none where the record has no such column."""
        if not self.slot:
            return (self.text,)
        record = columns[self.slot]
        return record.get(self.text, ()) if self.text else next(iter(record.values()))


@dataclass(frozen=True, slots=True)
class _Comparison:
    left: _Value
    right: tuple[_Value, ...]
    is_equal: bool

    def holds(self, columns: Columns) -> bool:
        wanted = {form for value in self.right for form in value.forms(columns)}
        return bool(wanted.intersection(self.left.forms(columns))) == self.is_equal


@dataclass(frozen=True, slots=True)
class Condition:
    """Comparisons that must all hold; `slots` are those it speaks of."""

    comparisons: tuple[_Comparison, ...]
    slots: frozenset[str]

    def holds(self, columns: Columns) -> bool:
        """Whether the records at hand are as asked. A column that a record lacks equals nothing."""
        return all(comparison.holds(columns) for comparison in self.comparisons)


def parse_condition(text: str, columns: Mapping[str, frozenset[str]]) -> Condition:
    """`LEFT = RIGHT or RIGHT and …`, where a side is a slot, a slot's column, or (right) any other text.

    `columns` are those that any record of a slot has. A `ValueError` says what is wrong.

    >>> condition = parse_condition("subject.person = 1s or 3s", {"subject": frozenset({"en", "person"})})
    >>> condition.holds({"subject": {"en": ("he",), "person": ("3s",)}})
    True
    """
    comparisons = tuple(_comparison(part, columns) for part in text.split(" and "))
    values = [value for comparison in comparisons for value in (comparison.left, *comparison.right)]
    return Condition(comparisons, frozenset(value.slot for value in values if value.slot))


def _comparison(text: str, columns: Mapping[str, frozenset[str]]) -> _Comparison:
    match = _COMPARISON.fullmatch(text.strip())
    if not match:
        raise ValueError(f"'{text}' is no condition. Write: slot.column = value, or != value")
    left = _operand(match["left"], columns)
    if not left.slot:
        known_slot(match["left"].partition(".")[0], tuple(columns))
    right = tuple(_operand(part, columns) for part in match["right"].split(" or "))
    return _Comparison(left, right, match["operator"] == "=")


def _operand(text: str, columns: Mapping[str, frozenset[str]]) -> _Value:
    slot, _, column = text.strip().partition(".")
    if slot not in columns:
        return _Value("", text.strip())
    if column and column not in columns[slot]:
        raise ValueError(
            f"no value of '{slot}' has '{column}'. Available: {', '.join(sorted(columns[slot]))}"
        )
    return _Value(slot, column)


Forms = tuple[str, ...]
"""One or more ways to say the same: texts take the first, expressions allow all."""


@dataclass(frozen=True, slots=True)
class SlotRecord:
    """One value of a slot: its columns in the order of the file, and its name in ids, unique in the slot."""

    name: str
    columns: Mapping[str, Forms]


@dataclass(frozen=True, slots=True)
class ItemTemplate:
    """An item with placeholders.

    `record` has the keys of an item; its texts know their line. An item is made for each combination of
    the records of `slots` for which all of `when` and none of `excluded` hold.
    """

    id: str
    record: Mapping[str, Any]
    slots: Sequence[str]
    when: Sequence[Condition] = ()
    excluded: Sequence[Condition] = ()
    line: int | None = None


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """Templates in the order of the file; `header` is the suite they make, without items."""

    header: Suite
    slots: Mapping[str, Sequence[SlotRecord]]
    tables: Mapping[str, FormTable]
    templates: Sequence[ItemTemplate]
    author: str = ""
    path: str = field(default="", compare=False)
