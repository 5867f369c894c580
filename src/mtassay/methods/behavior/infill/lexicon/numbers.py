"""Finds the numbers that stand on both sides of a pair, and other numbers that could stand there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal

from mtassay.methods.behavior.infill.lexicon.entries import Substitute
from mtassay.methods.behavior.infill.lexicon.numerals import Numeral, numerals, written
from mtassay.methods.behavior.infill.lexicon.offers import Offer, fitted, head_of
from mtassay.methods.behavior.nouns import ReadPair

__all__ = ["number_offers"]

_YEARS = range(1500, 2100)
_MOST_DAY = 28  # every month has it
_MANY = 12
_MONTH = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janeiro|fevereiro"
    r"|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|januar|februar|märz|mai|juni"
    r"|juli|oktober|dezember"
)
_BEFORE_DAY = re.compile(rf"\b(?:{_MONTH}|dia) $|月$", re.IGNORECASE)
_AFTER_DAY = re.compile(rf"\.? (?:de |of )?(?:{_MONTH})\b|日", re.IGNORECASE)
_AFTER_PERCENT = re.compile(r" ?(?:%|percent\b|per cent\b|por cento\b|prozent\b)", re.IGNORECASE)
_BEFORE_MONEY = re.compile(r"[$€£¥] ?$")
_AFTER_MONEY = re.compile(
    r"(?: (?:million|billion|milhões|bilhões))?(?: de)? ?(?:dollar|euro|dólar|rea(?:is|l)\b|€)", re.I
)
_NEVER_BEFORE = re.compile(
    r"(?:\b0 (?:to|auf|a) |\b(?:no|nº|n\.º|version|versão|windows|chapter|article|§|plus|minus)\.? ?|[-−])$",
    re.I,
)
_NEVER_AFTER = re.compile(r" ?(?:o'clock|horas? da|[ap]\.?m\b|h\d*\b|uhr\b|º|ª|th\b|[点号余多来几]|-)", re.I)
# An amount in two units, as in `2 acres (0.8 hectares)`, and two things of which each is told of.
_TWO_UNITS = re.compile(r"\d[\d.,]*[^\d()（）.!?]{0,20}[(（][^()（）]*\d[^()（）]*[)）]")
_ONE_BY_ONE = re.compile(r"\bone\b.*\b(?:one|other|another)\b", re.IGNORECASE)


def number_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each number that stands once on either side, in order.

    Numbers keep their kind and their order: a year stays a year, a day of the month stays one, what was more
    than another number in the sentence still is. 1 is left alone, and nothing becomes 1 or 2, so that nouns
    and verbs keep their number and Portuguese number words need no gender.
    """
    sides = numerals(pair.source.text, languages[0]), numerals(pair.reference.text, languages[1])
    offers = []
    for numeral in sides[0]:
        same = [[other for other in side if other.value == numeral.value] for side in sides]
        if len(same[0]) != 1 or len(same[1]) != 1 or numeral.value < 2:
            continue
        offer = _offer(languages, pair, numeral, same[1][0], sides[0])
        if offer is not None:
            offers.append(offer)
    return offers


def _offer(
    languages: tuple[str, str], pair: ReadPair, here: Numeral, there: Numeral, others: Sequence[Numeral]
) -> Offer | None:
    kind = _kind(pair.source.text, here)
    if kind is None or kind != _kind(pair.reference.text, there) or _names(pair, here):
        return None
    if any(_is_told_twice(text, n) for text, n in ((pair.source.text, here), (pair.reference.text, there))):
        return None
    found = []
    for value in _values(here, kind, pair.source.text, [n.value for n in others if n is not here]):
        texts = written(value, here, languages[0]), written(value, there, languages[1])
        if texts[0] and texts[1]:
            before = pair.source.text[here.start : here.end], pair.reference.text[there.start : there.end]
            found.append(Substitute(fitted(texts[0], before[0]), fitted(texts[1], before[1])))
    if not found:
        return None
    head = head_of(pair.source, here.start, here.end)
    return Offer(
        here.start, here.end, there.start, there.end, head, kind, ("NUM", _LABELS[kind]), tuple(found[:_MANY])
    )  # fmt: skip


