"""ICU MessageFormat: a linear parser, and a check that translated messages work in programs.

Grammar: https://unicode-org.github.io/icu/userguide/format_parse/messages/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from mtassay.measures.check import (
    Alarm,
    Check,
    CheckContext,
    FormProblem,
    Mark,
    Unit,
    UnitCheck,
    code_of,
    mark,
    quoted,
)
from mtassay.measures.talk import small_words

# Only MessageFormat has arguments with a type. `{name}` alone belongs to many syntaxes.
_TYPED = re.compile(
    r"\{\s*+[\w.-]++\s*+,\s*+(?:plural|selectordinal|select|number|date|time|spellout|ordinal|duration|choice)\b"
)
_NAME = re.compile(r"\s*+([^\s{},#'\"<>|=]++)\s*+")
_KEYWORD = re.compile(r"\s*+(=\s*+-?\d++|[^\s{}=,]++)\s*+")
_OFFSET = re.compile(r"\s*+offset\s*+:\s*+(-?\d++)\s*+")
_DIGIT_ONE = re.compile(r"(?<![\d.,])1(?![\d.,]*\d)")
_QUOTED = re.compile(r"''|'[{}]++'")
_DEEPEST = 20
# In these languages, `one` also covers 21 or 101, so a literal 1 is wrong.
_ONE_IS_MORE = frozenset({"be", "bs", "hr", "is", "lt", "lv", "mk", "ru", "sh", "sl", "sr", "uk"})


class MessageError(Exception):
    """The text is not a message; gives the reason and the place."""

    def __init__(self, why: str, start: int, end: int) -> None:
        super().__init__(why)
        self.why, self.start, self.end = why, start, end


@dataclass(slots=True)
class Message:
    """A parsed text: its arguments in order, the places of `#`, the literal text, and its own place."""

    arguments: list[Argument] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)
    text: str = ""
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Argument:
    """`{name}`, `{name, type, style}` or `{name, plural, branches}`, with its place in the text."""

    name: str
    kind: str
    start: int
    end: int
    style: str = ""
    offset: int = 0
    branches: dict[str, Message] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The display form of the argument."""
        return f"{{{self.name}}}" if not self.kind else f"{{{self.name}, {self.kind}}}"


def is_message(text: str) -> bool:
    """Whether the text has an argument with a type, so that it can only be MessageFormat.

    >>> is_message("{n, plural, other {# files}}"), is_message("Hello {name}, select one")
    (True, False)
    """
    return "{" in text and "," in text and _TYPED.search(text) is not None


