"""What findings rest on, as typed records, and the one codec between these and the JSON that findings keep.

A method subclasses `Evidence` as a frozen dataclass; its fields are the keys of the JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, NamedTuple, Self, get_args, get_origin, get_type_hints

from mtassay.data.nouns import Finding

__all__ = ["Evidence"]


class Evidence:
    """A record that a finding keeps as JSON. What a field does not say is left out, and read as its default.

    A field may have other `keys` in the JSON: the first is written, and the first that is there is read.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Length(Evidence):
    ...     why: str = field(default="", metadata={"keys": ("why", "reason")})
    ...     ratio: float | None = None
    >>> Length("too long", 2.5).as_json(), Length("no output").as_json()
    ({'why': 'too long', 'ratio': 2.5}, {'why': 'no output'})
    >>> Length.of(Finding("1", "nmt", "length", evidence={"reason": "no output", "more": 1}))
    Length(why='no output', ratio=None)
    """

    __slots__ = ()

    @classmethod
    def of(cls, finding: Finding) -> Self:
        """The record of a finding, fresh or out of the workspace."""
        return cls.read(finding.evidence)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """The record that was written as this JSON, by this version or an earlier one."""
        values = {}
        for name, keys, convert, _ in _plan(cls):
            for key in keys:
                if (value := record.get(key)) is not None:
                    values[name] = value if convert is None else convert(value)
                    break
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """The JSON that a finding keeps."""
        record = {}
        written = self.written()
        for name, keys, _, default in _plan(type(self)):
            value = _plain(getattr(self, name))
            if name in written or value != default:
                record[keys[0]] = value
        return record

    def written(self) -> Collection[str]:
        """The fields that are written even if they say nothing."""
        return ()


class _Field(NamedTuple):
    """How a field is read and when it is left out."""

    name: str
    keys: tuple[str, ...]
    convert: Callable[[Any], Any] | None
    default: Any


_PLANS: dict[type, tuple[_Field, ...]] = {}


def _plan(cls: Any) -> tuple[_Field, ...]:
    if cls not in _PLANS:
        _PLANS[cls] = tuple(_fields(cls))
    return _PLANS[cls]


def _fields(cls: Any) -> Iterator[_Field]:
    hints = get_type_hints(cls)
    for f in fields(cls):
        default = f.default if f.default_factory is MISSING else f.default_factory()
        yield _Field(f.name, f.metadata.get("keys", (f.name,)), _converter(hints[f.name]), _plain(default))


def _converter(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a value of JSON one of the field; `None` where they are the same."""
    for part in _parts(hint):
        if isinstance(part, type) and issubclass(part, Evidence):
            return lambda values: tuple(map(part.read, values))
    return tuple if get_origin(hint) is tuple else None


def _parts(hint: Any) -> Iterator[Any]:
    yield hint
    for part in get_args(hint):
        yield from _parts(part)


def _plain(value: Any) -> Any:
    if isinstance(value, Evidence):
        return value.as_json()
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
