r"""Expressions with Python's meaning, run by RE2, which cannot hang.

In RE2, `\b`, `\w`, `\d` and `\s` know only ASCII, so "é" is not a letter. We replace the classes by Unicode
categories. This is not possible for the boundary `\b`, since RE2 has no look-around. So each pattern has a
second form for text that is not ASCII: `mark` puts a mark at every boundary of the text, `\b` becomes that
mark, and everything else skips marks.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import re2

from mtassay.data.formats.suite_items import Matching, Rule, expand

MARK = "\U0010fffe"  # a code point that will never be a character
_INNER_MARK = "\U000ffffe"  # marks places without a boundary, for patterns with \B
_MARKS = MARK + _INNER_MARK
_SKIP = f"[{_MARKS}]*"

_SPACES = [(9, 13), (28, 32), (133, 133), (160, 160), (5760, 5760), (8192, 8202), (8232, 8233)]
_SPACES += [(8239, 8239), (8287, 8287), (12288, 12288)]
"""The characters of `str.isspace`, as ranges of code points."""


def _between(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The gaps between ranges, up to the last character outside the private use planes."""
    starts = [0, *(high + 1 for _, high in ranges)]
    ends = [*(low - 1 for low, _ in ranges), 0xEFFFF]
    return [(low, high) for low, high in zip(starts, ends, strict=True) if low <= high]


def _written(ranges: list[tuple[int, int]]) -> str:
    return "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges)


_WORD = r"\p{L}\p{N}_"
_CLASSES = {
    "w": _WORD,
    "d": r"\p{Nd}",
    "s": _written(_SPACES),
    # Complements leave out private use characters, since the marks are there. \p{Pc} is "_" and a few others.
    "W": r"\p{M}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}"
    r"\x{203f}\x{2040}\x{2054}\x{fe33}\x{fe34}\x{fe4d}-\x{fe4f}\x{ff3f}",
    "D": r"\p{L}\p{M}\p{Nl}\p{No}\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}",
    "S": _written(_between(_SPACES)),
}
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_HEX = {"x": 2, "u": 4, "U": 8}
_QUANTIFIER = re.compile(r"\{(\d*+)(,?+)(\d*+)\}")
_GLOBAL_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")
_SCOPED_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(-[a-zA-Z]+)?:")
_NAMED = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class Translation:
    r"""A pattern for RE2: `plain` for ASCII text, and `marked` for text with marks if there is a `\b`.

    `inner` says that marks are also needed where there is no boundary.
    """

    plain: str
    marked: str | None
    inner: bool


def mark(text: str, *, inner: bool) -> str:
    """Put two marks at every word boundary of a text, so that two `\\b` in a row find one each."""
    text = text.translate({ord(character): "\ufffd" for character in _MARKS})
    text = re.sub(r"\b", MARK * 2, text)
    return re.sub(rf"(?<!{MARK})\B(?!{MARK})", _INNER_MARK * 2, text) if inner else text


def unmarked_length(text: str) -> int:
    """The length of marked text without its marks."""
    return len(text) - text.count(MARK) - text.count(_INNER_MARK)


def translate(pattern: str) -> Translation:
    r"""Translate a pattern for RE2; `ValueError` names the fault, or what RE2 cannot do.

    >>> translate(r"\bn[ãa]o\b$").plain
    '\\bn[ãa]o\\b(?:\\n?\\z)'
    >>> translate(r"(?=x)")
    Traceback (most recent call last):
    ValueError: look-around '(?=' needs 'engine: regex'
    """
    try:
        return _Translator(pattern).run()
    except (IndexError, ValueError) as error:
        explain(pattern)
        raise ValueError(str(error)) from None


def explain(pattern: str) -> None:
    """Raise Python's error for a pattern, if there is one, since its message is better than RE2's."""
    try:
        re.compile(pattern)
    except re.error as error:
        place = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise ValueError(f"{error.msg}{place}") from None
    except (OverflowError, RecursionError):
        raise ValueError("it is too large") from None


