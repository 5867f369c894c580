"""Whole numbers from 2 to 99 in words, for the languages that suites of ours know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["numbers_in", "other_ways"]

_ENGLISH = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_PORTUGUESE = (
    "dois/duas três quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze "
    "dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte trinta quarenta cinquenta "
    "sessenta setenta oitenta noventa"
)
_SPANISH = (
    "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa"
)
_GERMAN = (
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
)
_ONE = {"en": "one", "pt": "um/uma", "es": "uno/una/un", "de": "ein"}
_JOINED = {"en": "{tens}-{ones}", "pt": "{tens} e {ones}", "es": "{tens} y {ones}", "de": "{ones}und{tens}"}
_PLAIN = {"en": _ENGLISH, "pt": _PORTUGUESE, "es": _SPANISH, "de": _GERMAN}
# Beside these a number is part of a larger one, of a clock time or of a name.
_BEHIND = re.compile(
    r"\s*(hundred|thousand|million|billion|mil|cento|milh\w+|bilh\w+|tausend|hundert|million\w*|e|and|y|"
    r"und|point|vírgula|past|to|para|of|a\.m|p\.m|h|[ad]\. ?C|BC|AD|BCE|de \w+ d[eo]|[A-Z][a-z]+ \d{4})\b|"
    r"\s*[-:.,/%°ªº]?\d|[-:/%°ªº]",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(\d[.,:/-]?|\b(e|and|y|und|point|vírgula|hundred|mil|cento|thousand|past|to|para as|às|at|half|"
    r"nós|vocês|eles|elas|os|as|dos|das|aos|all|you|we|us|them)) ?$|[$€£:/.,-]\s?$|[^.!?] [A-Z]\w+ $",
)


@cache
def _words(language: str) -> dict[int, tuple[str, ...]]:
    """Every way to write each number in words; nothing for a language that is not known."""
    if language not in _PLAIN:
        return {}
    plain = [tuple(word.split("/")) for word in _PLAIN[language].split()]
    words = dict(zip((*range(2, 21), *range(30, 100, 10)), plain, strict=True))
    ones = {1: tuple(_ONE[language].split("/")), **words}
    for tens in range(20, 100, 10):
        for digit in range(1, 10):
            words[tens + digit] = tuple(
                _JOINED[language].format(tens=words[tens][0], ones=one) for one in ones[digit]
            )
    return words


@cache
def _expression(language: str) -> re.Pattern[str]:
    words = sorted((way for ways in _words(language).values() for way in ways), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join([*map(re.escape, words), '[0-9]{1,2}'])})\b", re.IGNORECASE)


@cache
def _values(language: str) -> dict[str, int]:
    return {way: value for value, ways in _words(language).items() for way in ways}


def numbers_in(text: str, language: str) -> set[int]:
    """The numbers from 2 to 99 of a text, in digits or in words.

    >>> sorted(numbers_in("Twenty-one men and 3 dogs", "en"))
    [3, 21]
    """
    return {value for value, _ in _found(text, language)}


def other_ways(text: str, language: str) -> Iterator[tuple[int, str, list[str]]]:
    """Each number that stands alone: its value, how it is written, the text with it written in other ways.

    >>> list(other_ways("Ela tem dois gatos.", "pt"))
    [(2, 'dois', ['Ela tem 2 gatos.'])]
    >>> list(other_ways('O <g id="2">gato</g>.', "pt"))
    []
    """
    for value, match in _found(text, language):
        before, behind = text[: match.start()], text[match.end() :]
        if _BEHIND.match(behind) or _BEFORE.search(before) or not before.strip():
            continue
        ways = _words(language)[value] if match[0].isdigit() else (str(value),)
        yield value, match[0], [f"{before}{way}{behind}" for way in ways]


def _found(text: str, language: str) -> Iterator[tuple[int, re.Match[str]]]:
    if language not in _PLAIN:
        return
    for match in _expression(language).finditer(text):
        if text.rfind("<", 0, match.start()) > text.rfind(">", 0, match.start()):
            continue  # a number in a tag is a name
        value = int(match[0]) if match[0].isdigit() else _values(language)[match[0].lower()]
        if 2 <= value <= 99:
            yield value, match
