"""The parts of a suite: items, rules, matching and macros."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from mtassay.data.errors import InputError, UsageError

Engine = Literal["re2", "regex"]
Case = Literal["exact", "ignore"]
RuleField = Literal["positive_regex", "negative_regex", "positive_tokens", "negative_tokens"]
REGEX_FIELDS: tuple[RuleField, ...] = ("positive_regex", "negative_regex")
TOKEN_FIELDS: tuple[RuleField, ...] = ("positive_tokens", "negative_tokens")
RULE_FIELDS = (*REGEX_FIELDS, *TOKEN_FIELDS)


@dataclass(frozen=True, slots=True)
class Matching:
    """Options to normalise outputs and rules. The defaults compare character by character.

    `quotes` turns curly quotation marks and apostrophes into straight ones, `invisible` drops soft hyphens
    and zero-width characters, `copies` is the verdict on an output that equals its source. `unicode` has,
    beyond Unicode's own forms, `scripts`: NFKC (one width of kana and letters), without vowel marks and
    tatweel of Arabic, with Persian and Urdu letters as the Arabic ones and all digits as 0 to 9; and
    `accents`: the same without combining accents.
    """

    case: Case = "exact"
    unicode: Literal["none", "NFC", "NFKC", "scripts", "accents", "chinese"] = "none"
    whitespace: Literal["keep", "collapse"] = "keep"
    quotes: Literal["keep", "fold"] = "keep"
    invisible: Literal["keep", "ignore"] = "keep"
    copies: Literal["judge", "incorrect"] = "judge"


OWN_MATCHING = Matching(quotes="fold", invisible="ignore", copies="incorrect")
"""The default of our own formats; the DFKI's files are compared exactly."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One expression, or one token: a whole output that a person decided.

    `case=None` means as in the suite; `engine` applies only to expressions.
    """

    text: str
    author: str = ""
    date: str = ""
    note: str = ""
    case: Case | None = None
    engine: Engine = "re2"


@dataclass(frozen=True, slots=True)
class Item:
    """A source sentence that tests one phenomenon, with the rules that judge its translations.

    `focus` are the words of the source with the phenomenon, `context` the sentences before it. `extra` keeps
    other fields of foreign files; `line` is the first line of the item in its file.
    """

    id: str
    langpair: str
    category: str
    phenomenon: str
    source: str
    positive_regex: tuple[Rule, ...] = ()
    negative_regex: tuple[Rule, ...] = ()
    positive_tokens: tuple[Rule, ...] = ()
    negative_tokens: tuple[Rule, ...] = ()
    focus: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    note: str = ""
    author: str = ""
    approver: str = ""
    public: bool = True
    tags: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False, repr=False)

    @property
    def is_draft(self) -> bool:
        """Whether the item lacks the approval of a second person."""
        return not self.approver or self.approver == self.author

    @property
    def has_rules(self) -> bool:
        """Whether there is any rule to judge an output by."""
        return any(getattr(self, name) for name in RULE_FIELDS)


@dataclass(frozen=True, repr=False)
class Suite:
    """Items in the order of their file, and their common settings.

    `words_alone` are phenomena in which one word anywhere decides; `*` matches anything.
    """

    items: tuple[Item, ...]
    name: str = ""
    langpair: str = ""
    author: str = ""
    about: str = ""
    matching: Matching = Matching()
    macros: Mapping[str, str] = field(default_factory=dict)
    words_alone: tuple[str, ...] = ()
    path: str = field(default="", compare=False)

    @cached_property
    def digest(self) -> str:
        """A digest of all that decides a verdict: items, rules, macros and matching options."""
        content = repr((self.items, self.matching, dict(self.macros)))
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()

    def __repr__(self) -> str:
        """The identity of this suite; runs store it among their parameters."""
        return f"{self.name or Path(self.path).name} ({len(self.items)} items, {self.digest[:12]})"


VARIABLE = "MTASSAY_MAX_PATTERN"
"""Environment variable with the largest number of characters of a pattern, macros expanded."""

PATTERNS = 200
"""A suite may have this many patterns of the largest size."""

_USUAL = 100_000
_DEEPEST = 50
_MACRO = re.compile(r"\{\{\s*([\w-]+)\s*\}\}")


def macros_in(pattern: str) -> list[str]:
    """The names of the macros in a pattern, in order."""
    return _MACRO.findall(pattern)


def expand(pattern: str, macros: Mapping[str, str], *, within: tuple[str, ...] = ()) -> str:
    r"""Expand every macro of a pattern to a group. A `ValueError` names an unknown one.

    >>> expand(r"\b{{never}} vi", {"never": "nunca|jamais"})
    '\\b(?:nunca|jamais) vi'
    """
    if "{{" not in pattern:
        return pattern
    size, limit = 0, longest_pattern()

    def written_out(match: re.Match[str]) -> str:
        nonlocal size
        name = match[1]
        if name in within:
            raise ValueError(f"the macro '{name}' contains itself")
        if name not in macros:
            available = f"Available: {', '.join(macros)}" if macros else "There are none in this suite"
            raise ValueError(f"no macro '{name}'. {available}")
        if len(within) == _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} macros within each other")
        text = f"(?:{expand(macros[name], macros, within=(*within, name))})"
        size += len(text)
        if size > limit:
            what = f"with its macros written out it has more than {limit:,} characters"
            raise ValueError(f"{what}; if it is meant to be so long, raise {VARIABLE}")
        return text

    return _MACRO.sub(written_out, pattern)


def longest_pattern() -> int:
    """The largest number of characters of a pattern with its macros expanded."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return _USUAL
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) <= 2**30):
        raise UsageError(f"{VARIABLE} is {text[:40]!r}. Write a whole number of characters, such as 500000.")
    return int(text)


