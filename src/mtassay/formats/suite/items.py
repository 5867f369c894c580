"""What a suite consists of: items, rules, matching and macros."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from mtassay.errors import InputError, UsageError

__all__ = [
    "OWN_MATCHING",
    "PATTERNS",
    "REGEX_FIELDS",
    "RULE_FIELDS",
    "TOKEN_FIELDS",
    "VARIABLE",
    "Item",
    "Matching",
    "Rule",
    "RuleField",
    "Suite",
    "check_length",
    "expand",
    "longest_pattern",
    "macros_in",
]


Engine = Literal["re2", "regex"]
Case = Literal["exact", "ignore"]
RuleField = Literal["positive_regex", "negative_regex", "positive_tokens", "negative_tokens"]
REGEX_FIELDS: tuple[RuleField, ...] = ("positive_regex", "negative_regex")
TOKEN_FIELDS: tuple[RuleField, ...] = ("positive_tokens", "negative_tokens")
RULE_FIELDS = (*REGEX_FIELDS, *TOKEN_FIELDS)


@dataclass(frozen=True, slots=True)
class Matching:
    """How outputs and rules are made comparable. The defaults compare character by character.

    `quotes` folds curly quotation marks and apostrophes into straight ones, `invisible` leaves out soft
    hyphens and characters without width, `copies` says what an output is that equals its source.
    """

    case: Case = "exact"
    unicode: Literal["none", "NFC", "NFKC"] = "none"
    whitespace: Literal["keep", "collapse"] = "keep"
    quotes: Literal["keep", "fold"] = "keep"
    invisible: Literal["keep", "ignore"] = "keep"
    copies: Literal["judge", "incorrect"] = "judge"


OWN_MATCHING = Matching(quotes="fold", invisible="ignore", copies="incorrect")
"""What holds in our own formats unless a file says otherwise; the DFKI's files are compared exactly."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One expression, or one token: a whole output that a person settled.

    `case` of `None` means as in the suite; `engine` matters to expressions only.
    """

    text: str
    author: str = ""
    date: str = ""
    note: str = ""
    case: Case | None = None
    engine: Engine = "re2"


@dataclass(frozen=True, slots=True)
class Item:
    """One source sentence that tests one phenomenon, with the rules that judge its translations.

    `focus` are the words of the source that carry the phenomenon, `context` the sentences before it.
    `extra` keeps what a file of others says besides; `line` is where the item begins in its file.
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
        """Whether no second person has approved the item yet."""
        return not self.approver or self.approver == self.author

    @property
    def has_rules(self) -> bool:
        """Whether there is any rule to judge an output by."""
        return any(getattr(self, name) for name in RULE_FIELDS)


@dataclass(frozen=True, repr=False)
class Suite:
    """Items in the order of their file, and what holds for all of them."""

    items: tuple[Item, ...]
    name: str = ""
    langpair: str = ""
    author: str = ""
    about: str = ""
    matching: Matching = Matching()
    macros: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    path: str = field(default="", compare=False)

    @cached_property
    def digest(self) -> str:
        """Of all that decides a verdict: items, rules, macros and how texts are compared."""
        content = repr((self.items, self.matching, dict(self.macros)))
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()

    def __repr__(self) -> str:
        """Which suite this is; runs keep it among their parameters."""
        return f"{self.name or Path(self.path).name} ({len(self.items)} items, {self.digest[:12]})"


VARIABLE = "MTASSAY_MAX_PATTERN"
"""The variable of the environment that says how many characters a pattern may have, macros written out."""

PATTERNS = 200
"""So many patterns of the largest size a suite may have together."""

_USUAL = 100_000
_DEEPEST = 50
_MACRO = re.compile(r"\{\{\s*([\w-]+)\s*\}\}")


def macros_in(pattern: str) -> list[str]:
    """The names of the macros that stand in a pattern, in order."""
    return _MACRO.findall(pattern)


def expand(pattern: str, macros: Mapping[str, str], *, within: tuple[str, ...] = ()) -> str:
    r"""The pattern with every macro written out as a group. A `ValueError` names one that is unknown.

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
    """How many characters a pattern may have with its macros written out."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return _USUAL
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:12]) <= 2**30):
        raise UsageError(f"{VARIABLE} is {text[:40]!r}. Write a whole number of characters, such as 500000.")
    return int(text)


def check_length(suite: Suite) -> None:
    """Refuse a suite whose patterns are too long together with their macros written out."""
    limit = PATTERNS * longest_pattern()
    lengths: dict[str, int] = {}

    def length(pattern: str, depth: int = 0) -> int:
        known = [name for name in macros_in(pattern) if name in suite.macros] if depth < _DEEPEST else []
        for name in known:
            if name not in lengths:
                lengths[name] = 0  # one that contains itself is told of where it is used
                lengths[name] = length(suite.macros[name], depth + 1)
        return len(pattern) + sum(lengths[name] for name in known)

    if suite.macros:
        rules = (rule for item in suite.items for name in REGEX_FIELDS for rule in getattr(item, name))
        if sum(length(rule.text) for rule in rules) > limit:
            what = f"with their macros written out its patterns have more than {limit:,} characters together"
            raise InputError(f"{what}. If they are meant to be so long, raise {VARIABLE}.", path=suite.path)
