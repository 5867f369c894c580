"""Checks of placeholders that a program fills: `%s`, `%(name)s`, `{0}`, `{{name}}`, `${name}`, `[NAME]` … …

The rules depend on the syntax. `%s %d` takes arguments in order, so the order of the types must not change.
`%2$s`, `{name}` and similar placeholders may move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mtassay.measures.check import CheckContext, FormProblem, Mark, Unit, UnitCheck, times
from mtassay.measures.message_format import is_message
from mtassay.measures.talk import expression

_MARKS = re.compile(r"[%{$]|\[\[?[A-Z]|#[A-Z]|@@|__[A-Z]|[:@][a-z]")
_PATTERN = re.compile(
    r"""
    (?=[%{$\#@_\[:<])(?:
    (?P<escape>%%)
  | (?P<double>\{\{\{?\s*+[^{}\n]{1,80}\}\}\}?)
  | (?P<block>\{%[^{}%\n]{1,80}%\} | <%[=-]?[^<>%\n]{1,80}%>)
  | (?P<dollar>\$\{[^{}\n]{1,80}\} | \$t\([^()\n]{1,80}\) | (?<![A-Za-z])\$[A-Za-z_][A-Za-z0-9_]*+(?!\$))
  | (?P<ruby>%\{[^{}\n]{1,80}\} | %<\w++>[-+0\#]*+[\d.]*+[a-z])
  | (?P<python>%\([^()\n]{1,80}\)[-#0+]*+\d*+(?:\.\d++)?[hlL]?[diouxXeEfFgGcrsa])
  | (?P<environment>%(?!(?:hh|ll)[diouxX]%)[A-Za-z][A-Za-z0-9_]{2,}+%(?!%) | %[A-Z][A-Z0-9_]%)
  | (?P<printf>%(?:\d{1,2}\$)?[-+#0'I]*+(?:\d++(?![$%])|\*(?:\d\$)?)?(?:\.(?:\d++|\*(?:\d\$)?)?)?
      (?:hh|h|ll|l|q|j|z|Z|t|L|I64|I32)?(?:[diouxXeEfFgGaAcCsSpn@m]|<PRI[a-zA-Z0-9]++>))
  | (?P<qt>%L?\d{1,2}(?![\d$]))
  | (?P<brace>\{\s*+\$?[\w.\-\[\]]*+(?:![rsa])?(?::[^{}\s]{0,20})?\s*+\})
  | (?P<name>\#[A-Z][A-Z0-9_]++\# | @@\w++@@ | (?<!\w)__[A-Z][A-Z0-9_]*?__(?!\w)
      | (?<![\w:]):[a-z][a-z0-9_+-]{1,30}+:(?![\w:])
      | \[\[?[A-Z][A-Z0-9_]++\]\]?(?![(\w.])
      | (?<![^\s("'“«„‘：，、（一-龥])[:@][a-z][a-z0-9_]++(?![A-Za-z0-9_@:/-]|\.[A-Za-z0-9_]))
    )""",
    re.VERBOSE,
)
_PRINTF = re.compile(
    r"%(?:(\d+)\$)?([-+#0'I ]*)(\d+|\*(?:\d\$)?)?(?:\.(\d*|\*(?:\d\$)?))?"
    r"(hh|h|ll|l|q|j|z|Z|t|L|I64|I32)?([A-Za-z@]|<PRI[a-zA-Z0-9]+>)"
)
# Date conversions that printf does not have; translators use the date format of their readers.
_DATE = re.compile(r"%[-_^]?[EO]?[YHMybBhkPZRTDUwWVIjNlr](?![\w(])")
_COMMAND = re.compile(r"\[-|--?\w|\.\.\.|\][^\w\s]|%s \[|\b[Uu]sage|^(?:[a-z]+|[A-Z]+)? ?\[|<[a-z]+>$")
_PERCENT_SYNTAXES = frozenset({"printf", "c", "c-format", "objc-format", "php-format", "python", "android"})
_BRACE_SYNTAXES = frozenset({"brace", "i18next", "vue"})
_WIDE = {
    ord(wide): ord(narrow) for wide, narrow in zip("％｛｝＄［］＃（）＠：", "%{}$[]#()@:", strict=True)
} | {ord("０") + digit: ord("0") + digit for digit in range(10)}
_SAME_CONVERSION = {"i": "d", "C": "c"}
_NUMBERS = frozenset("diouxXeEfFgG")


class Placeholder(NamedTuple):
    """A placeholder: its syntax, its spelling, its normal form and its place."""

    kind: str
    text: str
    key: str
    start: int
    end: int


def find_placeholders(text: str) -> list[Placeholder]:
    """Find all placeholders of a text, in order.

    >>> [p.text for p in find_placeholders("{0} of {{ total }}: 100%, %1$d and %(name)s in ${HOME} [NAME]")]
    ['{0}', '{{ total }}', '%1$d', '%(name)s', '${HOME}', '[NAME]']
    """
    found = []
    for match in _PATTERN.finditer(text):
        kind, shown, start = match.lastgroup or "", match[0], match.start()
        if kind == "escape" or (kind == "qt" and shown == "%0"):
            continue
        after_digit = start > 0 and text[start - 1].isdecimal()
        if after_digit and (
            kind == "qt" or (kind == "printf" and text[match.end() : match.end() + 1].isalpha())
        ):
            continue  # 50%1, 100%ig
        key = re.sub(r"\s", "", shown)
        found.append(Placeholder(kind, shown, key, start, match.end()))
    return found


class Placeholders(UnitCheck):
    """Missing, added, changed or swapped placeholders.

    >>> units = [Unit("1", "%d in %s", "%s has %d files"), Unit("2", "Hola, {nombre}", "Hello {name}")]
    >>> [alarm.message for alarm in Placeholders().find(units, CheckContext("en", "es"))]
    ['%s and %d changed places; write %2$d and %1$s', '{name} was changed to {nombre}']
    """

    id = "placeholders"
    signs = "%{$[#@_:"
    group = "form"
    severity = "critical"
    about = "placeholders that are missing, added, changed, or in an order that a program cannot read"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _problems


def _problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if not _MARKS.search(source) and not _MARKS.search(output):
        return ()
    syntax = str(unit.facts.get("syntax", ""))
    if syntax in ("icu", "java") or ("{" in source and is_message(source)):
        return ()  # The check `message-format` handles these.
    expected, found = find_placeholders(source), find_placeholders(output)
    if not expected and not found:
        return ()
    expected, found = _relevant(expected, found, source, output, syntax)
    if len(expected) == len(found) == 2 and (turned := _turned(expected, found, source, output)):
        return [turned]
    if [p.key for p in expected] == [p.key for p in found]:
        return _escapes(expected, source, output, syntax)
    printf, named = (
        [[p for p in own if (p.kind == "printf") == is_printf] for own in (expected, found)]
        for is_printf in (True, False)
    )
    problems = [
        *_compare_printf(printf[0], printf[1], output, unit.facts),
        *_compare_named(named[0], named[1], output, unit.facts),
    ]
    return [*problems, *_escapes(expected, source, output, syntax)]


# What is between two placeholders in the same order in all languages: 3 of 5, 3 von 5.
_BETWEEN = expression("of"), expression("to")


def _turned(
    expected: Sequence[Placeholder], found: Sequence[Placeholder], source: str, output: str
) -> FormProblem | None:
    """Two placeholders that changed places around a word such as of."""
    keys = [[p.key for p in own] for own in (expected, found)]
    there, here = source[expected[0].end : expected[1].start], output[found[0].end : found[1].start]
    if keys[0] != keys[1][::-1] or keys[0][0] == keys[0][1]:
        return None
    if not any(pattern.fullmatch(there) and pattern.fullmatch(here) for pattern in _BETWEEN):
        return None
    return FormProblem(f"{found[0].text} and {found[1].text} changed places", tuple(map(_output, found)))


def _relevant(
    expected: list[Placeholder], found: list[Placeholder], source: str, output: str, syntax: str
) -> tuple[list[Placeholder], list[Placeholder]]:
    """Remove false placeholders: dates, percentages, words of a command line."""
    dropped = set()
    kinds = {p.kind for p in expected}
    if syntax == "no-c-format" or (
        "%" in source and syntax not in _PERCENT_SYNTAXES and _DATE.search(source)
    ):
        dropped |= {"printf", "qt", "environment"}
    elif syntax in _BRACE_SYNTAXES:
        dropped |= {"printf", "qt"}
    elif any(p.kind == "printf" and p.text != "%n" for p in expected):
        dropped.add("qt")
    elif "qt" in kinds:
        expected = [p._replace(kind="qt") if p.text == "%n" else p for p in expected]
        found = [p._replace(kind="qt") if p.text == "%n" else p for p in found]
    else:
        dropped.add("qt")  # Turkish and Basque write %50.
    if "name" in kinds and "[" in source and _COMMAND.search(source):
        expected, found = (
            [p for p in own if p.text[0] != "[" or p.text[1] == "["] for own in (expected, found)
        )
    if "name" not in kinds:
        # Added placeholders must have a form that does not occur in plain text.
        found = [p for p in found if p.kind != "name" or p.text[0] == "#"]
    if "dollar" not in kinds:
        found = [p for p in found if p.kind != "dollar" or p.text[1] in "{t"]
    if dropped:
        expected = [p for p in expected if p.kind not in dropped]
        found = [p for p in found if p.kind not in dropped]
    return expected, found


class _Use(NamedTuple):
    """The argument of a printf placeholder: its position, its type and its precision."""

    position: int
    type: str
    precision: str
    placeholder: Placeholder


def _uses(placeholders: Sequence[Placeholder]) -> list[_Use]:
    uses, position = [], 0
    for placeholder in placeholders:
        match = _PRINTF.fullmatch(placeholder.text)
        if match is None or match[6] == "m":
            continue  # `%m` takes no argument.
        if not match[1]:
            position += 1 + [match[3], match[4]].count("*")
        conversion = _SAME_CONVERSION.get(match[6], match[6])
        number = int(match[1]) if match[1] else position
        uses.append(_Use(number, (match[5] or "") + conversion, match[4] or "", placeholder))
    return uses


def _compare_printf(
    expected: list[Placeholder], found: list[Placeholder], output: str, facts: Mapping[str, object]
) -> Iterator[FormProblem]:
    wanted, given = _uses(expected), _uses(found)
    if _is_mixed(given) and not _is_mixed(wanted):
        marks = tuple(_output(use.placeholder) for use in given)
        yield FormProblem("Some placeholders have a number (%1$s) and some have none", marks)
        return
    by_position = {use.position: use for use in given}
    missing = [use for use in wanted if use.position not in by_position]
    positions = {use.position: use for use in wanted}
    added = [use for use in given if use.position not in positions]
    types, given_types = [use.type for use in wanted], [use.type for use in given]
    positional = any("$" in use.placeholder.text for use in (*wanted, *given))
    if not positional:
        # Without numbers, only the sequence of types shows which placeholder is missing or added.
        lost, new = Counter(types) - Counter(given_types), Counter(given_types) - Counter(types)
        missing = _last(wanted, lost)
        added = _last(given, new)
        if not lost and not new and types != given_types:
            yield _swapped(wanted, given)
            return
    lacking, new_ones = [use.placeholder for use in missing], [use.placeholder for use in added]
    yield from _report(lacking, new_ones, [p for p in found if p not in new_ones], output, facts)
    if missing or added:
        return
    for use in given:
        partner = positions.get(use.position)
        if partner is None:
            continue
        marks = (_source(partner.placeholder), _output(use.placeholder))
        if partner.type != use.type:
            yield FormProblem(f"{partner.placeholder.text} was changed to {use.placeholder.text}", marks)
        elif partner.precision != use.precision:
            message = f"{partner.placeholder.text} was changed to {use.placeholder.text}: another precision"
            yield FormProblem(message, marks, "major")
    counts = Counter(use.position for use in given)
    repeated = Counter(use.position for use in wanted)
    for position, count in counts.items():
        if count > repeated[position]:
            use = by_position[position]
            yield FormProblem(
                f"{use.placeholder.text} occurs {count} times", (_output(use.placeholder),), "major"
            )


def _is_mixed(uses: Sequence[_Use]) -> bool:
    return len({"$" in use.placeholder.text for use in uses}) == 2


def _last(uses: Sequence[_Use], counts: Counter[str]) -> list[_Use]:
    left, chosen = Counter(counts), []
    for use in reversed(uses):
        if left[use.type] > 0:
            left[use.type] -= 1
            chosen.append(use)
    return chosen[::-1]


def _swapped(wanted: Sequence[_Use], given: Sequence[_Use]) -> FormProblem:
    """Report types in another order, with advice on how to number them."""
    left = list(wanted)
    advice = []
    for use in given:
        partner = next(other for other in left if other.type == use.type)
        left.remove(partner)
        advice.append(f"%{partner.position}${use.placeholder.text[1:]}")
    names = " and ".join(dict.fromkeys(use.placeholder.text for use in wanted))
    marks = tuple(_output(use.placeholder) for use in given)
    return FormProblem(f"{names} changed places; write {' and '.join(advice)}", marks)


def _compare_named(
    expected: list[Placeholder], found: list[Placeholder], output: str, facts: Mapping[str, object]
) -> Iterator[FormProblem]:
    wanted, given = Counter(p.key for p in expected), Counter(p.key for p in found)
    missing = [p for p in expected if p.key not in given]
    added = [p for p in found if p.key not in wanted]
    missing = list({p.key: p for p in missing}.values())
    added = list({p.key: p for p in added}.values())
    in_order = [p for p in found if p.key in wanted]
    yield from _report(missing, added, in_order, output, facts)
    for key in wanted.keys() & given.keys():
        if wanted[key] != given[key]:
            marks = tuple(_output(p) for p in found if p.key == key)
            if key == "{}":
                yield FormProblem(
                    f"{{}} occurs {times(given[key])}, in the source {times(wanted[key])}", marks
                )
            elif facts.get("plural") is None:
                message = f"{key} occurs {times(given[key])}, in the source {times(wanted[key])}"
                yield FormProblem(message, marks, "minor")


def _report(
    missing: list[Placeholder],
    added: list[Placeholder],
    in_order: Collection[Placeholder],
    output: str,
    facts: Mapping[str, object],
) -> Iterator[FormProblem]:
    if facts.get("plural") in ("zero", "one", "two") and len(missing) == 1 and not added:
        # "One file" does not need the number.
        match = _PRINTF.fullmatch(missing[0].text)
        if missing[0].kind != "printf" or (match and (match[6] in _NUMBERS or not in_order)):
            return
    if facts.get("plural") == "one" and len(added) == 1 and not missing and added[0].text[-1] in "du123n":
        return  # In many languages, this form is also used for 21, and so has the number.
    for placeholder in missing:
        same = [p for p in added if p.kind == placeholder.kind]
        alike = [p for p in same if _core(p.key) == _core(placeholder.key) and _core(p.key)]
        broken = None if alike else _broken(placeholder, output, in_order)
        if broken:
            shown = output[broken.start : broken.end]
            added = [p for p in added if not (p.start < broken.end and broken.start < p.end)]
            yield FormProblem(f"{placeholder.text} is broken: '{shown}'", (_source(placeholder), broken))
        elif partner := next(iter(alike or same), None):
            added.remove(partner)
            yield FormProblem(
                f"{placeholder.text} was changed to {partner.text}", (_source(placeholder), _output(partner))
            )
        else:
            yield FormProblem(f"{placeholder.text} is missing", (_source(placeholder),))
    for placeholder in added:
        yield FormProblem(f"{placeholder.text} is not in the source", (_output(placeholder),))


def _core(key: str) -> str:
    """The name inside a placeholder."""
    return max(re.findall(r"\w+", key), key=len, default="")


def _broken(placeholder: Placeholder, output: str, in_order: Collection[Placeholder]) -> Mark | None:
    """The place of a damaged placeholder: with a space, another case, full-width characters, or cut off."""
    text = placeholder.key
    narrow = output.translate(_WIDE)
    pattern = r"\s?".join(re.escape(char) for char in text)
    match = re.search(pattern, narrow, re.IGNORECASE)
    if match is None and placeholder.kind not in ("printf", "qt"):
        core = re.escape(_core(text))
        match = re.search(rf"[{{$%\[#(@]\s?{core}\b\)?|\b{core}\s?[}}\])#@]", narrow) if core else None
    if match is None or any(p.start < match.end() and match.start() < p.end for p in in_order):
        return None
    return Mark("output", match.start(), match.end())


def _escapes(expected: list[Placeholder], source: str, output: str, syntax: str) -> Sequence[FormProblem]:
    """Check that percent signs are doubled beside printf placeholders, as programs require."""
    if "%%" not in source or "%" not in output:
        return ()
    if syntax not in _PERCENT_SYNTAXES and not any(p.kind in ("printf", "python") for p in expected):
        return ()
    rest = _PATTERN.sub(lambda match: "\0" * len(match[0]), output)
    place = rest.find("%")
    if place < 0:
        return ()
    return [FormProblem("A percent sign must be written %% here", (Mark("output", place, place + 1),))]


def _source(placeholder: Placeholder) -> Mark:
    return Mark("source", placeholder.start, placeholder.end)


def _output(placeholder: Placeholder) -> Mark:
    return Mark("output", placeholder.start, placeholder.end)
