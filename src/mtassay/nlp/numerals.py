"""Numbers in digits and in words, with one normal form for each value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mtassay.data.words import read_table, spell_out_marks, strip_marks

_NUMERALS = Path(__file__).parent / "data" / "numerals.toml"


def word_table(name: str) -> Mapping[str, Any]:
    """A table of `data/numerals.toml`, by language: `small`, `tens`, `months` …"""
    table: Mapping[str, Any] = read_table(_NUMERALS)[name]
    return table


WORDS = frozenset(("cs", "de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru"))
"""Languages whose number words are known."""

Kind = Literal["small", "article", "hundred", "scale", "and", "ordinal"]


class NumberWord(NamedTuple):
    """The role of a word in a number.

    `small` is added (one, twenty, doscientos), and `ordinal` ends a number (third). `hundred` and `scale`
    multiply the part before them, and `and` joins. An `article` (um, ein) means one only beside other
    numerals. If an ordinal has another meaning (second), `alone` is false: it counts only after numerals.
    """

    kind: Kind
    value: int = 0
    alone: bool = True


class NumberPhrase(NamedTuple):
    """A number in words: where the next word starts, its value, and whether it is cardinal or ordinal."""

    stop: int
    value: str


# The scale from which an article counts: "um milhão" is 1,000,000, but "um" before "mil" is no number.
_LEAST_FOR_ARTICLE = 10**6
# Words next to an English ordinal that make it a fraction: one third, a fifth of.
PARTS = frozenset({"half", "quarter", "of"})
"""Words before "a million" that make it less."""
FRACTION_BEFORE, FRACTION_AFTER = frozenset({"one", "1"}), frozenset({"of"})
DECIMAL_WORDS = frozenset({"point", "komma", "virgule", "virgula", "coma", "virgola"})
"""Words for the decimal mark; numerals beside them are parts of another number."""


_MONTHS_AND_CENTURY = "Jahrhundert|Jan|Feb|März|Maerz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez"


def ordinal_pattern(language: str) -> str:
    """A regular expression for ordinals in digits; it never matches if the language has no rule."""
    if language == "de":
        return rf"\p{{Nd}}{{1,2}}\.(?=\s*(?:{_MONTHS_AND_CENTURY}))"
    suffixes = word_table("suffixes").get(language)
    return rf"\p{{Nd}}+(?:{suffixes})(?![\p{{L}}\p{{N}}])" if suffixes else r"(?!)"


def ordinal(value: int | str) -> str:
    """The normal form of an ordinal, which ends in a full stop, unlike all plain numbers.

    >>> ordinal(21)
    '21.'
    """
    return f"{value}."


def scaled(number: str, scale: int) -> str:
    """A canonical number multiplied by a factor such as ten thousand.

    >>> scaled("2.5", 10**6), scaled("0.25", 100)
    ('2500000', '25')
    """
    return canonical_value(Decimal(number) * scale)


def canonical_value(value: Decimal) -> str:
    """Write a value in ASCII digits with a decimal point, without superfluous zeros."""
    whole, _, fraction = f"{value:f}".partition(".")
    return _value(whole, fraction)


def key_of(word: str) -> str:
    """The key of a word in the tables, without case and diacritics."""
    if word.isascii():
        return word.casefold()
    return strip_marks(unicodedata.normalize("NFKC", word).casefold())


_COMPOUNDS = {"en": "{}-{}", "pt": "{} e {}", "es": "{} y {}", "ru": "{} {}", "cs": "{} {}", "pl": "{} {}"}


def spellings(number: int, language: str) -> list[str]:
    """The ways to write a number from 0 to 99 in words, the usual way first; empty if unknown.

    >>> spellings(14, "pt"), spellings(21, "es"), spellings(32, "de")
    (['catorze', 'quatorze'], ['veintiuno', 'veintiún', 'veintiuna'], ['zweiunddreißig', 'zwounddreißig'])
    """
    small = word_table("small").get(language, "").split()
    if language not in {*_COMPOUNDS, *_GLUED} or not 0 <= number <= 99:
        return []
    if number < len(small):
        articles = _spellings(word_table("unit-only")[language]) if number == 1 and language != "en" else []
        return [*_spellings(small[number]), *articles]
    tens, ones = divmod(number, 10)
    (ten, *_) = _spellings(word_table("tens")[language].split()[tens - 2])
    if not ones:
        return [ten]
    units = [unit for unit in spellings(ones, language) if unit not in ("eins", "eine")]
    if language in _GLUED:
        return [_glue(language, ten, unit) for unit in units]
    return [_COMPOUNDS[language].format(ten, unit) for unit in units]


def _spellings(word: str) -> list[str]:
    return [] if word == "-" else word.split("/")


@cache
def lexicon(language: str) -> dict[str, NumberWord]:
    """The numerals of a language by the `key_of` their words; empty if unknown."""
    entries: dict[str, NumberWord] = {}

    def add(words: list[str], numeral: NumberWord) -> None:
        for word in words:
            for spelling in {key_of(word), spell_out_marks(word.casefold())}:
                entries.setdefault(spelling, numeral)

    if language in word_table("small"):
        _add_words(language, add)
    for exponent, words in word_table("scales").get(language, {}).items():
        add(_spellings(words.lstrip("=")), NumberWord("scale", 10 ** int(exponent), words.startswith("=")))
    return entries


def _add_words(language: str, add: Callable[[list[str], NumberWord], None]) -> None:
    small = [_spellings(word) for word in word_table("small")[language].split()]
    tens = [_spellings(word) for word in word_table("tens")[language].split()]
    for value, words in enumerate(small):
        add(words, NumberWord("small", value))
    for index, words in enumerate(tens, start=2):
        add(words, NumberWord("small", index * 10))
    for value, words in _joined(language, small, tens):
        add(words, NumberWord("small", value))
    add(_spellings(word_table("unit-only").get(language, "-")), NumberWord("article", 1))
    add(_spellings(word_table("joined-by").get(language, "-")), NumberWord("and"))
    for index, word in enumerate(word_table("hundreds").get(language, "").split(), start=1):
        add(_spellings(word), NumberWord("small", index * 100))
    if language in word_table("hundred"):
        hundred = word_table("hundred")[language]
        add(_spellings(hundred.lstrip("=")), NumberWord("hundred", 100, hundred.startswith("=")))
    if language == "fr":
        add(["vingts"], NumberWord("small", 20))
        add(["unième"], NumberWord("ordinal", 1, alone=False))
    for value, word in enumerate(word_table("ordinals").get(language, "").split(), start=1):
        is_alone = not word.startswith("(")
        words = _spellings(word.strip("()"))
        if language == "de":
            words = [f"{word}{ending}" for word in words for ending in ("", "n", "r", "s", "m")]
        add(words, NumberWord("ordinal", value, is_alone))
    for index, word in enumerate(word_table("ordinal-tens").get(language, "").split(), start=2):
        add(_spellings(word), NumberWord("ordinal", index * 10))
    for value, words in _derived_ordinals(language, small, tens):
        add(words, NumberWord("ordinal", value))


def _joined(language: str, small: list[list[str]], tens: list[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Tens and units written as one word: einundzwanzig, ventuno, drieëntwintig."""
    if language not in _GLUED:
        return
    units = [[*words] for words in small[:10]]
    units[1] += _spellings(word_table("unit-only")[language])
    for index, words in enumerate(tens, start=2):
        for unit in range(1, 10):
            joined = [_glue(language, ten, one) for ten in words for one in units[unit] if one != "eins"]
            yield 10 * index + unit, joined