def check_length(suite: Suite) -> None:
    """Refuse a suite whose patterns, with their macros expanded, are too long in total."""
    limit = PATTERNS * longest_pattern()
    lengths: dict[str, int] = {}

    def length(pattern: str, depth: int = 0) -> int:
        known = [name for name in macros_in(pattern) if name in suite.macros] if depth < _DEEPEST else []
        for name in known:
            if name not in lengths:
                lengths[name] = 0  # a macro that contains itself is reported where it is used
                lengths[name] = length(suite.macros[name], depth + 1)
        return len(pattern) + sum(lengths[name] for name in known)

    if suite.macros:
        rules = (rule for item in suite.items for name in REGEX_FIELDS for rule in getattr(item, name))
        if sum(length(rule.text) for rule in rules) > limit:
            what = f"with their macros written out its patterns have more than {limit:,} characters together"
            raise InputError(f"{what}. If they are meant to be so long, raise {VARIABLE}.", path=suite.path)


_HEADER = ("suite", "langpair", "author", "about", "match", "macros", "words_alone")
_LISTS = ("focus", "references", "context", "tags")
_TEXTS = ("id", "langpair", "category", "phenomenon", "source", "note", "author", "approver")
_ITEM = (*_TEXTS, *RULE_FIELDS, *_LISTS, "public")
_REQUIRED = ("id", "category", "phenomenon", "source")
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


def suite_from_header(record: Mapping[str, Any], items: Sequence[Item], *, path: str) -> Suite:
    """Make a suite from a header and items."""
    _check_keys(record, (*_HEADER, "items"), "a suite", path, 1)
    macros = record.get("macros") or {}
    if not isinstance(macros, Mapping):
        raise InputError("'macros' must map names to patterns", path=path)
    return Suite(
        tuple(items),
        name=_text(record, "suite", path, 1),
        langpair=_text(record, "langpair", path, 1),
        author=_text(record, "author", path, 1),
        about=_text(record, "about", path, 1),
        matching=_matching(record.get("match") or {}, path),
        macros={str(name): str(pattern) for name, pattern in macros.items()},
        words_alone=_list(record.get("words_alone"), "words_alone", path, 1),
        path=path,
    )


