"""Fills the placeholders of a text with the records at hand: plainly, or escaped for an expression."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import product
from typing import cast

from mtassay.errors import MtassayError, UsageError
from mtassay.methods.suite.patterns import escaped
from mtassay.methods.suite.templates.conditions import Columns
from mtassay.methods.suite.templates.english import TAGS, article, inflect, verb_phrase
from mtassay.methods.suite.templates.placeholders import Argument, Call, Placeholder, parse
from mtassay.methods.suite.templates.tables import FormTable

__all__ = ["Filler", "Inflector", "NoFormError", "capitalized", "load_inflector"]

Function = Callable[[str, Sequence[Argument]], Sequence[str]]
Inflector = Callable[..., str | Sequence[str]]
"""A plain function of a lemma and texts, such as features; it gives one form or several."""

REGEX = "regex"


class NoFormError(ValueError):
    """All forms were excluded: there is nothing to look for."""


def capitalized(text: str) -> str:
    """With its first letter, after any quotes and signs, in upper case; a number first changes nothing.

    >>> capitalized("“he came.”"), capitalized("3 men came.")
    ('“He came.”', '3 men came.')
    """
    place = next((i for i, character in enumerate(text) if character.isalnum()), len(text))
    return text[:place] + text[place : place + 1].upper() + text[place + 1 :]


def load_inflector(text: str) -> tuple[str, Inflector]:
    """The name and the function of `NAME=MODULE:FUNCTION`; the module may be in this folder."""
    name, equals, where = text.partition("=")
    if not equals or not name or not where:
        raise UsageError(f"'{text}' must be NAME=VALUE.")
    module, _, function = where.partition(":")
    sys.path.insert(0, "")  # as with `python -m`
    try:
        return name, cast("Inflector", getattr(import_module(module), function))
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"Cannot load --inflector {text}: {error}. Write NAME=MODULE:FUNCTION.") from None
    finally:
        sys.path.remove("")


def plain(inflector: Inflector) -> Function:
    """A function of texts as one of arguments: called for each way to take one choice of each."""

    def call(lemma: str, arguments: Sequence[Argument]) -> list[str]:
        if any(argument.negated for argument in arguments):
            raise ValueError("'not' works in tables only")
        forms: list[str] = []
        for chosen in product(*(argument.choices for argument in arguments)):
            inflected = inflector(lemma, *chosen)
            forms += [inflected] if isinstance(inflected, str) else inflected
        return forms

    return call


BUILT_IN: Mapping[str, Inflector] = {
    "a": article,
    "capital": capitalized,
    "tense": verb_phrase,
    **{name: partial(inflect, tag=tag) for name, tag in TAGS.items()},
    **{tag: partial(inflect, tag=tag) for tag in TAGS.values()},
}


class Filler:
    """Knows all functions, and fills texts."""

    def __init__(self, tables: Mapping[str, FormTable], inflectors: Mapping[str, Inflector]) -> None:
        self._functions: dict[str, Function] = {name: plain(call) for name, call in BUILT_IN.items()}
        self._functions |= tables
        self._own = frozenset(inflectors)
        self._functions |= {name: plain(call) for name, call in inflectors.items()}

    def text(self, template: str, columns: Columns) -> str:
        """The text with the first form of each placeholder."""
        parts = []
        for piece in parse(template):
            if isinstance(piece, str):
                parts.append(piece)
                continue
            forms, _ = self._forms(piece, columns)
            parts.append(forms[0])
        return "".join(parts)

    def expression(self, template: str, columns: Columns) -> str:
        """The expression with all forms of each placeholder as alternatives, escaped unless `|regex` is last.

        A `NoFormError` says that no form is left of one.
        """
        parts = []
        for piece in parse(template):
            if isinstance(piece, str):
                parts.append(piece)
                continue
            forms, is_pattern = self._forms(piece, columns)
            joined = "|".join(form if is_pattern else escaped(form) for form in forms)
            alone = len(forms) == 1 and not (is_pattern and "|" in joined) and not piece.quantified
            parts.append(joined if alone else f"(?:{joined})")
        return "".join(parts)

    def _forms(self, placeholder: Placeholder, columns: Columns) -> tuple[Sequence[str], bool]:
        """The forms, and whether they are patterns."""
        if placeholder.literal is not None:
            forms: Sequence[str] = (placeholder.literal,)
        else:
            forms = _column(placeholder.slot, placeholder.column, columns)
        calls = placeholder.calls
        is_pattern = bool(calls) and calls[-1].name == REGEX
        for call in calls[:-1] if is_pattern else calls:
            arguments = [_resolved(argument, columns) for argument in call.arguments]
            forms = list(
                dict.fromkeys(form for lemma in forms for form in self._call(call, lemma, arguments))
            )
        if not forms:
            raise NoFormError(f"'{{{placeholder.text}}}' leaves no form")
        return forms, is_pattern

    def _call(self, call: Call, lemma: str, arguments: Sequence[Argument]) -> Sequence[str]:
        if call.name not in self._functions:
            available = ", ".join([*self._functions, REGEX])
            raise ValueError(f"no function or table '{call.name}'. Available: {available}")
        try:
            return self._functions[call.name](lemma, arguments)
        except TypeError as error:
            raise ValueError(f"'{call.name}' cannot be called so: {error}") from None
        except Exception as error:
            if call.name not in self._own or isinstance(error, MtassayError | ValueError):
                raise
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"'{call.name}' failed for '{lemma}' ({what})") from error


def _column(slot: str, column: str, columns: Columns) -> tuple[str, ...]:
    record = columns[slot]
    if not column:
        return next(iter(record.values()))
    if column not in record:
        raise ValueError(
            f"'{next(iter(record.values()))[0]}' of '{slot}' has no '{column}'. It has: {', '.join(record)}"
        )
    return record[column]


def _resolved(argument: Argument, columns: Columns) -> Argument:
    """With references to slots replaced by what the records at hand say."""
    choices: list[str] = []
    for choice in argument.choices:
        slot, _, column = choice.partition(".")
        choices += _column(slot, column, columns) if slot in columns else (choice,)
    return Argument(tuple(choices), argument.negated)
