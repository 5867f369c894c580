"""Checks that an output has the numbers of its source, in any digits, words or order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from mtassay.data.languages import parse_language
from mtassay.data.words import read_table
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit
from mtassay.measures.talk import expression, small_words
from mtassay.measures.word_sets import swapped_word
from mtassay.nlp.numbers import Number, NumbersOf, is_converted, month_of, western
from mtassay.nlp.numerals import HAN_LANGUAGES, WORDS, has_unit, key_of, lexicon, spellings

if TYPE_CHECKING:
    from mtassay.nlp.normalisation import Normaliser

_DIGITS = re.compile(r"\d\d*+")
# Often spelled out, in words that differ by language.
_SPELLED_OUT = frozenset(map(str, [*range(21), *range(30, 101, 10), 24, 1000]))
# A text with more numbers is a table; the limit keeps look-up linear.
_MOST_NUMBERS = 200
# Longer texts, and longer runs of digits, are data.
_MOST_CHARACTERS = 20_000
_LONGEST_IN_WORDS = 1_500
_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_NO_NUMBER = re.compile(r"\d{60}")
# 30 mm x15 mm
_TIMES = re.compile(r"\bx(?=\d)")
_TIME = re.compile(r"0\d[0-5]\d|[01]\d00|2[0-4]00")
_LOOSE = re.compile(r"\b(\d{1,3}0)(?=['’]?s\b)|\b(?=\d+[.,]5\b)(\d+[.,]5)\b")
# Digits in codes and links are not numbers: B2B, H1N1, https://…/2024.
_CODE = re.compile(
    r"</?[A-Za-z][^<>]*>|https?://\S++|www\.\S++|(?<![\w.+-])[\w.+-]{1,64}@\S++|&#?\w{1,6};|(?!x\d)[A-Za-z_]\d[\w-]*+|(?<!\d)\d++[A-Za-z]{1,3}\d[\w-]*+"
)


class Numbers(Check):
    """Numbers that source and all references have but the output lacks, and changed units."""

    id: ClassVar[str] = "numbers"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "major"
    about: ClassVar[str] = "a number, date or unit of the source is missing or differs"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms. Numbers that are usually spelled out count only if another number replaces them.

        Without a reference, a single digit counts only with decimals or a unit.

        >>> unit = Unit("1", "The train leaves at 16:57.", "Der Zug fährt um 16:47 Uhr ab.")
        >>> [alarm.message for alarm in Numbers().find([unit], CheckContext("de", "en"))]
        ['47 is missing; 57 is not in the source']
        """
        reader = context.part(_Reader)
        for index, unit in enumerate(units):
            source, output = unit.source, unit.output
            if not source or not output or max(len(source), len(output)) > _MOST_CHARACTERS:
                continue
            runs = _runs_in(source)
            if runs and (_NO_NUMBER.search(source) or _NO_NUMBER.search(output)):
                continue
            # Most outputs have the same digits, and this is cheap to check.
            clocks = reader.half_hours(source, output)
            if clocks and clocks[0] % 12 == clocks[1] % 12:
                continue
            found = _Found(f"{clocks[0]}:30 became {clocks[1]}:30") if clocks else None
            is_plain = runs and _has_all(runs, output) and not _is_regrouped(source, output)
            is_plain = is_plain and (not (own := _decimals_in(source)) or own <= _decimals_in(output))
            if not found and not is_plain and (runs or reader.has_words(source)):
                found = (reader.compare(unit) if runs else None) or reader.swapped(unit)
            if runs and not found:
                found = _changed_unit(source, output)
                found = found or _lost_afternoon(source, output) or reader.changed_scale(unit)
                found = found or _lost_sign(source, output)
                found = found or reader.kept_separator(unit)
            if found := found or _changed_month(source, output, reader) or reader.changed_word(unit):
                yield Alarm(index, found.message, found.marks)


_has_unit = lru_cache(maxsize=1 << 14)(has_unit)