def _glue(language: str, ten: str, unit: str) -> str:
    if language == "de":
        return f"{unit}und{ten}"
    if language == "nl":
        return f"{unit}{'ën' if unit.endswith('e') else 'en'}{ten}"
    return ten[:-1] + unit if unit[0] in "uo" else ten + unit


def _derived_ordinals(
    language: str, small: list[list[str]], tens: list[list[str]]
) -> Iterator[tuple[int, list[str]]]:
    """Ordinals that consist of a number and an ending."""
    if language not in _GLUED:
        return
    from_small = [(value, words) for value, words in enumerate(small) if value >= 13]
    from_tens = [(10 * index, words) for index, words in enumerate(tens, start=2)]
    joined = [*_joined(language, small, tens)]
    for value, words in [*from_small, *from_tens, *joined]:
        if language == "de":
            ending = "te" if value < 20 else "ste"
            yield value, [f"{word}{ending}{case}" for word in words for case in ("", "n", "r", "s", "m")]
        elif language == "nl":
            yield value, [f"{word}{'de' if value < 20 else 'ste'}" for word in words]
        else:
            stems = [word if value % 10 in (3, 6) and value > 20 else word[:-1] for word in words]
            yield value, [f"{stem}esim{case}" for stem in stems for case in "oaie"]


