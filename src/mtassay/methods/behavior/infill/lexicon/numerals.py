"""Reads and writes numbers in a text: digits as a language groups them, and number words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from mtassay.methods.behavior.infill.lexicon.spelling import spell, spelled_numbers

__all__ = ["Numeral", "numerals", "written"]

# Chinese needs no space around a number; elsewhere a letter next to it makes it part of a code.
_LETTER = r"[^\W\u4e00-\u9fff]"
_DIGITS = re.compile(
    rf"(?<![.,/:%#@+=&{{<~^-])(?<!{_LETTER})(?<!{_LETTER}[–−])\d[\d.,]*(?<![.,])"
    rf"(?!{_LETTER}|[/:@=}}~^百千万亿]|[-–−]\w|[.,]\d)"
)
_POINT = {"en": ".", "zh": ".", "pt": ",", "de": ","}
_COMMA = {"en": ",", "zh": ",", "pt": ".", "de": "."}
_THOUSAND = {"pt": re.compile(r" mil\b(?! e\b)")}


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text, at these characters.

    `style` is how it is written: `digits` (as 1938), `grouped` (as 31,000), `words`, or `mil`, thousands in
    Portuguese (31 mil). `places` counts the digits after the decimal point.
    """

    start: int
    end: int
    value: Decimal
    style: str
    places: int = 0


def numerals(text: str, language: str) -> list[Numeral]:
    """The numbers in a text, in order; parts of codes, scores, dates with strokes and addresses are none.

    >>> [(n.value, n.style) for n in numerals("31 mil de 1.234,5 em 1938, por 3-1", "pt")]
    [(Decimal('31000'), 'mil'), (Decimal('1234.5'), 'grouped'), (Decimal('1938'), 'digits')]
    """
    found = [Numeral(s, e, Decimal(value), "words") for s, e, value in spelled_numbers(text, language)]
    for match in _DIGITS.finditer(text):
        numeral = _digits(match, text, language)
        if numeral is not None:
            found.append(numeral)
    return sorted(found, key=lambda numeral: numeral.start)


def written(value: Decimal, like: Numeral, language: str) -> str | None:
    """The value as this language writes it, in the style of another; `None` where that cannot be.

    >>> written(Decimal("23.5"), Numeral(0, 4, Decimal("21.5"), "digits", 1), "pt")
    '23,5'
    >>> written(Decimal(1450), Numeral(0, 5, Decimal(1850), "grouped"), "pt")
    '1.450'
    """
    if like.style == "words":
        return spell(int(value), language)
    if like.style == "mil":
        return f"{value / 1000:f}" + " mil" if value % 1000 == 0 and value >= 2000 else None
    text = f"{value:,.{like.places}f}" if like.style == "grouped" else f"{value:.{like.places}f}"
    if like.style == "grouped" and value < 1000:
        return None
    swap = str.maketrans({",": _COMMA[language], ".": _POINT[language]})
    return text.translate(swap)


def _digits(match: re.Match[str], text: str, language: str) -> Numeral | None:
    point, comma = re.escape(_POINT[language]), re.escape(_COMMA[language])
    shape = re.fullmatch(rf"(\d{{1,3}}(?:{comma}\d{{3}})+|\d+)(?:{point}(\d+))?", match.group())
    if shape is None or match.group().startswith("0"):
        return None
    whole, fraction = shape[1].replace(_COMMA[language], ""), shape[2] or ""
    value = Decimal(f"{whole}.{fraction}" if fraction else whole)
    thousand = _THOUSAND[language].match(text, match.end()) if language in _THOUSAND else None
    if thousand:
        return Numeral(match.start(), thousand.end(), value * 1000, "mil") if not fraction else None
    style = "digits" if shape[1] == whole else "grouped"
    return Numeral(match.start(), match.end(), value, style, len(fraction))