@lru_cache(maxsize=1 << 14)
def _has_words(text: str, language: str | None) -> bool:
    if language in HAN_LANGUAGES:
        return _HAN.search(text) is not None
    return not _number_words(language).isdisjoint(_LETTERS.findall(text.lower()))


@lru_cache(maxsize=1 << 14)
def _runs_in(source: str) -> frozenset[str]:
    """The runs of digits of a text."""
    return frozenset(western(run) for run in _DIGITS.findall(source))


@lru_cache(maxsize=1 << 14)
def _decimals_in(text: str) -> frozenset[str]:
    """The decimals of a text: "6,2 %" has 6.2."""
    return frozenset(figure.replace(",", ".") for figure in _DECIMAL.findall(text))


_DECIMAL = re.compile(r"(?<![\d.,])\d+[.,]\d{1,2}(?![\d.,]?\d)")


class _Found(NamedTuple):
    message: str
    marks: tuple[Mark, ...] = ()


class _Reader:
    """Reads the numbers of texts in the two languages of a context."""

    def __init__(self, context: CheckContext) -> None:
        codes = [parse_language(tag).code if tag else None for tag in (context.source, context.target)]
        self.source, self.target = codes

    def has_words(self, text: str) -> bool:
        """Whether a text may have numbers in words; fast."""
        return _has_words(text, self.source)

    def half_hours(self, source: str, output: str) -> tuple[int, int] | None:
        """The hour of the only half hour in each text: half past eight, halb neun, 8:30."""
        there, here = _half_hour(source, self.source), _half_hour(output, self.target)
        if there is None and here is None:
            return None
        there, here = (
            hour if hour is not None else _half_hour(text, None)
            for hour, text in ((there, source), (here, output))
        )
        return None if there is None or here is None else (there, here)

    def compare(self, unit: Unit) -> _Found | None:
        """Find the numbers that are missing in an output, and the numbers that it has instead."""
        source_text, output_text = _CODE.sub(" ", unit.source or ""), unit.output
        source, output = _numbers_of(source_text, self.source), _numbers_of(output_text, self.target)
        numbers = list(dict.fromkeys(source.numbers))[:_MOST_NUMBERS]
        if not unit.references:
            numbers = [number for number in numbers if len(number.digits) > 1]
        for reference in unit.references:
            own = _numbers_of(reference, self.target)
            # If the reference spells the number out, an output may use any words.
            numbers = [number for number in numbers if own.has(number, source=source, words=False)]
        missing = [
            number
            for number in numbers
            # 0430 is a time.
            if not _TIME.fullmatch(number.shown) and not output.has(number, source=source, words=False)
        ]
        if not missing:
            return None
        inputs = [_numbers_of(unit.source or "", self.source)]
        inputs += [_numbers_of(text, self.target) for text in unit.references]
        instead = [
            number
            for number in dict.fromkeys(output.numbers[:_MOST_NUMBERS])
            if not any(text.has(number) for text in inputs)
        ]
        if not instead:
            # "The 1970s", two and a half, and small numbers may be written by words that we do not know.
            loose = {match[0] for match in _LOOSE.finditer(western(unit.source or ""))}
            least = 0 if _is_readable(self.target) else 1000
            missing = [
                number
                for number in missing
                if number.digits not in _SPELLED_OUT and number.shown not in loose and number.value >= least
            ]
        has_measure = expression("measure").search(source_text) or expression("measure").search(output_text)
        # Reading number words takes longest, so checks without them come first.
        roman = {_ROMAN.get(word) for word in _ROMAN_WORD.findall(output_text)}
        missing = [
            number
            for number in missing
            if number.value not in roman
            and not output.has(number, source=source, words=len(output_text) <= _LONGEST_IN_WORDS)
            and not (has_measure and any(is_converted(number, other) for other in instead))
            and not _is_rounded(number, instead)
            and not any(_is_short_year(number.value, other.value) for other in instead)
        ]
        if not missing:
            return None
        marks = [_mark("source", unit.source or "", number.shown) for number in missing]
        marks += [_mark("output", unit.output, number.shown) for number in instead]
        message = f"{_listed(missing)} missing"
        if instead:
            message += f"; {_listed(instead)} not in the source"
        return _Found(message, tuple(mark for mark in marks if mark))

    def swapped(self, unit: Unit) -> _Found | None:
        """Find one value of the source, in digits or words, that the output replaces by another value."""
        source, output = unit.source or "", unit.output
        if len(source) > _LONGEST or any(map(_TIME.fullmatch, _DIGITS.findall(source))):
            return None
        if _is_readable(self.source) and _is_readable(self.target):
            theirs = _values(source, self.source)
            ours = _values(output, self.target) if theirs else theirs
        else:  # only by digits
            theirs, ours = _in_digits(source), _in_digits(output)
        if theirs.total() != ours.total() or not theirs:
            return None
        missing, instead = list((theirs - ours).elements()), list((ours - theirs).elements())
        if len(missing) != 1 or len(instead) != 1 or _SMALLEST.intersection((missing[0], instead[0])):
            return None
        source, output = _CODE.sub(" ", source), _CODE.sub(" ", output)
        try:
            before, after = float(missing[0]), float(instead[0])
        except ValueError:  # a date, which can be written in many ways
            return None
        if (
            round(abs(before - after), 6) == 12
            or (abs(before - after) == 0.5 and _HALF.search(f"{source} {output}"))
            or _is_short_year(before, after)
            or (
                _DEGREE.search(source)
                and is_converted(Number("", missing[0], ()), Number("", instead[0], ()))
            )
            # 3 miles are 5 km, 3 attempts are not 5.
            or (
                (expression("measure").search(source) or expression("measure").search(output))
                and any(_is_near(after, before * factor) for factor in _FACTORS)
                and _units_in(source).isdisjoint(_units_in(output))
            )
        ):
            return None
        # We do not know whether 三遍 is a number; if the digit is there, nothing is lost.
        if _has_han(missing[0], output, self.target) or _has_han(instead[0], source, self.source):
            return None
        for reference in unit.references:
            if missing[0] not in _values(reference, self.target) and missing[0] not in _in_digits(reference):
                return None
        marks = _mark("source", unit.source or "", missing[0]), _mark("output", unit.output, instead[0])
        return _Found(f"{missing[0]} became {instead[0]}", tuple(mark for mark in marks if mark))

    def changed_word(self, unit: Unit) -> _Found | None:
        """Find another day, fraction or currency: Monday and Dienstag, half and ein Viertel."""
        source, output = unit.source or "", unit.output
        swapped = swapped_word(Numbers.id, source, output, self.source or "", self.target or "")
        if swapped is None or any(swapped.other in reference.lower() for reference in unit.references):
            return None
        return _Found(swapped.message, swapped.marks(source, output))

    def changed_scale(self, unit: Unit) -> _Found | None:
        """Find the same digits with another unit: 2.5 million and 2,5 Milliarden."""
        source, output = unit.source or "", unit.output
        if not self.source or not self.target or not _has_unit(source, self.source):
            return None
        theirs, ours = _numbers_of(source, self.source), _numbers_of(output, self.target)
        for number in theirs.numbers:
            if not ours.has(number, source=theirs):
                return _Found(f"{number.shown} has another unit", ())
        place = _SCALED.search(western(source))
        if place is None or len(theirs.numbers) != 1 or unit.references or has_unit(output, self.target):
            return None
        scale = lexicon(self.source).get(key_of(place[2]))
        found = re.search(rf"(?<![\d.,]){re.escape(place[1])}(?![\d.,]*\d)", western(output))
        if found and scale and scale.kind == "scale" and not _SCALE_SIGN.match(output, found.end()):
            where = Mark("source", *place.span()), Mark("output", *found.span())
            return _Found(f"{place[0]!r} became {place[1]}", where)
        return None

    def kept_separator(self, unit: Unit) -> _Found | None:
        """Find an unchanged 1,500 in a language where it means one and a half."""
        if self.source not in _COMMA_GROUPS or self.target not in _COMMA_DECIMALS or "," not in unit.output:
            return None
        match = _GROUPED.search(unit.output)
        if match is None or match[0] not in (unit.source or "") or match[0] in "".join(unit.references):
            return None
        place = (unit.source or "").index(match[0])
        marks = Mark("source", place, place + len(match[0])), Mark("output", *match.span())
        return _Found(f"{match[0]} has the separators of the source language", marks)


