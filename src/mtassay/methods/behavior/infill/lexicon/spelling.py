"""Number words: what 27 is called in a language, and the other way round."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["spell", "spelled_numbers"]

_EN = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_EN_TENS = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_PT = [
    "zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze",
    "treze", "catorze", "quinze", "dezesseis", "dezessete", "dezoito", "dezenove",
]  # fmt: skip
_PT_TENS = ["-", "-", "vinte", "trinta", "quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa"]
_DE = [
    "null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
    "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn",
]  # fmt: skip
_DE_TENS = ["-", "-", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
_ZH = "零一二三四五六七八九"
# Other spellings of a number; `duas` is the feminine of `dois`.
_ALSO = {
    "pt": {"quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "duas": 2, "cem": 100},
    "en": {"one hundred": 100, "a hundred": 100},
    "de": {"hundert": 100, "zwo": 2},
    "zh": {"两": 2, "一百": 100},
}


def spell(number: int, language: str) -> str | None:
    """The number in words, 3 to 99; `None` where it would have to agree with its noun, or is out of range.

    >>> spell(27, "en"), spell(27, "pt"), spell(27, "de"), spell(27, "zh"), spell(22, "pt")
    ('twenty-seven', 'vinte e sete', 'siebenundzwanzig', '二十七', None)
    """
    if not 3 <= number <= 99 or (language == "pt" and number > 20 and number % 10 in (1, 2)):
        return None
    tens, ones = divmod(number, 10)
    if language == "en":
        return _EN[number] if number < 20 else _EN_TENS[tens] + (f"-{_EN[ones]}" if ones else "")
    if language == "pt":
        return _PT[number] if number < 20 else _PT_TENS[tens] + (f" e {_PT[ones]}" if ones else "")
    if language == "de":
        return _DE[number] if number < 20 else (f"{_DE[ones]}und" if ones else "") + _DE_TENS[tens]
    return (_ZH[tens] if tens > 1 else "") + ("十" if tens else "") + (_ZH[ones] if ones else "")


def spelled_numbers(text: str, language: str) -> list[tuple[int, int, int]]:
    """The number words in a text that we can read, as (start, end, value), in order; 0 and 1 are no numbers.

    A row of number words that is no number we know is left out whole: `four fifty` is neither 4 nor 50.

    >>> spelled_numbers("Fourteen of ninety-six cost four fifty.", "en")
    [(0, 8, 14), (12, 22, 96)]
    """
    vocabulary, pattern = _vocabulary(language)
    return [
        (match.start(), match.end(), vocabulary[match.group().lower()])
        for match in pattern.finditer(text)
        if match.group().lower() in vocabulary
    ]


@cache
def _vocabulary(language: str) -> tuple[dict[str, int], re.Pattern[str]]:
    vocabulary = {word: number for number in range(3, 100) if (word := spell(number, language))}
    vocabulary |= _ALSO.get(language, {})
    if language == "en":
        vocabulary |= {"two": 2} | {word.replace("-", " "): number for word, number in vocabulary.items()}
        parts = [*_EN[1:], *_EN_TENS[2:], "hundred", "thousand", "million", "billion"]
        joint = r"(?:[- ]|\sand\s)"
    elif language == "pt":
        vocabulary |= {"dois": 2}
        parts = [*_PT[2:], *_PT_TENS[2:], *_ALSO["pt"], r"\w+entos", r"\w+entas", "cento", "mil", "milhões"]
        parts += ["um(?= mil)", "uma?(?<= e um)", "uma(?<= e uma)"]
        joint = r"(?:\se\s|\s)"
    elif language == "de":
        vocabulary |= {"zwei": 2}
        parts, joint = [*vocabulary, r"\w+(?:hundert|tausend)\w*"], r"\s"
    else:
        return vocabulary, re.compile(r"[零一二三四五六七八九十百千万亿两几数半]+")
    either = "|".join(sorted(parts, key=len, reverse=True))
    return vocabulary, re.compile(rf"\b(?:{either})(?:{joint}(?:{either}))*\b", re.IGNORECASE)