@dataclass(slots=True)
class _Translator:
    """Reads the pattern once from left to right and writes both forms."""

    pattern: str
    at: int = 0
    plain: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    boundary: bool = False
    inner: bool = False
    dot_all: bool = False
    multi_line: bool = False

    def run(self) -> Translation:
        self._global_flags()
        while self.at < len(self.pattern):
            self._step(self.pattern[self.at])
        plain, marked = "".join(self.plain), "".join(self.marked)
        return Translation(plain, marked if self.boundary else None, self.inner)

    def _global_flags(self) -> None:
        if match := _GLOBAL_FLAGS.match(self.pattern):
            flags = set(match[1])
            if unknown := flags - set("imsu"):
                raise ValueError(f"the flag '{min(unknown)}' needs 'engine: regex'")
            self.dot_all, self.multi_line = "s" in flags, "m" in flags
            if kept := "".join(sorted(flags - {"u"})):
                self._both(f"(?{kept})")
            self.at = match.end()

    def _step(self, character: str) -> None:
        if character == "\\":
            self._escape()
        elif character == "[":
            self._class()
        elif character == "(":
            self._group()
        elif character == "{":
            self._braces()
        elif character in "*+?":
            self._quantifier(character)
        elif character == ".":
            self.at += 1
            line_end = "" if self.dot_all else r"\n"
            self._atom(".", f"[^{line_end}{_MARKS}]")
        elif character == "$":
            self.at += 1
            # Python's $ also matches before a line end at the end of the text.
            end = "$" if self.multi_line else rf"\n?{_SKIP}\z"
            self.plain.append("$" if self.multi_line else r"(?:\n?\z)")
            self.marked.append(f"(?:{_SKIP}{end})")
        elif character in "^|)":
            self.at += 1
            self._both(character)
        else:
            self.at += 1
            self._atom(*[_literal(ord(character))] * 2)

    def _both(self, text: str) -> None:
        self.plain.append(text)
        self.marked.append(text)

    def _atom(self, plain: str, marked: str) -> None:
        """Write the part that consumes one character; in marked text, it first skips marks."""
        self.plain.append(plain)
        self.marked.append(f"(?:{_SKIP}{marked})")

    def _quantifier(self, text: str) -> None:
        self.at += len(text)
        if self.pattern[self.at : self.at + 1] == "+":
            raise ValueError(f"the possessive '{text}+' needs 'engine: regex'")
        if self.pattern[self.at : self.at + 1] == "?":
            self.at += 1
            text += "?"
        self._both(text)

    def _braces(self) -> None:
        match = _QUANTIFIER.match(self.pattern, self.at)
        if not match or not (match[1] or match[2]):
            self.at += 1
            self._atom(r"\{", r"\{")
            return
        before = self.at
        self._quantifier(match[0])
        if not match[1]:  # RE2 does not know {,n} and {,}
            lazy = "?" if self.at > before + len(match[0]) else ""
            self.plain[-1] = self.marked[-1] = f"{{0,{match[3]}}}{lazy}"

    def _group(self) -> None:
        rest = self.pattern[self.at : self.at + 4]
        if not rest.startswith("(?"):
            self.at += 1
            self._both("(")
        elif rest.startswith("(?#"):
            self.at = self.pattern.index(")", self.at) + 1
        elif match := _NAMED.match(self.pattern, self.at):
            self.at = match.end()
            self._both("(")
        elif match := _SCOPED_FLAGS.match(self.pattern, self.at):
            flags = set(match[1] + (match[2] or ""))
            if unknown := flags - set("iu-"):
                raise ValueError(f"the flag '{min(unknown)}' inside a group needs 'engine: regex'")
            self.at = match.end()
            self._both("(?" + match[0][2:-1].replace("u", "").removesuffix("-") + ":")
        elif rest.startswith(("(?=", "(?!", "(?<")):
            raise ValueError(f"look-around '{rest[:3]}' needs 'engine: regex'")
        else:
            raise ValueError(f"the group '{rest[:3]}…' needs 'engine: regex'")

    def _escape(self) -> None:
        letter = self.pattern[self.at + 1]
        if letter in _CLASSES:
            self.at += 2
            positive = letter.lower()
            negated = "^" if letter.isupper() else ""
            marks = _MARKS if negated else ""
            self._atom(f"[{negated}{_CLASSES[positive]}]", f"[{negated}{_CLASSES[positive]}{marks}]")
        elif letter in "bB":
            self.at += 2
            self.boundary = True
            self.inner |= letter == "B"
            self.plain.append(f"\\{letter}")
            self.marked.append(MARK if letter == "b" else _INNER_MARK)
        elif letter == "A":
            self.at += 2
            self._both(r"\A")
        elif letter == "Z":
            self.at += 2
            self.plain.append(r"\z")
            self.marked.append(rf"(?:{_SKIP}\z)")
        elif letter in "123456789":
            raise ValueError(f"the back-reference '\\{letter}' needs 'engine: regex'")
        else:
            self._atom(*[_literal(self._character())] * 2)

    def _character(self) -> int:
        """Read the code point at this place (escaped or not), and move behind it."""
        if self.pattern[self.at] != "\\":
            self.at += 1
            return ord(self.pattern[self.at - 1])
        letter = self.pattern[self.at + 1]
        self.at += 2
        if letter in _HEX:
            self.at += _HEX[letter]
            return int(self.pattern[self.at - _HEX[letter] : self.at], 16)
        if letter == "N":
            raise ValueError(r"a character by name, '\N{…}', needs 'engine: regex'")
        if letter in "01234567":
            digits = re.compile("[0-7]{1,3}").match(self.pattern, self.at - 1)
            assert digits
            self.at = digits.end()
            return int(digits[0], 8)
        if letter.isascii() and letter.isalnum() and letter not in _CONTROLS:
            raise ValueError(f"bad escape \\{letter}")
        return _CONTROLS.get(letter, ord(letter))

    def _class(self) -> None:
        self.at += 1
        negated = self.pattern[self.at] == "^"
        self.at += negated
        parts: list[str] = []
        while self.pattern[self.at] != "]" or not parts:
            parts.append(self._class_part())
        self.at += 1
        body, sign = "".join(parts), "^" if negated else ""
        self._atom(f"[{sign}{body}]", f"[{sign}{body}{_MARKS if negated else ''}]")

    def _class_part(self) -> str:
        if self.pattern[self.at] == "\\" and (letter := self.pattern[self.at + 1]) in (*_CLASSES, "b"):
            self.at += 2
            return _CLASSES.get(letter, r"\x08")
        low = self._character()
        if self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]":
            self.at += 1
            return f"{_literal(low)}-{_literal(self._character())}"
        return _literal(low)