def parse_message(text: str) -> Message:
    """Parse a message; `MessageError` if braces, names or branches are broken.

    >>> message = parse_message("{n, plural, =0 {none} other {# of {total}}}")
    >>> message.arguments[0].branches["other"].arguments[0].name
    'total'
    >>> parse_message("l'{name}").arguments
    []
    """
    parser = _Parser(text)
    message = parser.message(in_plural=False, depth=0)
    if parser.place < len(text):
        raise MessageError("a closing brace without an opening one", parser.place, parser.place + 1)
    return message


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    def message(self, *, in_plural: bool, depth: int) -> Message:
        """Parse up to the end of the text, or to the brace that closes the branch."""
        text, message, literal = self.text, Message(start=self.place), []
        if depth > _DEEPEST:
            raise MessageError("more than 20 nested arguments", self.place, self.place + 1)
        while self.place < len(text):
            char = text[self.place]
            if char == "'":
                literal.append(self._quoted(in_plural))
            elif char == "{":
                message.arguments.append(self._argument(depth))
                literal.append(" ")
            elif char == "}":
                break
            else:
                if char == "#" and in_plural:
                    message.hashes.append(self.place)
                literal.append(char)
                self.place += 1
        message.text, message.end = "".join(literal), self.place
        return message

    def _quoted(self, in_plural: bool) -> str:
        """Read an apostrophe: two mean one, and one before a brace quotes up to the next apostrophe."""
        text, start = self.text, self.place
        following = text[start + 1 : start + 2]
        self.place = start + 1
        if following == "'":
            self.place = start + 2
        elif following in ("{", "}") or (following == "#" and in_plural) or (following == "|" and in_plural):
            end = text.find("'", start + 2)
            while end >= 0 and text.startswith("''", end):
                end = text.find("'", end + 2)
            self.place = len(text) if end < 0 else end + 1
            return text[start + 1 : end if end >= 0 else len(text)]
        return "'"

    def _argument(self, depth: int) -> Argument:
        start = self.place
        self.place += 1
        name = self._match(_NAME, "a brace without a name", start)
        if self._next(start) == "}":
            self.place += 1
            return Argument(name, "", start, self.place)
        self._expect(",", start)
        kind = self._match(_NAME, "an argument without a type", start)
        argument = Argument(name, kind, start, start)
        if self._next(start) == ",":
            self.place += 1
            if kind in ("plural", "selectordinal", "select"):
                self._branches(argument, depth)
            else:
                self._style(argument)
        self._expect("}", start)
        argument.end = self.place
        return argument

    def _branches(self, argument: Argument, depth: int) -> None:
        if argument.kind != "select" and (offset := _OFFSET.match(self.text, self.place)):
            argument.offset, self.place = int(offset[1]), offset.end()
        while self._next(argument.start) != "}":
            keyword_start = self.place
            keyword = re.sub(r"\s", "", self._match(_KEYWORD, "a branch without a keyword", argument.start))
            if self.text[self.place : self.place + 1] != "{":
                why = f"the branch '{keyword}' has no opening brace"
                raise MessageError(why, keyword_start, self.place)
            self.place += 1
            opened = self.place - 1
            branch = self.message(in_plural=argument.kind != "select", depth=depth + 1)
            if self.place >= len(self.text):
                raise MessageError(f"the brace of '{keyword}' is not closed", opened, opened + 1)
            self.place += 1
            if keyword in argument.branches:
                why = f"the branch '{keyword}' occurs twice"
                raise MessageError(why, keyword_start, opened)
            argument.branches[keyword] = branch
            while self.text[self.place : self.place + 1].isspace():
                self.place += 1

    def _style(self, argument: Argument) -> None:
        depth, start = 0, self.place
        while self.place < len(self.text):
            char = self.text[self.place]
            if char == "}" and depth == 0:
                break
            depth += (char == "{") - (char == "}")
            self.place += 1
        argument.style = self.text[start : self.place].strip()

    def _match(self, pattern: re.Pattern[str], why: str, start: int) -> str:
        match = pattern.match(self.text, self.place)
        if match is None:
            raise MessageError(why, start, min(self.place + 1, len(self.text)))
        self.place = match.end()
        return match[1]

    def _next(self, start: int) -> str:
        if self.place >= len(self.text):
            raise MessageError("a brace is not closed", start, start + 1)
        return self.text[self.place]

    def _expect(self, char: str, start: int) -> None:
        if self._next(start) != char:
            raise MessageError(f"'{char}' is missing", start, self.place + 1)
        self.place += 1


class _Path(NamedTuple):
    """The content that is shown if a plural or select takes one branch."""

    arguments: set[str]
    has_number: bool


