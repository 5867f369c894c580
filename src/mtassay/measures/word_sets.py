"""Checks for changes of meaning: swapped words of one set (Monday, Tuesday), and negations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple

from mtassay.data.languages import Pair, parse_language
from mtassay.measures.check import UNSPACED, Alarm, Check, CheckContext, Mark, Severity, Unit, code_of
from mtassay.measures.output_language import fold, wrong_script
from mtassay.measures.polarity import Negations, Polarity, find_polarity, negations_of
from mtassay.measures.talk import expression, small_words
from mtassay.nlp.word_forms import word_forms

_TABLE = Path(__file__).parent / "data" / "word_sets.tsv"
_LONGEST = 600
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*|[€£¥]|\$(?= ?\d)|(?<=\d)[ \u00a0\u202f]?\$")
_CLOCK = re.compile(r"(?<=\d)\s?([ap])\.?\s?m\b\.?")
_MAY_BE_CLOCK = re.compile(r"\d\s?[ap]\.?\s?m")
_STEM = 3


class SwappedWord(NamedTuple):
    """A word of the source, and an output word that means another member of the same set."""

    set: str
    word: str
    other: str
    is_polar: bool

    @property
    def message(self) -> str:
        """The problem as a message."""
        return f"'{self.word}' became '{self.other}'"

    def marks(self, source: str, output: str) -> tuple[Mark, ...]:
        """The places of both words."""
        places = source.lower().find(self.word), output.lower().find(self.other)
        return (
            Mark("source", places[0], places[0] + len(self.word)),
            Mark("output", places[1], places[1] + len(self.other)),
        )


class _Form(NamedTuple):
    """A word or stem of a member; if `is_sure` is false, it may also mean something else."""

    set: str
    member: str
    is_sure: bool


class _Words:
    """All forms in a language of the sets that a check uses."""

    def __init__(self, check: str, language: str) -> None:
        head, *rows = [line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines()]
        self.exact: dict[str, list[_Form]] = {}
        self.stems: dict[str, list[tuple[str, _Form]]] = {}
        self.phrases: list[tuple[str, _Form]] = []
        column = head.index(language) if language in head[3:] else -1
        for row in rows:
            for text in row[column].split() if column > 0 and check in row[0].split(",") else ():
                form = _Form(row[1], row[2], not text.startswith("~"))
                self._add(text.removeprefix("~").replace("_", " ").rstrip(), form, language)
        self.heads = {text[:_STEM] for text in (*self.exact, *self.stems)}
        parts = sorted((text for text, _ in self.phrases), key=len, reverse=True)
        # Languages without spaces have no tokens; longer words come first, since 不可能 contains 可能.
        border = r"(?!)" if not parts else "|".join(map(re.escape, parts))
        self.phrase = re.compile(border if language in UNSPACED else rf"\b(?:{border})\b")
        self.by_phrase: dict[str, list[_Form]] = {}
        for text, form in self.phrases:
            self.by_phrase.setdefault(text, []).append(form)

    def _add(self, text: str, form: _Form, language: str) -> None:
        if language in UNSPACED or " " in text:
            self.phrases.append((text, form))
        elif text.endswith("*"):
            stem = text.removesuffix("*")
            self.stems.setdefault(stem[:_STEM], []).append((stem, form))
        else:
            self.exact.setdefault(text, []).append(form)

    def forms_in(self, text: str) -> Mapping[str, dict[str, str]]:
        """For each set, the members that a text may have, with the word if it is certain, else ""."""
        found: dict[str, dict[str, str]] = {}

        def add(word: str, form: _Form) -> None:
            members = found.setdefault(form.set, {})
            if form.is_sure or form.member not in members:
                members[form.member] = word if form.is_sure else ""

        small = text.lower()
        if _MAY_BE_CLOCK.search(small):
            small = _CLOCK.sub(r" \1-m ", small)
        if self.by_phrase:
            phrases = self.phrase.findall(small)
            for word in phrases:
                for form in self.by_phrase[word]:
                    add(word, form)
            if phrases and self.heads:
                small = self.phrase.sub(" ", small)  # Three quarters are not a quarter.
        for token in _TOKEN.findall(small) if self.heads else ():
            word = token.strip()
            if word[:_STEM] not in self.heads:
                continue
            for form in self.exact.get(word, ()):
                add(word, form)
            for stem, form in self.stems.get(word[:_STEM], ()):
                if word.startswith(stem):
                    add(word, form)
        return found


@cache
def _words(check: str, language: str) -> _Words:
    return _Words(check, language)


@lru_cache(maxsize=1 << 14)
def _forms_in(text: str, check: str, language: str) -> Mapping[str, dict[str, str]]:
    """The members in a source; empty if none is certain."""
    found = _words(check, language).forms_in(text)
    return found if any(any(members.values()) for members in found.values()) else {}


def swapped_word(
    check: str, source: str, output: str, source_language: str, target_language: str
) -> SwappedWord | None:
    """Find the first word with another member of its set, but no possible translation, in the output.

    >>> swapped_word("numbers", "See you on Monday.", "Bis Dienstag.", "en", "de").message
    "'monday' became 'dienstag'"
    >>> swapped_word("numbers", "See you on Monday.", "Bis Montag oder Dienstag.", "en", "de")
    """
    if len(source) > _LONGEST or len(output) > _LONGEST:
        return None
    there = _forms_in(source, check, source_language)
    if not there:
        return None
    here = _words(check, target_language).forms_in(output)
    for name, members in there.items():
        others = here.get(name, {})
        lost = [(member, word) for member, word in members.items() if word and member not in others]
        added = [(member, word) for member, word in others.items() if word and member not in members]
        if len(lost) == len(added) == 1:
            return SwappedWord(name, lost[0][1], added[0][1], lost[0][0] in "+-")
    return None


def lost_word(text: str, other: str, language: str, other_language: str) -> str:
    """Find the first word of a text that matters (except, probably) and that nothing in the other text says.

    >>> lost_word("Open daily except Mondays.", "Täglich geöffnet, auch montags.", "en", "de")
    'except'
    """
    if len(text) > _LONGEST or not (there := _forms_in(text, "omission", language)):
        return ""
    words = _words("omission", other_language)
    here = words.forms_in(other) if words.heads or words.by_phrase else there
    return next(
        (word for name, own in there.items() for word in own.values() if word and name not in here), ""
    )


# Longer texts nearly always have a word that may mean a negation.
_NON = re.compile(r"\bnon\b")
_NO_LONGER = re.compile(r"\b(?:no longer|no more|never again|nicht mehr|já não|ya no)\b")
_NO_WITHOUT = r"(?! (?:embargo|doubt|delay|further|weiteres|сомнения|doute|dúvida|dubbio))"
_WITHOUT = {
    code: re.compile(rf"\b{word}\b{_NO_WITHOUT}", re.IGNORECASE)
    for code, word in small_words("without").items()
}
_NOTHING = re.compile(r"(?!)")
_WORDS = re.compile(r"[^\W\d_]+")


class _Sides(NamedTuple):
    source: Negations | None
    target: Negations | None

    @classmethod
    def of(cls, context: CheckContext) -> _Sides:
        return cls(*map(negations_of, (code_of(context.source), code_of(context.target))))


def _screen(negations: Negations) -> Callable[[str], bool]:
    """Whether a text has a word that looks like a plain negation; fast."""
    search = re.compile(negations.plain.replace(r"\b\w+n't\b", "n't").replace(r"\b\w+n't", "n't")).search
    return lambda text: search(text.lower().replace("’", "'")) is not None


class NegationCheck(Check):
    """A plain negation in one text, and nothing in the other that could mean it.

    References are better evidence: if they have the same polarity as the output, there is no alarm.
    """

    id: ClassVar[str] = "negation"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "critical"
    about: ClassVar[str] = "a negation is lost or added, or a word became its opposite"

    def applies(self, context: CheckContext) -> bool:
        """Whether the negations of both languages are listed."""
        return None not in context.part(_Sides.of)

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Find lost and added negations, first in each unit and then in its context.

        >>> unit = Unit("1", "Sie kommt heute.", "She is not coming today.")
        >>> [alarm.message for alarm in NegationCheck().find([unit], CheckContext("en", "de"))]
        ["'not' is lost: nothing in the output denies"]
        """
        yield from self.settle(list(self.each(units, context)), units)

    def each(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """The problem in each unit."""
        source, target = context.part(_Sides.of)
        if source is None or target is None:
            return
        look = _Look(source, target, context)
        for index, unit in enumerate(units):
            if problem := look.at(unit):
                yield Alarm(index, problem.message, problem.marks)

    def settle(self, alarms: Sequence[Alarm], units: Sequence[Unit]) -> Iterator[Alarm]:
        """Drop alarms about a split sentence, where the next part has the negation that one part lost."""
        messages = {alarm.index: alarm.message for alarm in alarms}
        for alarm in alarms:
            near = "\n".join(messages.get(alarm.index + step, "") for step in (-1, 0, 1))
            if units[alarm.index].file or not (_ADDED in near and _LOST in near):
                yield alarm


_LESS = re.compile(r"(?:less|weniger|moins|menos|meno|менее|méně|minder|mniej|не так|nicht so) ?$")
_SHORT = 90
_NEVER = re.compile(r"impossib|imposib|imposs[ií]|unmöglich|Ã")
_LATIN = frozenset(("de", "en", "es", "fr", "it", "pt", "nl"))
_ADDED, _LOST = "added: nothing in the source denies", "lost: nothing in the output denies"


class _Problem(NamedTuple):
    message: str
    marks: tuple[Mark, ...]


class _Look:
    """Checks units in two languages whose negations are listed."""

    def __init__(self, source: Negations, target: Negations, context: CheckContext) -> None:
        self._source, self._target = source, target
        self._languages = code_of(context.source), code_of(context.target)
        self._without = _WITHOUT.get(self._languages[0], _NOTHING)
        # Systems have the same sources.
        self._in_source, self._in_output = lru_cache(1 << 14)(_screen(source)), _screen(target)
        self._says_without = lru_cache(1 << 14)(self._without.search)
        self._plain_in_source = lru_cache(1 << 14)(source.plain_in)
        self._polarity = context.part(_confusing)

    def at(self, unit: Unit) -> _Problem | None:
        """The problem in a unit, if any."""
        if not unit.source or not unit.output or len(unit.source) > _LONGEST:
            return None
        denies, is_denied = self._in_source(unit.source), self._in_output(unit.output)
        polarity = self._polarity if denies and is_denied and not unit.references else None
        if polarity is not None and (phrase := polarity.mistaken(unit.source, unit.output)):
            message = f"{phrase[0]!r} means {phrase[1]!r}: the source denies less often"
            return _Problem(message, _marks("output", unit.output, phrase[:1]))
        if denies != is_denied or (not denies and self._says_without(unit.source)):
            return self._plain(unit)
        return self._opposite(unit) or self._prefix(unit, denies)

    def _prefix(self, unit: Unit, denies: bool) -> _Problem | None:
        """Find an English un- or non- whose word is in the output without anything that denies."""
        text = unit.source or ""
        if self._languages[0] != "en" or denies or len(text) >= 160 or unit.references:
            return None
        match = expression("prefixed").search(text)
        if match is None or self._target.may_deny(unit.output) or match[0].lower() in unit.output:
            return None
        if not word_forms("en").knows((match[1] or match[2]).lower()):
            return None
        return _Problem(f"{match[0]!r} is {_LOST}", (Mark("source", *match.span()),))

    def _plain(self, unit: Unit) -> _Problem | None:
        """Find a plain negation that is only on one side."""
        source, target = self._source, self._target
        text, output = unit.source or "", unit.output
        there, here = self._plain_in_source(text), target.plain_in(output)
        if bool(there) == bool(here) and (there or not self._says_without(text)):
            return self._opposite(unit)
        # An unchanged value, such as "none" or `None`, is not a negation.
        kept = set(_WORDS.findall(text.lower())).intersection(_WORDS.findall(output.lower()))
        if any(word in kept for word in there or here):
            return None
        # An untranslated output has no polarity to compare.
        if fold(text) == fold(output) or wrong_script(unit, self._languages[1]):
            return None
        if unit.references:
            denied = [bool(target.plain_in(reference)) for reference in unit.references]
            if all(denied) if here else not any(denied):
                return None
        # "without" is "ohne", so it does not explain another negation.
        own = _WITHOUT.get(self._languages[1], _NOTHING)
        is_matched = here and self._without.search(text) and own.search(output)
        rest = self._without.sub(" ", text) if is_matched else text
        if here and not source.may_deny(rest):
            if unit.references and any(map(target.may_deny, unit.references)):
                return None
            return _Problem(f"{_named(here)} {_ADDED}", _marks("output", output, here))
        if not there and not unit.references and self._without.search(text) and not target.may_deny(output):
            there = self._without.findall(text)
        # "Cannot be undone" has two such words, and "se puede deshacer" one.
        is_short = len(text) < _SHORT and not unit.references and len(there) == 1
        is_short = is_short and self._languages[1] in _LATIN and not _NEVER.search(output.lower())
        is_less = is_short and 0 < target.affixes(output) <= source.affixes(text)
        is_lost = is_less or not (target.may_deny(output) or expression("denied-twice").search(text))
        if there and is_lost:
            return _Problem(f"{_named(there)} {_LOST}", _marks("source", text, there))
        return self._opposite(unit)

    def _opposite(self, unit: Unit) -> _Problem | None:
        """Find a word whose opposite is in the output, if there is no other negation."""
        text = unit.source or ""
        swapped = swapped_word(NegationCheck.id, text, unit.output, *self._languages)
        if swapped is None or any(swapped.other in reference.lower() for reference in unit.references):
            return None
        if _LESS.search(unit.output.lower().partition(swapped.other)[0][-12:]):
            return None  # More slowly is less quickly.
        if swapped.is_polar:
            rest = text.lower().replace(swapped.word, " "), unit.output.lower().replace(swapped.other, " ")
            # "No longer valid" is "invalid": an opposite may replace a negation.
            denied = self._source.count(rest[0]) + bool(_NO_LONGER.search(rest[0]))
            if denied != self._target.count(rest[1]) or _NON.search(rest[1]):
                return None
        return _Problem(swapped.message, swapped.marks(text, unit.output))


def _confusing(context: CheckContext) -> Polarity | None:
    """The comparison for a language whose negation looks like another word; `None` for other languages."""
    pair = Pair(parse_language(context.source or ""), parse_language(context.target or ""))
    polarity = find_polarity(pair)
    return polarity if polarity and polarity.confused and polarity.words else None


def _named(words: Sequence[str]) -> str:
    return f"{', '.join(map(repr, words))} {'is' if len(words) == 1 else 'are'}"


def _marks(side: str, text: str, words: Sequence[str]) -> tuple[Mark, ...]:
    places = (re.search(re.escape(word), text, re.IGNORECASE) for word in words)
    return tuple(Mark("source" if side == "source" else "output", *place.span()) for place in places if place)
