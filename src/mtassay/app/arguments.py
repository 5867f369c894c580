"""Arguments of callers of the library: texts in memory in many forms, and keywords."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from mtassay.data.errors import UsageError
from mtassay.data.nouns import System
from mtassay.systems.roster import AnySystems

Texts = str | PathLike[str] | Iterable[str | None]
"""A file, or texts in memory: a list, a generator, a pandas Series, a NumPy array … `None` and NaN are
missing lines."""


def is_missing(value: Any) -> bool:
    """Whether a value means no text: `None`, NaN, or what pandas writes for them."""
    is_nan = isinstance(value, float) and value != value
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def list_texts(what: Iterable[Any], *, of: str) -> list[str | None]:
    """Return the texts in order as a list; `of` names their role in errors.

    >>> list_texts((text for text in ["a", None, float("nan")]), of="the source")
    ['a', None, None]
    """
    texts: list[str | None] = []
    for number, value in enumerate(what, start=1):
        if not is_missing(value) and not isinstance(value, str):
            raise UsageError(
                f"{of}: text {number:,} is {value!r}, of type {type(value).__name__}: give texts."
            )
        texts.append(None if is_missing(value) else str(value))
    return texts


def listed(references: Texts | Iterable[Texts]) -> list[Texts]:
    """One or several references as a list.

    Each entry of a list or tuple is a reference, as a file or texts. Any other collection of texts, such as a
    column of a table, is one reference.

    >>> listed("r.txt"), listed(["a.txt", ["x"]]), listed(text for text in ["x", "y"])
    (['r.txt'], ['a.txt', ['x']], [['x', 'y']])
    """
    if isinstance(references, str | PathLike):
        return [references]
    entries: list[Any] = list(references)
    is_column = not isinstance(references, list | tuple) and all(
        isinstance(entry, str) or is_missing(entry) for entry in entries
    )
    if entries and is_column:
        return [list_texts(entries, of="the reference")]
    return [
        entry if isinstance(entry, str | PathLike) else list_texts(entry, of="the reference")
        for entry in entries
    ]


def settled_systems(systems: AnySystems) -> AnySystems:
    """Return the systems, with texts in memory as lists, since a generator gives its texts only once."""
    if not isinstance(systems, Mapping):
        return systems
    return {
        name: what
        if isinstance(what, str | PathLike | Mapping | System)
        else list_texts(what, of=f"system '{name}'")
        for name, what in systems.items()
    }


Taken = ParamSpec("Taken")
Answer = TypeVar("Answer")


def refuse_unknown(function: str, given: Collection[str], names: Collection[str]) -> None:
    """A `UsageError` for the first name that a function does not have.

    >>> refuse_unknown("score", ["smaples"], ["metrics", "samples"])
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: score() has no parameter 'smaples'. Did you mean 'samples'?
    """
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"Did you mean '{near[0]}'?" if near else f"Available: {', '.join(sorted(names))}."
            raise UsageError(f"{function}() has no parameter '{name}'. {hint}")


def known_keywords(options: Any = None) -> Callable[[Callable[Taken, Answer]], Callable[Taken, Answer]]:
    """Wrap a function to refuse keywords other than its own and the keys of `options`, a `TypedDict`."""

    def decorate(function: Callable[Taken, Answer]) -> Callable[Taken, Answer]:
        code = function.__code__
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        names = {*own, *(options.__annotations__ if options else ())}

        @wraps(function)
        def checked(*arguments: Taken.args, **keywords: Taken.kwargs) -> Answer:
            if not keywords.keys() <= names:
                refuse_unknown(function.__name__, keywords, names)
            return function(*arguments, **keywords)

        return checked

    return decorate