def _matching(record: Any, path: str) -> Matching:
    names = [field.name for field in fields(Matching)]
    if not isinstance(record, Mapping):
        raise InputError(f"'match' must be a mapping of {', '.join(names)}", path=path)
    _check_keys(record, names, "'match'", path, None)
    for name, kind in get_type_hints(Matching).items():
        if name in record and record[name] not in get_args(kind):
            choices = ", ".join(get_args(kind))
            raise InputError(f"'match' has {name}: {record[name]}. Available: {choices}", path=path)
    return replace(OWN_MATCHING, **record)


def item_from_record(
    record: Any, *, path: str, line: int | None, langpair: str = "", author: str = ""
) -> Item:
    """Read one item. `langpair` and `author` are the header's, for items without their own."""
    if not isinstance(record, Mapping):
        raise InputError(
            "an item must be a mapping with id, category, phenomenon, source", path=path, line=line
        )
    _check_keys(record, _ITEM, "an item", path, line)
    texts = {name: _text(record, name, path, line) for name in _TEXTS}
    for name in _REQUIRED:
        if not texts[name].strip():
            raise InputError(f"an item has no '{name}'", path=path, line=line)
    texts["langpair"] = texts["langpair"] or langpair
    texts["author"] = texts["author"] or author
    rules = {name: rules_in(record.get(name), name, path=path, line=line) for name in RULE_FIELDS}
    lists = {name: _list(record.get(name), name, path, line) for name in _LISTS}
    public = _truth(record.get("public", True), path, line)
    return Item(**texts, **rules, **lists, public=public, line=line)  # type: ignore[arg-type]


def rules_in(value: Any, name: str, *, path: str, line: int | None = None) -> tuple[Rule, ...]:
    """Read the rules in a field: a text, a mapping, or a list of both; empty entries are not rules."""
    entries = value if isinstance(value, list) else [value]
    return tuple(_rule(entry, name, path, line) for entry in entries if entry not in (None, "", {}))


def _rule(entry: Any, name: str, path: str, line: int | None) -> Rule:
    what = "regex" if name.endswith("regex") else "token"
    if isinstance(entry, str):
        return Rule(entry)
    if not isinstance(entry, Mapping) or not isinstance(entry.get(what), str):
        hint = ""
        if isinstance(entry, Mapping) and len(entry) == 1:
            hint = f". If '{next(iter(entry))}: …' is all one pattern with a colon, put it in single quotes"
        elif isinstance(entry, Mapping | list):
            hint = ". A pattern that begins with { or [ needs quotes: put it in single quotes"
        raise InputError(f"'{name}' must hold texts, or mappings with '{what}'{hint}", path=path, line=line)
    rest = {key: value for key, value in entry.items() if key != what}
    options = [field.name for field in fields(Rule) if field.name != "text"]
    _check_keys(rest, options, f"a rule of '{name}'", path, line)
    for key, choices in (("case", get_args(Case)), ("engine", get_args(Engine))):
        if key in rest and rest[key] not in choices:
            raise InputError(f"'{key}: {rest[key]}'. Available: {', '.join(choices)}", path=path, line=line)
    texts: dict[str, Any] = {key: str(value) for key, value in rest.items()}
    return Rule(entry[what], **texts)


def _list(value: Any, name: str, path: str, line: int | None) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else [value]
    texts = [entry for entry in entries if entry not in (None, "")]
    if not all(isinstance(entry, str) for entry in texts):
        hint = ". If a colon belongs to the text, put it in single quotes"
        raise InputError(f"'{name}' must be a list of texts{hint}", path=path, line=line)
    return tuple(texts)


def _text(record: Mapping[str, Any], name: str, path: str, line: int | None) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, Mapping | list):
        raise InputError(f"'{name}' must be a text", path=path, line=line)
    return str(value)


def _truth(value: Any, path: str, line: int | None) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() not in _TRUTHS:
        raise InputError(f"'public: {value}'. Write true or false", path=path, line=line)
    return _TRUTHS[str(value).lower()]