def _literal(code_point: int) -> str:
    """Write a character for RE2, inside or outside of a class."""
    character = chr(code_point)
    if character.isascii() and not character.isalnum():
        return (
            f"\\x{{{code_point:x}}}" if not character.isprintable() or character == " " else f"\\{character}"
        )
    return character


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_QUOTES = {**dict.fromkeys(map(ord, "‘’‛ʼ"), "'"), **dict.fromkeys(map(ord, "“”‟"), '"')}
_QUOTE_RANGE = re.compile("[‘’‛“”‟]-[‘’‛“”‟]")  # folding may swap its ends
_WRITTEN_QUOTE = re.compile(r"\\u(201[89bcdf]|02bc)", re.IGNORECASE)
_ARABIC_MARKS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]")
_ARABIC_LETTERS = str.maketrans(
    "\u06a9\u06aa\u06cc\u0649\u06d2\u06c1\u06be\u06d5\u0671",
    "\u0643\u0643\u064a\u064a\u064a\u0647\u0647\u0647\u0627",
)
_OTHER_DIGIT = re.compile(r"[^\W\D0-9]")
_ACCENT = re.compile("[\u0300-\u036f]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")

TIMEOUT = 1.0
"""Time limit in seconds of an expression with `engine: regex` for one output."""

PATIENCE = 30.0
"""Time limit in seconds of all slow searches with `engine: regex` together."""

_SLOW = 0.02  # quicker searches do not count
# A call of a group or of the whole pattern, which may not end; escapes and character classes are skipped.
_CALL = re.compile(r"\\.|\[\^?+\]?+(?:\\.|[^]\\])*+(?:\]|\Z)|(\(\?(?:R\)|&|P>|[+-]?\d))", re.DOTALL)


class Found(NamedTuple):
    """Where an expression matched, in character offsets of the normalised output."""

    start: int
    end: int


@cache
def _simplified() -> dict[int, str]:
    """The simplified form of traditional Chinese characters."""
    table = files("mtassay.nlp").joinpath("data/simplified.txt").read_text(encoding="utf-8")
    _, traditional, simplified = table.splitlines()
    return dict(zip(map(ord, traditional), simplified, strict=True))


def _folded_scripts(text: str, *, without_accents: bool) -> str:
    """Normalise characters that have several spellings; different letters stay different."""
    import unicodedata

    text = _ARABIC_MARKS.sub("", unicodedata.normalize("NFKC", text)).translate(_ARABIC_LETTERS)
    text = _OTHER_DIGIT.sub(lambda match: str(unicodedata.digit(match[0])), text)
    if without_accents:
        # Combining marks of Indic scripts and kana count as letters.
        text = _ACCENT.sub("", unicodedata.normalize("NFD", text))
        text = unicodedata.normalize("NFC", text)
    return text


def normalize(text: str, matching: Matching) -> str:
    """Return a text in the form that rules see. Case is unchanged, since expressions and tokens handle it.

    >>> normalize(" a  \\tb\\n", Matching(whitespace="collapse"))
    'a b'
    >>> normalize("“good”", Matching(quotes="fold"))
    '"good"'
    >>> normalize("ｶﾞ کتابــ ١٢ não", Matching(unicode="accents"))
    'ガ كتاب 12 nao'
    >>> normalize("這隻貓會說話", Matching(unicode="chinese"))
    '这只猫会说话'
    """
    if not text.isascii():
        if matching.unicode in ("scripts", "accents", "chinese"):
            text = _folded_scripts(text, without_accents=matching.unicode == "accents")
            text = text.translate(_simplified()) if matching.unicode == "chinese" else text
        elif matching.unicode != "none":
            import unicodedata

            text = unicodedata.normalize("NFC" if matching.unicode == "NFC" else "NFKC", text)
        if matching.quotes == "fold":
            text = text.translate(_QUOTES)
        if matching.invisible == "ignore":
            text = _INVISIBLE.sub("", text)
    return " ".join(text.split()) if matching.whitespace == "collapse" else text


