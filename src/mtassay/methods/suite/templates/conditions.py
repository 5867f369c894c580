"""Which combinations of slots to make: `noun.gender = adjective.gender and subject != I`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mtassay.methods.suite.templates.placeholders import known_slot

__all__ = ["Columns", "Condition", "parse_condition"]

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
    left = _value(match["left"], columns)
    if not left.slot:
        known_slot(match["left"].partition(".")[0], tuple(columns))
    right = tuple(_value(part, columns) for part in match["right"].split(" or "))
    return _Comparison(left, right, match["operator"] == "=")


def _value(text: str, columns: Mapping[str, frozenset[str]]) -> _Value:
    slot, _, column = text.strip().partition(".")
    if slot not in columns:
        return _Value("", text.strip())
    if column and column not in columns[slot]:
        raise ValueError(
            f"no value of '{slot}' has '{column}'. Available: {', '.join(sorted(columns[slot]))}"
        )
    return _Value(slot, column)