def _check_keys(
    record: Mapping[str, Any], allowed: Sequence[str], what: str, path: str, line: int | None
) -> None:
    """Refuse unknown keys: a misspelt key would silently lose a rule."""
    if unknown := [str(key) for key in record if key not in allowed]:
        raise InputError(
            f"{what} has no '{unknown[0]}'. Available: {', '.join(allowed)}", path=path, line=line
        )


def header_record(suite: Suite) -> dict[str, Any]:
    """The header of a file, before its items, without defaults."""
    match = {
        field.name: value
        for field in fields(Matching)
        if (value := getattr(suite.matching, field.name)) != getattr(OWN_MATCHING, field.name)
    }
    record = {
        "suite": suite.name,
        "langpair": suite.langpair,
        "author": suite.author,
        "about": suite.about,
        "match": match,
        "macros": dict(suite.macros),
        "words_alone": list(suite.words_alone),
    }
    return {key: value for key, value in record.items() if value}


def item_record(item: Item, suite: Suite) -> dict[str, Any]:
    """An item without empty fields, and without its suite's language pair and author."""
    record: dict[str, Any] = {
        "id": item.id,
        "langpair": item.langpair if item.langpair != suite.langpair else "",
        "category": item.category,
        "phenomenon": item.phenomenon,
        "source": item.source,
        "focus": list(item.focus),
        **{name: [rule_record(rule, name) for rule in getattr(item, name)] for name in RULE_FIELDS},
        "references": list(item.references),
        "context": list(item.context),
        "note": item.note,
        "author": item.author if item.author != suite.author else "",
        "approver": item.approver,
        "tags": list(item.tags),
    }
    record = {key: value for key, value in record.items() if value}
    return record if item.public else {**record, "public": False}


def rule_record(rule: Rule, name: str) -> str | dict[str, str]:
    """A rule as a text if it has nothing else, otherwise as a mapping."""
    rest = {
        field.name: getattr(rule, field.name)
        for field in fields(Rule)
        if field.name != "text" and getattr(rule, field.name) != field.default
    }
    return {"regex" if name.endswith("regex") else "token": rule.text, **rest} if rest else rule.text


_DFKI_TEXTS = ("id", "langpair", "category", "phenomenon")


def suite_from_dfki(content: Any, *, path: str) -> Suite:
    """Read the suite in the parsed content of such a file."""
    if not isinstance(content, Mapping) or not isinstance(content.get("items"), list):
        raise InputError('this is no suite: a JSON suite is an object with a list "items"', path=path)
    items = tuple(_item(record, number, path) for number, record in enumerate(content["items"], 1))
    pairs = {item.langpair for item in items}
    return Suite(items, langpair=pairs.pop() if len(pairs) == 1 else "", path=path)


def _item(record: Any, number: int, path: str) -> Item:
    where = f"item {number}"
    if not isinstance(record, Mapping):
        raise InputError(f"{where} is no object", path=path)
    own_keys = (*_DFKI_TEXTS, "source_sentence", *REGEX_FIELDS, *TOKEN_FIELDS)
    for name in (*_DFKI_TEXTS, "source_sentence"):
        if not isinstance(record.get(name), str):
            raise InputError(f"{where} has no text '{name}'", path=path)
    for name in REGEX_FIELDS:
        if not isinstance(record.get(name) or "", str):
            raise InputError(f"{where}: '{name}' is no text", path=path)
    for name in TOKEN_FIELDS:
        tokens = record.get(name) or []
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise InputError(f"{where}: '{name}' is no list of texts", path=path)
    rules: dict[str, Any] = {
        **{name: (Rule(record[name]),) if record.get(name) else () for name in REGEX_FIELDS},
        **{name: tuple(map(Rule, record.get(name) or [])) for name in TOKEN_FIELDS},
    }
    return Item(
        **{name: record[name] for name in _DFKI_TEXTS},
        source=record["source_sentence"],
        **rules,
        extra={key: value for key, value in record.items() if key not in own_keys},
    )