@cache
def _units(language: str) -> re.Pattern[str]:
    primary = language.lower().split("-")[0]
    if primary in HAN_LANGUAGES:
        return re.compile(f"[{''.join(HAN_SCALES)}{''.join(_HAN_UNITS)}]")
    words = {
        word
        for words in (*word_table("scales").get(primary, {}).values(), word_table("hundred").get(primary, ""))
        for word in _spellings(words.lstrip("="))
        if word
    }
    # Searching for the first letters of words, and then for the words, is several times faster.
    rests: dict[str, list[str]] = {}
    for word in sorted(words):
        rests.setdefault("".join(sorted({word[0].lower(), word[0].upper()})), []).append(word[1:])
    if not rests:
        return re.compile(r"(?!)")
    some = "|".join(f"(?<=[{letters}])(?i:{'|'.join(endings)})" for letters, endings in rests.items())
    return re.compile(f"[{''.join(rests)}](?:{some})")


def has_unit(text: str, language: str) -> bool:
    """Whether the text may contain a unit such as million; fast."""
    return _units(language).search(text) is not None


@cache
def numerals_of(key: str, language: str) -> tuple[NumberWord, ...]:
    """The roles of a word (its `key_of`) in a number; a compound has several.

    >>> [numeral.value for numeral in numerals_of("zweihundertdreiundvierzig", "de")]
    [2, 100, 43]
    """
    known = lexicon(language)
    if key in known:
        return (known[key],)
    # Without a multiplier it would be in the table, so "zweidrei" is not a number.
    if language not in _GLUED or not any(multiplier in key for multiplier in _multipliers(language)):
        return ()
    parts = _parts_of(key, language)
    spelled = ("cento" if part == "cent" else part for part in parts)
    numerals = tuple(_GLUE if part in _GLUE_WORDS else known[part] for part in spelled)
    return numerals if any(numeral.kind in ("hundred", "scale") for numeral in numerals) else ()


_GLUED = frozenset({"de", "it", "nl"})
_GLUE_WORDS = frozenset({"und", "en"})
_GLUE = NumberWord("and")


_GLUED_THOUSANDS = {"it": ("mille", "mila"), "de": ("tausend",), "nl": ("duizend",)}


@cache
def _multipliers(language: str) -> list[str]:
    """The forms of hundred and thousand in compounds."""
    hundreds = [word for word, numeral in lexicon(language).items() if numeral.kind == "hundred"]
    return [*hundreds, *_GLUED_THOUSANDS[language], *(["cent"] if language == "it" else [])]


def _parts_of(key: str, language: str) -> list[str]:
    """The words of a compound, the longest first at each place; empty if anything is left over."""
    known, longest = _words_of_compounds(language)
    parts, place = [], 0
    while place < len(key):
        ends = range(min(len(key), place + longest), place, -1)
        part = next((key[place:end] for end in ends if key[place:end] in known), "")
        if language == "it" and key.startswith("centott", place):
            part = "cent"
        if not part:
            return []
        parts.append(part)
        place += len(part)
    return parts


@cache
def _words_of_compounds(language: str) -> tuple[frozenset[str], int]:
    """These words, and the length of the longest."""
    words = {
        word
        for word, numeral in lexicon(language).items()
        if numeral.kind in ("small", "article", "hundred", "ordinal") or word in _GLUED_THOUSANDS[language]
    }
    glue = {"de": {"und"}, "nl": {"en"}, "it": set()}[language]
    return frozenset(words | glue), max(map(len, words))


_ORDINALS_IN_A_ROW = frozenset({"pt", "es"})
"""Languages that say "twentieth first"."""