class MessageFormat(UnitCheck):
    """Arguments, branches, `#` and braces of ICU messages.

    >>> source = "{n, plural, one {# file} other {# files}}"
    >>> units = [Unit("1", "{n, plural, one {# Datei} andere {# Dateien}}", source)]
    >>> [alarm.message for alarm in MessageFormat().find(units, CheckContext("en", "de"))]
    ["{n, plural} has no branch 'other'", "'andere' is no plural category"]
    """

    id = "message-format"
    signs = "{"
    group = "form"
    severity = "critical"
    about = "ICU messages: a broken brace, argument, plural or select branch"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        code = code_of(context.target)

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            if "{" not in source and "{" not in output:
                return ()
            syntax = unit.facts.get("syntax")
            if syntax not in ("icu", "java") and not is_message(source):
                return ()
            place = _lone_apostrophe(output) if syntax == "java" else -1
            if place >= 0 and _lone_apostrophe(source) < 0:
                message = "Java reads a single apostrophe as the beginning of plain text; write two: ''"
                return [FormProblem(message, mark("output", place, place + 1))]
            try:
                original = parse_message(source)
            except MessageError:
                return ()  # It is not a message, or the source itself is broken.
            try:
                translated = parse_message(output)
            except MessageError as error:
                message = f"The message cannot be read: {error.why}"
                return [FormProblem(message, mark("output", error.start, error.end))]
            return list(_compare(original, translated, output, code))

        return problems


def _lone_apostrophe(text: str) -> int:
    """The place of an apostrophe that is not doubled and quotes no brace, as in `l'{0}`; -1 if none."""
    return _QUOTED.sub(lambda match: "\0" * len(match[0]), text).find("'") if "'" in text else -1


def _compare(source: Message, output: Message, text: str, code: str) -> Iterator[FormProblem]:
    source_arguments, output_arguments = list(_all_arguments(source)), list(_all_arguments(output))
    types = {(a.name, a.kind) for a in source_arguments}
    names = {name for name, _ in types}
    found = {a.name for a in output_arguments}
    new = [a for a in output_arguments if a.name not in names]
    for argument in {a.name: a for a in source_arguments if a.name not in found}.values():
        where = mark("source", argument.start, argument.end)
        if f"'{{{argument.name}}}" in text or f"'{{{argument.name}," in text:
            place = text.index(f"'{{{argument.name}")
            message = f"The apostrophe before {argument.shown} turns it into plain text; write two: ''"
            yield FormProblem(message, (*where, Mark("output", place, place + 1)))
        elif new:
            other = new.pop(0)
            message = f"{argument.shown} was changed to {other.shown}"
            yield FormProblem(message, (*where, Mark("output", other.start, other.end)))
        else:
            yield FormProblem(f"{argument.shown} is missing", where)
    for argument in new:
        yield FormProblem(
            f"{argument.shown} is not in the source", mark("output", argument.start, argument.end)
        )
    for argument in output_arguments:
        where = mark("output", argument.start, argument.end)
        kinds = {kind for name, kind in types if name == argument.name}
        if kinds and argument.kind not in kinds:
            # `{n}` inside the branches of its own plural shows the number, like `#`.
            if not argument.kind and kinds & {"plural", "selectordinal"}:
                continue
            if not kinds & {"plural", "selectordinal"} or argument.kind != "number":
                before = " or ".join(sorted(kind or "no type" for kind in kinds))
                message = (
                    f"{{{argument.name}}} has the type {argument.kind or 'none'}, in the source {before}"
                )
                yield FormProblem(message, where)
                continue
        partner = next(
            (a for a in source_arguments if (a.name, a.kind) == (argument.name, argument.kind)), None
        )
        if partner is None:
            continue
        if partner.style != argument.style and not argument.style.startswith("::"):
            before, after = quoted(partner.style), quoted(argument.style)
            message = f"The style of {argument.shown} was changed from {before} to {after}"
            yield FormProblem(message, where, "major")
        if partner.offset != argument.offset:
            yield FormProblem(f"The offset of {argument.shown} was changed from {partner.offset}", where)
        if argument.branches or partner.branches:
            yield from _compare_branches(partner, argument, source, output, code)


def _all_arguments(message: Message) -> Iterator[Argument]:
    for argument in message.arguments:
        yield argument
        for branch in argument.branches.values():
            yield from _all_arguments(branch)


