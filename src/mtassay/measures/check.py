"""The base classes of checks (named rules about single units or whole files) and shared functions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from secrets import token_hex
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from mtassay.data.errors import UsageError
from mtassay.data.languages import Language, parse_language

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor")

GROUPS = ("form", "meaning", "conduct", "terms", "style", "consistency")
"""Placeholders and tags; numbers and negations; refusals and chatter; glossaries; house style; drift."""

Need = Literal["source", "reference", "terms", "style", "document"]

Part = TypeVar("Part")


_NO_FACTS: Mapping[str, Any] = {}


class Unit(NamedTuple):
    """One translated text with everything that checks read.

    Args:
        id: The segment's id, unique in the run.
        output: The system's output, or an empty string if it gave no answer.
        source: `None` if there is no source to compare with.
        references: Right translations; an output that agrees with a reference gets no alarm.
        document: The document of the text. Units are in the order of the document.
        file: The localisation file of the text, or an empty string.
        key: The text's key in this file.
        line: The text's line in this file, counted from 1.
        facts: Facts about this text from the file or the engine, for example `syntax` (`"icu"`, `"printf"`,
            …), `max_length` (characters), `plural` (a CLDR category), `finish_reason`, or `cleaned` (text
            that an adapter removed from the answer).
    """

    id: str
    output: str
    source: str | None = None
    references: tuple[str, ...] = ()
    document: str | None = None
    file: str = ""
    key: str = ""
    line: int | None = None
    facts: Mapping[str, Any] = _NO_FACTS


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text of a unit, as character offsets (`end` exclusive); `index` is for another unit."""

    side: Literal["source", "output"]
    start: int
    end: int
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """A problem that a check reports in one unit.

    Args:
        index: The position of the unit in the sequence given to the check.
        message: What is wrong, for example `"{name} is missing"`.
        marks: The places of the problem.
        severity: Given only if it differs from the check's usual severity.
        fix: The whole corrected output, only if it is certain.
    """

    index: int
    message: str
    marks: tuple[Mark, ...] = ()
    severity: Severity | None = None
    fix: str | None = None


