"""Checks of short texts in user interfaces: access keys, length, capital letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from mtassay.measures.check import (
    Alarm,
    Check,
    CheckContext,
    ConventionCheck,
    FormProblem,
    Unit,
    UnitCheck,
    code_of,
    mark,
    mark_all,
    words,
)
from mtassay.measures.name_check import small_place
from mtassay.measures.punctuation import end_of
from mtassay.measures.talk import small_words

_SIGNS = {
    "&": re.compile(
        r"(?<![&\w ])&(?=\w)(?!#?\w{1,10};)|(?<=\w)&(?=[a-z])(?!#?\w{1,10};)|(?<= )&(?=\w)(?!#?\w{1,10};)"
    ),
    "_": re.compile(
        r"(?<![_\w%{$/.-])_(?=[^\W_])(?!\w*[_(.])|(?<=\b[A-Z])_(?=[a-z]+\b)|(?<=\b[A-Z][a-z])_(?=[a-z]+\b)|(?<=\b[A-Z][a-z]{2})_(?=[a-z]+\b)|(?<=[a-z]{3})_(?=[a-z]\b)|(?<=[A-Z][a-z]{3})_(?=[a-z]+\b)"
    ),
    "~": re.compile(r"(?<![~\w/])~(?=[^\W_])(?!\w*/)|(?<=[A-Za-z])~(?=[a-z])"),
}
_LONGEST = 60
_ENOUGH = 5


class Accelerators(Check):
    """The access key of a menu entry or a button: `&File`, `_File` or `~File`.

    A sign marks access keys if the fact `accelerator` of a unit says so, or the majority of the translations
    in a file with at least five such texts.

    >>> units = [Unit("1", "&Datei", "&File"), Unit("2", "Bearbeiten", "&Edit")]
    >>> [alarm.message for alarm in Accelerators().find(units, CheckContext("en", "de"))]
    ['The access key of &Edit is missing']
    """

    id = "accelerators"
    group = "form"
    severity = "minor"
    about = "access keys (&File, _File, ~File) that are lost, doubled or set where the source has none"
    scope = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        asked: dict[str, list[int]] = {sign: [] for sign in _SIGNS}
        for index, unit in enumerate(units):
            source = unit.source
            if not source or not unit.output.strip() or len(source) > _LONGEST or "\n" in source:
                continue
            for sign in _SIGNS:
                if sign in source and source.count(sign) == 1 and _keys(sign, source) == 1:
                    asked[sign].append(index)
        alarms = [alarm for sign, indexes in asked.items() for alarm in self._of_sign(sign, indexes, units)]
        yield from sorted(alarms, key=lambda alarm: alarm.index)

    def _of_sign(self, sign: str, indexes: list[int], units: Sequence[Unit]) -> Iterator[Alarm]:
        by_file: dict[str, list[int]] = {}
        for index in indexes:
            by_file.setdefault(units[index].file, []).append(index)
        for group in by_file.values():
            kept = sum(sign in units[index].output for index in group)
            stated = {units[index].facts.get("accelerator") for index in group}
            if sign not in stated and len(group) >= _ENOUGH and kept < 0.7 * len(group):
                continue
            if (
                sign not in stated
                and len(group) < _ENOUGH
                and not all(len((units[index].source or "").split()) <= 5 for index in group)
            ):
                continue
            for index in group:
                yield from _key_alarms(sign, index, units[index])


def _keys(sign: str, text: str) -> int:
    return len(_SIGNS[sign].findall(text))


def _key_alarms(sign: str, index: int, unit: Unit) -> Iterator[Alarm]:
    source, output = unit.source or "", unit.output
    count = output.replace(sign * 2, "").count(sign)
    if count == 0:
        if unit.references and all(sign not in reference for reference in unit.references):
            return
        where = mark_all("source", source, sign, most=1)
        yield Alarm(index, f"The access key of {source.strip()} is missing", where)
    elif count > 1 and (_keys(sign, output) > 1 or (sign == "_" and " " not in source.strip())):
        yield Alarm(index, f"{count} access keys ({sign})", mark_all("output", output, sign))
    elif count == 1:
        place = output.index(sign)
        following = output[place + 1 : place + 2]
        if not following or not (following.isalnum() or following.isprintable()) or following.isspace():
            yield Alarm(
                index,
                f"No letter follows the sign {sign} of the access key",
                mark("output", place, place + 1),
            )


class TextLength(UnitCheck):
    """Texts longer than the file or the house style allows.

    >>> units = [Unit("1", "Einstellungen", "Settings", facts={"max_length": 10})]
    >>> [alarm.message for alarm in TextLength().find(units, CheckContext("en", "de"))]
    ['13 characters, 10 are allowed']
    """

    id = "text-length"
    group = "form"
    severity = "major"
    about = "texts longer than their file allows"
    needs = frozenset()

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _length_problems


def _length_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    limit = unit.facts.get("max_length")
    if not limit or len(output) <= int(limit):
        return ()
    # Inline codes of XLIFF are not displayed.
    length = len(output) - sum(len(code) * output.count(code) for code in unit.facts.get("codes", ()))
    if length <= int(limit):
        return ()
    where = mark("output", int(limit) + len(output) - length, len(output))
    return [FormProblem(f"{length} characters, {int(limit)} are allowed", where)]


_CASELESS = words(
    "zh ja ko yue ar fa ur he hi bn mr gu pa ta te kn ml ne si th lo km my ka am ti bo dz ug ps sd yi ckb"
)
_NOUNS_ARE_CAPITAL = words("de lb gsw nds bar ksh")
_LETTERS = re.compile(r"[^\W\d_]+")
# Parts of a text that translators do not write.
_SKIP = re.compile(r"%(?:\d+\$)?[-+#0 ]*[\d.*]*[a-zA-Z@]+|\{[^{}]*\}|<[^<>]*>|&\w+;|\\[nt]|\$\w+")
_CODE_START = re.compile(r"[\w.+-]*[_/.\\=:@()\d<>*-]\w|[A-Za-z]+\(|\w+::")


_ENGLISH_CAPITALS = words(small_words("capitals")["en"])
_LABEL = re.compile(r"[A-Z]{4,}[:!]")
_LABEL_OUTPUT = re.compile(r"[^\W\d_]{3,}(?=\s?[:!])")


class LetterCase(ConventionCheck):
    """Capital letters: the whole text, or the first letter.

    >>> units = [Unit("1", "datei öffnen", "Open file"), Unit("2", "Achtung heiß", "CAUTION HOT")]
    >>> [alarm.message for alarm in LetterCase().find(units, CheckContext("en", "es"))]
    ['The source begins with a capital letter', 'The source is in capital letters']
    """

    id = "letter-case"
    group = "form"
    severity = "minor"
    about = "a first letter, a name or a whole text in another case than the source"

    def applies(self, context: CheckContext) -> bool:
        """Whether the source language has capital letters; for targets without them, only names count."""
        return code_of(context.source) not in _CASELESS

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        if not self.applies(context):
            return lambda source, output, unit: ()
        if code_of(context.target) in _CASELESS:
            return lambda source, output, unit: _lowered(source, output)
        day = _DAYS.get(code_of(context.target))
        capital_nouns = code_of(context.target) in _NOUNS_ARE_CAPITAL

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            if found := _lowered(source, output) or (day and _capital_day(output, day)):
                return found
            if not source.islower() and (place := small_place(source, output)):
                start = output.find(place)
                return [
                    FormProblem(f"{place} has a capital letter", mark("output", start, start + len(place)))
                ]
            first, given = source[0], output[0]
            if first.isupper() and (match := _LABEL.match(source)) and not source.isupper():
                label = _LABEL_OUTPUT.match(output)
                if label and not label[0].isupper() and label[0] != match[0]:
                    return [FormProblem.at(label, f"The source has {match[0]} in capital letters")]
            if first.isupper() and source.isupper():
                return _capitals(source, output)
            if not first.isalpha() or not given.isalpha() or first.isupper() == given.isupper():
                return _shouting(source, output)
            if not (given.isupper() or given.islower()) or output.split(None, 1)[0] in source:
                return ()
            if first.isupper():
                if _CODE_START.match(output) or _CODE_START.match(source) or _is_name(source, output):
                    return ()
                fixed = given.upper() + output[1:]
                return [
                    FormProblem("The source begins with a capital letter", mark("output", 0, 1), fix=fixed)
                ]
            if capital_nouns or (len(output) > 1 and output[1].isupper()) or _CODE_START.match(source):
                return _shouting(source, output)
            if source.count(" ") > 3 or end_of(source):
                return ()  # A sentence may begin with a capital letter.
            return [FormProblem("The source begins with a small letter", mark("output", 0, 1))]

        return problems


# Abbreviations, and names with a capital inside: USB-C, HDMI, GitHub.
_ABBREVIATION = re.compile(
    r"(?<![\w.@/<{$%#-])[A-Za-z]*[A-Z][A-Za-z]*[A-Z0-9-][A-Za-z0-9-]*(?![\w.@/>}=-]?\w)"
)
_SHOUTED = words(
    "note all and any are but for has must never new not now only off one set the this use was you"
)


# Days and months, which these languages write in lower case within a sentence.
_DAYS = {
    code: re.compile(rf" (?<=[a-zà-ÿа-яё,—–] )({days})(?!\w| [A-ZÀ-ÞА-ЯЁ])")
    for code, days in small_words("small-capitals").items()
}


def _capital_day(output: str, day: re.Pattern[str]) -> Sequence[FormProblem]:
    match = day.search(output)
    if match is None:
        return ()
    if match[1].istitle() and any(map(str.isupper, output[: match.start()].split()[-1])):
        return ()  # Guiana Francesa
    case = "capital" if match[1].islower() else "small"
    return [FormProblem(f"{match[1]} has a {case} letter here", mark("output", *match.span(1)))]


_INNER_CAPITAL = re.compile(r"[A-Z][a-z]+[A-Z][A-Za-z]*")


def _lowered(source: str, output: str) -> Sequence[FormProblem]:
    """Find an abbreviation or name of the source that the output writes in lower case."""
    for name in _abbreviations(source):
        small, other = name.lower(), name.capitalize()
        if name in output:
            continue
        if other in output and small != name[0] + other[1:] and _INNER_CAPITAL.fullmatch(name):
            small = other  # Github for GitHub
        if small not in output:
            continue
        place = re.search(rf"(?<![\w./@-]){re.escape(small)}(?![\w./@-]\w|\w)", output, re.ASCII)
        if place:
            return [FormProblem.at(place, f"The source writes {name}, not {place[0]}")]
    return ()


@lru_cache(maxsize=1 << 14)
def _abbreviations(source: str) -> Sequence[str]:
    """The abbreviations of a source that an output could write in lower case."""
    if source.isupper() or source.islower():
        return ()
    return [
        name
        for name in _ABBREVIATION.findall(source)
        if 3 <= len(name) <= 12
        and (small := name.lower()) not in _SHOUTED
        and small not in source
        and name[-1].isalnum()
        # Names of two parts such as Ai-Cham follow the rules of the language.
        and any(sum(map(str.isupper, part)) > 1 for part in name.split("-"))
    ]


def _is_name(source: str, output: str) -> bool:
    """Whether the source begins with a name, an abbreviation or a word that only English capitalises."""
    word = _LETTERS.match(source)
    return word is not None and (word[0] in output or word[0][1:2].isupper() or word[0] in _ENGLISH_CAPITALS)


def _capitals(source: str, output: str) -> Sequence[FormProblem]:
    """Check that a text in capitals stays in capitals; abbreviations and constants do not count."""
    written = _LETTERS.findall(_SKIP.sub(" ", source))
    text = _SKIP.sub(" ", output)
    if sum(map(len, written)) < (8 if len(written) > 1 else 4) or "_" in source:
        return ()
    if len(written) == 1 and (written[0].casefold() in text.casefold() or len(text.split()) > 2):
        return ()
    letters = Counter(
        char.isupper() for word in _LETTERS.findall(text) for char in word if char.isupper() or char.islower()
    )
    if letters[False] > letters[True]:
        return [FormProblem("The source is in capital letters", mark("output", 0, len(output)))]
    return ()


def _shouting(source: str, output: str) -> Sequence[FormProblem]:
    if len(output) < 8 or not output.isupper() or source.isupper() or " " not in output:
        return ()
    letters = _LETTERS.findall(_SKIP.sub(" ", source))
    capitals = sum(word.isupper() for word in letters if len(word) > 1)
    if 2 * capitals > len(letters) or sum(map(len, _LETTERS.findall(_SKIP.sub(" ", output)))) < 8:
        return ()
    return [
        FormProblem("The output is in capital letters, the source is not", mark("output", 0, len(output)))
    ]
