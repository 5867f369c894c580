r"""Placeholders in the texts of a template: `{slot}`, `{slot.column}`, `{slot.column|function(arguments)}`.

What begins with no letter or quote is left alone, so that `\d{2}` and the macro `{{name}}` stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Argument", "Call", "Placeholder", "parse", "slots_in"]

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
