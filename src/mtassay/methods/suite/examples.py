r"""Texts that an expression matches: its alternatives written out, as far as they are finite.

What is open (`.`, `\w`, `[^,]`, `*`) is filled in two ways, so that what holds for both fillings does not
hang on the filling.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

__all__ = ["PatternExample", "examples"]

_LIMIT = 400
_CANDIDATES = "qñ7 ,;Q-"


class PatternExample(NamedTuple):
    """One alternative of an expression, with what is open in it filled in two ways."""

    first: str
    second: str

    @property
    def is_open(self) -> bool:
        """Whether something had to be filled in."""
        return self.first != self.second


def examples(pattern: str, *, limit: int = _LIMIT) -> list[PatternExample]:
    r"""One for each alternative; where there are more than `limit`, each single choice still occurs.

    Look-around and boundaries are left out: whoever needs to know whether the expression matches the text
    must ask it. Nothing comes back for what Python's own syntax does not know.

    >>> [example.first for example in examples(r"\b(do|go)(es)? it\b")]
    ['do it', 'does it', 'go it', 'goes it']
    >>> examples("a.*b")
    [PatternExample(first='ab', second='akkb')]
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
        first, second = (_Writer(filling, limit).sequence(parsed) for filling in (0, 1))
    except (re.error, RecursionError, OverflowError, ValueError):
        return []
    return list(dict.fromkeys(map(PatternExample, first, second)))


class _Writer:
    """Writes the alternatives of a parsed expression; both fillings give lists of one length and order."""

    def __init__(self, filling: int, limit: int) -> None:
        self._filling, self._limit = filling, limit

    def sequence(self, parts: Iterable[Any]) -> list[str]:
        texts = [""]
        for part in parts:
            texts = self._joined(texts, self._part(part))
        return texts

    def _joined(self, texts: list[str], ends: list[str]) -> list[str]:
        if len(texts) * len(ends) <= self._limit:
            return [start + end for start, end in product(texts, ends)]
        count = min(max(len(texts), len(ends)), self._limit)
        return [texts[n % len(texts)] + ends[n % len(ends)] for n in range(count)]

    def _part(self, part: Any) -> list[str]:
        kind, value = str(part[0]), part[1]
        if kind == "LITERAL":
            return [chr(value)]
        if kind in ("ANY", "NOT_LITERAL", "IN"):
            return self._class(kind, value)
        if kind == "BRANCH":
            return [text for branch in value[1] for text in self.sequence(branch)][: self._limit]
        if kind == "SUBPATTERN":
            return self.sequence(value[3])
        if kind == "ATOMIC_GROUP":
            return self.sequence(value)
        if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._repeat(*value)
        if kind in ("AT", "ASSERT", "ASSERT_NOT"):
            return [""]
        raise ValueError(kind)

    def _repeat(self, low: int, high: Any, parts: Any) -> list[str]:
        if low > 50:
            raise ValueError("too long")
        if len(parts) == 1 and _is_open(parts[0]):
            count = min(low + 2, int(high)) if self._filling else low
            return ["".join(text * count for text in self.sequence(parts))]
        once = self.sequence(parts)
        return [text * count for count in dict.fromkeys((low, min(low + 1, int(high)))) for text in once]

    def _class(self, kind: str, value: Any) -> list[str]:
        if kind == "IN" and all(str(part[0]) == "LITERAL" for part in value):
            return [chr(code) for _, code in value]
        fits: Callable[[str], bool] = _test(kind, value)
        fitting = [character for character in _CANDIDATES if fits(character)]
        if not fitting and kind == "IN":
            fitting = [chr(part[1][0]) for part in value if str(part[0]) == "RANGE"]
        if not fitting:
            raise ValueError("nothing fits")
        if fitting[0] == "q":
            return ["qk"[self._filling]]
        return [fitting[min(self._filling, len(fitting) - 1)]]


def _is_open(part: Any) -> bool:
    """Whether this stands for any of many characters."""
    kind, value = str(part[0]), part[1]
    return kind in ("ANY", "NOT_LITERAL") or (
        kind == "IN" and any(str(inner[0]) != "LITERAL" for inner in value)
    )


def _test(kind: str, value: Any) -> Callable[[str], bool]:
    if kind == "ANY":
        return lambda character: True
    if kind == "NOT_LITERAL":
        return lambda character: ord(character) != value
    return lambda character: _is_in(character, value)


def _is_in(character: str, parts: Any) -> bool:
    negated = str(parts[0][0]) == "NEGATE"
    return any(_fits(character, str(kind), value) for kind, value in parts) != negated


def _fits(character: str, kind: str, value: Any) -> bool:
    if kind == "LITERAL":
        return bool(ord(character) == value)
    if kind == "RANGE":
        return bool(value[0] <= ord(character) <= value[1])
    if kind == "CATEGORY":
        name = str(value).removeprefix("CATEGORY_")
        tests = {
            "WORD": character.isalnum() or character == "_",
            "DIGIT": character.isdigit(),
            "SPACE": character.isspace(),
        }
        return tests[name.removeprefix("NOT_")] != name.startswith("NOT_")
    return False
