"""Expressions that cannot hang: RE2 in linear time, or the `regex` package under a time-out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import re2

from mtassay.formats.suite import Matching, Rule, expand
from mtassay.methods.suite.re2_syntax import explain, mark, translate, unmarked_length

__all__ = ["TIMEOUT", "Found", "Pattern", "Text", "compile_rule", "control_in", "escaped", "normalize"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")

TIMEOUT = 1.0
"""Seconds that an expression with `engine: regex` may take for one output."""


class Found(NamedTuple):
    """Where an expression matched, in characters of the normalised output."""

    start: int
    end: int


def normalize(text: str, matching: Matching) -> str:
    """A text as rules see it. Case is left alone: expressions and tokens see to it themselves.

    >>> normalize(" a  \\tb\\n", Matching(whitespace="collapse"))
    'a b'
    """
    if matching.unicode != "none" and not text.isascii():
        import unicodedata

        text = unicodedata.normalize(matching.unicode, text)
    return " ".join(text.split()) if matching.whitespace == "collapse" else text


def escaped(text: str) -> str:
    """The text as an expression that matches just it; spaces stay readable, unlike with `re.escape`.

    >>> escaped("3.5 (ca.)")
    '3\\\\.5 \\\\(ca\\\\.\\\\)'
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


@dataclass(frozen=True)
class Text:
    """A normalised output, with the forms of it that expressions search in, each made once."""

    text: str

    @cached_property
    def encoded(self) -> bytes:
        return self.text.encode("utf-8", "replace")

    @cached_property
    def marked(self) -> bytes:
        return mark(self.text, inner=False).encode("utf-8", "replace")

    @cached_property
    def fully_marked(self) -> bytes:
        return mark(self.text, inner=True).encode("utf-8", "replace")


class Pattern(Protocol):
    """A compiled expression."""

    def search(self, text: Text) -> Found | None:
        """The first place where it matches. A `TimeoutError` says that this took too long."""


def control_in(text: str) -> str:
    r"""What to do about a control character other than a tab or a line break; empty if there is none.

    >>> control_in(r"\bfoo\b")
    ''
    >>> print(control_in("\bfoo\b"))
    control character \x08; in YAML write patterns in single quotes or without quotes
    """
    if not (found := _CONTROL.search(text)):
        return ""
    shown = repr(found[0])[1:-1]
    return f"control character {shown}; in YAML write patterns in single quotes or without quotes"


def compile_rule(rule: Rule, *, matching: Matching, macros: Mapping[str, str]) -> Pattern:
    """The expression of a rule, with its macros written out. A `ValueError` says what is wrong with it."""
    text = expand(rule.text, macros)
    if control := control_in(text):
        raise ValueError(control)
    ignore_case = (rule.case or matching.case) == "ignore"
    text = normalize(text, Matching(unicode=matching.unicode))
    return (_Re2Pattern if rule.engine == "re2" else _RegexPattern)(text, ignore_case)


class _Re2Pattern:
    def __init__(self, text: str, ignore_case: bool) -> None:
        self._text, self._ignore_case = text, ignore_case
        self._translation = translate(text)
        self._plain = self._compiled(self._translation.plain)

    @cached_property
    def _marked(self) -> Any:
        assert self._translation.marked is not None
        return self._compiled(self._translation.marked)

    def _compiled(self, pattern: str) -> Any:
        options = re2.Options()
        options.case_sensitive = not self._ignore_case
        options.never_capture = True
        options.log_errors = False
        try:
            return re2.compile(pattern.encode("utf-8"), options)
        except (re2.error, UnicodeEncodeError) as error:
            explain(self._text)
            what = error.args[0] if error.args else error
            raise ValueError(
                what.decode("utf-8", "replace") if isinstance(what, bytes) else str(what)
            ) from None

    def search(self, text: Text) -> Found | None:
        if self._translation.marked is None or text.text.isascii():
            found = self._plain.search(text.encoded)
            return found and _characters(text.encoded, found.span())
        marked = text.fully_marked if self._translation.inner else text.marked
        found = self._marked.search(marked)
        return found and _characters(marked, found.span())


def _characters(data: bytes, span: tuple[int, int]) -> Found:
    """A span of bytes as a span of characters without marks."""
    start, end = (unmarked_length(data[:place].decode("utf-8", "replace")) for place in span)
    return Found(start, end)


class _RegexPattern:
    def __init__(self, text: str, ignore_case: bool) -> None:
        import regex

        try:
            flags = regex.IGNORECASE if ignore_case else 0
            self._compiled = regex.compile(text, flags | regex.VERSION0)
        except (regex.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None

    def search(self, text: Text) -> Found | None:
        found = self._compiled.search(text.text, timeout=TIMEOUT)
        return found and Found(*found.span())
