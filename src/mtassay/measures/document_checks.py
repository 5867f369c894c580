"""Checks of documents: they find texts that differ from the texts around them.

They compare numbers, lists, repeated sentences, tense and person of a story, and the gender of people. The
majority decides, unless the source explains a difference. Words by language are in `data/narration.toml`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from mtassay.data.words import read_table
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit, code_of, quoted
from mtassay.nlp.sentence_alignment import split_sentences

SPEECH = re.compile('「[^」]*」?|『[^』]*』?|„[^“”]*[“”]?|“[^”]*”|"[^"]*"|«[^»]*»|»[^«]*«')
"""Finds quotations, since quoted people may speak differently from the narrator."""
_QUOTE = re.compile("[\"“”„«»「」『』‚‘`]|(?<!\\w)'")


def without_speech(text: str) -> str:
    """Replace quotations in a text by spaces, so that positions remain valid."""
    return SPEECH.sub(lambda match: " " * len(match[0]), text)


def name_of(unit: Unit) -> str:
    """Name a text in a message."""
    return quoted(unit.key or unit.id)[1:-1]


class Use(NamedTuple):
    """A form that a text uses, and its place in the output."""

    row: int
    form: str
    start: int
    end: int


class Minority(NamedTuple):
    """Unusual uses, a usual use, and how many of all uses are like it."""

    others: Sequence[Use]
    usual: Use
    agreeing: int
    total: int

    def alarm(self, use: Use, units: Mapping[int, Unit], what: str, usual: str) -> Alarm:
        """Make the alarm of an unusual use; both places are marked."""
        here, there = (units[u.row].output[u.start : u.end].strip() for u in (use, self.usual))
        place = f"{quoted(there)} ({name_of(units[self.usual.row])})"
        message = f"{quoted(here)} {what}; most here {usual} ({self.agreeing} of {self.total}), as {place}"
        return Alarm(use.row, message, both(use, self.usual))


def both(use: Use, other: Use) -> tuple[Mark, Mark]:
    """The marks of a place and of a second place in another text."""
    return Mark("output", use.start, use.end), Mark("output", other.start, other.end, other.row)


def minority(uses: Iterable[Use], *, least: int = 2, share: float = 2 / 3) -> Minority | None:
    """Find uses that differ from a form with at least this count and share; `None` without such a form."""
    uses = list(uses)
    counts = Counter(use.form for use in uses)
    if len(counts) < 2:
        return None
    (form, n), total = counts.most_common(1)[0], len(uses)
    if n < least or n < share * total:
        return None
    usual = next(use for use in uses if use.form == form)
    return Minority([use for use in uses if use.form != form], usual, n, total)


class DocumentCheck(Check):
    """A check that reads one document at a time."""

    group: ClassVar[str] = "consistency"
    severity: ClassVar[Severity] = "minor"
    scope: ClassVar[Literal["unit", "file"]] = "file"
    needs = frozenset({"source", "document"})

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        documents: dict[tuple[str, str], list[int]] = {}
        for index, unit in enumerate(units):
            if unit.document is not None and unit.source and unit.output.strip():
                documents.setdefault((unit.file, unit.document), []).append(index)
        alarms = [
            alarm
            for rows in documents.values()
            if len(rows) > 1
            for alarm in self.look({index: units[index] for index in rows}, context)
        ]
        yield from sorted(alarms, key=lambda alarm: alarm.index)

    @abstractmethod
    def look(self, document: Mapping[int, Unit], context: CheckContext) -> Iterable[Alarm]:
        """Return the alarms of one document, given its units by their index among all units."""


# Figures and lists ------------------------------------------------------------------------------------------

_POINT = frozenset("en zh ja ko th hi he ga mt ur bn ta te ms fil sw".split())  # noqa: SIM905
_SPACES = " \u00a0\u202f\u2009"
_MARKS = {",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe", "": "nothing"}


class NumberDrift(DocumentCheck):
    """Numbers whose decimal mark or thousands separator differs from most of a document.

    >>> sources, outputs = ["3.5 km", "2.5 km", "1.5 km"], ["3,5 km", "2,5 km", "1.5 km"]
    >>> texts = enumerate(zip(outputs, sources, strict=True))
    >>> units = [Unit(str(i), o, s, document="a") for i, (o, s) in texts]
    >>> [alarm.message for alarm in NumberDrift().find(units, CheckContext("en", "de"))]
    ["'1.5' has a point before decimals; most here have a comma (2 of 3), as '3,5' (0)"]
    """

    id = "number-drift"
    about = "figures written in another way than most of a document: 1.5 and 1,5; 10,000 and 10 000"

    def look(self, document: Mapping[int, Unit], context: CheckContext) -> Iterator[Alarm]:
        point = code_of(context.source) in _POINT
        for kind, what in (("decimals", "before decimals"), ("thousands", "between thousands")):
            uses = [use for i, unit in document.items() for use in _figures(i, unit, kind, point=point)]
            if found := minority(uses):
                for use in found.others:
                    own, usual = f"has {_MARKS[use.form]} {what}", f"have {_MARKS[found.usual.form]}"
                    yield found.alarm(use, document, own, usual)


def _figures(index: int, unit: Unit, kind: str, *, point: bool) -> Iterator[Use]:
    """Find the numbers of a source as written in the output, each once."""
    group, mark = (",", ".") if point else (f".{_SPACES}", ",")
    pattern = rf"(?<![\w.,:/'+-])(\d{{1,3}}(?:[{group}]\d{{3}})+|\d+)(?:\{mark}(\d+))?(?![\w:/'-]|[.,]\d)"
    for whole, decimals in dict.fromkeys(re.findall(pattern, unit.source or "")):
        digits = re.sub(r"\D", "", whole)
        # 22.0 is a version of a program, which does not change.
        if kind == "decimals" and decimals.strip("0"):
            body = rf"(?:{_spaced(digits)})([.,]){decimals}"
        elif kind == "thousands" and len(digits) > 4 and digits != whole:
            body = _spaced(digits, first=True) + (rf"(?:[.,]{decimals})?" if decimals else "")
        else:
            continue
        found = list(re.finditer(rf"(?<![\w.,:/])(?:{body})(?![\w:/]|[.,]\d)", unit.output))
        if len(found) == 1:
            form = found[0][1]
            yield Use(index, " " if form and form in _SPACES else form, *found[0].span())


def _spaced(digits: str, *, first: bool = False) -> str:
    """A pattern for digits with any thousands separators, which captures the first separator."""
    head = len(digits) % 3 or 3
    groups = [digits[:head], *(digits[i : i + 3] for i in range(head, len(digits), 3))]
    between = rf"[.,'{_SPACES}]?"
    if not first or len(groups) < 2:
        return between.join(groups)
    return f"{groups[0]}({between}){between.join(groups[1:])}"


_ITEM = re.compile(r"\s*(?:(?:\d{1,2}|[a-z](?=\)))([.)、．）])(?!\d)|([-*•·–—▪◦])(?=\s))")


class ListDrift(DocumentCheck):
    """Items of a list that begin differently from the others.

    >>> texts = [("1. Open", "1. Öffnen"), ("2. Look", "2. Schauen"), ("3. Close", "3) Schließen")]
    >>> units = [Unit(str(i), o, s, document="a") for i, (s, o) in enumerate(texts)]
    >>> [alarm.message for alarm in ListDrift().find(units, CheckContext("en", "de"))]
    ["'3)' begins an item; most here begin with '1.' (2 of 3), as '1.' (0)"]
    """

    id = "list-drift"
    about = "items of a list that begin in another way than the others: 1. and 1), - and •, or with nothing"

    def look(self, document: Mapping[int, Unit], context: CheckContext) -> Iterator[Alarm]:
        lists: dict[str, list[Use]] = {}
        for index, unit in document.items():
            sources, outputs = (unit.source or "").split("\n"), unit.output.split("\n")
            start = 0
            for place, line in enumerate(outputs):
                item = _ITEM.match(sources[place]) if len(sources) == len(outputs) else None
                if item and line.strip():
                    own = _ITEM.match(line)
                    end = own.end() if own else min(len(line), 12)
                    form = (own[1] or own[2]) if own else ""
                    lists.setdefault(item[1] or item[2], []).append(Use(index, form, start, start + end))
                start += len(line) + 1
        for uses in lists.values():
            if found := minority(uses):
                usual = document[found.usual.row].output[found.usual.start : found.usual.end].strip()
                for use in found.others:
                    told = f"begin with {quoted(usual) if found.usual.form else 'no mark'}"
                    yield found.alarm(use, document, "begins an item", told)


# Sentences --------------------------------------------------------------------------------------------------

_LONG = 25
_NEAR = 3


class RepeatedSentence(DocumentCheck):
    """A sentence of a translation that a neighbouring text also has, although the sources share none.

    >>> texts = [("It rained all day.", "Es regnete den ganzen Tag."), ("We left.", "Wir gingen.")]
    >>> texts.append(("The hut was empty.", "Es regnete den ganzen Tag. Die Hütte war leer."))
    >>> units = [Unit(str(i), o, s, document="a") for i, (s, o) in enumerate(texts)]
    >>> [alarm.message for alarm in RepeatedSentence().find(units, CheckContext("en", "de"))]
    ["'Es regnete den ganzen Tag.' is also the translation of another text (0)"]
    """

    id = "repeated-sentence"
    severity: ClassVar[Severity] = "major"
    about = "a sentence that is also in the translation of a nearby text, although the sources differ"

    def look(self, document: Mapping[int, Unit], context: CheckContext) -> Iterator[Alarm]:
        rows = list(document)
        seen: dict[str, int] = {}
        for place, index in enumerate(rows):
            output = document[index].output
            for sentence in split_sentences(output):
                wide = sum(ord(char) > 0x2E80 for char in sentence)
                if len(sentence) + 2 * wide < _LONG:
                    continue
                before = seen.get(sentence, place)
                seen[sentence] = place
                other = document[rows[before]]
                if 0 < place - before <= _NEAR and not _said_twice(document[index], other):
                    start, there = output.find(sentence), other.output.find(sentence)
                    use = Use(index, "", start, start + len(sentence))
                    marks = both(use, Use(rows[before], "", there, there + len(sentence)))
                    message = f"{quoted(sentence)} is also the translation of another text ({name_of(other)})"
                    yield Alarm(index, message, marks)


def _said_twice(unit: Unit, other: Unit) -> bool:
    """Whether the sources of two texts share a sentence, or nearly."""
    one, two = (split_sentences(u.source or "") for u in (unit, other))
    return any(SequenceMatcher(None, a, b).ratio() > 0.6 for a in one for b in two)


# Stories ----------------------------------------------------------------------------------------------------


_BEGINS = r"(?:^|[.!?…“”\"»:,;]\s|\b(?:[Aa]|[Aa]le|[Pp]ak|[Kk]dyž?|[Kk]iedy|[Kk]eď)\s)"
_CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}\b")


@cache
def _pattern(table: str, code: str) -> re.Pattern[str] | None:
    """A pattern for the words of a table; an entry after a slash already is a pattern."""
    told = read_table(Path(__file__).parent / "data" / "narration.toml")[table].get(code)
    if told is None:
        return None
    if table == "subject":
        return re.compile(f"{_BEGINS}(([A-Z][a-z]{{2,}}) {told})")
    if table == "narrator":
        return re.compile(told)
    if told[0] == "/":
        return re.compile(told[1:] if code in ("zh", "ja") else rf"\b(?:{told[1:]})\b", re.IGNORECASE)
    own = [form for word in told.split() for form in (word, word[0].upper() + word[1:])]
    return re.compile(rf"\b(?:{'|'.join(own)})(?!\w)")


def _first(table: str, code: str, text: str) -> re.Match[str] | None:
    pattern = _pattern(table, code)
    return pattern.search(text) if pattern else None


def _only(tables: tuple[str, str], code: str, text: str) -> tuple[str, re.Match[str]] | None:
    """If only one of two tables has words in a text: this table, and its first word in the text."""
    one, other = (_first(table, code, text) for table in tables)
    if one is None or other is None:
        return (tables[0], one) if one else (tables[1], other) if other else None
    return None


class NarrationDrift(DocumentCheck):
    """A text of a story that changes tense or person, although its source and most texts do not.

    >>> texts = [("He was old.", "Er war alt."), ("He had a dog.", "Er hatte einen Hund."),
    ...          ("It came back.", "Er kam wieder."), ("He saw it.", "Er sieht es.")]
    >>> units = [Unit(str(i), o, s, document="a") for i, (s, o) in enumerate(texts)]
    >>> [alarm.message for alarm in NarrationDrift().find(units, CheckContext("en", "de"))]
    ["'sieht' is in the present tense, the source in the past; most here are past (3 of 4), as 'war' (0)"]
    """

    id = "narration-drift"
    about = "a text that changes the tense or the person of a story, although the source does not"

    def applies(self, context: CheckContext) -> bool:
        """Whether the words of both languages are known."""
        codes = code_of(context.source), code_of(context.target)
        return all(_pattern("first", code) or _pattern("past", code) for code in codes)

    def look(self, document: Mapping[int, Unit], context: CheckContext) -> Iterator[Alarm]:
        source, target = code_of(context.source), code_of(context.target)
        tenses: list[Use] = []
        persons: list[Use] = []
        for index, unit in document.items():
            texts = unit.source or "", unit.output
            wanted = _only(("past", "present"), source, without_speech(texts[0]))
            told = without_speech(texts[1])
            past, present = _first("past", target, told), _first("present", target, told)
            if wanted and wanted[0] == "past":
                if past and not present:
                    tenses.append(Use(index, "past", *past.span()))
                elif present and not past and not _first("perhaps_past", target, told):
                    tenses.append(Use(index, "present", *present.span()))
            spoken_of = _first("he", source, texts[0]) or _first("she", source, texts[0])
            if spoken_of and not _first("first", source, texts[0]) and not any(map(_QUOTE.search, texts)):
                me = _first("first", target, texts[1])
                persons.append(Use(index, "first" if me else "third", *(me.span() if me else (0, 1))))
        for uses, wanted_form, what in (
            (tenses, "past", "is in the {} tense, the source in the past"),
            (persons, "third", "is {} person, the source has none"),
        ):
            found = minority(uses, least=3, share=0.75)
            if found and found.usual.form == wanted_form:
                for use in found.others:
                    yield found.alarm(use, document, what.format(use.form), f"are {wanted_form}")


class GenderDrift(DocumentCheck):
    """A person who is a man in most texts of a document but a woman in one, or the reverse.

    The gender of names and narrators is judged by verbs that agree with them. The gender of other people is
    judged if the source has only "she" and the output only "he".

    >>> texts = ["Nyssi vstala.", "Pak Nyssi čekala.", "Nyssi se usmál."]
    >>> units = [Unit(str(i), o, "Nyssi did.", document="a") for i, o in enumerate(texts)]
    >>> [alarm.message for alarm in GenderDrift().find(units, CheckContext("en", "cs"))]
    ["'Nyssi se usmál' is masculine; most here are feminine (2 of 3), as 'Nyssi vstala' (0)"]
    """

    id = "gender-drift"
    severity: ClassVar[Severity] = "major"
    about = "a person who is a man in most texts of a document and a woman in one, or the other way round"

    def applies(self, context: CheckContext) -> bool:
        """Whether the language marks gender."""
        return bool(_pattern("narrator", code_of(context.target))) or self._has_pronouns(context)

    @staticmethod
    def _has_pronouns(context: CheckContext) -> bool:
        return all(_pattern("she", code_of(tag)) for tag in (context.source, context.target))

    def look(self, document: Mapping[int, Unit], context: CheckContext) -> Iterator[Alarm]:
        code, source = code_of(context.target), code_of(context.source)
        people: dict[str, list[Use]] = {}
        for index, unit in document.items():
            for name, use in _agreements(index, unit, code):
                people.setdefault(name, []).append(use)
            # A reply may come from another person.
            is_reply = (unit.source or "").startswith("@")
            if not is_reply and _first("first", source, without_speech(unit.source or "")):
                told = without_speech(unit.output)
                pattern = _pattern("narrator", code)
                for match in pattern.finditer(told) if pattern else ():
                    ending = next(group for group in match.groups() if group is not None)
                    people.setdefault("", []).append(Use(index, _gender(ending), *match.span()))
        for name, uses in people.items():
            if found := minority(uses, least=2 if name else 3, share=2 / 3 if name else 0.75):
                for use in found.others:
                    yield found.alarm(use, document, f"is {use.form}", f"are {found.usual.form}")
        if self._has_pronouns(context):
            yield from _other_pronouns(document, source, code)


def _gender(ending: str) -> str:
    return "feminine" if ending in ("a", "а") else "masculine"


def _agreements(index: int, unit: Unit, code: str) -> Iterator[tuple[str, Use]]:
    """Find names of the source that are subjects in the output, with a verb that agrees."""
    pattern = _pattern("subject", code)
    names = set(_CAPITALISED.findall(unit.source or "")) if pattern else set()
    for match in pattern.finditer(unit.output) if pattern and names else ():
        if match[2] in names:
            yield match[2], Use(index, _gender(match[3] or ""), *match.span(1))


def _other_pronouns(document: Mapping[int, Unit], source: str, target: str) -> Iterator[Alarm]:
    """Find texts whose source mentions only a woman and the output only a man, or the reverse."""
    for index, unit in document.items():
        wanted = _only(("he", "she"), source, unit.source or "")
        own = _only(("he", "she"), target, unit.output)
        if wanted and own and wanted[0] != own[0]:
            message = f"{quoted(own[1][0])} is '{own[0]}', the source has {quoted(wanted[1][0])}"
            yield Alarm(index, message, (Mark("source", *wanted[1].span()), Mark("output", *own[1].span())))