_SCALED = re.compile(r"(?<![\d.,])(\d[\d.,]*(?<=\d))[ \u00a0]([^\W\d_]{4,})")
# Abbreviations of thousand and million: 5K, 5 tis., 5 тыс., 5 Mio.
_SCALE_SIGN = re.compile(
    r"[ \u00a0\u202f]?(?:[kmb]\b|mi|mln|mld|mr?d|bn|ti?s|tsd|тыс|млн|млрд|[千万萬億亿百])", re.IGNORECASE
)
_ROMAN_WORD = re.compile(r"(?<!\w)[IVX]+(?=(?:e|er|ème)?(?!\w))")
_ROMAN = {
    f"{tens}{ones}": 10 * i + j
    for i, tens in enumerate(("", "X", "XX"))
    for j, ones in enumerate(("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"))
}
"""Roman numerals, which many languages use for centuries: le XXIe siècle."""
_COMMA_GROUPS = frozenset(("en", "zh", "ja", "ko", "th", "he"))
_COMMA_DECIMALS = frozenset(
    ("de", "es", "fr", "it", "pt", "ru", "cs", "pl", "nl", "sv", "da", "nb", "fi", "uk", "tr")
)
_GROUPED = re.compile(r"(?<![\w.,/-])[1-9]\d{0,2}(?:,\d{3})+(?![\w,/-]|\.\d)")


