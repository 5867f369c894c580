"""Checks that look at one unit by itself: they only say what is wrong with a source and an output."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, Literal, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.languages import Language, parse_language
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit


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
        """The alarms, in the order of the units."""
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
        self._sets: list[tuple[frozenset[str], frozenset[str]]] = []

    def places(self, signs: str, units: Sequence[Unit]) -> Sequence[int]:
        """Where the source or the output has one of these signs."""
        if not signs:
            return range(len(units))
        if self._units is not units:
            self._units = units
            self._sets = [(_signs_of(unit.source or ""), _signs_of(unit.output)) for unit in units]
        lacks = frozenset(signs).isdisjoint
        return [i for i, (theirs, ours) in enumerate(self._sets) if not (lacks(theirs) and lacks(ours))]


_SIGN = re.compile(r"[^\w .,-]|_")


@lru_cache(maxsize=1 << 15)
def _signs_of(text: str) -> frozenset[str]:
    return frozenset(_SIGN.findall(text))


class ConventionCheck(UnitCheck):
    """A check of habits: what a file does throughout is its style, reported once, and not many errors.

    German translators write a full stop where many English sources have none. If at least twenty texts of a
    file and a twentieth of them get the same message, or in a localisation file six and a fifth, only the
    first one is reported, with the count.
    """

    scope = "file"
    fewest: ClassVar[int] = 6

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """The alarms, in the order of the units."""
        alarms = list(super().find(units, context))
        if len(alarms) < self.fewest:
            yield from alarms
            return
        sizes = Counter(unit.file for unit in units)
        counts = Counter((units[alarm.index].file, _kind(alarm.message)) for alarm in alarms)
        habits = {
            (file, kind): n
            for (file, kind), n in counts.items()
            if n >= (0.05 if n >= 20 else 0.2) * sizes[file] and n >= (self.fewest if file else 20)
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
