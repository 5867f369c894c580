"""Whether an output denies what its source affirms, or the reverse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from mtassay.data.languages import Pair, parse_language
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit
from mtassay.measures.output_language import fold, wrong_script
from mtassay.measures.polarity import Negations, Polarity, find_polarity, negations_of
from mtassay.measures.unit_check import code_of
from mtassay.measures.word_sets import swapped_word

# Longer texts nearly always have a word that might mean a negation.
_LONGEST = 600
_NON = re.compile(r"\b(?:non|in)\b")
_WITHOUT = re.compile(r"\b(?:without|ohne|sin|sans|sem|senza)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")


class _Sides(NamedTuple):
    source: Negations | None
    target: Negations | None

    @classmethod
    def of(cls, context: CheckContext) -> _Sides:
        return cls(*map(negations_of, (code_of(context.source), code_of(context.target))))


def _screen(negations: Negations) -> Callable[[str], object]:
    """Whether a text has a word that looks like a plain negation; cheaper than to find it."""
    return re.compile(negations.plain.replace(r"\b\w+n't\b", "n't").replace(r"\b\w+n't", "n't")).search


class NegationCheck(Check):
    """A plain negation on one side, and nothing on the other that could mean it.

    References are the better witnesses: where they deny as the output does, there is no alarm.
    """

    id: ClassVar[str] = "negation"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "critical"
    about: ClassVar[str] = "a negation is lost or added, or a word became its opposite"

    def applies(self, context: CheckContext) -> bool:
        """Where the negations of both languages are listed."""
        return None not in context.part(_Sides.of)

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Lost and added negations.

        >>> unit = Unit("1", "Sie kommt heute.", "She is not coming today.")
        >>> [alarm.message for alarm in NegationCheck().find([unit], CheckContext("en", "de"))]
        ["'not' is lost: nothing in the output denies"]
        """
        source, target = context.part(_Sides.of)
        if source is None or target is None:
            return
        look = _Look(source, target, context)
        found = {index: problem for index, unit in enumerate(units) if (problem := look.at(unit))}
        for index, problem in found.items():
            # A sentence may be cut in two: what one part lost, the next one has.
            beside = [found[i] for i in (index - 1, index + 1) if i in found]
            is_moved = {problem.kind, *(other.kind for other in beside)} >= {"added", "lost"}
            if not is_moved or units[index].file:
                yield Alarm(index, problem.message, problem.marks)


class _Problem(NamedTuple):
    kind: str
    message: str
    marks: tuple[Mark, ...]


class _Look:
    """Looks at one unit after the other, in two languages whose negations are listed."""

    def __init__(self, source: Negations, target: Negations, context: CheckContext) -> None:
        self._source, self._target = source, target
        self._languages = code_of(context.source), code_of(context.target)
        self._in_source, self._in_output = _screen(source), _screen(target)
        self._polarity = context.part(_confusing)

    def at(self, unit: Unit) -> _Problem | None:
        """What is wrong with a unit, if anything."""
        if not unit.source or not unit.output or len(unit.source) > _LONGEST:
            return None
        denies, is_denied = self._in_source(_small(unit.source)), self._in_output(_small(unit.output))
        polarity = self._polarity if denies and is_denied and not unit.references else None
        if polarity is not None and (phrase := polarity.mistaken(unit.source, unit.output)):
            message = f"{phrase[0]!r} means {phrase[1]!r}: the source denies less often"
            return _Problem("mistaken", message, _marks("output", unit.output, phrase[:1]))
        if bool(denies) != bool(is_denied):
            return self._plain(unit)
        return self._opposite(unit)

    def _plain(self, unit: Unit) -> _Problem | None:
        """A plain negation on one side alone."""
        source, target = self._source, self._target
        text, output = unit.source or "", unit.output
        there, here = source.plain_in(text), target.plain_in(output)
        if bool(there) == bool(here):
            return self._opposite(unit)
        # A value that stays as it is, such as "none", denies nothing.
        kept = set(_WORDS.findall(text)).intersection(_WORDS.findall(output))
        if any(word in kept for word in there or here):
            return None
        # What is not translated at all denies nothing and affirms nothing.
        if fold(text) == fold(output) or wrong_script(unit, self._languages[1]):
            return None
        if unit.references:
            denied = [bool(target.plain_in(reference)) for reference in unit.references]
            if all(denied) if here else not any(denied):
                return None
        # "without" is "ohne", and then nothing explains a negation beside it.
        is_matched = here and _WITHOUT.search(text) and _WITHOUT.search(output)
        rest = _WITHOUT.sub(" ", text) if is_matched else text
        if here and not source.may_deny(rest):
            if unit.references and any(map(target.may_deny, unit.references)):
                return None
            message = f"{_named(here)} added: nothing in the source denies"
            return _Problem("added", message, _marks("output", output, here))
        if there and not target.may_deny(output):
            message = f"{_named(there)} lost: nothing in the output denies"
            return _Problem("lost", message, _marks("source", text, there))
        return None

    def _opposite(self, unit: Unit) -> _Problem | None:
        """A word whose opposite is in the output, where nothing else denies."""
        text = unit.source or ""
        swapped = swapped_word(NegationCheck.id, text, unit.output, *self._languages)
        if swapped is None or any(swapped.other in reference.lower() for reference in unit.references):
            return None
        if swapped.is_polar:
            rest = text.lower().replace(swapped.word, " "), unit.output.lower().replace(swapped.other, " ")
            if self._source.plain_in(rest[0]) or self._target.plain_in(rest[1]) or _NON.search(rest[1]):
                return None
        return _Problem("opposite", swapped.message, swapped.marks(text, unit.output))


def _confusing(context: CheckContext) -> Polarity | None:
    """For a language whose word for no looks like another word; `None` for the others."""
    pair = Pair(parse_language(context.source or ""), parse_language(context.target or ""))
    polarity = find_polarity(pair)
    return polarity if polarity and polarity.confused and polarity.words else None


def _named(words: Sequence[str]) -> str:
    return f"{', '.join(map(repr, words))} {'is' if len(words) == 1 else 'are'}"


def _small(text: str) -> str:
    return text.lower().replace("’", "'")


def _marks(side: str, text: str, words: Sequence[str]) -> tuple[Mark, ...]:
    places = (re.search(re.escape(word), text, re.IGNORECASE) for word in words)
    return tuple(Mark("source" if side == "source" else "output", *place.span()) for place in places if place)
