"""Finds whether another text has a number, in digits or words, across languages."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from mtassay.nlp.numerals import key_of, word_table

if TYPE_CHECKING:
    from mtassay.nlp.normalisation import Normaliser


# Spaces group digits only in threes, so "2,000 737s" are two numbers. The search is several times faster if
# the expression begins with exactly one digit.
_CHAIN = re.compile(
    r"\d(?:\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})++(?!\d)(?:[.,٫]\d++)?|\d*+(?:[.,'’٫٬]\d++)*+)"
)
_WHOLE = re.compile(r"\d{1,3}([.,'’٬ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*|\d{1,3}(?:,\d\d)+,\d{3}")
_DECIMAL = re.compile(r"(\d+|\d{1,3}(?:[.,'’٬ \u00a0\u2009\u202f]\d{3})+)[.,٫](\d+)")
_DIGITS = re.compile(r"\d\d*+")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
# With units such as ten thousand, 120 million becomes 1.2亿.
_LARGE_UNIT = re.compile("[万萬亿億兆千百만억]|लाख|करोड़|লাখ|কোটি|lakh|crore", re.IGNORECASE)
_HAN_NUMERAL = re.compile("[一二三四五六七八九两兩廿十百千万萬]")
# A unit without a digit before it counts once: 十七 is 17.
_HAN_DIGITS = str.maketrans("一二三四五六七八九两兩廿", "123456789222")
# Miles and kilometres, pounds and kilograms, feet and metres, inches and centimetres.
_FACTORS = (1.6093, 2.2046, 3.2808, 2.54)
_LONG = 8


class Number(NamedTuple):
    """A number of a text.

    `shown` is its spelling in the text. `digits` has its digits without grouping, leading zeros and final
    zeros of decimals. `runs` has its unbroken runs of digits, and `decimals` is the number of decimals.
    """

    shown: str
    digits: str
    runs: tuple[str, ...]
    decimals: int = 0

    @property
    def value(self) -> float:
        """The value; infinite beyond 300 digits."""
        return float(f"{self.digits}e-{self.decimals}") if len(self.digits) < 300 else float("inf")


def read_numbers(text: str) -> list[Number]:
    """Read the numbers of a text, in order; a time gives two numbers, and the month of a date is left out.

    >>> [number.digits for number in read_numbers("1.000,50 € am 22.03.2020 um 15:30, ３％, ٢٠, 1 000")]
    ['10005', '22', '2020', '15', '30', '3', '20', '1000']
    """
    numbers = []
    for chain in _CHAIN.findall(western(text)):
        if chain.isdigit():
            numbers.append(_plain(chain))
        elif _WHOLE.fullmatch(chain):
            numbers.append(_grouped(chain, whole=chain, decimals=""))
        elif decimal := _DECIMAL.fullmatch(chain):
            # 1.50 and 1.5 are one number.
            numbers.append(_grouped(chain, whole=decimal[1], decimals=decimal[2].rstrip("0")))
        else:
            # Usually a date, whose month is often spelled out.
            numbers += [_plain(run) for run in _DIGITS.findall(chain) if len(run) > 2 or int(run) > 12]
    return numbers


def _plain(run: str) -> Number:
    digits = run.lstrip("0") or "0"
    return Number(run, digits, (digits,))


def _grouped(chain: str, *, whole: str, decimals: str) -> Number:
    digits = "".join(_DIGITS.findall(whole)) + decimals
    runs = tuple(run.lstrip("0") or "0" for run in _DIGITS.findall(chain))
    return Number(chain, digits.lstrip("0") or "0", runs, len(decimals))


class NumbersOf:
    """The `numbers` of one text in order, prepared for look-up.

    Number words and units such as million are read in `language` (a code), or without it in any language.
    """

    def __init__(self, text: str, *, language: str | None = None) -> None:
        numbers = read_numbers(text)
        self._text = text
        self._language = language
        self.numbers = numbers
        self._runs = {run for number in numbers for run in number.runs}
        self._digits = {number.digits for number in numbers}

    def has(self, number: Number, *, source: NumbersOf | None = None, words: bool = True) -> bool:
        """Whether the text has this number, also in other groups or as time, date, year, multiple or word.

        `source` is the text of the number, which may use units such as 万 or lakh. If `words` is false, only
        digits count. If both languages are known, 2.5 million is not 25 million.

        >>> text = NumbersOf("the 1990s, 3:30 pm, 2,500,000 on 22 March")
        >>> [text.has(number) for number in read_numbers("90, 15:30, 2.5, 22.3, 250")]
        [True, True, True, True, True, False]
        """
        digits, runs = number.digits, number.runs
        if source is not None and self._contradicts(number, source):
            return False
        return (
            digits in self._digits
            or self._runs.issuperset(runs)
            or self._has_hour(runs)
            or self._has_day(runs)
            or (len(digits) == 2 and digits in self._decades)
            or (len(digits) == 4 and digits[2:] in self._digits)
            or self._has_multiple(number, source)
            or digits in self._long_runs
            or (len(digits) >= _LONG and digits in self._joined)
            or (words and self._has_words(number, source))
        )

    def _contradicts(self, number: Number, source: NumbersOf) -> bool:
        """Whether the same digits have another value here, because of the units that follow."""
        if self._language is None or source._language is None or number.digits not in self._digits:
            return False
        amounts = source._amounts.get(number.digits)
        if not amounts:  # true in most cases, and faster to check in one text than in two
            return False
        others = self._amounts.get(number.digits, set())
        plain = _canonical(number)
        return bool(others) and plain not in amounts | others and amounts.isdisjoint(others)

    def _has_hour(self, runs: tuple[str, ...]) -> bool:
        hour = int(runs[0]) if len(runs[0]) < 3 else 25
        if hour > 24 or self._runs.isdisjoint((str(hour + 12), str(hour - 12))):
            return False
        return self._runs.issuperset(runs[1:])

    def _has_day(self, runs: tuple[str, ...]) -> bool:
        """22.3. becomes 22 March."""
        if len(runs) != 2 or runs[0] not in self._runs or max(map(len, runs)) > 2:
            return False
        return 0 < int(runs[0]) <= 31 and 0 < int(runs[1]) <= 12

    def _has_multiple(self, number: Number, source: NumbersOf | None) -> bool:
        """Whether a number is equal up to factors of 1000 (2.5 million, 2,500,000), or 10 for large units."""
        significant = number.digits.rstrip("0")
        sizes = self._sizes.get(significant, ())
        size = len(number.digits) - number.decimals
        if any(other != size and (other - size) % 3 == 0 for other in sizes):
            return True
        if not sizes and (len(significant) < 2 or significant not in self._joined):
            return False
        return self._has_large_unit or (source is not None and source._has_large_unit)

    def _has_words(self, number: Number, source: NumbersOf | None) -> bool:
        amounts = source._amounts.get(number.digits, set()) if source is not None else set()
        if not self._words.isdisjoint({_canonical(number), *amounts}):
            return True
        return number.digits != "0" and number.digits.replace("0", "") in self._han_digits

    @cached_property
    def _words(self) -> set[str]:
        """The values of all numbers in the text, cardinal or ordinal."""
        return {
            value.removesuffix(".")
            for normaliser in _normalisers(self._language)
            for value in normaliser.number_values(self._text)
        }

    @cached_property
    def _amounts(self) -> dict[str, set[str]]:
        """The values of numbers in digits with the units that follow, by their digits."""
        from mtassay.nlp.numerals import has_unit

        amounts: dict[str, set[str]] = {}
        if self._language is not None and has_unit(self._text, self._language):
            [normaliser] = _normalisers(self._language)
            for token in normaliser.number_tokens(self._text):
                for number in read_numbers(self._text[token.start : token.end]):
                    amounts.setdefault(number.digits, set()).add(token.text)
        return amounts

    @cached_property
    def _has_large_unit(self) -> bool:
        return _LARGE_UNIT.search(self._text) is not None

    @cached_property
    def _decades(self) -> set[str]:
        return {run[2:] for run in self._runs if len(run) == 4}

    @cached_property
    def _sizes(self) -> dict[str, set[int]]:
        """The numbers of digits before the decimal point, by significant digits."""
        sizes: dict[str, set[int]] = {}
        for number in self.numbers:
            sizes.setdefault(number.digits.rstrip("0"), set()).add(len(number.digits) - number.decimals)
        return sizes

    @cached_property
    def _long_runs(self) -> str:
        """Telephone and account numbers, which may be grouped differently in another text."""
        return " ".join(run for run in self._runs if len(run) >= _LONG)

    @cached_property
    def _joined(self) -> str:
        """All digits in a row, without groups."""
        return "".join(_DIGITS.findall(western(self._text)))

    @cached_property
    def _han_digits(self) -> str:
        """The digits of all numerals in Chinese characters, without zeros: 三千零五 gives 35."""
        numerals = "".join(_HAN_NUMERAL.findall(self._text))
        ones = re.sub("(?<![一二三四五六七八九两兩廿十百千])[十百千万萬]", "1", numerals)
        return re.sub("[十百千万萬]", "", ones).translate(_HAN_DIGITS)


def _canonical(number: Number) -> str:
    """Convert a number that was read by its digits to the form of `canonical_number`."""
    whole = number.digits[: len(number.digits) - number.decimals] or "0"
    fraction = number.digits[len(number.digits) - number.decimals :] if number.decimals else ""
    return f"{whole}.{fraction.zfill(number.decimals)}" if fraction else whole


@cache
def _normalisers(language: str | None) -> list[Normaliser]:
    """The given language, or all languages with known number words."""
    from mtassay.nlp.normalisation import Normaliser  # large, and rarely needed
    from mtassay.nlp.numerals import WORDS

    languages = [*sorted(WORDS), "zh"] if language is None else [language]
    return [Normaliser(dates=False, language=code) for code in languages]


def is_converted(number: Number, other: Number) -> bool:
    """Whether one number may be the other in other units, rounded.

    >>> [is_converted(*read_numbers(text)) for text in ("320 km, 200 miles", "68 °F, 20 °C", "320, 310")]
    [True, True, False]
    """
    one, two = number.value, other.value
    small, large = sorted((one, two))
    if small > 0 and any(abs(large / small / factor - 1) < 0.04 for factor in _FACTORS):
        return True
    pairs = ((one, two), (two, one))
    # 350 °F are 180 °C in every recipe.
    return any(abs(c * 1.8 + 32 - f) < (6.5 if c >= 100 and c % 10 == 0 else 1.5) for c, f in pairs)


def western(text: str) -> str:
    """Replace all decimal digits by 0 to 9."""
    if text.isascii() or not (others := _OTHER_DIGIT.findall(text)):
        return text
    return text.translate({ord(char): str(unicodedata.decimal(char)) for char in set(others)})


# "may" and "march" are verbs.
_CAPITALISED = frozenset({"en", "de"})
_YEAR_FIRST = frozenset({"zh", "ja", "ko", "hu", "lt", "yue", "wuu"})
_DAY_FIRST_ENGLISH = frozenset({"en-gb", "en-ie", "en-au", "en-nz", "en-in", "en-za"})
_MONTH_FIRST = frozenset({"en-us"})
_OF = frozenset({"of", "de", "del", "di", "."})
_DAY_ENDS = frozenset("日号號일")
_IN_DIGITS = frozenset({"-", "/", "."})


class WrittenDate(NamedTuple):
    """A date in a row of tokens: start, end, and normal form (`2024-05-03`, `--05-03`, `2024-05`)."""

    start: int
    stop: int
    value: str


@cache
def _months(language: str) -> dict[str, int]:
    names = word_table("months").get(language, "").split()
    return {key_of(name): number for number, words in enumerate(names, start=1) for name in words.split("/")}


def month_of(word: str, language: str) -> int:
    """The number of the month that a word names; 0 for all other words.

    >>> month_of("May", "en"), month_of("may", "en"), month_of("mai", "fr")
    (5, 0, 5)
    """
    if language in _CAPITALISED and not word[:1].isupper():
        return 0
    return _months(language).get(key_of(word.rstrip(".")), 0)


def find_dates(tokens: Sequence[str], months: Sequence[int], language: str) -> Iterator[WrittenDate]:
    """Find dates in a row of normalised tokens; `months` has the number of the month that a token names.

    Ambiguous dates, such as 3/5/2024 in English without a region, are left out.

    >>> list(find_dates(["on", "may", "3", ",", "2024"], [0, 5, 0, 0, 0], "en"))
    [WrittenDate(start=1, stop=5, value='2024-05-03')]
    """
    done = 0
    for at, (token, month) in enumerate(zip(tokens, months, strict=True)):
        if (month or token[0].isdecimal()) and at >= done:
            date = _date_at(tokens, months, at, language.lower())
            if date is not None:
                yield date
                done = date.stop


def _date_at(tokens: Sequence[str], months: Sequence[int], at: int, language: str) -> WrittenDate | None:
    row = _Row(tokens, months, at)
    return (
        (_named_after_day(row) or _in_characters(row) or _in_digits(row, language))
        if not months[at]
        else _named_before_day(row, language)
    )


class _Row:
    """Tokens from a place on, padded with empty tokens beyond the end."""

    def __init__(self, tokens: Sequence[str], months: Sequence[int], start: int) -> None:
        self._tokens, self._months, self.start = tokens, months, start

    def text(self, offset: int) -> str:
        place = self.start + offset
        return self._tokens[place] if place < len(self._tokens) else ""

    def month(self, offset: int) -> int:
        place = self.start + offset
        return self._months[place] if place < len(self._months) else 0

    def number(self, offset: int, digits: int) -> int:
        """The whole number or ordinal at this place with at most this number of digits; 0 otherwise."""
        text = self.text(offset).removesuffix(".")
        return int(text) if text.isdecimal() and len(text) <= digits else 0

    def year(self, offset: int) -> int:
        value = self.number(offset, 4)
        return value if 1000 <= value < 3000 else 0

    def date(self, length: int, *, year: int, month: int, day: int) -> WrittenDate | None:
        if not 1 <= month <= 12 or not 0 <= day <= monthrange(year or 2000, month)[1]:
            return None
        parts = [f"{year:04d}" if year else "-", f"{month:02d}", *([f"{day:02d}"] if day else [])]
        return WrittenDate(self.start, self.start + length, "-".join(parts))


def _named_after_day(row: _Row) -> WrittenDate | None:
    """Dates such as 3 May 2024, 3. Mai, 3 de mayo de 2024, 3rd of May, 2024."""
    day, place = row.number(0, 2), 1
    if row.text(place) in _OF:
        place += 1
    month = row.month(place)
    if not day or not month:
        return None
    gap = 2 if row.text(place + 1) in _OF | {","} else 1
    year = row.year(place + gap)
    return row.date(place + gap + 1 if year else place + 1, year=year, month=month, day=day)


def _named_before_day(row: _Row, language: str) -> WrittenDate | None:
    """Dates such as May 3, 2024, May 3rd, and May 2024."""
    month, day = row.month(0), row.number(1, 2)
    is_english = language.split("-")[0] in ("en", "")
    if day and is_english:
        gap = 3 if row.text(2) == "," else 2
        year = row.year(gap)
        return row.date(gap + 1 if year else 2, year=year, month=month, day=day)
    gap = 2 if row.text(1) in _OF | {","} else 1
    year = row.year(gap)
    return row.date(gap + 1, year=year, month=month, day=0) if year else None


def _in_characters(row: _Row) -> WrittenDate | None:
    """Dates such as 2024年5月3日 and 5月3日."""
    year = row.year(0) if row.text(1) in ("年", "년") else 0
    place = 2 if year else 0
    month, day = row.number(place, 2), row.number(place + 2, 2)
    if row.text(place + 1) not in ("月", "월") or not day or row.text(place + 3) not in _DAY_ENDS:
        return None
    return row.date(place + 4, year=year, month=month, day=day)


def _in_digits(row: _Row, language: str) -> WrittenDate | None:
    """Dates such as 2024-05-03, 03.05.2024 (one token or five), 3/5/2024 if the order is clear."""
    parts = row.text(0).split(".")
    if len(parts) == 3 and all(part.isdecimal() for part in parts):
        return _ordered([int(part) for part in parts], [len(part) for part in parts], row, 1, language)
    if row.text(1) not in _IN_DIGITS or row.text(3) != row.text(1):
        return None
    numbers = [row.text(offset) for offset in (0, 2, 4)]
    if not all(number.isdecimal() for number in numbers):
        return None
    return _ordered([int(number) for number in numbers], [len(n) for n in numbers], row, 5, language)


def _ordered(
    numbers: list[int], lengths: list[int], row: _Row, length: int, language: str
) -> WrittenDate | None:
    first, second, third = numbers
    if lengths[0] == 4 and max(lengths[1:]) <= 2:
        return row.date(length, year=first, month=second, day=third) if third else None
    if lengths[2] != 4 or max(lengths[:2]) > 2 or not first or not second:
        return None
    primary = language.split("-")[0]
    if language in _MONTH_FIRST or (primary in ("en", "") and second > 12 >= first):
        return row.date(length, year=third, month=first, day=second)
    is_day_first = primary not in {"en", "", *_YEAR_FIRST} or language in _DAY_FIRST_ENGLISH
    if is_day_first or first > 12 >= second or first == second:
        return row.date(length, year=third, month=second, day=first)
    return None