@lru_cache(maxsize=4096)
def _numbers_of(text: str, language: str | None) -> NumbersOf:
    return NumbersOf(text, language=language)


def _is_rounded(number: Number, others: Sequence[Number]) -> bool:
    """Whether two numbers are equal after rounding: 1.25 million and 1.3 million."""
    return any(
        other.value > 0
        and abs(number.value / other.value - 1) < 0.002
        and number.digits[:2] == other.digits[:2]
        for other in others
    )


def _listed(numbers: Sequence[Number]) -> str:
    shown = list(dict.fromkeys(number.shown for number in numbers))
    return f"{', '.join(shown[:5])} {'is' if len(shown) == 1 else 'are'}"


def _mark(side: str, text: str, shown: str) -> Mark | None:
    kind: Literal["source", "output"] = "source" if side == "source" else "output"
    start = western(text).find(shown)
    if start >= 0:
        return Mark(kind, start, start + len(shown))
    # A value such as 2500000 may be written differently; if the text has one number, this is the value.
    places = list(_FIGURE.finditer(text))
    return Mark(kind, *places[0].span()) if len(places) == 1 else None


# Half hours, and languages that count them from the hour before.
_HALF_HOURS = small_words("half-hours")
_HOUR_AHEAD = frozenset(("de", "nl"))


@cache
def _half_hour_pattern(language: str) -> tuple[re.Pattern[str], Mapping[str, int]]:
    words = {word: hour for hour in range(1, 13) for word in (*spellings(hour, language), str(hour))}
    if language in HAN_LANGUAGES:
        words |= {"一二三四五六七八九十"[hour - 1]: hour for hour in range(1, 11)} | {
            "两": 2,
            "十一": 11,
            "十二": 12,
        }
    choices = "|".join(sorted(words, key=len, reverse=True))
    return re.compile(_HALF_HOURS[language]["pattern"].replace("HOUR", choices), re.IGNORECASE), words


def _half_hour(text: str, language: str | None) -> int | None:
    """The hour of the only half hour in a text, in words or else in digits."""
    if language is None:
        found = [int(hour) for hour in _HALF_IN_DIGITS.findall(western(text))]
    elif language in _HALF_HOURS and _HALF_HOURS[language]["word"] in text.lower():
        pattern, words = _half_hour_pattern(language)
        found = [words[word.lower()] - (language in _HOUR_AHEAD) for word in pattern.findall(text)]
    else:
        return None
    return found[0] if len(found) == 1 else None


