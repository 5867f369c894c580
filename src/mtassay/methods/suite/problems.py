"""What `suite check` looks for: a name, how bad it is, and what it means."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from mtassay.formats.suite import Item

__all__ = ["CODES", "Code", "Problem", "Severity", "problem", "short"]

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of problem; `severity` is the usual one."""

    severity: Severity
    meaning: str


CODES = {
    "bad-pattern": Code("error", "an expression that does not compile"),
    "unknown-macro": Code("error", "an expression with a macro that the suite does not have"),
    "control-character": Code("error", "a pattern, token or source with a character that no output has"),
    "duplicate-id": Code("error", "two items with one id"),
    "both-tokens": Code("error", "an output that is a positive and a negative token"),
    "reference-not-correct": Code("error", "a reference that the rules call wrong or cannot judge"),
    "matches-everything": Code("error", "an expression that matches any sentence"),
    "overlap": Code("warning", "positive and negative expressions that match one known output"),
    "shadowed-token": Code("warning", "a token that an expression judges the other way"),
    "escaped-token": Code("warning", "a token written like an expression"),
    "only-source-words": Code("warning", "an expression by which a copy of the source is correct"),
    "focus-not-in-source": Code("warning", "a focus that does not stand in the source"),
    "duplicate-source": Code("warning", "two items that ask and judge the same"),
    "no-langpair": Code("warning", "an item without a language pair, or with one that nobody knows"),
    "no-rule": Code("warning", "an item that nothing can judge"),
    "no-items": Code("warning", "a suite without items"),
    "few-items": Code("info", "a phenomenon with too few items to say much"),
    "never-fires": Code("info", "a rule that applied to no stored output of its item"),
    "unused-macro": Code("info", "a macro that no expression uses"),
    "draft": Code("info", "items that no second person has approved"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an item, or with the suite where `item` is empty.

    `line` is where the item begins; `rule` is the text of the rule it is about, if it is about one.
    """

    code: str
    what: str
    severity: Severity
    item: str = ""
    line: int | None = None
    rule: str = ""


def problem(
    code: str, what: str, item: Item | None = None, *, rule: str = "", severity: Severity | None = None
) -> Problem:
    """A problem of an item or of the whole suite, as bad as its code says unless told otherwise."""
    severity = severity or CODES[code].severity
    if item is None:
        return Problem(code, what, severity)
    return Problem(code, what, severity, item.id, item.line, rule)


def short(text: str, *, width: int = 60) -> str:
    r"""A text on one line, cut off where it is longer; control characters are shown as escapes.

    >>> short("a rather long text", width=9)
    'a rather…'
    >>> print(short("\bfoo"))
    \x08foo
    """
    text = " ".join(text.split())
    text = "".join(repr(c)[1:-1] if unicodedata.category(c) == "Cc" else c for c in text)
    return text if len(text) <= width else text[: width - 1] + "…"