_LABELS = {"day": "DATE", "year": "DATE", "percentage": "PERCENT", "money": "MONEY", "number": "CARDINAL"}


def _kind(text: str, numeral: Numeral) -> str | None:
    """What sort of number it is; `None` for those that are no quantity."""
    before, after = text[: numeral.start], text[numeral.end :]
    if _BEFORE_DAY.search(before) or _AFTER_DAY.match(after):
        # A year may stand after a month too.
        if numeral.value > 31:
            return "year" if _is_year(numeral) else None
        return "day" if numeral.style == "digits" and not numeral.places else None
    if _AFTER_PERCENT.match(after):
        return "percentage"
    if _NEVER_BEFORE.search(before) or _NEVER_AFTER.match(after):
        return None
    if _BEFORE_MONEY.search(before) or _AFTER_MONEY.match(after):
        return "money"
    return "year" if _is_year(numeral) or after.startswith("年") else "number"


def _is_year(numeral: Numeral) -> bool:
    return numeral.style == "digits" and not numeral.places and numeral.value in _YEARS


def _names(pair: ReadPair, numeral: Numeral) -> bool:
    """Whether the number is part of a name, as in `Windows 7`, `Apollo 13` or `Three Gorges`."""
    if numeral.style == "words":
        starts = [token for token in pair.source.tokens if token.start >= numeral.start]
        return len(starts) > 1 and starts[0].text[:1].isupper() and starts[1].text[:1].isupper()
    before = [token for token in pair.source.tokens if token.end <= numeral.start]
    if not before or not before[-1].text[:1].isupper() or before[-1].pos != "PROPN":
        return False
    return re.fullmatch(_MONTH, before[-1].text, re.IGNORECASE) is None


def _is_told_twice(text: str, numeral: Numeral) -> bool:
    """Whether the text says the same amount in another way, so that a new number would contradict it."""
    if any(m.start() <= numeral.start and numeral.end <= m.end() for m in _TWO_UNITS.finditer(text)):
        return True
    return numeral.value == 2 and _ONE_BY_ONE.search(text, numeral.end) is not None


def _values(numeral: Numeral, kind: str, text: str, others: Sequence[Decimal]) -> list[Decimal]:
    """Other values of the same size and roundness, in an order that depends on the text alone."""
    old = numeral.value
    step = _step(old, numeral.places)
    if kind == "year":
        low, high, step = old - 9, min(old + 9, Decimal(2060)), Decimal(1)
    elif kind == "day":
        low, high = Decimal(2), Decimal(_MOST_DAY)
    elif old < 10 and not numeral.places:
        low, high = Decimal(3), Decimal(9)
    else:
        low, high = max(old * Decimal("0.6"), Decimal(3)), old * Decimal("1.6")
        high = min(high, Decimal(99)) if kind == "percentage" or numeral.style == "words" else high
    count = int((high - low) / step)
    low = (low / step).to_integral_value() * step
    every = max(count // 200, 1)
    values = [low + step * every * i for i in range(count // every + 1)]
    kept = [
        value
        for value in values
        if value != old
        and value not in others
        and all((value < other) == (old < other) for other in others)
        and len(str(int(value))) == len(str(int(old)))
        and _step(value, numeral.places) == _step(old, numeral.places)
    ]
    return sorted(kept, key=lambda value: hashlib.sha256(f"{text}\0{value}".encode()).digest())


def _step(value: Decimal, places: int) -> Decimal:
    """How round it is: 1000 for 31000, 10 for 250, 1 for 65, and 0.1 for 23.5."""
    if places:
        return Decimal(1).scaleb(-places)
    step = Decimal(1)
    while value >= 100 and value % (step * 10) == 0:
        step *= 10
    return step