def _compare_branches(
    source: Argument, argument: Argument, whole_source: Message, whole: Message, code: str
) -> Iterator[FormProblem]:
    where = mark("output", argument.start, argument.end)
    if "other" not in argument.branches:
        yield FormProblem(f"{argument.shown} has no branch 'other'", where)
    if argument.kind == "select":
        for keyword in sorted(source.branches.keys() - argument.branches.keys() - {"other"}):
            yield FormProblem(f"{argument.shown} has no branch '{keyword}'", where)
        for keyword in sorted(argument.branches.keys() - source.branches.keys() - {"other"}):
            yield FormProblem(f"{argument.shown} has a branch '{keyword}' that the source has not", where)
    else:
        yield from _check_categories(source, argument, code, where)
    yield from _check_paths(source, argument, whole_source, whole, where)


def _check_categories(
    source: Argument, argument: Argument, code: str, where: tuple[Mark, ...]
) -> Iterator[FormProblem]:
    known = cardinal_categories(code) if argument.kind == "plural" else ordinal_categories(code)
    used = [keyword for keyword in argument.branches if not keyword.startswith("=")]
    for keyword in used:
        if keyword not in CATEGORIES:
            yield FormProblem(f"'{keyword}' is no plural category", where)
        elif known and keyword not in known:
            message = f"The target language has no plural category '{keyword}'; nobody will see this text"
            yield FormProblem(message, where, "minor" if keyword in source.branches else "major")
    if set(source.branches) == {"other"}:
        return
    same = {"zero": "=0", "one": "=1", "two": "=2"}
    lacking = [
        category
        for category in CATEGORIES
        if category in known - {"other"} - optional_categories(code)
        and category not in argument.branches
        and same.get(category) not in argument.branches
    ]
    if lacking:
        names = ", ".join(lacking)
        yield FormProblem(
            f"{argument.shown} lacks plural categories of the target language: {names}", where, "major"
        )
    for keyword in source.branches:
        if keyword.startswith("=") and keyword not in argument.branches:
            yield FormProblem(f"{argument.shown} has no branch '{keyword}'", where, "major")
    one = argument.branches.get("one")
    if (
        code in _ONE_IS_MORE
        and argument.kind == "plural"
        and one
        and "=1" not in argument.branches
        and _DIGIT_ONE.search(one.text)
        and not _path(argument, "one", Message()).has_number
    ):
        yield FormProblem("The branch 'one' also holds for 21 and 101; write # instead of 1", where, "major")


def _check_paths(
    source: Argument, argument: Argument, whole_source: Message, whole: Message, where: tuple[Mark, ...]
) -> Iterator[FormProblem]:
    """Check that each branch, alone or with its surroundings, shows the content of the source's branch."""
    missing: dict[str, list[str]] = {}
    for keyword in argument.branches:
        key = keyword if keyword in source.branches else "one" if keyword == "=1" else "other"
        if key not in source.branches:
            continue
        expected, path = _path(source, key, whole_source), _path(argument, keyword, whole)
        for name in sorted(expected.arguments - path.arguments):
            missing.setdefault(f"{{{name}}}", []).append(keyword)
        names_one_number = keyword in ("one", "two", "zero") or keyword.startswith("=")
        if expected.has_number and not path.has_number and not names_one_number:
            missing.setdefault("#", []).append(keyword)
        branch = argument.branches[keyword]
        if source.branches[key].text.strip() and not branch.text.strip() and not branch.arguments:
            yield FormProblem(f"The branch '{keyword}' of {argument.shown} is empty", where, "major")
    for item, keywords in missing.items():
        branches = ", ".join(f"'{keyword}'" for keyword in keywords)
        yield FormProblem(f"{item} is missing in the branch {branches} of {argument.shown}", where)


def _path(argument: Argument, keyword: str, whole: Message) -> _Path:
    branch = argument.branches[keyword]
    around = Message([outer for outer in whole.arguments if outer is not argument])
    names = {a.name for part in (branch, around) for a in _all_arguments(part)}
    shows = argument.name in {a.name for a in branch.arguments if a.kind in ("", "number")}
    return _Path(names - {argument.name}, bool(branch.hashes) or shows or _nested_hash(branch))


