"""What a check is: a rule that looks at a source and its translation and says what is wrong and how badly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, ClassVar, Literal, TypeVar

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor")

GROUPS = ("form", "meaning", "conduct", "terms", "style", "consistency")
"""Placeholders, punctuation; numbers, negation; refusals, chatter; glossaries; house style; drift."""

Need = Literal["source", "reference", "terms", "style", "document"]

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Unit:
    """One translated text as a check sees it.

    Args:
        id: The segment's id, unique in the run.
        output: What the system wrote; the empty string if it gave no answer.
        source: `None` if there is none to compare with.
        references: Right translations; an output that agrees with one of them is not to blame.
        document: The document that the text is from. Units are in the order of the document.
        file: The localisation file that it is from, or the empty string.
        key: Its key in that file.
        line: Its line in that file, counted from 1.
        facts: What the file or the engine says of this text, for example `syntax` (`"icu"`, `"printf"`, …),
            `max_length` (characters), `plural` (a CLDR category), `finish_reason`, `cleaned` (what an adapter
            took out of the answer).
    """

    id: str
    output: str
    source: str | None = None
    references: tuple[str, ...] = ()
    document: str | None = None
    file: str = ""
    key: str = ""
    line: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text of a unit, in characters, `end` not included."""

    side: Literal["source", "output"]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Alarm:
    """What a check says of one unit.

    Args:
        index: The position of the unit in the sequence that the check was given.
        message: What is wrong, in plain words, for example `"{name} is missing"`.
        marks: Where.
        severity: Where this alarm is worse or better than the check's usual one.
        fix: The whole output as it should be, only where that is certain.
    """

    index: int
    message: str
    marks: tuple[Mark, ...] = ()
    severity: Severity | None = None
    fix: str | None = None


class CheckContext:
    """What checks know besides the units: languages, glossaries, house style, and parts that they share.

    `source` and `target` are language tags such as `en` or `pt-BR`, `None` if unknown. `terms` are the
    glossaries given, `style` the style rules by name.
    """

    def __init__(
        self,
        source: str | None = None,
        target: str | None = None,
        *,
        terms: Any = None,
        style: Mapping[str, str] | None = None,
    ) -> None:
        self.source = source
        self.target = target
        self.terms = terms
        self.style = dict(style or {})
        self._parts: dict[Callable[[CheckContext], Any], Any] = {}
        self._key = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # Parts may be large: another process makes its own, once.
        self._key = self._key or token_hex(8)
        return _reopened, (self._key, self.source, self.target, self.terms, self.style)

    def part(self, make: Callable[[CheckContext], Part]) -> Part:
        """What `make` makes of the context; anyone who asks with the same function gets the same part."""
        if make not in self._parts:
            self._parts[make] = make(self)
        part: Part = self._parts[make]
        return part


_REOPENED: dict[str, CheckContext] = {}


def _reopened(
    key: str, source: str | None, target: str | None, terms: Any, style: Mapping[str, str]
) -> CheckContext:
    """The context that has come to another process: the same one each time."""
    if key not in _REOPENED:
        _REOPENED.clear()  # one run at a time
        _REOPENED[key] = CheckContext(source, target, terms=terms, style=style)
    return _REOPENED[key]


class Check(ABC):
    """A rule with a name.

    `id` is its name everywhere, `about` says in one line what it reports, `needs` what a unit or the context
    must have for it to look at all. `scope` is `"unit"` if each unit can be looked at by itself, `"file"` if
    the check compares units of one system with each other, in the order given.
    """

    id: ClassVar[str]
    group: ClassVar[str]
    severity: ClassVar[Severity]
    about: ClassVar[str]
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    scope: ClassVar[Literal["unit", "file"]] = "unit"

    @abstractmethod
    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """The alarms, in the order of the units. Only the check `empty` reports an empty output."""

    def applies(self, context: CheckContext) -> bool:
        """Whether this check knows the languages; if not, it is listed as not run."""
        return True