class CheckContext:
    """The languages, glossaries and house style of checks, and parts that checks share.

    `source` and `target` are language tags such as `en` or `pt-BR`, or `None` if unknown. `terms` are
    glossaries, and `style` has the style rules by name.
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
        # Parts may be large, so each process makes its own, once.
        self._key = self._key or token_hex(8)
        return _reopened, (self._key, self.source, self.target, self.terms, self.style)

    def part(self, make: Callable[[CheckContext], Part]) -> Part:
        """Return the result of `make` for this context, computed once per function."""
        if make not in self._parts:
            self._parts[make] = make(self)
        part: Part = self._parts[make]
        return part


_REOPENED: dict[str, CheckContext] = {}


def _reopened(
    key: str, source: str | None, target: str | None, terms: Any, style: Mapping[str, str]
) -> CheckContext:
    """Return the context sent to another process, the same object each time."""
    if key not in _REOPENED:
        _REOPENED.clear()  # keep one run at a time
        _REOPENED[key] = CheckContext(source, target, terms=terms, style=style)
    return _REOPENED[key]


class Check(ABC):
    """A rule with a name.

    `id` is its name, `about` says in one line what it reports, and `needs` says what the unit or the context
    must have. `scope` is `"unit"` if the check reads each unit separately, or `"file"` if it compares the
    units of a system with each other, in order.
    """

    id: ClassVar[str]
    group: ClassVar[str]
    severity: ClassVar[Severity]
    about: ClassVar[str]
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    scope: ClassVar[Literal["unit", "file"]] = "unit"

    @abstractmethod
    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms in the order of the units. Only `empty` and checks of conduct read empty outputs."""

    def each(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms about single units; `find` also considers the whole file."""
        return self.find(units, context)

    def settle(self, alarms: Sequence[Alarm], units: Sequence[Unit]) -> Iterable[Alarm]:
        """Return the alarms of `each` that remain in a file with these units."""
        return alarms

    def applies(self, context: CheckContext) -> bool:
        """Whether the check supports the languages; otherwise it is listed as not run."""
        return True


class FormProblem(NamedTuple):
    """A problem in one output, with the fields of `Alarm`."""

    message: str
    marks: tuple[Mark, ...] = ()
    severity: Severity | None = None
    fix: str | None = None

    @classmethod
    def at(
        cls, match: re.Match[str], message: str, severity: Severity | None = None, fix: str | None = None
    ) -> FormProblem:
        """A problem where an expression matches the output."""
        return cls(message, mark("output", *match.span()), severity, fix)


class UnitCheck(Check):
    """A check with one required method, `look`, which returns the function that finds problems.

    If `signs` is not empty, the check skips texts whose source and output have none of these characters.
    """

    signs: ClassVar[str] = ""

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        places = _places(self.signs, units)
        if not places:
            return
        look = self.look(context)
        without_source = "source" not in self.needs
        for index in places:
            unit = units[index]
            source, output = unit.source or "", unit.output
            if not (source or without_source) or not output or output.isspace():
                continue
            if problems := tuple(look(source, output, unit)):
                # Those that a reference has, too, are right.
                excused = {p.message for text in unit.references for p in look(source, text, unit)}
                for problem in problems:
                    if problem.message not in excused:
                        yield Alarm(index, *problem)

    @abstractmethod
    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Iterable[FormProblem]]:
        """Return a function of source, output and unit that returns problems in the order of the output."""


def _places(signs: str, units: Sequence[Unit]) -> Sequence[int]:
    """The indices of units whose source or output has one of these signs."""
    if not signs:
        return range(len(units))
    search = re.compile(f"[{re.escape(signs)}]").search
    in_source = lru_cache(maxsize=1 << 14)(search)  # systems have the same sources
    return [
        index
        for index, unit in enumerate(units)
        if search(unit.output) or (unit.source and in_source(unit.source))
    ]


class ConventionCheck(UnitCheck):
    """A check that reports a habit of a whole file once, as a style, instead of many errors.

    For example, German translators add a full stop that many English sources do not have. Only the first
    alarm is reported, with the count, if at least 10 texts (and 5 % of the file) get the same message, or at
    least 6 texts (and 20 % of those that could get it).
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
        """Whether a unit could get the message; for example, one about colons needs a colon in the source."""
        return True


def _kind(message: str) -> str:
    """Return a message without its quoted parts."""
    return re.sub(r"'.*'", "''", message)


@cache
def language_of(tag: str | None) -> Language | None:
    """Return the language of a tag; `None` if the tag is missing or unknown.

    >>> language_of("pt_BR").region, language_of("xx-unknown"), language_of(None)
    ('BR', None, None)
    """
    try:
        return parse_language(tag) if tag else None
    except UsageError:
        return None


def code_of(tag: str | None) -> str:
    """Return the code of a language without script and region; an empty string if unknown.

    >>> code_of("de-AT"), code_of(None)
    ('de', '')
    """
    language = language_of(tag)
    return language.code if language else ""


def mark(side: Literal["source", "output"], start: int, end: int) -> tuple[Mark, ...]:
    """Mark one place."""
    return (Mark(side, start, end),)


def mark_all(side: Literal["source", "output"], text: str, part: str, *, most: int = 5) -> tuple[Mark, ...]:
    """Mark the places of a part in a text, from left to right, at most `most`."""
    marks: list[Mark] = []
    start = text.find(part) if part else -1
    while start >= 0 and len(marks) < most:
        marks.append(Mark(side, start, start + len(part)))
        start = text.find(part, start + len(part))
    return tuple(marks)


def quoted(text: str, *, most: int = 40) -> str:
    """Quote a part of a text for a message, on one line and shortened.

    >>> quoted("a\\nb")
    "'a⏎b'"
    """
    text = text.replace("\n", "⏎").replace("\t", "⇥")
    return f"'{text if len(text) <= most else text[: most - 1] + '…'}'"


def words(text: str) -> frozenset[str]:
    """Split a text into a set of words, for short tables."""
    return frozenset(text.split())


UNSPACED = words("zh ja yue lzh wuu nan th lo km my bo dz")
"""Languages without spaces between words."""


def times(n: int) -> str:
    """Write a number of times in words.

    >>> times(1), times(3)
    ('once', '3 times')
    """
    return "once" if n == 1 else f"{n} times"