_HALF_IN_DIGITS = re.compile(r"(?<![\d.,:])(\d{1,2}) ?(?:[:.hч点時]|Uhr) ?30(?![\d:]|[.,]\d)")


def _is_regrouped(source: str, output: str) -> bool:
    """Whether a number of the output continues a number of the source: 2,750 and 2,750,000."""
    if len(_DIGITS.findall(output)) <= len(_DIGITS.findall(source)):
        return False
    starts = tuple(f"{figure}{sign}" for figure in _FIGURE.findall(source) for sign in ",.")
    return any(figure.startswith(starts) and figure not in source for figure in _FIGURE.findall(output))


def _has_all(runs: Iterable[str], text: str) -> bool:
    """Whether each run of digits is in the text separately; `False` may mean that this is unclear."""
    for run in runs:
        start = text.find(run)
        end = start + len(run)
        if start < 0 or text[end : end + 1].isdecimal() or (start and text[start - 1].isdecimal()):
            return False
    return True


_DEGREE = re.compile(r"°|[Dd]egree|[Gg]rad")
_SMALLEST = frozenset({"0", "1"})
# Two and a half is 2.5.
_HALF = re.compile(r"hal[fb]|medi[oa]|demi|mezz|mei[oa]|полови|пол[тс]ор|půl|pół|半|½", re.IGNORECASE)
_LONGEST = 400
_LETTERS = re.compile(r"[^\W\d_]+")
_HAN = re.compile(
    "[二三四五六七八九两兩十百千][一二三四五六七八九两兩十百千万萬億亿零〇]"
    "|[二三四五六七八九十两兩][个個人名次年月日天周本只件条張枚冊]"
)
# Miles, pounds, feet, inches and their values in other units.
_FACTORS = [one for factor in (1.6093, 2.2046, 3.2808, 2.54, 1000, 100) for one in (factor, 1 / factor)]


def _has_han(value: str, text: str, language: str | None) -> bool:
    return language in HAN_LANGUAGES and any(f"{i}" == value and digit in text for i, digit in _HAN_DIGITS)


_HAN_DIGITS = [*enumerate("零一二三四五六七八九十"), (2, "两"), (2, "兩"), (2, "双")]


def _is_short_year(one: float, two: float) -> bool:
    """Whether two numbers are a year and its last digits: 1990 and 90.

    >>> _is_short_year(90, 1990), _is_short_year(2021, 21), _is_short_year(5, 105)
    (True, True, False)
    """
    short, year = sorted((float(one), float(two)))
    return 0 <= short < 100 and 1000 <= year < 2100 and (year - short) % 100 == 0


def _is_near(one: float, two: float) -> bool:
    return abs(one - two) <= 0.04 * max(abs(one), abs(two))


def _is_readable(language: str | None) -> bool:
    """Whether the number words of a language are known."""
    return language in WORDS or language in ("zh", "ja")


@cache
def _number_words(language: str | None) -> frozenset[str]:
    known = lexicon(language or "") if language in WORDS else {}
    return frozenset(word for word, numeral in known.items() if numeral.kind == "small" and numeral.value > 1)


@lru_cache(maxsize=4096)
def _values(text: str, language: str | None) -> Counter[str]:
    """The values of all numbers of a text, in digits or words, both cardinals and ordinals."""
    values = _normaliser(language).number_values(_TIMES.sub("x ", _CODE.sub(" ", text)))
    return Counter(value.removesuffix(".") for value in values if value.removesuffix(".") != "1")


def _in_digits(text: str) -> Counter[str]:
    return Counter(western(run).lstrip("0") or "0" for run in _DIGITS.findall(_CODE.sub(" ", text)))


@cache
def _normaliser(language: str | None) -> Normaliser:
    from mtassay.nlp.normalisation import Normaliser  # large, and most digits are unchanged

    return Normaliser(dates=False, language=language or "")