class _Sum:
    """The part of a number in words that was read so far."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._chunks: list[tuple[int, int]] = []  # scales with their counts, largest first
        self._group = 0
        self._room = 1000
        """The next part must be less than this."""
        self._joined = False
        self.is_begun = False
        self.is_ordinal = False

    @property
    def value(self) -> int:
        return sum(value for _, value in self._chunks) + self._group

    @property
    def is_complete(self) -> bool:
        return self.is_begun and not self._joined

    def add(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        """Add a numeral if the number can continue with it; otherwise change nothing."""
        if self.is_ordinal and (numeral.kind != "ordinal" or self._language not in _ORDINALS_IN_A_ROW):
            return False
        goes_on = getattr(self, f"_add_{numeral.kind}")(numeral, following)
        if goes_on and numeral.kind != "and":
            self.is_begun, self._joined = True, False
        return bool(goes_on)

    def _add_small(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        value = numeral.value
        if self._language == "fr":
            if value == 20 and self._group % 100 == 4 and not self._joined:  # quatre-vingts
                self._group, self._room = self._group + 76, 20
                return True
            if self._group % 100 in (10, 70, 90) and value in (7, 8, 9) and self._was_ten:  # dix-sept
                self._group, self._room, self._was_ten = self._group + value, 1, False
                return True
        if value >= self._room or (value == 0 and self.is_begun):
            return False
        if self._joined and not self._may_join(value):
            return False
        self._group += value
        self._was_ten = value == 10
        if value >= 100:
            self._room = 100
        elif value % 10 == 0 and value >= 20:
            self._room = 20 if self._language == "fr" and value == 60 else 10
        else:
            self._room = 1
        return True

    _was_ten = False

    def _may_join(self, value: int) -> bool:
        if self._language == "fr":
            return value in (1, 11) and self._room in (10, 20)
        return True

    def _add_article(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        if self.is_begun and self._language == "en":
            return False
        if not self.is_begun:
            multiplies = following is not None and (
                (following.kind == "scale" and following.value >= _LEAST_FOR_ARTICLE)
                or (following.kind in ("hundred", "scale") and self._language in _GLUED | {"ru"})
            )
            if not multiplies:
                return False
        elif not self._joined and not self._may_follow_at_once():
            return False
        return self._add_small(numeral, following)

    def _may_follow_at_once(self) -> bool:
        """Whether "one" may follow without "and": cent un, but vingt et un."""
        if self._language == "fr":
            return self._room >= 100 or self._group % 100 == 80
        return self._language in _GLUED | {"ru"}

    def _add_hundred(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        if self._joined:
            return False
        if self._group == 0:
            if not numeral.alone:
                return False
            self._group = 1
        if self._group >= 100 or (self._group > 9 and self._group % 10 == 0):
            return False
        self._group, self._room = self._group * 100, 100
        return True

    def _add_scale(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        if self._joined:
            return False
        lower = [value for scale, value in self._chunks if scale < numeral.value]
        if any(scale == numeral.value for scale, _ in self._chunks):
            return False
        amount = sum(lower) + self._group
        if amount == 0:
            if not numeral.alone:
                return False
            amount = 1
        self._chunks = [(scale, value) for scale, value in self._chunks if scale > numeral.value]
        self._chunks.append((numeral.value, amount * numeral.value))
        self._group, self._room = 0, 1000
        return True

    def _add_and(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        if not self.is_begun or self._joined:
            return False
        if self._language == "es":
            fits = self._room == 10
        elif self._language == "fr":
            fits = self._room in (10, 20)
        elif self._language == "pt":
            fits = self._room >= 10
        else:
            fits = self._room >= 100
        self._joined = fits
        return fits

    def _add_ordinal(self, numeral: NumberWord, following: NumberWord | None) -> bool:
        if not self.is_begun and not numeral.alone:
            return False
        if self.is_ordinal and not (self._group % 10 == 0 and numeral.value < 10):
            return False
        if self.is_ordinal:
            self._room = 10  # "décimo" is as valid as "vigésimo"
        if not self._add_small(numeral, following):
            return False
        self.is_ordinal = True
        return True


def read_phrase(words: Sequence[tuple[NumberWord, ...]], start: int, language: str) -> NumberPhrase | None:
    """Read the longest number that begins at a word; `None` if there is no number.

    `words` has the numerals of each word (empty for other words). If the next part could only multiply ("one
    hundred and two hundred"), the number ends before it.
    """
    total = _Sum(language)
    ends: list[NumberPhrase] = []
    multiplied: NumberPhrase | None = None
    for place in range(start, len(words)):
        numerals = words[place]
        if not numerals:
            break
        after = words[place + 1] if place + 1 < len(words) else ()
        following = [*numerals[1:], after[0] if after else None]
        if not all(total.add(*pair) for pair in zip(numerals, following, strict=True)):
            if ends and numerals[0].kind in ("hundred", "scale") and multiplied is not None:
                return multiplied
            break
        if total.is_complete:
            value = str(total.value)
            ends.append(NumberPhrase(place + 1, ordinal(value) if total.is_ordinal else value))
            if numerals[-1].kind in ("hundred", "scale"):
                multiplied = ends[-1]
    return ends[-1] if ends else None


_HAN_DIGITS = dict(
    zip(
        "〇零一二三四五六七八九两兩壹贰叁肆伍陆柒捌玖貳參陸",
        (0, 0, *range(1, 10), 2, 2, *range(1, 10), 2, 3, 6),
        strict=True,
    )
)
_HAN_UNITS = (
    dict.fromkeys("十拾", 10) | {"廿": 20} | dict.fromkeys("百佰백", 100) | dict.fromkeys("千仟천", 1000)
)
HAN_SCALES = dict.fromkeys("万萬만", 10**4) | dict.fromkeys("亿億억", 10**8) | dict.fromkeys("兆조", 10**12)
MORE_THAN = frozenset("多余餘")
"""Characters inside a number that mean "and more": 200多万."""
TEN_THOUSAND = frozenset("万萬만")
HAN_NUMERALS = frozenset((*_HAN_DIGITS, *_HAN_UNITS, *HAN_SCALES))
"""Characters of numbers in Chinese, Japanese and Korean."""
HAN_LANGUAGES = frozenset({"zh", "ja", "yue", "wuu", "ko"})
_LEAST_IN_A_ROW = 4
# A single character is part of a name or word (四川, 三星, 一些) unless a counted thing follows.
_COUNTED = frozenset(
    "个個名位年月日号號岁歲歳天次家种種条條项項只隻件座场場元円倍级級届屆枚周週人秒时時点點つ回冊台階か"
)
_COUNTED_AFTER_ONE = frozenset("月日号號")
_SOME_BEFORE, _SOME_AFTER = frozenset("几幾数數好"), frozenset("几幾数數来來")
# 千瓦, 百米: the last numeral belongs to the unit of measure.
_MEASURES = frozenset("瓦克米卡焦赫帕伏吨")


def measure_begins(run: Sequence[str], after: str) -> bool:
    """Whether the last numeral of a run begins a unit of measure: 千瓦 in 2亿千瓦."""
    return len(run) > 1 and run[-1] in ("千", "百", "兆") and after in _MEASURES


def read_han(run: Sequence[str], *, before: str, after: str, language: str) -> str | None:
    """The value of a run of Chinese numerals and digits between two characters; `None` if not a number.

    >>> [read_han(run, before="", after="", language="zh") for run in ("二十一", "三千零五", "二〇一九")]
    ['21', '3005', '2019']
    >>> [read_han(run, before="", after="", language="zh") for run in ("万一", "三四十", "三四")]
    [None, None, None]
    >>> read_han(["1.2", "亿"], before="", after="", language="zh")
    '120000000'
    """
    if before in _SOME_BEFORE or after in _SOME_AFTER:  # 几十万 is not 100,000, and 三十几 is not 30
        return None
    if len(run) == 1:
        return _single_han(run[0], before, after)
    if all(character in _HAN_DIGITS for character in run):
        is_row = len(run) >= _LEAST_IN_A_ROW or (len(run) == _LEAST_IN_A_ROW - 1 and "〇" in run)
        return str(int("".join(str(_HAN_DIGITS[character]) for character in run))) if is_row else None
    if "兆" in run and language == "zh":  # means a million for some people, a million millions for others
        return None
    return _structured_han(run)


def _single_han(character: str, before: str, after: str) -> str | None:
    value = 10 if character == "十" else _HAN_DIGITS.get(character)
    if not value or not (before == "第" or after in _COUNTED):
        return None
    if value == 1 and not (before == "第" or after in _COUNTED_AFTER_ONE):
        return None
    return str(value)


def _structured_han(run: Sequence[str]) -> str | None:
    chunks: list[tuple[int, Decimal]] = []
    section = Decimal(0)
    digit: Decimal | None = None
    unit, after_zero = 10**4, False  # the next unit must be smaller
    for place, part in enumerate(run):
        is_last = place == len(run) - 1
        if part in HAN_SCALES:
            scale = HAN_SCALES[part]
            amount = section + (digit or 0) + sum(value for size, value in chunks if size < scale)
            if not amount or any(size == scale for size, _ in chunks):
                return None
            chunks = [chunk for chunk in chunks if chunk[0] > scale]
            chunks.append((scale, amount * scale))
            section, digit, unit, after_zero = Decimal(0), None, 10**4, False
        elif part in _HAN_UNITS:
            size = _HAN_UNITS[part]
            is_a_million = part == "百" and place == 0 and run[1:] in ("万", "萬", ["万"], ["萬"])
            if digit is None and (size >= 100 or (section and not after_zero)) and not is_a_million:
                return None
            if size >= unit or (digit is not None and (digit >= 10 or digit != int(digit))):
                return None
            section += (1 if digit is None else digit) * size
            digit, unit, after_zero = None, 10 if size == 20 else size, False
        elif part in _HAN_DIGITS:
            value = _HAN_DIGITS[part]
            if digit is not None or (value == 0 and (is_last or not (section or chunks))):
                return None
            if value == 0:
                after_zero = True
            else:
                digit = Decimal(value)
                # 一万二 is 12,000 for some people, and 三百五 is 350; only unambiguous numbers count.
                if is_last and (section or chunks) and not after_zero and unit != 10:
                    return None
        else:
            value_in_digits = Decimal(part)
            if digit is not None or section or (chunks and value_in_digits >= chunks[-1][0]):
                return None
            if is_last and value_in_digits != int(value_in_digits):
                return None
            digit = value_in_digits
    total = sum((value for _, value in chunks), section + (digit or 0))
    return canonical_value(total)


@cache
def languages_with(separator: str) -> frozenset[str]:
    """The languages that `data/numerals.toml` lists for a decimal mark or a separator of thousands."""
    return frozenset(word_table("separators")[separator].split())


_MARK = "[.,'d]"
_ASCII_MARKS = {"，": ",", "．": ".", "٫": "d"}


def group_mark(language: str) -> str:
    """The mark ("," or ".") that separates thousands. Unknown languages are treated like English.

    >>> group_mark("pt-BR"), group_mark("es-MX"), group_mark("")
    ('.', ',', ',')
    """
    tag = language.lower().replace("_", "-")
    has_comma = tag.split("-")[0] in languages_with("decimal-comma")
    return "." if has_comma and tag not in languages_with("decimal-point") else ","


def canonical_number(number: str, *, language: str) -> str | None:
    """The value in ASCII digits with a decimal point, without superfluous zeros; `None` if ambiguous.

    >>> canonical_number("1.234,50", language="de"), canonical_number("1,234", language="de")
    ('1234.5', '1.234')
    >>> canonical_number("１２", language="ja"), canonical_number("12.05.2020", language="de")
    ('12', None)
    """
    text = "".join(_plain(character) for character in number)
    marks, parts = re.findall(_MARK, text), re.split(_MARK, text)
    if not marks:
        return _value(text, "")
    is_group = len(marks) == 1 and marks[0] == group_mark(language) and _are_groups(parts)
    if not is_group and marks[-1] in ".,d" and marks[-1] not in marks[:-1] and len(set(marks[:-1])) <= 1:
        *whole, fraction = parts
        return _value("".join(whole), fraction) if len(whole) == 1 or _are_groups(whole) else None
    return _value("".join(parts), "") if len(set(marks)) == 1 and _are_groups(parts) else None


def _plain(character: str) -> str:
    """Replace by ASCII digits and marks; "'" separates groups and "d" decimals in every language."""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    return "'" if character.isspace() or character in "’ʼ＇٬" else _ASCII_MARKS.get(character, character)


def _are_groups(parts: list[str]) -> bool:
    """Whether groups are valid: thousands, or lakhs and crores as in India."""
    first, *middle, last = parts
    lengths = {len(part) for part in middle}
    return 1 <= len(first) <= 3 and len(last) == 3 and first != "0" and (lengths <= {3} or lengths == {2})


def _value(whole: str, fraction: str) -> str:
    whole = whole.lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
