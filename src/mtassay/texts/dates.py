"""Dates in names of months and in digits, each day in one spelling."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mtassay.texts.numerals import key_of

__all__ = ["WrittenDate", "find_dates", "month_of"]

_MONTHS = {
    "en": "January/Jan February/Feb March/Mar April/Apr May June/Jun July/Jul August/Aug September/Sep/Sept"
    " October/Oct November/Nov December/Dec",
    "de": "Januar/Jänner/Jan Februar/Feber/Feb März/Mär April/Apr Mai Juni/Jun Juli/Jul August/Aug"
    " September/Sep/Sept Oktober/Okt November/Nov Dezember/Dez",
    "fr": "janvier/janv février/févr mars avril/avr mai juin juillet/juil août septembre/sept octobre/oct"
    " novembre/nov décembre/déc",
    "es": "enero/ene febrero/feb marzo/mar abril/abr mayo junio/jun julio/jul agosto/ago"
    " septiembre/setiembre/sept octubre/oct noviembre/nov diciembre/dic",
    "pt": "janeiro/jan fevereiro/fev março/mar abril/abr maio/mai junho/jun julho/jul agosto/ago setembro/set"
    " outubro/out novembro/nov dezembro/dez",
    "it": "gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago"
    " settembre/set/sett ottobre/ott novembre/nov dicembre/dic",
    "nl": "januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sep/sept"
    " oktober/okt november/nov december/dec",
    "ru": "января/янв февраля/фев марта/мар апреля/апр мая июня/июн июля/июл августа/авг сентября/сен/сент"
    " октября/окт ноября/ноя/нояб декабря/дек",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada"
    " grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sv": "januari/jan februari/feb mars april/apr maj juni juli augusti/aug september/sept oktober/okt"
    " november/nov december/dec",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "hi": "जनवरी फरवरी/फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर/सितम्बर अक्टूबर/अक्तूबर नवंबर/नवम्बर दिसंबर/दिसम्बर",
}
# "may" and "march" are verbs.
_CAPITALISED = frozenset({"en", "de"})
_YEAR_FIRST = frozenset({"zh", "ja", "ko", "hu", "lt", "yue", "wuu"})
_DAY_FIRST_ENGLISH = frozenset({"en-gb", "en-ie", "en-au", "en-nz", "en-in", "en-za"})
_MONTH_FIRST = frozenset({"en-us"})
_OF = frozenset({"of", "de", "del", "di", "."})
_DAY_ENDS = frozenset("日号號일")
_IN_DIGITS = frozenset({"-", "/", "."})


class WrittenDate(NamedTuple):
    """A date in a row of tokens: from, up to, and its one spelling (`2024-05-03`, `--05-03`, `2024-05`)."""

    start: int
    stop: int
    value: str


@cache
def _months(language: str) -> dict[str, int]:
    names = _MONTHS.get(language, "").split()
    return {key_of(name): number for number, words in enumerate(names, start=1) for name in words.split("/")}


def month_of(word: str, language: str) -> int:
    """The number of the month that a word names, as it is written; 0 for all others.

    >>> month_of("May", "en"), month_of("may", "en"), month_of("mai", "fr")
    (5, 0, 5)
    """
    if language in _CAPITALISED and not word[:1].isupper():
        return 0
    return _months(language).get(key_of(word.rstrip(".")), 0)


def find_dates(tokens: Sequence[str], months: Sequence[int], language: str) -> Iterator[WrittenDate]:
    """The dates in a row of normalised tokens; `months` has the number of the month that a token names.

    What could be two dates, as 3/5/2024 in English without a region, is none.

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
    """Tokens from a place on; beyond the end there are empty ones."""

    def __init__(self, tokens: Sequence[str], months: Sequence[int], start: int) -> None:
        self._tokens, self._months, self.start = tokens, months, start

    def text(self, offset: int) -> str:
        place = self.start + offset
        return self._tokens[place] if place < len(self._tokens) else ""

    def month(self, offset: int) -> int:
        place = self.start + offset
        return self._months[place] if place < len(self._months) else 0

    def number(self, offset: int, digits: int) -> int:
        """The whole number there, or the ordinal, of at most so many digits; 0 for everything else."""
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
    """3 May 2024, 3. Mai, 3 de mayo de 2024, 3rd of May, 2024."""
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
    """May 3, 2024, May 3rd, and May 2024."""
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
    """2024年5月3日 and 5月3日."""
    year = row.year(0) if row.text(1) in ("年", "년") else 0
    place = 2 if year else 0
    month, day = row.number(place, 2), row.number(place + 2, 2)
    if row.text(place + 1) not in ("月", "월") or not day or row.text(place + 3) not in _DAY_ENDS:
        return None
    return row.date(place + 4, year=year, month=month, day=day)


def _in_digits(row: _Row, language: str) -> WrittenDate | None:
    """2024-05-03, 03.05.2024 as one token or as five, 3/5/2024 where the language has one order."""
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