def escaped(text: str) -> str:
    """Return an expression that matches only this text; spaces stay readable, unlike with `re.escape`.

    >>> escaped("3.5 (ca.)")
    '3\\\\.5 \\\\(ca\\\\.\\\\)'
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


@dataclass(frozen=True)
class SearchedText:
    """A normalised output in the forms that expressions search, each made once."""

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


@dataclass(slots=True)
class Costs:
    """Common limits of a judge's expressions: program steps, and seconds left for slow expressions."""

    steps: int = 0
    seconds_left: float = PATIENCE


class Pattern(Protocol):
    """A compiled expression; `size` is the number of steps of its program."""

    size: int

    def search(self, text: SearchedText) -> Found | None:
        """Return the first place where it matches; `TimeoutError` if this takes too long."""


def control_in(text: str) -> str:
    r"""Advice on a control character other than a tab or a line break; empty if there is none.

    >>> control_in(r"\bfoo\b")
    ''
    >>> print(control_in("\bfoo\b"))
    control character \x08; in YAML write patterns in single quotes or without quotes
    """
    if not (match := _CONTROL.search(text)):
        return ""
    shown = repr(match[0])[1:-1]
    return f"control character {shown}; in YAML write patterns in single quotes or without quotes"


def compile_rule(
    rule: Rule, *, matching: Matching, macros: Mapping[str, str], costs: Costs | None = None
) -> Pattern:
    """Compile the expression of a rule, with its macros expanded; `ValueError` names the fault.

    Expressions that are searched together share `costs`.
    """
    text = expand(rule.text, macros)
    if control := control_in(text):
        raise ValueError(control)
    ignore_case = (rule.case or matching.case) == "ignore"
    if matching.quotes == "fold":
        text = _WRITTEN_QUOTE.sub(lambda match: chr(int(match[1], 16)), text)
        text = _QUOTE_RANGE.sub("'\"", text)
    text = normalize(text, replace(matching, whitespace="keep"))
    if rule.engine == "regex":
        return _RegexPattern(text, ignore_case, costs or Costs())
    return _Re2Pattern(text, ignore_case)


class _Re2Pattern:
    def __init__(self, text: str, ignore_case: bool) -> None:
        self._text, self._ignore_case = text, ignore_case
        self._translation = translate(text)
        self._plain = self._compiled(self._translation.plain)
        self.size: int = self._plain.programsize

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

    def search(self, text: SearchedText) -> Found | None:
        if self._translation.marked is None or text.text.isascii():
            match = self._plain.search(text.encoded)
            return match and _characters(text.encoded, match.span())
        marked = text.fully_marked if self._translation.inner else text.marked
        match = self._marked.search(marked)
        return match and _characters(marked, match.span())


def _characters(data: bytes, span: tuple[int, int]) -> Found:
    """Convert a span of bytes to a span of characters without marks."""
    start, end = (unmarked_length(data[:place].decode("utf-8", "replace")) for place in span)
    return Found(start, end)


class _RegexPattern:
    def __init__(self, text: str, ignore_case: bool, costs: Costs) -> None:
        import regex

        if call := next((match[1] for match in _CALL.finditer(text) if match[1]), None):
            raise ValueError(f"'{call}…' calls a group, which may have no end; write out what it is for")
        try:
            flags = regex.IGNORECASE if ignore_case else 0
            self._compiled = regex.compile(text, flags | regex.VERSION0)
        except (regex.error, OverflowError, RecursionError, MemoryError) as error:
            raise ValueError(str(error) or "it is too large") from None
        self._costs = costs
        self.size = len(text)

    def search(self, text: SearchedText) -> Found | None:
        limit = min(TIMEOUT, self._costs.seconds_left)
        if limit <= 0:
            raise TimeoutError
        began = time.monotonic()
        try:
            match = self._compiled.search(text.text, timeout=limit)
        except MemoryError:  # treated as a timeout
            raise TimeoutError from None
        finally:
            if (seconds := time.monotonic() - began) > _SLOW:
                left = self._costs.seconds_left - seconds
                self._costs.seconds_left = left if left > _SLOW else 0.0  # never used up otherwise
        return match and Found(*match.span())
