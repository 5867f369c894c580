"""The base class of methods: a way of testing, with its parameters, its steps and the view of its runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Self, Union, cast, get_args, get_origin, get_type_hints

from mtassay.data.errors import UsageError
from mtassay.data.nouns import (
    Case,
    Finding,
    Generated,
    Judgement,
    Output,
    Question,
    Result,
    Run,
    RunContext,
    Segment,
)
from mtassay.data.registry import find
from mtassay.data.run_view import RunView

# Evidence of findings as typed records, and the codec between these and the JSON of findings.


class Evidence:
    """A record that a finding stores as JSON. Fields with their default are left out of the JSON.

    A field may have other `keys` in the JSON: the first is written, and the first one present is read.

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
        """Read the record of a finding, new or from the workspace."""
        return cls.read(finding.evidence)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """Read a record from its JSON, written by this version or an earlier one."""
        values = {}
        for name, keys, convert, _ in _plan(cls):
            for key in keys:
                if (value := record.get(key)) is not None:
                    values[name] = value if convert is None else convert(value)
                    break
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """The JSON that a finding stores."""
        record = {}
        written = self.written()
        for name, keys, _, default in _plan(type(self)):
            value = _plain(getattr(self, name))
            if name in written or value != default:
                record[keys[0]] = value
        return record

    def written(self) -> Collection[str]:
        """The fields that are written even if they have their default."""
        return ()


class _Field(NamedTuple):
    """A field: how to read it and when to leave it out."""

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
    """The function that turns a value of JSON into one of the field; `None` if they are the same."""
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


# The base class of methods.


Read = Callable[[str, str], Mapping[str, str | None]]
"""Reads the outputs of a system of this name from a file, by segment id."""


@dataclass(frozen=True)
class Method(ABC):
    """A way of testing. Its fields are its parameters; its methods do everything specific to it.

    The metadata of a field makes it an option of a command (`mtassay.data.settings.option`). Subclasses must
    implement only `cases`, `judge` and `score`; everything else has a default.
    """

    name: ClassVar[str]
    asks: ClassVar[Sequence[Question]] = ()
    """Questions for people about the outputs of a run; the first one is the default."""
    view: ClassVar[type[RunView]] = RunView
    """The class that displays its runs."""
    judges_files: ClassVar[bool] = False
    """Whether it reads more of translated files than texts: keys, lines, limits of length."""

    @property
    def asks_models(self) -> bool:
        """Whether it asks live models besides the systems: then a workspace stores their answers."""
        return False

    # Parameters ------------------------------------------------------------------------------------------

    @classmethod
    def resolve(cls, settings: Mapping[str, Any], run: Run | None = None) -> Self:
        """Make the method with these parameters; missing ones, or `None`, are taken from a saved run.

        Parameters that the run does not have, or that are empty there, have their defaults.
        """
        names = [f.name for f in fields(cls) if f.init]
        if strange := [key for key in settings if key not in names]:
            raise UsageError(f"{cls.name} has no parameter '{strange[0]}'. Available: {', '.join(names)}.")
        _check_values(cls, settings)
        saved = cls.restore(run.parameters) if run is not None else {}
        values = {f.name: saved[f.name] for f in fields(cls) if saved.get(f.name) is not None}
        return cls(**values | {key: value for key, value in settings.items() if value is not None})

    @classmethod
    def restore(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Convert saved parameters back to fields, since JSON has no tuples."""
        return {key: tuple(v) if isinstance(v, list) else v for key, v in parameters.items()}

    def parameters(self) -> dict[str, Any]:
        """The resolved fields as JSON; `restore` reads them again."""
        return {f.name: _method_plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def check_run(cls, run: Run) -> None:
        """Refuse a run without any result, before it is stored and shown."""
        return None

    def require(self) -> None:
        """Open all tools needed to judge, so that a missing one is an error before any system is asked."""
        return None

    def check(self, systems: Sequence[str]) -> None:
        """Refuse parameters that do not fit these systems, before any is asked."""
        return None

    @classmethod
    def settled(cls, run: Run, context: RunContext) -> Run:
        """A saved run with verdicts that follow what reviewers decided until now; usually unchanged."""
        return run

    @classmethod
    def takes(cls, run: Run) -> bool:
        """Whether this method can judge the outputs of a run; by default only runs of its own."""
        return run.method == cls.name

    @classmethod
    def segments_of(cls, run: Run) -> Sequence[Segment]:
        """The segments of a run that this method can judge; an error if it cannot."""
        if not cls.takes(run):
            raise UsageError(f"Run {run.id} is of '{run.method}', not of '{cls.name}'.")
        return run.segments

    # The flow --------------------------------------------------------------------------------------------

    def generate(self, segments: Sequence[Segment], context: RunContext) -> Generated:
        """Make new sentences, if the method does; otherwise return the segments unchanged."""
        return Generated(segments)

    def reader(self, segments: Sequence[Segment], context: RunContext) -> Read | None:
        """The function that reads this method's files of outputs; `None` for the usual one."""
        return None

    @abstractmethod
    def cases(self, segments: Iterable[Segment], context: RunContext) -> Iterable[Case]:
        """The cases to ask. A case that cannot run has `skip` set and is never left out."""

    @abstractmethod
    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], context: RunContext
    ) -> Judgement:
        """Judge the answers. `outputs` has, for each system, one output per case and source, in order."""

    @abstractmethod
    def score(self, judgement: Judgement, context: RunContext) -> Result:
        """Sum up the judgement as a result."""

    def units(self, judgement: Judgement) -> list[dict[str, Any]]:
        """Records per unit and system with the score of each metric, if the method measures."""
        return []


def method_of(run: Run) -> type[Method]:
    """The method of a run; the common part of all methods if it is no longer installed."""
    try:
        return cast("type[Method]", find("method", run.method))
    except UsageError:
        return Method


def view_of(run: Run) -> RunView:
    """The view of a run, of the class that its method names."""
    return method_of(run).view(run)


def _check_values(cls: type[Method], parameters: Mapping[str, Any]) -> None:
    """Refuse an invalid value of a field: an unknown choice, not a number, or out of bounds."""
    hints = get_type_hints(cls)
    for f in fields(cls):
        value, hint = parameters.get(f.name), hints[f.name]
        if value is None:
            continue
        what = f"{cls.name}: {f.name} is {value!r}."
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise UsageError(f"{what} Choose from: {', '.join(map(str, get_args(hint)))}.")
        if not {int, float} & set(kinds) or not set(kinds) <= {int, float, NoneType}:
            continue
        whole = float not in kinds
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise UsageError(f"{what} It must be a {'whole ' if whole else ''}number.")
        how = f.metadata.get("option")
        least, most = getattr(how, "least", None), getattr(how, "most", None)
        if least is not None and value < least:
            raise UsageError(f"{what} It must be {least:g} or more.")
        if most is not None and value > most:
            raise UsageError(f"{what} It must be {most:g} or less.")


def _method_plain(value: Any) -> Any:
    """Convert a value to JSON; other objects by their own description."""
    if isinstance(value, tuple | list):
        return [_method_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _method_plain(item) for key, item in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