_ISO = re.compile(r"(?<!\d)\d{4}-(\d{2})-\d{2}(?!\d)")
_DOTTED = re.compile(r"(?<!\d)\d{1,2}\. ?(\d{1,2})\. ?\d{4}(?!\d)")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_HAN_MONTH = re.compile(
    r"(?<!\d)(\d{1,2}) ?月|(?<![一二三四五六七八九十])([一二三四五六七八九十]{1,2})月(?!份额)"
)
# Without a day, only the words before them show that March and May are months.
_IN_MONTH = re.compile(
    r"\b(?:in|since|until|by|last|next|early|late|mid)[ -](?:January|February|March|April|May|June|July"
    r"|August|September|October|November|December)\b|[一二三四五六七八九十]月"
)


def _changed_month(source: str, output: str, reader: _Reader) -> _Found | None:
    """Find another month than in the source, if each side has exactly one."""
    theirs = _months(source, reader.source) if len(source) <= 2000 else ()
    if len(theirs) != 1:
        return None
    # A date has digits on at least one side.
    if not (_DIGITS.search(source) and _DIGITS.search(output)) and not _IN_MONTH.search(source):
        return None
    ours = _months(output, reader.target)
    if theirs < ours and len(ours) == 2 and len(_days(source, reader.source)) == 2:
        return _Found(f"month {min(theirs)} became month {min(ours - theirs)}")
    if len(ours) != 1:
        return None
    if theirs != ours:
        return _Found(f"month {min(theirs)} became month {min(ours)}")
    days = _days(source, reader.source), _days(output, reader.target)
    if len(days[0]) == len(days[1]) == 1 and days[0] != days[1]:
        return _Found(f"day {min(days[0])} became day {min(days[1])}")
    return None


_BEFORE_MONTH = re.compile(
    r"(?<![\d.,:])(\d{1,2})(?:\.|st|nd|rd|th|º|er)? (?:of |de |d['’])?([^\W\d_]{3,12})"
)
_AFTER_MONTH = re.compile(r"([^\W\d_]{3,12}) (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?![\d:.,%]\d|\d)")
_DOTTED_DAY = re.compile(r"(?<!\d)(\d{1,2})\. ?\d{1,2}\. ?\d{4}(?!\d)")
_HAN_DAY = re.compile(r"月 ?(\d{1,2}) ?日")


def _days(text: str, language: str | None) -> set[int]:
    """The days next to months."""
    plain, code = western(text), language or ""
    found = [day for day, word in _BEFORE_MONTH.findall(plain) if month_of(word, code)]
    if code == "en":
        found += [day for word, day in _AFTER_MONTH.findall(plain) if month_of(word, code)]
    found += _DOTTED_DAY.findall(plain) + (_HAN_DAY.findall(plain) if code in HAN_LANGUAGES else [])
    return {int(day) for day in found}


_HAN_NUMBERS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]


@lru_cache(maxsize=1 << 14)
def _months(text: str, language: str | None) -> frozenset[int]:
    if not language:
        return frozenset()
    plain = western(text)
    months = {int(month) for month in _ISO.findall(plain)}
    if language in HAN_LANGUAGES:
        months.update(
            int(digits or _HAN_NUMBERS.index(han) + 1)
            for digits, han in _HAN_MONTH.findall(plain)
            if digits or han in _HAN_NUMBERS
        )
    elif language != "en":
        months.update(map(int, _DOTTED.findall(plain)))
    months.update(month_of(word, language) for word in _WORDS.findall(text) if len(word) < 12)
    return frozenset(month for month in months if 0 < month < 13)


@cache
def _unit_of() -> Mapping[str, str]:
    """Units by the words for them."""
    table = read_table(Path(__file__).parent / "data" / "units.toml")
    return {word: unit for unit, words in table.items() for word in words.split()}


