"""Scores that a file gives under one name, and how their systems are matched with ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from mtassay.errors import InputError, UsageError

_SUFFIX = re.compile(r"\.\d+$")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """Scores for systems, and for the segments of systems by id. `None` and absence mean unrated, not 0.

    Higher must be better. Either part may be empty.
    """

    name: str
    by_system: Mapping[str, float | None] = field(default_factory=dict)
    by_segment: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """All that are named, in order."""
        return list(dict.fromkeys([*self.by_system, *self.by_segment]))


def column_of(name: str, scores: Mapping[str, Any], ids: Sequence[str] = ()) -> ScoreColumn:
    """Scores that are no file: by system a number, a list with a number for each segment, or numbers by id.

    `None` means unrated. Without `ids`, segments are called "1", "2" and so on.

    >>> column_of("mqm", {"A": [-1.0, None], "B": -3.5})
    ScoreColumn(name='mqm', by_system={'B': -3.5}, by_segment={'A': {'1': -1.0, '2': None}})
    """
    by_system: dict[str, float | None] = {}
    by_segment: dict[str, Mapping[str, float | None]] = {}
    for system, given in scores.items():
        if given is None or isinstance(given, int | float):
            by_system[system] = given
        elif isinstance(given, Mapping):
            by_segment[system] = given
        elif ids and len(given) != len(ids):
            raise InputError(f"'{name}' has {len(given):,} scores of {system} for {len(ids):,} segments")
        else:
            by_segment[system] = dict(
                zip(ids or [str(i) for i in range(1, len(given) + 1)], given, strict=True)
            )
    return ScoreColumn(name, by_system, by_segment)


def match_systems(theirs: Iterable[str], ours: Collection[str]) -> dict[str, str]:
    """Which of our systems a name stands for: the same name, or the one without a numeric suffix.

    WMT numbers its systems in files of human scores. Names that fit nothing are not in the result.

    >>> match_systems(["Online-Y.3", "HUMAN-B", "v1.2"], ["Online-Y", "v1.2", "v1"])
    {'Online-Y.3': 'Online-Y', 'v1.2': 'v1.2'}
    """
    theirs = list(theirs)
    exact = {name: name for name in theirs if name in ours}
    shortened = {name: _SUFFIX.sub("", name) for name in theirs if name not in exact}
    rest = {name: short for name, short in shortened.items() if short in ours and short not in exact}
    for name, short in rest.items():
        twin = next((other for other, twin in rest.items() if twin == short and other != name), None)
        if twin is not None:
            raise UsageError(f"Both {name!r} and {twin!r} could be the system {short!r}. Rename one.")
    return {name: (exact | rest)[name] for name in theirs if name in exact or name in rest}


def renamed(column: ScoreColumn, names: Mapping[str, str]) -> ScoreColumn:
    """The column with our names for its systems, and without those that we do not have."""

    def ours(part: Mapping[str, _Value]) -> dict[str, _Value]:
        return {names[name]: value for name, value in part.items() if name in names}

    return replace(column, by_system=ours(column.by_system), by_segment=ours(column.by_segment))


def merged(columns: Iterable[ScoreColumn]) -> list[ScoreColumn]:
    """Columns of the same name become one, if one brings the scores of systems and one those of segments."""
    found: dict[str, ScoreColumn] = {}
    for column in columns:
        known = found.setdefault(column.name, column)
        if known is column:
            continue
        if (known.by_system and column.by_system) or (known.by_segment and column.by_segment):
            raise UsageError(f"Two files have scores called {column.name!r}. Rename one.")
        found[column.name] = ScoreColumn(
            column.name, known.by_system or column.by_system, known.by_segment or column.by_segment
        )
    return list(found.values())


def chosen(columns: Sequence[ScoreColumn], wanted: Sequence[str], *, what: str) -> list[ScoreColumn]:
    """The wanted ones, in the order of the wishes; all of them where there are no wishes.

    Case does not matter, nor does the `.SCR` that WMT puts at the end.
    """
    if not wanted:
        return list(columns)
    known = {column.name: column for column in columns}
    known |= {plain_name(column.name): column for column in reversed(columns)}
    missing = next((name for name in wanted if name not in known and plain_name(name) not in known), None)
    if missing is not None:
        names = ", ".join(column.name for column in columns) or "none"
        raise UsageError(f"No {what} called {missing!r}. Available: {names}.")
    picked = [known.get(name) or known[plain_name(name)] for name in wanted]
    return list({column.name: column for column in picked}.values())


def plain_name(name: str) -> str:
    """How names are compared.

    >>> plain_name("Z.SCR")
    'z'
    """
    return name.lower().removesuffix(".scr")
