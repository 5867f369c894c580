"""Whether an output denies what its source affirms, or the reverse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from mtassay.data.languages import Pair, parse_language
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit
from mtassay.measures.output_language import fold, wrong_script
from mtassay.measures.polarity import Negations, Polarity, find_polarity, negations_of

# Longer texts nearly always have a word that might stand for a negation.
_LONGEST = 600
_WORDS = re.compile(r"[^\W\d_]+")


class _Sides(NamedTuple):
    source: Negations | None
    target: Negations | None

    @classmethod
    def of(cls, context: CheckContext) -> _Sides:
        codes = [parse_language(tag).code if tag else "" for tag in (context.source, context.target)]
        return cls(*map(negations_of, codes))


def _screen(negations: Negations) -> Callable[[str], object]:
    """Whether a text has a word that looks like a plain negation; cheaper than to find it."""
    return re.compile(negations.plain.replace(r"\b\w+n't\b", "n't").replace(r"\b\w+n't", "n't")).search


class NegationCheck(Check):
    """A plain negation on one side, and nothing on the other that could stand for it.

    References are the better witnesses: where they deny as the output does, there is no alarm.
    """

    id: ClassVar[str] = "negation"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "critical"
    about: ClassVar[str] = "a negation is lost or added"

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
        language = parse_language(context.target or "").code
        in_source, in_output = _screen(source), _screen(target)
        polarity = context.part(_confusing)
        for index, unit in enumerate(units):
            if not unit.source or not unit.output or len(unit.source) > _LONGEST:
                continue
            denies, is_denied = in_source(_small(unit.source)), in_output(_small(unit.output))
            can_be_mistaken = polarity is not None and denies and is_denied and not unit.references
            if can_be_mistaken and (phrase := polarity.mistaken(unit.source, unit.output)):  # type: ignore[union-attr]
                message = f"{phrase[0]!r} stands for {phrase[1]!r}: the source denies less often"
                yield Alarm(index, message, _marks("output", unit.output, phrase[:1]))
            if bool(denies) == bool(is_denied):
                continue
            there, here = source.plain_in(unit.source), target.plain_in(unit.output)
            if bool(there) == bool(here):
                continue
            # A value that stays as it is, such as "none", denies nothing.
            kept = set(_WORDS.findall(unit.source)).intersection(_WORDS.findall(unit.output))
            if any(word in kept for word in there or here):
                continue
            # What is not translated at all denies nothing and affirms nothing.
            if fold(unit.source) == fold(unit.output) or wrong_script(unit, language):
                continue
            if unit.references:
                denied = [bool(target.plain_in(text)) for text in unit.references]
                if all(denied) if here else not any(denied):
                    continue
            if here and not source.may_deny(unit.source):
                if unit.references and any(map(target.may_deny, unit.references)):
                    continue
                message = f"{_named(here)} added: nothing in the source denies"
                yield Alarm(index, message, _marks("output", unit.output, here))
            elif there and not target.may_deny(unit.output):
                message = f"{_named(there)} lost: nothing in the output denies"
                yield Alarm(index, message, _marks("source", unit.source, there))


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