@cache
def _with_unit() -> re.Pattern[str]:
    wide = "|".join(sorted((word for word in _unit_of() if word[0] > "⺀"), key=len, reverse=True))
    return re.compile(
        r"(?<![A-Za-zà-ÿа-я0-9_.,])(\d{1,4}(?:[.,]\d{1,3})?)[ \u00a0\u202f-]?"
        rf"({wide}|(?:%|％|٪|°[CF]|℃|℉|[glгл]|km ?/ ?h|км ?/ ?ч|[^\W\d_]{{2,12}})(?![\w/²³]))",
        re.IGNORECASE,
    )


def _changed_unit(source: str, output: str) -> _Found | None:
    """Find a number whose unit differs: 5 mg and 5 kg."""
    theirs = _measures(source)
    if not theirs:
        return None
    ours = _measures(output)
    for value, (unit, start, end) in theirs.items():
        if value not in ours or len(_DIGITS.findall(source)) > 12:
            continue
        other, place, stop = ours[value]
        if (
            other != unit
            and {"million", "billion"}.isdisjoint((unit, other))
            and {unit, other} not in ({"kilo", "km"}, {"kilo", "kg"}, {"mph", "mile"}, {"km/h", "km"})
            and unit not in {name for name, _, _ in ours.values()}
        ):
            message = f"{source[start:end]!r} became {output[place:stop]!r}"
            return _Found(message, (Mark("source", start, end), Mark("output", place, stop)))
    return None


# Units that are the same in other languages: 2,460 m is not 2,46 m.
_SHORT_UNIT = re.compile(r"(?<=\d)[ \u00a0\u202f]?((?:k|m|c)?m|k?g|[mk]?l|lbs?|ft|%|°[CF])(?![^\W_])")


def _units_in(text: str) -> frozenset[str]:
    return frozenset(_SHORT_UNIT.findall(text))


_BELOW_ZERO = re.compile(r"(?<![\w)])[-−–](\d+(?:[.,]\d+)?)(?=\s?°)")
_SAYS_MINUS = re.compile(
    r"[-−–‐]\s?\d|min|mínus|moins|menos|meno|мин|ниже|マイナス|零下|氷点下|unter|below|bajo|abaixo|sotto|sous"
)


def _lost_sign(source: str, output: str) -> _Found | None:
    """Find a temperature below zero that is above zero in the output."""
    match = _BELOW_ZERO.search(source) if "°" in source else None
    if (
        match is None
        or match[1].replace(",", ".") not in output.replace(",", ".")
        or _SAYS_MINUS.search(output)
    ):
        return None
    return _Found(f"{match[0]} has lost its sign", (Mark("source", *match.span()),))


_EVENING = re.compile(r"(?<![\d:.])(1[01]|[1-9])(?:[:.]([0-5]\d))? ?(?:PM|pm|p\.m\.)(?!\w)")


@lru_cache(maxsize=1 << 14)
def _evening(source: str) -> re.Match[str] | None:
    return _EVENING.search(source)


def _lost_afternoon(source: str, output: str) -> _Found | None:
    """Find a time such as 9 PM that has become 9 o'clock in the morning."""
    match = _evening(source)
    if match is None or len(_EVENING.findall(source)) > 1 or expression("evening").search(output):
        return None
    hour = int(match[1])
    runs = _DIGITS.findall(output)
    if str(hour + 12) in runs or (match[1] not in runs and f"0{hour}" not in runs):
        return None
    return _Found(f"{match[0]!r} has become a time in the morning", (Mark("source", *match.span()),))


@lru_cache(maxsize=1 << 14)
def _measures(text: str) -> Mapping[str, tuple[str, int, int]]:
    """The unit of each value, with the place of number and unit; values with two units are left out."""
    measures: dict[str, tuple[str, int, int]] = {}
    twice = set()
    for match in _with_unit().finditer(western(text)):
        unit = _unit_of().get(match[2].lower().replace(" ", ""))
        if unit is None:
            continue
        value = match[1].replace(",", ".")
        if value in measures and measures[value][0] != unit:
            twice.add(value)
        measures[value] = (unit, *match.span())
    return {value: found for value, found in measures.items() if value not in twice}