def _nested_hash(message: Message) -> bool:
    """Whether a select inside a plural shows the number in one of its branches."""
    return any(
        branch.hashes or "#" in branch.text or _nested_hash(branch)
        for argument in message.arguments
        for branch in argument.branches.values()
    )


CATEGORIES = ("zero", "one", "two", "few", "many", "other")


def cardinal_categories(code: str) -> frozenset[str]:
    """The plural categories of a language (code); empty if CLDR does not know the language.

    >>> sorted(cardinal_categories("ru")), sorted(cardinal_categories("ja"))
    (['few', 'many', 'one', 'other'], ['other'])
    """
    return _by_code("cardinal").get(code, frozenset())


def ordinal_categories(code: str) -> frozenset[str]:
    """The categories of ordinals (1st, 2nd) in a language; empty if CLDR does not know the language.

    >>> sorted(ordinal_categories("en")), sorted(ordinal_categories("de"))
    (['few', 'one', 'other', 'two'], ['other'])
    """
    known = cardinal_categories(code)
    return _by_code("ordinal").get(code, frozenset({"other"}) if known else frozenset())


def optional_categories(code: str) -> frozenset[str]:
    """Plural categories that translators may omit, since few numbers need them.

    >>> sorted(optional_categories("fr"))
    ['many']
    """
    return frozenset(
        category for category, codes in small_words("optional-plurals").items() if code in codes.split()
    )


@cache
def _by_code(kind: str) -> dict[str, frozenset[str]]:
    table = small_words(f"{kind}-plurals")
    return {code: frozenset(names.split()) for names, codes in table.items() for code in codes.split()}


class PluralForms(Check):
    """Plural forms in separate units, as in Android or Apple files, where each category has its text.

    >>> facts = [{"plural": "one"}, {"plural": "other"}]
    >>> units = [Unit(str(i), "файл", "file", key=f"n[{i}]", facts=fact) for i, fact in enumerate(facts)]
    >>> [alarm.message for alarm in PluralForms().find(units, CheckContext("en", "ru"))]
    ["'n' lacks plural forms of the target language: few, many"]
    """

    id = "plural-forms"
    group = "form"
    severity = "major"
    about = "plural forms that a file lacks, or that the target language does not have"
    needs = frozenset()
    scope = "file"

    def applies(self, context: CheckContext) -> bool:
        """Whether CLDR has plural rules for the language."""
        return bool(cardinal_categories(code_of(context.target)))

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms in order of the units; a missing form is reported at the first form of its key."""
        code = code_of(context.target)
        known = cardinal_categories(code)
        messages: dict[tuple[str, str], list[int]] = {}
        for index, unit in enumerate(units):
            if unit.facts.get("plural") in CATEGORIES:
                group = str(unit.facts.get("group") or unit.key.partition("[")[0])
                if group:
                    messages.setdefault((unit.file, group), []).append(index)
        alarms = []
        for (file, group), indexes in messages.items():
            present = {str(units[index].facts["plural"]) for index in indexes if units[index].output.strip()}
            needed = known - optional_categories(code) - present
            if file.endswith((".po", ".pot", ".mo")):
                needed -= {"other"}  # gettext has no plural form for fractions
            # In JSON, a single key that ends in _other may be any text.
            is_plural = len(indexes) > 1 or "[" in units[indexes[0]].key
            first = next((index for index in indexes if units[index].output.strip()), None)
            if needed and is_plural and first is not None:
                names = ", ".join(category for category in CATEGORIES if category in needed)
                message = f"{quoted(group)} lacks plural forms of the target language: {names}"
                alarms.append(Alarm(first, message, mark("output", 0, len(units[first].output))))
            for index in indexes:
                category = str(units[index].facts["plural"])
                if category not in known and units[index].output.strip():
                    message = f"The target language has no plural form '{category}'"
                    alarms.append(Alarm(index, message, mark("output", 0, len(units[index].output)), "minor"))
        yield from sorted(alarms, key=lambda alarm: alarm.index)
