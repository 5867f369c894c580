"""What a check is: a rule with a name, on units or on one unit by itself, and what all checks share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from secrets import token_hex
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from mtassay.data.errors import UsageError
from mtassay.data.languages import Language, parse_language

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
    """A place in a text of a unit, in characters, `end` not included; `index` is another unit's, if it is."""

    side: Literal["source", "output"]
    start: int
    end: int
    index: int | None = None


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
        """The alarms, in the order of the units. An empty output is for `empty` and conduct alone."""

    def each(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """The alarms of units by themselves; `find` also settles what they are in the file."""
        return self.find(units, context)

    def settle(self, alarms: Sequence[Alarm], units: Sequence[Unit]) -> Iterable[Alarm]:
        """What remains of the alarms of `each` in a file of these units."""
        return alarms

    def applies(self, context: CheckContext) -> bool:
        """Whether this check knows the languages; if not, it is listed as not run."""
        return True


class FormProblem(NamedTuple):
    """What is wrong with one output; the fields are those of `Alarm`."""

    message: str
    marks: tuple[Mark, ...] = ()
    severity: Severity | None = None
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class UnitLook:
    """How a check looks at units: a function made once for the languages and the style of a run."""

    problems: Callable[[str, str, Unit], Sequence[FormProblem]]

    def alarms(self, index: int, unit: Unit) -> Iterator[Alarm]:
        """What is wrong with the unit, except for what is the same in a reference."""
        source = unit.source or ""
        problems = self.problems(source, unit.output, unit)
        if not problems:
            return
        excused = {
            problem.message
            for reference in unit.references
            for problem in self.problems(source, reference, unit)
        }
        for problem in problems:
            if problem.message not in excused:
                yield Alarm(index, *problem)


class UnitCheck(Check):
    """A check with one required method: `look` gives the function that finds problems.

    `signs` are characters of which the source or the output must have one for the check to find anything:
    texts without them are not looked at. Where it is empty, all are. No letter, digit, space, full stop,
    comma or hyphen can be a sign: nearly every text has one.
    """

    signs: ClassVar[str] = ""

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        look = UnitLook(self.look(context))
        without_source = "source" not in self.needs
        for index in context.part(_Signs).places(self.signs, units):
            unit = units[index]
            if (unit.source or without_source) and unit.output and not unit.output.isspace():
                yield from look.alarms(index, unit)

    @abstractmethod
    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        """A function of source, output and unit; it returns the problems, in the order of the output."""


class _Signs:
    """The characters of the texts that were looked at last: checks of one file come one after the other."""

    def __init__(self, context: CheckContext) -> None:
        self._units: Sequence[Unit] | None = None
        self._places: dict[str, list[int]] = {}

    def places(self, signs: str, units: Sequence[Unit]) -> Sequence[int]:
        """Where the source or the output has one of these signs."""
        if not signs:
            return range(len(units))
        if self._units is not units:
            self._units, self._places = units, {}
            for index, unit in enumerate(units):
                for sign in {*_signs_of(unit.source or ""), *_SIGN.findall(unit.output)}:
                    self._places.setdefault(sign, []).append(index)
        return sorted({index for sign in signs for index in self._places.get(sign, ())})


_SIGN = re.compile(r"[^\w .,-]|_")


@lru_cache(maxsize=1 << 15)
def _signs_of(text: str) -> frozenset[str]:
    return frozenset(_SIGN.findall(text))


class ConventionCheck(UnitCheck):
    """A check of habits: what a file does throughout is its style, reported once, and not many errors.

    German translators write a full stop where many English sources have none. If at least ten texts of a
    file and a twentieth of them get the same message, or six and a fifth of those that could get it, only the
    first one is reported, with the count.
    """

    scope = "file"
    fewest: ClassVar[int] = 6

    each = UnitCheck.find

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        yield from self.settle(list(self.each(units, context)), units)

    def settle(self, alarms: Sequence[Alarm], units: Sequence[Unit]) -> Iterator[Alarm]:
        if len(alarms) < self.fewest:
            yield from alarms
            return
        sizes = Counter(unit.file for unit in units)
        counts = Counter((units[alarm.index].file, _kind(alarm.message)) for alarm in alarms)
        habits = {
            (file, kind): n
            for (file, kind), n in counts.items()
            if n >= (self.fewest if file else 20)
            and (
                (n >= 10 and n >= 0.05 * sizes[file])
                or n >= 0.2 * sum(unit.file == file and self.can_say(kind, unit) for unit in units)
            )
        }
        told = set()
        for alarm in alarms:
            habit = (units[alarm.index].file, _kind(alarm.message))
            if habit not in habits:
                yield alarm
            elif habit not in told:
                told.add(habit)
                message = (
                    f"{alarm.message}, and so in {habits[habit]} of {sizes[habit[0]]} texts of this file"
                )
                yield Alarm(alarm.index, message, alarm.marks, alarm.severity)

    def can_say(self, message: str, unit: Unit) -> bool:
        """Whether a unit could get the message at all: one about colons needs a colon in the source."""
        return True


def _kind(message: str) -> str:
    """A message without what it quotes."""
    return re.sub(r"'.*'", "''", message)


@cache
def language_of(tag: str | None) -> Language | None:
    """The language of a tag, `None` if there is none or nobody knows it.

    >>> language_of("pt_BR").region, language_of("xx-unknown"), language_of(None)
    ('BR', None, None)
    """
    try:
        return parse_language(tag) if tag else None
    except UsageError:
        return None


def code_of(tag: str | None) -> str:
    """The code of a language without script and region; the empty string if unknown.

    >>> code_of("de-AT"), code_of(None)
    ('de', '')
    """
    language = language_of(tag)
    return language.code if language else ""


def mark(side: Literal["source", "output"], start: int, end: int) -> tuple[Mark, ...]:
    """One marked place."""
    return (Mark(side, start, end),)


def mark_all(side: Literal["source", "output"], text: str, part: str, *, most: int = 5) -> tuple[Mark, ...]:
    """All places of a part in a text, from left to right, at most `most`."""
    marks: list[Mark] = []
    start = text.find(part) if part else -1
    while start >= 0 and len(marks) < most:
        marks.append(Mark(side, start, start + len(part)))
        start = text.find(part, start + len(part))
    return tuple(marks)


def quoted(text: str, *, most: int = 40) -> str:
    """A part of a text in quotes for a message, on one line and not too long.

    >>> quoted("a\\nb")
    "'a⏎b'"
    """
    text = text.replace("\n", "⏎").replace("\t", "⇥")
    return f"'{text if len(text) <= most else text[: most - 1] + '…'}'"


def words(text: str) -> frozenset[str]:
    """The words of a text as a set, for short tables of codes and words."""
    return frozenset(text.split())


def times(n: int) -> str:
    """How often, in words.

    >>> times(1), times(3)
    ('once', '3 times')
    """
    return "once" if n == 1 else f"{n} times"
